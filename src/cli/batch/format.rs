//! The result of a run: one table, in many formats.

use super::annotations::{Fault, Judged};
use super::args::TableFormat;
use super::junit::junit;
use super::sarif::sarif;
use crate::cli::diff::{MOST_ROWS, changed, diff_words, print_diff, print_more};
use crate::cli::report::csv_text;
use crate::cli::table::{Align, Table};
use crate::cli::{Console, Failure};
use posepress_core::batch::{ClipChange, ClipNumbers, Manifest, ManifestDiff, ManifestRow};
use posepress_core::text;

/// Length of a summary that hosts of code still show, bytes.
const MOST_MARKDOWN: usize = 1 << 20;

/// A column of the table for programs.
struct Column {
    head: &'static str,
    cell: fn(&ManifestRow) -> Option<String>,
}

static COLUMNS: &[Column] = &[
    Column { head: "source", cell: |row| Some(row.source.clone()) },
    Column { head: "clip", cell: |row| Some(row.clip.clone()) },
    Column { head: "output", cell: |row| row.output.clone() },
    Column { head: "codec", cell: |row| of(row, |numbers| numbers.codec.clone()) },
    Column { head: "joints", cell: |row| of(row, |numbers| numbers.joints) },
    Column { head: "samples", cell: |row| of(row, |numbers| numbers.samples) },
    Column { head: "duration_secs", cell: |row| of(row, |numbers| numbers.duration_secs) },
    Column { head: "raw_bytes", cell: |row| of(row, |numbers| numbers.raw_bytes) },
    Column { head: "bytes", cell: |row| of(row, |numbers| numbers.figures.bytes) },
    Column { head: "tolerance_mm", cell: |row| of(row, |numbers| numbers.tolerance_mm) },
    Column { head: "max_mm", cell: |row| of(row, |numbers| numbers.figures.error_mm) },
    Column { head: "between_mm", cell: |row| of(row, |numbers| numbers.between_mm) },
    Column { head: "skin_mm", cell: |row| row.numbers.as_ref()?.figures.skin_mm.map(|mm| mm.to_string()) },
    Column { head: "slide_mm", cell: |row| row.numbers.as_ref()?.figures.slide_mm.map(|mm| mm.to_string()) },
    Column { head: "jitter_mm", cell: |row| row.numbers.as_ref()?.jitter_mm.map(|mm| mm.to_string()) },
    Column { head: "verdict", cell: |row| of(row, |numbers| numbers.verdict.key()) },
    Column { head: "source_verdict", cell: |row| of(row, |numbers| numbers.source_verdict.key()) },
    Column { head: "passes", cell: |row| of(row, |numbers| numbers.passes) },
    Column { head: "error", cell: |row| row.error.clone() },
    Column { head: "kept", cell: |row| row.kept.clone() },
    Column { head: "exports", cell: |row| Some(row.exports.join(" ")) },
];

fn of<T: ToString>(row: &ManifestRow, read: impl Fn(&ClipNumbers) -> T) -> Option<String> {
    row.numbers.as_ref().map(|numbers| read(numbers).to_string())
}

/// Prints the result of a run.
pub fn print_manifest(
    judged: &Judged<'_>,
    diff: Option<&ManifestDiff>,
    format: TableFormat,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if format.json {
        console.out.write_all(judged.manifest.to_text().as_bytes())?;
    } else if format.csv {
        print_csv(judged.manifest, console)?;
    } else if format.junit {
        console.out.write_all(junit(judged).as_bytes())?;
    } else if format.sarif {
        console.json(&sarif(judged))?;
    } else if format.github {
        console.out.write_all(judged.github().as_bytes())?;
    } else if format.markdown {
        console.out.write_all(markdown(judged, diff).as_bytes())?;
    } else {
        return print_table(judged, diff, console);
    }
    Ok(())
}

fn print_csv(manifest: &Manifest, console: &mut Console<'_>) -> Result<(), Failure> {
    let heads: Vec<&str> = COLUMNS.iter().map(|column| column.head).collect();
    writeln!(console.out, "{}", heads.join(","))?;
    for row in &manifest.rows {
        let cells: Vec<String> = COLUMNS.iter().map(|c| csv_text(&(c.cell)(row).unwrap_or_default())).collect();
        writeln!(console.out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn print_table(judged: &Judged<'_>, diff: Option<&ManifestDiff>, console: &mut Console<'_>) -> Result<(), Failure> {
    if !judged.faults.is_empty() {
        let mut table = Table::new(&[("worst first", Align::Left), ("", Align::Left)]);
        judged.faults.iter().take(MOST_ROWS).for_each(|fault| table.row([&fault.title, &fault.words]));
        table.print(console.out)?;
        print_more(judged.faults.len(), console)?;
    }
    let kept: Vec<&ManifestRow> = judged.manifest.rows.iter().filter(|row| row.kept.is_some()).collect();
    if !kept.is_empty() {
        let mut table = Table::new(&[("earlier result kept", Align::Left), ("", Align::Left)]);
        let words = |row: &ManifestRow| row.kept.clone().unwrap_or_default();
        kept.iter().take(MOST_ROWS).for_each(|row| table.row([row.title(), words(row)]));
        table.print(console.out)?;
        print_more(kept.len(), console)?;
    }
    if let Some(diff) = diff {
        print_diff(diff, console)?;
    }
    for row in &judged.manifest.budgets {
        writeln!(console.out, "budget {}, {}: {}", row.number, row.budget, row.words())?;
    }
    Ok(writeln!(console.out, "{}", totals(judged.manifest))?)
}

/// The sums of a manifest, in one line.
pub fn totals(manifest: &Manifest) -> String {
    let totals = &manifest.totals;
    let (bytes, raw) = (text::bytes(totals.bytes), text::bytes(totals.raw_bytes));
    let ratio = text::ratio(totals.raw_bytes as f32 / totals.bytes.max(1) as f32);
    let clips = text::count(totals.clips, "clip");
    let kept = if totals.kept > 0 { format!(", {} kept", totals.kept) } else { String::new() };
    format!(
        "{clips}, {bytes} of {raw} ({ratio}); {} over limits, {} without a result{kept}",
        totals.over_limits, totals.failed
    )
}

/// A summary for people who review a change: faults, then what changed since the baseline, each worst first.
fn markdown(judged: &Judged<'_>, diff: Option<&ManifestDiff>) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ");
    let mut out = format!("## posepress batch\n\n{}\n", totals(judged.manifest));
    let fault = |fault: &Fault| format!("| {} | {} |\n", cell(&fault.title), cell(&fault.words));
    let faults: Vec<String> = judged.faults.iter().map(fault).collect();
    section(&mut out, "\n| worst first | |\n|---|---|\n", &faults);
    let kept = |row: &ManifestRow| Some(format!("| {} | {} |\n", cell(&row.title()), cell(row.kept.as_ref()?)));
    let kept: Vec<String> = judged.manifest.rows.iter().filter_map(kept).collect();
    section(&mut out, "\n| earlier result kept | |\n|---|---|\n", &kept);
    if let Some(diff) = diff {
        out += &format!("\n{}\n", diff_words(diff));
        let change = |change: &ClipChange| format!("| {} |\n", changed(change).map(|text| cell(&text)).join(" | "));
        let changes: Vec<String> = diff.changes.iter().map(change).collect();
        section(&mut out, "\n| since the baseline | before | now | |\n|---|---|---|---|\n", &changes);
    }
    out
}

/// Adds a table with as many rows as fit. Half of the rest stays for what follows.
fn section(out: &mut String, head: &str, rows: &[String]) {
    if rows.is_empty() {
        return;
    }
    out.push_str(head);
    let most = out.len() + MOST_MARKDOWN.saturating_sub(out.len()) / 2;
    let fit = rows.iter().scan(out.len(), |length, row| {
        *length += row.len();
        (*length < most).then_some(())
    });
    let fit = fit.count();
    rows[..fit].iter().for_each(|row| out.push_str(row));
    if fit < rows.len() {
        out.push_str(&format!("\nand {} more\n", rows.len() - fit));
    }
}
