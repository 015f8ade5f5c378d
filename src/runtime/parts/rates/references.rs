//! The rotations that tracks on lattices are relative to, as they are stored.

use crate::math::{EIGHT, Ints, LARGEST_DROPPED_LIMIT, Number, restore_largest};

/// Bits of a component of a reference.
pub const REFERENCE_BITS: u32 = 10;

/// References of eight tracks: signed, the index of the dropped component minus two in two bits, then the others as integers around zero,
/// in [`REFERENCE_BITS`] each.
pub type References = [i32; EIGHT];

/// Step of a reference's components, before [`LARGEST_DROPPED_LIMIT`].
const PART: f32 = 1.0 / HALF as f32;
/// The integer of a component that is zero.
const HALF: i32 = (1 << (REFERENCE_BITS - 1)) - 1;

/// A reference of [`References`], from the index of the dropped component and the integers of the others in
/// [`LATTICE_REFERENCE`](super::lattice::LATTICE_REFERENCE).
pub fn packed_reference([dropped, x, y, z]: [u32; 4]) -> i32 {
    let part = |part: u32, place: u32| ((part.cast_signed() - HALF) & ((1 << REFERENCE_BITS) - 1)) << place;
    let parts = part(x, 2) | part(y, 2 + REFERENCE_BITS) | part(z, 2 + 2 * REFERENCE_BITS);
    (dropped.cast_signed() - 2) & 3 | parts
}

/// x, y, z and w of the references of a register.
#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
pub fn references<I: Ints>(words: &References, first: usize) -> [I::Real; 4] {
    let words = I::load(words, first);
    let (x, y, z) = (words.signed::<20, 22>(), words.signed::<10, 22>(), words.signed::<0, 22>());
    let (part, limit) = (I::Real::splat(PART), I::Real::splat(LARGEST_DROPPED_LIMIT));
    let dropped = words.signed::<30, 30>().real() + I::Real::splat(2.0);
    restore_largest(dropped, [x.real() * part * limit, y.real() * part * limit, z.real() * part * limit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Kernel, LANES, Quad, Range3, run};
    use crate::parts::LATTICE_REFERENCE;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    struct Read<'a>(&'a References, &'a mut Vec<[u32; 4]>);

    impl Kernel for Read<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let read = references::<I>(self.0, first);
                for quad in 0..I::WIDTH / LANES {
                    let [x, y, z, w] = read.map(|numbers| I::quad(numbers, quad).to_array().map(f32::to_bits));
                    self.1.extend((0..LANES).map(|lane| [x[lane], y[lane], z[lane], w[lane]]));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn packed_references_read_like_their_format(
            fields in prop::array::uniform8((0u32..4, prop::array::uniform3(0u32..1023))),
        ) {
            let words = fields.map(|(dropped, [x, y, z])| packed_reference([dropped, x, y, z]));
            let (mut fast, mut portable) = (Vec::new(), Vec::new());
            run(Read(&words, &mut fast));
            Read(&words, &mut portable).run::<Quad>();
            let read = |(dropped, [x, y, z]): (u32, [u32; 3])| {
                let bytes = (dropped | x << 2 | y << 12 | z << 22).to_le_bytes();
                LATTICE_REFERENCE.read(&bytes, 0, &Range3::UNIT)
            };
            let expected: Vec<_> = fields.iter().map(|fields| read(*fields).to_array().map(f32::to_bits)).collect();
            prop_assert_eq!((&fast, &portable), (&expected, &expected));
        }
    }
}
