use super::{Between, ExportClip, ExportError, ExportTarget, Exporter, NumberError, Played, PlayedLimits};
use crate::metrics::{ErrorReport, StepTimes, Verdict, Worst, measure_played};
use crate::model::{Clip, ClipSampler, Rig, Sampler};
use crate::text;
use rayon::prelude::*;

/// A written file, and how far its clips are from their sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// What the file holds.
    pub bytes: Vec<u8>,
    /// One per clip; nothing for a file of the rig alone.
    pub clips: Vec<PlayedClip>,
}

/// A clip of a written file against its source.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedClip {
    /// Name in the file.
    pub name: String,
    /// Name of the joint that is furthest off.
    pub joint: String,
    /// Measured on what players of the format make of the file.
    pub report: ErrorReport,
    /// What the format has between samples.
    pub between: Between,
    /// What the numbers of the format alone cost that joint; `None` where it holds what we hold.
    pub numbers: Option<NumberError>,
}

impl PlayedClip {
    /// A clip whose bytes were measured when they were made.
    pub fn measured(name: &str, rig: &Rig, report: ErrorReport) -> Self {
        let joint = rig.skeleton.name(report.samples.worst.joint).to_owned();
        Self { name: name.to_owned(), joint, report, between: Between::Same, numbers: None }
    }

    /// The largest error at the samples, or between them where that one alone is over its limit.
    pub fn worst(&self) -> Worst {
        worst_of(&self.report, self.between)
    }

    /// True when every sample is within the tolerance, and nothing fails between them that keys can change.
    pub fn is_within(&self) -> bool {
        self.report.within() && !fails_between(&self.report, self.between)
    }

    /// How far off it is at most, in words.
    pub fn summary(&self) -> String {
        let Worst { error_m, time_secs, .. } = self.worst();
        let between_m = self.report.between.worst.error_m;
        let between = match self.between {
            Between::Nothing => String::new(),
            _ => format!(", between samples {}", text::length(between_m)),
        };
        format!("{} off at most, {} of '{}' at {time_secs:.2} s{between}", text::length(error_m), self.joint, self.name)
    }

    /// What is wrong, and what to do; `None` where nothing is.
    pub fn complaint(&self) -> Option<String> {
        if self.is_within() {
            return None;
        }
        let (worst, limit) = (self.worst(), text::length(self.report.tolerance_m));
        let place = if self.report.within() { " between samples" } else { "" };
        let off = format!(
            "clip '{}': {} is {} off{place} at {:.2} s as the file plays, tolerance {limit}",
            self.name,
            self.joint,
            text::length(worst.error_m),
            worst.time_secs
        );
        Some(match &self.numbers {
            Some(numbers) if numbers.explains(worst.error_m) => format!("{off}. {numbers}"),
            // Players of the format turn joints as ours do at the samples alone.
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

/// Writes rig and clips, plays what was written and measures it against the clips' sources.
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

/// Measures the clips of a file, as it plays, against their sources.
pub fn measure_file(
    exporter: &dyn Exporter,
    rig: &Rig,
    clips: &[ExportClip<'_>],
    players: Vec<Played>,
) -> Vec<PlayedClip> {
    // Samplers of clips are not shared between threads: what is measured is taken out first.
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

/// What a played clip is measured against.
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
        let PlayedLimits { tolerance_m, limits, weights, sub_frames } = self.limits;
        let sub_frames = if played.between == Between::Nothing { 1 } else { sub_frames.max(1) };
        let times = StepTimes { grid: self.source.grid(), sub_frames };
        let mut raw = ClipSampler::new(self.source);
        let both: [&mut dyn Sampler; 2] = [&mut raw, &mut *played.sampler];
        let floats = self.source.float_tracks();
        let report = measure_played(&rig.skeleton, both, times, floats, self.shells_m, tolerance_m);
        let report = ErrorReport { limits, ..report };
        match weights {
            Some(weights) => report.weighed(weights, times),
            None => report,
        }
    }
}
