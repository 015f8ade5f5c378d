use crate::render::{Bounds, bones};
use posepress_core::model::{ModelPose, Rig};
use std::f32::consts::{PI, TAU};

/// A corner of the unit capsule.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct CapsuleVertex {
    outward: [f32; 3],
    end: f32,
}

/// A bone as the shader reads it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct BoneInstance {
    from_joint: u32,
    to_joint: u32,
    to_offset: [f32; 3],
    radii_m: [f32; 2],
}

pub(super) const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32];

pub(super) const INSTANCE_ATTRIBUTES: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![2 => Uint32, 3 => Uint32, 4 => Float32x3, 5 => Float32x2];

pub(super) const VERTEX_BYTES: u64 = size_of::<CapsuleVertex>() as u64;
pub(super) const INSTANCE_BYTES: u64 = size_of::<BoneInstance>() as u64;

const SEGMENTS: usize = 20;
/// Rings of each half sphere, equator included.
const RINGS: usize = 6;
/// Radius of a bone as a part of its length ...
const THICKNESS: f32 = 0.16;
/// ... but within these parts of the figure's size.
const RADIUS_OF_FIGURE: [f32; 2] = [0.008, 0.025];
/// The far end is thinner, so that direction reads.
const TAPER: f32 = 0.72;

/// Two half spheres; the side of the capsule is the band between their equators.
pub(super) fn unit_capsule() -> (Vec<CapsuleVertex>, Vec<u32>) {
    let ring = |index: usize| {
        let upper = index >= RINGS;
        let step = if upper { index - 1 } else { index };
        let elevation = step as f32 / (2 * RINGS - 2) as f32 * PI - PI * 0.5;
        (0..SEGMENTS).map(move |segment| {
            let (sin, cos) = (segment as f32 / SEGMENTS as f32 * TAU).sin_cos();
            let flat = elevation.cos();
            CapsuleVertex { outward: [cos * flat, elevation.sin(), sin * flat], end: f32::from(u8::from(upper)) }
        })
    };
    let vertices = (0..2 * RINGS).flat_map(ring).collect();
    let quad = |ring: usize, segment: usize| {
        let next = (segment + 1) % SEGMENTS;
        let at = |ring: usize, segment: usize| (ring * SEGMENTS + segment) as u32;
        let [a, b, c, d] = [at(ring, segment), at(ring, next), at(ring + 1, next), at(ring + 1, segment)];
        [a, c, b, a, d, c]
    };
    let indices = (0..2 * RINGS - 1).flat_map(|r| (0..SEGMENTS).flat_map(move |s| quad(r, s))).collect();
    (vertices, indices)
}

/// A capsule for every bone of the rig, a sphere for every leaf without a tip.
pub(super) fn instances(rig: &Rig) -> Vec<BoneInstance> {
    let bind = rig.skeleton.bind_pose(0);
    let model = ModelPose::new(&rig.skeleton, &bind.joints).joints;
    let bones = bones(rig);
    let points = bones.iter().flat_map(|bone| bone.ends(&model));
    let extent_m = Bounds::of_points(points).map_or(0.0, |b| (b.max - b.min).max_element());
    let figure_m = if extent_m > 0.0 { extent_m } else { 1.0 };
    let [thinnest, thickest] = RADIUS_OF_FIGURE.map(|part| part * figure_m);
    let mut out: Vec<_> = bones
        .iter()
        .map(|bone| {
            let [a, b] = bone.ends(&model);
            let radius = (a.distance(b) * THICKNESS).clamp(thinnest, thickest.max(thinnest));
            let (from_joint, to_joint) = (bone.from as u32, bone.to as u32);
            let radii_m = [radius, radius * TAPER];
            BoneInstance { from_joint, to_joint, to_offset: bone.offset.to_array(), radii_m }
        })
        .collect();
    let ends_free =
        |joint: usize| rig.skeleton.children(joint).is_empty() && !bones.iter().any(|bone| bone.from == joint);
    let leaf = |joint: usize| BoneInstance {
        from_joint: joint as u32,
        to_joint: joint as u32,
        to_offset: [0.0; 3],
        radii_m: [thinnest; 2],
    };
    out.extend((0..rig.skeleton.len()).filter(|&joint| ends_free(joint)).map(leaf));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::gpu::shaders::BONE;
    use crate::render::gpu::wgsl::{assert_inputs, fields_of};
    use glam::Vec3;

    #[test]
    fn bones_are_what_the_shader_reads() {
        let corner = fields_of!(CapsuleVertex { outward, end });
        let bone = fields_of!(BoneInstance { from_joint, to_joint, to_offset, radii_m });
        assert_inputs(BONE, "vertex", &[(&corner, &VERTEX_ATTRIBUTES), (&bone, &INSTANCE_ATTRIBUTES)]);
    }

    #[test]
    fn the_capsule_is_closed_and_faces_outwards() {
        let (vertices, indices) = unit_capsule();
        assert_eq!(indices.len(), (2 * RINGS - 1) * SEGMENTS * 6);
        let at = |i: u32| {
            let v = vertices[i as usize];
            Vec3::from(v.outward) + Vec3::Y * v.end
        };
        for t in indices.chunks(3) {
            let [a, b, c] = [at(t[0]), at(t[1]), at(t[2])];
            let normal = (b - a).cross(c - a);
            let outward = (a + b + c) / 3.0 - Vec3::Y * 0.5;
            assert!(normal.length() < 1e-6 || normal.dot(outward) > 0.0, "triangle {t:?} faces inwards");
        }
    }
}
