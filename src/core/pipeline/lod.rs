//! Clips at the levels of detail of a platform, measured as a game plays them.

use crate::clock::Instant;
use crate::codecs::{Progress, seen};
use crate::lod::{LodLevel, LodPlay, Platform};
use crate::metrics::{ModelTrack, Open, ShellReport};
use crate::model::{Pose, Rig, TimeGrid};
use crate::pipeline::measure::measured;
use crate::pipeline::outcome_bytes::MaskedPlayer;
use crate::pipeline::{Encoding, Made, MeasuredClip, Outcome, OutcomeRecord, TierFault, TierSettings, tier_levels};
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// A clip at a level of detail.
#[derive(Debug, Clone)]
pub struct MeasuredLod {
    /// Its bytes at that level, and its errors as it is played.
    pub outcome: Outcome,
    /// Number of joints that move.
    pub joints: usize,
    /// Largest shell errors of joints that move vertices, at samples and between them, metres. Without a mesh, of all joints.
    pub max_m: f32,
    /// See [`Self::max_m`].
    pub between_m: f32,
    /// Mean time of decoding per frame of the game, one thread, in order. Blending is not in it.
    pub decode_secs_per_frame: f32,
}

/// A [`MeasuredLod`] as plain data.
#[derive(Debug, Serialize, Deserialize)]
pub struct LodRecord {
    outcome: OutcomeRecord,
    /// The tolerance of its recipe.
    tolerance_m: f32,
    joints: usize,
    max_m: f32,
    between_m: f32,
    decode_secs_per_frame: f32,
}

impl LodRecord {
    /// The record of a level.
    pub fn of(lod: &MeasuredLod) -> Option<Self> {
        let MeasuredLod { outcome, joints, max_m, between_m, decode_secs_per_frame } = lod;
        let (joints, max_m, between_m, decode_secs_per_frame) = (*joints, *max_m, *between_m, *decode_secs_per_frame);
        let encoding = Encoding { lod: None, ..outcome.encoding()?.clone() };
        let record = OutcomeRecord::of(&Outcome { made: Made::Here(encoding), ..outcome.clone() })?;
        let tolerance_m = outcome.recipe.tolerance_m;
        Some(Self { outcome: record, tolerance_m, joints, max_m, between_m, decode_secs_per_frame })
    }

    /// The level. `None` if it is of another clip.
    pub fn level(
        self,
        source: &MeasuredClip,
        recipe: &Recipe,
        (platform, level): (&Platform, &LodLevel),
    ) -> Option<MeasuredLod> {
        let Self { outcome, tolerance_m, joints, max_m, between_m, decode_secs_per_frame } = self;
        let of = outcome.outcome(source, &Recipe { tolerance_m, ..recipe.clone() })?;
        let play = Some(Arc::new(LodPlay::new(platform, level, &source.rig)));
        let encoding = Encoding { lod: play, ..of.encoding()?.clone() };
        let of = Outcome { made: Made::Here(encoding), ..of };
        let decoded = Arc::new(track(source, &of, ModelTrack::asked));
        let outcome = Outcome { decoded, ..of };
        Some(MeasuredLod { outcome, joints, max_m, between_m, decode_secs_per_frame })
    }
}

/// The matrices of a clip as it is played at a level.
fn track(
    source: &MeasuredClip,
    of: &Outcome,
    make: fn(Arc<Rig>, Open, TimeGrid, usize, usize) -> ModelTrack,
) -> ModelTrack {
    let (played, steps) = (of.clone(), source.raw.sub_frames());
    let open: Open = Box::new(move || played.sampler());
    make(source.rig.clone(), open, source.clip.grid(), steps, source.clip.float_tracks())
}

/// Why a clip has no such level.
#[derive(Debug, Clone, Error)]
pub enum LodFault {
    /// Tiers are left out of a clip that has none.
    #[error(transparent)]
    Tier(Arc<TierFault>),
    /// More tiers are left out than the settings make.
    #[error("has no such tiers; turn tiers on, or leave none out")]
    NoTiers,
    /// Another tool made the result.
    #[error("was made by another tool; levels of detail play results of this program")]
    External,
}

/// Measures a clip at every level of a platform, without the error on the skin. All levels are judged by the limits of the recipe.
pub fn measure_lods(
    source: &MeasuredClip,
    outcome: &Outcome,
    (platform, tiers): (&Platform, &TierSettings),
    progress: &Progress,
) -> Vec<Result<MeasuredLod, LodFault>> {
    let leaves_out = platform.levels.iter().any(|level| level.left_out.count() > 0) && tiers.on;
    let tiered = leaves_out.then(|| tier_levels(source, outcome, tiers, progress).map_err(Arc::new));
    let measure = |level: &LodLevel| {
        let bytes = match (level.left_out.count(), &tiered) {
            (0, _) => outcome,
            (_, None) => return Err(LodFault::NoTiers),
            (_, Some(Err(fault))) => return Err(LodFault::Tier(fault.clone())),
            (count, Some(Ok(levels))) => &levels.get(count).ok_or(LodFault::NoTiers)?.outcome,
        };
        at_level(source, bytes, platform, level)
    };
    platform.levels.iter().map(measure).collect()
}

fn at_level(
    source: &MeasuredClip,
    bytes: &Outcome,
    platform: &Platform,
    level: &LodLevel,
) -> Result<MeasuredLod, LodFault> {
    let encoding = bytes.encoding().ok_or(LodFault::External)?;
    let play = Arc::new(LodPlay::new(platform, level, &source.rig));
    let decode_secs_per_frame = decode_secs_per_frame(encoding, &play, platform);
    let encoding = Encoding { lod: Some(play.clone()), ..encoding.clone() };
    let of = Outcome { made: Made::Here(encoding), ..bytes.clone() };
    let decoded = track(source, &of, ModelTrack::sampled_by);
    let mut outcome = measured(source, &of.recipe, of.made, Arc::new(decoded));
    outcome.report.limits = of.report.limits;
    let joints = source.rig.skeleton.len() - play.still_joints();
    let [max_m, between_m] = seen_m(source, &outcome);
    Ok(MeasuredLod { outcome, joints, max_m, between_m, decode_secs_per_frame })
}

/// The largest shell errors of joints that move vertices: helpers of a rig are not drawn, and may stand still.
fn seen_m(source: &MeasuredClip, outcome: &Outcome) -> [f32; 2] {
    let reach_m = source.rig.reach_m();
    let has_mesh = reach_m.iter().any(|reach_m| *reach_m > 0.0);
    let largest = |report: &ShellReport| {
        let joints = report.per_joint.iter().zip(&reach_m).filter(|(_, reach_m)| !has_mesh || **reach_m > 0.0);
        joints.map(|(joint, _)| joint.max_m).fold(0.0, f32::max)
    };
    [&outcome.report.samples, &outcome.report.between].map(largest)
}

/// The clip is decoded again and again for this long. The fastest time counts.
const TIMED: Duration = Duration::from_millis(2);

/// Mean time of decoding an update, spread over the frames from one to the next.
fn decode_secs_per_frame(encoding: &Encoding, play: &LodPlay, platform: &Platform) -> f32 {
    let grid = encoding.of.grid();
    let frame_secs = 1.0 / f64::from(platform.frame_rate_hz);
    let update_secs = play.update_secs(frame_secs);
    let mut player = seen(MaskedPlayer::new(encoding.opened.clone(), play.mask()), &encoding.of);
    let mut pose = Pose::with_size(encoding.of.joints(), encoding.of.float_tracks());
    let places: Vec<f64> = (0..)
        .map(|update| f64::from(update) * update_secs)
        .take_while(|secs| *secs <= f64::from(grid.duration_secs()))
        .map(|secs| grid.sample_at(secs as f32))
        .collect();
    let (started, mut fastest) = (Instant::now(), Duration::MAX);
    while fastest == Duration::MAX || started.elapsed() < TIMED {
        let began = Instant::now();
        places.iter().for_each(|at_sample| player.sample(*at_sample, &mut pose));
        fastest = fastest.min(began.elapsed());
    }
    (fastest.as_secs_f64() / places.len() as f64 * frame_secs / update_secs) as f32
}
