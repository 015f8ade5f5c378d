//! The runtime for C and C++. `include/posepress.h` is its manual.
//!
//! Handles are references and boxes, which C sees as pointers; a null pointer is `None`. Only slices, texts and the memory of a
//! cursor need unsafe code, which is in `memory`. A panic becomes a status. This crate exports no Rust items, because Rust callers
//! could break the promises of the header.
#![allow(unsafe_code)] // exported names are unsafe attributes; unsafe blocks are in `memory` alone

mod clip;
mod container;
mod layout;
mod memory;
mod status;

/// Increases when a function or an existing field of the header changes.
const ABI_VERSION: u32 = 1;

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_abi_version() -> u32 {
    ABI_VERSION
}
