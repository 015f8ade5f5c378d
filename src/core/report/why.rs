//! The causes of a joint's error at a moment: its limit, the worst point of its shell, the joints that cause it, and the stored data.
//! Errors are measured on the decoded clip.

use crate::metrics::{ErrorReport, ModelTrack, shell_error_m};
use crate::model::{Channel, Skeleton};
use crate::pipeline::{MeasuredClip, Outcome};
use crate::report::WorstRow;
use crate::text;
use glam::Affine3A;
use serde::Serialize;
use std::fmt;

/// The stored data of one channel of a joint near a moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub struct StoredAround {
    /// Name of the channel.
    pub channel: &'static str,
    /// Bits per component of the segment. Only for codecs that choose bit rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Times of the keys before and after the moment, seconds. Both are equal on a key. Only for codecs that keep keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys_secs: Option<[f32; 2]>,
}

/// A joint whose exact transform would leave the least error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AncestorShare {
    /// Name of the joint.
    pub joint: String,
    /// The error that would remain, millimetres.
    pub left_mm: f64,
}

/// The causes of a joint's error at a moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The joint and the time.
    #[serde(flatten)]
    pub at: WorstRow,
    /// The point of the shell with the largest error: `x`, `y` or `z`, the joint's axis on which it lies.
    pub point: char,
    /// Distance of that point from the joint, millimetres.
    pub shell_mm: f64,
    /// Its error, millimetres.
    pub error_mm: f64,
    /// Its limit, with the overrides of that joint and moment, millimetres.
    pub limit_mm: f64,
    /// The error that would remain if the joint's own transform were exact. It comes from the ancestors. Millimetres.
    pub inherited_mm: f64,
    /// The ancestor whose exact transform would leave the least error. `None` if no exact ancestor would reduce the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ancestor: Option<AncestorShare>,
    /// The stored data per channel. Empty for codecs with one format for all samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<StoredAround>,
}

impl Why {
    /// Finds the causes at one step of a decoded clip. `None` if the joint or step does not exist.
    pub fn find(measured: &MeasuredClip, outcome: &Outcome, joint: usize, step: usize) -> Option<Self> {
        let (skeleton, raw, lossy) = (&measured.rig.skeleton, &*measured.raw, &*outcome.decoded);
        let shell_m = *outcome.shells_m.get(joint)?;
        if step >= raw.steps() {
            return None;
        }
        let chain = Chain::of(skeleton, raw, lossy, joint, step);
        let mut above: Vec<(usize, f32)> =
            chain.joints.iter().filter(|above| **above != joint).map(|j| (*j, chain.left_m(*j, shell_m))).collect();
        above.sort_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let (error_m, point) = chain.error_m(shell_m);
        let ancestor = above.first().filter(|(_, left_m)| *left_m < error_m);
        Some(Self {
            at: WorstRow { joint: skeleton.name(joint).into(), time_secs: raw.time_secs(step) },
            point,
            shell_mm: text::millimetres(shell_m),
            error_mm: text::millimetres(error_m),
            limit_mm: text::millimetres(limit_m(&outcome.report, joint, step)),
            inherited_mm: text::millimetres(chain.left_m(joint, shell_m)),
            ancestor: ancestor.map(|(joint, left_m)| AncestorShare {
                joint: skeleton.name(*joint).into(),
                left_mm: text::millimetres(*left_m),
            }),
            stored: stored_around(measured, outcome, joint, step),
        })
    }
}

/// The tolerance at that joint and step, after overrides.
fn limit_m(report: &ErrorReport, joint: usize, step: usize) -> f32 {
    let weight = report.weighed.as_ref().map_or(1.0, |w| w.weights.at_steps(report.sub_frames.max(1)).at(step, joint));
    report.tolerance_m / weight
}

/// A joint and its ancestors at one moment.
struct Chain {
    /// From the root down to the joint.
    joints: Vec<usize>,
    raw: Vec<Affine3A>,
    lossy: Vec<Affine3A>,
}

impl Chain {
    fn of(skeleton: &Skeleton, raw: &ModelTrack, lossy: &ModelTrack, joint: usize, step: usize) -> Self {
        let mut joints: Vec<usize> = std::iter::once(joint).chain(skeleton.ancestors(joint)).collect();
        joints.reverse();
        let locals = |track: &ModelTrack| joints.iter().map(|j| track.local(step, *j).to_affine()).collect();
        let (raw, lossy) = (locals(raw), locals(lossy));
        Self { joints, raw, lossy }
    }

    /// `model_from_joint` with the raw local transform of one joint, or with all as decoded.
    fn model(&self, exact: Option<usize>) -> Affine3A {
        let local = |at: usize| if exact == Some(self.joints[at]) { self.raw[at] } else { self.lossy[at] };
        (0..self.joints.len()).fold(Affine3A::IDENTITY, |above, at| above * local(at))
    }

    fn true_model(&self) -> Affine3A {
        self.raw.iter().fold(Affine3A::IDENTITY, |above, local| above * *local)
    }

    /// The shell error that remains if one joint is exact, metres.
    fn left_m(&self, exact: usize, shell_m: f32) -> f32 {
        shell_error_m(&self.true_model(), &self.model(Some(exact)), shell_m)
    }

    /// The shell error, metres, and the axis of the point that has it.
    fn error_m(&self, shell_m: f32) -> (f32, char) {
        let (a, b) = (self.true_model(), self.model(None));
        let off = |axis: fn(&Affine3A) -> glam::Vec3A| {
            (a.translation - b.translation + (axis(&a) - axis(&b)) * shell_m).length()
        };
        let points =
            [(off(|m| m.matrix3.x_axis), 'x'), (off(|m| m.matrix3.y_axis), 'y'), (off(|m| m.matrix3.z_axis), 'z')];
        let furthest = points.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        (shell_error_m(&a, &b, shell_m), furthest.map_or('x', |(_, axis)| axis))
    }
}

/// Bits and keys of a joint's channels around a step.
fn stored_around(measured: &MeasuredClip, outcome: &Outcome, joint: usize, step: usize) -> Vec<StoredAround> {
    let (raw, rates) = (&measured.raw, outcome.encoding().map_or(&[][..], |made| made.encoded.ledger.rates()));
    let sample = (step / raw.sub_frames()) as u32;
    let of = |channel: Channel| {
        let own = rates.iter().filter(|rate| usize::from(rate.joint) == joint && rate.channel == channel);
        let bits = own.filter(|rate| rate.first_sample <= sample).map(|rate| rate.bits).next_back();
        let keys = outcome.kept(channel, joint).map(|kept| &kept.samples[..]).filter(|keys| !keys.is_empty());
        let keys_secs = keys.map(|keys| {
            let after = keys.partition_point(|key| (*key as usize) * raw.sub_frames() < step).min(keys.len() - 1);
            let is_on = keys[after] as usize * raw.sub_frames() == step;
            let before = if is_on { after } else { after.saturating_sub(1) };
            [before, after].map(|key| raw.grid().time_secs(f64::from(keys[key])))
        });
        (bits.is_some() || keys_secs.is_some()).then(|| StoredAround { channel: channel.name(), bits, keys_secs })
    };
    Channel::ALL.into_iter().filter_map(of).collect()
}

/// The causes in words.
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |mm: f64| text::length((mm / 1000.0) as f32);
        let point = self.point.to_ascii_uppercase();
        write!(
            f,
            "{} at {:.3} s: the {point} point of its {} shell has an error of {} (limit {}).",
            self.at.joint,
            self.at.time_secs,
            length(self.shell_mm),
            length(self.error_mm),
            length(self.limit_mm)
        )?;
        write!(f, " An exact {} would leave {}", self.at.joint, length(self.inherited_mm))?;
        match &self.ancestor {
            Some(AncestorShare { joint, left_mm }) => {
                write!(f, "; an exact {joint} would leave {}.", length(*left_mm))?
            }
            None => write!(f, ".")?,
        }
        for StoredAround { channel, bits, keys_secs } in &self.stored {
            write!(f, " Its {channel}:")?;
            if let Some(bits) = bits {
                write!(f, " {bits} bits per component here")?;
            }
            match keys_secs {
                Some([before, after]) if before == after => write!(f, " a key at {before:.3} s")?,
                Some([before, after]) => write!(f, " keys at {before:.3} s and {after:.3} s")?,
                None => {}
            }
            write!(f, ".")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::Progress;
    use crate::math::Transform;
    use crate::metrics::Complaint;
    use crate::model::{Clip, ClipData, Joint, Rig};
    use crate::pipeline::compress;
    use crate::recipe::Recipe;
    use crate::report::worst_moment;
    use glam::{Quat, Vec3};
    use std::sync::Arc;

    /// Three joints in a row, 0.5 m apart, that swing at different speeds.
    fn outcome(codec: &str) -> (MeasuredClip, Outcome) {
        let bind = Transform::from_translation(Vec3::Y * 0.5);
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind };
        let skeleton = Skeleton::new(vec![joint("hip", None), joint("knee", Some(0)), joint("foot", Some(1))]).unwrap();
        let at = |sample: usize, speed: f32| {
            let angle = (sample as f32 * 0.2 * speed).sin() * 0.6;
            Transform { rotation: Quat::from_rotation_x(angle) * Quat::from_rotation_z(angle * 0.3), ..bind }
        };
        let transforms = (0..61).flat_map(|sample| [1.0, 1.7, 0.6].map(|speed| at(sample, speed))).collect();
        let clip = Clip::new(ClipData {
            name: "swing".into(),
            joints: 3,
            duration_secs: 2.0,
            transforms,
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: Some(false),
        });
        let rig = Arc::new(Rig::from_skeleton("chain", skeleton));
        let recipe = Recipe::from_toml(&format!("codec = \"{codec}\"\ntolerance_m = 0.002\n")).unwrap();
        let measured = MeasuredClip::new(rig, Arc::new(clip.unwrap()), &recipe);
        let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
        (measured, outcome)
    }

    #[test]
    fn errors_and_shares_are_those_of_the_measures() {
        for codec in ["variable-rate", "linear-keys"] {
            let (measured, outcome) = outcome(codec);
            let (joint, step) = worst_moment(&outcome.report).unwrap().moment().unwrap();
            let why = Why::find(&measured, &outcome, joint, step).unwrap();
            let error_mm = f64::from(outcome.report.shell.step(step)[joint]) * 1000.0;
            assert!((why.error_mm - error_mm).abs() < 1e-3, "{codec}: {why:?}");
            assert!((why.limit_mm - 2.0).abs() < 1e-6 && (why.shell_mm - 30.0).abs() < 1e-3, "{why:?}");
            let plan = &outcome.report.slide.plan;
            let complaint = Complaint::Moment { joint, step };
            let (rig, raw) = (&measured.rig, &measured.raw);
            let blame = crate::metrics::Blame::find(
                rig,
                &measured.clip,
                plan,
                raw,
                &outcome.decoded,
                &outcome.shells_m,
                complaint,
            );
            let left_mm = |wanted: &str| {
                let gains = &blame.as_ref().unwrap().gains;
                let gain = gains.iter().find(|gain| rig.skeleton.name(gain.joint) == wanted).unwrap();
                f64::from(gain.left_m) * 1000.0
            };
            assert!((why.inherited_mm - left_mm(rig.skeleton.name(joint))).abs() < 1e-3, "{codec}: {why:?}");
            if let Some(ancestor) = &why.ancestor {
                assert!((ancestor.left_mm - left_mm(&ancestor.joint)).abs() < 1e-3, "{codec}: {why:?}");
            }
        }
    }

    #[test]
    fn what_is_stored_is_that_of_the_moment_and_the_words_say_it() {
        let (measured, with_keys) = outcome("linear-keys");
        let kept = &with_keys.kept(Channel::Rotation, 1).unwrap().samples;
        let gap = kept.windows(2).find(|pair| pair[1] > pair[0] + 1).unwrap();
        let sub_frames = measured.raw.sub_frames();
        let between = Why::find(&measured, &with_keys, 1, (gap[0] as usize + 1) * sub_frames).unwrap();
        let secs = |key: u32| measured.raw.grid().time_secs(f64::from(key));
        let rotation = |why: &Why| why.stored.iter().find(|s| s.channel == Channel::Rotation.name()).unwrap().clone();
        assert_eq!(rotation(&between).keys_secs, Some([secs(gap[0]), secs(gap[1])]));
        let on = Why::find(&measured, &with_keys, 1, gap[0] as usize * sub_frames).unwrap();
        assert_eq!(rotation(&on).keys_secs, Some([secs(gap[0]); 2]));
        let (measured, with_rates) = outcome("variable-rate");
        let why = Why::find(&measured, &with_rates, 2, 40 * sub_frames).unwrap();
        let bits = rotation(&why).bits.unwrap();
        let words = why.to_string();
        assert!(words.starts_with("foot at 1.333 s: the ") && words.contains("30.0 mm shell"), "{words}");
        assert!(words.contains(&format!("{bits} bits per component")) && words.contains("(limit 2.0 mm)"), "{words}");
        assert!(
            Why::find(&measured, &with_rates, 3, 0).is_none() && Why::find(&measured, &with_rates, 0, 9999).is_none()
        );
    }
}
