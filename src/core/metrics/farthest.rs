use super::ModelTrack;
use crate::model::Skeleton;
use glam::{Affine3A, DAffine3, Mat3A, Vec3A};

/// Float32 tells errors of a tolerance that is at least so many times its last place.
const PLACES_A_TOLERANCE: f32 = 10.0;

/// How far from the origin a clip goes: where float32 is least exact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Farthest {
    /// Joint.
    pub joint: usize,
    /// Time.
    pub time_secs: f32,
    /// Largest of its coordinates, metres.
    pub distance_m: f32,
}

impl Farthest {
    /// Over every step; of equals the earliest.
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

    /// The distance from one float32 to the next there, metres.
    pub fn last_place_m(&self) -> f32 {
        self.distance_m.next_up() - self.distance_m
    }

    /// The coarsest last place at which errors of a tolerance can be told, metres.
    pub fn most_place_m(tolerance_m: f32) -> f32 {
        tolerance_m / PLACES_A_TOLERANCE
    }

    /// True where float32 tells errors of a tolerance.
    pub fn is_told(&self, tolerance_m: f32) -> bool {
        self.last_place_m() <= Self::most_place_m(tolerance_m)
    }
}

/// `model_from_joint` of every joint at a step, in f64.
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

/// Two poses of one step as near the origin as they are to each other, composed in f64: their differences are what they are,
/// and float32 holds them. `lossy` has its joints at the origin.
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
