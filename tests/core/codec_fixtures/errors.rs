//! Errors of decoded fixtures, measured in f64 by code of the tests' own.

use super::{Fixture, SHELL_M};
use glam::{DAffine3, DVec3};
use posepress_core::codecs::{self, Codec, EncodedClip, ParamValues};
use posepress_core::metrics::{MOST_TIMES_MEAN, Promise};
use posepress_core::model::{ClipSampler, Pose, Sampler, Skeleton};

impl Fixture {
    /// Largest shell error at every `1 / steps` sample, measured in f64, metres.
    pub fn error_m(&self, codec: &dyn Codec, encoded: &EncodedClip, steps: usize) -> f64 {
        self.errors_m(codec, encoded, steps).into_iter().flatten().fold(0.0, f64::max)
    }

    /// The error at the samples that the codec bounds with these values, measured in f64, metres.
    pub fn bounded_m(&self, codec: &dyn Codec, values: &ParamValues, encoded: &EncodedClip) -> f64 {
        let errors_m = self.errors_m(codec, encoded, 1);
        let largest_m = errors_m.iter().flatten().copied().fold(0.0, f64::max);
        match codec.promise_with(values) {
            Promise::Largest => largest_m,
            Promise::Mean => {
                let mean_m = |joint: usize| errors_m.iter().map(|row| row[joint]).sum::<f64>() / errors_m.len() as f64;
                (0..self.skeleton.len()).map(mean_m).fold(largest_m / f64::from(MOST_TIMES_MEAN), f64::max)
            }
        }
    }

    /// The shell error of every joint at every `1 / steps` sample, measured in f64, metres.
    fn errors_m(&self, codec: &dyn Codec, encoded: &EncodedClip, steps: usize) -> Vec<Vec<f64>> {
        let bind = self.bind();
        let (header, player) = codecs::open_clip(codec, &encoded.bytes, &bind).unwrap();
        let mut lossy = codecs::seen(player, &self.clip);
        let mut raw = ClipSampler::new(&self.clip);
        let size = |_| Pose::with_size(header.joints, header.float_tracks);
        let (mut a, mut b) = (size(0), size(1));
        let at = |at_sample| {
            raw.sample(at_sample, &mut a);
            lossy.sample(at_sample, &mut b);
            pose_errors_m(&self.skeleton, &a, &b)
        };
        header.grid.steps(steps).map(at).collect()
    }
}

fn model(skeleton: &Skeleton, pose: &Pose) -> Vec<DAffine3> {
    let mut out: Vec<DAffine3> = Vec::new();
    for (joint, local) in pose.joints.iter().enumerate() {
        let t = local.translation.as_dvec3();
        let local = DAffine3::from_scale_rotation_translation(local.scale.as_dvec3(), local.rotation.as_dquat(), t);
        out.push(skeleton.parent(joint).map_or(local, |p| out[p] * local));
    }
    out
}

fn pose_errors_m(skeleton: &Skeleton, a: &Pose, b: &Pose) -> Vec<f64> {
    let points = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * f64::from(SHELL_M));
    let pairs = model(skeleton, a).into_iter().zip(model(skeleton, b));
    let of_joint = |(a, b): (DAffine3, DAffine3)| {
        points.map(|p| (a.transform_point3(p) - b.transform_point3(p)).length()).into_iter().fold(0.0, f64::max)
    };
    pairs.map(of_joint).collect()
}
