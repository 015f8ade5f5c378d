//! CRC-32 of the format.

/// Checksum of parts that follow each other.
#[cfg(not(target_arch = "wasm32"))]
pub fn checksum<const PARTS: usize>(parts: [&[u8]; PARTS]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// Checksum of parts that follow each other. The table has 1 KB; the one of `crc32fast` is a quarter of a module for the web.
#[cfg(target_arch = "wasm32")]
pub fn checksum<const PARTS: usize>(parts: [&[u8]; PARTS]) -> u32 {
    static CRC: crc::Crc<u32, crc::Table<1>> = crc::Crc::<u32, crc::Table<1>>::new(&crc::CRC_32_ISO_HDLC);
    let mut digest = CRC.digest();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32 in the catalogue of CRC algorithms.
    #[test]
    fn the_checksum_is_that_of_zip_and_png() {
        assert_eq!((checksum([b"123456789"]), checksum([b"1234", b"56789"])), (0xcbf4_3926, 0xcbf4_3926));
    }
}
