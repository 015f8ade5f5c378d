//! Levels of detail of a platform, as reports show them.

use crate::lod::{FARTHEST, LodBy, LodLevel, Platform};
use crate::metrics::Verdict;
use crate::model::Rig;
use crate::pipeline::{LodFault, MeasuredLod};
use crate::report::Screen;
use crate::settings::Choice;
use crate::text::{millimetres, shifted};
use serde::Serialize;

/// A level that starts at the camera is judged at this distance, metres: nearer than any camera of a game.
const NEAREST_M: f32 = 0.05;

/// The numbers of one level of a clip. Lengths of errors are in millimetres, distances in metres.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LodRow {
    pub level: usize,
    /// Distance at which it starts.
    pub from_m: f64,
    /// Size of the character there. `None` for the first level, which starts at the camera.
    pub from_px: Option<f64>,
    /// Frames from one update to the next.
    pub every: usize,
    pub left_out: &'static str,
    /// `None` if the clip has no such level.
    #[serde(flatten)]
    pub measured: Option<LodFigures>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The measurements of one level of a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // named by its keys
pub struct LodFigures {
    /// Number of joints that move.
    pub joints: usize,
    pub bytes: usize,
    /// Microseconds of decoding per frame, in the mean.
    pub decode_us_per_frame: f64,
    pub max_mm: f64,
    pub between_mm: f64,
    /// `None` without contacts.
    pub worst_slide_mm: Option<f64>,
    /// The largest of these errors where the level is seen nearest, pixels.
    pub max_px: f64,
    pub limit_px: f64,
    /// Good if it is within the limit.
    pub verdict: Verdict,
    /// Distance from which it is within the limit.
    pub passes_from_m: f64,
}

/// Distances at which the levels of a platform start for a rig, metres. The first one starts at the camera.
pub fn lod_starts_m(platform: &Platform, rig: &Rig, screen: &Screen) -> Vec<f32> {
    let size_m = rig.size_m();
    let start = |(level, from): (usize, f32)| match platform.by {
        _ if level == 0 => 0.0,
        LodBy::Distance => from,
        LodBy::Pixels => screen.distance_of(size_m, from).min(FARTHEST),
    };
    platform.levels.iter().map(|level| level.from).enumerate().map(start).collect()
}

/// A changed platform whose levels start where those of the platform before it do, even if their unit changed.
pub fn lods_by(before: &Platform, mut now: Platform, rig: &Rig, screen: &Screen) -> Platform {
    if now.by != before.by {
        let starts_m = lod_starts_m(before, rig, screen);
        for (level, start_m) in now.levels.iter_mut().zip(starts_m).skip(1) {
            level.from = match now.by {
                LodBy::Distance => start_m,
                LodBy::Pixels => screen.at(start_m.max(NEAREST_M)).pixels(rig.size_m()).min(FARTHEST),
            };
        }
    }
    now
}

/// The level that plays at a distance from the camera.
pub fn lod_at(starts_m: &[f32], distance_m: f32) -> usize {
    starts_m.iter().rposition(|start_m| *start_m <= distance_m).unwrap_or(0)
}

impl LodRow {
    /// One row per level. The first level is seen nearest at the screen's own distance.
    pub fn of(platform: &Platform, rig: &Rig, screen: &Screen, levels: &[Result<MeasuredLod, LodFault>]) -> Vec<Self> {
        let starts_m = lod_starts_m(platform, rig, screen);
        let size_m = rig.size_m();
        let row = |(level, (settings, measured)): (usize, (&LodLevel, &Result<MeasuredLod, LodFault>))| {
            let from_m = starts_m[level];
            let nearest = screen.at(if level == 0 { screen.distance_m } else { from_m.max(NEAREST_M) });
            let (measured, fault) = match measured {
                Ok(measured) => (Some(LodFigures::of(measured, &nearest, platform.limit_px)), None),
                Err(fault) => (None, Some(fault.to_string())),
            };
            Self {
                level,
                from_m: shifted(from_m, 0),
                from_px: (level > 0).then(|| shifted(nearest.pixels(size_m), 0)),
                every: settings.every.frames(),
                left_out: settings.left_out.option().key,
                measured,
                fault,
            }
        };
        platform.levels.iter().zip(levels).enumerate().map(row).collect()
    }
}

impl LodRow {
    /// The start, in the unit of the platform, from which the level is within its limit. Rounded to the passing side. `None` if it was not
    /// measured, and for the first level.
    pub fn passing_start(&self, by: LodBy) -> Option<f32> {
        let (of, from_px) = (self.measured.as_ref()?, self.from_px?);
        Some(match by {
            LodBy::Distance => (of.passes_from_m * 10.0).ceil().min(f64::from(FARTHEST)) as f32 / 10.0,
            LodBy::Pixels => (from_px * of.limit_px / of.max_px).floor().min(f64::from(FARTHEST)) as f32,
        })
    }
}

/// The platform with each level at the nearest start from which it is within its limit on every clip. `clips` has the rows of each clip.
pub fn fitted_lods<'a>(platform: &Platform, clips: impl IntoIterator<Item = &'a [LodRow]>) -> Platform {
    let by = platform.by;
    let farther = |a: f32, b: f32| if by == LodBy::Distance { a.max(b) } else { a.min(b) };
    let mut fitted = platform.clone();
    let mut starts: Vec<Option<f32>> = vec![None; platform.levels.len()];
    for rows in clips {
        for (start, row) in starts.iter_mut().zip(rows) {
            let known = *start;
            *start = known.into_iter().chain(row.passing_start(by)).reduce(farther);
        }
    }
    let mut before = None;
    for (level, start) in fitted.levels.iter_mut().zip(starts).skip(1) {
        level.from = before.into_iter().chain(start).reduce(farther).unwrap_or(level.from);
        before = Some(level.from);
    }
    fitted
}

impl LodFigures {
    fn of(level: &MeasuredLod, nearest: &Screen, limit_px: f32) -> Self {
        let report = &level.outcome.report;
        let (max_m, between_m) = (level.max_m, level.between_m);
        let slide_m = report.slide.worst_slide_m();
        let error_m = max_m.max(between_m).max(slide_m.unwrap_or(0.0));
        let max_px = nearest.pixels(error_m);
        Self {
            joints: level.joints,
            bytes: level.outcome.bytes(),
            decode_us_per_frame: shifted(level.decode_secs_per_frame, 6),
            max_mm: millimetres(max_m),
            between_mm: millimetres(between_m),
            worst_slide_mm: slide_m.map(millimetres),
            max_px: shifted(max_px, 0),
            limit_px: shifted(limit_px, 0),
            verdict: if max_px <= limit_px { Verdict::Good } else { Verdict::Fail },
            passes_from_m: shifted(nearest.distance_of(error_m, limit_px), 0),
        }
    }
}
