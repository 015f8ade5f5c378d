use super::console::Ticker;
use super::load::NamedClip;
use super::{Console, Exit, Failure};
use posepress_core::codecs::Progress;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::pipeline::{CompressError, OwnFault, guard};
use posepress_core::recipe::Recipe;
use posepress_core::report::{ClipReport, OverrideRow, PinRow, Sides, SlideRow, WhySlide, override_costs};
use posepress_core::tasks::{CompressTask, MeasureTask, RawSides, TaskError};
use posepress_core::text;
use rayon::prelude::*;
use std::sync::Arc;
use thiserror::Error;

/// A clip that was compressed and measured.
pub struct Worked {
    /// The measurements.
    pub report: ClipReport,
    /// The raw and the compressed clip.
    pub sides: Sides,
}

impl Worked {
    /// The measurements, with the cost of each override and the cause of the worst slide.
    pub fn full_report(self) -> Result<ClipReport, CompressError> {
        let costs = override_costs(&self.sides, &Progress::new())?;
        let why = WhySlide::worst(&self.sides.source, &self.sides.outcome);
        let slide = SlideRow { why, ..self.report.slide };
        Ok(ClipReport { overrides: costs.into_iter().map(OverrideRow::new).collect(), slide, ..self.report })
    }
}

/// A clip that a recipe could not compress.
#[derive(Debug, Error)]
#[error("{file}: clip '{clip}', {codec}: {error}")]
struct ClipFailure {
    file: String,
    clip: String,
    codec: &'static str,
    error: ClipFault,
}

#[derive(Debug, Error)]
enum ClipFault {
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error(transparent)]
    Own(#[from] OwnFault),
}

/// Compresses every clip with its recipes on all cores. Results are in the order of clips, then recipes. `keep` gets each
/// result at once, so that only its return value stays in memory. Prints errors, and also returns the names of clips that
/// failed.
pub fn compress_all<'a, T: Send>(
    verb: &'static str,
    clips: &[NamedClip],
    recipes_of: impl Fn(usize) -> &'a [Recipe] + Sync,
    console: &mut Console<'_>,
    keep: impl Fn(&NamedClip, Worked) -> T + Sync,
) -> (Vec<T>, Vec<String>) {
    let ticker = Ticker::new(verb, clips.len());
    let results: Vec<Vec<Result<T, ClipFailure>>> = clips
        .par_iter()
        .enumerate()
        .map(|(place, clip)| {
            let results = work_on(clip, recipes_of(place), &keep);
            ticker.step(&clip.name);
            results
        })
        .collect();
    drop(ticker);
    let mut kept = Vec::new();
    let mut failed = Vec::new();
    for result in results.into_iter().flatten() {
        match result {
            Ok(value) => kept.push(value),
            Err(failure) => {
                console.say(format!("error: {failure}"));
                failed.push(failure.clip);
            }
        }
    }
    (kept, failed)
}

/// Compresses a clip with one recipe. The error names file, clip and codec.
pub fn compress_one<T>(
    clip: &NamedClip,
    recipe: &Recipe,
    keep: impl Fn(&NamedClip, Worked) -> T + Sync,
) -> Result<T, String> {
    let mut results = work_on(clip, std::slice::from_ref(recipe), &keep);
    results.remove(0).map_err(|failure| failure.to_string())
}

fn work_on<T>(
    clip: &NamedClip,
    recipes: &[Recipe],
    keep: &(impl Fn(&NamedClip, Worked) -> T + Sync),
) -> Vec<Result<T, ClipFailure>> {
    let mut raw_sides = RawSides::default();
    let mut work = |recipe: &Recipe| {
        let progress = Progress::new();
        let (file, rig, recipe) = (clip.source.as_str().into(), clip.rig.clone(), Arc::new(recipe.clone()));
        let task = CompressTask { file, rig, clip: clip.clip.clone(), recipe, external: None, skin: true };
        let of = task.run(&mut raw_sides, &progress)?;
        let sides = MeasureTask { of }.run(&progress)?;
        // Unique name, if several files have a clip with the same name.
        let report = ClipReport::new(&clip.source, &clip.name, &sides.source, &sides.outcome);
        Ok(keep(clip, Worked { report, sides }))
    };
    let failed = |recipe: &Recipe, error| {
        let (file, clip) = (clip.source.clone(), clip.name.clone());
        ClipFailure { file, clip, codec: recipe.codec.name(), error }
    };
    recipes.iter().map(|recipe| guard(|| work(recipe)).map_err(|error| failed(recipe, error))).collect()
}

/// The exit of a run after its results: bad input first, then gates.
pub fn conclude(reports: &[ClipReport], failed: &[String], missing_files: Option<Failure>) -> Result<Exit, Failure> {
    if let Some(failure) = unfinished(failed, missing_files) {
        return Err(failure);
    }
    let unmet: Vec<String> = reports.iter().filter(|r| !r.passes()).map(describe_gate).collect();
    if unmet.is_empty() { Ok(Exit::Done) } else { Ok(Exit::GateNotMet(unmet.join("\n"))) }
}

/// The failure of a run that skipped clips or files; `None` if it skipped none.
pub fn unfinished(failed: &[String], missing_files: Option<Failure>) -> Option<Failure> {
    let clips = (!failed.is_empty()).then(|| {
        let clips = text::count(failed.len(), "clip");
        Failure::input(format!("{clips} could not be compressed: {}", failed.join(", ")))
    });
    match (missing_files, clips) {
        (Some(files), Some(clips)) => Some(Failure::input(format!("{files}; {clips}"))),
        (files, clips) => files.or(clips),
    }
}

/// The drift of the marked pin that drifts most, in words.
fn worst_pin(report: &ClipReport) -> Option<String> {
    let marked = report.pins.iter().filter(|pin| pin.marked);
    marked.max_by(|a, b| a.drift_mm.total_cmp(&b.drift_mm)).map(PinRow::words)
}

fn describe_gate(report: &ClipReport) -> String {
    let mut reasons = Vec::new();
    if !report.error.within {
        let (error, worst) = (&report.error, &report.error.worst);
        let (max, limit, joint, at) = (error.max_mm, error.tolerance_mm, &worst.joint, worst.time_secs);
        reasons.push(format!("{joint} is {max} mm off at {at} s, tolerance {limit} mm"));
    }
    let shown = |mm: f64| text::fine_length((mm / 1000.0) as f32);
    for judged in report.judged.iter().filter(|j| j.verdict == Verdict::Fail) {
        let (joint, at) = (&judged.worst.joint, judged.worst.time_secs);
        let (error, limit) = (shown(judged.error_mm), judged.fail_mm.map_or_else(String::new, shown));
        let advice = judged.reason.as_ref().map_or(String::new(), |reason| format!(". {}", reason.advice_words()));
        match judged.by {
            Aspect::Skin => {
                reasons.push(format!("the skin of {joint} is {error} off at {at} s, limit {limit}{advice}"))
            }
            Aspect::Between => {
                reasons.push(format!("{joint} is {error} off between samples at {at} s, limit {limit}{advice}"));
            }
            Aspect::Seam => reasons.push(format!("{joint} jumps by {error} at the seam, limit {limit}{advice}")),
            Aspect::Root => reasons.push(format!("{joint} is {error} off after 100 rounds, limit {limit}{advice}")),
            Aspect::Jitter => reasons.push(format!("{joint} jitters by {error} at {at} s, limit {limit}{advice}")),
            Aspect::Pin => reasons.extend(worst_pin(report).map(|words| format!("{words}, limit {limit}{advice}"))),
            Aspect::Sampling => {
                reasons.push(format!("sampling lost {error} of {joint} at {at} s, limit {limit}{advice}"));
            }
            Aspect::Shell | Aspect::Slide => {} // reported above and below in more detail
            Aspect::Precision => {}             // it never fails
        }
    }
    reasons.extend(report.float_error.iter().filter_map(|row| row.reason.as_ref()).map(|reason| reason.words()));
    let contacts = report.slide.contacts.iter().filter(|p| p.verdict == Verdict::Fail);
    reasons.extend(contacts.map(|p| {
        let slide = shown(p.slide_mm);
        format!("{} slides {slide} while in contact from {} to {} s", p.joint, p.start_secs, p.end_secs)
    }));
    format!("gate: {}, {}: {}", report.clip, report.codec, reasons.join("; "))
}
