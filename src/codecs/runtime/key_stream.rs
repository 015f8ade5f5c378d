use super::key::{KeyFormat, check_key, read_range};
use super::track_table::read_format;
use super::{ClipHeader, RangeSource, RotationFormat, TrackTable, VectorFormat, time_bits};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{Range3, Transform};
use crate::model::{Channel, Pose, Sampler, TimeGrid};

/// Keys of all tracks in the order in which playing forward needs them: one scan reads the whole clip, and neighbours in
/// time are neighbours in memory. A jump back starts again from the first key.
///
/// On disk: the track table; for each animated track (rotations, translations, scales, in joint order) its format (4
/// bits) and the range that it wants; then the keys: track ([`track_bits`]), sample ([`time_bits`]), value. The first two
/// keys of a track are needed at once, each later one when its predecessor is reached; keys needed at the same time
/// follow their tracks. The first key of a track is at the first sample, the last at the last.
pub struct KeyStreamSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    tracks: Tracks,
    first_bit: usize,
    end_bit: usize,
    /// Next key to read.
    next_bit: usize,
    /// Fractional sample of the last pose.
    reached: f64,
}

/// Bits of a track's number among `tracks`.
pub fn track_bits(tracks: usize) -> u32 {
    usize::BITS - tracks.saturating_sub(1).leading_zeros()
}

struct Tracks {
    rotations: Vec<StreamTrack<RotationFormat>>,
    translations: Vec<StreamTrack<VectorFormat>>,
    scales: Vec<StreamTrack<VectorFormat>>,
    track_bits: u32,
    time_bits: u32,
}

/// The two keys of a track that the scan read last.
struct StreamTrack<F: KeyFormat> {
    joint: usize,
    format: F,
    range: Range3,
    keys: Option<[(u32, F::Key); 2]>,
    /// Keys read so far.
    count: u32,
}

impl<'a> KeyStreamSampler<'a> {
    /// Reads and checks the stream, up to the end of the bytes; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &'a [u8],
        bind: &[Transform],
    ) -> Result<Self, DecodeError> {
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let samples = header.grid.samples();
        let mut tracks = Tracks::read(&mut input, &table, samples)?;
        let first_bit = input.bit_position();
        let end_bit = tracks.check(&mut input, bytes, samples)?;
        input.finish("keys")?;
        tracks.rewind();
        let (grid, still) = (header.grid, table.still);
        let mut out = Self { grid, bytes, still, tracks, first_bit, end_bit, next_bit: first_bit, reached: 0.0 };
        out.scan(0.0);
        Ok(out)
    }

    /// Reads all keys that are needed up to a fractional sample.
    #[inline]
    fn scan(&mut self, at: f64) {
        while self.next_bit < self.end_bit {
            let (track, time) = self.tracks.entry(self.bytes, self.next_bit);
            if f64::from(self.tracks.needed_at(track)) > at {
                break;
            }
            self.next_bit = self.tracks.take(self.bytes, self.next_bit, track, time);
        }
    }
}

impl Sampler for KeyStreamSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let at = self.grid.sample_at(time_secs);
        if at < self.reached {
            self.tracks.rewind();
            self.next_bit = self.first_bit;
        }
        self.scan(at);
        self.reached = at;
        out.joints.copy_from_slice(&self.still);
        for track in &self.tracks.rotations {
            if let Some(value) = track.value(at) {
                out.joints[track.joint].rotation = value;
            }
        }
        for track in &self.tracks.translations {
            if let Some(value) = track.value(at) {
                out.joints[track.joint].translation = value;
            }
        }
        for track in &self.tracks.scales {
            if let Some(value) = track.value(at) {
                out.joints[track.joint].scale = value;
            }
        }
    }
}

impl Tracks {
    fn read(input: &mut BitReader<'_>, table: &TrackTable, samples: usize) -> Result<Self, DecodeError> {
        let rotations = StreamTrack::read_all(input, table, Channel::Rotation)?;
        let translations = StreamTrack::read_all(input, table, Channel::Translation)?;
        let scales = StreamTrack::read_all(input, table, Channel::Scale)?;
        let track_bits = track_bits(rotations.len() + translations.len() + scales.len());
        Ok(Self { rotations, translations, scales, track_bits, time_bits: time_bits(samples) })
    }

    fn len(&self) -> usize {
        self.rotations.len() + self.translations.len() + self.scales.len()
    }

    /// Scans all keys once: each must be there, in order and sound. Returns the bit after the last.
    fn check(&mut self, input: &mut BitReader<'_>, bytes: &[u8], samples: usize) -> Result<usize, DecodeError> {
        let wrong = |at: usize, found: String, expected: &str| {
            Err(DecodeError::invalid("stream of keys", at / 8, found, expected.to_owned()))
        };
        let last = samples as u32 - 1;
        // A track of a clip of one sample has one key, any other at least two.
        let mut unfinished = self.len();
        let mut needed = (0, 0);
        while unfinished > 0 {
            let at = input.skip("key", (self.track_bits + self.time_bits) as usize)?;
            let (track, time) = self.entry(bytes, at);
            if track >= self.len() {
                return wrong(at, format!("track {track}"), "one of the animated tracks");
            }
            let (is_first, need) = (self.count(track) == 0, self.needed_at(track));
            let previous = self.latest(track);
            if time > last || (is_first && time != 0) || (!is_first && time <= previous) || (need, track) < needed {
                return wrong(
                    at,
                    format!("sample {time} of track {track}"),
                    "keys in the order in which they are needed",
                );
            }
            needed = (need, track);
            input.skip("key", self.key_bits(track))?;
            self.check_value(bytes, at, track)?;
            self.take(bytes, at, track, time);
            unfinished -= usize::from(time == last);
        }
        Ok(input.bit_position())
    }

    /// Track and sample of the key at a bit.
    #[inline]
    fn entry(&self, bytes: &[u8], at: usize) -> (usize, u32) {
        let word = bits_at(bytes, at, self.track_bits + self.time_bits);
        ((word & ((1 << self.track_bits) - 1)) as usize, (word >> self.track_bits) as u32)
    }

    /// Reads the value of the key at a bit; returns the bit after it.
    #[inline]
    fn take(&mut self, bytes: &[u8], at: usize, track: usize, time: u32) -> usize {
        let value_at = at + (self.track_bits + self.time_bits) as usize;
        let (r, t) = (self.rotations.len(), self.translations.len());
        if track < r {
            self.rotations[track].take(bytes, value_at, time)
        } else if track < r + t {
            self.translations[track - r].take(bytes, value_at, time)
        } else {
            self.scales[track - r - t].take(bytes, value_at, time)
        }
    }

    fn check_value(&self, bytes: &[u8], at: usize, track: usize) -> Result<(), DecodeError> {
        let value_at = at + (self.track_bits + self.time_bits) as usize;
        let (r, t) = (self.rotations.len(), self.translations.len());
        if track < r {
            check_key(bytes, value_at, self.rotations[track].format)
        } else if track < r + t {
            check_key(bytes, value_at, self.translations[track - r].format)
        } else {
            check_key(bytes, value_at, self.scales[track - r - t].format)
        }
    }

    /// Number of keys read, sample of the latest of them, and bits of a key of a track.
    #[inline]
    fn state(&self, track: usize) -> (u32, u32, u32) {
        let (r, t) = (self.rotations.len(), self.translations.len());
        if track < r {
            self.rotations[track].state()
        } else if track < r + t {
            self.translations[track - r].state()
        } else {
            self.scales[track - r - t].state()
        }
    }

    fn count(&self, track: usize) -> u32 {
        self.state(track).0
    }

    fn latest(&self, track: usize) -> u32 {
        self.state(track).1
    }

    fn key_bits(&self, track: usize) -> usize {
        self.state(track).2 as usize
    }

    /// Sample from which on the next key of a track is needed.
    #[inline]
    fn needed_at(&self, track: usize) -> u32 {
        let (count, latest, _) = self.state(track);
        if count < 2 { 0 } else { latest }
    }

    fn rewind(&mut self) {
        self.rotations.iter_mut().for_each(StreamTrack::rewind);
        self.translations.iter_mut().for_each(StreamTrack::rewind);
        self.scales.iter_mut().for_each(StreamTrack::rewind);
    }
}

impl<F: KeyFormat> StreamTrack<F> {
    fn read_all(input: &mut BitReader<'_>, table: &TrackTable, channel: Channel) -> Result<Vec<Self>, DecodeError> {
        table.animated(channel).map(|joint| Self::read(input, joint)).collect()
    }

    fn read(input: &mut BitReader<'_>, joint: usize) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let format: F = read_format(input)?;
        if format.bits() == 0 {
            return Err(DecodeError::invalid("animated track", at, format!("{format:?}"), "keys that take bits"));
        }
        let has_range = format.range_source() != RangeSource::None;
        let range = if has_range { read_range(input)? } else { Range3::UNIT };
        Ok(Self { joint, format, range, keys: None, count: 0 })
    }

    #[inline]
    fn take(&mut self, bytes: &[u8], at: usize, time: u32) -> usize {
        let key = (time, self.format.read(bytes, at, &self.range));
        let before = self.keys.map_or(key, |[_, b]| b);
        self.keys = Some([before, key]);
        self.count += 1;
        at + self.format.bits() as usize
    }

    #[inline]
    fn state(&self) -> (u32, u32, u32) {
        (self.count, self.keys.map_or(0, |[_, (time, _)]| time), self.format.bits())
    }

    /// `None` before the first key, which no checked stream leaves out.
    #[inline]
    fn value(&self, at: f64) -> Option<F::Key> {
        let [(start, a), (end, b)] = self.keys?;
        let (start, end) = (f64::from(start), f64::from(end));
        Some(if at >= end {
            b
        } else if at <= start {
            a
        } else {
            F::blend(a, b, ((at - start) / (end - start)) as f32)
        })
    }

    fn rewind(&mut self) {
        (self.keys, self.count) = (None, 0);
    }
}
