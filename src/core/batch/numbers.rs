use crate::metrics::{Aspect, Verdict};
use crate::report::{ClipReport, DecidedFigures, grown, written_mm};
use crate::text;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Growth of an error that would be shown as zero, millimetres.
const SMALLEST_SHOWN_MM: f64 = 0.01;

/// The numbers of a compressed clip that do not depend on the machine: no times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipNumbers {
    /// Name of the codec.
    pub codec: String,
    /// Number of joints.
    pub joints: usize,
    /// Number of samples.
    pub samples: usize,
    /// Time of the last sample.
    pub duration_secs: f32,
    /// Size without compression, bytes.
    pub raw_bytes: u64,
    /// Size and largest errors.
    pub figures: DecidedFigures,
    /// Tolerance of the recipe, millimetres.
    pub tolerance_mm: f64,
    /// Largest error between samples, millimetres.
    pub between_mm: f64,
    /// Jitter, millimetres. `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_mm: Option<f64>,
    /// The verdict on the compression.
    pub verdict: Verdict,
    /// The verdict on the source.
    pub source_verdict: Verdict,
    /// True if the clip is within its tolerance and no verdict fails.
    pub passes: bool,
    /// The verdicts in words.
    pub words: String,
}

impl ClipNumbers {
    /// The numbers of a report.
    pub fn of(report: &ClipReport) -> Self {
        let jitter = report.judged.iter().find(|judged| judged.by == Aspect::Jitter);
        let words = match (report.verdict, report.source_words()) {
            (_, source) if source.is_empty() => report.verdict_words(),
            (Verdict::Good, source) => source,
            (_, source) => format!("{}; {source}", report.verdict_words()),
        };
        Self {
            codec: report.codec.clone(),
            joints: report.joints,
            samples: report.samples,
            duration_secs: report.duration_secs,
            raw_bytes: report.raw_bytes as u64,
            figures: DecidedFigures::of(report),
            tolerance_mm: report.error.tolerance_mm,
            between_mm: written_mm(report.sub_frame_error.max_mm),
            jitter_mm: jitter.map(|judged| written_mm(judged.error_mm)),
            verdict: report.verdict,
            source_verdict: report.source_verdict,
            passes: report.passes(),
            words,
        }
    }

    /// Why a newer result is not better, in words. `None` if it is smaller and no error grew.
    pub fn why_not_better(&self, now: &Self) -> Option<String> {
        let (old, new) = (self.figures.bytes, now.figures.bytes);
        let size = match new.cmp(&old) {
            Ordering::Less => None,
            Ordering::Equal => Some("as large".to_owned()),
            Ordering::Greater => Some(format!("{} larger", text::bytes(new - old))),
        };
        let mut errors = self.figures.worse(&now.figures);
        let more = [
            ("jitter", grown(self.jitter_mm, now.jitter_mm)),
            ("between", grown(Some(self.between_mm), Some(now.between_mm))),
        ];
        errors.extend(more.into_iter().filter_map(|(name, by)| Some((name, by?))));
        let shown = |(name, mm): &(&str, f64)| match *mm {
            mm if mm < SMALLEST_SHOWN_MM => format!("{name} larger by less than {SMALLEST_SHOWN_MM} mm"),
            mm => format!("{name} +{}", text::length((mm / 1000.0) as f32)),
        };
        let errors = errors.iter().map(shown);
        let words: Vec<String> = size.into_iter().chain(errors).collect();
        (!words.is_empty()).then(|| format!("the new result is not better: {}", words.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::row;

    #[test]
    fn only_a_smaller_result_without_a_larger_error_is_better() {
        let of = |bytes, error_mm| row("a", "walk", bytes, error_mm).numbers.unwrap();
        let before = of(2000, 0.1);
        assert_eq!(before.why_not_better(&of(1999, 0.1)), None);
        assert_eq!(before.why_not_better(&of(1000, 0.05)), None);
        assert_eq!(before.why_not_better(&before).unwrap(), "the new result is not better: as large");
        let why = before.why_not_better(&of(1000, 0.1001)).unwrap();
        assert!(why.contains("error larger by less than 0.01 mm"), "{why}");
        let why = before.why_not_better(&of(4048, 0.3)).unwrap();
        assert_eq!(why, "the new result is not better: 2.0 KB larger, error +0.20 mm, between +0.20 mm");
        for worse in ["slide", "skin", "jitter", "between"] {
            let mut now = of(1000, 0.1);
            match worse {
                "slide" => now.figures.slide_mm = Some(0.5),
                "skin" => now.figures.skin_mm = Some(0.5),
                "jitter" => now.jitter_mm = Some(0.5),
                _ => now.between_mm += 0.5,
            }
            assert_eq!(before.why_not_better(&now).unwrap(), format!("the new result is not better: {worse} +0.50 mm"));
        }
    }
}
