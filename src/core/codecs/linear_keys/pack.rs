//! Decided tracks as bytes.

use super::decode::{KeyHeader, KeyLayout};
use super::tracks::{JointKeys, TrackKeys};
use crate::codecs::runtime::{
    JumpTable, KeyFormat, RangeSource, RotationFormat, TrackTable, count_bits, time_bits, track_bits, write_format,
    write_range, write_times,
};
use crate::codecs::{Encoded, KeptKeys, Ledger, Section};
use crate::format::BitWriter;
use crate::model::Channel;

/// Writes a payload that begins with `header`, which [`super::decode`] reads, or one of tracks alone, which
/// [`crate::codecs::runtime::KeyTracksSampler`] reads. `jump_every`: samples from jump to jump of a header that has jumps.
pub fn pack(
    joints: &[JointKeys],
    constant_format: RotationFormat,
    samples: usize,
    header: Option<KeyHeader>,
    jump_every: usize,
) -> Encoded {
    let table = TrackTable {
        kinds: joints.iter().map(|j| j.kinds).collect(),
        still: joints.iter().map(|j| j.still).collect(),
        constant_format,
    };
    let mut packer = Packer { samples, out: BitWriter::new(), ledger: Ledger::default(), kept: Vec::new() };
    if let Some(header) = header {
        header.write(&mut packer.out);
    }
    let Packer { out, ledger, .. } = &mut packer;
    ledger.clip(Section::Header, out.bit_len() as u64);
    table.write(out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
    ledger.clip(Section::Tables, table.head_bits());
    let tracks: Vec<StoredTrack<'_>> = stored_tracks(joints);
    match header.map(|h| h.layout) {
        Some(KeyLayout::TimeNeeded) => packer.stream(&tracks, jump_every),
        _ => tracks.iter().for_each(|track| packer.track(track)),
    }
    packer.kept = tracks.iter().map(StoredTrack::kept).collect();
    packer.finish()
}

/// An animated track.
pub struct StoredTrack<'a> {
    pub joint: usize,
    pub channel: Channel,
    pub keys: &'a dyn AnyKeys,
}

impl StoredTrack<'_> {
    /// The samples that it keeps.
    pub fn kept(&self) -> KeptKeys {
        KeptKeys {
            joint: self.joint as u16,
            channel: self.channel,
            samples: self.keys.times().to_vec(),
            inserted: self.keys.inserted().to_vec(),
        }
    }
}

/// All animated tracks: rotations, translations, scales, each in joint order.
pub fn stored_tracks(joints: &[JointKeys]) -> Vec<StoredTrack<'_>> {
    let mut out = Vec::new();
    for channel in Channel::ALL {
        for (joint, keys) in joints.iter().enumerate() {
            let keys: Option<&dyn AnyKeys> = match channel {
                Channel::Rotation => keys.rotation.as_ref().map(|k| k as _),
                Channel::Translation => keys.translation.as_ref().map(|k| k as _),
                Channel::Scale => keys.scale.as_ref().map(|k| k as _),
            };
            out.extend(keys.map(|keys| StoredTrack { joint, channel, keys }));
        }
    }
    out
}

/// Keys of whatever kind, to be written.
pub trait AnyKeys {
    fn times(&self) -> &[u32];
    /// The times in the order in which a fit inserted them; empty where keys were removed instead.
    fn inserted(&self) -> &[u32];
    /// Bits a key.
    fn bits(&self) -> u32;
    /// Where a key's range comes from.
    fn range_source(&self) -> RangeSource;
    fn write_format(&self, out: &mut BitWriter);
    /// Writes nothing where the format wants no range.
    fn write_range(&self, out: &mut BitWriter);
    fn write_key(&self, key: usize, out: &mut BitWriter);
}

impl<F: KeyFormat> AnyKeys for TrackKeys<F> {
    fn times(&self) -> &[u32] {
        &self.times
    }

    fn inserted(&self) -> &[u32] {
        &self.inserted
    }

    fn bits(&self) -> u32 {
        self.format.bits()
    }

    fn range_source(&self) -> RangeSource {
        self.format.range_source()
    }

    fn write_format(&self, out: &mut BitWriter) {
        write_format(self.format, out);
    }

    fn write_range(&self, out: &mut BitWriter) {
        if self.format.range_source() != RangeSource::None {
            write_range(&self.range, out);
        }
    }

    fn write_key(&self, key: usize, out: &mut BitWriter) {
        self.format.write(self.keys[key], &self.range, out);
    }
}

struct Packer {
    samples: usize,
    out: BitWriter,
    ledger: Ledger,
    kept: Vec<KeptKeys>,
}

impl Packer {
    /// Writes something of a track and books its bits.
    fn put(&mut self, track: &StoredTrack<'_>, section: Section, write: impl FnOnce(&mut BitWriter)) {
        let before = self.out.bit_len();
        write(&mut self.out);
        self.ledger.track(track.joint, track.channel, section, (self.out.bit_len() - before) as u64);
    }

    /// A track as [`crate::codecs::runtime::KeyTrack`] reads it.
    fn track(&mut self, track: &StoredTrack<'_>) {
        let (keys, samples) = (track.keys, self.samples);
        let times = keys.times();
        self.put(track, Section::Tables, |out| {
            keys.write_format(out);
            out.push(times.len() as u64, count_bits(samples));
        });
        self.put(track, Section::Range, |out| keys.write_range(out));
        self.put(track, Section::KeyTimes, |out| write_times(times, samples, out));
        self.put(track, Section::Animated, |out| (0..times.len()).for_each(|key| keys.write_key(key, out)));
    }

    /// All tracks as [`crate::codecs::runtime::KeyStreamSampler`] reads them.
    fn stream(&mut self, tracks: &[StoredTrack<'_>], jump_every: usize) {
        for track in tracks {
            self.put(track, Section::Tables, |out| track.keys.write_format(out));
            self.put(track, Section::Range, |out| track.keys.write_range(out));
        }
        let (track_bits, time_bits) = (track_bits(tracks.len()), time_bits(self.samples));
        let order = by_time_needed(tracks, 1);
        if jump_every > 0 {
            let before = self.out.bit_len();
            let jumps = jumps(tracks, &order, (track_bits + time_bits) as usize, (jump_every, self.samples));
            JumpTable::write(jump_every, &jumps, &mut self.out);
            self.ledger.clip(Section::Jumps, (self.out.bit_len() - before) as u64);
        }
        for (_, number, key) in order {
            let track = &tracks[number];
            self.put(track, Section::KeyTimes, |out| {
                out.push(number as u64, track_bits);
                out.push(u64::from(track.keys.times()[key]), time_bits);
            });
            self.put(track, Section::Animated, |out| track.keys.write_key(key, out));
        }
    }

    fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: self.kept }
    }
}

/// Sample from which on it is needed, track and index of every key, in the order of a stream whose decoder looks `ahead`
/// keys beyond the one that it has reached: it must have a key when it reaches the one so many before it.
pub fn by_time_needed(tracks: &[StoredTrack<'_>], ahead: usize) -> Vec<(u32, usize, usize)> {
    let mut out = Vec::new();
    for (number, track) in tracks.iter().enumerate() {
        let times = track.keys.times();
        out.extend((0..times.len()).map(|key| (key.checked_sub(ahead).map_or(0, |k| times[k]), number, key)));
    }
    out.sort_unstable();
    out
}

/// What a scan of the keys in that `order`, each with `head_bits` before its value, knows at every jump: the bits at which
/// the last two keys of each track begin, and the next key.
fn jumps(
    tracks: &[StoredTrack<'_>],
    order: &[(u32, usize, usize)],
    head_bits: usize,
    (every, samples): (usize, usize),
) -> Vec<Vec<usize>> {
    let mut latest = vec![[0; 2]; tracks.len()];
    let (mut bit, mut keys) = (0, order.iter().peekable());
    let mut jump = |sample: u32| {
        while let Some((_, number, key)) = keys.next_if(|(needed, ..)| *needed <= sample) {
            latest[*number] = [if *key == 0 { bit } else { latest[*number][1] }, bit];
            bit += head_bits + tracks[*number].keys.bits() as usize;
        }
        latest.iter().flatten().copied().chain([bit]).collect()
    };
    JumpTable::samples(every, samples).map(&mut jump).collect()
}
