use super::report::how_measured;
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipReport, Figure, ReportColumn};
use std::fmt::Write;

const STYLE: &str = "body{font:14px system-ui,sans-serif;margin:2em;color:#14181d;background:#f3f5f7}\
table{border-collapse:collapse;background:#fff}th,td{padding:4px 12px;border:1px solid #dde1e6;text-align:right;\
font-variant-numeric:tabular-nums}th{background:#e7eaee}.t{text-align:left}.warn{background:#fae6b8}\
.fail{background:#f8d2cf}p{max-width:60em;color:#3f4852}";

/// A page without scripts or outside files: one row a clip and recipe.
pub fn page(reports: &[ClipReport]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Posepress report</title>\
         <style>{STYLE}</style></head><body>\n<h1>Posepress report</h1>\n"
    );
    if let Some(first) = reports.first() {
        let _ = writeln!(out, "<p>{}.</p>", escape(&how_measured(first)));
    }
    out.push_str("<table>\n<tr>");
    for (label, column) in ReportColumn::for_people() {
        let is_number = reports.first().is_some_and(|r| (column.figure)(r).is_number());
        let class = if is_number { "" } else { " class=\"t\"" };
        let _ = write!(out, "<th{class}>{}</th>", capital(label));
    }
    out.push_str("</tr>\n");
    reports.iter().for_each(|r| row(&mut out, r));
    out.push_str("</table>\n</body></html>\n");
    out
}

fn row(out: &mut String, report: &ClipReport) {
    out.push_str("<tr>");
    for (_, column) in ReportColumn::for_people() {
        let figure = (column.figure)(report);
        let class = match &figure {
            Figure::Verdict(Verdict::Good, _) => " class=\"t\"".into(),
            Figure::Verdict(verdict, _) => format!(" class=\"t {}\"", verdict.key()),
            figure if figure.is_number() => String::new(),
            _ => " class=\"t\"".into(),
        };
        let title = column.detail.map_or(String::new(), |say| format!(" title=\"{}\"", escape(&say(report))));
        let _ = write!(out, "<td{class}{title}>{}</td>", escape(&figure.shown()));
    }
    out.push_str("</tr>\n");
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
