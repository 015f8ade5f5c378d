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
}

impl Finding {
    pub(super) fn note(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Note, subject: subject.into(), what: what.into(), meaning: meaning.into() }
    }

    pub(super) fn warning(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::note(subject, what, meaning) }
    }

    pub(super) fn decide(subject: impl Into<String>, what: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { severity: Severity::Decide, ..Self::note(subject, what, meaning) }
    }
}
