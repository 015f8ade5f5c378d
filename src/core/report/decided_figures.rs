//! Numbers of a clip at the time of a decision.

use crate::metrics::Aspect;
use crate::report::ClipReport;
use serde::{Deserialize, Serialize};

/// The numbers of a clip for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedFigures {
    /// Size of the clip.
    pub bytes: u64,
    /// Largest shell error, millimetres.
    pub error_mm: f64,
    /// Largest error on the skin, millimetres. `None` without a mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin_mm: Option<f64>,
    /// Largest slide of a foot during contact, millimetres. `None` without contacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_mm: Option<f64>,
}

impl DecidedFigures {
    /// The numbers of a report.
    pub fn of(report: &ClipReport) -> Self {
        let judged =
            |aspect| report.judged.iter().find(|judged| judged.by == aspect).map(|judged| written_mm(judged.error_mm));
        Self {
            bytes: report.bytes as u64,
            error_mm: written_mm(report.error.max_mm),
            skin_mm: judged(Aspect::Skin),
            slide_mm: judged(Aspect::Slide),
        }
    }

    /// The errors that grew since these numbers, by name, with their growth in millimetres.
    pub fn worse(&self, now: &Self) -> Vec<(&'static str, f64)> {
        let all = [
            ("slide", grown(self.slide_mm, now.slide_mm)),
            ("skin", grown(self.skin_mm, now.skin_mm)),
            ("error", grown(Some(self.error_mm), Some(now.error_mm))),
        ];
        all.into_iter().filter_map(|(name, by)| Some((name, by?))).collect()
    }
}

/// An error that a file can hold: JSON has no infinity.
pub(crate) fn written_mm(error_mm: f64) -> f64 {
    const FARTHEST_MM: f64 = 1e12;
    if error_mm.is_finite() { error_mm } else { FARTHEST_MM }
}

/// Growth of an error. `None` if it did not grow.
pub(crate) fn grown(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    Some(now? - before.unwrap_or(0.0)).filter(|by| *by > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_got_worse_is_named_and_what_got_better_is_not() {
        let before = DecidedFigures { bytes: 10, error_mm: 0.5, skin_mm: Some(1.0), slide_mm: None };
        let now = DecidedFigures { bytes: 9, error_mm: 0.25, skin_mm: Some(1.5), slide_mm: Some(2.0) };
        assert_eq!(before.worse(&now), [("slide", 2.0), ("skin", 0.5)]);
        assert_eq!(before.worse(&before), []);
    }

    #[test]
    fn errors_without_end_are_written_as_far_and_read_again() {
        assert_eq!(written_mm(0.5), 0.5);
        let far = written_mm(f64::INFINITY);
        let figures = DecidedFigures { bytes: 1, error_mm: far, skin_mm: Some(written_mm(f64::NAN)), slide_mm: None };
        let text = serde_json::to_string(&figures).unwrap();
        assert_eq!(serde_json::from_str::<DecidedFigures>(&text).unwrap(), figures);
    }
}
