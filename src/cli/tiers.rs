use super::table::{Align, Table};
use super::{Console, Failure};
use clap::Args;
use posepress_core::codecs::Progress;
use posepress_core::files;
use posepress_core::pipeline::{MeasuredClip, Outcome, TierLevel, TierSettings, tier_levels};
use posepress_core::report::{ClipReport, TierRow};
use posepress_core::text;
use std::path::PathBuf;

/// Levels of a clip; empty without tier options.
pub fn levels_of(
    settings: &TierSettings,
    clip: &str,
    source: &MeasuredClip,
    outcome: &Outcome,
) -> Result<Vec<TierLevel>, String> {
    if !settings.on {
        return Ok(Vec::new());
    }
    tier_levels(source, outcome, settings, &Progress::new()).map_err(|error| format!("clip '{clip}' {error}"))
}

/// Tier files of a container.
#[derive(Debug, Clone, Default, Args)]
pub struct TierFileArgs {
    /// A tier file to join with the container before anything else. Repeatable, in any order.
    #[arg(long, value_name = "FILE.posepress-tier")]
    pub tier: Vec<PathBuf>,
}

impl TierFileArgs {
    /// Reads the tier files.
    pub fn read(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let read = |path: &PathBuf| files::read(path).map_err(|e| Failure::file(path, format!("cannot be read: {e}")));
        self.tier.iter().map(read).collect()
    }
}

/// Prints the levels of each clip and of all clips together.
pub fn print_tiers(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    use Align::{Left, Right};
    let tiered: Vec<&ClipReport> = reports.iter().filter(|report| !report.tiers.is_empty()).collect();
    if tiered.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[
        ("clip", Left),
        ("level", Left),
        ("within", Right),
        ("size", Right),
        ("left out", Right),
        ("max", Right),
        ("between", Right),
        ("slide", Right),
        ("verdict", Left),
    ]);
    let mut add = |clip: &str, rows: &[TierRow]| rows.iter().for_each(|row| table.row(cells(clip, row)));
    tiered.iter().for_each(|report| add(&report.clip, &report.tiers));
    if tiered.len() > 1 {
        add("all clips", &TierRow::total(tiered.iter().map(|report| &report.tiers[..])));
    }
    writeln!(console.out)?;
    Ok(table.print(console.out)?)
}

fn cells(clip: &str, row: &TierRow) -> [String; 9] {
    let length = |mm: f64| text::length((mm / 1000.0) as f32);
    [
        clip.to_owned(),
        row.level.clone(),
        length(row.tolerance_mm),
        text::bytes(row.bytes as u64),
        text::bytes(row.tier_bytes as u64),
        length(row.max_mm),
        length(row.between_mm),
        row.worst_slide_mm.map_or_else(|| text::NOT_MEASURED.to_owned(), length),
        std::iter::once(row.verdict.key()).chain(row.reasons.iter().map(String::as_str)).collect::<Vec<_>>().join(", "),
    ]
}
