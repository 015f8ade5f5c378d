use std::collections::BTreeMap;

/// Which joints are the bones of a human, where a file says so. Clips of one human then move another, whatever its joints are
/// called and however they are turned at rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Human {
    /// Joint of each bone, by the name that VRM 1.0 has for it: `hips`, `leftUpperArm`.
    pub bones: BTreeMap<String, usize>,
    /// At rest it looks along -Z, as those of VRM 0 do, instead of +Z.
    pub faces_back: bool,
}

impl Human {
    /// The bone that carries all others, and the only one that is moved.
    pub const HIPS: &'static str = "hips";

    /// The bone that a joint is.
    pub fn bone(&self, joint: usize) -> Option<&str> {
        self.bones.iter().find(|(_, of)| **of == joint).map(|(bone, _)| bone.as_str())
    }
}
