use super::{ChoiceOption, LineRules, Param, ParamError, ParamKind, ParamValue, Unit};
use crate::text::shifted;

/// A struct whose fields are described by a table.
///
/// Its [`Default`] has the defaults; the table has everything else.
pub trait Settings: Default + Clone + PartialEq + 'static {
    /// All settings, in the order in which people see them.
    const ALL: &'static [Setting<Self>];

    /// The setting with that key.
    fn setting(key: &str) -> Option<&'static Setting<Self>> {
        Self::ALL.iter().find(|s| s.key == key)
    }

    /// Sets the value of an option of the command line, without its dashes: `tolerance-mm` to `0.1`.
    ///
    /// # Errors
    /// Returns a [`ParamError`] for an unknown option, or a value that does not fit. Then nothing changes.
    fn set_option(&mut self, option: &str, text: &str) -> Result<(), ParamError> {
        let setting = Self::ALL.iter().find(|setting| setting.option == option).ok_or_else(|| ParamError::Unknown {
            key: option.into(),
            expected: Self::ALL.iter().map(|setting| setting.option).collect::<Vec<_>>().join(", "),
        })?;
        let param = Param { key: setting.option, ..setting.param() };
        let value = param.parse_shown(text)?;
        setting.set(self, value)
    }

    /// Checks that every value fits. For structs that come from a file.
    ///
    /// # Errors
    /// Returns a [`ParamError`] for the first value that does not fit.
    fn check(&self) -> Result<(), ParamError> {
        Self::ALL.iter().try_for_each(|s| s.get(self).map_or(Ok(()), |value| s.param().check(value).map(drop)))
    }
}

/// One field of a struct of settings: its names, its help and its accepted values.
#[derive(Debug)]
pub struct Setting<S: 'static> {
    /// Its name in files, which is the field's name: `heel_height_m`.
    pub key: &'static str,
    /// Its name on the command line, without dashes: `heel-height-mm`.
    pub option: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// Its function, then its effect on size or motion.
    pub help: &'static str,
    /// The accepted values, and access to the field.
    pub field: Field<S>,
    /// The meaning of an empty field: `the tolerance`. Only for fields that can be empty.
    pub unset: Option<&'static str>,
    /// True if the window's form shows it. Otherwise the window sets it elsewhere, or only files and the command line do.
    pub in_form: bool,
    /// Condition under which it has an effect: another setting has one of these values.
    pub only_if: Option<(&'static str, &'static [&'static str])>,
}

/// Access to a value in a struct.
pub struct At<S, T> {
    /// Reads it.
    pub get: fn(&S) -> &T,
    /// Writes it.
    pub get_mut: fn(&mut S) -> &mut T,
}

/// Access to a field: `at!(tolerance_m)`.
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

/// Range of a number, and how it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest value, in SI units.
    pub min: f64,
    /// Largest value, in SI units.
    pub max: f64,
    /// Unit.
    pub unit: Unit,
    /// Fewest and most decimals to show.
    pub decimals: (usize, usize),
    /// Range of the slider, in SI units. `None`: no slider. Values outside can be typed.
    pub slider: Option<(f64, f64)>,
}

/// Kind of a field, with access to it.
#[derive(Debug)]
pub enum Field<S: 'static> {
    /// A switch.
    Switch(At<S, bool>),
    /// One of a list, or empty.
    Choice {
        /// The options.
        options: &'static [ChoiceOption],
        /// Returns the key of the option. `None` if the field is empty.
        get: fn(&S) -> Option<&'static str>,
        /// Takes the key of an option. Any other text empties the field.
        set: fn(&mut S, &str),
    },
    /// A whole number, with its smallest and largest value.
    Count(At<S, usize>, usize, usize),
    /// A number.
    Number(At<S, f32>, Range),
    /// A number, or empty.
    OptionalNumber(At<S, Option<f32>>, Range),
    /// A list of names.
    Lines(At<S, Vec<String>>, &'static LineRules),
}

impl<S: Settings> Setting<S> {
    /// The description as a parameter. For a field that is empty by default, it has the smallest value or the first option as its default.
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

    /// The range of a number. `None` for other kinds.
    pub fn range(&self) -> Option<&Range> {
        match &self.field {
            Field::Number(_, range) | Field::OptionalNumber(_, range) => Some(range),
            _ => None,
        }
    }

    /// The current value. `None` if the field is empty.
    pub fn get(&self, of: &S) -> Option<ParamValue> {
        // An f32 becomes the decimal number that it stands for: 0.05, not 0.05000000074505806.
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

    /// Sets the value.
    ///
    /// # Errors
    /// Returns a [`ParamError`] if the value does not fit. Then nothing changes.
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

    /// Resets the value to its default.
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

    /// True if it is not at its default.
    pub fn is_changed(&self, of: &S) -> bool {
        self.get(of) != self.get(&S::default())
    }

    /// True if it has an effect with the current values of the other settings.
    pub fn is_active(&self, of: &S) -> bool {
        let Some((key, wanted)) = self.only_if else { return true };
        let value = S::setting(key).and_then(|other| other.get(of));
        value.is_some_and(|value| wanted.contains(&value.to_string().as_str()))
    }

    /// The default in words and displayed units: `0.1 mm`, `the tolerance`.
    pub fn default_text(&self) -> String {
        match (self.unset, self.get(&S::default())) {
            (Some(words), _) => words.to_owned(),
            (None, Some(value)) => self.param().shown(&value),
            (None, None) => String::new(),
        }
    }
}
