use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The humanoid bones of a rig, from its file. With them, a clip of one humanoid plays on another one with other joint names and another
/// rest pose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Human {
    /// Joint of each bone, by its VRM 1.0 name: `hips`, `leftUpperArm`.
    pub bones: BTreeMap<String, usize>,
    /// True if the rest pose faces -Z, as in VRM 0, instead of +Z.
    pub faces_back: bool,
}

impl Human {
    /// The root of all bones, and the only bone with translations.
    pub const HIPS: &'static str = "hips";

    /// The bone of a joint.
    pub fn bone(&self, joint: usize) -> Option<&str> {
        self.bones.iter().find(|(_, of)| **of == joint).map(|(bone, _)| bone.as_str())
    }
}
