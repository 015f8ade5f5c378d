//! The sampling error: samples against the curves of the file.

use super::motion::Motion;
use super::rest::{Rest, raise_roots, snap_secs};
use crate::metrics::shell_error_m;
use crate::model::{Clip, ModelPose, Pose, Rig, SamplingError, unit_rotation};
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
pub(super) fn measure(motion: &impl Motion, clip: &Clip, rest: Rest<'_>) -> SamplingError {
    let none = SamplingError { error_m: 0.0, joint: 0, time_secs: 0.0 };
    let places = match clip.samples() {
        1 => Vec::new(),
        _ => places(motion, clip),
    };
    let worst_of = |places: &[f64]| {
        let mut comparison = Comparison::new(motion, clip, rest);
        places.iter().map(|at| comparison.at(*at)).fold(none, larger)
    };
    places.par_chunks(PLACES_A_TASK).map(worst_of).reduce(|| none, larger)
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
        let pairs = curves.joints.iter().zip(&samples.joints).zip(self.rest.shells_m).enumerate();
        let errors = pairs.map(|(joint, ((a, b), shell_m))| (joint, shell_error_m(a, b, *shell_m)));
        let (joint, error_m) = errors.fold((0, 0.0), |worst, one| if one.1 > worst.1 { one } else { worst });
        SamplingError { error_m, joint, time_secs }
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
