//! Pictures without a window, on any Vulkan driver. Mesa's lavapipe is enough.

mod device;
mod errors;
mod figures;
mod pictures;

use glam::{Quat, Vec2, Vec3};
use image::RgbaImage;
use posepress_app::render::{AdapterChoice, Arrangement, FigurePose, Headless, RenderJob, Show, Side, ViewScene};
use posepress_core::math::Transform;
use posepress_core::model::{Joint, ModelPose, MorphTarget, Pose, Rig, Skeleton, SkinJoint, SkinnedMesh, Tip};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

const SIZE_PX: [u32; 2] = [160, 120];

/// One device for all tests, because creating it takes most of the time.
fn device() -> MutexGuard<'static, Headless> {
    static DEVICE: OnceLock<Mutex<Headless>> = OnceLock::new();
    let open = || Mutex::new(Headless::new(AdapterChoice::Reproducible).expect("install mesa-vulkan-drivers"));
    DEVICE.get_or_init(open).lock().unwrap_or_else(PoisonError::into_inner)
}

fn joint(name: &str, parent: Option<usize>, y: f32) -> Joint {
    Joint { name: name.into(), parent, bind: Transform::from_translation(Vec3::Y * y) }
}

/// A chain of three joints with bones of half a metre.
fn chain() -> Skeleton {
    Skeleton::new(vec![joint("hip", None, 0.2), joint("knee", Some(0), 0.5), joint("ankle", Some(1), 0.5)]).unwrap()
}

/// A smooth tube around the chain with a bulge as its morph target.
fn tube() -> Rig {
    const RINGS: usize = 25;
    const SEGMENTS: usize = 16;
    let skeleton = chain();
    let bind = skeleton.bind_pose(0);
    let model = ModelPose::new(&skeleton, &bind.joints);
    let mut mesh = SkinnedMesh { name: "tube".into(), ..SkinnedMesh::default() };
    mesh.palette = (0..3).map(|j| SkinJoint { joint: j, joint_from_mesh: model.joints[j].inverse() }).collect();
    for ring in 0..RINGS {
        let along = ring as f32 / (RINGS - 1) as f32;
        for segment in 0..SEGMENTS {
            let (sin, cos) = (segment as f32 / SEGMENTS as f32 * std::f32::consts::TAU).sin_cos();
            mesh.positions.push(Vec3::new(cos * 0.12, 0.2 + along, sin * 0.12));
            mesh.normals.push(Vec3::new(cos, 0.0, sin));
            mesh.uvs.push(Vec2::new(along, segment as f32 / SEGMENTS as f32));
            let lower = (1.0 - along * 2.0).max(0.0);
            let upper = (along * 2.0 - 1.0).max(0.0);
            mesh.weights.push([lower, 1.0 - lower - upper, upper, 0.0]);
            mesh.influences.push([0, 1, 2, 0]);
            mesh.colors.push([1.0; 4]);
        }
    }
    let at = |ring: usize, segment: usize| (ring * SEGMENTS + segment % SEGMENTS) as u32;
    for ring in 0..RINGS - 1 {
        for segment in 0..SEGMENTS {
            let [a, b] = [at(ring, segment), at(ring, segment + 1)];
            let [c, d] = [at(ring + 1, segment + 1), at(ring + 1, segment)];
            mesh.triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    let bulge = mesh.positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z) * p.y).collect();
    mesh.targets.push(MorphTarget { name: "bulge".into(), float_track: 0, positions: bulge, normals: vec![] });
    Rig { meshes: vec![mesh], float_names: vec!["bulge".into()], ..Rig::from_skeleton("tube", skeleton) }
}

fn bent(rig: &Rig, knee_rad: f32, bulge: f32) -> Pose {
    let mut pose = rig.skeleton.bind_pose(rig.float_names.len());
    pose.joints[1].rotation = Quat::from_rotation_x(knee_rad);
    pose.joints[0].rotation = Quat::from_rotation_z(0.1);
    if let Some(weight) = pose.floats.first_mut() {
        *weight = bulge;
    }
    pose
}

/// A scene with a bent knee, and a lossy pose that bends it a little more.
fn scene(rig: &Arc<Rig>) -> ViewScene {
    let mut scene = ViewScene::new(rig.clone(), FigurePose::from_pose(rig, &bent(rig, 0.6, 0.0)));
    scene.lossy = Some(FigurePose::from_pose(rig, &bent(rig, 0.75, 0.0)));
    scene
}

fn draw(scene: &ViewScene, arrangement: Arrangement) -> RgbaImage {
    let scene = Arc::new(scene.clone());
    let job = RenderJob { size_px: SIZE_PX, pixels_per_point: 1.0, arrangement, scene, compressed_camera: None };
    device().render(&job).unwrap()
}

fn original(scene: &ViewScene) -> RgbaImage {
    draw(scene, Arrangement::One(Show::Side(Side::Original)))
}

fn compressed(scene: &ViewScene) -> RgbaImage {
    draw(scene, Arrangement::One(Show::Side(Side::Compressed)))
}

fn differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    assert_eq!(a.dimensions(), b.dimensions());
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

/// The chain without a mesh, with a tip at the last joint.
fn capsules() -> Rig {
    let mut rig = Rig::from_skeleton("bones", chain());
    rig.tips.push(Tip { joint: 2, offset: Vec3::new(0.0, 0.1, 0.2) });
    rig
}
