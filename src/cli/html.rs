use posepress_core::metrics::Verdict;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A self-contained page with a sortable table and content below it.
pub struct Page {
    head: String,
    rows: Rows,
}

/// A sortable table, as markup.
pub struct Rows {
    out: String,
}

/// A cell of a table.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Tooltip; empty for none.
    pub detail: String,
    /// Sort key; empty to sort by the text.
    pub order: String,
    /// True for numbers, which are right-aligned.
    pub is_number: bool,
    /// The verdict, which sets the colour.
    pub verdict: Verdict,
}

impl Page {
    /// A page with the heads of its table. The flag of a head is true for a column of numbers.
    pub fn new(title: &str, intro: &str, heads: impl Iterator<Item = (String, bool)>) -> Self {
        let title = escape(title);
        let mut head = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        );
        if !intro.is_empty() {
            let _ = writeln!(head, "<p>{}</p>", escape(intro));
        }
        Self { head, rows: Rows::new(heads) }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.row(cells);
    }

    /// Returns the page with `after`, markup, below the table.
    pub fn finish(self, after: &str) -> String {
        let Self { head, rows } = self;
        format!("{head}{}{after}<script>\n{SCRIPT}</script>\n</body></html>\n", rows.finish())
    }
}

impl Rows {
    /// A table with these heads. The flag of a head is true for a column of numbers.
    pub fn new(heads: impl Iterator<Item = (String, bool)>) -> Self {
        let mut out = String::from("<table>\n<thead><tr>");
        for (head, is_number) in heads {
            let class = if is_number { "" } else { " class=\"t\"" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(&capital(&head)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        Self { out }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.out.push_str("<tr>");
        for Cell { text, detail, order, is_number, verdict } in cells {
            let class = match (verdict, is_number) {
                (Verdict::Good, true) => String::new(),
                (Verdict::Good, false) => " class=\"t\"".into(),
                (verdict, _) => format!(" class=\"t {}\"", verdict.key()),
            };
            let order = if order.is_empty() { order } else { format!(" data-v=\"{}\"", escape(&order)) };
            let title = if detail.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&detail)) };
            let _ = write!(self.out, "<td{class}{title}{order}>{}</td>", escape(&text));
        }
        self.out.push_str("</tr>\n");
    }

    /// Returns the markup.
    pub fn finish(self) -> String {
        self.out + "</tbody></table>\n"
    }
}

/// The label with a capital first letter, for the heads of a page.
pub fn capital(label: &str) -> String {
    let mut chars = label.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_become_markup() {
        assert_eq!(escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
