use super::{Readable, Unit};
use crate::text::perhaps;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// One option of a [`ParamKind::Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceOption {
    /// Its name in files and on the command line.
    pub key: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// A sentence about it.
    pub help: &'static str,
}

/// The values that a parameter accepts. Every kind has a default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// A switch.
    #[expect(missing_docs, reason = "the variant says it")]
    Bool { default: bool },
    /// One of a list.
    Choice {
        /// The options, at least one.
        options: &'static [ChoiceOption],
        /// Key of the default.
        default: &'static str,
    },
    /// A whole number from `min` to `max`, in a unit.
    #[expect(missing_docs, reason = "the variant says it")]
    Int { min: i64, max: i64, default: i64, unit: Unit },
    /// A number from `min` to `max`, in a unit.
    #[expect(missing_docs, reason = "the variant says it")]
    Float { min: f64, max: f64, default: f64, unit: Unit },
    /// A list of lines, with the rules for them.
    Lines(&'static LineRules),
}

/// Rules for the lines of a [`ParamKind::Lines`].
#[derive(Debug)]
pub struct LineRules {
    /// A word for the lines: `candidates`.
    pub name: &'static str,
    /// A description for messages and help: `a list of CODEC[:PRESET] [KEY=VALUE]...`.
    pub expected: &'static str,
    /// The lines by default.
    pub default: fn() -> Vec<String>,
    /// Checks the lines. Returns [`ParamError::Line`] for the first one that is not valid.
    pub check: fn(&[String]) -> Result<(), ParamError>,
}

/// Rules are statics, so the same rules have the same address.
impl PartialEq for LineRules {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// First character of a line that is switched off or a comment.
pub const OFF: char = '#';

/// True for a line that is neither empty nor switched off.
pub fn is_on(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with(OFF)
}

/// One parameter of a codec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Its name in files and on the command line: `rotation_format`.
    pub key: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    /// Its function, then its effect on size or motion.
    pub help: &'static str,
    /// Accepted values, with the default.
    pub kind: ParamKind,
    /// Condition under which it is shown: another choice has one of these values.
    pub only_if: Option<(&'static str, &'static [&'static str])>,
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A switch.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Key of an option.
    Choice(String),
    /// Lines of a list.
    Lines(Vec<String>),
}

/// Separator of lines in a list that is written on one line.
const LINE_END: &str = "; ";

impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(v) => write!(f, "{v}"),
            Self::Int(v) => write!(f, "{v}"),
            Self::Float(v) => write!(f, "{v}"),
            Self::Choice(v) => f.write_str(v),
            Self::Lines(v) => f.write_str(&v.join(LINE_END)),
        }
    }
}

/// The reason why a value is not valid.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParamError {
    /// There is no parameter with that name.
    #[error("no parameter '{key}'; expected one of: {expected}")]
    Unknown { key: String, expected: String },
    /// The value has the wrong kind or is out of range.
    #[error("'{found}' does not fit parameter '{key}'; expected {expected}")]
    Value { key: String, found: String, expected: String },
    /// A line of a list is not valid.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        reason: String,
    },
}

impl Param {
    /// The default value.
    pub fn default_value(&self) -> ParamValue {
        match self.kind {
            ParamKind::Bool { default } => ParamValue::Bool(default),
            ParamKind::Choice { default, .. } => ParamValue::Choice(default.into()),
            ParamKind::Int { default, .. } => ParamValue::Int(default),
            ParamKind::Float { default, .. } => ParamValue::Float(default),
            ParamKind::Lines(rules) => ParamValue::Lines((rules.default)()),
        }
    }

    /// A description of the values that fit, for messages and help.
    pub fn expected(&self) -> String {
        match self.kind {
            ParamKind::Bool { .. } => "true or false".into(),
            ParamKind::Choice { options, .. } => {
                let keys: Vec<_> = options.iter().map(|o| o.key).collect();
                format!("one of: {}", keys.join(", "))
            }
            ParamKind::Int { min, max, .. } => format!("a whole number from {min} to {max}"),
            ParamKind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            ParamKind::Lines(rules) => rules.expected.into(),
        }
    }

    /// Reads a value as written on the command line.
    ///
    /// # Errors
    /// Returns [`ParamError::Value`] if it does not fit, or [`ParamError::Line`] for a list.
    pub fn parse(&self, text: &str) -> Result<ParamValue, ParamError> {
        let parsed = match self.kind {
            ParamKind::Bool { .. } => text.parse().ok().map(ParamValue::Bool),
            ParamKind::Choice { .. } => Some(ParamValue::Choice(text.into())),
            ParamKind::Int { .. } => text.parse().ok().map(ParamValue::Int),
            ParamKind::Float { .. } => text.parse().ok().map(ParamValue::Float),
            ParamKind::Lines(_) => Some(ParamValue::Lines(lines_of(text))),
        };
        let value = parsed.ok_or_else(|| self.misfit(text))?;
        self.check(value)
    }

    /// Reads a value in the unit in which people see it: `0.1` is 0.1 mm for a length.
    ///
    /// # Errors
    /// Returns [`ParamError::Value`] with the range in that unit, or [`ParamError::Line`] for a list.
    pub fn parse_shown(&self, text: &str) -> Result<ParamValue, ParamError> {
        let ParamKind::Float { min, max, unit, .. } = self.kind else { return self.parse(text) };
        let value = text.parse().ok().map(|number| ParamValue::Float(unit.stored_of(number)));
        value.and_then(|value| self.check(value).ok()).ok_or_else(|| ParamError::Value {
            key: self.key.into(),
            found: text.into(),
            expected: format!("a number from {} to {}", unit.shown(min), unit.shown(max)),
        })
    }

    /// Returns the value if it fits. A whole number fits a float.
    ///
    /// # Errors
    /// Returns [`ParamError::Value`], or [`ParamError::Line`] for a list.
    pub fn check(&self, value: ParamValue) -> Result<ParamValue, ParamError> {
        let value = match (self.kind, value) {
            (ParamKind::Float { .. }, ParamValue::Int(v)) => ParamValue::Float(v as f64),
            (_, value) => value,
        };
        if let (ParamKind::Lines(rules), ParamValue::Lines(lines)) = (self.kind, &value) {
            (rules.check)(lines)?;
            return Ok(value);
        }
        let fits = match (self.kind, &value) {
            (ParamKind::Bool { .. }, ParamValue::Bool(_)) => true,
            (ParamKind::Choice { options, .. }, ParamValue::Choice(v)) => options.iter().any(|o| o.key == v),
            (ParamKind::Int { min, max, .. }, ParamValue::Int(v)) => (min..=max).contains(v),
            (ParamKind::Float { min, max, .. }, ParamValue::Float(v)) => (min..=max).contains(v),
            _ => false,
        };
        if fits { Ok(value) } else { Err(self.misfit(&value.to_string())) }
    }

    /// The value in words and units for people: `0.1 mm`, `off`, the label of an option.
    pub fn shown(&self, value: &ParamValue) -> String {
        match (self.kind, value) {
            (ParamKind::Choice { options, .. }, ParamValue::Choice(key)) => {
                options.iter().find(|o| o.key == key).map_or(key.clone(), |o| o.label.to_owned())
            }
            (ParamKind::Float { unit, .. }, ParamValue::Float(v)) => {
                format!("{}{}", rounded(unit.shown(*v)), unit.suffix())
            }
            (ParamKind::Int { unit, .. }, v) => format!("{v}{}", unit.suffix()),
            (ParamKind::Bool { .. }, ParamValue::Bool(on)) => (if *on { "on" } else { "off" }).to_owned(),
            (_, v) => v.to_string(),
        }
    }

    fn misfit(&self, found: &str) -> ParamError {
        ParamError::Value { key: self.key.into(), found: found.into(), expected: self.expected() }
    }
}

/// Rounds to three decimals, and numbers below 0.1 to three digits.
fn rounded(number: f64) -> f64 {
    let leading = if number == 0.0 { 0.0 } else { number.abs().log10().floor() };
    let scale = 10.0_f64.powf((2.0 - leading).max(3.0));
    (number * scale).round() / scale
}

/// Values of a codec's parameters that differ from the defaults.
///
/// ```
/// use posepress_core::codecs::{Codec, LinearKeys};
/// use posepress_core::settings::ParamValues;
///
/// let mut values = ParamValues::new();
/// values.set_text(LinearKeys.params(), "between", "true")?;
/// assert!(values.is_changed("between"));
/// values.set_text(LinearKeys.params(), "between", "false")?;
/// assert_eq!(values, ParamValues::new());
/// # Ok::<(), posepress_core::settings::ParamError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParamValues {
    changed: BTreeMap<String, ParamValue>,
}

impl ParamValues {
    /// All parameters at their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one value. A value equal to the default is removed, so that equal settings compare equal.
    ///
    /// # Errors
    /// Returns a [`ParamError`] if the parameter does not exist or the value does not fit.
    pub fn set(&mut self, params: &[Param], key: &str, value: ParamValue) -> Result<(), ParamError> {
        let param = find(params, key)?;
        let value = param.check(value)?;
        if value == param.default_value() {
            self.changed.remove(key);
        } else {
            self.changed.insert(key.into(), value);
        }
        Ok(())
    }

    /// Sets one value from text, as on the command line.
    ///
    /// # Errors
    /// Returns a [`ParamError`] if the parameter does not exist or the text does not fit.
    pub fn set_text(&mut self, params: &[Param], key: &str, text: &str) -> Result<(), ParamError> {
        let value = find(params, key)?.parse(text)?;
        self.set(params, key, value)
    }

    /// The current value: the Rust type of a typed parameter, or the [`ParamValue`] of a [`Param`].
    pub fn get<R: Readable>(&self, param: &R) -> R::Value {
        param.read(self)
    }

    /// The value that was set, if any.
    pub(super) fn chosen(&self, key: &str) -> Option<&ParamValue> {
        self.changed.get(key)
    }

    /// True if the parameter is not at its default.
    pub fn is_changed(&self, key: &str) -> bool {
        self.changed.contains_key(key)
    }

    /// Resets the parameter to its default.
    pub fn reset(&mut self, key: &str) {
        self.changed.remove(key);
    }

    /// Values that differ from their defaults, by key.
    pub fn changed(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.changed.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// True if the parameter has an effect with the current values of the others.
    pub fn is_active(&self, params: &[Param], param: &Param) -> bool {
        let Some((key, wanted)) = param.only_if else { return true };
        params.iter().find(|p| p.key == key).is_some_and(|p| wanted.contains(&self.get(p).to_string().as_str()))
    }

    /// Checks every value against its parameter. For values from a file.
    ///
    /// # Errors
    /// Returns a [`ParamError`] for the first value that does not fit.
    pub fn validated(&self, params: &[Param]) -> Result<Self, ParamError> {
        let mut out = Self::default();
        for (key, value) in &self.changed {
            out.set(params, key, value.clone())?;
        }
        Ok(out)
    }
}

/// Splits text into lines at line ends and semicolons and drops empty ones. A comment continues to the end of its line.
fn lines_of(text: &str) -> Vec<String> {
    let parts = text.lines().flat_map(|line| line.split(if is_on(line) { ';' } else { '\n' }));
    parts.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn find<'a>(params: &'a [Param], key: &str) -> Result<&'a Param, ParamError> {
    let known = || params.iter().map(|param| param.key).collect::<Vec<_>>();
    params.iter().find(|p| p.key == key).ok_or_else(|| ParamError::Unknown {
        key: key.into(),
        expected: match params {
            [] => "none, since this codec has no parameters".into(),
            _ => format!("{}{}", known().join(", "), perhaps(key, &known())),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param {
            key: "order",
            label: "Order",
            help: "",
            kind: ParamKind::Choice {
                options: &[
                    ChoiceOption { key: "forward", label: "Forward", help: "" },
                    ChoiceOption { key: "random", label: "Random", help: "" },
                ],
                default: "forward",
            },
            only_if: None,
        },
        Param {
            key: "seed",
            label: "Seed",
            help: "",
            kind: ParamKind::Int { min: 0, max: 9, default: 1, unit: Unit::None },
            only_if: Some(("order", &["random"])),
        },
    ];

    #[test]
    fn small_numbers_are_shown_with_their_digits() {
        let shown = [0.0, 0.0001, f64::from(0.0001f32), -0.000_012_345, 0.25, 12.345_67, 1000.0].map(rounded);
        assert_eq!(shown, [0.0, 0.0001, 0.0001, -0.000_012_3, 0.25, 12.346, 1000.0]);
    }

    #[test]
    fn values_are_checked_and_defaults_forgotten() {
        let mut values = ParamValues::new();
        assert!(!values.is_active(PARAMS, &PARAMS[1]));
        values.set_text(PARAMS, "order", "random").unwrap();
        assert!(values.is_active(PARAMS, &PARAMS[1]) && values.is_changed("order"));
        values.set_text(PARAMS, "order", "forward").unwrap();
        assert_eq!(values, ParamValues::new());
        let error = values.set_text(PARAMS, "seed", "10").unwrap_err();
        assert_eq!(error.to_string(), "'10' does not fit parameter 'seed'; expected a whole number from 0 to 9");
        assert!(matches!(values.set_text(PARAMS, "sed", "1"), Err(ParamError::Unknown { .. })));
    }
}
