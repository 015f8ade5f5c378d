//! Error limits of float tracks that keep the mesh within a tolerance.

use crate::model::{Clip, ModelPose, MorphTarget, Rig, Skeleton, SkinnedMesh};
use glam::{Affine3A, Mat3A, Vec3};

/// The largest error of each float track at a sample, in the track's own units.
///
/// A track that weights morph targets moves vertices by weight x displacement. If several tracks move one vertex, they share the tolerance
/// equally per metre of displacement. A vertex v allows each of its tracks an error of `tolerance_m / sum_i |d_i(v)|`. The limit of a track
/// comes from its strictest vertex, so all tracks together move no vertex farther than the tolerance.
///
/// Only tracks that move in this clip count; others are stored exactly. Displacements are multiplied by the largest scale that the mesh's
/// joints have in the clip. Tracks that are constant or displace no vertex have the limit `plain`.
pub fn float_limits(rig: &Rig, clip: &Clip, tolerance_m: f32, plain: f32) -> Vec<f32> {
    let moves = |track: usize| (1..clip.samples()).any(|s| clip.floats(s)[track] != clip.floats(0)[track]);
    let moving: Vec<bool> = (0..clip.float_tracks()).map(moves).collect();
    let mut limits = vec![f32::INFINITY; moving.len()];
    for mesh in &rig.meshes {
        let targets: Vec<&MorphTarget> =
            mesh.targets.iter().filter(|t| moving.get(t.float_track).is_some_and(|moves| *moves)).collect();
        if targets.is_empty() {
            continue;
        }
        let scale = largest_scale(mesh, &rig.skeleton, clip);
        for vertex in 0..mesh.positions.len() {
            let displaced_m = |target: &&MorphTarget| target.positions.get(vertex).map_or(0.0, |d| d.length());
            let sum_m: f32 = targets.iter().map(displaced_m).sum();
            for target in targets.iter().filter(|target| displaced_m(target) > 0.0) {
                let limit = &mut limits[target.float_track];
                *limit = limit.min(tolerance_m / (scale * sum_m));
            }
        }
    }
    limits.into_iter().map(|limit| if limit.is_finite() { limit } else { plain }).collect()
}

/// The largest factor by which a mesh's joints stretch it in a clip, or a bound slightly above it.
fn largest_scale(mesh: &SkinnedMesh, skeleton: &Skeleton, clip: &Clip) -> f32 {
    let mut model = ModelPose::default();
    let mut largest = 0.0f32;
    for sample in 0..clip.samples() {
        model.update(skeleton, clip.pose(sample));
        let skins = mesh.palette.iter().map(|skin| model.joints[skin.joint] * skin.joint_from_mesh);
        largest = skins.map(|skin: Affine3A| stretch_bound_sq(skin.matrix3)).fold(largest, f32::max);
    }
    largest.sqrt()
}

/// Bounds the square of the largest singular value by the largest row sum of `A^T A`. It is exact for a rotation with uniform scale.
fn stretch_bound_sq(matrix: Mat3A) -> f32 {
    let square = matrix.transpose() * matrix;
    let rows = [square.x_axis, square.y_axis, square.z_axis].map(|row| Vec3::from(row.abs()).element_sum());
    rows.into_iter().fold(0.0, f32::max)
}
