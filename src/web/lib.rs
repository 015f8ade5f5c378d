//! The runtime as a WebAssembly module. `npm/posepress.js` is its only caller.
//!
//! Nothing is reached by a pointer from outside: containers, clips and players are numbers of tables, where 0 is none. The caller
//! writes bytes into the room that [`input_room`] makes, and reads texts, numbers and poses at the places that the functions name.
//! So wrong numbers and any bytes are errors and never touch other memory. A function that fails returns 0, and the error is in the
//! state until the next one.
#![allow(unsafe_code)] // `no_mangle` is an unsafe attribute; there are no unsafe blocks
#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

mod clip;
mod container;
mod failure;
mod state;
mod table;

use failure::Failure;
use state::with;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Ends the instance. Without std, a panic carries no text: nothing could read it, and it is a tenth of the module.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Makes room for bytes that the next function reads. Returns the address, or 0 without memory.
#[unsafe(no_mangle)]
pub extern "C" fn input_room(length: usize) -> usize {
    with(|state| {
        state.input.clear();
        state.input.try_reserve_exact(length).map_err(|_| Failure::NO_MEMORY)?;
        state.input.resize(length, 0);
        Ok(state.input.as_ptr().addr())
    })
}

/// Address of the text of the last error or name, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn text_at() -> usize {
    with(|state| Ok(state.text.as_ptr().addr()))
}

/// Bytes of the text.
#[unsafe(no_mangle)]
pub extern "C" fn text_length() -> usize {
    with(|state| Ok(state.text.len()))
}

/// Number of the last error's kind, in the order of `KINDS` in `posepress.js`.
#[unsafe(no_mangle)]
pub extern "C" fn error_kind() -> usize {
    with(|state| Ok(state.error_kind))
}

/// Byte of the last error, plus one; 0 if it is at no byte.
#[unsafe(no_mangle)]
pub extern "C" fn error_place() -> usize {
    with(|state| Ok(state.error_place))
}

/// Address of the numbers of the last description: float64.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_at() -> usize {
    with(|state| Ok(state.numbers.as_ptr().addr()))
}
