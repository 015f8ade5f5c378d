//! Keys of few bits that correct the errors of parents.
//!
//! A joint inherits the rounding errors of the keys of all its ancestors. Over a chain of 200 joints, that is centimetres. So joints are
//! visited from the roots on. A joint that is too far off gets keys that put it at its source position under its parent *as played*. Only
//! the error of its own numbers is left.

use super::curve::Curve;
use super::fit::{Fitting, ROUNDING, ROUNDS, TRACK_SHARE, WORST_PART, base_at, put_values, values_of};
use super::track::Track;
use crate::export::ExportClip;
use crate::math::Transform;
use crate::metrics::shell_error_m;
use crate::model::{Channel, Pose};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec4};

/// Part of the tolerance for the rounding of keys, so that some is left for lines between them.
const NUMBERS_PART: f32 = 0.7;
/// Part of the tolerance for lines if rounding leaves less.
const LEAST_PART: f32 = 0.3;
/// A scale this close to one is rounding.
const SAME_SCALE: f32 = 1e-5;

/// The channels of a joint that correct the errors of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corrected {
    /// None: the joint only has too few keys.
    Nothing,
    /// Translation, and rotation if it moves anyway.
    Moving,
    /// All.
    All,
}

/// Model transforms of a joint in the source and as played, at every place.
#[derive(Debug, Default)]
struct Models {
    source: Vec<Affine3A>,
    played: Vec<Affine3A>,
}

/// A joint under its parent as played.
struct Follower<'a> {
    joint: usize,
    /// Added to its scales before comparing.
    lift: Vec3,
    above: Option<&'a Models>,
    /// Local transforms in the source, at every place.
    locals: &'a [Transform],
    bases: Option<&'a [Transform]>,
    /// Places per sample.
    stride: usize,
    places: &'a [f64],
    source: Vec<Affine3A>,
    shell_m: f32,
    tolerance_m: f32,
}

/// Keys of a joint, and how far off it is with them.
struct Attempt {
    tracks: [Track; 3],
    curves: [Option<Curve>; 3],
    played: Vec<Affine3A>,
    errors_m: Vec<f32>,
}

/// Refits every joint with an error over the tolerance.
pub(super) fn follow(fitting: &mut Fitting<'_>, clip: &ExportClip<'_>) {
    let skeleton = &fitting.rig.skeleton;
    let joints = skeleton.len();
    let stride = fitting.style.places_a_sample();
    let places: Vec<f64> = clip.source.grid().steps(stride).collect();
    let (locals, bases) = locals(clip, &places);
    let mut known: Vec<Models> = (0..joints).map(|_| Models::default()).collect();
    let mut children: Vec<usize> = (0..joints).map(|joint| skeleton.children(joint).len()).collect();
    for joint in depth_first(fitting) {
        let above = fitting.rig.skeleton.parent(joint);
        let of_joint =
            |all: &'_ [Transform]| -> Vec<Transform> { all.iter().skip(joint).step_by(joints).copied().collect() };
        let (own, own_bases) = (of_joint(&locals), bases.as_deref().map(of_joint));
        let lift = fitting.lift.of_joint(joint);
        let above_it = above.map(|above| &known[above]);
        let follower = Follower::new((joint, lift), above_it, (&own, own_bases.as_deref()), stride, &places, clip);
        let mut now = follower.attempt(fitting);
        if follower.misses(&now, clip.tolerance_m).next().is_some() && !clip.is_exact(joint) {
            now = follower.refit(now);
        }
        let Attempt { tracks, curves, played, .. } = now;
        let source = follower.source;
        for (channel, (track, curve)) in tracks.into_iter().zip(curves).enumerate() {
            fitting.tracks[3 * joint + channel] = track;
            fitting.curves[3 * joint + channel] = curve;
        }
        if children[joint] > 0 {
            known[joint] = Models { source, played };
        }
        if let Some(above) = above {
            children[above] -= 1;
            if children[above] == 0 {
                known[above] = Models::default();
            }
        }
    }
}

/// The joints, parents first and subtree by subtree, so that few matrices are kept.
fn depth_first(fitting: &Fitting<'_>) -> Vec<usize> {
    let skeleton = &fitting.rig.skeleton;
    let mut open: Vec<usize> = (0..skeleton.len()).filter(|joint| skeleton.parent(*joint).is_none()).rev().collect();
    let mut order = Vec::with_capacity(skeleton.len());
    while let Some(joint) = open.pop() {
        order.push(joint);
        open.extend(skeleton.children(joint).iter().rev());
    }
    order
}

/// Local transforms of the source at every place, joint by joint, and the base poses of an additive clip.
fn locals(clip: &ExportClip<'_>, places: &[f64]) -> (Vec<Transform>, Option<Vec<Transform>>) {
    let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
    let mut locals = Vec::with_capacity(places.len() * clip.source.joints());
    let mut bases = clip.source.base().map(|_| Vec::new());
    for &place in places {
        clip.source.sample(place, &mut pose);
        locals.extend_from_slice(&pose.joints);
        if let (Some(bases), Some(base)) = (&mut bases, base_at(clip.source, place)) {
            bases.extend(base);
        }
    }
    (locals, bases)
}

impl<'a> Follower<'a> {
    fn new(
        (joint, lift): (usize, Vec3),
        above: Option<&'a Models>,
        (locals, bases): (&'a [Transform], Option<&'a [Transform]>),
        stride: usize,
        places: &'a [f64],
        clip: &ExportClip<'_>,
    ) -> Self {
        let model = |(at, local): (usize, &Transform)| {
            above.map_or(Affine3A::IDENTITY, |above| above.source[at]) * lifted(*local, lift).to_affine()
        };
        let source = locals.iter().enumerate().map(model).collect();
        let (shell_m, tolerance_m) = (clip.shells_m[joint], clip.tolerance_m);
        Self { joint, lift, above, locals, bases, stride, places, source, shell_m, tolerance_m }
    }

    /// Plays the joint with its current keys.
    fn attempt(&self, fitting: &Fitting<'_>) -> Attempt {
        let at = |channel: usize| 3 * self.joint + channel;
        let tracks = [0, 1, 2].map(|channel| fitting.tracks[at(channel)].clone());
        let curves = [0, 1, 2].map(|channel| fitting.curves[at(channel)].clone());
        self.played(tracks, curves)
    }

    fn played(&self, tracks: [Track; 3], curves: [Option<Curve>; 3]) -> Attempt {
        let value = |channel: usize, place: f64| curves[channel].as_ref().map_or(tracks[channel].rest, |c| c.at(place));
        let model = |(at, &place): (usize, &f64)| {
            self.model(at, put_values([0, 1, 2].map(|channel| value(channel, place)), self.base(at)))
        };
        let played: Vec<Affine3A> = self.places.iter().enumerate().map(model).collect();
        let error = |(source, played): (&Affine3A, &Affine3A)| shell_error_m(source, played, self.shell_m);
        let errors_m = self.source.iter().zip(&played).map(error).collect();
        Attempt { tracks, curves, played, errors_m }
    }

    fn model(&self, at: usize, local: Transform) -> Affine3A {
        self.above.map_or(Affine3A::IDENTITY, |above| above.played[at]) * lifted(local, self.lift).to_affine()
    }

    fn base(&self, at: usize) -> Option<Transform> {
        self.bases.map(|bases| bases[at])
    }

    /// Places with an error over `allowed_m`.
    fn misses<'b>(&'b self, attempt: &'b Attempt, allowed_m: f32) -> impl Iterator<Item = usize> + 'b {
        let is_off = move |at: &usize| attempt.errors_m[*at] > allowed_m * (1.0 + ROUNDING);
        (0..self.places.len()).filter(is_off)
    }

    /// Refits the keys under the parent as played. Returns the old keys unless the largest error becomes smaller.
    fn refit(&self, before: Attempt) -> Attempt {
        let moves = |channel: Channel| before.curves[channel as usize].as_ref().is_some_and(|c| c.times.len() > 1);
        let turns = moves(Channel::Rotation);
        let mut best: Option<([Vec<Vec4>; 3], f32)> = None;
        for corrected in [Corrected::Nothing, Corrected::Moving, Corrected::All] {
            let values = self.wanted(corrected, turns);
            let numbers_m = self.numbers_m(&values, &before.tracks);
            if best.as_ref().is_none_or(|(_, best_m)| numbers_m < *best_m) {
                best = Some((values, numbers_m));
            }
            if numbers_m <= NUMBERS_PART * self.tolerance_m {
                break;
            }
        }
        let Some((values, numbers_m)) = best else { return before };
        let worst = |attempt: &Attempt| attempt.errors_m.iter().copied().fold(0.0, f32::max);
        let after = self.fit(&before.tracks, values, numbers_m);
        if worst(&after) < worst(&before) { after } else { before }
    }

    /// The values of each channel at every sample that put the joint where the source has it.
    fn wanted(&self, corrected: Corrected, turns: bool) -> [Vec<Vec4>; 3] {
        let mut values: [Vec<Vec4>; 3] = Default::default();
        for at in (0..self.places.len()).step_by(self.stride) {
            let local = self.wanted_at(at, corrected, turns);
            for (values, value) in values.iter_mut().zip(values_of(local, self.base(at))) {
                values.push(value);
            }
        }
        let rotations = &mut values[Channel::Rotation as usize];
        for sample in 1..rotations.len() {
            if rotations[sample].dot(rotations[sample - 1]) < 0.0 {
                rotations[sample] = -rotations[sample];
            }
        }
        values
    }

    fn wanted_at(&self, at: usize, corrected: Corrected, turns: bool) -> Transform {
        let own = self.locals[at];
        let (Some(above), false) = (self.above, corrected == Corrected::Nothing) else { return own };
        let shift = above.played[at].inverse() * above.source[at];
        if !shift.is_finite() {
            return own; // below a scale of zero
        }
        let translation = shift.transform_point3(own.translation);
        let moved = Transform { translation, ..own };
        if corrected == Corrected::Moving && !turns {
            return moved;
        }
        let turned = Transform { rotation: (turn_of(shift.matrix3) * own.rotation).normalize(), ..moved };
        let stretch = |axis: Vec3| shift.transform_vector3(own.rotation * axis).length();
        let stretches = Vec3::new(stretch(Vec3::X), stretch(Vec3::Y), stretch(Vec3::Z));
        let is_rounding = (stretches - Vec3::ONE).abs().max_element() < SAME_SCALE;
        let wanted = match corrected == Corrected::All && !is_rounding {
            true => Transform { scale: (own.scale + self.lift) * stretches - self.lift, ..turned },
            false => turned,
        };
        if wanted.is_finite() { wanted } else { own }
    }

    /// Largest error of the joint if every sample is a key.
    fn numbers_m(&self, values: &[Vec<Vec4>; 3], tracks: &[Track; 3]) -> f32 {
        let mut worst_m = 0.0f32;
        for (sample, at) in (0..self.places.len()).step_by(self.stride).enumerate() {
            let read = [0, 1, 2].map(|channel| tracks[channel].style.numbers().read(values[channel][sample]));
            let played = self.model(at, put_values(read, self.base(at)));
            worst_m = worst_m.max(shell_error_m(&self.source[at], &played, self.shell_m));
        }
        worst_m
    }

    /// Fits keys for these values. Adds keys until the error is within the tolerance, or near that of the numbers if that is larger.
    fn fit(&self, tracks: &[Track; 3], values: [Vec<Vec4>; 3], numbers_m: f32) -> Attempt {
        let least_m = LEAST_PART * self.tolerance_m;
        let left_m = (self.tolerance_m - numbers_m).max(least_m);
        let is_holdable = numbers_m <= self.tolerance_m;
        let allowed_m = if is_holdable { self.tolerance_m } else { numbers_m + TRACK_SHARE * least_m };
        let mut values = values.into_iter();
        let tracks = tracks.each_ref().map(|track| Track {
            values: values.next().unwrap_or_default(),
            budget: TRACK_SHARE * left_m,
            ..track.clone()
        });
        let fit =
            |tracks: &[Track; 3]| tracks.each_ref().map(|track| track.fit().map(|curve| curve.without_idle_keys()));
        let curves = fit(&tracks);
        let mut attempt = self.played(tracks, curves);
        for round in 0..=ROUNDS {
            let misses: Vec<f64> = self.misses(&attempt, allowed_m).map(|at| self.places[at]).collect();
            if misses.is_empty() {
                return attempt;
            }
            let Attempt { mut tracks, curves, .. } = attempt;
            let more = misses.iter().filter(|place| tighten(&mut tracks, &curves, **place)).count();
            let is_last = more == 0 || round == ROUNDS;
            if is_last {
                tracks.iter_mut().for_each(Track::keep_all);
            }
            let curves = fit(&tracks);
            attempt = self.played(tracks, curves);
            if is_last {
                return attempt;
            }
        }
        attempt
    }
}

/// Adds keys to the tracks with the largest errors at a place. Returns true if a track changes.
fn tighten(tracks: &mut [Track; 3], curves: &[Option<Curve>; 3], place: f64) -> bool {
    let off = [0, 1, 2].map(|channel| tracks[channel].error_at(curves[channel].as_ref(), place));
    let worst = off.iter().copied().fold(0.0, f32::max);
    let mut changed = false;
    for channel in 0..3 {
        if off[channel] > 0.0 && off[channel] >= WORST_PART * worst {
            changed |= tracks[channel].tighten(curves[channel].as_ref(), place);
        }
    }
    changed
}

fn lifted(local: Transform, lift: Vec3) -> Transform {
    Transform { scale: local.scale + lift, ..local }
}

/// The rotation of a map that is nearly the identity.
fn turn_of(map: Mat3A) -> Quat {
    let x = map.x_axis.normalize_or_zero();
    let y = (map.y_axis - x * x.dot(map.y_axis)).normalize_or_zero();
    Quat::from_mat3a(&Mat3A::from_cols(x, y, x.cross(y)))
}
