use std::borrow::Cow;

const SIGNATURE_BYTES: usize = 8;
/// Length and type at the start of a chunk.
const CHUNK_HEAD_BYTES: usize = 8;
/// Checksum at the end of a chunk.
const CHECKSUM_BYTES: usize = 4;
/// Types of the chunks that define pixels.
const PIXELS: [&[u8; 4]; 5] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"];

/// Removes the chunks of a PNG that its pixels do not need. Colour profiles and texts are compressed, and the decoder always decompresses
/// them, to a thousand times their size in bad files. A chunk that is cut short is the last one.
pub fn pixels_only(png: &[u8]) -> Cow<'_, [u8]> {
    let Some((signature, rest)) = png.split_at_checked(SIGNATURE_BYTES) else { return Cow::Borrowed(png) };
    if chunks(rest).all(is_of_pixels) {
        return Cow::Borrowed(png);
    }
    let kept = chunks(rest).filter(|chunk| is_of_pixels(chunk)).flatten();
    Cow::Owned(signature.iter().chain(kept).copied().collect())
}

fn is_of_pixels(chunk: &[u8]) -> bool {
    chunk.get(4..CHUNK_HEAD_BYTES).is_some_and(|kind| PIXELS.iter().any(|known| kind == *known))
}

/// All chunks, with their heads and checksums.
fn chunks(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(*rest.first_chunk()?) as usize;
        let end = length.saturating_add(CHUNK_HEAD_BYTES + CHECKSUM_BYTES).min(rest.len());
        let chunk;
        (chunk, rest) = rest.split_at(end);
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u32).to_be_bytes();
        [&length[..], kind, data, b"csum"].concat()
    }

    #[test]
    fn only_the_chunks_of_pixels_stay() {
        let signature = b"\x89PNG\r\n\x1a\n".to_vec();
        let (head, data, end) = (chunk(b"IHDR", &[1; 13]), chunk(b"IDAT", &[2; 5]), chunk(b"IEND", &[]));
        let plain = [signature.clone(), head.clone(), data.clone(), end.clone()].concat();
        assert!(matches!(pixels_only(&plain), Cow::Borrowed(same) if same == plain));
        let extra = [b"iCCP", b"zTXt", b"iTXt", b"tEXt", b"eXIf", b"acTL", b"fdAT"].map(|kind| chunk(kind, &[3; 90]));
        let more = [signature, head, extra.concat(), data, chunk(b"iCCP", &[]), end].concat();
        assert_eq!(*pixels_only(&more), plain);
        for cut in 0..more.len() {
            assert!(pixels_only(&more[..cut]).len() <= cut); // any bytes will do
        }
    }
}
