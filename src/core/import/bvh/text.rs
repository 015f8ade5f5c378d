use std::borrow::Cow;

/// Encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    /// The encoding of old programs on western systems. Assumed for all text that is neither UTF-8 nor UTF-16.
    Windows1252,
}

/// Decodes the text of a file, without its byte order mark. Line ends are kept.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, Encoding) {
    if let Some(text) = utf16(bytes) {
        return (Cow::Owned(text), Encoding::Utf16);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Encoding::Utf8),
        Err(_) => (Cow::Owned(bytes.iter().map(|&byte| windows_1252(byte)).collect()), Encoding::Windows1252),
    }
}

/// Decodes UTF-16, recognised by its byte order mark or by zeros in its first two characters. `None` for other encodings.
fn utf16(bytes: &[u8]) -> Option<String> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        [1..=u8::MAX, 0, 1..=u8::MAX, 0, ..] => u16::from_le_bytes,
        [0, 1..=u8::MAX, 0, 1..=u8::MAX, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes.as_chunks::<2>().0.iter().map(|&pair| read(pair));
    let text = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(text.skip_while(|&c| c == '\u{feff}').collect())
}

/// Characters of Windows-1252 for the bytes from 0x80 to 0x9f. Bytes without a character become control characters, as in Latin-1.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}',
    '\u{17e}', '\u{178}',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "ROOT R\u{fc}cken";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        let cases = [
            (text.as_bytes().to_vec(), Encoding::Utf8),
            (marked(b"\xef\xbb\xbf", text.as_bytes()), Encoding::Utf8),
            (marked(b"\xff\xfe", &le), Encoding::Utf16),
            (marked(b"\xfe\xff", &be), Encoding::Utf16),
            (le, Encoding::Utf16),
            (be, Encoding::Utf16),
            (b"ROOT R\xfccken".to_vec(), Encoding::Windows1252),
        ];
        for (bytes, encoding) in cases {
            assert_eq!(decode(&bytes), (text.into(), encoding), "{bytes:?}");
        }
    }

    #[test]
    fn windows_1252_has_letters_where_latin_1_has_controls_and_keeps_names_apart() {
        let all: String = (0..=255).map(windows_1252).collect();
        assert_eq!(all.chars().collect::<std::collections::BTreeSet<_>>().len(), 256);
        assert_eq!(decode(b"\x80\x9f\xe9\xff").0, "\u{20ac}\u{178}\u{e9}\u{ff}");
    }

    #[test]
    fn odd_and_lone_halves_are_no_reason_to_stop() {
        assert_eq!(decode(b"\xff\xfeR\0O\0O").0, "RO");
        assert_eq!(decode(b"\xff\xfe\x00\xd8R\0").0, "\u{fffd}R");
        assert_eq!(decode(b"").0, "");
    }
}
