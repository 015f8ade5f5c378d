//! The runtime for C and C++: what `include/posepress.h` declares, which is its manual.
//!
//! Handles are references and boxes, which C sees as pointers; a null pointer is `None`. So only slices, texts and the memory of a
//! cursor need unsafe code, which is in `memory`. No panic leaves a function: it becomes a status. Rust is shown nothing of this: it
//! could not keep the header's promises for callers.
#![allow(unsafe_code)] // exported names are unsafe attributes; unsafe blocks are in `memory` alone

mod clip;
mod container;
mod layout;
mod memory;
mod status;

/// Rises when a function of the header changes, or a field of a structure that was there before.
const ABI_VERSION: u32 = 1;

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_abi_version() -> u32 {
    ABI_VERSION
}
