//! The page of a report: table and sizes, and per row the error over time, contacts, settings and worst frame.

use super::evidence::{Evidence, Moment, Painter};
use super::html::{Cell, Page, PlayingPage, escape};
use super::pictures::{Moments, Pictures};
use super::player::{PackedScene, PlayedReport, worst_first};
use super::plots::{error_plot, size_plot};
use super::report::how_measured;
use posepress_core::metrics::Verdict;
use posepress_core::report::{ClipReport, ContactRow, Figure, PinRow, ReportColumn};
use posepress_core::text;
use std::fmt::Write;

/// Number of rows with pictures, worst first. Each picture adds up to a hundred kilobytes and takes time to draw.
const MOST_PICTURED: usize = 12;

/// The page: one row per clip and recipe. `evidence` has one entry per report. What would make it larger than `most_bytes` is left out.
pub fn report_page(
    reports: &[ClipReport],
    evidence: &[Option<Evidence>],
    painter: Option<&mut dyn Painter>,
    most_bytes: usize,
) -> PlayingPage {
    let how = reports.first().map_or(String::new(), |first| format!("{}.", how_measured(first)));
    let heads = ReportColumn::for_people(reports)
        .map(|(label, column)| (label.to_owned(), reports.first().is_some_and(|r| (column.figure)(r).is_number())));
    let mut page = Page::new("Posepress report", &how, heads);
    for report in reports {
        page.row(ReportColumn::for_people(reports).map(|(_, column)| cell(column, report)));
    }
    let mut sizes = String::new();
    if reports.len() > 1 {
        let bars: Vec<_> = reports.iter().map(|r| (format!("{}, {}", r.clip, r.codec), r.bytes as u64)).collect();
        let _ = writeln!(sizes, "<section><h2>Sizes</h2>\n{}</section>", size_plot(&bars));
    }
    let rows: Vec<_> = reports.iter().zip(evidence).filter_map(|(report, of)| Some((report, of.as_ref()?))).collect();
    let after = |pictures: &Pictures| format!("{sizes}{}", sections(reports, evidence, pictures));
    finish(page, (&rows, &worst_moments(reports, evidence)), after, painter, most_bytes)
}

/// Finishes a page with a player, pictures and what `after` makes of the pictures.
pub fn finish(
    page: Page,
    (rows, moments): (&[(&ClipReport, &Evidence)], &Moments<'_>),
    after: impl Fn(&Pictures) -> String,
    painter: Option<&mut dyn Painter>,
    most_bytes: usize,
) -> PlayingPage {
    let clips: Vec<PlayedReport<'_>> =
        rows.iter().filter_map(|(report, of)| Some((*report, of.played.as_ref()?))).collect();
    let packed = PackedScene::of(&clips);
    let [all, least] = packed.as_ref().map_or([0; 2], |packed| [packed.len(), packed.least_len()]);
    let room = most_bytes.saturating_sub(page.len());
    let others = after(&Pictures::blank(moments)).len();
    let rooms = [all, least].map(|player| room.saturating_sub(others + player));
    let pictures = Pictures::fitting(moments, painter, rooms);
    let after = after(&pictures);
    let player = packed.map(|packed| packed.into_player(room.saturating_sub(after.len()), pictures.left_out));
    page.finish_playing(player.as_ref(), &after, most_bytes)
}

/// A section per report: curve, contacts, settings, and pictures of the worst.
pub fn sections(reports: &[ClipReport], evidence: &[Option<Evidence>], pictures: &Pictures) -> String {
    let mut out = pictures.said.clone();
    let moments = evidence.iter().flatten().filter(|of| of.moment.is_some()).count();
    if (1..moments).contains(&pictures.count()) {
        let _ = writeln!(out, "<p>Pictures are those of the {} worst rows of {}.</p>", pictures.count(), reports.len());
    }
    for (row, (report, evidence)) in reports.iter().zip(evidence).enumerate() {
        section(&mut out, report, evidence.as_ref(), pictures.of(row).unwrap_or_default());
    }
    out
}

fn cell(column: &ReportColumn, report: &ClipReport) -> Cell {
    let figure = (column.figure)(report);
    let detail = column.detail.map_or(String::new(), |say| say(report));
    let verdict = if let Figure::Verdict(verdict, _) = &figure { *verdict } else { Verdict::Good };
    let order = if figure.is_number() { figure.exact() } else { String::new() };
    Cell { text: figure.shown(), detail, order, is_number: figure.is_number(), verdict }
}

/// The worst frames of the worst rows.
pub fn worst_moments<'a>(reports: &[ClipReport], evidence: &'a [Option<Evidence>]) -> Vec<(usize, &'a Moment)> {
    let with_moment = |(row, of): (usize, &'a Option<Evidence>)| Some((row, of.as_ref()?.moment.as_ref()?));
    let mut rows: Vec<_> = evidence.iter().enumerate().filter_map(with_moment).collect();
    rows.sort_by(|(a, _), (b, _)| worst_first(&reports[*a], &reports[*b]).then(a.cmp(b)));
    rows.truncate(MOST_PICTURED);
    rows
}

fn section(out: &mut String, report: &ClipReport, evidence: Option<&Evidence>, pictures: &str) {
    let (clip, codec, verdict) = (escape(&report.clip), escape(&report.codec), escape(&report.verdict_words()));
    let _ = writeln!(out, "<section>\n<h2>{clip}, {codec}</h2>\n<p>{verdict}</p>");
    if let Some(Evidence { error_m, duration_secs, tolerance_m, .. }) = evidence {
        out.push_str(&error_plot(error_m, *duration_secs, *tolerance_m, &report.slide.contacts));
        out.push_str(pictures);
    }
    contacts(out, &report.slide.contacts);
    pins(out, &report.pins);
    let settings = toml::to_string(&report.recipe).unwrap_or_else(|error| error.to_string());
    let settings = if settings.is_empty() { "All settings are the codec's defaults.\n" } else { &settings };
    let _ = writeln!(out, "<h3>Settings</h3>\n<pre>{}</pre>\n</section>", escape(settings));
}

/// Writes a list of the marked pins; nothing without marked pins.
fn pins(out: &mut String, pins: &[PinRow]) {
    let marked: Vec<_> = pins.iter().filter(|pin| pin.marked).collect();
    if marked.is_empty() {
        return;
    }
    out.push_str("<h3>Pins</h3>\n<ul>\n");
    for pin in marked {
        let class = pin.verdict.map_or("", Verdict::key);
        let (start, end) = (text::clock(pin.start_secs), text::clock(pin.end_secs));
        let _ = writeln!(out, "<li class=\"{class}\">{start} to {end}: {}</li>", escape(&pin.words()));
    }
    out.push_str("</ul>\n");
}

/// Writes a table of the contacts; nothing without contacts.
fn contacts(out: &mut String, contacts: &[ContactRow]) {
    if contacts.is_empty() {
        return;
    }
    out.push_str(
        "<h3>Contacts</h3>\n<table><thead><tr><th scope=\"col\" class=\"t\">Joint</th><th scope=\"col\">From</th>\
         <th scope=\"col\">To</th><th scope=\"col\">Slide</th><th scope=\"col\">Lost by sampling</th><th scope=\"col\">Slide in the source</th></tr></thead>\n<tbody>\n",
    );
    for contact in contacts {
        let (joint, class) = (escape(&contact.joint), contact.verdict.key());
        let length = |mm: f64| text::length((mm / 1000.0) as f32);
        let sampling = contact.sampling_mm.map_or(text::NOT_MEASURED.to_owned(), length);
        let _ = writeln!(
            out,
            "<tr><td class=\"t\">{joint}</td><td data-v=\"{}\">{}</td><td data-v=\"{}\">{}</td>\
             <td class=\"{class}\" data-v=\"{}\">{}</td><td data-v=\"{}\">{sampling}</td><td data-v=\"{}\">{}</td></tr>",
            contact.start_secs,
            text::clock(contact.start_secs),
            contact.end_secs,
            text::clock(contact.end_secs),
            contact.slide_mm,
            length(contact.slide_mm),
            contact.sampling_mm.unwrap_or_default(),
            contact.source_slide_mm,
            length(contact.source_slide_mm)
        );
    }
    out.push_str("</tbody></table>\n");
}
