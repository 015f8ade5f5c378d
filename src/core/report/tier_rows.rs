//! Levels of a clip with tiers, as reports show them.

use crate::metrics::Verdict;
use crate::pipeline::{Outcome, TierLevel};
use crate::report::Reason;
use crate::text::millimetres;
use serde::Serialize;

/// The numbers of one level of a clip, or of all clips together. Lengths are in millimetres.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct TierRow {
    /// `all`, `without low`, `without low and medium`.
    pub level: String,
    /// The error limit of the level.
    pub tolerance_mm: f64,
    /// Size of the clip at this level.
    pub bytes: usize,
    /// Size of the tiers that this level lacks.
    pub tier_bytes: usize,
    pub max_mm: f64,
    pub between_mm: f64,
    /// `None` without contacts.
    pub worst_slide_mm: Option<f64>,
    /// The verdict by the limits of the recipe. It is never better than the verdict of the level before, which has more data.
    pub verdict: Verdict,
    /// The reasons, if it is not good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl TierRow {
    /// One row per level.
    pub fn of(levels: &[TierLevel]) -> Vec<Self> {
        let (mut tier_bytes, mut before) = (0, (Verdict::Good, Vec::new()));
        let row = |level: &TierLevel| {
            tier_bytes += level.tier.len();
            let report = &level.outcome.report;
            if report.verdict() >= before.0 {
                before = (report.verdict(), reasons(level));
            }
            let (verdict, reasons) = before.clone();
            Self {
                level: level.name.clone(),
                tolerance_mm: millimetres(level.limit_m),
                bytes: level.outcome.bytes(),
                tier_bytes,
                max_mm: millimetres(report.samples.stats.max_m),
                between_mm: millimetres(report.between.stats.max_m),
                worst_slide_mm: report.slide.worst_slide_m().map(millimetres),
                verdict,
                reasons,
            }
        };
        levels.iter().map(row).collect()
    }

    /// Sums over all clips. Bytes are added; for everything else the worst value counts.
    pub fn total<'a>(clips: impl IntoIterator<Item = &'a [Self]>) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for rows in clips {
            for (level, row) in rows.iter().enumerate() {
                match out.get_mut(level) {
                    None => out.push(row.clone()),
                    Some(total) => total.add(row),
                }
            }
        }
        out
    }

    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.tier_bytes += other.tier_bytes;
        self.tolerance_mm = self.tolerance_mm.max(other.tolerance_mm);
        self.max_mm = self.max_mm.max(other.max_mm);
        self.between_mm = self.between_mm.max(other.between_mm);
        self.worst_slide_mm = self.worst_slide_mm.into_iter().chain(other.worst_slide_mm).reduce(f64::max);
        if other.verdict > self.verdict {
            (self.verdict, self.reasons) = (other.verdict, other.reasons.clone());
        }
    }
}

/// Reasons why a level is not good, in words. Errors of the source are left out.
fn reasons(level: &TierLevel) -> Vec<String> {
    let Outcome { report, recipe, decoded, .. } = &level.outcome;
    let own = report.judged().into_iter().filter(|judged| !judged.aspect.is_of_source());
    own.filter_map(|judged| Reason::of(&judged, recipe, decoded.grid().rate_hz()))
        .map(|reason| reason.words())
        .collect()
}
