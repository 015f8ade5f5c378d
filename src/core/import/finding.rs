use super::error::Fault;
use super::{ConstraintReading, ImportOptions, LengthUnit, Mend, TimeUnit};
use crate::model::Additive;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Fixed or left, worth a look.
    Warning,
    /// The user should decide: the file probably means something else.
    Decide,
}

/// One thing that the import checks noticed.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Clip, mesh or joint.
    pub subject: String,
    /// What was found.
    pub what: String,
    /// What it means, and what was done or can be done.
    pub meaning: String,
    /// The unit that would make sense of the file, where that is what is to be decided.
    pub suggested_unit: Option<LengthUnit>,
    /// What the clip is probably added to, where its poses look like differences.
    pub suggested_base: Option<Additive>,
    /// What would mend the clip.
    pub mend: Option<Mend>,
    /// Other parts of the file that can be read instead.
    pub readings: Vec<Reading>,
}

/// Another part of a file that can be read instead of the one that was, or the same otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// For people.
    pub label: String,
    /// What is read.
    pub part: ReadingPart,
}

/// What may be read of a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ReadingPart {
    /// Another figure, by its number, or all of them.
    Figure(Option<u32>),
    /// Another scene, by its number.
    Scene(u32),
    /// The motion with or without its constraints.
    Constraints(ConstraintReading),
    /// The same with times of another unit.
    Times(TimeUnit),
    /// The same frames at another rate, Hz.
    FrameRate(f32),
    /// The motion, sampled so often.
    Rate {
        /// Samples per 1,000 seconds.
        millihertz: u32,
    },
}

impl Reading {
    /// What is said of a file to read that part.
    pub fn of(&self, options: ImportOptions) -> ImportOptions {
        let number = |number: u32| number as f32;
        match self.part {
            ReadingPart::Figure(figure) => ImportOptions { figure: figure.map(number), ..options },
            ReadingPart::Scene(scene) => ImportOptions { scene: Some(number(scene)), ..options },
            ReadingPart::Rate { millihertz } => {
                ImportOptions { rate_hz: Some((f64::from(millihertz) / 1000.0) as f32), ..options }
            }
            ReadingPart::Constraints(reading) => ImportOptions { constraints: Some(reading), ..options },
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
            what,
            meaning,
            suggested_unit: None,
            suggested_base: None,
            mend: None,
            readings: Vec::new(),
        }
    }

    pub(crate) fn warning(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::note(subject, what, meaning) }
    }

    pub(super) fn decide(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Decide, ..Self::note(subject, what, meaning) }
    }

    /// A clip that costs itself alone.
    pub(super) fn left_out(clip: impl Into<String>, fault: &Fault) -> Self {
        let advice = fault.advice().unwrap_or("Export it again");
        let meaning = format!("It was left out; the other clips are not affected. {advice}.");
        Self::warning(clip, format!("the clip cannot be used: {fault}"), meaning)
    }

    pub(super) fn with_unit(self, unit: LengthUnit) -> Self {
        Self { suggested_unit: Some(unit), ..self }
    }

    pub(super) fn with_base(self, base: Additive) -> Self {
        Self { suggested_base: Some(base), ..self }
    }

    pub(super) fn mended_by(self, mend: Mend) -> Self {
        Self { mend: Some(mend), ..self }
    }

    pub(super) fn with_readings(self, readings: impl IntoIterator<Item = Reading>) -> Self {
        Self { readings: readings.into_iter().collect(), ..self }
    }
}
