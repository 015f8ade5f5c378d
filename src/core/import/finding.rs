use super::error::Fault;
use super::{ConstraintReading, Fix, ImportOptions, LengthUnit, TimeUnit};
use crate::model::Additive;
use crate::text;
use serde::{Deserialize, Serialize};

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Information.
    Note,
    /// A problem that was repaired or ignored.
    Warning,
    /// A question to the user: the file probably means something else.
    Decide,
}

/// One result of the import checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Severity.
    pub severity: Severity,
    /// Clip, mesh or joint.
    pub subject: String,
    /// True if the subject is a clip that was left out.
    pub is_left_out: bool,
    /// The observation.
    pub what: String,
    /// Its meaning, and the action that was or can be taken.
    pub meaning: String,
    /// A plausible unit, if the question is about units.
    pub suggested_unit: Option<LengthUnit>,
    /// The probable base, if the clip looks additive.
    pub suggested_base: Option<Additive>,
    /// The fix, if there is one.
    pub fix: Option<Fix>,
    /// Alternatives for the import.
    pub readings: Vec<Reading>,
}

/// An alternative import of a file: another part of it, or other options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Label for people.
    pub label: String,
    /// The part or option.
    pub part: ReadingPart,
}

/// A part of a file, or an import option.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ReadingPart {
    /// A character by its number, or all of them.
    Figure(Option<u32>),
    /// A scene by its number.
    Scene(u32),
    /// The motion with or without its constraints.
    Constraints(ConstraintReading),
    /// The same file with another unit of lengths.
    Lengths(LengthUnit),
    /// The same file with another unit of times.
    Times(TimeUnit),
    /// The same frames at another rate, Hz.
    FrameRate(f32),
    /// The motion at another sample rate.
    Rate {
        /// Samples per 1,000 seconds.
        millihertz: u32,
    },
}

impl Reading {
    /// The import options for that part.
    pub fn of(&self, options: ImportOptions) -> ImportOptions {
        let number = |number: u32| number as f32;
        match self.part {
            ReadingPart::Figure(figure) => ImportOptions { figure: figure.map(number), ..options },
            ReadingPart::Scene(scene) => ImportOptions { scene: Some(number(scene)), ..options },
            ReadingPart::Rate { millihertz } => {
                ImportOptions { rate_hz: Some((f64::from(millihertz) / 1000.0) as f32), ..options }
            }
            ReadingPart::Constraints(reading) => ImportOptions { constraints: Some(reading), ..options },
            ReadingPart::Lengths(unit) => ImportOptions { unit: Some(unit), ..options },
            ReadingPart::Times(unit) => ImportOptions { time_unit: Some(unit), ..options },
            ReadingPart::FrameRate(rate_hz) => ImportOptions { frames_are_hz: Some(rate_hz), ..options },
        }
    }
}

impl Finding {
    pub(crate) fn note(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        let (subject, what, meaning) = (subject.into(), what.into(), meaning.into());
        Self {
            severity: Severity::Note,
            subject,
            is_left_out: false,
            what,
            meaning,
            suggested_unit: None,
            suggested_base: None,
            fix: None,
            readings: Vec::new(),
        }
    }

    pub(crate) fn warning(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::note(subject, what, meaning) }
    }

    pub(super) fn decide(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Decide, ..Self::note(subject, what, meaning) }
    }

    /// Reports a clip that was skipped after an error.
    pub(super) fn left_out(clip: impl Into<String>, fault: &Fault) -> Self {
        let advice = fault.advice().unwrap_or("Export it again");
        let meaning = format!("It was left out; the other clips are not affected. {advice}.");
        Self { is_left_out: true, ..Self::warning(clip, format!("the clip cannot be used: {fault}"), meaning) }
    }

    /// Lists meshes that were skipped because no joint moves them. `None` without any.
    pub(super) fn not_carried(meshes: &[String]) -> Option<Self> {
        let meaning = "It does not move with the clips, and was skipped.";
        (!meshes.is_empty()).then(|| Self::note(text::listed(meshes), "no joint carries this mesh", meaning))
    }

    pub(super) fn with_unit(self, unit: LengthUnit) -> Self {
        Self { suggested_unit: Some(unit), ..self }
    }

    pub(super) fn with_base(self, base: Additive) -> Self {
        Self { suggested_base: Some(base), ..self }
    }

    pub(super) fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    pub(super) fn with_readings(self, readings: impl IntoIterator<Item = Reading>) -> Self {
        Self { readings: readings.into_iter().collect(), ..self }
    }
}
