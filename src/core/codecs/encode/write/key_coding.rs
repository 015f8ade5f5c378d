use super::key_format::{WriteKey, write_format, write_range};
use crate::codecs::runtime::{
    FORMAT_BITS, KeyCoding, RANGE_BITS, RANGED_COARSER_BITS, RANGED_COARSER_CODES, RANGED_CODE, RANGED_DROPPED_BITS,
    RANGED_STEP_BITS, RANGED_WIDTH_BITS, RangeSource, Ranged,
};
use crate::format::BitWriter;
use crate::math::{nearest, step_of_code};

/// A key coding with an encoder.
pub trait WriteCoding<F: WriteKey> {
    /// Appends the code in 4 bits.
    fn write_code(&self, out: &mut BitWriter);
    /// Appends the head that is stored once per track after the code: [`WriteCoding::head_bits`] bits.
    fn write_head(&self, out: &mut BitWriter);
    /// Bits of the head that is stored once per track.
    fn head_bits(&self) -> u32;
    /// Appends a key. A rotation must have length one. Numbers outside the range are clamped.
    fn write(&self, key: F::Key, out: &mut BitWriter);
    /// Returns the key that [`KeyCoding::key`] reads after [`WriteCoding::write`].
    fn round_trip(&self, key: F::Key) -> F::Key;
    /// Like [`WriteCoding::round_trip`], for many keys.
    fn round_trips(&self, keys: &[F::Key]) -> Vec<F::Key>;
}

impl<F: WriteKey> WriteCoding<F> for KeyCoding<F> {
    fn write_code(&self, out: &mut BitWriter) {
        match self {
            Self::Format(format, _) => write_format(*format, out),
            Self::Ranged(_) => out.push(RANGED_CODE, FORMAT_BITS),
        }
    }

    fn write_head(&self, out: &mut BitWriter) {
        match self {
            Self::Format(format, range) if format.range_source() != RangeSource::None => write_range(range, out),
            Self::Format(..) => {}
            Self::Ranged(ranged) => write_ranged_head(ranged, F::IS_ROTATION, out),
        }
    }

    fn head_bits(&self) -> u32 {
        match self {
            Self::Format(format, _) if format.range_source() != RangeSource::None => RANGE_BITS,
            Self::Format(..) => 0,
            Self::Ranged(ranged) => ranged.head_bits(F::IS_ROTATION),
        }
    }

    fn write(&self, key: F::Key, out: &mut BitWriter) {
        match self {
            Self::Format(format, range) => format.write(key, range, out),
            Self::Ranged(ranged) => {
                for (code, width) in codes::<F>(ranged, key).into_iter().zip(ranged.widths()) {
                    out.push(code.into(), width.into());
                }
            }
        }
    }

    fn round_trip(&self, key: F::Key) -> F::Key {
        match self {
            Self::Format(format, range) => format.round_trip(key, range),
            Self::Ranged(ranged) => F::key_without(ranged.dropped(), ranged.numbers_of(codes::<F>(ranged, key))),
        }
    }

    fn round_trips(&self, keys: &[F::Key]) -> Vec<F::Key> {
        if let Self::Ranged(_) = self {
            return keys.iter().map(|key| self.round_trip(*key)).collect();
        }
        let mut out = BitWriter::new();
        keys.iter().for_each(|key| self.write(*key, &mut out));
        let bytes = out.finish();
        (0..keys.len()).map(|i| self.key(&bytes, i * self.bits() as usize)).collect()
    }
}

/// Steps of a key above the least values, clamped to the range.
pub fn codes<F: WriteKey>(ranged: &Ranged, key: F::Key) -> [u32; 3] {
    let (numbers, step_codes) = (F::without(ranged.dropped(), key).to_array(), ranged.step_codes());
    let steps = |i: usize| f64::from(nearest(f64::from(numbers[i]) / step_of_code(step_codes[i])));
    let (least, widths) = (ranged.least(), ranged.widths());
    std::array::from_fn(|i| (steps(i) - f64::from(least[i])).clamp(0.0, ((1u32 << widths[i]) - 1).into()) as u32)
}

fn write_ranged_head(ranged: &Ranged, is_rotation: bool, out: &mut BitWriter) {
    let smallest = ranged.step_codes().into_iter().fold(u8::MAX, u8::min);
    out.push(smallest.into(), RANGED_STEP_BITS);
    for code in ranged.step_codes() {
        out.push(((code - smallest) / RANGED_COARSER_CODES).into(), RANGED_COARSER_BITS);
    }
    out.push(ranged.dropped().into(), if is_rotation { RANGED_DROPPED_BITS } else { 0 });
    ranged.widths().into_iter().for_each(|width| out.push(width.into(), RANGED_WIDTH_BITS));
    let bits = ranged.least_bits();
    out.push(bits.into(), RANGED_WIDTH_BITS);
    ranged.least().into_iter().for_each(|least| out.push(least as u64 & ((1 << bits) - 1), bits));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::encode::write::KeyNumbers;
    use crate::codecs::runtime::{RotationFormat, VectorFormat};
    use crate::format::BitReader;
    use crate::math::tests::unit_quat;
    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    /// Step codes that can be written together.
    fn coarser_by(smallest: u8, coarser: [u8; 3]) -> [u8; 3] {
        coarser.map(|coarser| smallest + coarser % (1 << RANGED_COARSER_BITS) * RANGED_COARSER_CODES)
    }

    /// The head that is written once per track must read back the same.
    fn again<F: WriteKey>(coding: KeyCoding<F>) -> KeyCoding<F> {
        let mut out = BitWriter::new();
        coding.write_code(&mut out);
        coding.write_head(&mut out);
        assert_eq!(out.bit_len() as u32, FORMAT_BITS + coding.head_bits());
        let bytes = out.finish();
        let mut input = BitReader::new(&bytes);
        KeyCoding::read(KeyCoding::read_code(&mut input).unwrap(), &mut input).unwrap()
    }

    /// Keys after writing and reading must equal [`WriteCoding::round_trip`] bit for bit.
    fn read_back<F: WriteKey>(coding: KeyCoding<F>, keys: &[F::Key]) -> Vec<F::Key>
    where
        F::Key: PartialEq + std::fmt::Debug,
    {
        let mut out = BitWriter::new();
        keys.iter().for_each(|key| coding.write(*key, &mut out));
        let bytes = out.finish();
        let found: Vec<F::Key> = (0..keys.len()).map(|i| coding.key(&bytes, i * coding.bits() as usize)).collect();
        assert_eq!(coding.round_trips(keys), found);
        found
    }

    proptest! {
        #[test]
        fn vectors_are_read_within_half_a_step(
            values in prop::collection::vec(prop::array::uniform3(-3.0f32..3.0), 2..9), smallest in 100u8..170,
            coarser: [u8; 3],
        ) {
            let keys: Vec<Vec3> = values.into_iter().map(Vec3::from_array).collect();
            let Some(ranged) = KeyNumbers::<VectorFormat>::new(&keys, 0).ranged(coarser_by(smallest, coarser), 0.0) else { return Ok(()) };
            let coding = KeyCoding::<VectorFormat>::Ranged(ranged);
            prop_assert_eq!(again(coding), coding);
            let half_steps = 0.5 * Vec3::from_array(ranged.step_codes().map(|code| step_of_code(code) as f32)) + 1e-6;
            for (key, found) in keys.iter().zip(read_back(coding, &keys)) {
                prop_assert!((found - *key).abs().cmple(half_steps).all(), "{} instead of {}", found, key);
            }
        }

        #[test]
        fn rotations_are_read_within_half_a_step_whichever_component_is_left_out(
            keys in prop::collection::vec(unit_quat(), 1..9), step_code in 80u8..170,
        ) {
            let dropped = RotationFormat::best_dropped(&keys);
            let Some(ranged) = KeyNumbers::<RotationFormat>::new(&keys, dropped).ranged([step_code; 3], 0.0) else { return Ok(()) };
            let coding = KeyCoding::<RotationFormat>::Ranged(ranged);
            prop_assert_eq!(again(coding), coding);
            let half_step = 0.5 * step_of_code(step_code) as f32 + 1e-6;
            for (key, found) in keys.iter().zip(read_back(coding, &keys)) {
                let rest = |q: Quat| RotationFormat::without(dropped, q);
                // If the remaining numbers are too long together, all are scaled back by no more than their error.
                let bound = if rest(*key).length() < 1.0 - 2.0 * half_step { half_step } else { 3.0 * half_step };
                prop_assert!((rest(found) - rest(*key)).abs().max_element() <= bound, "{} instead of {}", found, key);
            }
        }
    }

    #[test]
    fn a_component_that_stands_still_takes_no_bits() {
        let keys = [0.0f32, 0.2, 0.5].map(|x| Vec3::new(7.0, x, -1e-3));
        let found = KeyNumbers::<VectorFormat>::new(&keys, 0).ranged([128; 3], 0.0).unwrap();
        // 2^(128 / 8 - 26): 0.5 is 512 steps.
        assert_eq!((found.widths(), found.least()), ([0, 10, 0], [7168, 0, -1]));
        assert_eq!(KeyNumbers::<VectorFormat>::new(&keys[..1], 0).ranged([128; 3], 0.0), None, "a key without bits");
        assert_eq!(
            KeyNumbers::<VectorFormat>::new(&[Vec3::ZERO, Vec3::splat(1e9)], 0).ranged([128; 3], 0.0),
            None,
            "more steps than bits count"
        );
    }
}
