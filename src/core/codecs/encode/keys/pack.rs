//! Writes decided tracks as bytes.

use super::tracks::{JointKeys, TrackKeys};
use crate::codecs::encode::write::{
    BlockRange, WriteCoding, WriteKey, codes, keys_of_blocks, write_block_times, write_codes_over, write_times,
    write_track_table,
};
use crate::codecs::runtime::{BlockSize, KeyCoding, RangeSource, Ranged, RotationFormat, TrackTable, count_bits};
use crate::codecs::{Encoded, KeptKeys, Ledger, Section};
use crate::format::BitWriter;
use crate::model::Channel;

/// Writes `head`, then all tracks one after another, with or without blocks, as [`crate::codecs::runtime::KeyTracks`] reads them.
pub fn pack_by_track(
    head: BitWriter,
    joints: &[JointKeys],
    constant_format: RotationFormat,
    (samples, blocks): (usize, Option<BlockSize>),
) -> Encoded {
    let mut packer = TrackPacker::new(head, samples);
    packer.table(joints, constant_format);
    let tracks = stored_tracks(joints);
    for track in &tracks {
        match blocks {
            Some(size) => packer.track_in_blocks(track, size),
            None => packer.track(track),
        }
    }
    packer.finish(&tracks)
}

/// An animated track.
pub struct StoredTrack<'a> {
    pub joint: usize,
    pub channel: Channel,
    pub keys: &'a dyn AnyKeys,
}

impl StoredTrack<'_> {
    /// The kept samples.
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

/// Keys of any format, to be written.
pub trait AnyKeys {
    fn times(&self) -> &[u32];
    /// The times in the order in which a fit inserted them. Empty if keys were removed instead.
    fn inserted(&self) -> &[u32];
    /// Bits per key.
    fn bits(&self) -> u32;
    /// Source of the range of keys.
    fn range_source(&self) -> RangeSource;
    fn write_format(&self, out: &mut BitWriter);
    /// Writes the head that is stored once per track after the format. Empty if the format needs no range.
    fn write_range(&self, out: &mut BitWriter);
    fn write_key(&self, key: usize, out: &mut BitWriter);
    /// The range, for keys that take only as many bits as they need.
    fn ranged(&self) -> Option<&Ranged>;
    /// Steps of a key above the least values, for a track with such a range.
    fn codes(&self, ranged: &Ranged, key: usize) -> [u32; 3];
}

impl<F: WriteKey> AnyKeys for TrackKeys<F> {
    fn times(&self) -> &[u32] {
        &self.times
    }

    fn inserted(&self) -> &[u32] {
        &self.inserted
    }

    fn bits(&self) -> u32 {
        self.coding.bits()
    }

    fn range_source(&self) -> RangeSource {
        match &self.coding {
            KeyCoding::Format(format, _) => format.range_source(),
            KeyCoding::Ranged(_) => RangeSource::Track,
        }
    }

    fn write_format(&self, out: &mut BitWriter) {
        self.coding.write_code(out);
    }

    fn write_range(&self, out: &mut BitWriter) {
        self.coding.write_head(out);
    }

    fn write_key(&self, key: usize, out: &mut BitWriter) {
        self.coding.write(self.keys[key], out);
    }

    fn ranged(&self) -> Option<&Ranged> {
        self.coding.ranged()
    }

    fn codes(&self, ranged: &Ranged, key: usize) -> [u32; 3] {
        codes::<F>(ranged, self.keys[key])
    }
}

/// Writes the parts of tracks with keys, and counts every bit in the ledger.
pub struct TrackPacker {
    pub samples: usize,
    pub out: BitWriter,
    pub ledger: Ledger,
}

impl TrackPacker {
    /// Begins with a header.
    pub fn new(head: BitWriter, samples: usize) -> Self {
        let mut ledger = Ledger::default();
        ledger.clip(Section::Header, head.bit_len() as u64);
        Self { samples, out: head, ledger }
    }

    /// Writes the kind of every track, and the values of constant tracks.
    pub fn table(&mut self, joints: &[JointKeys], constant_format: RotationFormat) {
        let table = track_table(joints, constant_format);
        write_track_table(&table, &mut self.out, |joint, channel, bits| {
            self.ledger.track(joint, channel, Section::Constant, bits)
        });
        self.ledger.clip(Section::Tables, table.head_bits());
    }

    /// Writes a part of a track, and counts its bits.
    pub fn put(&mut self, track: &StoredTrack<'_>, section: Section, write: impl FnOnce(&mut BitWriter)) {
        let before = self.out.bit_len();
        write(&mut self.out);
        self.ledger.track(track.joint, track.channel, section, (self.out.bit_len() - before) as u64);
    }

    /// Writes a track as [`crate::codecs::runtime::KeyTrack`] reads it.
    pub fn track(&mut self, track: &StoredTrack<'_>) {
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

    /// Writes a track in blocks, as [`crate::codecs::runtime::KeyTrack::read_in_blocks`] reads it.
    fn track_in_blocks(&mut self, track: &StoredTrack<'_>, size: BlockSize) {
        let (keys, samples) = (track.keys, self.samples);
        self.put(track, Section::Tables, |out| keys.write_format(out));
        self.put(track, Section::Range, |out| keys.write_range(out));
        let mut parts = Vec::new();
        for (block, places) in keys_of_blocks(keys.times(), size, samples).enumerate() {
            let open = size.open(block, samples);
            self.put(track, Section::KeyTimes, |out| write_block_times(keys.times(), open, out));
            if let Some(ranged) = keys.ranged() {
                let codes: Vec<[u32; 3]> = places.map(|key| keys.codes(ranged, key)).collect();
                let range = BlockRange::of(ranged, &codes);
                self.put(track, Section::Range, |out| BlockRange::write(range.as_ref(), ranged, out));
                let part = range.map_or(ranged.whole(), |range| range.part(ranged));
                parts.extend(codes.into_iter().map(|codes| (part, codes)));
            }
        }
        self.put(track, Section::Animated, |out| {
            for key in 0..keys.times().len() {
                match parts.get(key) {
                    Some((part, codes)) => write_codes_over(part, *codes, out),
                    None => keys.write_key(key, out),
                }
            }
        });
    }

    /// Pads the last byte, and returns the result.
    pub fn finish(mut self, tracks: &[StoredTrack<'_>]) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        let kept = tracks.iter().map(StoredTrack::kept).collect();
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept }
    }
}

/// The kinds of the tracks of decided joints, and the values of tracks that are not animated.
pub fn track_table(joints: &[JointKeys], constant_format: RotationFormat) -> TrackTable {
    TrackTable {
        kinds: joints.iter().map(|j| j.kinds).collect(),
        still: joints.iter().map(|j| j.still).collect(),
        constant_format,
    }
}

/// All keys in the order of a stream whose decoder looks `ahead` keys beyond the current one. It needs a key when it reaches the key that
/// is `ahead` keys before. Returns the sample at which each key is needed, its track and its index.
pub fn by_time_needed(tracks: &[StoredTrack<'_>], ahead: usize) -> Vec<(u32, usize, usize)> {
    let needed = |times: &[u32], key: usize| key.checked_sub(ahead).map_or(0, |before| times[before]);
    let all = || tracks.iter().enumerate().map(|(number, track)| (number, track.keys.times()));
    // Tracks and keys are visited in order, so a counting sort by sample is enough.
    let samples = all().filter_map(|(_, times)| times.last()).max().map_or(0, |last| *last as usize + 1);
    let mut places = vec![0; samples + 1];
    for (_, times) in all() {
        (0..times.len()).for_each(|key| places[needed(times, key) as usize + 1] += 1);
    }
    for sample in 0..samples {
        places[sample + 1] += places[sample];
    }
    let mut out = vec![(0, 0, 0); places[samples]];
    for (number, times) in all() {
        for key in 0..times.len() {
            let sample = needed(times, key);
            let place = &mut places[sample as usize];
            out[*place] = (sample, number, key);
            *place += 1;
        }
    }
    out
}
