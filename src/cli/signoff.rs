use super::html::{Cell, Page};
use super::output::write_output;
use super::table::{Align, Table};
use super::{Console, Exit, Failure};
use clap::Args;
use posepress_core::metrics::Verdict;
use posepress_core::session::{Judgement, Project, SignOff};
use posepress_core::text;
use serde::Serialize;
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
    /// Write a page; - is standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub html: Option<PathBuf>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    decisions: &'a [SignOff],
}

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

/// Prints who decided what about which clip, with which numbers, and whether it holds.
pub fn run(args: &SignoffArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let path = &args.project;
    let failed = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let toml = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let absolute = std::path::absolute(path).map_err(|error| failed(&error))?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let project = Project::from_toml(&toml, folder).map_err(|error| failed(&error))?;
    let all = SignOff::all(&project, folder);
    if args.json {
        console.json(&Document { schema: 1, decisions: &all })?;
    } else if let Some(page) = &args.html {
        write_output(page, html(path, &all).as_bytes(), console)?;
    } else {
        let mut table = Table::new(&HEADS);
        all.iter().for_each(|one| table.row(cells(one)));
        table.print(console.out)?;
    }
    let open: Vec<String> = all.iter().filter(|one| !one.is_signed_off()).map(complaint).collect();
    if open.is_empty() { Ok(Exit::Done) } else { Ok(Exit::GateNotMet(open.join("\n"))) }
}

fn complaint(one: &SignOff) -> String {
    let why = if one.judgement == Judgement::Rejected { "rejected" } else { one.standing.name() };
    format!("{} of {}: {why}", one.clip, one.file)
}

fn cells(one: &SignOff) -> [String; HEADS.len()] {
    let millimetres =
        |mm: Option<f64>| mm.map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32));
    let figures = one.figures;
    [
        one.clip.clone(),
        one.file.clone(),
        one.judgement.name().to_owned(),
        one.standing.name().to_owned(),
        one.author.clone(),
        one.time.clone(),
        one.recipe.clone(),
        figures.map_or(text::NOT_MEASURED.to_owned(), |figures| text::bytes(figures.bytes)),
        millimetres(figures.map(|figures| figures.error_mm)),
        millimetres(figures.and_then(|figures| figures.slide_mm)),
        one.note.replace('\n', " "),
    ]
}

fn html(project: &Path, all: &[SignOff]) -> String {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    let held = all.iter().filter(|one| one.is_signed_off()).count();
    let intro = format!("{}, {held} of them stand.", text::count(all.len(), "decision"));
    let is_number = |align: Align| align == Align::Right;
    let heads = HEADS.iter().map(|(head, align)| ((*head).to_owned(), is_number(*align)));
    let mut page = Page::new(&format!("Sign-off of {name}"), &intro, heads);
    for one in all {
        let verdict = match one.judgement {
            _ if one.is_signed_off() => Verdict::Good,
            Judgement::Rejected => Verdict::Fail,
            Judgement::Approved | Judgement::Ignored => Verdict::Warn,
        };
        page.row(cells(one).into_iter().zip(HEADS).map(|(text, (head, align))| Cell {
            text,
            is_number: is_number(align),
            verdict: if head == "stands" { verdict } else { Verdict::Good },
            ..Cell::default()
        }));
    }
    page.finish("")
}
