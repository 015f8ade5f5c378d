//! Values stored bit for bit, as [`ExactTracks`] reads them.

use crate::codecs::{KeptKeys, Ledger, Section};
use crate::format::ByteWriter;
use crate::model::{Channel, Clip};
use posepress_runtime::internal::parts::ExactTracks;
use std::ops::Range;

/// Joints over a range of samples.
pub struct Exact<'a> {
    pub clip: &'a Clip,
    pub joints: &'a [usize],
    pub samples: Range<usize>,
}

impl Exact<'_> {
    /// Writes every value. A track that does not change is written once.
    pub fn write(&self, out: &mut ByteWriter, ledger: &mut Ledger) {
        if self.samples != (0..self.clip.samples()) {
            out.u32(self.samples.start as u32);
            out.u32(self.samples.len() as u32);
            ledger.clip(Section::Tables, 64);
        }
        for &joint in self.joints {
            let moves = Channel::ALL.map(|channel| self.moves(joint, channel));
            out.u8(moves.iter().enumerate().map(|(bit, moves)| u8::from(*moves) << bit).sum());
            ledger.clip(Section::Tables, 8);
            for (channel, moves) in Channel::ALL.into_iter().zip(moves) {
                let (samples, section) = match moves {
                    true => (self.samples.len(), Section::Animated),
                    false => (1, Section::Constant),
                };
                for sample in self.samples.clone().take(samples) {
                    self.numbers(sample, joint, channel).for_each(|number| out.f32(number));
                }
                ledger.track(joint, channel, section, 32 * (ExactTracks::width(channel) * samples) as u64);
            }
        }
    }

    /// Adds a key per sample for each track that changes.
    pub fn add_to(&self, kept: &mut Vec<KeptKeys>) {
        let tracks = self.joints.iter().flat_map(|joint| Channel::ALL.map(|channel| (*joint, channel)));
        for (joint, channel) in tracks.filter(|(joint, channel)| self.moves(*joint, *channel)) {
            let own = self.samples.clone().map(|sample| sample as u32);
            let is_track = |kept: &&mut KeptKeys| usize::from(kept.joint) == joint && kept.channel == channel;
            match kept.iter_mut().find(is_track) {
                Some(known) => {
                    known.samples.extend(own);
                    known.samples.sort_unstable();
                    known.samples.dedup();
                    known.inserted.clear();
                }
                None => {
                    kept.push(KeptKeys { joint: joint as u16, channel, samples: own.collect(), inserted: Vec::new() })
                }
            }
        }
    }

    /// True if the track changes at all. The sign of zero counts as a change.
    fn moves(&self, joint: usize, channel: Channel) -> bool {
        let bits = |sample| self.numbers(sample, joint, channel).map(f32::to_bits);
        self.samples.clone().skip(1).any(|sample| !bits(sample).eq(bits(self.samples.start)))
    }

    fn numbers(&self, sample: usize, joint: usize, channel: Channel) -> impl Iterator<Item = f32> {
        let local = self.clip.at(sample, joint);
        let [x, y, z, w] = match channel {
            Channel::Rotation => local.rotation.to_array(),
            Channel::Translation => local.translation.extend(0.0).to_array(),
            Channel::Scale => local.scale.extend(0.0).to_array(),
        };
        [x, y, z, w].into_iter().take(ExactTracks::width(channel))
    }
}
