//! Settings: each one is described once, with its name, help, range, unit and default. Forms, the command line, files and reports are
//! generated from these descriptions.
//!
//! A codec has a list of [`Param`]s and keeps the user's values in [`ParamValues`]. A struct of settings has a table with one [`Setting`]
//! per field.

mod param;
mod setting;
mod typed_param;
mod unit;

pub use param::{ChoiceOption, LineRules, OFF, Param, ParamError, ParamKind, ParamValue, ParamValues, is_on};
pub(crate) use setting::at;
pub use setting::{At, Field, Range, Setting, Settings};
pub(crate) use typed_param::choices;
pub use typed_param::{BoolParam, Choice, ChoiceParam, FloatParam, IntParam, LinesParam, OnlyIf, Readable};
pub use unit::{NotANumber, Unit};

/// Range of lengths in animation: a tenth of a micrometre to a kilometre.
pub const LENGTHS_M: (f64, f64) = (1e-7, 1000.0);

/// Rules for a list of joint names.
pub static JOINT_NAMES: LineRules =
    LineRules { name: "joint", expected: "names of joints", default: Vec::new, check: |_| Ok(()) };
