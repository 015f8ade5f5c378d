//! The functions of C that ufbx and meshoptimizer call. There is no C library for this target.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ffi::{c_char, c_int, c_void};
use std::slice;

/// Alignment of the memory that ufbx asks for.
const ALIGN: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGN).ok()
}

#[unsafe(no_mangle)]
extern "C" fn ufbx_malloc(size: usize) -> *mut c_void {
    // SAFETY: the layout is not empty.
    layout(size).map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) }.cast())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_realloc(old: *mut c_void, old_size: usize, size: usize) -> *mut c_void {
    match (layout(old_size), layout(size)) {
        _ if old.is_null() => ufbx_malloc(size),
        // SAFETY: ufbx passes what `ufbx_malloc` gave it, with its size.
        (Some(of_old), Some(new)) => unsafe { realloc(old.cast(), of_old, new.size()) }.cast(),
        _ => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_free(old: *mut c_void, size: usize) {
    if let Some(layout) = layout(size).filter(|_| !old.is_null()) {
        // SAFETY: ufbx passes what `ufbx_malloc` gave it, with its size.
        unsafe { dealloc(old.cast(), layout) }
    }
}

macro_rules! of_f64 {
    ($($name:ident($($arg:ident),+) = $result:expr;)+) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($arg: f64),+) -> f64 {
            $result
        }
    )+};
}

of_f64! {
    ufbx_sqrt(x) = x.sqrt();
    ufbx_sin(x) = x.sin();
    ufbx_cos(x) = x.cos();
    ufbx_tan(x) = x.tan();
    ufbx_asin(x) = x.asin();
    ufbx_acos(x) = x.acos();
    ufbx_atan(x) = x.atan();
    ufbx_atan2(y, x) = y.atan2(x);
    ufbx_pow(x, y) = x.powf(y);
    ufbx_fmin(a, b) = a.min(b);
    ufbx_fmax(a, b) = a.max(b);
    ufbx_fabs(x) = x.abs();
    ufbx_copysign(x, y) = x.copysign(y);
    ufbx_nextafter(x, y) = if y > x { x.next_up() } else if y < x { x.next_down() } else { y };
    ufbx_rint(x) = x.round_ties_even();
    ufbx_floor(x) = x.floor();
    ufbx_ceil(x) = x.ceil();
}

#[unsafe(no_mangle)]
extern "C" fn ufbx_isnan(x: f64) -> c_int {
    x.is_nan().into()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strlen(text: *const c_char) -> usize {
    // SAFETY: C's strings end with a zero.
    unsafe { std::ffi::CStr::from_ptr(text) }.count_bytes()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: the same contract.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.cast(), count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: the same contract.
    unsafe { to.cast::<u8>().copy_from(from.cast(), count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memset(to: *mut c_void, value: c_int, count: usize) -> *mut c_void {
    // SAFETY: the same contract.
    unsafe { to.cast::<u8>().write_bytes(value as u8, count) };
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memchr(data: *const c_void, value: c_int, count: usize) -> *const c_void {
    // SAFETY: the same contract.
    let bytes = unsafe { slice::from_raw_parts(data.cast::<u8>(), count) };
    bytes.iter().position(|byte| *byte == value as u8).map_or(std::ptr::null(), |at| data.wrapping_byte_add(at))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcmp(a: *const c_void, b: *const c_void, count: usize) -> c_int {
    // SAFETY: the same contract.
    let [a, b] = [a, b].map(|data| unsafe { slice::from_raw_parts(data.cast::<u8>(), count) });
    a.cmp(b) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: C's strings end with a zero.
    let [a, b] = [a, b].map(|text| unsafe { std::ffi::CStr::from_ptr(text) });
    a.cmp(b) as c_int
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strncmp(a: *const c_char, b: *const c_char, count: usize) -> c_int {
    for at in 0..count {
        // SAFETY: both texts are read up to their end.
        let [a, b] = [a, b].map(|text| unsafe { text.add(at).cast::<u8>().read() });
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// The fraction of a number in 0.5..1, and its power of two.
#[unsafe(no_mangle)]
unsafe extern "C" fn frexpf(x: f32, power: *mut c_int) -> f32 {
    let mut exponent = 0;
    let mut fraction = x;
    if x != 0.0 && x.is_finite() {
        while fraction.abs() >= 1.0 {
            (fraction, exponent) = (fraction * 0.5, exponent + 1);
        }
        while fraction.abs() < 0.5 {
            (fraction, exponent) = (fraction * 2.0, exponent - 1);
        }
    }
    // SAFETY: the caller has room for the power.
    unsafe { power.write(exponent) };
    fraction
}
