use crate::settings::ParamValue;
use std::collections::BTreeMap;
use std::ops::Range;

/// Joints that are stored differently from the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct JointGroup {
    /// Ascending joint indices. A joint belongs to at most one group that covers the whole clip.
    pub joints: Vec<usize>,
    /// The way in which they are stored.
    pub kept: GroupStorage,
}

/// The way in which a group of joints is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupStorage {
    /// As float32, bit for bit.
    Exactly,
    /// By the clip's codec, with some other settings.
    With(ParamChanges),
    /// As float32, bit for bit, in a range of samples. Elsewhere as if there were no group.
    ExactlyWithin(Range<usize>),
}

impl JointGroup {
    /// True if the group covers the whole clip, so that the clip's own payload need not hold its joints.
    pub(super) fn is_throughout(&self) -> bool {
        !matches!(self.kept, GroupStorage::ExactlyWithin(_))
    }

    pub(in crate::codecs) fn has(&self, joint: usize) -> bool {
        self.joints.binary_search(&joint).is_ok()
    }
}

/// Values of some of a codec's settings, by key. They may equal the defaults.
pub type ParamChanges = BTreeMap<String, ParamValue>;
