use super::decode::{ESCAPE, Form, LENGTH_BITS, Layout};
use crate::format::BitWriter;

/// Writes a layout that [`Layout::read`] reads.
pub fn write_layout(layout: &Layout, out: &mut BitWriter) {
    out.push(layout.wavelet as u64 & 1, 1);
    out.push(layout.padding as u64, 3);
    out.push(u64::from(layout.is_joined), 1);
    if layout.form == Form::Axes {
        out.push(ESCAPE, 2);
    }
    out.push(layout.rotation as u64, 2);
    if layout.form == Form::Axes {
        out.push(layout.wavelet as u64 >> 1, 1);
    }
    out.push(layout.range as u64, 1);
    out.push(u64::from(layout.fixed_bits.unwrap_or(0)), 5);
    out.push(if layout.whole == 0 { 0 } else { u64::from(layout.whole.ilog2()) + 1 }, 3);
    out.push(u64::from(layout.has_zero_runs), 1);
    out.push(layout.entropy as u64, layout.form.entropy_bits());
    out.push(u64::from(layout.is_cached), 1);
    out.push(layout.block_samples as u64, 16);
}

/// Writes the lengths of all blocks in bytes, and fills up the last byte.
pub fn write_lengths(lengths: &[usize], out: &mut BitWriter) {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let bits = (usize::BITS - longest.leading_zeros()).max(1);
    out.push(u64::from(bits), LENGTH_BITS);
    lengths.iter().for_each(|len| out.push(*len as u64, bits));
    out.push(0, (out.bit_len().next_multiple_of(8) - out.bit_len()) as u32);
}
