use crate::codecs::runtime::{FORMAT_BITS, KeyFormat};
use crate::format::BitWriter;
use crate::math::Range3;
use glam::{Vec3, Vec4};

/// A key format with an encoder.
pub trait WriteKey: KeyFormat {
    /// The range of keys, if the format needs one.
    fn range(self, keys: &[Self::Key]) -> Range3;
    /// Appends a key. A rotation must have length one.
    fn write(self, key: Self::Key, range: &Range3, out: &mut BitWriter);
    /// The three numbers from which [`KeyFormat::key_without`] restores the key.
    fn without(dropped: u8, key: Self::Key) -> Vec3;
    /// [`KeyFormat::key_without`] of four keys, with the same bits: their numbers as in [`KeyFormat::numbers`], component by component.
    fn four_without(dropped: u8, rest: [Vec4; 3]) -> [Vec4; 4];
    /// The best component to drop for those keys, 0 to 3. Zero for vectors.
    fn best_dropped(keys: &[Self::Key]) -> u8;
    /// Returns the key that [`KeyFormat::read`] reads after [`WriteKey::write`].
    fn round_trip(self, key: Self::Key, range: &Range3) -> Self::Key {
        let mut out = BitWriter::new();
        self.write(key, range, &mut out);
        self.read(&out.finish(), 0, range)
    }
}

/// Appends a format's code in 4 bits.
pub fn write_format<F: KeyFormat>(format: F, out: &mut BitWriter) {
    out.push(u64::from(format.code()), FORMAT_BITS);
}

/// Appends minimum and extent as six float32.
pub fn write_range(range: &Range3, out: &mut BitWriter) {
    range.min.to_array().into_iter().chain(range.extent.to_array()).for_each(|x| out.push_f32(x));
}

/// Appends three numbers of the given widths, the first in the lowest bits.
pub(super) fn push_each(v: Vec3, bits: [u32; 3], encode: fn(f32, u32) -> u32, out: &mut BitWriter) {
    for (x, bits) in v.to_array().into_iter().zip(bits) {
        out.push(u64::from(encode(x, bits)), bits);
    }
}
