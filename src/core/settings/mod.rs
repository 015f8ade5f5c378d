//! What a person may choose, described once: what it is called, what it does, what fits, its unit and its default. Forms,
//! the command line, files and reports are made from these descriptions.

mod param;

pub use param::{ChoiceOption, LineRules, OFF, Param, ParamError, ParamKind, ParamValue, ParamValues, Unit, is_on};
