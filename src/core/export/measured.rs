use super::{Between, ExportClip, ExportError, ExportTarget, Exporter, NumberError, Played, PlayedLimits};
use crate::metrics::{ErrorReport, StepTimes, Verdict, Worst, measure_played};
use crate::model::{Clip, ClipSampler, Rig, Sampler};
use crate::text;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A written file with the errors of its clips.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// Bytes of the file.
    pub bytes: Vec<u8>,
    /// One entry per clip; empty for a file with only the rig.
    pub clips: Vec<PlayedClip>,
}

/// The error of a clip of a written file against its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedClip {
    /// Name in the file.
    pub name: String,
    /// Name of the joint with the largest error.
    pub joint: String,
    /// The error as players of the format play the file.
    pub report: ErrorReport,
    /// Behaviour of the format between samples.
    pub between: Between,
    /// Error of that joint from the number format alone; `None` if the format stores float32.
    pub numbers: Option<NumberError>,
}

impl PlayedClip {
    /// A clip that was measured when it was compressed.
    pub fn measured(name: &str, rig: &Rig, report: ErrorReport) -> Self {
        let joint = rig.skeleton.name(report.samples.worst.joint).to_owned();
        Self { name: name.to_owned(), joint, report, between: Between::Same, numbers: None }
    }

    /// The largest error at the samples, or between them if only that one is over its limit.
    pub fn worst(&self) -> Worst {
        worst_of(&self.report, self.between)
    }

    /// True if every sample is within the tolerance, and errors between samples that keys can reduce are within their limit.
    pub fn is_within(&self) -> bool {
        self.report.within() && !fails_between(&self.report, self.between)
    }

    /// The largest error in words.
    pub fn summary(&self) -> String {
        let Worst { error_m, time_secs, .. } = self.worst();
        let between_m = self.report.between.worst.error_m;
        let between = match self.between {
            Between::Nothing => String::new(),
            _ => format!(", between samples {}", text::length(between_m)),
        };
        format!(
            "largest error {}, {} of '{}' at {time_secs:.2} s{between}",
            text::length(error_m),
            self.joint,
            self.name
        )
    }

    /// The problem and advice; `None` without a problem.
    pub fn complaint(&self) -> Option<String> {
        if self.is_within() {
            return None;
        }
        let (worst, limit) = (self.worst(), text::length(self.report.tolerance_m));
        let place = if self.report.within() { " between samples" } else { "" };
        let off = format!(
            "clip '{}': in the file, {} has an error of {}{place} at {:.2} s, tolerance {limit}",
            self.name,
            self.joint,
            text::length(worst.error_m),
            worst.time_secs
        );
        Some(match &self.numbers {
            Some(numbers) if numbers.explains(worst.error_m) => format!("{off}. {numbers}"),
            // Players of the format agree with ours only at the samples.
            _ if self.report.within() => format!("{off}. Read the source at a higher rate, or lower the tolerance"),
            _ => format!("{off}. Export it as GLB, or raise the tolerance"),
        })
    }
}

fn fails_between(report: &ErrorReport, between: Between) -> bool {
    between == Between::Same && report.verdict() == Verdict::Fail
}

fn worst_of(report: &ErrorReport, between: Between) -> Worst {
    if report.within() && fails_between(report, between) { report.between.worst } else { report.samples.worst }
}

/// Writes rig and clips, plays the written bytes and measures them against the sources.
///
/// # Errors
/// See [`ExportError`].
pub fn export_measured(
    exporter: &dyn Exporter,
    rig: &Rig,
    clips: &mut [ExportClip<'_>],
    target: &ExportTarget,
) -> Result<Exported, ExportError> {
    let bytes = exporter.export(rig, clips, target)?;
    let players = exporter.play(&bytes, rig, clips, target)?;
    Ok(Exported { bytes, clips: measure_file(exporter, rig, clips, players) })
}

/// Measures the played clips of a file against their sources.
pub fn measure_file(
    exporter: &dyn Exporter,
    rig: &Rig,
    clips: &[ExportClip<'_>],
    players: Vec<Played>,
) -> Vec<PlayedClip> {
    // Clip samplers cannot be shared between threads, so the measured parts are taken out first.
    let sides: Vec<(Side<'_>, Played)> = clips.iter().map(Side::of).zip(players).collect();
    let betweens: Vec<Between> = sides.iter().map(|(_, played)| played.between).collect();
    let reports: Vec<ErrorReport> = sides.into_par_iter().map(|(side, played)| side.measure(rig, played)).collect();
    let measured = |((clip, between), report): ((&ExportClip<'_>, Between), ErrorReport)| {
        let worst = worst_of(&report, between);
        let joint = rig.skeleton.name(worst.joint).to_owned();
        let numbers = exporter.number_error(rig, clip, worst.joint);
        PlayedClip { name: clip.name.clone(), joint, report, between, numbers }
    };
    clips.iter().zip(betweens).zip(reports).map(measured).collect()
}

/// The reference of a played clip.
struct Side<'a> {
    source: &'a Clip,
    shells_m: &'a [f32],
    limits: PlayedLimits,
}

impl<'a> Side<'a> {
    fn of(clip: &'a ExportClip<'_>) -> Self {
        Self { source: clip.source, shells_m: &clip.shells_m, limits: clip.limits.clone() }
    }

    fn measure(self, rig: &Rig, mut played: Played) -> ErrorReport {
        let PlayedLimits { tolerance_m, promise, limits, weights, sub_frames } = self.limits;
        let sub_frames = if played.between == Between::Nothing { 1 } else { sub_frames.max(1) };
        let times = StepTimes { grid: self.source.grid(), sub_frames };
        let mut raw = ClipSampler::new(self.source);
        let both: [&mut dyn Sampler; 2] = [&mut raw, &mut *played.sampler];
        let floats = self.source.float_tracks();
        let report = measure_played(&rig.skeleton, both, times, floats, self.shells_m, tolerance_m);
        let report = ErrorReport { limits, ..report };
        let report = match weights {
            Some(weights) => report.weighed(weights, times),
            None => report,
        };
        report.promising(promise)
    }
}
