//! The FBX reader on the corpus, and on small ASCII documents with known motion.

pub mod ascii;
mod blend_shapes;
mod constraints;
mod damaged;
mod files;
mod keys;
mod known;

/// The bytes of a small rig with all difficult cases for a reader.
pub fn small_fbx() -> Vec<u8> {
    ascii::small_rig().write(ascii::Y_UP_CM)
}

/// The bytes of a rig with constraints of every kind.
pub fn constrained_fbx() -> Vec<u8> {
    constraints::crowd().write(ascii::Y_UP_CM)
}
