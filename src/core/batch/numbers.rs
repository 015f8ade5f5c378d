use crate::metrics::{Aspect, Verdict};
use crate::report::{ClipReport, DecidedFigures};
use serde::{Deserialize, Serialize};

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
            between_mm: report.sub_frame_error.max_mm,
            jitter_mm: jitter.map(|judged| judged.error_mm),
            verdict: report.verdict,
            source_verdict: report.source_verdict,
            passes: report.passes(),
            words,
        }
    }
}
