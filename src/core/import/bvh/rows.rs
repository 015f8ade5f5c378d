use super::numbers::{Numbers, is_cut};
use super::tokens::Tokens;
use super::{Fault, Finding};
use crate::text;

/// A line with values, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Row {
    /// From 1.
    line: usize,
    values: usize,
}

/// The rows of a take: one per frame, with one value per channel.
#[derive(Debug, Default)]
struct Rows {
    /// Channels per frame, at least one.
    width: usize,
    /// Number of frames that the file announces.
    announced: Option<u64>,
    values: Vec<f64>,
    /// The first row with more or fewer than `width` values.
    odd: Option<Row>,
    /// Number of such rows.
    odd_rows: usize,
    last: Row,
    /// True while each row has whole frames, or values of a single frame.
    is_aligned: bool,
    /// Largest number of values in a row.
    longest: usize,
}

/// Reads as many rows as the file announces, or all of them.
///
/// A row with too few or too many values would shift all later rows, so it is a fault. The last row of a file that is cut short is
/// dropped. Frames that are wrapped over several lines are accepted if the total number of values is the announced one.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    width: usize,
    announced: Option<u64>,
    numbers: &mut Numbers,
    findings: &mut Vec<Finding>,
) -> Result<Vec<f64>, Fault> {
    let mut rows = Rows { width, announced, is_aligned: true, ..Rows::default() };
    // A number takes at least two characters, which limits the reserved memory for any announced count.
    let room = rows.expected().unwrap_or(0).min(tokens.left() as u64 / 2);
    rows.values.reserve_exact(room as usize);
    while rows.expected().is_none_or(|expected| (rows.values.len() as u64) < expected)
        && let Some(line) = tokens.line()
    {
        let before = rows.values.len();
        for word in line.words() {
            let read = numbers.read(word.text, |number| rows.values.push(number));
            match read {
                Some(()) => {}
                None if line.is_cut_at(word) && is_cut(word.text) => {}
                None => return Err(word.expected("a channel's value (a finite number)")),
            }
        }
        rows.add(Row { line: line.number, values: rows.values.len() - before });
    }
    rows.finish(findings)
}

impl Rows {
    /// Number of values in all announced frames.
    fn expected(&self) -> Option<u64> {
        self.announced.map(|frames| frames.saturating_mul(self.width as u64))
    }

    fn add(&mut self, row: Row) {
        if row.values == 0 {
            return;
        }
        let before = (self.values.len() - row.values) % self.width;
        self.is_aligned &= if before == 0 && row.values >= self.width {
            row.values.is_multiple_of(self.width)
        } else {
            before + row.values <= self.width
        };
        if row.values != self.width {
            self.odd.get_or_insert(row);
            self.odd_rows += 1;
        }
        (self.last, self.longest) = (row, self.longest.max(row.values));
    }

    fn finish(mut self, findings: &mut Vec<Finding>) -> Result<Vec<f64>, Fault> {
        let Some(odd) = self.odd else {
            self.say_missing(findings);
            return Ok(self.values);
        };
        let is_last_cut = self.odd_rows == 1 && odd == self.last && odd.values < self.width;
        if is_last_cut && self.expected().is_none_or(|expected| (self.values.len() as u64) < expected) {
            self.values.truncate(self.values.len() / self.width * self.width);
            self.say_missing(findings);
            return Ok(self.values);
        }
        let fits = self.expected() == Some(self.values.len() as u64);
        if !fits || !(self.is_aligned || self.longest < self.width) {
            return Err(self.fault(odd));
        }
        let what = format!("its frames of {} are not one per line", text::count(self.width, "value"));
        let meaning = "The total number of values is as announced, so they were read across line ends.";
        findings.push(Finding::note(format!("line {}", odd.line), what, meaning));
        Ok(self.values)
    }

    /// Warns of a cut last row, and of fewer frames than announced.
    fn say_missing(&self, findings: &mut Vec<Finding>) {
        let frames = self.values.len() / self.width;
        let missing = self.announced.filter(|&announced| (frames as u64) < announced);
        let ends = missing.map(|announced| format!("the file ends after {frames} of {announced} frames"));
        let cut = self.odd.map(|odd| format!("the last row has {} of {} values", odd.values, self.width));
        let what: Vec<String> = cut.into_iter().chain(ends).collect();
        if !what.is_empty() {
            let meaning = "Its whole frames were read. Copy or export the file again if it is cut short.";
            let place = if self.last.line > 0 { format!("line {}", self.last.line) } else { "MOTION".to_owned() };
            findings.push(Finding::warning(place, what.join("; "), meaning));
        }
    }

    fn fault(&self, odd: Row) -> Fault {
        let more = match self.odd_rows - 1 {
            0 => String::new(),
            more => format!(", and {} of other lengths", text::count(more, "more row")),
        };
        let what =
            format!("a row has {}; expected {}, one per channel{more}", text::count(odd.values, "value"), self.width);
        let advice = "Compare the CHANNELS of its joints with that row, or export the take again";
        Fault::new(what).at(format!("line {}", odd.line)).advise(advice)
    }
}
