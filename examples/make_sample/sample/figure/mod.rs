//! The figure: joints, surface, weights and morph targets.

mod body;
mod field;
mod remesh;
mod seam;
pub mod skeleton;
mod skin;
mod surface;

use body::Clay;
use glam::{Affine3A, Vec3};
use posepress_core::model::{Material, ModelPose, MorphTarget, Rig, Skeleton, SkinJoint, SkinnedMesh};
use skeleton::{rounded, skeleton};
use surface::Surface;

/// Cell size of the first, fine surface, metres. A cell must not contain two sheets of the surface, or edges get four
/// triangles. A test checks that the result is closed.
const CELL_M: f32 = 0.004;
/// Morph targets, in the order of the rig's float tracks.
pub const FLOAT_NAMES: [&str; 2] = ["breathe_in", "jaw_open"];
/// sRGB of light clay, as in the window.
const CLAY_SRGB: [u8; 3] = [0xAE, 0xB3, 0xB8];
/// sRGB of dark clay.
const DARK_CLAY_SRGB: [u8; 3] = [0x4D, 0x54, 0x5C];

/// The whole rig.
pub fn rig() -> Rig {
    let skeleton = skeleton();
    let mesh = mesh(&skeleton);
    Rig {
        meshes: vec![mesh],
        materials: vec![Material { name: "clay".into(), ..Material::default() }],
        float_names: FLOAT_NAMES.map(str::to_owned).to_vec(),
        ..Rig::from_skeleton("mannequin", skeleton)
    }
}

fn mesh(skeleton: &Skeleton) -> SkinnedMesh {
    let fine = surface::surface_nets(&body::distance, body::BOUNDS, CELL_M);
    let shape = remesh::Shape { project: &project, edge_length_m: &body::edge_length_m };
    let mut surface = remesh::remesh(&fine, &shape, 6);
    let dark = seam::cut(&mut surface, &body::darkness, &project);
    let (influences, weights) = skin::weights(&surface, skeleton);
    let (surface, from, colors) = with_colors(&surface, &dark);
    let pick = |v: &u32| *v as usize;
    SkinnedMesh {
        name: "mannequin".into(),
        palette: palette(skeleton),
        normals: surface.positions.iter().map(|&p| rounded_unit(field::gradient(body::distance, p))).collect(),
        uvs: vec![glam::Vec2::ZERO; surface.positions.len()],
        colors,
        influences: from.iter().map(|v| influences[pick(v)]).collect(),
        weights: from.iter().map(|v| weights[pick(v)]).collect(),
        targets: targets(&surface),
        positions: surface.positions.iter().map(|&p| rounded(p)).collect(),
        triangles: surface.triangles,
        material: Some(0),
    }
}

/// Moves a point onto the surface with Newton steps along the gradient.
fn project(p: Vec3) -> Vec3 {
    (0..3).fold(p, |p, _| p - field::gradient(body::distance, p) * body::distance(p))
}

fn rounded_unit(v: Vec3) -> Vec3 {
    rounded(v).normalize()
}

fn palette(skeleton: &Skeleton) -> Vec<SkinJoint> {
    let bind = ModelPose::new(skeleton, &skeleton.bind_pose(0).joints);
    let skin = |joint| SkinJoint { joint, joint_from_mesh: Affine3A::from_translation(-bind.origin(joint)) };
    (0..skeleton.len()).map(skin).collect()
}

/// Doubles the vertices of the seam, one per clay. Returns the surface, the source vertex of each vertex, and the colours.
fn with_colors(surface: &Surface, dark: &[bool]) -> (Surface, Vec<u32>, Vec<[f32; 4]>) {
    let mut renamed = vec![[u32::MAX; 2]; surface.positions.len()];
    let (mut out, mut from, mut colors) = (Surface::default(), Vec::new(), Vec::new());
    for (triangle, &dark) in surface.triangles.iter().zip(dark) {
        let corners = triangle.map(|v| {
            let slot = &mut renamed[v as usize][usize::from(dark)];
            if *slot == u32::MAX {
                *slot = out.positions.len() as u32;
                let position = surface.positions[v as usize];
                out.positions.push(position);
                from.push(v);
                colors.push(color(if dark { Clay::Dark } else { Clay::Light }, position));
            }
            *slot
        });
        out.triangles.push(corners);
    }
    (out, from, colors)
}

/// Linear RGBA, a little darker in folds.
fn color(clay: Clay, p: Vec3) -> [f32; 4] {
    let srgb = if clay == Clay::Dark { DARK_CLAY_SRGB } else { CLAY_SRGB };
    let light = openness(p);
    let linear = srgb.map(|v| (to_linear(v) * light * 1024.0).round() / 1024.0);
    [linear[0], linear[1], linear[2], 1.0]
}

/// Brightness from 0.7 in the deepest folds to 1 in the open. It compares the distance field with the height above the surface.
fn openness(p: Vec3) -> f32 {
    let normal = field::gradient(body::distance, p);
    let seen = [0.01, 0.025, 0.05].map(|h| (body::distance(p + normal * h) / h).clamp(0.0, 1.0));
    0.7 + 0.3 * seen.iter().sum::<f32>() / 3.0
}

fn to_linear(srgb: u8) -> f32 {
    let v = f32::from(srgb) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// The two morph targets: the chest fills with air, and the jaw drops.
fn targets(surface: &Surface) -> Vec<MorphTarget> {
    let bell = |p: Vec3, center: Vec3, radii: Vec3| {
        let d = ((p - center) / radii).length_squared();
        (1.0 - d).max(0.0).powi(2)
    };
    let breathe = |p: Vec3| {
        let out = Vec3::new(p.x * 0.06, 0.005, 0.013);
        let belly = Vec3::new(0.0, 0.0, 0.005) * bell(p, Vec3::new(0.0, 1.13, 0.09), Vec3::splat(0.11));
        let trunk = field::smoothstep(0.23, 0.15, p.x.abs());
        (out * bell(p, Vec3::new(0.0, 1.31, 0.05), Vec3::new(0.24, 0.2, 0.2)) + belly) * trunk
    };
    let jaw = |p: Vec3| Vec3::new(0.0, -0.011, -0.003) * bell(p, Vec3::new(0.0, 1.56, 0.07), Vec3::splat(0.055));
    let target = |float_track: usize, offset: &dyn Fn(Vec3) -> Vec3| MorphTarget {
        name: FLOAT_NAMES[float_track].into(),
        float_track,
        positions: surface.positions.iter().map(|&p| rounded(offset(p))).collect(),
        normals: Vec::new(),
    };
    vec![target(0, &breathe), target(1, &jaw)]
}
