use super::ModelTrack;
use crate::model::Skeleton;
use glam::{Affine3A, DAffine3, Mat3A, Vec3A};
use serde::{Deserialize, Serialize};

/// Float32 is precise enough for a tolerance that is at least this many times the last place.
const PLACES_A_TOLERANCE: f32 = 10.0;

/// The joint origin with the largest coordinate in a clip, where float32 is least exact.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the type says it")]
pub struct Farthest {
    pub joint: usize,
    pub time_secs: f32,
    /// Its largest coordinate, metres.
    pub distance_m: f32,
}

impl Farthest {
    /// Searches every step. Ties go to the earliest step.
    pub fn of(track: &ModelTrack) -> Self {
        let mut out = Self::default();
        for step in 0..track.steps() {
            for (joint, model) in track.pose(step).iter().enumerate() {
                let distance_m = model.translation.abs().max_element();
                if distance_m > out.distance_m {
                    out = Self { joint, time_secs: track.time_secs(step), distance_m };
                }
            }
        }
        out
    }

    /// The distance from one float32 to the next at that point, metres.
    pub fn last_place_m(&self) -> f32 {
        self.distance_m.next_up() - self.distance_m
    }

    /// The coarsest last place that still resolves errors of a tolerance, metres.
    pub fn most_place_m(tolerance_m: f32) -> f32 {
        tolerance_m / PLACES_A_TOLERANCE
    }

    /// True if float32 resolves errors of this tolerance at that point.
    pub fn resolves(&self, tolerance_m: f32) -> bool {
        self.last_place_m() <= Self::most_place_m(tolerance_m)
    }
}

/// `model_from_joint` of every joint at a step, composed in f64.
fn models(skeleton: &Skeleton, track: &ModelTrack, step: usize) -> Vec<DAffine3> {
    let mut models: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for joint in 0..skeleton.len() {
        let local = track.local(step, joint);
        let (scale, rotation) = (local.scale.as_dvec3(), local.rotation.as_dquat());
        let local = DAffine3::from_scale_rotation_translation(scale, rotation, local.translation.as_dvec3());
        models.push(skeleton.parent(joint).map_or(local, |parent| models[parent] * local));
    }
    models
}

/// Returns both poses at a step, moved so that every joint of `lossy` lies at the origin. Float32 then resolves their differences.
///
/// The poses are composed in f64.
pub(super) fn brought_near(
    skeleton: &Skeleton,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    step: usize,
) -> [Vec<Affine3A>; 2] {
    let [raw, lossy] = [raw, lossy].map(|track| models(skeleton, track, step));
    let near = |of: &DAffine3, from: &DAffine3| Affine3A {
        matrix3: Mat3A::from(of.matrix3.as_mat3()),
        translation: Vec3A::from((of.translation - from.translation).as_vec3()),
    };
    let of = |all: &[DAffine3]| all.iter().zip(&lossy).map(|(of, from)| near(of, from)).collect();
    [of(&raw), of(&lossy)]
}
