use super::budget::MAX_SOURCE_BYTES;
use crate::text;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file. Devices and pipes would never end, and are refused.
///
/// # Errors
/// The system's, and one for what is no file or larger than any source.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = path.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if about.len() > MAX_SOURCE_BYTES {
        let (found, most) = (text::bytes(about.len()), text::bytes(MAX_SOURCE_BYTES));
        return Err(io::Error::other(format!("it has {found}; at most {most} are read")));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    File::open(path)?.take(MAX_SOURCE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
