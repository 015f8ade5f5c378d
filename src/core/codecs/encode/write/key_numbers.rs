use super::key_format::WriteKey;
use crate::codecs::runtime::{RANGED_MAX_LEAST_BITS, Ranged};
use crate::math::{LANES, nearest, step_of_code};
use glam::Vec4;
use std::marker::PhantomData;

/// The three numbers of each key of a track, and the whole steps that they round to. A trial of other step sizes rounds only the components
/// whose size changes.
#[derive(Debug)]
pub struct KeyNumbers<F> {
    dropped: u8,
    components: [Component; 3],
    format: PhantomData<F>,
}

/// One number of each key.
#[derive(Debug, Default)]
struct Component {
    numbers: Vec<f64>,
    /// Code of the step size of `steps`. `None` before the first trial.
    step_code: Option<u8>,
    steps: Vec<i32>,
}

impl Component {
    fn round_to(&mut self, step_code: u8) {
        if self.step_code.replace(step_code) != Some(step_code) {
            let step = step_of_code(step_code);
            self.steps.clear();
            self.steps.extend(self.numbers.iter().map(|number| nearest(number / step)));
        }
    }

    fn bounds(&self) -> [f64; 2] {
        let (low, high) = self.steps.iter().fold((i32::MAX, i32::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        [low.into(), high.into()]
    }
}

impl<F: WriteKey> KeyNumbers<F> {
    /// The numbers of keys without that component: 0 to 3 for rotations.
    pub fn new(keys: &[F::Key], dropped: u8) -> Self {
        let mut components: [Component; 3] = Default::default();
        for key in keys {
            for (component, number) in components.iter_mut().zip(F::without(dropped, *key).to_array()) {
                component.numbers.push(number.into());
            }
        }
        Self { dropped, components, format: PhantomData }
    }

    /// Rounds all keys to steps of those codes, and returns the coding that holds them. `overshoot` adds room at both ends, as part of the
    /// keys' range. `None` if keys would take no bits, or more than can be read.
    pub fn ranged(&mut self, step_codes: [u8; 3], overshoot: f32) -> Option<Ranged> {
        self.components.iter_mut().zip(step_codes).for_each(|(component, code)| component.round_to(code));
        let bounds = self.components.each_ref().map(|component| {
            let [low, high] = component.bounds();
            let room = (f64::from(overshoot) * (high - low)).ceil();
            [low - room, high + room]
        });
        let limit = f64::from(1u32 << (RANGED_MAX_LEAST_BITS - 1));
        let fits = bounds.iter().all(|[low, high]| *low >= -limit && *high < limit);
        let width = |[low, high]: [f64; 2]| (64 - ((high - low) as u64).leading_zeros()) as u8;
        fits.then(|| Ranged::new(step_codes, self.dropped, bounds.map(|[low, _]| low as i32), bounds.map(width)))?
    }

    /// The codes of a sample's key in the coding of the last trial.
    #[inline]
    pub fn codes(&self, ranged: &Ranged, sample: usize) -> [u32; 3] {
        let least = ranged.least();
        std::array::from_fn(|i| (self.components[i].steps[sample] - least[i]) as u32)
    }

    /// The codes of the keys of four samples, as whole numbers. Beyond the last sample, its key is repeated.
    #[inline]
    pub fn codes_of_four(&self, ranged: &Ranged, first: usize) -> [Vec4; 3] {
        let least = ranged.least();
        std::array::from_fn(|i| {
            let steps = &self.components[i].steps;
            let four = match steps.get(first..first + LANES) {
                Some(&[a, b, c, d]) => [a, b, c, d],
                _ => std::array::from_fn(|lane| steps[(first + lane).min(steps.len() - 1)]),
            };
            Vec4::from_array(four.map(|step| (step - least[i]) as f32))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::encode::write::codes;
    use crate::codecs::runtime::{KeyFormat, RotationFormat};
    use crate::math::tests::unit_quat;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn trials_round_as_their_coding_does(
            keys in prop::collection::vec(unit_quat(), 2..20),
            dropped in 0u8..4,
            trials in prop::collection::vec(prop::array::uniform3(60u8..200), 1..6),
        ) {
            let mut numbers = KeyNumbers::<RotationFormat>::new(&keys, dropped);
            for step_codes in trials {
                let Some(ranged) = numbers.ranged(step_codes, 0.0) else { continue };
                for (sample, key) in keys.iter().enumerate() {
                    let alone = numbers.codes(&ranged, sample);
                    prop_assert_eq!(alone, codes::<RotationFormat>(&ranged, *key));
                    let four = ranged.numbers_of_four(numbers.codes_of_four(&ranged, sample));
                    let four = RotationFormat::four_without(dropped, four).map(|number| number.x.to_bits());
                    let alone = RotationFormat::key_without(dropped, ranged.numbers_of(alone));
                    prop_assert_eq!(four, alone.to_array().map(f32::to_bits));
                }
            }
        }
    }
}
