use super::report::how_measured;
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipReport, Figure, ReportColumn};
use std::fmt::Write;

const STYLE: &str = "body{font:14px system-ui,sans-serif;margin:2em;color:#14181d;background:#f3f5f7}\
table{border-collapse:collapse;background:#fff}th,td{padding:4px 12px;border:1px solid #dde1e6;text-align:right;\
font-variant-numeric:tabular-nums}th{background:#e7eaee}.t{text-align:left}.warn{background:#fae6b8}\
.fail{background:#f8d2cf}p{max-width:60em;color:#3f4852}";

/// A page of one table, without scripts or outside files.
pub struct Page {
    out: String,
}

/// A cell of a table.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// What is said when the pointer rests on it; empty for nothing.
    pub detail: String,
    /// Numbers stand at the right.
    pub is_number: bool,
    /// How it fares, where it says so.
    pub verdict: Verdict,
}

impl Page {
    /// A page with the heads of its table; those of numbers stand at the right.
    pub fn new(title: &str, intro: &str, heads: impl Iterator<Item = (String, bool)>) -> Self {
        let title = escape(title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        );
        if !intro.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", escape(intro));
        }
        out.push_str("<table>\n<tr>");
        for (head, is_number) in heads {
            let class = if is_number { "" } else { " class=\"t\"" };
            let _ = write!(out, "<th{class}>{}</th>", escape(&capital(&head)));
        }
        out.push_str("</tr>\n");
        Self { out }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.out.push_str("<tr>");
        for Cell { text, detail, is_number, verdict } in cells {
            let class = match (verdict, is_number) {
                (Verdict::Good, true) => String::new(),
                (Verdict::Good, false) => " class=\"t\"".into(),
                (verdict, _) => format!(" class=\"t {}\"", verdict.key()),
            };
            let title = if detail.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&detail)) };
            let _ = write!(self.out, "<td{class}{title}>{}</td>", escape(&text));
        }
        self.out.push_str("</tr>\n");
    }

    /// The whole of it.
    pub fn finish(mut self) -> String {
        self.out.push_str("</table>\n</body></html>\n");
        self.out
    }
}

/// The page of a report: one row a clip and recipe.
pub fn report_page(reports: &[ClipReport]) -> String {
    let how = reports.first().map_or(String::new(), |first| format!("{}.", how_measured(first)));
    let heads = ReportColumn::for_people()
        .map(|(label, column)| (label.to_owned(), reports.first().is_some_and(|r| (column.figure)(r).is_number())));
    let mut page = Page::new("Posepress report", &how, heads);
    for report in reports {
        page.row(ReportColumn::for_people().map(|(_, column)| {
            let figure = (column.figure)(report);
            let detail = column.detail.map_or(String::new(), |say| say(report));
            let verdict = if let Figure::Verdict(verdict, _) = &figure { *verdict } else { Verdict::Good };
            Cell { text: figure.shown(), detail, is_number: figure.is_number(), verdict }
        }));
    }
    page.finish()
}

/// Heads of a page begin with a capital letter.
pub fn capital(label: &str) -> String {
    let mut chars = label.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn escape(text: &str) -> String {
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
