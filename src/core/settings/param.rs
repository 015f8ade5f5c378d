use super::{Readable, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// One choice of a [`ParamKind::Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceOption {
    /// As files and the command line say it.
    pub key: &'static str,
    /// As the window says it.
    pub label: &'static str,
    /// What it means.
    pub help: &'static str,
}

/// What values a parameter takes. Every kind has its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// A switch.
    Bool {
        /// Default.
        default: bool,
    },
    /// One of a list.
    Choice {
        /// The list, not empty.
        options: &'static [ChoiceOption],
        /// Key of the default.
        default: &'static str,
    },
    /// A whole number.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
        /// Default.
        default: i64,
        /// Unit.
        unit: Unit,
    },
    /// A number.
    Float {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// Default.
        default: f64,
        /// Unit.
        unit: Unit,
    },
    /// A list of lines, by the rules of what the lines are.
    Lines(&'static LineRules),
}

/// What the lines of a [`ParamKind::Lines`] are.
#[derive(Debug)]
pub struct LineRules {
    /// What they are, in a word: `candidates`.
    pub name: &'static str,
    /// What fits, for messages and help: `a list of CODEC[:PRESET] [KEY=VALUE]...`.
    pub expected: &'static str,
    /// The lines that stand when nobody chose any.
    pub default: fn() -> Vec<String>,
    /// Passes lines that make sense, or names the first that does not with [`ParamError::Line`].
    pub check: fn(&[String]) -> Result<(), ParamError>,
}

/// Rules are statics: the same ones lie at the same place.
impl PartialEq for LineRules {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What a line begins with when it is switched off, or only a remark.
pub const OFF: char = '#';

/// True for a line that counts.
pub fn is_on(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with(OFF)
}

/// One thing that the user of a codec may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// As files and the command line say it: `rotation_format`.
    pub key: &'static str,
    /// As the window says it.
    pub label: &'static str,
    /// What it does, then its effect on size or motion.
    pub help: &'static str,
    /// Values and default.
    pub kind: ParamKind,
    /// Shown only while another choice has one of these values.
    pub only_if: Option<(&'static str, &'static [&'static str])>,
}

/// A chosen value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A switch.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Key of a choice.
    Choice(String),
    /// Lines of a list.
    Lines(Vec<String>),
}

/// Stands between lines where a list is written in one.
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

/// Why a value does not fit.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum ParamError {
    /// No parameter of that name.
    #[error("no parameter '{key}'; expected one of: {expected}")]
    Unknown {
        /// Name given.
        key: String,
        /// Names there are.
        expected: String,
    },
    /// A value of the wrong kind or out of range.
    #[error("'{found}' does not fit parameter '{key}'; expected {expected}")]
    Value {
        /// Parameter.
        key: String,
        /// Value given.
        found: String,
        /// What fits.
        expected: String,
    },
    /// A line of a list that makes no sense.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl Param {
    /// The value that it has when nobody chose one.
    pub fn default_value(&self) -> ParamValue {
        match self.kind {
            ParamKind::Bool { default } => ParamValue::Bool(default),
            ParamKind::Choice { default, .. } => ParamValue::Choice(default.into()),
            ParamKind::Int { default, .. } => ParamValue::Int(default),
            ParamKind::Float { default, .. } => ParamValue::Float(default),
            ParamKind::Lines(rules) => ParamValue::Lines((rules.default)()),
        }
    }

    /// The values that fit, for messages and help.
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

    /// Reads a value as the command line writes it.
    ///
    /// # Errors
    /// [`ParamError::Value`].
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

    /// The value if it fits; a whole number fits a float.
    ///
    /// # Errors
    /// [`ParamError::Value`]; [`ParamError::Line`] for a list.
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

    /// A value in words and units for people: `0.1 mm`, `off`, the label of a choice.
    pub fn shown(&self, value: &ParamValue) -> String {
        match (self.kind, value) {
            (ParamKind::Choice { options, .. }, ParamValue::Choice(key)) => {
                options.iter().find(|o| o.key == key).map_or(key.clone(), |o| o.label.to_owned())
            }
            (ParamKind::Float { unit, .. }, ParamValue::Float(v)) => {
                let rounded = (unit.shown(*v) * 1000.0).round() / 1000.0;
                format!("{rounded}{}", unit.suffix())
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

/// The values of a codec's parameters that differ from their defaults.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParamValues {
    changed: BTreeMap<String, ParamValue>,
}

impl ParamValues {
    /// All at their defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one value; a default is forgotten, so that equal choices compare equal.
    ///
    /// # Errors
    /// [`ParamError`] when there is no such parameter or the value does not fit.
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

    /// Sets one value from `text`, as on the command line.
    ///
    /// # Errors
    /// [`ParamError`].
    pub fn set_text(&mut self, params: &[Param], key: &str, text: &str) -> Result<(), ParamError> {
        let value = find(params, key)?.parse(text)?;
        self.set(params, key, value)
    }

    /// The value in force: of the type of a typed parameter, a [`ParamValue`] of a [`Param`].
    pub fn get<R: Readable>(&self, param: &R) -> R::Value {
        param.read(self)
    }

    /// What somebody chose, if anybody did.
    pub(super) fn chosen(&self, key: &str) -> Option<&ParamValue> {
        self.changed.get(key)
    }

    /// True when the parameter is not at its default.
    pub fn is_changed(&self, key: &str) -> bool {
        self.changed.contains_key(key)
    }

    /// Back to the default.
    pub fn reset(&mut self, key: &str) {
        self.changed.remove(key);
    }

    /// Values that differ from their defaults, by key.
    pub fn changed(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.changed.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// True when the parameter has an effect with the other values as they are.
    pub fn is_active(&self, params: &[Param], param: &Param) -> bool {
        let Some((key, wanted)) = param.only_if else { return true };
        params.iter().find(|p| p.key == key).is_some_and(|p| wanted.contains(&self.get(p).to_string().as_str()))
    }

    /// Every value must fit its parameter: for values that come from a file.
    ///
    /// # Errors
    /// [`ParamError`].
    pub fn validated(&self, params: &[Param]) -> Result<Self, ParamError> {
        let mut out = Self::default();
        for (key, value) in &self.changed {
            out.set(params, key, value.clone())?;
        }
        Ok(out)
    }
}

/// Lines that are parted by line ends or semicolons, empty ones left out; a remark goes on to the end of its line.
fn lines_of(text: &str) -> Vec<String> {
    let parts = text.lines().flat_map(|line| line.split(if is_on(line) { ';' } else { '\n' }));
    parts.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn find<'a>(params: &'a [Param], key: &str) -> Result<&'a Param, ParamError> {
    params.iter().find(|p| p.key == key).ok_or_else(|| ParamError::Unknown {
        key: key.into(),
        expected: match params {
            [] => "none, this codec has no parameters".into(),
            _ => params.iter().map(|p| p.key).collect::<Vec<_>>().join(", "),
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
