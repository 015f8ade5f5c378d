use super::decode::{BLOCKS_CODE, CurveHeader, JUMPS_CODE, KNOTS_BITS, LAYOUT_BITS};
use crate::codecs::runtime::BlockSize;
use crate::format::BitWriter;

/// Writes the start of a payload.
pub fn write_header(header: CurveHeader, out: &mut BitWriter) {
    let layout = match header.blocks {
        Some(_) => BLOCKS_CODE,
        None if header.has_jumps => JUMPS_CODE,
        None => header.layout as u64,
    };
    out.push(layout, LAYOUT_BITS);
    out.push(header.spline.knots as u64, KNOTS_BITS);
    out.push(u64::from(header.spline.straight_steps), 1);
    header.blocks.into_iter().for_each(|size| out.push(size.samples() as u64, BlockSize::BITS));
}
