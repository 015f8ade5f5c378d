//! Chooses settings from bytes: any setting of a table, with a value within its range.

use posepress_core::settings::{Param, ParamKind, ParamValue, Settings};

/// Lines for lists that are empty by default, such as lists of joints.
const NAMES: [&str; 4] = ["*", "a", "b*", "root"];
/// Largest number of lines in a list.
const MAX_LINES: usize = 2;

/// Choices, one byte each. Zero when all bytes are used.
pub struct Dice<'a>(pub &'a [u8]);

impl Dice<'_> {
    /// The next byte.
    pub fn roll(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// True if the next byte is odd.
    pub fn flip(&mut self) -> bool {
        self.roll() & 1 == 1
    }

    /// The element that the next byte selects.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::from(self.roll()) % of.len()]
    }

    /// The elements that the next bytes select, one byte per element.
    pub fn some_of<T: Copy>(&mut self, of: &[T]) -> Vec<T> {
        of.iter().copied().filter(|_| self.flip()).collect()
    }

    /// Default settings, with some of them changed.
    pub fn settings<S: Settings>(&mut self) -> S {
        let mut settings = S::default();
        for setting in S::ALL {
            if self.flip() {
                let value = self.value(&setting.param());
                setting.set(&mut settings, value).expect("within its range");
            }
        }
        settings
    }

    /// A value within the range of a parameter.
    pub fn value(&mut self, param: &Param) -> ParamValue {
        match param.kind {
            ParamKind::Bool { .. } => ParamValue::Bool(self.flip()),
            ParamKind::Choice { options, .. } => ParamValue::Choice(self.one_of(options).key.into()),
            ParamKind::Int { min, max, .. } => {
                ParamValue::Int((min + (max - min) * i64::from(self.roll()) / 255).clamp(min, max))
            }
            ParamKind::Float { min, max, .. } => ParamValue::Float(self.between(min, max)),
            ParamKind::Lines(rules) => {
                let known = (rules.default)();
                let known: Vec<&str> =
                    if known.is_empty() { NAMES.to_vec() } else { known.iter().map(String::as_str).collect() };
                let count = usize::from(self.roll()) % (MAX_LINES + 1);
                ParamValue::Lines((0..count).map(|_| (*self.one_of(&known)).to_owned()).collect())
            }
        }
    }

    /// A value in `min..=max`. Wide ranges are logarithmic, so that small values come up as often as large ones.
    fn between(&mut self, min: f64, max: f64) -> f64 {
        let part = f64::from(self.roll()) / 255.0;
        let value = match min > 0.0 && max > 100.0 * min {
            true => min * (max / min).powf(part),
            false => min + (max - min) * part,
        };
        value.clamp(min, max)
    }
}
