use super::{LengthUnit, Mend};

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
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// What would mend the clip.
    pub mend: Option<Mend>,
}

impl Finding {
    pub(crate) fn note(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        let (subject, what, meaning) = (subject.into(), what.into(), meaning.into());
        Self { severity: Severity::Note, subject, what, meaning, suggested_unit: None, mend: None }
    }

    pub(crate) fn warning(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::note(subject, what, meaning) }
    }

    pub(super) fn decide_unit(
        subject: impl Into<String>,
        what: impl Into<String>,
        meaning: impl Into<String>,
        unit: LengthUnit,
    ) -> Self {
        Self { severity: Severity::Decide, suggested_unit: Some(unit), ..Self::note(subject, what, meaning) }
    }

    pub(super) fn mended_by(self, mend: Mend) -> Self {
        Self { mend: Some(mend), ..self }
    }
}
