use glam::Vec3;
use posepress_core::model::{Capsule, Rig, UnitCapsule, capsules};

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
    member: u32,
}

pub(super) const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32];

pub(super) const INSTANCE_ATTRIBUTES: [wgpu::VertexAttribute; 5] =
    wgpu::vertex_attr_array![2 => Uint32, 3 => Uint32, 4 => Float32x3, 5 => Float32x2, 6 => Uint32];

pub(super) const VERTEX_BYTES: u64 = size_of::<CapsuleVertex>() as u64;
pub(super) const INSTANCE_BYTES: u64 = size_of::<BoneInstance>() as u64;

const SEGMENTS: usize = 20;
/// Rings of each half sphere, equator included.
const RINGS: usize = 6;
/// Vertices and triangles of the unit capsule: two half spheres, with the side between their equators.
pub(super) fn unit_capsule() -> (Vec<CapsuleVertex>, Vec<u32>) {
    let UnitCapsule { corners, triangles } = UnitCapsule::new(SEGMENTS, RINGS);
    let vertex = |(outward, is_far): (Vec3, bool)| CapsuleVertex {
        outward: outward.to_array(),
        end: f32::from(u8::from(is_far)),
    };
    (corners.into_iter().map(vertex).collect(), triangles.into_flattened())
}

/// The capsules of a rig, for the first character of a crowd.
pub(super) fn instances(rig: &Rig) -> Vec<BoneInstance> {
    let instance = |Capsule { bone, radii_m }| BoneInstance {
        from_joint: bone.from as u32,
        to_joint: bone.to as u32,
        to_offset: bone.offset.to_array(),
        radii_m,
        member: 0,
    };
    capsules(rig).into_iter().map(instance).collect()
}

/// The same capsules for each character of a crowd.
pub(super) fn of_crowd(bones: &[BoneInstance], members: u32) -> Vec<BoneInstance> {
    (0..members).flat_map(|member| bones.iter().map(move |bone| BoneInstance { member, ..*bone })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::gpu::shaders::BONE;
    use crate::render::gpu::wgsl::{assert_inputs, fields_of};

    #[test]
    fn bones_are_what_the_shader_reads() {
        let corner = fields_of!(CapsuleVertex { outward, end });
        let bone = fields_of!(BoneInstance { from_joint, to_joint, to_offset, radii_m, member });
        assert_inputs(BONE, "vertex", &[(&corner, &VERTEX_ATTRIBUTES), (&bone, &INSTANCE_ATTRIBUTES)]);
    }
}
