//! What a person may choose, described once: what it is called, what it does, what fits, its unit and its default. Forms,
//! the command line, files and reports are made from these descriptions.
//!
//! A codec has a list of [`Param`]s and keeps what was chosen in [`ParamValues`]; a struct of settings has a table of
//! [`Setting`]s, one a field.

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

/// Lengths of animation: a tenth of a micrometre to a kilometre.
pub const LENGTHS_M: (f64, f64) = (1e-7, 1000.0);

/// The lines of a list of joints.
pub static JOINT_NAMES: LineRules =
    LineRules { name: "joint", expected: "names of joints", default: Vec::new, check: |_| Ok(()) };
