use super::decode::{BLOCKS, CODE_BITS, ESCAPE, JUMPS, KeyHeader};
use crate::codecs::runtime::BlockSize;
use crate::format::BitWriter;

/// Writes the start of a payload. Writes nothing for [`KeyHeader::LEFT_OUT`].
pub fn write_header(header: KeyHeader, out: &mut BitWriter) {
    if header != KeyHeader::LEFT_OUT {
        out.push(ESCAPE, CODE_BITS);
        out.push(header.layout as u64, CODE_BITS);
        match header.blocks {
            Some(size) => {
                out.push(BLOCKS, CODE_BITS);
                out.push(header.search as u64, CODE_BITS);
                out.push(size.samples() as u64, BlockSize::BITS);
            }
            None => out.push(if header.has_jumps { JUMPS } else { header.search as u64 }, CODE_BITS),
        }
    }
}
