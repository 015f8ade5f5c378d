//! The mark of archives, and limits on their size.

/// First byte of an archive. Other payloads begin with the kind of their first track, which is never 3, the lowest two bits of the mark.
pub const ARCHIVE_MARK: u8 = 0x0f;

/// Most integers per byte of an archive, besides [`INTEGERS_OF_ANY`]. The limit keeps memory in proportion to the bytes.
const INTEGERS_A_BYTE: usize = 12;
/// Integers that an archive of any size may have.
const INTEGERS_OF_ANY: usize = 4096;
/// Fewest bytes of an archive per component, besides [`COMPONENTS_OF_ANY`].
const BYTES_A_COMPONENT: usize = 12;
/// Components that an archive of any size may have.
const COMPONENTS_OF_ANY: usize = 256;

/// True if a payload is an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.first() == Some(&ARCHIVE_MARK)
}

/// True if so few bytes may stand for so many components and samples.
pub fn is_in_proportion(bytes: usize, components: usize, samples: usize) -> bool {
    components.saturating_mul(samples) <= INTEGERS_A_BYTE.saturating_mul(bytes).saturating_add(INTEGERS_OF_ANY)
        && components <= bytes / BYTES_A_COMPONENT + COMPONENTS_OF_ANY
}
