//! The runtime for C and C++. `include/posepress.h` is its manual.
//!
//! Handles are references and boxes, which are pointers in C; a null pointer is `None`. All unsafe blocks are in `memory`: they access
//! slices, structures, texts and the memory of boxes and cursors. A panic becomes a status. This crate exports no Rust items, because
//! Rust callers could break the conditions of the header.
#![allow(unsafe_code)] // `no_mangle` is an unsafe attribute; unsafe blocks are only in `memory`

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
