//! Findings about a file's constraints, for every format.

use super::{ConstraintReading, Finding, Reading, ReadingPart};
use crate::text;

/// Reports constraints that move joints.
pub(super) fn evaluated(count: usize) -> Option<Finding> {
    (count > 0).then(|| {
        let meaning = "They move joints over their keys, as in their editor. If the file is baked, its keys alone are right, too \
                       (--constraints keys).";
        let part = ReadingPart::Constraints(ConstraintReading::Keys);
        Finding::note("constraints", format!("{} evaluated", text::count(count, "constraint")), meaning)
            .with_readings([Reading { label: "keys alone".into(), part }])
    })
}

/// Reports constraints that the options ignore.
pub(super) fn ignored(count: usize) -> Option<Finding> {
    (count > 0).then(|| {
        let what = format!("{} not evaluated, as you chose", text::count(count, "constraint"));
        let part = ReadingPart::Constraints(ConstraintReading::Evaluated);
        Finding::warning("constraints", what, "Only keys move joints.")
            .with_readings([Reading { label: "with constraints".into(), part }])
    })
}
