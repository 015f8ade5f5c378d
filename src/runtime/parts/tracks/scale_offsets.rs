use crate::format::{ByteReader, DecodeError};
use crate::memory::TryPush;
use crate::parts::{ClipHeader, PoseSlice, is_usable};
use alloc::vec::Vec;
use glam::Vec3;

/// An offset added to the scale of a joint before it is stored. A joint with scale near zero thus keeps its descendants visible to
/// encoders. Readers subtract it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleOffset {
    /// Index of the joint.
    pub joint: u16,
    /// Factors along the joint's own axes.
    pub offset: Vec3,
}

impl ScaleOffset {
    /// Reads the offsets of a clip, ordered by joint: count u16, then per offset: joint u16, three f32.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read_all(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<Vec<Self>, DecodeError> {
        let mut all: Vec<Self> = Vec::new();
        for _ in 0..input.u16("count of scale offsets")? {
            let at = input.position();
            let joint = input.u16("joint of a scale offset")?;
            if usize::from(joint) >= header.joints || all.last().is_some_and(|last| last.joint >= joint) {
                return Err(DecodeError::invalid("joint of a scale offset", at, joint, "ordered joints of the rig"));
            }
            let at = input.position();
            let mut number = || input.f32("scale offset");
            let offset = Vec3::new(number()?, number()?, number()?);
            if !is_usable(offset) {
                return Err(DecodeError::invalid("scale offset", at, offset, "numbers from -1e18 to 1e18"));
            }
            all.try_push(Self { joint, offset })?;
        }
        Ok(all)
    }

    /// Subtracts the offsets from the wanted joints.
    #[inline]
    pub fn take_off(all: &[Self], out: &mut PoseSlice<'_>) {
        for Self { joint, offset } in &all[out.of(all, |one| usize::from(one.joint))] {
            if let Some(local) = out.joint(usize::from(*joint)) {
                local.scale -= *offset;
            }
        }
    }
}
