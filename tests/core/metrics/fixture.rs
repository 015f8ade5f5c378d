use glam::{Quat, Vec2, Vec3};
use posepress_core::math::Transform;
use posepress_core::metrics::{ContactPlan, ContactSettings, ErrorReport, ModelTrack, measure};
use posepress_core::model::{Clip, ClipData, ClipSampler, Joint, MorphTarget, Rig, Skeleton, SkinJoint, SkinnedMesh};
use std::sync::Arc;

/// Steps per sample of every track here.
pub const SUB_FRAMES: usize = 4;
/// Height of a standing ankle, metres.
pub const ANKLE_M: f32 = 0.08;
pub const FOOT_L: usize = 3;
pub const FOOT_R: usize = 6;

/// Hips at 0.9 m with two straight legs, scaled by `size`. Joint 3 is the left foot, 6 the right foot.
pub fn biped(size: f32) -> Rig {
    let joint = |name: &str, parent, translation: [f32; 3]| Joint {
        name: name.into(),
        parent,
        bind: Transform::from_translation(Vec3::from(translation) * size),
    };
    let joints = vec![
        joint("hips", None, [0.0, 0.9, 0.0]),
        joint("thigh_l", Some(0), [0.1, 0.0, 0.0]),
        joint("shin_l", Some(1), [0.0, -0.41, 0.0]),
        joint("foot_l", Some(2), [0.0, ANKLE_M - 0.49, 0.0]),
        joint("thigh_r", Some(0), [-0.1, 0.0, 0.0]),
        joint("shin_r", Some(4), [0.0, -0.41, 0.0]),
        joint("foot_r", Some(5), [0.0, ANKLE_M - 0.49, 0.0]),
    ];
    Rig::from_skeleton("biped", Skeleton::new(joints).unwrap())
}

/// Positions of hips and feet at a time.
#[derive(Clone, Copy)]
pub struct Stance {
    pub hips: Vec3,
    pub left: Vec3,
    pub right: Vec3,
}

impl Stance {
    /// Standing still.
    pub fn still(size: f32) -> Self {
        let foot = |x| Vec3::new(x, ANKLE_M, 0.0) * size;
        Self { hips: Vec3::new(0.0, 0.9, 0.0) * size, left: foot(0.1), right: foot(-0.1) }
    }
}

/// A clip of the biped at 30 Hz with hips and feet at the positions of `stance`. The shins stretch.
pub fn biped_clip(rig: &Rig, samples: usize, looping: bool, stance: impl Fn(f32) -> Stance) -> Clip {
    let duration_secs = (samples - 1) as f32 / 30.0;
    let mut transforms = Vec::new();
    for sample in 0..samples {
        let at = stance(sample as f32 / 30.0);
        let mut pose: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
        pose[0].translation = at.hips;
        for (foot, target) in [(FOOT_L, at.left), (FOOT_R, at.right)] {
            let shin = at.hips + pose[foot - 2].translation + pose[foot - 1].translation;
            pose[foot].translation = target - shin;
        }
        transforms.extend(pose);
    }
    clip(rig, duration_secs, transforms, vec![], looping)
}

pub fn clip(rig: &Rig, duration_secs: f32, transforms: Vec<Transform>, floats: Vec<f32>, looping: bool) -> Clip {
    Clip::new(ClipData {
        name: "clip".into(),
        joints: rig.skeleton.len(),
        duration_secs,
        transforms,
        float_tracks: rig.float_names.len(),
        floats,
        holds: vec![],
        looping: Some(looping),
    })
    .unwrap()
}

/// The clip, with every local transform changed by `change(sample, joint, transform)`.
pub fn changed(rig: &Rig, raw: &Clip, change: impl Fn(usize, usize, &mut Transform)) -> Clip {
    let mut transforms = Vec::new();
    for sample in 0..raw.samples() {
        for (joint, mut t) in raw.pose(sample).iter().copied().enumerate() {
            change(sample, joint, &mut t);
            transforms.push(t);
        }
    }
    let floats = (0..raw.samples()).flat_map(|s| raw.floats(s)).copied().collect();
    clip(rig, raw.duration_secs(), transforms, floats, raw.is_looping())
}

pub fn track(rig: &Rig, clip: &Clip) -> ModelTrack {
    ModelTrack::sample(&rig.skeleton, &mut ClipSampler::new(clip), clip.grid(), SUB_FRAMES, clip.float_tracks())
}

pub fn plan(rig: &Rig, clip: &Clip) -> ContactPlan {
    ContactPlan::find(rig, clip, &track(rig, clip), &ContactSettings::default())
}

/// All measurements except the skin, with 3 cm shells.
pub fn report(rig: &Rig, raw: &Clip, lossy: &Clip) -> ErrorReport {
    let (settings, shells) = (ContactSettings::default(), vec![0.03; rig.skeleton.len()]);
    let plan = Arc::new(plan(rig, raw));
    measure(rig, raw, &track(rig, raw), &track(rig, lossy), &plan, &shells, 1e-4, &settings)
}

/// One foot of a walk on a treadmill that runs at 1.4 m/s along -z: one second per cycle, 0.6 s of it on the ground.
pub fn treadmill_foot(time_secs: f32, phase: f32) -> (f32, f32) {
    let cycle = (time_secs + phase).rem_euclid(1.0);
    if cycle < 0.6 {
        return (0.0, 0.42 - 1.4 * cycle);
    }
    let swing = (cycle - 0.6) / 0.4;
    let forward = -0.42 + 0.84 * swing * swing * (3.0 - 2.0 * swing);
    (0.15 * (std::f32::consts::PI * swing).sin(), forward)
}

/// Both feet of that walk, on the treadmill or over ground at rest.
pub fn walk(time_secs: f32, size: f32, travel: bool) -> Stance {
    let ahead = if travel { Vec3::Z * 1.4 * time_secs } else { Vec3::ZERO };
    let mut stance = Stance::still(1.0);
    let foot = |at: Vec3, (y, z): (f32, f32)| (at + ahead + Vec3::new(0.0, y, z)) * size;
    stance.left = foot(stance.left, treadmill_foot(time_secs, 0.1));
    stance.right = foot(stance.right, treadmill_foot(time_secs, 0.6));
    stance.hips = (stance.hips + ahead) * size;
    stance
}

/// A random generator with the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    /// Uniform in -1..1.
    pub fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 1.5).normalize()
    }
}

/// A mesh of one joint. Its vertices are in that joint's bind space at `origin`.
pub fn rigid_mesh(joint: usize, origin: Vec3, vertices: &[Vec3]) -> SkinnedMesh {
    let count = vertices.len();
    SkinnedMesh {
        name: "mesh".into(),
        palette: vec![SkinJoint { joint, joint_from_mesh: glam::Affine3A::from_translation(-origin) }],
        positions: vertices.iter().map(|v| *v + origin).collect(),
        normals: vec![Vec3::Y; count],
        uvs: vec![Vec2::ZERO; count],
        colors: vec![[1.0; 4]; count],
        influences: vec![[0; 4]; count],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; count],
        ..SkinnedMesh::default()
    }
}

/// A random chain with a random skin of `vertices` vertices and two morph targets on float tracks 0 and 1.
pub fn random_skin(seed: u64, joints: usize, vertices: usize) -> Rig {
    let mut random = Random(seed);
    let chain = (0..joints).map(|i| Joint {
        name: format!("j{i}"),
        parent: i.checked_sub(1),
        bind: Transform { rotation: random.rotation(), translation: random.vec3() * 0.4, scale: Vec3::ONE },
    });
    let mut rig = Rig::from_skeleton("random", Skeleton::new(chain.collect()).unwrap());
    let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
    let bind = posepress_core::model::ModelPose::new(&rig.skeleton, &bind);
    let mut mesh = rigid_mesh(0, Vec3::ZERO, &(0..vertices).map(|_| random.vec3()).collect::<Vec<_>>());
    mesh.palette =
        (0..joints).map(|joint| SkinJoint { joint, joint_from_mesh: bind.joints[joint].inverse() }).collect();
    for vertex in 0..vertices {
        let used = 1 + vertex % 4;
        let mut weights = [0.0; 4];
        for (slot, weight) in weights.iter_mut().enumerate().take(used) {
            mesh.influences[vertex][slot] = ((vertex * 7 + slot * 3) % joints) as u16;
            *weight = 1.0 / used as f32;
        }
        mesh.weights[vertex] = weights;
    }
    mesh.targets = (0..2)
        .map(|float_track| MorphTarget {
            name: format!("t{float_track}"),
            float_track,
            positions: (0..vertices).map(|_| random.vec3() * 0.05).collect(),
            normals: vec![],
        })
        .collect();
    rig.meshes = vec![mesh];
    rig.float_names = vec!["t0".into(), "t1".into()];
    rig
}

/// Random motion of a rig with small differences between neighbouring samples.
pub fn random_clip(rig: &Rig, seed: u64, samples: usize) -> Clip {
    let mut random = Random(seed);
    let (mut transforms, mut floats) = (Vec::new(), Vec::new());
    for sample in 0..samples {
        let turn = Quat::from_rotation_y(0.1 * sample as f32);
        let wobble = |t: Transform, r: Quat| Transform { rotation: t.rotation * turn.slerp(r, 0.1), ..t };
        transforms.extend(rig.skeleton.joints().iter().map(|j| wobble(j.bind, random.rotation())));
        floats.extend(rig.float_names.iter().map(|_| random.signed().abs()));
    }
    clip(rig, (samples - 1) as f32 / 30.0, transforms, floats, false)
}
