//! `posepress batch`: a library of clips, by rules, and only what changed since the last run.

mod annotations;
mod args;
mod better;
mod decided;
mod estimate;
mod exports;
mod finish;
mod fit;
mod format;
mod guarded;
mod imports;
mod inputs;
mod job;
mod junit;
mod limits;
mod memory;
mod outputs;
mod page;
mod part;
mod plan;
mod planner;
mod prune;
mod queue;
mod review;
mod sarif;
mod share;
mod share_report;
mod stop;
mod watch;
mod why;
mod written;

pub use args::BatchArgs;

use super::{Console, Exit, Failure};
use finish::finish;
use fit::fit_budgets;
use inputs::{Found, find};
use job::compress;
use limits::Limits;
use plan::print_plan;
use planner::{Library, Planner};
use posepress_core::files::canonical;
use queue::work;
use review::Review;
use share::Share;
use share_report::finish_share;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stop::Stop;
use watch::{look, wait_for_change, with_beside};

/// The output folder is not a file, and not a folder of sources: its files would not be read.
fn check_output(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let wrong = |why: &str| Err(Failure::usage(format!("-o {}: {why}", output.display())));
    let place = canonical(output);
    match &place {
        Ok(place) if place.is_file() => wrong("it is a file. Give a folder"),
        Ok(place) if inputs.iter().any(|input| canonical(input).is_ok_and(|input| input == *place)) => {
            wrong("it is also an input. Give a folder of its own")
        }
        _ => Ok(()),
    }
}

const STOPPED: &str = "stopped before the end. What is finished is in the store; the same command goes on";

/// Plans, works, and writes the outputs and the manifest.
pub fn run(args: &BatchArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if let Some(place) = &args.why {
        return why::run(args, place, console);
    }
    let output = args.output.as_deref().ok_or_else(|| Failure::usage("give the output folder: -o OUT"))?;
    check_output(output, &args.inputs)?;
    let stop = Stop::default();
    let mut beside = BTreeSet::new();
    loop {
        let seen = args.watch.then(|| look(args, output, &beside));
        let ended = run_once(args, output, &stop, &mut beside, console);
        let Some(seen) = seen.filter(|_| !stop.is_asked()) else { return ended };
        match &ended {
            Ok(Exit::GateNotMet(words)) => console.say(words),
            Err(error) => console.say(format!("error: {error}")),
            Ok(_) => {}
        }
        console.out.flush()?;
        console.say("watching; Ctrl-C ends it");
        let look = || look(args, output, &beside);
        if !wait_for_change(&with_beside(seen, look(), &beside), look, &stop) {
            return ended;
        }
    }
}

/// The clips of the library, their recipes and the results that exist.
fn plan_library(planner: &Planner, memory: Option<u64>, found: Found) -> Library {
    let mut library = planner.plan(found);
    fit_budgets(planner, memory, &mut library);
    planner.find_results(&mut library);
    library
}

fn run_once(
    args: &BatchArgs,
    output: &Path,
    stop: &Stop,
    beside: &mut BTreeSet<PathBuf>,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let found = find(&args.inputs, &[output, &args.store_folder(output)])?;
    let planner = Planner::new(args, output, &found)?;
    let review = args.review.as_ref().map(|path| Review::new(path, &planner, &found.inputs)).transpose()?;
    let limits = args.is_whole().then(|| Limits::of(args, &planner, &found.inputs)).transpose()?;
    stop.listen();
    let library = plan_library(&planner, args.memory, found);
    library.notes.iter().for_each(|note| console.say(note));
    if stop.is_asked() {
        return Err(Failure::input(STOPPED));
    }
    if args.plan {
        print_plan(&planner, &library, args.format.json, console)?;
        return Ok(Exit::Done);
    }
    let share = Share::of(args, &library);
    let results = work((&planner, &library), &share, args, stop, &compress)?;
    if stop.is_asked() {
        return Err(Failure::input(STOPPED));
    }
    *beside = watch::beside(&library, &results);
    match limits {
        Some(limits) => finish(&planner, library, results, (args, &limits, review), console),
        None => finish_share(library, results, &share, args.format.json, console),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Output;
    use clap::{Args, FromArgMatches};
    use posepress_core::batch::{MANIFEST_NAME, Manifest};
    use queue::Work;

    pub(super) const BVH: &str =
        "HIERARCHY ROOT hip { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 -0.5 0 } }
        MOTION Frames: 4 Frame Time: 0.05 0 0 0 10 0 0 20 5 0 30 9 0";

    /// The options of a run over `lib` into `out`, both in that folder.
    pub(super) fn args(folder: &Path) -> BatchArgs {
        let (lib, out) = (folder.join("lib"), folder.join("out"));
        let line = [Path::new("batch"), &lib, Path::new("-o"), &out].map(Path::as_os_str);
        let matches = BatchArgs::augment_args(clap::Command::new("batch")).get_matches_from(line);
        BatchArgs::from_arg_matches(&matches).unwrap()
    }

    /// Runs with a work of its own. Returns the end in words, and the manifest.
    fn run_with(folder: &Path, on_clip: &Work<'_>) -> (String, Manifest) {
        let args = args(folder);
        let output = args.output.clone().unwrap();
        let found = find(&args.inputs, &[]).unwrap();
        let planner = Planner::new(&args, &output, &found).unwrap();
        let library = plan_library(&planner, args.memory, found);
        let results = work((&planner, &library), &Share::All, &args, &Stop::default(), on_clip).unwrap();
        let (mut out, mut messages) = (Output::new(std::io::sink()), Vec::new());
        let mut console = Console { out: &mut out, messages: &mut messages, painter: None };
        let ended = finish(&planner, library, results, (&args, &Limits::default(), None), &mut console);
        let words = ended.map_or_else(|failure| failure.to_string(), |exit| format!("{exit:?}"));
        let text = std::fs::read_to_string(output.join(MANIFEST_NAME)).unwrap();
        (words, Manifest::read(&text).unwrap())
    }

    #[test]
    fn a_panic_in_one_clip_is_a_row_with_its_reason_and_the_others_go_on() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("lib")).unwrap();
        for name in ["jump", "run", "walk"] {
            std::fs::write(folder.path().join(format!("lib/{name}.bvh")), BVH).unwrap();
        }
        let (words, manifest) = run_with(folder.path(), &|planner, planned, clip| {
            assert!(planned.name != "run", "joint 7 has no parent");
            compress(planner, planned, clip)
        });
        assert!(words.starts_with("1 row without a result: ") && words.contains("run.bvh#run"), "{words}");
        let errors: Vec<_> = manifest.rows.iter().map(|row| row.error.clone().unwrap_or_default()).collect();
        assert_eq!((errors.len(), &*errors[0], &*errors[2]), (3, "", ""));
        assert!(errors[1].contains("stopped by an internal error (joint 7 has no parent)"), "{errors:?}");
        let there = ["jump", "run", "walk"].map(|name| folder.path().join(format!("out/{name}.posepress")).exists());
        assert_eq!(there, [true, false, true]);
        let worked = std::sync::atomic::AtomicUsize::new(0);
        let (_, manifest) = run_with(folder.path(), &|planner, planned, clip| {
            worked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            compress(planner, planned, clip)
        });
        assert_eq!((manifest.totals.clips, manifest.totals.failed, worked.into_inner()), (3, 0, 1));
    }
}
