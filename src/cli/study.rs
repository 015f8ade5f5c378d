use super::open_project::open_project;
use super::output::{check_output, try_output, write_output};
use super::report::csv_text;
use super::table::{Align, Table};
use super::{Console, Exit, Failure};
use clap::Args;
use posepress_core::project::{BlindStudy, BlindTest, Letter, Trial};
use std::path::PathBuf;

/// `posepress study`.
#[derive(Debug, Args)]
pub struct StudyArgs {
    /// Projects, as the window saves them. A test that several of them hold counts once.
    #[arg(value_name = "NAME.posepress.toml", required = true)]
    pub projects: Vec<PathBuf>,
    /// Write the trials as CSV; - is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Print one row per clip and recipe instead of the trials.
    #[arg(long, conflicts_with = "output")]
    pub summary: bool,
}

const CSV_HEADS: &str = "study,file,clip,recipe,person,time,trial,a,x,answer,right,secs";

const HEADS: [(&str, Align); 8] = [
    ("study", Align::Right),
    ("clip", Align::Left),
    ("file", Align::Left),
    ("recipe", Align::Left),
    ("people", Align::Right),
    ("tests", Align::Right),
    ("right", Align::Right),
    ("", Align::Left),
];

/// Prints every trial of every person, and the pooled results per clip and recipe.
pub fn run(args: &StudyArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    check_output(&args.output, args.projects.iter().map(PathBuf::as_path))?;
    let projects: Vec<_> = args.projects.iter().map(|path| open_project(path)).collect::<Result<_, _>>()?;
    let studies = BlindStudy::all(projects.iter().map(|(project, _)| &project.document));
    if studies.is_empty() {
        return Err(Failure::input(format!(
            "{} no blind test; run 'Blind test' in the window (Ctrl+B), keep the result and save the project",
            if args.projects.len() == 1 { "the project holds" } else { "the projects hold" }
        )));
    }
    if args.summary {
        summary(&studies).print(console.out)?;
        return Ok(Exit::Done);
    }
    try_output(&args.output)?;
    let mut csv = format!("{CSV_HEADS}\n");
    studies.iter().enumerate().for_each(|(at, study)| csv.extend(rows(at + 1, study)));
    write_output(&args.output, csv.as_bytes(), console)?;
    for (at, study) in studies.iter().enumerate() {
        let (people, score) = (study.people(), study.score());
        let people = if people == 1 { "1 person".to_owned() } else { format!("{people} people") };
        let (clip, recipe, words, meaning) = (study.clip.clip_name(), study.recipe(), score.words(), score.meaning());
        console.say(format!("study {}: {clip}, {recipe}: {people}, {words}, {meaning}", at + 1));
    }
    Ok(Exit::Done)
}

/// The lines of a study, one per trial.
fn rows<'a>(number: usize, study: &'a BlindStudy<'a>) -> impl Iterator<Item = String> + 'a {
    let of_test = move |test: &'a BlindTest| {
        let trials = test.trials.iter().enumerate();
        trials.map(move |(at, trial)| row(number, study, test, (at + 1, trial)))
    };
    study.tests.iter().flat_map(move |test| of_test(test))
}

fn row(number: usize, study: &BlindStudy<'_>, test: &BlindTest, (at, trial): (usize, &Trial)) -> String {
    let [file, clip, recipe, person, time] =
        [&*test.file, study.clip.clip_name(), &study.recipe(), &test.author, &test.time].map(csv_text);
    let a = if trial.original == Letter::A { "original" } else { "compressed" };
    let (x, answer, right) = (trial.x.name(), trial.answer.name(), trial.is_right());
    format!("{number},{file},{clip},{recipe},{person},{time},{at},{a},{x},{answer},{right},{:.3}\n", trial.secs)
}

/// One row per clip and recipe.
fn summary(studies: &[BlindStudy<'_>]) -> Table {
    let mut table = Table::new(&HEADS);
    for (at, study) in studies.iter().enumerate() {
        let score = study.score();
        table.row([
            (at + 1).to_string(),
            study.clip.clip_name().to_owned(),
            study.file().to_owned(),
            study.recipe(),
            study.people().to_string(),
            study.tests.len().to_string(),
            score.words(),
            score.meaning().to_owned(),
        ]);
    }
    table
}
