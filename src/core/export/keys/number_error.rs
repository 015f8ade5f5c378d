use super::fit::{KeyStyle, base_at, put_values, styles, values_of};
use super::numbers::Numbers;
use crate::export::ExportClip;
use crate::metrics::shell_error_m;
use crate::model::{Channel, ModelPose, Rig};
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Part of an error from which on number formats explain it.
const EXPLAINED_PART: f32 = 0.5;

/// The error of a joint from the number format alone, for any keys. Its own transform is rounded, its parent is exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumberError {
    /// The largest error, metres.
    pub error_m: f32,
    /// The channel with the largest error.
    channel: Channel,
    numbers: Numbers,
    /// Distance of the joint from its parent at that sample, metres.
    length_m: f32,
}

impl NumberError {
    /// Returns the number error of one joint.
    pub(in crate::export) fn of(rig: &Rig, clip: &ExportClip<'_>, joint: usize, style: KeyStyle) -> Option<Self> {
        let source = clip.source;
        let value = |sample: usize, channel: Channel| {
            let base = source.base().map(|base| base.pose(sample)[joint]);
            values_of(source.at(sample, joint), base)[channel as usize]
        };
        let styles = styles(style, source);
        let mut worst: Option<Self> = None;
        let mut model = ModelPose::default();
        for sample in 0..source.samples() {
            model.update(&rig.skeleton, source.pose(sample));
            let above = rig.skeleton.parent(joint).map(|parent| model.joints[parent]);
            let base = base_at(source, sample as f64).map(|base| base[joint]);
            for channel in Channel::ALL {
                let numbers = styles[channel as usize].numbers();
                let read = Channel::ALL.map(|of| {
                    let exact = value(sample, of);
                    if of == channel { numbers.at_worst(exact) } else { exact }
                });
                let local = put_values(read, base).to_affine();
                let played = above.map_or(local, |above| above * local);
                let error_m = shell_error_m(&model.joints[joint], &played, clip.shells_m[joint]);
                if worst.is_none_or(|worst| error_m > worst.error_m) {
                    let length_m = value(sample, Channel::Translation).truncate().length();
                    worst = Some(Self { error_m, channel, numbers, length_m });
                }
            }
        }
        worst
    }

    /// The error of a joint from scales in float16: its own and those of its ancestors.
    #[cfg(feature = "usd")]
    pub(in crate::export) fn of_half_scales(rig: &Rig, clip: &ExportClip<'_>, joint: usize) -> Option<Self> {
        let half = |local: &crate::math::Transform| crate::math::Transform {
            scale: Numbers::Halves.read(local.scale.extend(0.0)).truncate(),
            ..*local
        };
        let (mut exact, mut rounded) = (ModelPose::default(), ModelPose::default());
        let errors = (0..clip.source.samples()).map(|sample| {
            let pose = clip.source.pose(sample);
            exact.update(&rig.skeleton, pose);
            rounded.update(&rig.skeleton, &pose.iter().map(half).collect::<Vec<_>>());
            let error_m = shell_error_m(&exact.joints[joint], &rounded.joints[joint], clip.shells_m[joint]);
            let length_m = pose[joint].translation.length();
            Self { error_m, channel: Channel::Scale, numbers: Numbers::Halves, length_m }
        });
        errors.reduce(|worst, error| if error.error_m > worst.error_m { error } else { worst })
    }

    /// True if it makes up most of an error.
    pub(in crate::export) fn explains(&self, error_m: f32) -> bool {
        self.error_m >= EXPLAINED_PART * error_m
    }
}

/// Says what is lost, and what to do.
impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (error, length) = (text::length(self.error_m), text::length(self.length_m));
        match (self.channel, self.numbers) {
            (Channel::Translation, Numbers::Within(range)) => write!(
                f,
                "The format stores translations of this clip in 65,535 steps over {}, which alone adds an error of {error}. Bring \
                 the clip to the origin (--fix origin), or export it as GLB",
                text::length(range.extent.max_element())
            ),
            (Channel::Translation, _) => write!(
                f,
                "float16 stores a translation of {length} with an error of {error}. Bring the clip to the origin (--fix origin), or export it as \
                 GLB"
            ),
            (channel, _) => {
                write!(f, "The format's 16-bit {}s alone add an error of {error}. Export it as GLB", channel.name())
            }
        }
    }
}
