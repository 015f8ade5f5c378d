//! Numbers as they were: what [`ExactTracks`] reads.

use crate::codecs::{KeptKeys, Ledger, Section};
use crate::format::ByteWriter;
use crate::model::{Channel, Clip};
use posepress_runtime::parts::ExactTracks;

/// Writes every number of some joints, once where it is the same at every sample.
pub fn write(clip: &Clip, joints: &[usize], out: &mut ByteWriter, ledger: &mut Ledger) {
    for &joint in joints {
        let moves = Channel::ALL.map(|channel| moves(clip, joint, channel));
        out.u8(moves.iter().enumerate().map(|(bit, moves)| u8::from(*moves) << bit).sum());
        ledger.clip(Section::Tables, 8);
        for (channel, moves) in Channel::ALL.into_iter().zip(moves) {
            let (samples, section) = match moves {
                true => (clip.samples(), Section::Animated),
                false => (1, Section::Constant),
            };
            for sample in 0..samples {
                numbers(clip, sample, joint, channel).for_each(|number| out.f32(number));
            }
            ledger.track(joint, channel, section, 32 * (ExactTracks::width(channel) * samples) as u64);
        }
    }
}

/// Every sample of what moves is a key.
pub fn kept<'a>(clip: &'a Clip, joints: &'a [usize]) -> impl Iterator<Item = KeptKeys> + 'a {
    let tracks = joints.iter().flat_map(|joint| Channel::ALL.map(|channel| (*joint, channel)));
    tracks.filter(|(joint, channel)| moves(clip, *joint, *channel)).map(|(joint, channel)| KeptKeys {
        joint: joint as u16,
        channel,
        samples: (0..clip.samples() as u32).collect(),
        inserted: Vec::new(),
    })
}

/// To the bit: a zero with another sign is another number.
fn moves(clip: &Clip, joint: usize, channel: Channel) -> bool {
    let bits = |sample| numbers(clip, sample, joint, channel).map(f32::to_bits);
    (1..clip.samples()).any(|sample| !bits(sample).eq(bits(0)))
}

fn numbers(clip: &Clip, sample: usize, joint: usize, channel: Channel) -> impl Iterator<Item = f32> {
    let local = clip.at(sample, joint);
    let [x, y, z, w] = match channel {
        Channel::Rotation => local.rotation.to_array(),
        Channel::Translation => local.translation.extend(0.0).to_array(),
        Channel::Scale => local.scale.extend(0.0).to_array(),
    };
    [x, y, z, w].into_iter().take(ExactTracks::width(channel))
}
