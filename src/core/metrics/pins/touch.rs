//! Distance of a point from the surface of a joint.

use crate::model::{Rig, SkinnedMesh};
use glam::{Vec3, Vec3A};

/// A vertex belongs to a joint from this weight.
const OWN_WEIGHT: f32 = 0.5;

/// Corners within this share of a mesh's length are its end.
const END_SHARE: f32 = 0.03;
/// A mesh is long if it is within this share of its length of its axis.
const SLENDER: f32 = 0.2;

/// The surface of a joint, in its space: triangles if it moves a mesh, else the bones to its children. A mesh without triangles counts by its
/// vertices.
pub(super) struct Surface {
    triangles: Vec<[Vec3A; 3]>,
    bones: Vec<Vec3A>,
}

impl Surface {
    pub(super) fn of(rig: &Rig, joint: usize) -> Self {
        let triangles = rig.meshes.iter().flat_map(|mesh| triangles_of(mesh, joint)).collect();
        let child = |child: &usize| Vec3A::from(rig.skeleton.bind(*child).translation);
        Self { triangles, bones: rig.skeleton.children(joint).iter().map(child).collect() }
    }

    /// True if the joint moves a mesh.
    pub(super) fn has_mesh(&self) -> bool {
        !self.triangles.is_empty()
    }

    fn corners(&self) -> impl Iterator<Item = Vec3A> + '_ {
        self.triangles.iter().flatten().copied()
    }

    /// The end farthest from the origin, and the opposite one: the middles of the corners there.
    fn ends(&self) -> Option<[Vec3A; 2]> {
        let farthest = |from: Vec3A| self.corners().max_by(|a, b| a.distance(from).total_cmp(&b.distance(from)));
        let first = farthest(Vec3A::ZERO)?;
        let way = farthest(first)? - first;
        let along = |corner: Vec3A| (corner - first).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
        let middle_at = |end: f32| {
            let near = self.corners().filter(|corner| (along(*corner) - end).abs() <= END_SHARE);
            let all = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            let (low, high) = near.fold(all, |(low, high), p| (low.min(p), high.max(p)));
            (low + high) / 2.0
        };
        Some([middle_at(0.0), middle_at(1.0)])
    }

    /// Distance of a point from the surface, in the units of the joint's space.
    pub(super) fn distance(&self, point: Vec3A) -> f32 {
        let of_triangle = |corners: &[Vec3A; 3]| point.distance(nearest_of_triangle(point, corners));
        let of_bone = |end: &Vec3A| point.distance(nearest_of_segment(point, Vec3A::ZERO, *end));
        if self.has_mesh() {
            return self.triangles.iter().map(of_triangle).fold(f32::INFINITY, f32::min);
        }
        self.bones.iter().map(of_bone).fold(point.length(), f32::min)
    }
}

/// The triangles of a mesh that follow a joint, in its space.
fn triangles_of(mesh: &SkinnedMesh, joint: usize) -> Vec<[Vec3A; 3]> {
    let Some(slot) = mesh.palette.iter().position(|skin| skin.joint == joint) else { return Vec::new() };
    let joint_from_mesh = mesh.palette[slot].joint_from_mesh;
    let owns = |vertex: u32| own_weight(mesh, slot, vertex as usize) >= OWN_WEIGHT;
    let corner = |vertex: u32| joint_from_mesh.transform_point3a(mesh.positions[vertex as usize].into());
    if mesh.triangles.is_empty() {
        let own = (0..mesh.positions.len() as u32).filter(|&vertex| owns(vertex));
        return own.map(|vertex| [corner(vertex); 3]).collect();
    }
    let own = mesh.triangles.iter().filter(|corners| corners.iter().any(|&v| owns(v)));
    own.map(|corners| corners.map(corner)).collect()
}

fn own_weight(mesh: &SkinnedMesh, slot: usize, vertex: usize) -> f32 {
    let influences = mesh.influences[vertex].iter().zip(mesh.weights[vertex]);
    influences.filter(|(of, _)| usize::from(**of) == slot).map(|(_, weight)| weight).sum()
}

/// The ends of the mesh that follows a joint, in its space: the one farthest from the joint, and the opposite one. Empty without
/// a mesh.
pub(super) fn far_ends(rig: &Rig, joint: usize) -> Vec<Vec3> {
    Surface::of(rig, joint).ends().into_iter().flatten().map(Vec3::from).collect()
}

/// The long axis of the mesh that follows a joint, a unit vector in its space. `None` if the mesh is not clearly longer than wide.
pub(super) fn long_axis(rig: &Rig, joint: usize) -> Option<Vec3A> {
    let surface = Surface::of(rig, joint);
    let [first, last] = surface.ends()?;
    let way = last - first;
    let axis = way.try_normalize()?;
    let wide = surface.corners().map(|p| (p - first).reject_from_normalized(axis).length()).fold(0.0, f32::max);
    (wide <= way.length() * SLENDER).then_some(axis)
}

fn nearest_of_segment(point: Vec3A, from: Vec3A, to: Vec3A) -> Vec3A {
    let way = to - from;
    let part = (point - from).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
    from + way * part.clamp(0.0, 1.0)
}

/// The foot of the perpendicular if it lies in the triangle, else the nearest point of its edges.
fn nearest_of_triangle(point: Vec3A, &[a, b, c]: &[Vec3A; 3]) -> Vec3A {
    let normal = (b - a).cross(c - a);
    let inside = |from: Vec3A, to: Vec3A| (to - from).cross(point - from).dot(normal) >= 0.0;
    if normal.length_squared() > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return point - normal * ((point - a).dot(normal) / normal.length_squared());
    }
    let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| nearest_of_segment(point, from, to));
    edges.into_iter().fold(a, |best, one| if one.distance(point) < best.distance(point) { one } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_is_inside_on_an_edge_or_a_corner() {
        let corners = [Vec3A::ZERO, Vec3A::X, Vec3A::Y];
        let distance = |point: Vec3A| nearest_of_triangle(point, &corners).distance(point);
        assert_eq!(distance(Vec3A::new(0.25, 0.25, 2.0)), 2.0);
        assert_eq!(distance(Vec3A::new(0.5, -3.0, 0.0)), 3.0);
        assert_eq!(distance(Vec3A::new(-3.0, -4.0, 0.0)), 5.0);
        let flat = [Vec3A::ZERO, Vec3A::X, Vec3A::X * 2.0];
        assert_eq!(nearest_of_triangle(Vec3A::new(1.5, 1.0, 0.0), &flat), Vec3A::X * 1.5);
    }
}
