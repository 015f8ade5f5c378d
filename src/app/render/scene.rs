use super::{Bounds, Camera, Overlay, ViewTheme};
use glam::Affine3A;
use posepress_core::model::{ModelPose, Pose, Rig};
use posepress_core::view::{Layers, Side, ViewMode};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A rig shared by viewports. Equal only if it is the same object, so that comparing scenes is cheap.
#[derive(Debug, Clone)]
pub struct SharedRig(pub Arc<Rig>);

impl PartialEq for SharedRig {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl From<Arc<Rig>> for SharedRig {
    fn from(rig: Arc<Rig>) -> Self {
        Self(rig)
    }
}

impl std::ops::Deref for SharedRig {
    type Target = Rig;

    fn deref(&self) -> &Rig {
        &self.0
    }
}

/// Object-space matrices and float values of a character at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FigurePose {
    /// `model_from_joint`, one per joint of the rig. Missing ones are identity.
    pub joints: Arc<[Affine3A]>,
    /// Float tracks (morph weights); missing ones count as zero.
    pub floats: Arc<[f32]>,
}

impl FigurePose {
    /// Copies matrices and floats, for example one step of a track.
    pub fn new(joints: &[Affine3A], floats: &[f32]) -> Self {
        Self { joints: joints.into(), floats: floats.into() }
    }

    /// Object-space matrices of a local pose.
    pub fn from_pose(rig: &Rig, pose: &Pose) -> Self {
        Self::new(&ModelPose::new(&rig.skeleton, &pose.joints).joints, &pose.floats)
    }

    /// The rig in its bind pose.
    pub fn bind(rig: &Rig) -> Self {
        Self::from_pose(rig, &rig.skeleton.bind_pose(rig.float_names.len()))
    }

    /// Box around skinned vertices and bones. Skins every vertex, so it is for framing, not for every frame.
    pub fn bounds(&self, rig: &Rig) -> Bounds {
        Bounds::of_figure(rig, &self.joints, &self.floats)
    }
}

/// Shading of the compressed mesh. The original always shows its materials.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Shading {
    /// Textures, vertex colours, clay.
    #[default]
    Material,
    /// Distance of every skinned vertex from the original's, through the heat map.
    Heat {
        /// Error of the palest colour, metres.
        tolerance_m: f32,
    },
    /// Error of the joints, blended by skin weights, through the heat map.
    JointError {
        /// Errors, one per joint, metres. Missing ones are 0.
        errors_m: Arc<[f32]>,
        /// Error of the palest colour, metres.
        tolerance_m: f32,
    },
}

/// Another character of a crowd, at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct CrowdMember {
    /// Raw pose.
    pub raw: FigurePose,
    /// Decoded pose; `None` shows the raw one on both sides.
    pub lossy: Option<FigurePose>,
    /// Errors of the joints, metres, for [`Shading::JointError`]. Missing ones are 0.
    pub errors_m: Arc<[f32]>,
}

impl CrowdMember {
    /// The pose of a side.
    pub fn pose(&self, side: Side) -> &FigurePose {
        match side {
            Side::Original => &self.raw,
            Side::Compressed => self.lossy.as_ref().unwrap_or(&self.raw),
        }
    }
}

/// Everything that a picture shows, as plain data of the caller. Original and compressed share camera and ground.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewScene {
    /// The rig.
    pub rig: SharedRig,
    /// Raw pose.
    pub raw: FigurePose,
    /// Decoded pose; `None` shows the raw one on both sides.
    pub lossy: Option<FigurePose>,
    /// The characters beside the first one. Bones, lines and shadow are drawn only of the first.
    pub crowd: Arc<[CrowdMember]>,
    /// The camera.
    pub camera: Camera,
    /// Colours.
    pub theme: ViewTheme,
    /// Shading of the compressed side.
    pub shading: Shading,
    /// Visible layers: mesh, skeleton, ground and contacts. The caller applies the other layers as shading, offset and
    /// lines.
    pub layers: Layers,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// Movement of the ground, metres. The grid moves with it, like a treadmill.
    pub ground_offset_m: glam::Vec2,
    /// Size of everything on the ground relative to a person: 1 draws the grid every 0.25 m.
    pub ground_scale: f32,
    /// Factor on the drawn error of the compressed side; 1 = true to scale. The caller must show any other factor in
    /// the picture.
    pub offset_gain: f32,
    /// Names of meshes that are not drawn. Measurements still include them.
    pub hidden_meshes: BTreeSet<String>,
    /// Joint drawn in the accent colour.
    pub selected_joint: Option<usize>,
    /// Lines and areas of the original side.
    pub original_overlay: Overlay,
    /// Lines and areas of the compressed side.
    pub compressed_overlay: Overlay,
}

impl ViewScene {
    /// A scene with a raw pose, framed three-quarter from the front, in the dark theme.
    pub fn new(rig: Arc<Rig>, raw: FigurePose) -> Self {
        let bounds = raw.bounds(&rig);
        Self {
            rig: rig.into(),
            raw,
            lossy: None,
            crowd: Arc::default(),
            camera: Camera::framing(bounds, 1.0),
            theme: ViewTheme::DARK,
            shading: Shading::Material,
            layers: Layers::default(),
            ground_m: 0.0,
            ground_offset_m: glam::Vec2::ZERO,
            ground_scale: bounds.ground_scale(),
            offset_gain: 1.0,
            hidden_meshes: BTreeSet::new(),
            selected_joint: None,
            original_overlay: Overlay::default(),
            compressed_overlay: Overlay::default(),
        }
    }

    /// The pose of a side.
    pub fn pose(&self, side: Side) -> &FigurePose {
        match side {
            Side::Original => &self.raw,
            Side::Compressed => self.lossy.as_ref().unwrap_or(&self.raw),
        }
    }

    /// Number of characters.
    pub fn members(&self) -> u32 {
        self.crowd.len() as u32 + 1
    }

    /// Joint matrices of a side as drawn. The factor on the error moves joints like the mesh, because skinning is
    /// linear in them.
    pub fn drawn_joints(&self, side: Side) -> Cow<'_, [Affine3A]> {
        match (side, &self.lossy) {
            (Side::Compressed, Some(lossy)) if self.is_exaggerated() => {
                Cow::Owned(exaggerated(&self.raw.joints, &lossy.joints, self.offset_gain))
            }
            _ => Cow::Borrowed(&self.pose(side).joints),
        }
    }

    /// True if the error of the compressed side is drawn with a factor other than 1.
    pub fn is_exaggerated(&self) -> bool {
        self.offset_gain != 1.0 && self.lossy.is_some()
    }

    /// The overlay of a side.
    pub fn overlay(&self, side: Side) -> &Overlay {
        match side {
            Side::Original => &self.original_overlay,
            Side::Compressed => &self.compressed_overlay,
        }
    }
}

/// `raw + gain * (lossy - raw)`, joint by joint.
pub fn exaggerated(raw: &[Affine3A], lossy: &[Affine3A], gain: f32) -> Vec<Affine3A> {
    let apart = |(raw, lossy): (&Affine3A, &Affine3A)| Affine3A {
        matrix3: raw.matrix3 + (lossy.matrix3 - raw.matrix3) * gain,
        translation: raw.translation + (lossy.translation - raw.translation) * gain,
    };
    raw.iter().zip(lossy).map(apart).collect()
}

/// The part of a scene in one viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Show {
    /// One side.
    Side(Side),
    /// One side left of a line, the other right of it.
    Wipe {
        /// Position of the line, 0 (left edge) to 1 (right edge).
        split: f32,
        /// The side left of it.
        left: Side,
    },
    /// Both sides over each other, each in its colour.
    Onion {
        /// Opacity of the compressed side, 0 (only the original) to 1.
        mix: f32,
    },
}

impl Show {
    /// The sides with the pixel columns that each may touch.
    pub(super) fn columns(self, width: u32) -> Vec<(Side, std::ops::Range<u32>)> {
        match self {
            Self::Side(side) => vec![(side, 0..width)],
            Self::Wipe { split, left } => {
                let at = (split.clamp(0.0, 1.0) * width as f32).round() as u32;
                match left {
                    Side::Original => vec![(Side::Original, 0..at), (Side::Compressed, at..width)],
                    Side::Compressed => vec![(Side::Original, at..width), (Side::Compressed, 0..at)],
                }
            }
            Self::Onion { .. } => vec![(Side::Original, 0..width), (Side::Compressed, 0..width)],
        }
    }
}

/// The opposite side.
pub const fn other(side: Side) -> Side {
    match side {
        Side::Original => Side::Compressed,
        Side::Compressed => Side::Original,
    }
}

/// How the two sides share a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrangement {
    /// Two viewports. In the window: one callback per viewport, each with [`Show::Side`].
    SideBySide {
        /// The side on the left.
        left: Side,
    },
    /// One viewport.
    One(Show),
}

impl Arrangement {
    /// Two viewports with the original on the left.
    pub const SIDE_BY_SIDE: Self = Self::SideBySide { left: Side::Original };

    /// The arrangement of a view mode. `left` is the side on the left, `wipe` the position of the wipe line,
    /// `onion_mix` the opacity of the compressed side over the original, and `turn` the side that blinking shows now.
    pub fn of(mode: ViewMode, left: Side, wipe: f32, onion_mix: f32, turn: Side) -> Self {
        match mode {
            ViewMode::SideBySide => Self::SideBySide { left },
            ViewMode::Wipe => Self::One(Show::Wipe { split: wipe, left }),
            ViewMode::Onion => Self::One(Show::Onion { mix: onion_mix }),
            ViewMode::Blink => Self::One(Show::Side(turn)),
        }
    }

    /// Number of viewports side by side.
    pub fn viewports(self) -> usize {
        match self {
            Self::SideBySide { .. } => 2,
            Self::One(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn exaggerated_joints_carry_points_as_far_as_the_mesh_is_drawn() {
        let raw = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.3), Vec3::new(1.0, 2.0, 3.0));
        let lossy = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.31), Vec3::new(1.0, 2.01, 3.0));
        let point = Vec3::new(0.1, -0.4, 0.2);
        let [before, after] = [raw, lossy].map(|m| m.transform_point3(point));
        for gain in [0.0, 1.0, 20.0, 500.0] {
            let drawn = exaggerated(&[raw], &[lossy], gain)[0].transform_point3(point);
            assert!(drawn.distance(before + (after - before) * gain) < 1e-5 * gain.max(1.0), "gain {gain}");
        }
    }
}
