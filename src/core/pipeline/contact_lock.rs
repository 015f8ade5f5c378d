use crate::text;
use serde::Serialize;

/// What it took to hold the plants of a clip, measured on its decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactLock {
    /// Plants of the clip.
    pub plants: usize,
    /// Those that the codec alone lets slide farther than they may.
    pub tightened: usize,
    /// Those that still do.
    pub left: usize,
    /// How far each may slide, metres.
    pub limit_m: f32,
    /// Largest slide of the codec alone, metres.
    pub before_m: f32,
    /// Largest slide, metres.
    pub worst_m: f32,
    /// Bytes more than the codec alone needs, or fewer.
    pub extra_bytes: i64,
}

impl ContactLock {
    /// One line: `34 plants, worst 0.6 mm, +0.3 KB`.
    pub fn words(&self) -> String {
        if self.plants == 0 {
            return "no plants to hold".into();
        }
        let left = if self.left > 0 { format!(", {} still over", self.left) } else { String::new() };
        let (plants, worst) = (text::count(self.plants, "plant"), text::length(self.worst_m));
        format!("{plants}, worst {worst}{left}, {}", text::signed_bytes(self.extra_bytes))
    }
}
