use super::table::{Align, Table};
use super::{Console, Failure};
use posepress_core::report::{ClipReport, TriedResult, TriedRow};
use posepress_core::text;
use std::collections::HashMap;

/// Prints the tried candidates on standard error: each candidate of a single clip, or sums per candidate over several clips.
pub fn print(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    let tried: Vec<&ClipReport> = reports.iter().filter(|r| !r.candidates.is_empty()).collect();
    match tried.as_slice() {
        [] => Ok(()),
        [one] => print_one(one, console),
        many => print_sums(many, console),
    }
}

fn print_one(report: &ClipReport, console: &mut Console<'_>) -> Result<(), Failure> {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("", Left),
        ("candidate", Left),
        ("bytes", Right),
        ("ratio", Right),
        ("max", Right),
        ("", Left),
        ("slide", Right),
        ("encoded in", Right),
    ]);
    let mut rows: Vec<&TriedRow> = report.candidates.iter().collect();
    rows.sort_by_key(|row| rank(row));
    for row in rows {
        table.row(cells(row));
    }
    Ok(table.print(console.messages)?)
}

/// Sort key: the winner, then results within the tolerance, candidates that were given up, results over the tolerance, and
/// failures. Each group is sorted by size.
fn rank(row: &TriedRow) -> (u8, usize) {
    match row.result {
        TriedResult::Measured { bytes, .. } if row.winner => (0, bytes),
        TriedResult::Measured { bytes, within: true, .. } => (1, bytes),
        TriedResult::Larger { bytes_at_least } => (2, bytes_at_least),
        TriedResult::Measured { bytes, within: false, .. } => (3, bytes),
        TriedResult::Failed { .. } => (4, 0),
    }
}

fn cells(row: &TriedRow) -> Vec<String> {
    let mark = if row.winner { "*" } else { "" }.to_owned();
    match &row.result {
        TriedResult::Larger { bytes_at_least } => {
            vec![mark, row.candidate.clone(), format!("{bytes_at_least} or more")]
        }
        TriedResult::Failed { error } => vec![mark, row.candidate.clone(), error.clone()],
        TriedResult::Measured { bytes, ratio, max_mm, within, slide_mm, encode_ms } => vec![
            mark,
            row.candidate.clone(),
            bytes.to_string(),
            text::ratio(*ratio),
            text::length((max_mm / 1000.0) as f32),
            if *within { "within" } else { "over" }.to_owned(),
            slide_mm.map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32)),
            encode_ms.map_or(text::NOT_MEASURED.to_owned(), |ms| text::work((ms / 1000.0) as f32)),
        ],
    }
}

/// One candidate over several clips.
#[derive(Default)]
struct Sums {
    wins: usize,
    within: usize,
    /// Sum over the clips with a measured result.
    bytes: usize,
    max_mm: f64,
    encode_ms: f64,
    /// Clips on which it was given up, because a smaller result was known.
    larger: usize,
    failed: usize,
}

fn print_sums(reports: &[&ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    use Align::{Left, Right};
    let mut order: Vec<&str> = Vec::new();
    let mut sums: HashMap<&str, Sums> = HashMap::new();
    for row in reports.iter().flat_map(|r| &r.candidates) {
        let sum = sums.entry(&row.candidate).or_insert_with(|| {
            order.push(&row.candidate);
            Sums::default()
        });
        sum.add(row);
    }
    order.sort_by_key(|line| std::cmp::Reverse((sums[line].wins, sums[line].within)));
    let mut table = Table::new(&[
        ("candidate", Left),
        ("wins", Right),
        ("within", Right),
        ("larger", Right),
        ("failed", Right),
        ("bytes", Right),
        ("max", Right),
        ("encoded in", Right),
    ]);
    for line in order {
        let Sums { wins, within, larger, failed, bytes, max_mm, encode_ms } = &sums[line];
        let (max, time) = (text::length((max_mm / 1000.0) as f32), text::work((encode_ms / 1000.0) as f32));
        let numbers = [wins, within, larger, failed, bytes].map(usize::to_string);
        table.row([line.to_owned()].into_iter().chain(numbers).chain([max, time]));
    }
    table.print(console.messages)?;
    console.say(format!("of {}; --json has every row", text::count(reports.len(), "clip")));
    Ok(())
}

impl Sums {
    fn add(&mut self, row: &TriedRow) {
        self.wins += usize::from(row.winner);
        match row.result {
            TriedResult::Larger { .. } => self.larger += 1,
            TriedResult::Failed { .. } => self.failed += 1,
            TriedResult::Measured { bytes, max_mm, within, encode_ms, .. } => {
                self.within += usize::from(within);
                self.bytes += bytes;
                self.max_mm = self.max_mm.max(max_mm);
                self.encode_ms += encode_ms.unwrap_or(0.0);
            }
        }
    }
}
