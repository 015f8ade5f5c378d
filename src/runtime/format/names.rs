use super::{ByteReader, DecodeError};
use crate::memory::joined;
use alloc::string::String;

/// Most bytes that a name shares with the one before it. The limit bounds the memory that repeated names take.
pub const MAX_SHARED_NAME_BYTES: usize = 64;

/// Reads a name: the number of first bytes shared with the name before it (u8), the number of bytes that follow (varint), these as UTF-8.
pub(super) fn read_name(input: &mut ByteReader<'_>, before: &str, what: &'static str) -> Result<String, DecodeError> {
    let at = input.position();
    let shared = usize::from(input.u8(what)?);
    let start = before.get(..shared).filter(|_| shared <= MAX_SHARED_NAME_BYTES);
    let start = start.ok_or_else(|| {
        let expected = format_args!("at most {MAX_SHARED_NAME_BYTES}, whole characters of the name before it");
        DecodeError::invalid(what, at, format_args!("a name that shares {shared} bytes"), expected)
    })?;
    let rest = input.long_text(what)?;
    Ok(joined(&[start, rest])?)
}
