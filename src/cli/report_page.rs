//! The page of a report: figures, sizes, and of every row its error over time, plants, settings and worst moment.

use super::evidence::{Evidence, Painter};
use super::html::{Cell, Page, capital, escape};
use super::plots::{error_plot, size_plot};
use super::report::how_measured;
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipReport, Figure, PlantRow, ReportColumn};
use posepress_core::text;
use std::fmt::Write;

/// The worst rows that have pictures: each picture is some ten kilobytes of the page, and a moment to draw.
const MOST_PICTURED: usize = 12;
const NO_PAINTER: &str = "Without pictures: this build was made without the window, whose renderer draws them.";

/// The page: one row a clip and recipe, with what was kept of each. `evidence` goes with `reports`.
pub fn report_page(reports: &[ClipReport], evidence: &[Option<Evidence>], painter: Option<&mut dyn Painter>) -> String {
    let how = reports.first().map_or(String::new(), |first| format!("{}.", how_measured(first)));
    let heads = ReportColumn::for_people()
        .map(|(label, column)| (label.to_owned(), reports.first().is_some_and(|r| (column.figure)(r).is_number())));
    let mut page = Page::new("Posepress report", &how, heads);
    for report in reports {
        page.row(ReportColumn::for_people().map(|(_, column)| cell(column, report)));
    }
    let mut after = String::new();
    if reports.len() > 1 {
        let sizes: Vec<_> = reports.iter().map(|r| (format!("{}, {}", r.clip, r.codec), r.bytes as u64)).collect();
        let _ = write!(after, "<section><h2>Sizes</h2>\n{}</section>\n", size_plot(&sizes));
    }
    let pictures = pictures(reports, evidence, painter, &mut after);
    for ((report, evidence), pictures) in reports.iter().zip(evidence).zip(&pictures) {
        section(&mut after, report, evidence.as_ref(), pictures);
    }
    page.finish(&after)
}

fn cell(column: &ReportColumn, report: &ClipReport) -> Cell {
    let figure = (column.figure)(report);
    let detail = column.detail.map_or(String::new(), |say| say(report));
    let verdict = if let Figure::Verdict(verdict, _) = &figure { *verdict } else { Verdict::Good };
    let order = if figure.is_number() { figure.exact() } else { String::new() };
    Cell { text: figure.shown(), detail, order, is_number: figure.is_number(), verdict }
}

/// Figures of every row, as markup; empty where there are none. Why there are none, or not all, is said in `said`.
fn pictures(
    reports: &[ClipReport],
    evidence: &[Option<Evidence>],
    painter: Option<&mut dyn Painter>,
    said: &mut String,
) -> Vec<String> {
    let mut figures = vec![String::new(); reports.len()];
    let Some(painter) = painter else {
        let _ = writeln!(said, "<p>{NO_PAINTER}</p>");
        return figures;
    };
    let severity = |row: &usize| {
        let report = &reports[*row];
        (report.verdict, report.error.max_mm / report.error.tolerance_mm)
    };
    let mut worst: Vec<usize> = (0..reports.len()).filter(|row| moment(evidence, *row).is_some()).collect();
    worst.sort_by(|a, b| {
        let ((verdict_a, times_a), (verdict_b, times_b)) = (severity(a), severity(b));
        verdict_b.cmp(&verdict_a).then(times_b.total_cmp(&times_a)).then(a.cmp(b))
    });
    if worst.len() > MOST_PICTURED {
        let _ = writeln!(said, "<p>Pictures are those of the {MOST_PICTURED} worst rows of {}.</p>", reports.len());
    }
    for &row in worst.iter().take(MOST_PICTURED) {
        let Some(moment) = moment(evidence, row) else { continue };
        match painter.paint(moment) {
            Ok(thumbnails) => {
                for thumbnail in thumbnails {
                    let (data, name) = (base64::encode(&thumbnail.png), escape(thumbnail.name));
                    let _ = write!(
                        figures[row],
                        "<figure><img alt=\"{name}\" src=\"data:image/png;base64,{data}\"><figcaption>{}</figcaption></figure>",
                        capital(&name)
                    );
                }
            }
            Err(why) => {
                let _ = writeln!(said, "<p>Without pictures: {}.</p>", escape(&why));
                break;
            }
        }
    }
    figures
}

fn moment(evidence: &[Option<Evidence>], row: usize) -> Option<&super::evidence::Moment> {
    evidence.get(row)?.as_ref()?.moment.as_ref()
}

fn section(out: &mut String, report: &ClipReport, evidence: Option<&Evidence>, pictures: &str) {
    let (clip, codec, verdict) = (escape(&report.clip), escape(&report.codec), escape(&report.verdict_words()));
    let _ = write!(out, "<section>\n<h2>{clip}, {codec}</h2>\n<p>{verdict}</p>\n");
    if let Some(Evidence { error_m, duration_secs, tolerance_m, moment }) = evidence {
        out.push_str(&error_plot(error_m, *duration_secs, *tolerance_m, &report.contacts.plants));
        if let Some(moment) = moment.as_ref().filter(|_| !pictures.is_empty()) {
            let joint = escape(moment.rig.skeleton.name(moment.joint));
            let _ = write!(out, "<h3>Worst moment: {joint} at {}</h3>\n{pictures}\n", text::clock(moment.time_secs));
        }
    }
    plants(out, &report.contacts.plants);
    let settings = toml::to_string(&report.recipe).unwrap_or_else(|error| error.to_string());
    let settings = if settings.is_empty() { "All settings are the codec's defaults.\n" } else { &settings };
    let _ = write!(out, "<h3>Settings</h3>\n<pre>{}</pre>\n</section>\n", escape(settings));
}

/// A table of the plants, and nothing where no foot stands.
fn plants(out: &mut String, plants: &[PlantRow]) {
    if plants.is_empty() {
        return;
    }
    out.push_str(
        "<h3>Plants</h3>\n<table><thead><tr><th scope=\"col\" class=\"t\">Joint</th><th scope=\"col\">From</th>\
         <th scope=\"col\">To</th><th scope=\"col\">Slide</th><th scope=\"col\">Rate</th></tr></thead>\n<tbody>\n",
    );
    for plant in plants {
        let (joint, class) = (escape(&plant.joint), plant.verdict.key());
        let [slide, rate] = [plant.slide_mm, plant.rate_mm_s].map(|mm| (mm / 1000.0) as f32);
        let _ = writeln!(
            out,
            "<tr><td class=\"t\">{joint}</td><td data-v=\"{}\">{}</td><td data-v=\"{}\">{}</td>\
             <td class=\"{class}\" data-v=\"{}\">{}</td><td data-v=\"{}\">{}</td></tr>",
            plant.start_secs,
            text::clock(plant.start_secs),
            plant.end_secs,
            text::clock(plant.end_secs),
            plant.slide_mm,
            text::length(slide),
            plant.rate_mm_s,
            text::speed(rate)
        );
    }
    out.push_str("</tbody></table>\n");
}
