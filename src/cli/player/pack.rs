use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// Deflates words as [`planes`].
pub fn pack_words(words: &[u32]) -> Vec<u8> {
    deflate(&planes(words))
}

/// Words as four planes of bytes, the lowest bytes first: high bytes of neighbours are often equal.
pub fn planes(words: &[u32]) -> Vec<u8> {
    (0..4).flat_map(|plane| words.iter().map(move |word| word.to_le_bytes()[plane])).collect()
}

/// Deflates bytes, without a header.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // A Vec takes every write.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The bits of values as differences from others.
pub fn differences(values: impl Iterator<Item = f32>, others: impl Iterator<Item = f32>) -> impl Iterator<Item = u32> {
    values.zip(others).map(|(value, other)| zigzag(value.to_bits().wrapping_sub(other.to_bits()) as i32))
}

/// A small number for a small value of either sign.
pub fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Bytes as text.
pub fn text_of(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Length of [`text_of`].
pub fn text_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_differ_by_zero_and_neighbours_by_little() {
        let next = f32::from_bits(1.5_f32.to_bits() + 1);
        let found: Vec<u32> = differences([1.5, next, 1.5].into_iter(), [1.5, 1.5, next].into_iter()).collect();
        assert_eq!(found, [0, 2, 1]);
    }

    #[test]
    fn the_length_of_a_text_is_known_before_it_is_made() {
        for bytes in 0..8 {
            assert_eq!(text_of(&vec![7; bytes]).len(), text_len(bytes));
        }
    }
}
