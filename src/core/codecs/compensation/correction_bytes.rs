//! Writes a compensation, and counts the use of its bits.

use super::decode::{Correction, CorrectionSteps};
use crate::codecs::encode::write::write_limbs;
use crate::codecs::runtime::Limbs;
use crate::codecs::{Ledger, Section};
use crate::format::{BitWriter, bits_at};
use crate::model::Channel;

/// The bytes that [`Correction::read`] reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CorrectionBytes {
    pub bytes: Vec<u8>,
    pub ledger: Ledger,
    /// The number of extra tracks.
    pub tracks: usize,
}

/// A track that was written separately.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackBytes {
    pub joint: usize,
    pub channel: Channel,
    pub bytes: Vec<u8>,
    pub bits: usize,
}

/// The corrections to store with a clip.
#[derive(Debug, Clone, Default)]
pub struct Corrections {
    pub steps: CorrectionSteps,
    /// Ordered by joint and channel.
    pub tracks: Vec<TrackBytes>,
    /// Limbs, and the tracks of their ends in the same order.
    pub limbs: Option<(Limbs, Vec<TrackBytes>)>,
}

impl Corrections {
    /// Writes all corrections for a rig with that many joints.
    pub fn write(&self, joints: usize) -> CorrectionBytes {
        let mut writer = Writer::default();
        writer.clip(self.steps.kind(), Correction::KIND_BITS);
        if self.steps.kind() == Correction::SEVERAL {
            self.steps.bits().into_iter().for_each(|bit| writer.clip(u64::from(bit), 1));
        }
        if self.steps.additive {
            writer.tracks(&self.tracks);
        }
        if let Some((limbs, offsets)) = &self.limbs {
            writer.limbs(limbs, joints, offsets);
        }
        writer.finish(self.tracks.len() + self.limbs.as_ref().map_or(0, |(_, offsets)| offsets.len()))
    }
}

#[derive(Default)]
struct Writer {
    out: BitWriter,
    ledger: Ledger,
}

impl Writer {
    fn tracks(&mut self, tracks: &[TrackBytes]) {
        self.clip(tracks.len() as u64, Correction::COUNT_BITS);
        for track in tracks {
            let before = self.out.bit_len();
            self.out.push(track.joint as u64, Correction::JOINT_BITS);
            self.out.push(u64::from(track.channel == Channel::Translation), 1);
            self.track(track, before);
        }
    }

    fn limbs(&mut self, limbs: &Limbs, joints: usize, offsets: &[TrackBytes]) {
        let before = self.out.bit_len();
        write_limbs(limbs, joints, &mut self.out);
        self.ledger.clip(Section::Compensation, (self.out.bit_len() - before) as u64);
        for offset in offsets {
            let before = self.out.bit_len();
            self.track(offset, before);
        }
    }

    fn clip(&mut self, value: u64, bits: u32) {
        self.out.push(value, bits);
        self.ledger.clip(Section::Compensation, u64::from(bits));
    }

    /// Writes a track. All bits since `before` belong to it.
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
