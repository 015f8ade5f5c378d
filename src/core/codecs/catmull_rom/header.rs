use super::decode::{CurveHeader, JUMPS_CODE, KNOTS_BITS, LAYOUT_BITS};
use crate::format::BitWriter;

/// Appends the byte that a payload begins with.
pub fn write_header(header: CurveHeader, out: &mut BitWriter) {
    out.push(if header.has_jumps { JUMPS_CODE } else { header.layout as u64 }, LAYOUT_BITS);
    out.push(header.spline.knots as u64, KNOTS_BITS);
    out.push(u64::from(header.spline.straight_steps), 1);
}
