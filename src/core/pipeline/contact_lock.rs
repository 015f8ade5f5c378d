use crate::text;
use serde::{Deserialize, Serialize};

/// The result of locking a clip's contacts, measured on its decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContactLock {
    /// Number of contacts in the clip.
    pub contacts: usize,
    /// Number of marked pins in the clip.
    pub pins: usize,
    /// Contacts and pins that exceed the limit before locking.
    pub tightened: usize,
    /// Contacts and pins that still exceed it.
    pub left: usize,
    /// The limit of each contact's slide and each pin's drift, metres.
    pub limit_m: f32,
    /// The largest slide or drift before locking, metres.
    pub before_m: f32,
    /// The largest slide or drift after locking, metres.
    pub worst_m: f32,
    /// Bytes that locking added. Negative if it saved some.
    pub extra_bytes: i64,
}

impl ContactLock {
    /// One line: `34 contacts, worst 0.6 mm, +0.3 KB`.
    pub fn words(&self) -> String {
        if self.contacts + self.pins == 0 {
            return "no contacts to lock".into();
        }
        let left = if self.left > 0 { format!(", {} still over the limit", self.left) } else { String::new() };
        let of_both =
            [(self.contacts, "contact"), (self.pins, "pin")].map(|(count, of)| (count, text::count(count, of)));
        let held = of_both.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect::<Vec<_>>();
        let (contacts, worst) = (held.join(" and "), text::length(self.worst_m));
        format!("{contacts}, worst {worst}{left}, {}", text::signed_bytes(self.extra_bytes))
    }
}
