/// Letters of the slots.
pub const SLOT_LETTERS: [&str; 3] = ["A", "B", "C"];
/// Letter of the external file's slot.
pub const EXTERNAL_LETTER: &str = "F";
