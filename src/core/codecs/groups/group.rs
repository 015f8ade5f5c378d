use crate::settings::ParamValue;
use std::collections::BTreeMap;
use std::ops::Range;

/// Joints that are kept in another way than the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct JointGroup {
    /// Which: ascending. In one group that holds throughout, at most.
    pub joints: Vec<usize>,
    /// How they are kept.
    pub kept: Kept,
}

/// How a group of joints is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// Float32, to the bit.
    Exactly,
    /// By the clip's codec, with some parameters of their own.
    With(ParamChanges),
    /// Float32, to the bit, at some samples; at others as without it.
    ExactlyWithin(Range<usize>),
}

impl JointGroup {
    /// True where the clip's own payload need not hold its joints.
    pub(super) fn is_throughout(&self) -> bool {
        !matches!(self.kept, Kept::ExactlyWithin(_))
    }

    pub(in crate::codecs) fn has(&self, joint: usize) -> bool {
        self.joints.binary_search(&joint).is_ok()
    }
}

/// Values of some of a codec's parameters, by key; they may be the defaults.
pub type ParamChanges = BTreeMap<String, ParamValue>;
