use super::report::{how_measured, verdict};
use posepress_core::metrics::Verdict;
use posepress_core::session::ClipReport;
use posepress_core::text;
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
    out.push_str("<table>\n<tr><th class=\"t\">Clip</th><th class=\"t\">Codec</th><th>Size</th><th>Ratio</th>");
    out.push_str("<th>Max</th><th>Between</th><th>Skin</th><th>Slide</th><th class=\"t\">Worst at</th>");
    out.push_str("<th class=\"t\">Verdict</th></tr>\n");
    reports.iter().for_each(|r| row(&mut out, r));
    out.push_str("</table>\n</body></html>\n");
    out
}

fn row(out: &mut String, report: &ClipReport) {
    let mm = |v: f64| text::length((v / 1000.0) as f32);
    let optional = |v: Option<f64>| v.map_or(text::NOT_MEASURED.into(), mm);
    let class = match report.verdict {
        Verdict::Good => "t",
        Verdict::Warn => "t warn",
        Verdict::Fail => "t fail",
    };
    let worst = format!("{} {}", report.error.worst.joint, text::clock(report.error.worst.time_secs));
    let _ = writeln!(
        out,
        "<tr><td class=\"t\" title=\"{}\">{}</td><td class=\"t\">{}</td><td title=\"{} bytes\">{}</td><td>{}</td>\
         <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"t\">{}</td><td class=\"{class}\">{}</td></tr>",
        escape(&report.source),
        escape(&report.clip),
        escape(&report.codec),
        report.bytes,
        text::bytes(report.bytes as u64),
        text::ratio(report.ratio),
        mm(report.error.max_mm),
        mm(report.sub_frame_error.max_mm),
        optional(report.vertex_error.as_ref().map(|v| v.max_mm)),
        optional(report.contacts.worst_slide_mm),
        escape(&worst),
        verdict(report),
    );
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
