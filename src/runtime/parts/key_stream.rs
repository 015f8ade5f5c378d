use super::jump_table::JumpTable;
use super::key::{KeyFormat, check_key, read_range};
use super::track_table::read_format;
use super::{ClipHeader, RangeSource, RotationFormat, TrackTable, VectorFormat, time_bits};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{Range3, Transform};
use crate::{Channel, Pose, Sampler, TimeGrid};

/// Keys of all tracks in the order in which playing forward needs them: one scan reads the whole clip, and neighbours in
/// time are neighbours in memory. A jump back or far ahead starts from the nearest jump of the table, or again from the
/// first key where there is none.
///
/// On disk: the track table; for each animated track (rotations, translations, scales, in joint order) its format (4
/// bits) and the range that it wants; the [`JumpTable`], if the layout has one: the last two keys of each track, a place
/// being bits from the first key; then the keys: track ([`track_bits`]), sample ([`time_bits`]), value. The first two
/// keys of a track are needed at once, each later one when its predecessor is reached; keys needed at the same time
/// follow their tracks. The first key of a track is at the first sample, the last at the last.
pub struct KeyStreamSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    rotations: Vec<StreamTrack<RotationFormat>>,
    translations: Vec<StreamTrack<VectorFormat>>,
    scales: Vec<StreamTrack<VectorFormat>>,
    scan: Scan,
    jumps: Option<JumpTable>,
    /// Fractional sample of the last pose.
    reached: f64,
}

/// Bits of a track's number among `tracks`.
pub fn track_bits(tracks: usize) -> u32 {
    usize::BITS - tracks.saturating_sub(1).leading_zeros()
}

/// Keys that a scan of a stream reads of one track before any is passed, and keeps.
const WINDOW: usize = 2;

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
        has_jumps: bool,
    ) -> Result<Self, DecodeError> {
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let samples = header.grid.samples();
        let rotations = StreamTrack::<RotationFormat>::read_all(&mut input, &table, Channel::Rotation)?;
        let translations = StreamTrack::<VectorFormat>::read_all(&mut input, &table, Channel::Translation)?;
        let scales = StreamTrack::read_all(&mut input, &table, Channel::Scale)?;
        let vectors = translations.iter().chain(&scales).map(|t| t.format.bits());
        let key_bits = rotations.iter().map(|t| t.format.bits()).chain(vectors);
        let tracks: Vec<ScanTrack> = key_bits.map(ScanTrack::new).collect();
        let jumps = match has_jumps {
            true => Some(JumpTable::read(&mut input, samples, WINDOW * tracks.len() + 1)?),
            false => None,
        };
        let scan = Scan::new(tracks, time_bits(samples), input.bit_position());
        let (grid, still) = (header.grid, table.still);
        let mut out = Self { grid, bytes, still, rotations, translations, scales, scan, jumps, reached: 0.0 };
        out.check(&mut input)?;
        input.finish("keys")?;
        out.scan.rewind();
        out.scan.advance(bytes, 0.0);
        Ok(out)
    }

    /// Scans all keys once: each must be there, in order and sound, and the jumps must lead into them.
    fn check(&mut self, input: &mut BitReader<'_>) -> Result<(), DecodeError> {
        let bytes = self.bytes;
        let last = self.grid.samples() as u32 - 1;
        // A track of a clip of one sample has one key, any other at least two.
        let mut unfinished = self.scan.tracks.len();
        let mut needed = (0, 0);
        let mut jump = 0;
        while unfinished > 0 {
            let at = input.skip("key", self.scan.head_bits())?;
            let (number, sample) = self.scan.entry(bytes, at);
            let Some(track) = self.scan.tracks.get(number) else {
                return Err(wrong_key(at, format!("track {number}"), "one of the animated tracks"));
            };
            let is_next = if track.count == 0 { sample == 0 } else { sample > track.latest() };
            let need = (track.needed_at(), number);
            if sample > last || !is_next || need < needed {
                let found = format!("sample {sample} of track {number}");
                return Err(wrong_key(at, found, "keys in the order in which they are needed"));
            }
            input.skip("key", track.key_bits as usize)?;
            self.check_value(at, number)?;
            self.check_jumps(&mut jump, need.0)?;
            needed = need;
            self.scan.take(at, number, sample);
            unfinished -= usize::from(sample == last);
        }
        self.scan.end_bit = input.bit_position();
        self.check_jumps(&mut jump, u32::MAX)
    }

    fn check_value(&self, at: usize, number: usize) -> Result<(), DecodeError> {
        let (value_at, r, t) = (at + self.scan.head_bits(), self.rotations.len(), self.translations.len());
        if number < r {
            check_key(self.bytes, value_at, self.rotations[number].format)
        } else if number < r + t {
            check_key(self.bytes, value_at, self.translations[number - r].format)
        } else {
            check_key(self.bytes, value_at, self.scales[number - r - t].format)
        }
    }

    /// Checks the jumps from the `next` one up to the last before the next key is needed: they lead to where the scan is.
    fn check_jumps(&self, next: &mut usize, needed_at: u32) -> Result<(), DecodeError> {
        let Some(jumps) = &self.jumps else { return Ok(()) };
        while *next < jumps.len() && jumps.sample_of(*next) < needed_at as usize {
            jumps.check(self.bytes, *next, self.scan.places())?;
            *next += 1;
        }
        Ok(())
    }

    /// Brings the scan to a fractional sample, from wherever is nearest before it.
    fn seek(&mut self, at: f64) {
        let jump = self.jumps.and_then(|jumps| jumps.before(at).map(|jump| (jumps, jump)));
        match jump {
            Some((jumps, jump)) if at < self.reached || jumps.sample_of(jump) as f64 > self.reached => {
                self.scan.jump(self.bytes, &jumps, jump);
            }
            _ if at < self.reached => self.scan.rewind(),
            _ => {}
        }
        self.scan.advance(self.bytes, at);
        self.reached = at;
    }
}

impl Sampler for KeyStreamSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let at = self.grid.sample_at(time_secs);
        self.seek(at);
        out.joints.copy_from_slice(&self.still);
        let mut scanned = self.scan.tracks.iter();
        for (track, keys) in self.rotations.iter_mut().zip(&mut scanned) {
            out.joints[track.joint].rotation = track.value(self.bytes, keys, at);
        }
        for (track, keys) in self.translations.iter_mut().zip(&mut scanned) {
            out.joints[track.joint].translation = track.value(self.bytes, keys, at);
        }
        for (track, keys) in self.scales.iter_mut().zip(&mut scanned) {
            out.joints[track.joint].scale = track.value(self.bytes, keys, at);
        }
    }
}

fn wrong_key(at: usize, found: String, expected: &str) -> DecodeError {
    DecodeError::invalid("stream of keys", at / 8, found, expected.to_owned())
}

/// How far a scan through the stream has come.
struct Scan {
    tracks: Vec<ScanTrack>,
    track_bits: u32,
    time_bits: u32,
    first_bit: usize,
    end_bit: usize,
    /// Next key to read.
    next_bit: usize,
}

/// The keys of a track that the scan read last: their samples and the bits of their entries. Values are read where a
/// pose asks for them.
#[derive(Debug, Clone, Copy)]
struct ScanTrack {
    /// Bits of a value.
    key_bits: u32,
    keys: [(u32, usize); WINDOW],
    /// Keys read so far.
    count: u32,
}

impl Scan {
    fn new(tracks: Vec<ScanTrack>, time_bits: u32, first_bit: usize) -> Self {
        let track_bits = track_bits(tracks.len());
        Self { tracks, track_bits, time_bits, first_bit, end_bit: first_bit, next_bit: first_bit }
    }

    /// Bits of a key before its value.
    fn head_bits(&self) -> usize {
        (self.track_bits + self.time_bits) as usize
    }

    /// Track and sample of the key at a bit.
    #[inline]
    fn entry(&self, bytes: &[u8], at: usize) -> (usize, u32) {
        let word = bits_at(bytes, at, self.track_bits + self.time_bits);
        ((word & ((1 << self.track_bits) - 1)) as usize, (word >> self.track_bits) as u32)
    }

    /// Notes the key at a bit.
    #[inline]
    fn take(&mut self, at: usize, number: usize, sample: u32) {
        let value_at = at + self.head_bits();
        let track = &mut self.tracks[number];
        let before = if track.count == 0 { (sample, value_at) } else { track.keys[1] };
        track.keys = [before, (sample, value_at)];
        track.count += 1;
        self.next_bit = value_at + track.key_bits as usize;
    }

    /// Reads all keys that are needed up to a fractional sample.
    #[inline]
    fn advance(&mut self, bytes: &[u8], at: f64) {
        while self.next_bit < self.end_bit {
            let (number, sample) = self.entry(bytes, self.next_bit);
            if f64::from(self.tracks[number].needed_at()) > at {
                break;
            }
            self.take(self.next_bit, number, sample);
        }
    }

    fn rewind(&mut self) {
        self.next_bit = self.first_bit;
        self.tracks.iter_mut().for_each(|track| track.count = 0);
    }

    /// What a jump says when the scan is where the jump leads to.
    fn places(&self) -> impl Iterator<Item = usize> {
        let head = self.first_bit + self.head_bits();
        let keys = self.tracks.iter().flat_map(move |track| track.keys.map(|(_, value_at)| value_at - head));
        keys.chain([self.next_bit - self.first_bit])
    }

    fn jump(&mut self, bytes: &[u8], jumps: &JumpTable, jump: usize) {
        let head = self.head_bits();
        let bit = |index: usize| self.first_bit + jumps.place(bytes, jump, index);
        let next_bit = bit(WINDOW * self.tracks.len());
        for number in 0..self.tracks.len() {
            let key = |k: usize| {
                let at = bit(WINDOW * number + k);
                (self.entry(bytes, at).1, at + head)
            };
            let keys = [key(0), key(1)];
            self.tracks[number] = ScanTrack { keys, count: WINDOW as u32, ..self.tracks[number] };
        }
        self.next_bit = next_bit;
    }
}

impl ScanTrack {
    fn new(key_bits: u32) -> Self {
        Self { key_bits, keys: [(0, 0); WINDOW], count: 0 }
    }

    /// Sample of the key that was read last.
    #[inline]
    fn latest(&self) -> u32 {
        self.keys[1].0
    }

    /// Sample from which on the next key is needed.
    #[inline]
    fn needed_at(&self) -> u32 {
        if self.count < WINDOW as u32 { 0 } else { self.latest() }
    }
}

/// A track and the two values that were read last.
struct StreamTrack<F: KeyFormat> {
    joint: usize,
    format: F,
    range: Range3,
    /// Bits at which they were read, and the values.
    values: [(usize, F::Key); WINDOW],
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
        // Bit 0 of a payload is no key's.
        Ok(Self { joint, format, range, values: [(0, F::Key::default()); WINDOW] })
    }

    #[inline]
    fn value(&mut self, bytes: &[u8], scanned: &ScanTrack, at: f64) -> F::Key {
        let [(start, a_bit), (end, b_bit)] = scanned.keys;
        self.load(bytes, [a_bit, b_bit]);
        let [(_, a), (_, b)] = self.values;
        let (start, end) = (f64::from(start), f64::from(end));
        if at >= end {
            b
        } else if at <= start {
            a
        } else {
            F::blend(a, b, ((at - start) / (end - start)) as f32)
        }
    }

    /// Reads the values at these bits, but for those that are there already.
    #[inline]
    fn load(&mut self, bytes: &[u8], bits: [usize; WINDOW]) {
        if self.values[0].0 != bits[0] && self.values[1].0 == bits[0] {
            self.values[0] = self.values[1];
        }
        for (value, bit) in self.values.iter_mut().zip(bits) {
            if value.0 != bit {
                *value = (bit, self.format.read(bytes, bit, &self.range));
            }
        }
    }
}
