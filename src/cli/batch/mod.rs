//! `posepress batch`: a library of clips, by rules, and only what changed since the last run.

mod annotations;
mod args;
mod estimate;
mod finish;
mod format;
mod inputs;
mod job;
mod memory;
mod outputs;
mod page;
mod part;
mod plan;
mod planner;
mod prune;
mod queue;
mod share;
mod share_report;
mod stop;
mod why;

pub use args::BatchArgs;

use super::output::{check_output as check_page, try_output};
use super::{Console, Exit, Failure};
use finish::finish;
use inputs::find;
use plan::print_plan;
use planner::Planner;
use queue::work;
use share::Share;
use share_report::finish_share;
use std::path::{Path, PathBuf};

/// The output folder is not a file, and not a folder of sources: its files would not be read.
fn check_output(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let wrong = |why: &str| Err(Failure::usage(format!("-o {}: {why}", output.display())));
    let place = dunce::canonicalize(output);
    match &place {
        Ok(place) if place.is_file() => wrong("it is a file. Give a folder"),
        Ok(place) if inputs.iter().any(|input| dunce::canonicalize(input).is_ok_and(|input| input == *place)) => {
            wrong("it is also an input. Give a folder of its own")
        }
        _ => Ok(()),
    }
}

/// Plans, works, and writes the outputs and the manifest.
pub fn run(args: &BatchArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if let Some(place) = &args.why {
        return why::run(args, place, console);
    }
    let output = args.output.as_deref().ok_or_else(|| Failure::usage("give the output folder: -o OUT"))?;
    check_output(output, &args.inputs)?;
    let found = find(&args.inputs, &[output, &args.store_folder(output)])?;
    let planner = Planner::new(args, output, &found)?;
    let library = planner.plan(found);
    library.notes.iter().for_each(|note| console.say(note));
    if args.plan {
        print_plan(&planner, &library, args.format.json, console)?;
        return Ok(Exit::Done);
    }
    let (gate, baseline) = (args.gate(planner.config())?, args.read_baseline()?);
    if let Some(page) = &args.html {
        check_page(page, library.files.iter().map(|file| file.input.path.as_path()))?;
        try_output(page)?;
    }
    let stop = stop::Stop::on_interrupt();
    let share = Share::of(args, &library);
    let results = work(&planner, &library, &share, args, &stop)?;
    if stop.is_asked() {
        return Err(Failure::input(
            "stopped before the end. What is finished is in the store; the same command goes on",
        ));
    }
    if !share.is_whole() {
        return finish_share(library, results, &share, args.format.json, console);
    }
    finish(&planner, library, results, (args, gate, baseline), console)
}
