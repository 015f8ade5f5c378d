use super::{ChoiceOption, LineRules, Param, ParamError, ParamKind, ParamValue, Unit};
use crate::text::shifted;

/// A struct whose fields are described by a table.
///
/// Its [`Default`] holds the defaults; the table says the rest.
pub trait Settings: Default + Clone + PartialEq + 'static {
    /// Every setting, in the order in which people see them.
    const ALL: &'static [Setting<Self>];

    /// The setting of that key.
    fn setting(key: &str) -> Option<&'static Setting<Self>> {
        Self::ALL.iter().find(|s| s.key == key)
    }

    /// Passes when every value fits: for structs that come from a file.
    ///
    /// # Errors
    /// [`ParamError::Value`] names the first that does not.
    fn check(&self) -> Result<(), ParamError> {
        Self::ALL.iter().try_for_each(|s| s.get(self).map_or(Ok(()), |value| s.param().check(value).map(drop)))
    }
}

/// One field of a struct of settings: what it is called, what it does, what fits.
#[derive(Debug)]
pub struct Setting<S: 'static> {
    /// As files say it, the name of the field: `heel_height_m`.
    pub key: &'static str,
    /// As the command line says it, without its dashes: `heel-height-mm`.
    pub option: &'static str,
    /// As the window says it.
    pub label: &'static str,
    /// What it does, then its effect on size or motion.
    pub help: &'static str,
    /// What fits, and where the value stands.
    pub field: Field<S>,
    /// What is meant while nothing is set, for fields that can be empty: `the tolerance`.
    pub unset: Option<&'static str>,
    /// The window's form has it; else the window sets it elsewhere, or leaves it to files and the command line.
    pub in_form: bool,
    /// It has an effect only while another setting of the table has one of these values.
    pub only_if: Option<(&'static str, &'static [&'static str])>,
}

/// Where a value stands in a struct.
pub struct At<S, T> {
    /// To read it.
    pub get: fn(&S) -> &T,
    /// To write it.
    pub get_mut: fn(&mut S) -> &mut T,
}

/// The place of a field: `at!(tolerance_m)`.
macro_rules! at {
    ($field:ident) => {
        $crate::settings::At { get: |s| &s.$field, get_mut: |s| &mut s.$field }
    };
}

pub(crate) use at;

impl<S, T> Clone for At<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for At<S, T> {}

impl<S, T> std::fmt::Debug for At<S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("At")
    }
}

/// What a number may be, and how it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest, in SI.
    pub min: f64,
    /// Largest, in SI.
    pub max: f64,
    /// Unit.
    pub unit: Unit,
    /// Fewest and most digits behind the point, where it is shown.
    pub decimals: (usize, usize),
    /// Where a slider runs, in SI; `None` gives no slider. Values beyond it are typed.
    pub slider: Option<(f64, f64)>,
}

/// What a field holds, and where.
#[derive(Debug)]
pub enum Field<S: 'static> {
    /// A switch.
    Switch(At<S, bool>),
    /// One of a list, or nothing.
    Choice {
        /// The list.
        options: &'static [ChoiceOption],
        /// Key of the choice.
        get: fn(&S) -> Option<&'static str>,
        /// Takes a key of the list; any other means nothing.
        set: fn(&mut S, &str),
    },
    /// A whole number and its smallest and largest.
    Count(At<S, usize>, usize, usize),
    /// A number.
    Number(At<S, f32>, Range),
    /// A number, or nothing.
    OptionalNumber(At<S, Option<f32>>, Range),
    /// A list of names.
    Lines(At<S, Vec<String>>, &'static LineRules),
}

impl<S: Settings> Setting<S> {
    /// The description that a codec's parameter would have. What can be empty has no default there but its smallest value.
    pub fn param(&self) -> Param {
        let default = self.get(&S::default());
        let kind = match self.field {
            Field::Switch(at) => ParamKind::Bool { default: *(at.get)(&S::default()) },
            Field::Choice { options, get, .. } => {
                ParamKind::Choice { options, default: get(&S::default()).unwrap_or(options[0].key) }
            }
            Field::Count(at, min, max) => {
                let default = *(at.get)(&S::default()) as i64;
                ParamKind::Int { min: min as i64, max: max as i64, default, unit: Unit::None }
            }
            Field::Number(_, Range { min, max, unit, .. }) | Field::OptionalNumber(_, Range { min, max, unit, .. }) => {
                let Some(ParamValue::Float(default)) = default else {
                    return self.with_kind(ParamKind::Float { min, max, default: min, unit });
                };
                ParamKind::Float { min, max, default, unit }
            }
            Field::Lines(_, rules) => ParamKind::Lines(rules),
        };
        self.with_kind(kind)
    }

    fn with_kind(&self, kind: ParamKind) -> Param {
        Param { key: self.key, label: self.label, help: self.help, kind, only_if: self.only_if }
    }

    /// How its number is shown; `None` for what is no such number.
    pub fn range(&self) -> Option<&Range> {
        match &self.field {
            Field::Number(_, range) | Field::OptionalNumber(_, range) => Some(range),
            _ => None,
        }
    }

    /// The value in force; `None` where nothing is set.
    pub fn get(&self, of: &S) -> Option<ParamValue> {
        // An f32 as the decimal number that it stands for: 0.05, not 0.05000000074505806.
        let number = |value: f32| ParamValue::Float(shifted(value, 0));
        match self.field {
            Field::Switch(at) => Some(ParamValue::Bool(*(at.get)(of))),
            Field::Choice { get, .. } => get(of).map(|key| ParamValue::Choice(key.into())),
            Field::Count(at, ..) => Some(ParamValue::Int(*(at.get)(of) as i64)),
            Field::Number(at, _) => Some(number(*(at.get)(of))),
            Field::OptionalNumber(at, _) => (at.get)(of).map(number),
            Field::Lines(at, _) => Some(ParamValue::Lines((at.get)(of).clone())),
        }
    }

    /// Sets it.
    ///
    /// # Errors
    /// [`ParamError`] when the value does not fit; then nothing is changed.
    pub fn set(&self, of: &mut S, value: ParamValue) -> Result<(), ParamError> {
        match (&self.field, self.param().check(value)?) {
            (Field::Switch(at), ParamValue::Bool(on)) => *(at.get_mut)(of) = on,
            (Field::Choice { set, .. }, ParamValue::Choice(key)) => set(of, &key),
            (Field::Count(at, ..), ParamValue::Int(count)) => *(at.get_mut)(of) = count as usize,
            (Field::Number(at, _), ParamValue::Float(number)) => *(at.get_mut)(of) = number as f32,
            (Field::OptionalNumber(at, _), ParamValue::Float(number)) => *(at.get_mut)(of) = Some(number as f32),
            (Field::Lines(at, _), ParamValue::Lines(lines)) => *(at.get_mut)(of) = lines,
            (_, other) => unreachable!("{other:?} was checked to fit {}", self.key),
        }
        Ok(())
    }

    /// Back to the default.
    pub fn reset(&self, of: &mut S) {
        let default = S::default();
        match &self.field {
            Field::Switch(at) => *(at.get_mut)(of) = *(at.get)(&default),
            Field::Choice { get, set, .. } => set(of, get(&default).unwrap_or_default()),
            Field::Count(at, ..) => *(at.get_mut)(of) = *(at.get)(&default),
            Field::Number(at, _) => *(at.get_mut)(of) = *(at.get)(&default),
            Field::OptionalNumber(at, _) => *(at.get_mut)(of) = *(at.get)(&default),
            Field::Lines(at, _) => (at.get_mut)(of).clone_from((at.get)(&default)),
        }
    }

    /// True when it is not at its default.
    pub fn is_changed(&self, of: &S) -> bool {
        self.get(of) != self.get(&S::default())
    }

    /// True when it has an effect with the other settings as they are.
    pub fn is_active(&self, of: &S) -> bool {
        let Some((key, wanted)) = self.only_if else { return true };
        let value = S::setting(key).and_then(|other| other.get(of));
        value.is_some_and(|value| wanted.contains(&value.to_string().as_str()))
    }

    /// The default in words and shown units: `0.1 mm`, `the tolerance`.
    pub fn default_text(&self) -> String {
        match (self.unset, self.get(&S::default())) {
            (Some(words), _) => words.to_owned(),
            (None, Some(value)) => self.param().shown(&value),
            (None, None) => String::new(),
        }
    }
}
