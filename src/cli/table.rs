use posepress_core::text;
use std::io::{self, Write};

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// Rows of text in aligned columns.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads and no rows.
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row. Missing cells at its end are empty. Characters that control a terminal are escaped.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| text::escaped(cell.as_ref())).collect());
    }

    /// Prints heads and rows with two spaces between columns, and no space at the end of a line.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads: Vec<String> = self.columns.iter().map(|c| c.0.to_owned()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| std::iter::once(&heads).chain(&self.rows).filter_map(|r| r.get(i)).map(|t| width(t)).max())
            .map(Option::unwrap_or_default)
            .collect();
        for row in std::iter::once(&heads).chain(&self.rows) {
            writeln!(out, "{}", self.line(row, &widths))?;
        }
        Ok(())
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (index, (cell, (_, align))) in row.iter().zip(&self.columns).enumerate() {
            line.push_str(if index == 0 { "" } else { "  " });
            let padding = " ".repeat(widths[index].saturating_sub(width(cell)));
            match align {
                Align::Left => line.extend([cell.as_str(), &padding]),
                Align::Right => line.extend([padding.as_str(), cell]),
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Characters, not bytes: `µ` and `–` are one column wide.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("clip", Align::Left), ("size", Align::Right)]);
        table.row(["walk", "5.1 KB"]);
        table.row(["idle – µ", "812 B"]);
        let mut out = Vec::new();
        table.print(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "clip        size\nwalk      5.1 KB\nidle – µ   812 B\n");
    }
}
