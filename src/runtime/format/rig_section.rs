use super::names::read_name;
use super::{ByteReader, DecodeError};
use crate::memory::{TryPush, joined};
use alloc::string::String;
use alloc::vec::Vec;

/// A joint as plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RigJoint {
    /// Name, unique within the rig.
    pub name: String,
    /// Index of the parent, smaller than the joint's own; `None` for a root.
    pub parent: Option<u16>,
    /// Bind pose relative to the parent: rotation x y z w, translation in metres, scale.
    pub bind: [f32; 10],
}

/// The rig that the clips of a container were made for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RigSection {
    /// Name of the rig.
    pub name: String,
    /// Parents before children.
    pub joints: Vec<RigJoint>,
}

/// Bind pose of a joint without stored numbers: the identity.
pub const UNSTORED_BIND: [f32; 10] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];

impl RigSection {
    /// On disk: name, joint count (varint), then per joint: name, parent (varint: 0 for none, else one more than its index), a mask
    /// of the bind pose's ten numbers that differ from the identity (varint, one bit each), then these numbers as float32.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = ByteReader::new(bytes);
        let name = joined(&[input.long_text("name of the rig")?])?;
        let at = input.position();
        let count = input.varint("joint count of the rig")?;
        let count = u16::try_from(count).map_err(|_| {
            DecodeError::invalid("joint count of the rig", at, count, format_args!("at most {}", u16::MAX))
        })?;
        let mut joints: Vec<RigJoint> = Vec::new();
        for index in 0..count {
            let before = joints.last().map_or("", |joint| &joint.name);
            let joint = read_joint(&mut input, before, index)?;
            joints.try_push(joint)?;
        }
        input.finish("rig")?;
        Ok(Self { name, joints })
    }
}

fn read_joint(input: &mut ByteReader<'_>, before: &str, index: u16) -> Result<RigJoint, DecodeError> {
    let name = read_name(input, before, "name of a joint")?;
    let at = input.position();
    let parent = match input.varint("parent of a joint")? {
        0 => None,
        parent if parent <= u64::from(index) => Some(parent as u16 - 1),
        parent => {
            let expected = format_args!("less than the joint's index {index}");
            return Err(DecodeError::invalid("parent of a joint", at, parent - 1, expected));
        }
    };
    let at = input.position();
    let stored = input.varint("numbers of a bind pose")?;
    if stored >> UNSTORED_BIND.len() != 0 {
        let expected = format_args!("{} bits", UNSTORED_BIND.len());
        return Err(DecodeError::invalid("numbers of a bind pose", at, stored, expected));
    }
    let mut bind = UNSTORED_BIND;
    for (bit, x) in bind.iter_mut().enumerate().filter(|(bit, _)| stored >> bit & 1 == 1) {
        let at = input.position();
        *x = input.f32("bind pose of a joint")?;
        if x.to_bits() == UNSTORED_BIND[bit].to_bits() {
            return Err(DecodeError::invalid(
                "bind pose of a joint",
                at,
                *x,
                "not stored, because it equals the identity",
            ));
        }
    }
    Ok(RigJoint { name, parent, bind })
}
