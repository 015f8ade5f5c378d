//! The difference of two results of a library, for people.

use super::table::{Align, Table};
use super::{Console, Failure};
use posepress_core::batch::{ClipChange, ManifestDiff};
use posepress_core::text;

/// Rows of a table for people.
pub const MOST_ROWS: usize = 20;

/// Prints the clips that differ, worst first, and the sums.
pub fn print_diff(diff: &ManifestDiff, console: &mut Console<'_>) -> Result<(), Failure> {
    if !diff.changes.is_empty() {
        let heads =
            [("since the baseline", Align::Left), ("size", Align::Right), ("now", Align::Right), ("", Align::Left)];
        let mut table = Table::new(&heads);
        diff.changes.iter().take(MOST_ROWS).for_each(|change| table.row(changed(change)));
        table.print(console.out)?;
        print_more(diff.changes.len(), console)?;
    }
    Ok(writeln!(console.out, "{}\n", diff_words(diff))?)
}

/// Prints the number of rows that a table of [`MOST_ROWS`] leaves out.
pub fn print_more(count: usize, console: &mut Console<'_>) -> Result<(), Failure> {
    match count.saturating_sub(MOST_ROWS) {
        0 => Ok(writeln!(console.out)?),
        more => Ok(writeln!(console.out, "and {more} more\n")?),
    }
}

/// The cells of a clip that differs: name, size before, size now, what got worse or better.
pub fn changed(change: &ClipChange) -> [String; 4] {
    let size = |bytes: Option<u64>| bytes.map_or_else(|| text::NOT_MEASURED.into(), text::bytes);
    let grown = |sign: &'static str, all: &[(&'static str, f64)]| -> Vec<String> {
        all.iter().map(|(name, mm)| format!("{name} {sign}{}", text::length((mm / 1000.0) as f32))).collect()
    };
    let words = match (change.bytes_before, change.bytes_now) {
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
        _ => [grown("+", &change.worse), grown("\u{2212}", &change.better)].concat().join(", "),
    };
    [
        format!("{}#{}", text::escaped(&change.source), change.clip),
        size(change.bytes_before),
        size(change.bytes_now),
        words,
    ]
}

/// The sums of a difference, in one line.
pub fn diff_words(diff: &ManifestDiff) -> String {
    let worse = diff.changes.iter().filter(|change| !change.worse.is_empty()).count();
    let [before, now] = [diff.bytes_before, diff.bytes_now].map(text::bytes);
    let (clips, percent) = (text::count(diff.changes.len(), "clip"), diff.growth_percent());
    format!(
        "{clips} changed since the baseline, {worse} with larger errors; {before} before, {now} now ({percent:+.1} %)"
    )
}
