use super::evidence::{Evidence, Painter};
use super::html::{Cell, Page, PlayingPage, Rows, escape};
use super::load::NamedClip;
use super::open_project::open_project;
use super::output::{try_output, write_output};
use super::pictures::Pictures;
use super::player::worst_first;
use super::report::PageArgs;
use super::report_page::finish;
use super::table::{Align, Table};
use super::work::{Worked, compress_all};
use super::{Console, Exit, Failure};
use clap::Args;
use posepress_core::metrics::Verdict;
use posepress_core::project::{ClipNotes, DecisionKind, SignOff};
use posepress_core::report::ClipReport;
use posepress_core::tasks::{Library, Undecided};
use posepress_core::text;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// `posepress signoff`.
#[derive(Debug, Args)]
pub struct SignoffArgs {
    /// The project, as the window saves it.
    #[arg(value_name = "NAME.posepress.toml")]
    pub project: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a web page that plays each clip whose file is unchanged, with a picture of its worst frame; - is standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    /// List undecided clips without failing.
    #[arg(long)]
    pub allow_undecided: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    decisions: &'a [SignOff],
    /// Clips without a decision.
    undecided: &'a [Undecided],
    notes: &'a [ClipNotes],
}

/// Shown for a missing decision.
const UNDECIDED: &str = "undecided";

const HEADS: [(&str, Align); 11] = [
    ("clip", Align::Left),
    ("file", Align::Left),
    ("decision", Align::Left),
    ("stands", Align::Left),
    ("by", Align::Left),
    ("on", Align::Left),
    ("recipe", Align::Left),
    ("size", Align::Right),
    ("max", Align::Right),
    ("slide", Align::Right),
    ("note", Align::Left),
];

const NOTE_HEADS: [(&str, Align); 7] = [
    ("clip", Align::Left),
    ("file", Align::Left),
    ("moment", Align::Right),
    ("joint", Align::Left),
    ("by", Align::Left),
    ("on", Align::Left),
    ("said", Align::Left),
];

const BLIND_HEADS: [(&str, Align); 7] = [
    ("clip", Align::Left),
    ("file", Align::Left),
    ("recipe", Align::Left),
    ("blind test by", Align::Left),
    ("on", Align::Left),
    ("right", Align::Right),
    ("", Align::Left),
];

/// Prints the decisions with author, numbers and validity, and the notes.
pub fn run(args: &SignoffArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let path = &args.project;
    let (project, folder) = open_project(path)?;
    args.html.iter().try_for_each(|page| try_output(page))?;
    let (library, errors) = Library::of_project(&project, &folder);
    errors.iter().for_each(|error| console.say(format!("error: {error}")));
    let (all, undecided) = (SignOff::all(&project, &folder), Undecided::all(&project, &library));
    let notes = ClipNotes::all(&project);
    if args.json {
        console.json(&Document { schema: 1, decisions: &all, undecided: &undecided, notes: &notes })?;
    } else if let Some(page) = &args.html {
        let judged = judged(&library, &all, console);
        let painter = console.painter.as_mut().map(|painter| &mut **painter as &mut dyn Painter);
        let PlayingPage { html, over } = html(path, (&all, &undecided), &notes, (&judged, args.page), painter);
        write_output(page, html.as_bytes(), console)?;
        over.into_iter().for_each(|over| console.say(format!("{}: {over}", page.display())));
    } else {
        print(&all, &undecided, &notes, console)?;
    }
    let mut open: Vec<String> = all.iter().filter(|one| !one.is_signed_off()).map(complaint).collect();
    if !undecided.is_empty() && !args.allow_undecided {
        let of = text::count(all.len() + undecided.len(), "clip");
        open.push(format!("{} of {of} undecided; --allow-undecided lets them pass", undecided.len()));
    }
    if all.is_empty() && undecided.is_empty() {
        open.push("the project has no file and no decision: nothing is signed off".into());
    }
    if open.is_empty() { Ok(Exit::Done) } else { Ok(Exit::GateNotMet(open.join("\n"))) }
}

fn complaint(one: &SignOff) -> String {
    let why = if one.kind == DecisionKind::Rejected { "rejected" } else { one.standing.name() };
    format!("{} of {}: {why}", one.clip, one.file)
}

fn cells(one: &SignOff) -> [String; HEADS.len()] {
    let millimetres =
        |mm: Option<f64>| mm.map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32));
    let figures = one.figures;
    [
        one.clip.clone(),
        one.file.clone(),
        one.kind.name().to_owned(),
        one.standing.name().to_owned(),
        one.author.clone(),
        one.time.clone(),
        recipe_and_fixes(one),
        figures.map_or(text::NOT_MEASURED.to_owned(), |figures| text::bytes(figures.bytes)),
        millimetres(figures.map(|figures| figures.error_mm)),
        millimetres(figures.and_then(|figures| figures.slide_mm)),
        one.note.replace('\n', " "),
    ]
}

/// The recipe, and the fixes of the source that it was judged with.
fn recipe_and_fixes(one: &SignOff) -> String {
    let fixes: Vec<_> = one.fixes.iter().map(|fix| fix.option().key).collect();
    if fixes.is_empty() { one.recipe.clone() } else { format!("{}; fixed: {}", one.recipe, fixes.join(", ")) }
}

/// The row of an undecided clip. A file that could not be read has one row without a clip.
fn undecided_cells(one: &Undecided) -> [String; HEADS.len()] {
    let mut cells = [const { String::new() }; HEADS.len()];
    cells[0] = if one.clip.is_empty() { "(not read)".to_owned() } else { one.clip.clone() };
    cells[1].clone_from(&one.file);
    cells[2] = UNDECIDED.to_owned();
    cells
}

fn print(
    all: &[SignOff],
    undecided: &[Undecided],
    notes: &[ClipNotes],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut table = Table::new(&HEADS);
    all.iter().for_each(|one| table.row(cells(one)));
    undecided.iter().for_each(|one| table.row(undecided_cells(one)));
    table.print(console.out)?;
    print_more(&BLIND_HEADS, blind_cells(all, undecided), console)?;
    print_more(&NOTE_HEADS, note_cells(notes), console)
}

/// Prints another table below, unless it has no rows.
fn print_more<const N: usize>(
    heads: &[(&'static str, Align); N],
    rows: impl Iterator<Item = [String; N]>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut rows = rows.peekable();
    if rows.peek().is_some() {
        let mut table = Table::new(heads);
        rows.for_each(|cells| table.row(cells));
        writeln!(console.out)?;
        table.print(console.out)?;
    }
    Ok(())
}

/// The blind tests of the judged recipes, then those of undecided clips.
fn blind_cells<'a>(
    all: &'a [SignOff],
    undecided: &'a [Undecided],
) -> impl Iterator<Item = [String; BLIND_HEADS.len()]> + 'a {
    let decided = all.iter().map(|one| (&one.clip, &one.file, &one.blind_tests));
    let others = undecided.iter().map(|one| (&one.clip, &one.file, &one.blind_tests));
    decided.chain(others).flat_map(|(clip, file, tests)| {
        tests.iter().map(|test| {
            let score = test.score();
            let [recipe, author, time] = [&test.recipe, &test.author, &test.time].map(Clone::clone);
            [clip.clone(), file.clone(), recipe, author, time, score.words(), score.meaning().to_owned()]
        })
    })
}

fn note_cells(notes: &[ClipNotes]) -> impl Iterator<Item = [String; NOTE_HEADS.len()]> {
    notes.iter().flat_map(|of| {
        of.notes.iter().map(|note| {
            [
                of.clip.clone(),
                of.file.clone(),
                text::clock(note.at_secs),
                note.joint.clone().unwrap_or_default(),
                note.author.clone(),
                note.time.clone(),
                note.text.replace('\n', " "),
            ]
        })
    })
}

/// A decided clip as it is now, with the index of its decision.
type Judged = (usize, ClipReport, Evidence);

/// The decided clips. Clips that were never measured, or whose file changed, are missing.
fn judged(library: &Library, all: &[SignOff], console: &mut Console<'_>) -> Vec<Judged> {
    let there = all.iter().enumerate().filter(|(_, one)| one.figures.is_some());
    let (places, clips): (Vec<usize>, Vec<NamedClip>) = there
        .filter_map(|(place, one)| {
            let (rig, clip) = library.clip_of(&one.key)?;
            let (source, name) = (one.file.clone(), one.clip.clone());
            Some((place, NamedClip { source, name, rig: rig.clone(), clip: clip.clone() }))
        })
        .unzip();
    let recipe_of = |at: usize| std::slice::from_ref(&all[places[at]].judged);
    // Results skip clips that failed, so each result carries the index of its decision.
    let place_of = |clip: &NamedClip| clips.iter().position(|other| std::ptr::eq(other, clip)).map(|at| places[at]);
    let keep = |clip: &NamedClip, worked: Worked| {
        let evidence = Evidence::playing(&worked.sides.source, &worked.sides.outcome);
        Some((place_of(clip)?, worked.report, evidence))
    };
    let (judged, _) = compress_all("compressed", &clips, recipe_of, console, keep);
    judged.into_iter().flatten().collect()
}

fn html(
    project: &Path,
    (all, undecided): (&[SignOff], &[Undecided]),
    notes: &[ClipNotes],
    (judged, limit): (&[Judged], PageArgs),
    painter: Option<&mut dyn Painter>,
) -> PlayingPage {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let held = all.iter().filter(|one| one.is_signed_off()).count();
    let open = undecided.len();
    let intro = format!("{}, {held} of them stand; {open} undecided.", text::count(all.len(), "decision"));
    let mut page = Page::new(&format!("Sign-off of {name}"), &intro, heads(&HEADS));
    for one in all {
        let verdict = match one.kind {
            _ if one.is_signed_off() => Verdict::Good,
            DecisionKind::Rejected => Verdict::Fail,
            DecisionKind::Approved | DecisionKind::Ignored => Verdict::Warn,
        };
        page.row(row(cells(one), &HEADS).map(|(head, cell)| match head {
            "stands" => Cell { verdict, ..cell },
            _ => cell,
        }));
    }
    undecided.iter().for_each(|one| page.row(row(undecided_cells(one), &HEADS).map(|(_, cell)| cell)));
    let mut tables = String::new();
    after_table("Blind tests", &BLIND_HEADS, blind_cells(all, undecided), &mut tables);
    after_table("Notes", &NOTE_HEADS, note_cells(notes), &mut tables);
    let after = |pictures: &Pictures| {
        let shown = judged.iter().filter_map(|(place, ..)| Some((&all[*place], pictures.of(*place)?)));
        let sections = shown.map(|(one, shown)| {
            let (clip, kind) = (escape(&one.clip), one.kind.name());
            format!("<section>\n<h2>{clip}, {kind}</h2>\n{shown}</section>\n")
        });
        format!("{tables}{}{}", pictures.said, sections.collect::<String>())
    };
    let mut worst: Vec<&Judged> = judged.iter().collect();
    worst.sort_by(|(a_place, a, _), (b_place, b, _)| worst_first(a, b).then(a_place.cmp(b_place)));
    let moments: Vec<_> =
        worst.iter().filter_map(|(place, _, evidence)| Some((*place, evidence.moment.as_ref()?))).collect();
    let rows: Vec<_> = judged.iter().map(|(_, report, evidence)| (report, evidence)).collect();
    finish(page, (&rows, &moments), after, painter, limit.most_bytes())
}

/// Adds a section with a table, unless it has no rows.
fn after_table<const N: usize>(
    title: &str,
    of: &[(&'static str, Align); N],
    cells: impl Iterator<Item = [String; N]>,
    after: &mut String,
) {
    let mut cells = cells.peekable();
    if cells.peek().is_some() {
        let mut rows = Rows::new(heads(of));
        cells.for_each(|cells| rows.row(row(cells, of).map(|(_, cell)| cell)));
        let _ = writeln!(after, "<section><h2>{title}</h2>\n{}</section>", rows.finish());
    }
}

fn is_number(align: Align) -> bool {
    align == Align::Right
}

fn heads(heads: &[(&str, Align)]) -> impl Iterator<Item = (String, bool)> {
    heads.iter().map(|(head, align)| ((*head).to_owned(), is_number(*align)))
}

fn row<'a, const N: usize>(
    cells: [String; N],
    heads: &'a [(&'a str, Align); N],
) -> impl Iterator<Item = (&'a str, Cell)> {
    let cells = cells.into_iter().zip(heads);
    cells.map(|(text, (head, align))| (*head, Cell { text, is_number: is_number(*align), ..Cell::default() }))
}
