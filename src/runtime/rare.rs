use crate::HeldIntervals;
use crate::compensation::Correction;
use crate::groups::JointGroups;
use crate::math::Transform;
use crate::parts::{FloatTracks, ScaleOffset};
use alloc::vec::Vec;
use core::ops::Range;

/// Parts that few clips have.
pub struct Rare {
    pub floats: FloatTracks,
    pub groups: JointGroups,
    pub holds: HeldIntervals,
    pub scale_offsets: Vec<ScaleOffset>,
    pub correction: Option<(Correction, Range<usize>)>,
    pub additive: bool,
    /// Base pose of differences; empty for other clips.
    pub carriers: Vec<Transform>,
}

impl Rare {
    /// True if no part is there.
    pub fn is_empty(&self) -> bool {
        let Self { floats, groups, holds, scale_offsets, correction, additive, carriers: _ } = self;
        !additive
            && floats.is_empty()
            && groups.is_empty()
            && holds.is_empty()
            && scale_offsets.is_empty()
            && correction.is_none()
    }

    /// Bytes of memory, with those of the type itself.
    pub fn bytes(&self) -> usize {
        size_of_val(self)
            + self.floats.heap_bytes()
            + self.groups.heap_bytes()
            + size_of_val(&self.holds.joints[..])
            + size_of_val(&self.holds.floats[..])
            + size_of_val(&self.scale_offsets[..])
            + size_of_val(&self.carriers[..])
            + self.correction.as_ref().map_or(0, |(correction, _)| correction.heap_bytes())
    }
}
