use super::super::{Fault, readable};
use crate::math::Transform;
use crate::model::{Joint, Skeleton};
use glam::{Quat, Vec3};
use posepress_runtime::internal::format::ByteReader;

/// Rest poses are stored in groups of this many joints, component by component.
const LANES: usize = 4;
/// Translation, rotation, scale.
const COMPONENTS: usize = 10;

/// Reads names, parents and rest poses.
pub(super) fn read(mut reader: ByteReader<'_>) -> Result<Skeleton, Fault> {
    let joints = reader.u32("number of joints")? as usize;
    let chars = reader.u32("length of names")? as usize;
    let names: Vec<&[u8]> = reader.bytes("names", chars)?.split(|byte| *byte == 0).collect();
    let parents = reader.bytes("parents", joints.saturating_mul(2))?;
    let padded = joints.next_multiple_of(LANES);
    let rest = reader.bytes("rest poses", padded.saturating_mul(4 * COMPONENTS))?;
    if names.len() <= joints {
        return Err(Fault::new(format!("it has {} names; expected {joints}", names.len() - 1)).at("its names"));
    }
    let number = |joint: usize, component: usize| {
        let at = 4 * (LANES * (COMPONENTS * (joint / LANES) + component) + joint % LANES);
        rest[at..at + 4].try_into().map_or(f32::NAN, f32::from_le_bytes)
    };
    let joint = |index: usize| {
        let bind = transform(std::array::from_fn(|component| number(index, component)));
        let parent = i16::from_le_bytes([parents[2 * index], parents[2 * index + 1]]);
        let name = readable(&String::from_utf8_lossy(names[index]));
        let is_number = bind.translation.is_finite() && bind.scale.is_finite() && bind.rotation.is_normalized();
        match is_number {
            true => Ok(Joint { name, parent: usize::try_from(parent).ok(), bind }),
            false => Err(Fault::new("its rest pose is not finite or not a rotation").at(format!("joint '{name}'"))),
        }
    };
    let joints = (0..joints).map(joint).collect::<Result<_, _>>()?;
    Ok(Skeleton::new(joints)?)
}

fn transform([tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]: [f32; COMPONENTS]) -> Transform {
    Transform {
        rotation: Quat::from_xyzw(rx, ry, rz, rw),
        translation: Vec3::new(tx, ty, tz),
        scale: Vec3::new(sx, sy, sz),
    }
}
