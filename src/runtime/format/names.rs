use super::{ByteReader, DecodeError};
use crate::memory::joined;
use alloc::string::String;

/// Most bytes that a name takes from the one before it. A limit, since a name that repeats another is read as a copy of it.
pub const MAX_SHARED_NAME_BYTES: usize = 64;

/// Reads a name: how many of its first bytes are those of the name before it (u8), how many follow (varint), these as UTF-8.
pub(super) fn read_name(input: &mut ByteReader<'_>, before: &str, what: &'static str) -> Result<String, DecodeError> {
    let at = input.position();
    let shared = usize::from(input.u8(what)?);
    let start = before.get(..shared).filter(|_| shared <= MAX_SHARED_NAME_BYTES);
    let start = start.ok_or_else(|| {
        let expected = format_args!("at most {MAX_SHARED_NAME_BYTES}, whole characters of the name before it");
        DecodeError::invalid(what, at, format_args!("one that shares {shared} bytes"), expected)
    })?;
    let rest = input.long_text(what)?;
    Ok(joined(&[start, rest])?)
}
