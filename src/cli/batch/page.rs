//! The page of a library: a table, worst first, and the worst clips with curves and pictures.

use super::annotations::Judged;
use super::format::totals;
use super::job::import;
use super::planner::{Library, PlannedFile, Planner};
use crate::cli::diff::diff_words;
use crate::cli::evidence::{Evidence, Painter};
use crate::cli::html::{Cell, Page, escape};
use crate::cli::pictures::Pictures;
use crate::cli::report_page::{sections, worst_moments};
use crate::cli::work::compress_one;
use posepress_core::batch::{ManifestDiff, ManifestRow};
use posepress_core::metrics::Verdict;
use posepress_core::report::ClipReport;
use posepress_core::text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Number of clips with curves and pictures. Each is compressed once more for them.
const MOST_PICTURED: usize = 12;

/// A column of the table.
struct Column {
    head: &'static str,
    /// Its number, millimetres or bytes.
    value: fn(&ManifestRow) -> Option<f64>,
    shown: fn(f64) -> String,
}

fn length(mm: f64) -> String {
    text::length((mm / 1000.0) as f32)
}

static COLUMNS: &[Column] = &[
    Column {
        head: "size",
        value: |row| Some(row.numbers.as_ref()?.figures.bytes as f64),
        shown: |b| text::bytes(b as u64),
    },
    Column { head: "error", value: |row| Some(row.numbers.as_ref()?.figures.error_mm), shown: length },
    Column { head: "tolerance", value: |row| Some(row.numbers.as_ref()?.tolerance_mm), shown: length },
    Column { head: "between", value: |row| Some(row.numbers.as_ref()?.between_mm), shown: length },
    Column { head: "skin", value: |row| row.numbers.as_ref()?.figures.skin_mm, shown: length },
    Column { head: "slide", value: |row| row.numbers.as_ref()?.figures.slide_mm, shown: length },
    Column { head: "jitter", value: |row| row.numbers.as_ref()?.jitter_mm, shown: length },
];

/// A row of the table.
struct Shown<'a> {
    row: &'a ManifestRow,
    /// A row over a limit of the gate, and one without a result, fails.
    verdict: Verdict,
    words: String,
}

/// Writes the page of a run.
pub fn page(
    judged: &Judged<'_>,
    diff: Option<&ManifestDiff>,
    (planner, library): (&Planner, &Library),
    painter: Option<&mut dyn Painter>,
) -> String {
    let intro = [Some(totals(judged.manifest)), diff.map(diff_words)];
    let heads = [("clip", false)].into_iter().chain(COLUMNS.iter().map(|column| (column.head, true)));
    let heads = heads.chain([("verdict", false)]).map(|(head, is_number)| (head.to_owned(), is_number));
    let mut page = Page::new("Posepress library", &intro.into_iter().flatten().collect::<Vec<_>>().join(". "), heads);
    let rows = worst_first(judged);
    rows.iter().for_each(|shown| page.row(cells(shown)));
    let with_numbers = rows.iter().map(|shown| shown.row).filter(|row| row.numbers.is_some());
    let (mut said, mut reports, mut evidence) = (String::new(), Vec::new(), Vec::new());
    for row in with_numbers.take(MOST_PICTURED) {
        match look_closer((planner, library), row) {
            Ok((report, of_clip)) => {
                reports.push(report);
                evidence.push(Some(of_clip));
            }
            Err(why) => _ = writeln!(said, "<p>No curves of {}: {}.</p>", escape(&row.title()), escape(&why)),
        }
    }
    if rows.len() > reports.len() {
        let _ = writeln!(said, "<p>Curves and pictures are those of the {} worst clips.</p>", reports.len());
    }
    let pictures = Pictures::fitting(&worst_moments(&reports, &evidence), painter, [usize::MAX; 2]);
    page.finish(&(said + &sections(&reports, &evidence, &pictures)))
}

/// Rows without a result and those that fail, then the others by verdict, then by error for their tolerance.
fn worst_first<'a>(judged: &Judged<'a>) -> Vec<Shown<'a>> {
    let mut faults: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    judged.faults.iter().for_each(|fault| faults.entry(&fault.title).or_default().push(&fault.words));
    let shown = |row: &'a ManifestRow| match (&row.numbers, faults.get(&*row.title())) {
        (Some(numbers), None) => {
            let words = [Some(numbers.words.clone()), row.kept.clone()].into_iter().flatten();
            let words = words.collect::<Vec<_>>().join("; ");
            Shown { row, verdict: numbers.verdict.max(numbers.source_verdict), words }
        }
        (_, words) => {
            Shown { row, verdict: Verdict::Fail, words: words.map_or(String::new(), |words| words.join("; ")) }
        }
    };
    let times = |row: &ManifestRow| {
        row.numbers.as_ref().map_or(f64::INFINITY, |numbers| numbers.figures.error_mm / numbers.tolerance_mm)
    };
    let mut rows: Vec<Shown<'a>> = judged.manifest.rows.iter().map(shown).collect();
    rows.sort_by(|a, b| {
        let by_error = b.verdict.cmp(&a.verdict).then_with(|| times(b.row).total_cmp(&times(a.row)));
        by_error.then_with(|| a.row.place().cmp(&b.row.place()))
    });
    rows
}

fn cells(shown: &Shown<'_>) -> Vec<Cell> {
    let of_column = |column: &Column| match (column.value)(shown.row) {
        Some(value) => {
            Cell { text: (column.shown)(value), order: value.to_string(), is_number: true, ..Cell::default() }
        }
        None => Cell { text: text::NOT_MEASURED.into(), is_number: true, ..Cell::default() },
    };
    let title = Cell { text: shown.row.title(), ..Cell::default() };
    let verdict = Cell { text: shown.words.clone(), verdict: shown.verdict, ..Cell::default() };
    std::iter::once(title).chain(COLUMNS.iter().map(of_column)).chain([verdict]).collect()
}

/// Compresses a clip of the library once more, for what its report does not keep.
fn look_closer((planner, library): (&Planner, &Library), row: &ManifestRow) -> Result<(ClipReport, Evidence), String> {
    let is_it = |file: &&PlannedFile| file.input.label == row.source;
    let file = library.files.iter().find(is_it).ok_or("its file is gone")?;
    if row.kept.is_some() {
        return Err("it is an earlier result, which another recipe or program made".into());
    }
    let planned = file.clips().iter().find(|clip| clip.name == row.clip).ok_or("its clip is gone")?;
    let recipe = planned.recipe.as_ref().map_err(String::clone)?;
    let imported = import(planner, &file.input).map_err(|error| error.to_string())?;
    let clip = imported.clips.iter().find(|clip| clip.name == row.clip).ok_or("its clip is gone")?;
    compress_one(clip, recipe, |_, worked| {
        let evidence = Evidence::of(&worked.sides.source, &worked.sides.outcome);
        let clip = row.title();
        (ClipReport { clip, ..worked.report }, evidence)
    })
}
