//! The bits of a compensation and whom they belong to.

use super::decode::Correction;
use crate::codecs::encode::write::write_limbs;
use crate::codecs::runtime::Limbs;
use crate::codecs::{Ledger, Section};
use crate::format::{BitWriter, bits_at};
use crate::model::Channel;

/// What [`Correction::read`] reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CorrectionBytes {
    pub bytes: Vec<u8>,
    pub ledger: Ledger,
    /// Extra tracks.
    pub tracks: usize,
}

/// A track that was written by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackBytes {
    pub joint: usize,
    pub channel: Channel,
    pub bytes: Vec<u8>,
    pub bits: usize,
}

impl CorrectionBytes {
    /// Of a clip whose own tracks hold the corrections.
    pub fn in_place() -> Self {
        Writer::new(Correction::IN_PLACE).finish(0)
    }

    /// Of additive tracks, ordered by joint and channel.
    pub fn additive(tracks: &[TrackBytes]) -> Self {
        let mut writer = Writer::new(Correction::ADDITIVE);
        writer.clip(tracks.len() as u64, Correction::COUNT_BITS);
        for track in tracks {
            let before = writer.out.bit_len();
            writer.out.push(track.joint as u64, Correction::JOINT_BITS);
            writer.out.push(u64::from(track.channel == Channel::Translation), 1);
            writer.track(track, before);
        }
        writer.finish(tracks.len())
    }

    /// Of limbs and the tracks of their ends, in their order.
    pub fn ik(limbs: &Limbs, joints: usize, offsets: &[TrackBytes]) -> Self {
        let mut writer = Writer::new(Correction::IK);
        let before = writer.out.bit_len();
        write_limbs(limbs, joints, &mut writer.out);
        writer.ledger.clip(Section::Compensation, (writer.out.bit_len() - before) as u64);
        for offset in offsets {
            let before = writer.out.bit_len();
            writer.track(offset, before);
        }
        writer.finish(offsets.len())
    }
}

#[derive(Default)]
struct Writer {
    out: BitWriter,
    ledger: Ledger,
}

impl Writer {
    fn new(kind: u64) -> Self {
        let mut out = Self::default();
        out.clip(kind, Correction::KIND_BITS);
        out
    }

    fn clip(&mut self, value: u64, bits: u32) {
        self.out.push(value, bits);
        self.ledger.clip(Section::Compensation, u64::from(bits));
    }

    /// Appends a track's bits; those since `before` belong to it.
    fn track(&mut self, track: &TrackBytes, before: usize) {
        for at in (0..track.bits).step_by(56) {
            let count = (track.bits - at).min(56) as u32;
            self.out.push(bits_at(&track.bytes, at, count), count);
        }
        let bits = (self.out.bit_len() - before) as u64;
        self.ledger.track(track.joint, track.channel, Section::Compensation, bits);
    }

    fn finish(mut self, tracks: usize) -> CorrectionBytes {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        CorrectionBytes { bytes: self.out.finish(), ledger: self.ledger, tracks }
    }
}
