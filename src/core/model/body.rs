//! A body of capsules for rigs without a mesh: the radii of the bones, and the mesh.

use super::{Bone, ModelPose, Rig, SkinJoint, SkinnedMesh, bones};
use glam::{Affine3A, Quat, Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Radius of a bone as a fraction of its length ...
const THICKNESS: f32 = 0.16;
/// ... clamped to these fractions of the character's size.
const RADIUS_OF_FIGURE: [f32; 2] = [0.008, 0.025];
/// Radius of the far end relative to the near end, so that bones show their direction.
const TAPER: f32 = 0.72;
/// Corners around, and rings of each half sphere.
const SEGMENTS: usize = 12;
const RINGS: usize = 4;

/// A bone with radii.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// Its line.
    pub bone: Bone,
    /// Radii at both ends, metres.
    pub radii_m: [f32; 2],
}

/// A capsule for every bone of a rig, a sphere for every leaf without a tip.
pub fn capsules(rig: &Rig) -> Vec<Capsule> {
    let model = at_rest(rig);
    let bones = bones(rig);
    let [thinnest, thickest] = RADIUS_OF_FIGURE.map(|part| part * size_m(&bones, &model));
    let thick = |bone: &Bone| {
        let [a, b] = bone.ends(&model);
        let radius = (a.distance(b) * THICKNESS).clamp(thinnest, thickest.max(thinnest));
        Capsule { bone: *bone, radii_m: [radius, radius * TAPER] }
    };
    let ends_free =
        |joint: &usize| rig.skeleton.children(*joint).is_empty() && !bones.iter().any(|bone| bone.from == *joint);
    let leaf =
        |joint: usize| Capsule { bone: Bone { from: joint, to: joint, offset: Vec3::ZERO }, radii_m: [thinnest; 2] };
    bones.iter().map(thick).chain((0..rig.skeleton.len()).filter(ends_free).map(leaf)).collect()
}

fn at_rest(rig: &Rig) -> Vec<Affine3A> {
    ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(0).joints).joints
}

/// Longest side of the bounding box of bones, metres; 1 if it is empty.
fn size_m(bones: &[Bone], model: &[Affine3A]) -> f32 {
    let points = || bones.iter().flat_map(|bone| bone.ends(model));
    let least = points().fold(Vec3::INFINITY, Vec3::min);
    let most = points().fold(Vec3::NEG_INFINITY, Vec3::max);
    let size_m = (most - least).max_element();
    if size_m > 0.0 { size_m } else { 1.0 }
}

/// A capsule mesh: two half spheres around the ends of a unit line along Y, joined between their equators.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitCapsule {
    /// The direction of each corner from the nearer end, and true if that is the far end.
    pub corners: Vec<(Vec3, bool)>,
    /// Corners of triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl UnitCapsule {
    /// A capsule with `segments` corners around (at least 3) and `rings` per half sphere with the equator (at least 2).
    pub fn new(segments: usize, rings: usize) -> Self {
        let ring = |index: usize| {
            let is_far = index >= rings;
            let step = if is_far { index - 1 } else { index };
            let elevation = step as f32 / (2 * rings - 2) as f32 * PI - PI * 0.5;
            (0..segments).map(move |segment| {
                let (sin, cos) = (segment as f32 / segments as f32 * TAU).sin_cos();
                let flat = elevation.cos();
                (Vec3::new(cos * flat, elevation.sin(), sin * flat), is_far)
            })
        };
        let quad = |ring: usize, segment: usize| {
            let next = (segment + 1) % segments;
            let at = |ring: usize, segment: usize| (ring * segments + segment) as u32;
            let [a, b, c, d] = [at(ring, segment), at(ring, next), at(ring + 1, next), at(ring + 1, segment)];
            [[a, c, b], [a, d, c]]
        };
        Self {
            corners: (0..2 * rings).flat_map(ring).collect(),
            triangles: (0..2 * rings - 1).flat_map(|r| (0..segments).flat_map(move |s| quad(r, s))).collect(),
        }
    }
}

impl Rig {
    /// Longest side of the bounding box of the bones in the bind pose, metres; 1 without bones.
    pub fn size_m(&self) -> f32 {
        size_m(&bones(self), &at_rest(self))
    }

    /// The same rig with [`capsules`] as its mesh. Each capsule follows the joint at its start. For rigs without a mesh.
    pub fn with_body(&self) -> Self {
        let model = at_rest(self);
        let unit = UnitCapsule::new(SEGMENTS, RINGS);
        let mut mesh = SkinnedMesh { name: "body".into(), ..SkinnedMesh::default() };
        for Capsule { bone, radii_m } in capsules(self) {
            let slot = mesh.slot(bone.from, &model);
            let first = mesh.positions.len() as u32;
            let [start, end] = bone.ends(&model);
            let along = Quat::from_rotation_arc(Vec3::Y, (end - start).try_normalize().unwrap_or(Vec3::Y));
            for &(outward, is_far) in &unit.corners {
                let (centre, radius_m) = if is_far { (end, radii_m[1]) } else { (start, radii_m[0]) };
                mesh.positions.push(centre + along * outward * radius_m);
                mesh.normals.push(along * outward);
            }
            mesh.influences.extend(unit.corners.iter().map(|_| [slot, 0, 0, 0]));
            mesh.triangles.extend(unit.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        }
        let vertices = mesh.positions.len();
        mesh.uvs = vec![Vec2::ZERO; vertices];
        mesh.colors = vec![[1.0; 4]; vertices];
        mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; vertices];
        Self { meshes: vec![mesh], ..self.clone() }
    }
}

impl SkinnedMesh {
    /// Index of a joint in the palette. Adds the joint if it is missing.
    fn slot(&mut self, joint: usize, model_from_joint: &[Affine3A]) -> u16 {
        let known = self.palette.iter().position(|skin| skin.joint == joint);
        let slot = known.unwrap_or_else(|| {
            self.palette.push(SkinJoint { joint, joint_from_mesh: model_from_joint[joint].inverse() });
            self.palette.len() - 1
        });
        slot as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton};

    #[test]
    fn the_capsule_is_closed_and_faces_outwards() {
        let unit = UnitCapsule::new(20, 6);
        assert_eq!(unit.triangles.len(), (2 * 6 - 1) * 20 * 2);
        let at = |corner: u32| {
            let (outward, is_far) = unit.corners[corner as usize];
            outward + Vec3::Y * f32::from(u8::from(is_far))
        };
        for triangle in &unit.triangles {
            let [a, b, c] = triangle.map(at);
            let normal = (b - a).cross(c - a);
            let outward = (a + b + c) / 3.0 - Vec3::Y * 0.5;
            assert!(normal.length() < 1e-6 || normal.dot(outward) > 0.0, "triangle {triangle:?} faces inwards");
        }
    }

    #[test]
    fn a_body_lies_around_its_bones_and_follows_their_joints() {
        let joint = |name: &str, parent, y| Joint {
            name: name.into(),
            parent,
            bind: Transform::from_translation(Vec3::new(0.0, y, 0.0)),
        };
        let joints = vec![joint("hips", None, 1.0), joint("knee", Some(0), -0.5), joint("foot", Some(1), -0.4)];
        let rig = Rig::from_skeleton("leg", Skeleton::new(joints).unwrap()).with_body();
        let mesh = &rig.meshes[0];
        let mut pose = rig.skeleton.bind_pose(0).joints;
        let rest = ModelPose::new(&rig.skeleton, &pose).joints;
        pose[1].rotation = Quat::from_rotation_x(1.2);
        let bent = ModelPose::new(&rig.skeleton, &pose).joints;
        for vertex in 0..mesh.positions.len() {
            let skin = &mesh.palette[usize::from(mesh.influences[vertex][0])];
            let placed = mesh.skin_vertex(vertex, &rest, &[]);
            assert!(placed.distance(mesh.positions[vertex]) < 1e-6);
            let off_line_m = placed.with_y(0.0).length();
            assert!((0.0..=0.03).contains(&off_line_m) && (-0.1..=1.1).contains(&placed.y), "{placed}");
            let moves = mesh.skin_vertex(vertex, &bent, &[]).distance(placed) > 1e-4;
            assert!(!moves || skin.joint > 0, "the thigh stays where it is");
        }
        let lowest = mesh.positions.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!((0.05..0.1).contains(&lowest), "the foot is a ball around its joint: {lowest}");
    }
}
