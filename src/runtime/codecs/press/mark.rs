//! How an archive is told from runtime storage.

/// First byte of an archive. Other payloads begin with the kind of their first track, and its lowest two bits are none.
pub const ARCHIVE_MARK: u8 = 0x0f;

/// Integers for each byte of an archive, at most, beside some that any may have: memory stays in proportion.
const INTEGERS_A_BYTE: usize = 12;
const INTEGERS_OF_ANY: usize = 4096;
/// Bytes of an archive for each component, at least, beside some that any may have without.
const BYTES_A_COMPONENT: usize = 12;
const COMPONENTS_OF_ANY: usize = 256;

/// True for the payload of an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.first() == Some(&ARCHIVE_MARK)
}

/// An archive may be so small for so many integers.
pub fn is_in_proportion(bytes: usize, components: usize, samples: usize) -> bool {
    components.saturating_mul(samples) <= INTEGERS_A_BYTE.saturating_mul(bytes).saturating_add(INTEGERS_OF_ANY)
        && components <= bytes / BYTES_A_COMPONENT + COMPONENTS_OF_ANY
}
