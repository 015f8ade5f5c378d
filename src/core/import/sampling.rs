//! The sampling error: samples against the curves of the file.

use super::motion::Motion;
use super::rest::{Rest, raise_roots, snap_secs};
use crate::metrics::{is_foot_name, shell_error_m};
use crate::model::{Clip, FootSampling, ModelPose, Pose, Rig, Sampling, SamplingError, unit_rotation};
use rayon::prelude::*;

/// Comparisons per sample interval.
const STEPS_A_SAMPLE: usize = 8;
/// Least shell of a joint, metres.
const MIN_SHELL_M: f32 = 0.03;
/// Least number of comparisons per task.
const PLACES_A_TASK: usize = 32;

/// Shells of the joints, as far as their meshes.
pub(super) fn shells_m(rig: &Rig) -> Vec<f32> {
    rig.reach_m().into_iter().map(|reach_m| reach_m.max(MIN_SHELL_M)).collect()
}

/// Compares a clip with its keys, if the format defines curves between them. A pose of one sample shows the last of its keys, without
/// error.
pub(super) fn measure(motion: &impl Motion, clip: &Clip, rest: Rest<'_>) -> Sampling {
    let none = SamplingError { error_m: 0.0, joint: 0, time_secs: 0.0 };
    let skeleton = &rest.rig.skeleton;
    let feet: Vec<_> = (0..clip.joints()).filter(|joint| is_foot_name(skeleton.name(*joint))).collect();
    let places = match clip.samples() {
        1 => Vec::new(),
        _ => places(motion, clip),
    };
    let compared = |places: &[f64]| {
        let mut comparison = Comparison::new(motion, clip, rest);
        let (mut worst, mut of_feet) = (none, Vec::with_capacity(places.len() * feet.len()));
        for at in places {
            worst = larger(worst, comparison.at(*at));
            of_feet.extend(feet.iter().map(|joint| comparison.error_m(*joint)));
        }
        (worst, of_feet)
    };
    let all: Vec<_> = places.par_chunks(PLACES_A_TASK).map(compared).collect();
    let worst = all.iter().map(|(worst, _)| *worst).fold(none, larger);
    let mut errors_m = vec![0.0f32; (clip.samples() - 1) * feet.len()];
    let rows = all.iter().flat_map(|(_, of_feet)| of_feet.chunks_exact(feet.len().max(1)));
    for (at, row) in places.iter().zip(rows) {
        let interval = (*at as usize).min(clip.samples() - 2);
        let largest = errors_m[interval * feet.len()..].iter_mut().zip(row);
        largest.for_each(|(largest, error_m)| *largest = largest.max(*error_m));
    }
    Sampling { worst, feet: FootSampling { joints: feet, errors_m }.into() }
}

/// Places of the comparisons, in samples.
fn places(motion: &impl Motion, clip: &Clip) -> Vec<f64> {
    let grid = clip.grid();
    let jumps = motion.jumps();
    // Between the keys of a jump, either of its two values is correct, so these places are not compared.
    let is_jumping = |place: f64| {
        let time_secs = grid.time_secs(place);
        let begun = jumps.partition_point(|jump| jump.at_secs <= time_secs);
        place.fract() != 0.0 && begun.checked_sub(1).is_some_and(|jump| time_secs <= jumps[jump].until_secs)
    };
    match motion.has_curves() {
        true => grid.steps(STEPS_A_SAMPLE).filter(|place| !is_jumping(*place)).collect(),
        false => motion.times_secs().into_iter().map(|time_secs| grid.sample_at(time_secs)).collect(),
    }
}

/// The larger error; the earlier of equals.
fn larger(a: SamplingError, b: SamplingError) -> SamplingError {
    if b.error_m > a.error_m || (b.error_m == a.error_m && b.time_secs < a.time_secs) { b } else { a }
}

/// Curves and samples, with scratch poses.
struct Comparison<'a, M> {
    motion: &'a M,
    clip: &'a Clip,
    rest: Rest<'a>,
    curves: Pose,
    samples: Pose,
    models: [ModelPose; 2],
}

impl<'a, M: Motion> Comparison<'a, M> {
    fn new(motion: &'a M, clip: &'a Clip, rest: Rest<'a>) -> Self {
        let pose = || Pose::with_size(clip.joints(), clip.float_tracks());
        Self { motion, clip, rest, curves: pose(), samples: pose(), models: Default::default() }
    }

    /// The joint with the largest error at a place in the clip, in samples.
    fn at(&mut self, at_sample: f64) -> SamplingError {
        let time_secs = self.clip.grid().time_secs(at_sample);
        self.pose_curves(time_secs);
        self.clip.sample(at_sample, &mut self.samples);
        let [curves, samples] = &mut self.models;
        let skeleton = &self.rest.rig.skeleton;
        curves.update(skeleton, &self.curves.joints);
        samples.update(skeleton, &self.samples.joints);
        let errors = (0..self.clip.joints()).map(|joint| (joint, self.error_m(joint)));
        let (joint, error_m) = errors.fold((0, 0.0), |worst, one| if one.1 > worst.1 { one } else { worst });
        SamplingError { error_m, joint, time_secs }
    }

    /// The error of a joint at the place that was compared last.
    fn error_m(&self, joint: usize) -> f32 {
        let [curves, samples] = &self.models;
        shell_error_m(&curves.joints[joint], &samples.joints[joint], self.rest.shells_m[joint])
    }

    fn pose_curves(&mut self, time_secs: f32) {
        let Pose { joints, floats } = &mut self.curves;
        joints.copy_from_slice(self.rest.joints);
        self.motion.pose(time_secs, snap_secs(self.clip.grid()), joints, floats);
        // Samples are normalised too.
        joints.iter_mut().for_each(|local| local.rotation = unit_rotation(local.rotation));
        raise_roots(joints, self.rest);
    }
}
