use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How contacts are found and judged. Distances are those of a person: they scale with hip height / 0.9 m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// A heel is down below this height above ground. Default 0.05.
    pub heel_height_m: f32,
    /// A toe is down below this height above ground. Default 0.04.
    pub toe_height_m: f32,
    /// A foot stands while slower than this over ground. Default 0.15.
    pub speed_m_s: f32,
    /// Leaving takes this many times the limits (hysteresis). Default 1.5.
    pub release_factor: f32,
    /// Length of the median filter over contact flags. Default 0.1.
    pub median_secs: f32,
    /// Shorter plants are dropped. Default 3.
    pub min_samples: usize,
    /// A plant that slides this far warns. Default 0.002.
    pub warn_slide_m: f32,
    /// A plant that drifts this fast warns. Default 0.02.
    pub warn_rate_m_s: f32,
    /// A plant that slides this far fails. Default 0.005.
    pub fail_slide_m: f32,
    /// Velocity of the ground in object space for in-place clips; `None` estimates it.
    pub ground_velocity_m_s: Option<Vec3>,
    /// Names of joints to be treated as feet besides those found, whatever their names.
    pub extra_joints: Vec<String>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            heel_height_m: 0.05,
            toe_height_m: 0.04,
            speed_m_s: 0.15,
            release_factor: 1.5,
            median_secs: 0.1,
            min_samples: 3,
            warn_slide_m: 0.002,
            warn_rate_m_s: 0.02,
            fail_slide_m: 0.005,
            ground_velocity_m_s: None,
            extra_joints: Vec::new(),
        }
    }
}

impl ContactSettings {
    /// True when both find the same plants: they may differ in how they judge them.
    pub fn same_plan(&self, other: &Self) -> bool {
        let judged_alike = Self {
            warn_slide_m: other.warn_slide_m,
            warn_rate_m_s: other.warn_rate_m_s,
            fail_slide_m: other.fail_slide_m,
            ..self.clone()
        };
        judged_alike == *other
    }
}

/// Which height limit a foot joint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FootKind {
    /// Ankle, foot, heel.
    Heel,
    /// Toe, ball.
    Toe,
    /// Marked by the user.
    Marked,
}

/// A point of the sole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SolePoint {
    /// A skinned vertex.
    Vertex {
        /// Mesh of the rig.
        mesh: usize,
        /// Vertex of the mesh.
        vertex: usize,
    },
    /// A point carried by the joint, metres in joint space.
    Offset(Vec3),
}

/// A joint that can stand on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Foot {
    /// Joint.
    pub joint: usize,
    /// Heel or toe.
    pub kind: FootKind,
    /// Where it touches the ground; never empty.
    pub sole: Vec<SolePoint>,
}

/// A time during which a foot stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plant {
    /// Index into the feet.
    pub foot: usize,
    /// From touch-down ...
    pub start_secs: f32,
    /// ... to lift-off.
    pub end_secs: f32,
}

/// Feet, ground and plants of a raw clip: fixed before a codec is asked, so that none can cheat.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactPlan {
    /// Joints that can stand.
    pub feet: Vec<Foot>,
    /// Height of the ground, metres in object space.
    pub ground_m: f32,
    /// Velocity of the ground (a treadmill), zero for clips that travel.
    pub ground_velocity_m_s: Vec3,
    /// Hip height / 0.9 m: all distances are scaled by it.
    pub scale: f32,
    /// Ordered by foot, then time.
    pub plants: Vec<Plant>,
}

impl ContactPlan {
    /// Finds feet, ground and plants of a raw clip.
    pub fn find(
        rig: &crate::model::Rig,
        clip: &crate::model::Clip,
        raw: &super::ModelTrack,
        settings: &ContactSettings,
    ) -> Self {
        let _ = (rig, clip, raw, settings);
        Self::default()
    }
}
