//! Parameters with the types that encoders use. Each is defined once, next to the table that people see. Encoders read typed values, so
//! that they cannot confuse names or units.
//!
//! ```text
//! const ORDER: ChoiceParam<TrackOrder> = ChoiceParam::new("order", "Order", "Which ...", "leaves");
//! const PARAMS: &[Param] = &[ORDER.param, ...];
//! let order: TrackOrder = values.get(&ORDER);
//! ```

use super::{ChoiceOption, LineRules, Param, ParamKind, ParamValue, ParamValues, Unit};
use std::marker::PhantomData;

/// A type with a list of options. The macro `choices!` implements it, so that every value has its texts.
pub trait Choice: Copy + 'static {
    /// Every value, in the order in which people see them.
    const ALL: &'static [Self];
    /// Their texts, in the same order.
    const OPTIONS: &'static [ChoiceOption];

    /// The texts of the value.
    fn option(self) -> ChoiceOption;

    /// The value with that key.
    fn by_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.option().key == key)
    }
}

/// Implements [`Choice`] for an enum: one line per value, with key, label and help. A value without a line does not compile.
macro_rules! choices {
    ($type:ty { $($value:ident => ($key:expr, $label:expr, $help:expr $(,)?)),+ $(,)? }) => {
        impl $crate::settings::Choice for $type {
            const ALL: &'static [Self] = &[$(Self::$value),+];
            const OPTIONS: &'static [$crate::settings::ChoiceOption] =
                &[$($crate::settings::ChoiceOption { key: $key, label: $label, help: $help }),+];

            fn option(self) -> $crate::settings::ChoiceOption {
                match self {
                    $(Self::$value => $crate::settings::ChoiceOption { key: $key, label: $label, help: $help }),+
                }
            }
        }
    };
}
pub(crate) use choices;

/// A parameter that [`ParamValues::get`] can read. It returns the default if no value was set, or if the value does not fit.
pub trait Readable {
    /// Type of the value.
    type Value;

    /// The current value.
    fn read(&self, values: &ParamValues) -> Self::Value;
}

/// A parameter with the values of a type.
#[derive(Debug, Clone, Copy)]
pub struct ChoiceParam<T> {
    /// The description for people.
    pub param: Param,
    /// Index in [`Choice::ALL`].
    default: usize,
    value: PhantomData<fn() -> T>,
}

/// A parameter with a whole number.
#[derive(Debug, Clone, Copy)]
pub struct IntParam {
    /// The description for people.
    pub param: Param,
    default: u32,
}

/// A parameter with a number.
#[derive(Debug, Clone, Copy)]
pub struct FloatParam {
    /// The description for people.
    pub param: Param,
    default: f64,
}

/// A parameter with a switch.
#[derive(Debug, Clone, Copy)]
pub struct BoolParam {
    /// The description for people.
    pub param: Param,
    default: bool,
}

/// A parameter with the lines of a list.
#[derive(Debug, Clone, Copy)]
pub struct LinesParam {
    /// The description for people.
    pub param: Param,
    rules: &'static LineRules,
}

/// A condition of [`Param::only_if`].
pub type OnlyIf = (&'static str, &'static [&'static str]);

const fn param(key: &'static str, label: &'static str, help: &'static str, kind: ParamKind) -> Param {
    Param { key, label, help, kind, only_if: None }
}

impl<T: Choice> ChoiceParam<T> {
    /// Creates a parameter. `default` is the key of a value. For a constant, any other text does not compile.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str, default: &'static str) -> Self {
        let kind = ParamKind::Choice { options: T::OPTIONS, default };
        Self { param: param(key, label, help, kind), default: place_of(default, T::OPTIONS), value: PhantomData }
    }

    /// The same parameter, shown only under a condition.
    pub const fn only_if(self, condition: OnlyIf) -> Self {
        Self { param: Param { only_if: Some(condition), ..self.param }, ..self }
    }
}

impl IntParam {
    /// Creates a parameter with a range that includes both ends.
    pub const fn new(
        key: &'static str,
        label: &'static str,
        help: &'static str,
        (min, max): (u32, u32),
        default: u32,
        unit: Unit,
    ) -> Self {
        let kind = ParamKind::Int { min: min as i64, max: max as i64, default: default as i64, unit };
        Self { param: param(key, label, help, kind), default }
    }

    /// The same parameter, shown only under a condition.
    pub const fn only_if(self, condition: OnlyIf) -> Self {
        Self { param: Param { only_if: Some(condition), ..self.param }, ..self }
    }
}

impl FloatParam {
    /// Creates a parameter with a range that includes both ends, in SI units.
    pub const fn new(
        key: &'static str,
        label: &'static str,
        help: &'static str,
        (min, max): (f64, f64),
        default: f64,
        unit: Unit,
    ) -> Self {
        Self { param: param(key, label, help, ParamKind::Float { min, max, default, unit }), default }
    }

    /// The same parameter, shown only under a condition.
    pub const fn only_if(self, condition: OnlyIf) -> Self {
        Self { param: Param { only_if: Some(condition), ..self.param }, ..self }
    }
}

impl BoolParam {
    /// Creates a switch that is on or off by default.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str, default: bool) -> Self {
        Self { param: param(key, label, help, ParamKind::Bool { default }), default }
    }

    /// The same parameter, shown only under a condition.
    pub const fn only_if(self, condition: OnlyIf) -> Self {
        Self { param: Param { only_if: Some(condition), ..self.param }, ..self }
    }
}

impl LinesParam {
    /// Creates a list whose lines fit the rules. The default lines are those of the rules.
    pub const fn new(key: &'static str, label: &'static str, help: &'static str, rules: &'static LineRules) -> Self {
        Self { param: param(key, label, help, ParamKind::Lines(rules)), rules }
    }
}

impl Readable for Param {
    type Value = ParamValue;

    fn read(&self, values: &ParamValues) -> ParamValue {
        values.chosen(self.key).cloned().unwrap_or_else(|| self.default_value())
    }
}

/// The value that was set, if it fits.
fn fitting(param: &Param, values: &ParamValues) -> Option<ParamValue> {
    values.chosen(param.key).and_then(|value| param.check(value.clone()).ok())
}

impl<T: Choice> Readable for ChoiceParam<T> {
    type Value = T;

    fn read(&self, values: &ParamValues) -> T {
        let chosen = match fitting(&self.param, values) {
            Some(ParamValue::Choice(key)) => T::by_key(&key),
            _ => None,
        };
        chosen.unwrap_or(T::ALL[self.default])
    }
}

impl Readable for IntParam {
    type Value = u32;

    fn read(&self, values: &ParamValues) -> u32 {
        match fitting(&self.param, values) {
            Some(ParamValue::Int(value)) => u32::try_from(value).unwrap_or(self.default),
            _ => self.default,
        }
    }
}

impl Readable for FloatParam {
    type Value = f64;

    fn read(&self, values: &ParamValues) -> f64 {
        match fitting(&self.param, values) {
            Some(ParamValue::Float(value)) => value,
            _ => self.default,
        }
    }
}

impl Readable for BoolParam {
    type Value = bool;

    fn read(&self, values: &ParamValues) -> bool {
        match fitting(&self.param, values) {
            Some(ParamValue::Bool(value)) => value,
            _ => self.default,
        }
    }
}

impl Readable for LinesParam {
    type Value = Vec<String>;

    fn read(&self, values: &ParamValues) -> Vec<String> {
        match fitting(&self.param, values) {
            Some(ParamValue::Lines(lines)) => lines,
            _ => (self.rules.default)(),
        }
    }
}

/// Index of the option with that key. If there is none, the code does not compile.
const fn place_of(key: &str, options: &[ChoiceOption]) -> usize {
    let mut place = 0;
    while place < options.len() {
        if is_same(options[place].key.as_bytes(), key.as_bytes()) {
            return place;
        }
        place += 1;
    }
    panic!("the default is not a key of the choice")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Pace {
        Walk,
        Run,
    }

    choices!(Pace {
        Walk => ("walk", "Walk", "One foot is down."),
        Run => ("run", "Run", "None is, at times."),
    });

    const PACE: ChoiceParam<Pace> = ChoiceParam::new("pace", "Pace", "How fast.", "run");
    const STEPS: IntParam =
        IntParam::new("steps", "Steps", "How many.", (1, 9), 2, Unit::None).only_if(("pace", &["run"]));
    const STRIDE: FloatParam = FloatParam::new("stride", "Stride", "How long.", (0.1, 2.0), 0.7, Unit::Metres);
    const LOOPS: BoolParam = BoolParam::new("loops", "Loops", "Goes on.", true);
    const PARAMS: &[Param] = &[PACE.param, STEPS.param, STRIDE.param, LOOPS.param];

    fn all(values: &ParamValues) -> (Pace, u32, f64, bool) {
        (values.get(&PACE), values.get(&STEPS), values.get(&STRIDE), values.get(&LOOPS))
    }

    #[test]
    fn what_is_set_is_read_with_its_type_and_defaults_are_those_of_the_table() {
        let mut values = ParamValues::new();
        assert_eq!(all(&values), (Pace::Run, 2, 0.7, true));
        let defaults: Vec<String> = PARAMS.iter().map(|p| p.default_value().to_string()).collect();
        assert_eq!(defaults, ["run", "2", "0.7", "true"]);
        for (key, text) in [("pace", "walk"), ("steps", "9"), ("stride", "2"), ("loops", "false")] {
            values.set_text(PARAMS, key, text).unwrap();
        }
        assert_eq!(all(&values), (Pace::Walk, 9, 2.0, false));
        assert_eq!((STEPS.param.only_if, PACE.param.only_if), (Some(("pace", &["run"][..])), None));
    }

    #[test]
    fn what_does_not_fit_reads_as_the_default() {
        let text = "pace = \"fly\"\nsteps = -3\nstride = \"long\"\nloops = 1";
        let values: ParamValues = toml::from_str(text).unwrap();
        assert_eq!(all(&values), all(&ParamValues::new()));
        let values: ParamValues = toml::from_str("steps = 10\nstride = 1").unwrap();
        assert_eq!(all(&values), (Pace::Run, 2, 1.0, true), "a whole number is a number, ten steps are too many");
    }
}
