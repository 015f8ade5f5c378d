//! Decided tracks as bytes.

use super::solve::{JointKeys, TrackKeys};
use crate::codecs::runtime::{
    KeyFormat, RANGE_BITS, RangeSource, RotationFormat, TrackTable, count_bits, write_format, write_range, write_times,
};
use crate::codecs::{Encoded, KeptKeys, Ledger, Section};
use crate::format::BitWriter;
use crate::model::Channel;

/// Writes the payload that [`super::decode`] reads.
pub fn pack(joints: &[JointKeys], constant_format: RotationFormat, samples: usize) -> Encoded {
    let table = TrackTable {
        kinds: joints.iter().map(|j| j.kinds).collect(),
        still: joints.iter().map(|j| j.still).collect(),
        constant_format,
    };
    let mut packer = Packer { samples, out: BitWriter::new(), ledger: Ledger::default(), kept: Vec::new() };
    let ledger = &mut packer.ledger;
    table.write(&mut packer.out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
    ledger.clip(Section::Tables, table.head_bits());
    packer.channel(joints, Channel::Rotation, |j| j.rotation.as_ref());
    packer.channel(joints, Channel::Translation, |j| j.translation.as_ref());
    packer.channel(joints, Channel::Scale, |j| j.scale.as_ref());
    packer.finish()
}

struct Packer {
    samples: usize,
    out: BitWriter,
    ledger: Ledger,
    kept: Vec<KeptKeys>,
}

impl Packer {
    fn channel<F: KeyFormat>(
        &mut self,
        joints: &[JointKeys],
        channel: Channel,
        track_of: impl Fn(&JointKeys) -> Option<&TrackKeys<F>>,
    ) {
        for (joint, keys) in joints.iter().enumerate() {
            if let Some(track) = track_of(keys) {
                self.track(joint, channel, track);
                self.kept.push(KeptKeys { joint: joint as u16, channel, samples: track.times.clone() });
            }
        }
    }

    fn track<F: KeyFormat>(&mut self, joint: usize, channel: Channel, track: &TrackKeys<F>) {
        let start = self.out.bit_len();
        write_format(track.format, &mut self.out);
        self.out.push(track.times.len() as u64, count_bits(self.samples));
        self.ledger.track(joint, channel, Section::Tables, (self.out.bit_len() - start) as u64);
        if track.format.range_source() != RangeSource::None {
            write_range(&track.range, &mut self.out);
            self.ledger.track(joint, channel, Section::Range, u64::from(RANGE_BITS));
        }
        let start = self.out.bit_len();
        write_times(&track.times, self.samples, &mut self.out);
        self.ledger.track(joint, channel, Section::KeyTimes, (self.out.bit_len() - start) as u64);
        let start = self.out.bit_len();
        track.keys.iter().for_each(|key| track.format.write(*key, &track.range, &mut self.out));
        self.ledger.track(joint, channel, Section::Animated, (self.out.bit_len() - start) as u64);
    }

    fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: self.kept }
    }
}
