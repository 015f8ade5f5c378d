const FILE_HEAD_BYTES: usize = 12;
const CHUNK_HEAD_BYTES: usize = 8;
/// Place, size and time at the start of an animation frame; chunks follow.
const FRAME_HEAD_BYTES: usize = 16;

/// Number of pixels of the largest image in a WebP. The decoder decompresses an image before it compares the size with the file head, so
/// the size in the head is not enough. Zero for damaged files.
pub fn most_pixels(webp: &[u8]) -> u64 {
    let pixels = |(kind, data): (&[u8; 4], &[u8])| match kind {
        b"ANMF" => frame_pixels(data),
        _ => picture_pixels(kind, data),
    };
    chunks(webp.get(FILE_HEAD_BYTES..).unwrap_or_default()).filter_map(pixels).max().unwrap_or(0)
}

/// Types and data of all chunks.
fn chunks(mut rest: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let kind = rest.first_chunk()?;
        let length = u32::from_le_bytes(*rest.get(4..)?.first_chunk()?) as usize;
        let end = CHUNK_HEAD_BYTES.saturating_add(length).min(rest.len());
        let data = &rest[CHUNK_HEAD_BYTES..end];
        rest = rest.get(end.next_multiple_of(2)..).unwrap_or_default();
        Some((kind, data))
    })
}

fn frame_pixels(frame: &[u8]) -> Option<u64> {
    let size = u64::from(u24_at(frame, 6)? + 1) * u64::from(u24_at(frame, 9)? + 1);
    let pictures = chunks(frame.get(FRAME_HEAD_BYTES..)?).filter_map(|(kind, data)| picture_pixels(kind, data));
    Some(pictures.fold(size, u64::max))
}

fn picture_pixels(kind: &[u8; 4], data: &[u8]) -> Option<u64> {
    let (width, height) = match kind {
        // Key frame: three bytes of tag, three of start code, and sizes of 14 bits with a scale in the upper two.
        b"VP8 " => (u16_at(data, 6)? & 0x3FFF, u16_at(data, 8)? & 0x3FFF),
        // A signature byte, and two sizes minus one, of 14 bits each.
        b"VP8L" => {
            let sizes = u32::from_le_bytes(*data.get(1..)?.first_chunk()?);
            ((sizes & 0x3FFF) + 1, (sizes >> 14 & 0x3FFF) + 1)
        }
        _ => return None,
    };
    Some(u64::from(width) * u64::from(height))
}

fn u16_at(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|bytes| u32::from(u16::from_le_bytes(*bytes)))
}

fn u24_at(data: &[u8], at: usize) -> Option<u32> {
    let [a, b, c] = *data.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes([a, b, c, 0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let padding = vec![0; data.len() % 2];
        [&kind[..], &(data.len() as u32).to_le_bytes(), data, &padding].concat()
    }

    #[test]
    fn the_largest_picture_counts_whatever_the_head_says() {
        let vp8 = |width: u16, height: u16| {
            chunk(b"VP8 ", &[&[0, 0, 0, 0x9D, 1, 0x2A][..], &width.to_le_bytes(), &height.to_le_bytes(), &[0]].concat())
        };
        let lossless = |width: u32, height: u32| {
            chunk(b"VP8L", &[&[0x2F][..], &((width - 1) | (height - 1) << 14).to_le_bytes()].concat())
        };
        let frame = |inner: Vec<u8>| chunk(b"ANMF", &[&[0; 6][..], &[9, 0, 0, 19, 0, 0, 0, 0, 0, 0], &inner].concat());
        let file = |chunks: &[Vec<u8>]| [&b"RIFF\0\0\0\0WEBP"[..], &chunks.concat()].concat();
        for (chunks, most) in [
            (vec![vp8(0x4000 | 300, 20)], 6000),
            (vec![chunk(b"ICCP", &[0; 7]), lossless(16_384, 16_383)], 16_384 * 16_383),
            (vec![vp8(3, 4), frame(vec![]), vp8(5, 5)], 200),
            (vec![frame(lossless(90, 100))], 9000),
            (vec![chunk(b"XMP ", &[1; 5])], 0),
        ] {
            let webp = file(&chunks);
            assert_eq!(most_pixels(&webp), most);
            for cut in 0..webp.len() {
                assert!(most_pixels(&webp[..cut]) <= most); // any bytes will do
            }
        }
    }
}
