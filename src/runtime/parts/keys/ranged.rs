use crate::format::{BitReader, DecodeError, MAX_BITS_AT, bits_at};
use crate::math::{Range3, step_of_code};
use core::ops::Deref;
use glam::{Vec3, Vec4};

/// Coding of keys in as few bits as a track needs. Each component is a number of steps above the track's least value. A constant
/// component takes no bits.
///
/// On disk, once per track: the code of the smallest step (8 bits, [`step_of_code`]); per component, the difference of its step's code
/// (4 bits, in units of [`RANGED_COARSER_CODES`]); for rotations, the dropped component (2 bits); the widths of the three components
/// (5 bits each); the bits of a least value (5 bits), then the three least values in steps, in two's complement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranged {
    step_codes: [u8; 3],
    least: [i32; 3],
    steps: RangedSteps,
}

/// All of a [`Ranged`] that reading its keys needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangedSteps {
    /// The least values, with the step sizes in place of extents.
    pub steps: Range3,
    /// Widths and the dropped component.
    pub code: RangedCode,
}

/// Bits of the three components, and the dropped component of rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangedCode {
    widths: [u8; 3],
    dropped: Component,
}

impl RangedCode {
    /// Bits of the three components.
    #[inline]
    pub fn widths(self) -> [u8; 3] {
        self.widths
    }
}

/// A component of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Component {
    X = 0,
    Y = 1,
    Z = 2,
    W = 3,
}

impl Component {
    fn of(index: u8) -> Option<Self> {
        [Self::X, Self::Y, Self::Z, Self::W].get(usize::from(index)).copied()
    }
}

impl Deref for Ranged {
    type Target = RangedSteps;

    #[inline]
    fn deref(&self) -> &RangedSteps {
        &self.steps
    }
}

/// Most bits of a component: float32 holds integers of 24 bits exactly.
pub const RANGED_MAX_WIDTH: u32 = 24;
/// Most bits of a least value.
pub const RANGED_MAX_LEAST_BITS: u32 = 31;
/// Bits of the code of the smallest step.
pub const RANGED_STEP_BITS: u32 = 8;
/// Bits of the difference of a component's step from the smallest step.
pub const RANGED_COARSER_BITS: u32 = 4;
/// Unit of that difference, in step codes.
pub const RANGED_COARSER_CODES: u8 = 2;
/// Bits of the index of a rotation's dropped component.
pub const RANGED_DROPPED_BITS: u32 = 2;
/// Bits of a width, and of the number of bits of a least value.
pub const RANGED_WIDTH_BITS: u32 = 5;

impl Ranged {
    /// The coding of values from `least` up to the largest number of `widths` bits above it, in steps. `dropped` is the dropped component
    /// of rotations, 0 to 3. `None` if keys would take no bits, or too many for one read.
    pub fn new(step_codes: [u8; 3], dropped: u8, least: [i32; 3], widths: [u8; 3]) -> Option<Self> {
        let bits: u32 = widths.iter().map(|w| u32::from(*w)).sum();
        let is_readable = widths.iter().all(|w| u32::from(*w) <= RANGED_MAX_WIDTH) && (1..=MAX_BITS_AT).contains(&bits);
        let sizes = Vec3::from_array(step_codes.map(|code| step_of_code(code) as f32));
        let steps = Range3 { min: Vec3::from_array(least.map(|x| x as f32)) * sizes, extent: sizes };
        let dropped = Component::of(dropped).filter(|_| is_readable)?;
        Some(Self { step_codes, least, steps: RangedSteps { steps, code: RangedCode { widths, dropped } } })
    }

    /// Reads the settings that are stored once per track.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, is_rotation: bool) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let smallest = input.read("step of a track", RANGED_STEP_BITS)? as u8;
        let mut step_codes = [0; 3];
        for code in &mut step_codes {
            let coarser = input.read("step of a component", RANGED_COARSER_BITS)? as u8;
            *code = smallest.saturating_add(coarser * RANGED_COARSER_CODES);
        }
        let dropped_bits = if is_rotation { RANGED_DROPPED_BITS } else { 0 };
        let dropped = input.read("dropped component", dropped_bits)? as u8;
        let mut widths = [0; 3];
        for width in &mut widths {
            *width = input.read("bits of a component", RANGED_WIDTH_BITS)? as u8;
        }
        let bits = input.read("bits of a least value", RANGED_WIDTH_BITS)? as u32;
        let sign = (1 << bits) >> 1;
        let mut least = [0; 3];
        for least in &mut least {
            *least = ((input.read("least value", bits)? as i64 ^ sign) - sign) as i32;
        }
        let invalid =
            || DecodeError::invalid("bits of a track", at, format_args!("{widths:?}"), "1 to 57, at most 24 each");
        Self::new(step_codes, dropped, least, widths).ok_or_else(invalid)
    }

    /// Bits of the settings that are stored once per track.
    pub fn head_bits(&self, is_rotation: bool) -> u32 {
        let dropped_bits = if is_rotation { RANGED_DROPPED_BITS } else { 0 };
        RANGED_STEP_BITS + 3 * RANGED_COARSER_BITS + dropped_bits + 4 * RANGED_WIDTH_BITS + 3 * self.least_bits()
    }

    /// Bits of each least value.
    pub fn least_bits(&self) -> u32 {
        let bits = |x: &i32| if *x == 0 { 0 } else { 33 - (*x ^ (*x >> 31)).leading_zeros() };
        self.least.iter().map(bits).max().unwrap_or(0)
    }

    /// Codes of the step sizes.
    pub fn step_codes(&self) -> [u8; 3] {
        self.step_codes
    }

    /// The least values, in steps.
    pub fn least(&self) -> [i32; 3] {
        self.least
    }
}

impl RangedSteps {
    /// A part of the range: each component `narrower` by some bits, from `above` steps over the least value on. `None` if it is not a part
    /// of the range, or takes no bits.
    pub fn part(&self, narrower: [u8; 3], above: [u32; 3]) -> Option<RangedPart> {
        let mut widths = self.code.widths;
        for i in 0..3 {
            widths[i] = self.code.widths[i].checked_sub(narrower[i])?;
            if above[i] > (1 << self.code.widths[i]) - (1u32 << widths[i]) {
                return None;
            }
        }
        let part = RangedPart::new(widths, above.map(|above| above as i32));
        (part.bits() > 0).then_some(part)
    }

    /// The whole range.
    #[inline]
    pub fn whole(&self) -> RangedPart {
        RangedPart { widths: self.code.widths, above: [0; 3] }
    }

    /// Bits per key.
    #[inline]
    pub fn bits(&self) -> u32 {
        self.code.widths.iter().map(|w| u32::from(*w)).sum()
    }

    /// The three numbers from their steps above the least values.
    #[inline]
    pub fn numbers_of(&self, codes: [u32; 3]) -> Vec3 {
        self.steps.value(Vec3::from_array(codes.map(|code| code as i32 as f32)))
    }

    /// [`Ranged::numbers_of`] of four keys, with the same bits. The codes are whole numbers.
    #[inline]
    pub fn numbers_of_four(&self, codes: [Vec4; 3]) -> [Vec4; 3] {
        let number = |i: usize| Vec4::splat(self.steps.min[i]) + Vec4::splat(self.steps.extent[i]) * codes[i];
        [number(0), number(1), number(2)]
    }

    /// The three numbers of a key that is stored over a part of the range, with the same bits as over the whole range.
    #[inline]
    pub fn numbers_over(&self, part: &RangedPart, bytes: &[u8], at: usize) -> Vec3 {
        let codes = codes(part.widths, bytes, at);
        let code = |i: usize| (part.above[i] + codes[i]) as f32;
        self.steps.value(Vec3::new(code(0), code(1), code(2)))
    }

    /// The dropped component of rotations, 0 to 3.
    pub fn dropped(&self) -> u8 {
        self.code.dropped as u8
    }

    /// Bits of the three components.
    pub fn widths(&self) -> [u8; 3] {
        self.code.widths
    }

    /// The coding with these steps. Exact if the least values are less than 2^22 steps from zero: farther away, float32 rounds them.
    pub fn coding(&self) -> Option<Ranged> {
        let code = |size: f32| (0..=u8::MAX).find(|code| step_of_code(*code) as f32 == size);
        let Range3 { min, extent } = self.steps;
        let half = |x: f64| if x < 0.0 { -0.5 } else { 0.5 };
        let least = [0, 1, 2].map(|i| f64::from(min[i]) / f64::from(extent[i])).map(|x| (x + half(x)) as i32);
        Ranged::new([code(extent.x)?, code(extent.y)?, code(extent.z)?], self.dropped(), least, self.code.widths)
    }
}

/// The numbers of the three components at a bit.
#[inline]
pub fn codes(widths: [u8; 3], bytes: &[u8], at: usize) -> [i32; 3] {
    let [a, b, c] = widths.map(u32::from);
    let word = bits_at(bytes, at, a + b + c);
    let code = |shift: u32, bits: u32| (word >> shift) as i32 & ((1 << bits) - 1);
    [code(0, a), code(a, b), code(a + b, c)]
}

/// A part of the range of a [`Ranged`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RangedPart {
    widths: [u8; 3],
    /// Its least values, in steps above those of the whole.
    above: [i32; 3],
}

impl RangedPart {
    /// A part whose keys have those widths, and these least values above those of the whole.
    #[inline]
    pub fn new(widths: [u8; 3], above: [i32; 3]) -> Self {
        Self { widths, above }
    }

    /// Bits per key.
    #[inline]
    pub fn bits(&self) -> u32 {
        self.widths.iter().map(|w| u32::from(*w)).sum()
    }

    /// Bits of the three components.
    pub fn widths(&self) -> [u8; 3] {
        self.widths
    }

    /// Its least values, in steps above those of the whole.
    pub fn above(&self) -> [u32; 3] {
        self.above.map(|above| above as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{KeyCoding, KeyFormat, RotationFormat, VectorFormat, is_usable};
    use proptest::prelude::*;

    fn coding<F: KeyFormat>(bytes: &[u8]) -> Option<KeyCoding<F>> {
        KeyCoding::read(None, &mut BitReader::new(bytes)).ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn any_bits_are_refused_or_read_as_keys(head: [u8; 16], key: [u8; 8]) {
            if let Some(coding) = coding::<RotationFormat>(&head) {
                let q = coding.key(&key, 0);
                prop_assert!(q.is_finite() && (q.length() - 1.0).abs() < 1e-3, "{:?} reads {}", coding, q);
            }
            if let Some(coding) = coding::<VectorFormat>(&head) {
                prop_assert!(is_usable(coding.key(&key, 0)), "{:?}", coding);
            }
        }
    }

    #[test]
    fn widths_that_nobody_can_read_are_refused() {
        for widths in [[0; 3], [20, 20, 18], [25, 0, 0]] {
            assert_eq!(Ranged::new([100; 3], 0, [0; 3], widths), None, "{widths:?}");
        }
        assert!(Ranged::new([100; 3], 3, [i32::MIN / 2, 0, i32::MAX / 2], [19; 3]).is_some());
    }

    #[test]
    fn least_values_take_the_bits_that_they_need() {
        let bits = |least: [i32; 3]| Ranged::new([0; 3], 0, least, [1; 3]).unwrap().least_bits();
        assert_eq!([[0; 3], [-1, 0, 0], [1, 0, 0], [0, -2, 1], [0, 2, 0]].map(bits), [0, 1, 2, 2, 3]);
        assert_eq!(bits([-(1 << 30), (1 << 30) - 1, 0]), RANGED_MAX_LEAST_BITS);
    }

    proptest! {
        #[test]
        fn codings_are_found_by_their_steps(
            step_codes: [u8; 3], dropped in 0u8..4, least in prop::array::uniform3(-(1 << 22)..1 << 22), widths in prop::array::uniform3(1u8..19),
        ) {
            let ranged = Ranged::new(step_codes, dropped, least, widths).unwrap();
            prop_assert_eq!(ranged.steps.coding(), Some(ranged));
        }
    }
}
