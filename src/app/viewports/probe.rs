use super::scene::Figures;
use crate::render::{Side, ViewScene};
use egui::{Pos2, Rect};
use glam::{Affine3A, Mat4, Vec2, Vec3, Vec4Swizzles};
use posepress_core::model::SkinnedMesh;

/// Largest distance from the pointer to a vertex, points.
const REACH: f32 = 9.0;
/// Characters with more vertices are not searched, because a frame must not wait for a tooltip.
const MAX_VERTICES: usize = 50_000;
/// Vertices that are deeper than the front one by more than this share count as hidden.
const SAME_SURFACE: f32 = 0.015;

/// The vertex under the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Joint that moves the vertex most.
    pub joint: usize,
    /// Distance of the compressed vertex from the original one, metres.
    pub error_m: f32,
}

/// The vertex of the compressed character under the pointer, on the front surface.
pub fn vertex(figures: &Figures, scene: &ViewScene, rect: Rect, pointer: Pos2) -> Option<Probe> {
    let decoded = figures.decoded.as_ref()?;
    if figures.rig.vertex_count() > MAX_VERTICES {
        return None;
    }
    let drawn = scene.drawn_joints(Side::Compressed);
    let size = Vec2::new(rect.width(), rect.height());
    let screen = Screen { clip_from_world: scene.camera.clip_from_world(size.x / size.y), size };
    let at = pointer - rect.min;
    let is_drawn = |(_, skin): &(usize, &SkinnedMesh)| !scene.hidden_meshes.contains(&skin.name);
    let near = figures.rig.meshes.iter().enumerate().filter(is_drawn).flat_map(|(mesh, skin)| {
        let hits = screen.near(skin, (&drawn, &decoded.floats), Vec2::new(at.x, at.y));
        hits.map(move |hit| (mesh, hit))
    });
    let near: Vec<(usize, Hit)> = near.collect();
    let front = near.iter().map(|(_, hit)| hit.depth_m).fold(f32::INFINITY, f32::min);
    let seen = near.into_iter().filter(|(_, hit)| hit.depth_m <= front * (1.0 + SAME_SURFACE));
    let (mesh, hit) = seen.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))?;
    let skin = figures.rig.meshes.get(mesh)?;
    let true_place = skin.skin_vertex(hit.vertex, &figures.raw.joints, &figures.raw.floats);
    let place = skin.skin_vertex(hit.vertex, &decoded.joints, &decoded.floats);
    Some(Probe { joint: heaviest_joint(skin, hit.vertex)?, error_m: place.distance(true_place) })
}

#[derive(Debug, Clone, Copy)]
struct Hit {
    vertex: usize,
    /// From the pointer, points.
    distance: f32,
    depth_m: f32,
}

struct Screen {
    clip_from_world: Mat4,
    size: Vec2,
}

impl Screen {
    fn near<'a>(
        &'a self,
        skin: &'a SkinnedMesh,
        (joints, floats): (&'a [Affine3A], &'a [f32]),
        pointer: Vec2,
    ) -> impl Iterator<Item = Hit> + 'a {
        (0..skin.positions.len()).filter_map(move |vertex| {
            let (at, depth_m) = self.project(skin.skin_vertex(vertex, joints, floats))?;
            let distance = at.distance(pointer);
            (distance <= REACH).then_some(Hit { vertex, distance, depth_m })
        })
    }

    fn project(&self, world: Vec3) -> Option<(Vec2, f32)> {
        let clip = self.clip_from_world * world.extend(1.0);
        let ndc = Vec2::new(clip.x, -clip.y) / clip.w;
        (clip.w > 0.0 && clip.xyz().is_finite()).then(|| ((ndc * 0.5 + 0.5) * self.size, clip.w))
    }
}

fn heaviest_joint(skin: &SkinnedMesh, vertex: usize) -> Option<usize> {
    let (influences, weights) = (skin.influences.get(vertex)?, skin.weights.get(vertex)?);
    let heaviest = (0..4).max_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
    Some(skin.palette.get(usize::from(influences[heaviest]))?.joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::FigurePose;
    use posepress_core::math::Transform;
    use posepress_core::model::{Joint, Rig, Skeleton, SkinJoint};
    use std::sync::Arc;

    /// Two joints, each with a sheet of vertices: one at the front, one behind it.
    fn figures() -> Figures {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint("front", None), joint("behind", Some(0))]).unwrap();
        let mut mesh = SkinnedMesh {
            palette: (0..2).map(|joint| SkinJoint { joint, joint_from_mesh: Affine3A::IDENTITY }).collect(),
            ..SkinnedMesh::default()
        };
        for i in 0..200 {
            let (x, y) = ((i / 2 % 10) as f32 * 0.02 - 0.1, (i / 20) as f32 * 0.02 + 0.8);
            mesh.positions.push(Vec3::new(x, y, if i % 2 == 0 { 0.3 } else { -0.3 }));
            mesh.influences.push([(i % 2) as u16, 0, 0, 0]);
            mesh.weights.push([1.0, 0.0, 0.0, 0.0]);
        }
        let rig = Rig { meshes: vec![mesh], ..Rig::from_skeleton("sheets", skeleton) };
        let moved = |x: f32| Affine3A::from_translation(Vec3::X * x);
        Figures {
            rig: Arc::new(rig),
            time_secs: 0.0,
            raw: FigurePose::new(&[Affine3A::IDENTITY; 2], &[]),
            decoded: Some(FigurePose::new(&[moved(0.002), moved(0.005)], &[])),
            joint_errors_m: Arc::default(),
            standing: vec![],
        }
    }

    #[test]
    fn the_surface_in_front_is_measured() {
        let figures = figures();
        let mut scene = ViewScene::new(figures.rig.clone(), figures.raw.clone());
        scene.lossy = figures.decoded.clone();
        let rect = Rect::from_min_size(Pos2::new(40.0, 30.0), egui::vec2(400.0, 300.0));
        let pointer_at = |scene: &ViewScene, world: Vec3| {
            let px = scene.camera.project(world, Vec2::new(rect.width(), rect.height())).unwrap();
            rect.min + egui::vec2(px.x, px.y)
        };
        for (yaw_rad, joint, error_m) in [(0.0, 0, 0.002), (std::f32::consts::PI, 1, 0.005)] {
            (scene.camera.yaw_rad, scene.camera.pitch_rad) = (yaw_rad, 0.0);
            let z = if joint == 0 { 0.3 } else { -0.3 };
            let pointer = pointer_at(&scene, Vec3::new(0.0, 0.9, z));
            let probe = vertex(&figures, &scene, rect, pointer).unwrap();
            assert_eq!(probe.joint, joint);
            assert!((probe.error_m - error_m).abs() < 1e-6, "{probe:?}");
        }
        assert_eq!(vertex(&figures, &scene, rect, rect.min), None, "nothing is there");
    }
}
