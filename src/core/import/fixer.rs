//! Applies the chosen fixes to a clip. It always starts from the file's samples, so that removing a fix leaves nothing behind.

use super::clip_checks::{CheckedClip, farthest, flip_rad, holds, is_last_doubled, is_uneven};
use super::feet::{self, FeetChange};
use super::{ChosenFixes, Finding, Fix, checks};
use crate::metrics::FootContacts;
use crate::model::{Clip, ClipError, ModelPose, Rig};
use crate::text;
use glam::Vec3;
use posepress_runtime::internal::{Channel, Hold};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// A foot that misses its place by more than this is reported.
const LEAST_MISSED_M: f32 = 5e-4;

/// Fixes the clips of one file.
#[derive(Debug, Clone, Copy)]
pub struct Fixer<'a> {
    rig: &'a Rig,
    /// Longest side of the character, metres.
    size_m: f32,
}

/// A clip with fixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fixed {
    /// The clip.
    pub clip: Clip,
    /// The effect of fixes that change more than the spots that were found.
    pub findings: Vec<Finding>,
}

impl From<Clip> for Fixed {
    fn from(clip: Clip) -> Self {
        Self { clip, findings: Vec::new() }
    }
}

impl<'a> Fixer<'a> {
    /// A fixer for the unfixed clips of a rig.
    pub fn new<C: Borrow<Clip>>(rig: &'a Rig, clips: &[C]) -> Self {
        Self { rig, size_m: checks::size_m(rig, clips) }
    }

    /// Returns the clip with these fixes.
    ///
    /// # Errors
    /// [`ClipError`] if numbers overflow.
    pub fn fixed(&self, clip: &Clip, chosen: &ChosenFixes) -> Result<Fixed, ClipError> {
        let mut fixes = Fix::ALL.into_iter().filter(|fix| chosen.fixes.contains(fix));
        fixes.try_fold(Fixed::from(clip.clone()), |Fixed { clip, mut findings }, fix| {
            let fixed = self.apply(&clip, fix, &chosen.drawn)?;
            findings.extend(fixed.findings);
            Ok(Fixed { clip: fixed.clip, findings })
        })
    }

    /// Makes the feet of a clip stand still, and says what that changed.
    fn with_standing_feet(&self, clip: &Clip, drawn: &[FootContacts]) -> Result<Fixed, ClipError> {
        let standing = feet::standing(self.rig, clip, drawn)?;
        Ok(match standing {
            Some((fixed, change)) => Fixed { clip: fixed, findings: vec![self.said(clip, change)] },
            None => Fixed::from(clip.clone()),
        })
    }

    /// The effect of [`Fix::Feet`] on a clip.
    fn said(&self, clip: &Clip, change: FeetChange) -> Finding {
        let FeetChange { contacts, left, slide_m, joint, foot_m, hips_m, missed_m } = change;
        let name = self.rig.skeleton.name(joint);
        let what = format!(
            "{} held that slid in the file, {name} by {}",
            text::count(contacts, "contact"),
            text::length(slide_m)
        );
        let mut meaning =
            format!("Feet move by up to {}, hips by up to {}.", text::length(foot_m), text::length(hips_m));
        if missed_m > LEAST_MISSED_M {
            meaning += &format!(" A leg does not reach: up to {} of that way stay.", text::length(missed_m));
        }
        if left > 0 {
            meaning += &format!(" {} slide too far to be held.", text::count(left, "contact"));
        }
        Finding::note(clip.name(), what, meaning).fixed_by(Fix::Feet)
    }

    fn apply(&self, clip: &Clip, fix: Fix, drawn: &[FootContacts]) -> Result<Fixed, ClipError> {
        let checked = CheckedClip { rig: self.rig, clip, size_m: self.size_m };
        let fixed = match fix {
            Fix::Flips => smooth_flips(clip),
            Fix::HalfTurns => {
                held_before(clip, checked.half_turns().map(|spot| (spot.joint, spot.sample)), Channel::Rotation)
            }
            Fix::Jumps => {
                held_before(clip, checked.jumps().map(|spot| (spot.joint, spot.sample)), Channel::Translation)
            }
            Fix::Origin => to_origin(&checked),
            Fix::Holds => trimmed(clip),
            Fix::DoubledLast if is_last_doubled(clip) => without_last(clip),
            Fix::DoubledLast => Ok(clip.clone()),
            Fix::UnevenScale => clip.edited(|data| {
                let uneven = data.transforms.iter_mut().filter(|local| is_uneven(**local));
                uneven.for_each(|local| local.scale = Vec3::splat(local.scale.element_sum() / 3.0));
            }),
            Fix::Feet => return self.with_standing_feet(clip, drawn),
        };
        fixed.map(Fixed::from)
    }
}

/// Smooths flips one by one, so that a sample between two flips is not treated as one.
fn smooth_flips(clip: &Clip) -> Result<Clip, ClipError> {
    clip.edited(|data| {
        for at in data.joints..data.transforms.len() - data.joints {
            let [before, now, after] = [at - data.joints, at, at + data.joints].map(|at| data.transforms[at].rotation);
            if flip_rad(before, now, after).is_some() {
                data.transforms[at].rotation = before.slerp(after, 0.5);
            }
        }
    })
}

/// Steps the intervals before these samples of these joints.
fn held_before(clip: &Clip, spots: impl Iterator<Item = (usize, usize)>, channel: Channel) -> Result<Clip, ClipError> {
    let hold = |(joint, sample): (usize, usize)| Hold { sample: sample as u32 - 1, joint: joint as u16, channel };
    clip.edited(|data| data.holds.extend(spots.map(hold)))
}

/// Moves the most distant joint above the origin at the first sample, with its motion unchanged.
fn to_origin(checked: &CheckedClip<'_>) -> Result<Clip, ClipError> {
    let CheckedClip { rig, clip, size_m } = checked;
    let Some((spot, _)) = farthest(checked) else { return Ok(Clip::clone(clip)) };
    let model = ModelPose::new(&rig.skeleton, clip.pose(0));
    let place = model.origin(spot.joint);
    // The height is kept, unless the height itself is too large.
    let height = if place.y.abs() > 2.0 * size_m { rig.skeleton.bind(spot.joint).translation.y } else { place.y };
    let away = Vec3::new(place.x, place.y - height, place.z);
    let above = rig.skeleton.parent(spot.joint).map_or(glam::Affine3A::IDENTITY, |parent| model.joints[parent]);
    let away = above.inverse().transform_vector3(away);
    clip.edited(|data| {
        let track = data.transforms.iter_mut().skip(spot.joint).step_by(data.joints);
        track.for_each(|local| local.translation -= away);
    })
}

/// Trims to the motion, from the last still sample before it to the first after it.
fn trimmed(clip: &Clip) -> Result<Clip, ClipError> {
    let [before, after] = holds(clip);
    let (grid, samples) = (clip.grid(), clip.samples() - before - after);
    let cut = |all: usize| before * all..(before + samples) * all;
    let trimmed = clip.edited(|data| {
        data.transforms = data.transforms[cut(data.joints)].to_vec();
        data.floats = data.floats[cut(data.float_tracks)].to_vec();
        data.duration_secs = grid.time_secs((samples - 1) as f64);
        data.holds.retain(|hold| hold.sample as usize >= before);
        data.holds.iter_mut().for_each(|hold| hold.sample -= before as u32);
    })?;
    let mut keys = clip.keys().to_vec();
    for track in &mut keys {
        track.samples.retain(|&sample| sample as usize >= before);
        track.samples.iter_mut().for_each(|sample| *sample -= before as u32);
    }
    Ok(trimmed.with_keys(keys))
}

fn without_last(clip: &Clip) -> Result<Clip, ClipError> {
    let grid = clip.grid();
    clip.edited(|data| {
        data.transforms.truncate(data.transforms.len() - data.joints);
        data.floats.truncate(data.floats.len() - data.float_tracks);
        data.duration_secs = grid.time_secs((grid.samples() - 2) as f64);
    })
}

#[cfg(test)]
mod tests {
    use super::super::clip_checks::examine;
    use super::super::clip_checks::tests::{rig, walk};
    use super::*;
    use crate::math::Transform;
    use crate::model::ModelPose;
    use glam::Quat;

    /// A clip with an error, the clip after the first proposed fix, and that fix.
    fn fixed(spoil: impl Fn(usize, &mut [Transform])) -> (Clip, Clip, Fix) {
        let (rig, clip) = (rig(), walk(spoil));
        let find = |clip: &Clip| {
            let mut findings = Vec::new();
            examine(&rig, std::slice::from_ref(clip), checks::size_m(&rig, &[clip]), &mut findings);
            findings.into_iter().find_map(|finding| finding.fix)
        };
        let fix = find(&clip).expect("the fault is found");
        let fixer = Fixer::new(&rig, &[&clip]);
        let after = fixer.fixed(&clip, &only(fix)).unwrap().clip;
        assert_eq!(find(&after), None, "{fix:?} leaves nothing to fix");
        assert_eq!(fixer.fixed(&clip, &ChosenFixes::default()).unwrap(), Fixed::from(clip.clone()));
        (clip, after, fix)
    }

    fn only(fix: Fix) -> ChosenFixes {
        ChosenFixes::new([fix].into(), &[])
    }

    #[test]
    fn a_flip_takes_the_middle_of_its_neighbours_and_nothing_else_changes() {
        let flip = |at: usize, pose: &mut [Transform]| {
            if at == 10 || at == 12 {
                pose[1].rotation *= Quat::from_rotation_x(1.5);
            }
        };
        let (clip, after, fix) = fixed(flip);
        assert_eq!(fix, Fix::Flips);
        for sample in 0..clip.samples() {
            let expected = walk(|_, _| {}).at(sample, 1).rotation;
            assert!(after.at(sample, 1).rotation.dot(expected).abs() > 1.0 - 1e-6, "sample {sample}");
            if sample != 10 && sample != 12 {
                assert_eq!(clip.pose(sample), after.pose(sample));
            }
        }
    }

    #[test]
    fn turns_and_jumps_are_stepped() {
        let turn = |at: usize, pose: &mut [Transform]| {
            if at >= 12 {
                pose[1].rotation *= Quat::from_rotation_x(std::f32::consts::PI);
            }
        };
        let (_, after, fix) = fixed(turn);
        assert_eq!(fix, Fix::HalfTurns);
        assert_eq!(after.holds(), [Hold { sample: 11, joint: 1, channel: Channel::Rotation }]);
        let (clip, after, fix) = fixed(|at, pose| pose[0].translation.x += if at < 20 { 0.0 } else { 8.0 });
        assert_eq!(fix, Fix::Jumps);
        assert_eq!(after.holds(), [Hold { sample: 19, joint: 0, channel: Channel::Translation }]);
        assert!((0..clip.samples()).all(|sample| clip.pose(sample) == after.pose(sample)));
    }

    #[test]
    fn a_clip_far_away_begins_over_the_origin_as_high_as_it_was() {
        let (clip, after, fix) = fixed(|_, pose| pose[0].translation += Vec3::new(2000.0, 0.0, -300.0));
        assert_eq!(fix, Fix::Origin);
        let at = |clip: &Clip, sample: usize| ModelPose::new(&rig().skeleton, clip.pose(sample)).origin(1);
        let moved = at(&clip, 0) - at(&after, 0);
        assert!(moved.distance(Vec3::new(2000.0, 0.0, -300.0)) < 1e-3, "{moved}");
        for sample in 0..clip.samples() {
            let off = (at(&clip, sample) - at(&after, sample)).distance(moved);
            assert!(off < 1e-3, "sample {sample}: {off}");
        }
    }

    #[test]
    fn a_doubled_last_sample_goes_with_its_time_and_uneven_scales_become_even() {
        let double = |at: usize, pose: &mut [Transform]| {
            if at == 29 {
                pose[0].translation.z = 0.03 * 28.0;
                pose[1].rotation = Quat::from_rotation_y(0.05 * 28.0);
            }
        };
        let (clip, after, fix) = fixed(double);
        assert_eq!(fix, Fix::DoubledLast);
        assert_eq!(after.samples(), clip.samples() - 1);
        assert!((after.grid().rate_hz() - clip.grid().rate_hz()).abs() < 1e-3);
        let (_, after, fix) = fixed(|_, pose| pose[1].scale = Vec3::new(1.0, 1.2, 1.4));
        assert_eq!(fix, Fix::UnevenScale);
        assert!(after.track(1).all(|local| local.scale.distance(Vec3::splat(1.2)) < 1e-6));
    }

    #[test]
    fn holds_before_and_after_the_motion_go_and_the_motion_stays() {
        let (from, to) = (16, 20);
        let rest = |at: usize, pose: &mut [Transform]| {
            let moved = (at.clamp(from, to) - from) as f32;
            pose[0].translation.z = 0.03 * moved;
            pose[1].rotation = Quat::from_rotation_y(0.05 * moved);
        };
        let (clip, after, fix) = fixed(rest);
        assert_eq!((fix, after.samples()), (Fix::Holds, to - from + 1));
        assert!((after.grid().rate_hz() - clip.grid().rate_hz()).abs() < 1e-3);
        assert!((0..after.samples()).all(|sample| after.pose(sample) == clip.pose(from + sample)));
        let stepped = clip.edited(|data| {
            data.holds = [10, 18].map(|sample| Hold { sample, joint: 0, channel: Channel::Translation }).to_vec();
        });
        let stepped = Fixer::new(&rig(), &[&clip]).fixed(&stepped.unwrap(), &only(Fix::Holds)).unwrap().clip;
        assert_eq!(stepped.holds(), [Hold { sample: 2, joint: 0, channel: Channel::Translation }]);
    }

    #[test]
    fn every_fix_takes_the_shortest_clips() {
        let (rig, walk) = (rig(), walk(|_, _| {}));
        for samples in 1..4 {
            let short = walk.edited(|data| {
                data.transforms.truncate(samples * data.joints);
                data.floats.truncate(samples * data.float_tracks);
                data.duration_secs = (samples - 1) as f32 / 30.0;
            });
            let short = short.unwrap();
            let fixer = Fixer::new(&rig, &[&short]);
            for fix in Fix::ALL {
                let after = fixer.fixed(&short, &only(fix)).unwrap().clip;
                assert_eq!(after, short, "{fix:?} finds nothing to fix in {samples} samples");
            }
        }
    }
}
