use super::{ByteReader, DecodeError};
use alloc::borrow::ToOwned;
use alloc::format;
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

/// Stands for "no parent" on disk.
pub const NO_PARENT: u16 = u16::MAX;

impl RigSection {
    /// On disk: name, joint count u16, then name, parent u16 (0xffff for none) and ten float32 a joint.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = ByteReader::new(bytes);
        let name = input.text("name of the rig")?.to_owned();
        let count = input.u16("joint count of the rig")?;
        let joints = (0..count).map(|index| read_joint(&mut input, index)).collect::<Result<_, _>>()?;
        input.finish("rig")?;
        Ok(Self { name, joints })
    }
}

fn read_joint(input: &mut ByteReader<'_>, index: u16) -> Result<RigJoint, DecodeError> {
    let name = input.text("name of a joint")?.to_owned();
    let at = input.position();
    let parent = match input.u16("parent of a joint")? {
        NO_PARENT => None,
        parent if parent < index => Some(parent),
        parent => {
            return Err(DecodeError::invalid("parent of a joint", at, parent, format!("less than its own {index}")));
        }
    };
    let mut bind = [0.0; 10];
    for x in &mut bind {
        *x = input.f32("bind pose of a joint")?;
    }
    Ok(RigJoint { name, parent, bind })
}
