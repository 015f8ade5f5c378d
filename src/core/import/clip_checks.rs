//! Checks of a clip's samples for likely errors. Each finding has its place, its effect in millimetres or bytes, and its fix. The checks
//! change nothing.

use super::{Finding, Fix};
use crate::math::Transform;
use crate::model::{Channel, Clip, Rig};
use crate::text;
use glam::Quat;

/// A clip with the data of the checks.
pub(super) struct CheckedClip<'a> {
    pub(super) rig: &'a Rig,
    pub(super) clip: &'a Clip,
    /// Longest side of the character, metres.
    pub(super) size_m: f32,
}

/// One check of a clip.
type Check = fn(&CheckedClip<'_>) -> Option<Finding>;

/// All checks, the most severe first.
const CHECKS: [Check; 8] =
    [flips, half_turns, teleports, far_from_origin, long_holds, doubled_last_sample, uneven_scale, beyond_half_floats];

/// A rotation between samples that players may interpolate either way.
const HALF_TURN_RAD: f64 = 170.0 * std::f64::consts::PI / 180.0;
/// A rotation beyond this is treated as a flip, not as motion.
const FLIP_RAD: f64 = 60.0 * std::f64::consts::PI / 180.0;
/// Largest rotation between the neighbours of a flip.
const FLIP_BACK_RAD: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// Shortest pause before or after the motion that is reported.
const LONG_HOLD_SECS: f32 = 0.5;
/// Shell for the effect of rotations: the default of the error metric.
const SHELL_M: f32 = 0.03;
/// A step of half a character is a jump ...
const TELEPORT_SIZES: f32 = 0.5;
/// ... if it is that many times the 95th percentile of the clip's steps.
const TELEPORT_TIMES: f32 = 8.0;
/// Default tolerance. Where float32 is coarser, it cannot be held.
const USUAL_TOLERANCE_M: f32 = 1e-4;
/// Difference of scale components beyond rounding.
const UNEVEN_SCALE: f32 = 1e-3;
/// Limit at which slide fails. Larger rounding errors are reported.
const HALF_FLOAT_M: f32 = 0.005;
/// Spacing of float32 numbers from 1 to 2, and of 16-bit floats.
const SPACING_F32: f32 = f32::EPSILON;
const SPACING_F16: f32 = 1.0 / 1024.0;
/// Largest finite 16-bit float.
const MOST_F16: f32 = 65_504.0;

/// Checks every clip.
pub(super) fn examine(rig: &Rig, clips: &[Clip], size_m: f32, findings: &mut Vec<Finding>) {
    for clip in clips.iter().filter(|clip| clip.samples() > 1) {
        let checked = CheckedClip { rig, clip, size_m };
        findings.extend(CHECKS.iter().filter_map(|check| check(&checked)));
    }
}

/// A joint and a sample, with the size of the problem there.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) joint: usize,
    pub(super) sample: usize,
    amount: f64,
}

impl CheckedClip<'_> {
    /// Names joint and time of a spot.
    fn place(&self, spot: Spot) -> String {
        let secs = self.clip.grid().time_secs(spot.sample as f64);
        format!("{} at {secs:.3} s (sample {})", self.rig.skeleton.name(spot.joint), spot.sample)
    }

    /// True if a stepped interval ends at this sample, so that the jump is intended.
    fn jumps_by_intent(&self, joint: usize, sample: usize, channel: Channel) -> bool {
        let is_it = |hold: &crate::model::Hold| {
            usize::from(hold.joint) == joint && hold.sample as usize + 1 == sample && hold.channel == channel
        };
        self.clip.holds().iter().any(is_it)
    }

    /// All joints at all samples but the first, with the values before.
    fn steps(&self) -> impl Iterator<Item = (Spot, Transform, Transform)> + '_ {
        let samples = 1..self.clip.samples();
        samples.flat_map(move |sample| {
            let (before, now) = (self.clip.pose(sample - 1), self.clip.pose(sample));
            let pairs = before.iter().zip(now).enumerate();
            pairs.map(move |(joint, (a, b))| (Spot { joint, sample, amount: 0.0 }, *a, *b))
        })
    }
}

/// The angle between two rotations, radians; exact for small ones.
fn angle_rad(a: Quat, b: Quat) -> f64 {
    let turn = a.as_dquat().conjugate() * b.as_dquat();
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

/// The worst spot and the number of spots.
fn worst(spots: impl Iterator<Item = Spot>) -> Option<(Spot, usize)> {
    spots.fold(None, |worst: Option<(Spot, usize)>, spot| match worst {
        Some((most, count)) if most.amount >= spot.amount => Some((most, count + 1)),
        Some((_, count)) => Some((spot, count + 1)),
        None => Some((spot, 1)),
    })
}

/// Movement of a point at the shell by a rotation, as text.
fn moved(angle_rad: f64) -> String {
    text::length(2.0 * SHELL_M * (angle_rad / 2.0).sin() as f32)
}

/// Angle of a rotation to its neighbours, radians, if these agree.
pub(super) fn flip_rad(before: Quat, now: Quat, after: Quat) -> Option<f64> {
    let away = angle_rad(before, now).min(angle_rad(now, after));
    (away > FLIP_RAD && angle_rad(before, after) < FLIP_BACK_RAD).then_some(away)
}

/// Finds single samples that are rotated away from both neighbours.
fn flips(checked: &CheckedClip<'_>) -> Option<Finding> {
    let clip = checked.clip;
    let spots = checked.steps().filter_map(|(spot, before, now)| {
        let after = (spot.sample + 1 < clip.samples()).then(|| clip.at(spot.sample + 1, spot.joint))?;
        let amount = flip_rad(before.rotation, now.rotation, after.rotation)?;
        (!checked.jumps_by_intent(spot.joint, spot.sample, Channel::Rotation)).then_some(Spot { amount, ..spot })
    });
    let (spot, count) = worst(spots)?;
    let (place, degrees) = (checked.place(spot), spot.amount.to_degrees());
    let what = format!("{}: {place} turns by {degrees:.0}\u{b0} and back", text::count(count, "flip"));
    let meaning = format!(
        "It moves a point {} from the joint by {} for one sample, and makes that track expensive. Key it again in the source, or fix it here.",
        text::length(SHELL_M),
        moved(spot.amount)
    );
    Some(Finding::warning(clip.name(), what, meaning).fixed_by(Fix::Flips))
}

impl CheckedClip<'_> {
    /// Rotations of nearly 180 degrees in one sample without a step.
    pub(super) fn half_turns(&self) -> impl Iterator<Item = Spot> + '_ {
        self.steps().filter_map(|(spot, before, now)| {
            let amount = angle_rad(before.rotation, now.rotation);
            (amount > HALF_TURN_RAD && !self.jumps_by_intent(spot.joint, spot.sample, Channel::Rotation))
                .then_some(Spot { amount, ..spot })
        })
    }

    /// Jumps of joints between two samples without a step.
    pub(super) fn jumps(&self) -> impl Iterator<Item = Spot> + '_ {
        let (clip, least_m) = (self.clip, TELEPORT_SIZES * self.size_m);
        let spots = (0..clip.joints()).flat_map(move |joint| {
            let places: Vec<_> = clip.track(joint).map(|local| local.translation).collect();
            let steps: Vec<f32> = places.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
            let mut sorted = steps.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            let usual_m = sorted.get(sorted.len().saturating_sub(1) * 95 / 100).copied().unwrap_or(0.0);
            let is_jump = move |step_m: f32| least_m > 0.0 && step_m > least_m && step_m > TELEPORT_TIMES * usual_m;
            let steps = steps.into_iter().enumerate().filter(move |(_, step_m)| is_jump(*step_m));
            steps.map(move |(step, step_m)| Spot { joint, sample: step + 1, amount: f64::from(step_m) })
        });
        spots.filter(|spot| !self.jumps_by_intent(spot.joint, spot.sample, Channel::Translation))
    }
}

/// Finds rotations of nearly 180 degrees in one sample.
fn half_turns(checked: &CheckedClip<'_>) -> Option<Finding> {
    let (spot, count) = worst(checked.half_turns())?;
    let turns = text::count(count, "turn");
    let what = format!("{turns} of 180\u{b0} in one sample, as {}", checked.place(spot));
    let meaning = format!(
        "Players may take either way. Halfway, a point {} from the joint then has an error of up to {}. Use a higher sample rate or a stepped key.",
        text::length(SHELL_M),
        text::length(2.0 * SHELL_M)
    );
    Some(Finding::warning(checked.clip.name(), what, meaning).fixed_by(Fix::HalfTurns))
}

/// Finds joints that jump between two samples.
fn teleports(checked: &CheckedClip<'_>) -> Option<Finding> {
    let (spot, count) = worst(checked.jumps())?;
    let what = format!(
        "{}: {} moves by {} in one sample",
        text::count(count, "jump"),
        checked.place(spot),
        text::length(spot.amount as f32)
    );
    let meaning = "Players blend between the two samples, and feet slide. Cut the clip there, or step the key.";
    Some(Finding::warning(checked.clip.name(), what, meaning).fixed_by(Fix::Jumps))
}

/// The fix that moves a distant joint to the origin, if it carries the character.
fn far_fix(checked: &CheckedClip<'_>, spot: Spot) -> Option<Fix> {
    let skeleton = &checked.rig.skeleton;
    let is_still = |joint: usize| checked.clip.track(joint).all(|local| local == checked.clip.at(0, joint));
    let is_top = |above: usize| skeleton.parent(above).is_none() && is_still(above);
    skeleton.parent(spot.joint).is_none_or(is_top).then_some(Fix::Origin)
}

/// Finds joints so far from the origin that float32 cannot hold the default tolerance.
fn far_from_origin(checked: &CheckedClip<'_>) -> Option<Finding> {
    let (spot, _) = farthest(checked)?;
    let spacing_m = spot.amount as f32 * SPACING_F32;
    (spacing_m > USUAL_TOLERANCE_M).then(|| {
        let what = format!("{} is {} from its parent's origin", checked.place(spot), text::length(spot.amount as f32));
        let meaning = format!(
            "32-bit floats are {} apart there, so that a tolerance of {} cannot be held. Move the clip to the origin, or set the unit of the file.",
            text::length(spacing_m),
            text::length(USUAL_TOLERANCE_M)
        );
        Finding { fix: far_fix(checked, spot), ..Finding::warning(checked.clip.name(), what, meaning) }
    })
}

/// Finds translations that 16-bit floats cannot store.
fn beyond_half_floats(checked: &CheckedClip<'_>) -> Option<Finding> {
    let (spot, _) = farthest(checked)?;
    let far_m = spot.amount as f32;
    let off_m = far_m * SPACING_F16 / 2.0;
    (off_m > HALF_FLOAT_M).then(|| {
        let what = format!("{} is {} from its parent's origin", checked.place(spot), text::length(far_m));
        let meaning = match far_m > MOST_F16 {
            true => "16-bit floats, as in ozz archives, cannot store that: an ozz export is wrong there.".to_owned(),
            false => format!(
                "With 16-bit floats, as in ozz archives, the error is up to {}. Other exports keep it.",
                text::length(off_m)
            ),
        };
        Finding { fix: far_fix(checked, spot), ..Finding::note(checked.clip.name(), what, meaning) }
    })
}

/// The local translation with the largest number.
pub(super) fn farthest(checked: &CheckedClip<'_>) -> Option<(Spot, usize)> {
    let clip = checked.clip;
    let spots = (0..clip.joints()).flat_map(|joint| {
        let far = move |local: Transform| f64::from(local.translation.abs().max_element());
        clip.track(joint).enumerate().map(move |(sample, local)| Spot { joint, sample, amount: far(local) })
    });
    worst(spots)
}

/// Number of still samples before and after the motion; 0 for a clip that never moves.
pub(super) fn holds(clip: &Clip) -> [usize; 2] {
    let last = clip.samples() - 1;
    let same = |a: usize, b: usize| clip.pose(a) == clip.pose(b) && clip.floats(a) == clip.floats(b);
    let before = (1..=last).take_while(|&sample| same(sample, 0)).count();
    if before == last {
        return [0, 0];
    }
    [before, (0..last).rev().take_while(|&sample| same(sample, last)).count()]
}

/// Finds pauses before and after the motion.
fn long_holds(checked: &CheckedClip<'_>) -> Option<Finding> {
    let clip = checked.clip;
    let secs = |samples: usize| clip.grid().time_secs(samples as f64);
    let [before, after] = holds(clip);
    let said = [(before, "before its motion"), (after, "after it")];
    let said: Vec<String> = said
        .into_iter()
        .filter(|(samples, _)| secs(*samples) >= LONG_HOLD_SECS)
        .map(|(samples, place)| format!("{} {place}", text::duration(secs(samples))))
        .collect();
    (!said.is_empty()).then(|| {
        let what = format!("it stands still for {}", said.join(" and "));
        let bytes = (before + after) * (clip.raw_bytes() / clip.samples());
        let meaning = format!("That is {} of raw data. Keep it if the pause is intended.", text::bytes(bytes as u64));
        Finding::note(clip.name(), what, meaning).fixed_by(Fix::Holds)
    })
}

/// True if the motion ends with two equal samples. A clip that comes to rest has more.
pub(super) fn is_last_doubled(clip: &Clip) -> bool {
    let last = clip.samples() - 1;
    let same = |a: usize, b: usize| clip.pose(a) == clip.pose(b) && clip.floats(a) == clip.floats(b);
    last >= 3 && same(last - 1, last) && !same(last - 2, last - 1)
}

/// Finds two equal last samples, at which a loop stops.
fn doubled_last_sample(checked: &CheckedClip<'_>) -> Option<Finding> {
    let clip = checked.clip;
    let last = clip.samples() - 1;
    is_last_doubled(clip).then(|| {
        let bytes = clip.raw_bytes() / clip.samples();
        let what = format!("its last two samples, {} and {last}, are the same", last - 1);
        let meaning = format!(
            "The motion, and each loop, stops for {} there. The sample is {} of raw data. Export without the last frame.",
            text::work((1.0 / clip.grid().rate_hz()) as f32),
            text::bytes(bytes as u64)
        );
        Finding::note(clip.name(), what, meaning).fixed_by(Fix::DoubledLast)
    })
}

/// True if a scale differs between the axes.
pub(super) fn is_uneven(local: Transform) -> bool {
    local.scale.max_element() - local.scale.min_element() > UNEVEN_SCALE
}

/// Finds joints whose scale differs between the axes.
fn uneven_scale(checked: &CheckedClip<'_>) -> Option<Finding> {
    let clip = checked.clip;
    let joints: Vec<usize> = (0..clip.joints()).filter(|&joint| clip.track(joint).any(is_uneven)).collect();
    let names: Vec<&str> = joints.iter().map(|&joint| checked.rig.skeleton.name(joint)).collect();
    (!names.is_empty()).then(|| {
        let what = format!("{} scaled unevenly: {}", text::count(names.len(), "joint"), text::listed(&names));
        let moves = |joint: usize| clip.track(joint).any(|local| local.scale != clip.at(0, joint).scale);
        let moving = joints.iter().filter(|&&joint| moves(joint)).count();
        let bytes = moving * clip.samples() * size_of::<glam::Vec3>();
        let meaning = format!(
            "Rotated children of such a joint are sheared, which engines show differently. The animated scales are {} of raw data.",
            text::bytes(bytes as u64)
        );
        Finding::note(clip.name(), what, meaning).fixed_by(Fix::UnevenScale)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{ClipData, Joint, Skeleton};
    use glam::Vec3;

    const SAMPLES: usize = 30;

    pub fn rig() -> Rig {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        Rig::from_skeleton("rig", Skeleton::new(vec![joint("root", None), joint("arm", Some(0))]).unwrap())
    }

    /// A walk of two joints. `spoil` changes its poses, per sample.
    pub fn walk(spoil: impl Fn(usize, &mut [Transform])) -> Clip {
        let mut transforms = Vec::new();
        for sample in 0..SAMPLES {
            let turn = Quat::from_rotation_y(0.05 * sample as f32);
            let root = Transform::from_translation(Vec3::new(0.0, 0.9, 0.03 * sample as f32));
            let mut pose = [root, Transform { rotation: turn, ..Transform::from_translation(Vec3::Y) }];
            spoil(sample, &mut pose);
            transforms.extend(pose);
        }
        let data = ClipData {
            name: "walk".into(),
            joints: 2,
            duration_secs: (SAMPLES - 1) as f32 / 30.0,
            transforms,
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        };
        Clip::new(data).unwrap()
    }

    /// The findings for such a walk.
    fn found(spoil: impl Fn(usize, &mut [Transform])) -> Vec<String> {
        let mut findings = Vec::new();
        examine(&rig(), &[walk(spoil)], 1.7, &mut findings);
        findings.into_iter().map(|finding| format!("{}. {}", finding.what, finding.meaning)).collect()
    }

    #[test]
    fn a_sound_clip_has_no_findings() {
        assert_eq!(found(|_, _| {}), [] as [&str; 0]);
    }

    #[test]
    fn each_fault_is_found_with_its_place_and_effect() {
        let turn_at = |sample: usize, angle: f32| {
            move |at: usize, pose: &mut [Transform]| {
                if at == sample {
                    pose[1].rotation *= Quat::from_rotation_x(angle);
                }
            }
        };
        let flip = found(turn_at(10, 1.5));
        assert!(flip[0].contains("1 flip: arm at 0.333 s (sample 10) turns by 86\u{b0} and back"), "{flip:?}");
        assert!(flip[0].contains("by 40.9 mm for one sample"), "2 x 30 mm x sin(43 degrees): {flip:?}");
        let turned = found(|at, pose| {
            if at >= 12 {
                pose[1].rotation *= Quat::from_rotation_x(std::f32::consts::PI);
            }
        });
        assert!(turned[0].contains("1 turn of 180\u{b0} in one sample, as arm at 0.400 s"), "{turned:?}");
        assert!(turned[0].contains("an error of up to 60.0 mm"), "{turned:?}");
        let jumped = found(|at, pose| pose[0].translation.x += if at < 20 { 0.0 } else { 3.0 });
        assert!(jumped[0].contains("1 jump: root at 0.667 s (sample 20) moves by 3"), "{jumped:?}");
        let scaled = found(|at, pose| pose[1].scale = Vec3::new(1.0, 1.0 + 0.01 * at as f32, 1.0));
        assert!(scaled[0].contains("1 joint scaled unevenly: arm"), "{scaled:?}");
        assert!(scaled[0].contains("360 B of raw data"), "30 samples of 12 bytes: {scaled:?}");
    }

    #[test]
    fn distance_is_told_where_numbers_become_too_coarse_for_it() {
        let at_m = |far: f32| found(move |_, pose| pose[0].translation.x = far);
        assert_eq!(at_m(10.0).len(), 0);
        let ozz = at_m(100.0);
        assert!(ozz.len() == 1 && ozz[0].contains("error is up to 48.8 mm"), "{ozz:?}");
        let far = at_m(2000.0);
        assert!(far.len() == 2 && far[0].contains("a tolerance of 0.10 mm cannot be held"), "{far:?}");
        assert!(at_m(70_000.0)[1].contains("16-bit floats, as in ozz archives, cannot store that"));
    }

    #[test]
    fn a_doubled_last_sample_is_not_a_clip_that_comes_to_rest() {
        let hold_from = |from: usize| {
            found(move |at, pose| {
                if at >= from {
                    let sample = from as f32;
                    pose[0].translation.z = 0.03 * sample;
                    pose[1].rotation = Quat::from_rotation_y(0.05 * sample);
                }
            })
        };
        let doubled = hold_from(SAMPLES - 2);
        assert!(
            doubled.len() == 1 && doubled[0].contains("its last two samples, 28 and 29, are the same"),
            "{doubled:?}"
        );
        assert!(doubled[0].contains("80 B"), "two joints of 40 bytes: {doubled:?}");
        assert_eq!(hold_from(SAMPLES - 6).len(), 0);
    }
}
