//! Studies: sizes and errors of recipes on all clips, for choosing one.

mod limits;

pub use limits::{StudyGoal, StudyLimit, StudyLimits};

use crate::codecs::{CODECS, Cancelled, Codec, LOSSLESS, Progress};
use crate::export::ExportRecipes;
use crate::metrics::Verdict;
use crate::model::{Clip, Rig};
use crate::pipeline::{
    Asked, CompressError, FilePart, FileSize, KnownNumbers, MeasuredClip, Outcome, StoredClip, compress, guard,
    known_or,
};
use crate::recipe::{ENGINE_PRESETS, EnginePreset, Recipe};
use crate::report::{ClipReport, DecidedFigures, Totals};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Clips with their rigs.
pub type StudiedClips = Arc<[(Arc<Rig>, Arc<Clip>)]>;

/// A recipe in a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Studied {
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// The engine preset that the recipe comes from, if any.
    pub engine: Option<&'static EnginePreset>,
}

impl Studied {
    /// Its title.
    pub fn title(&self) -> String {
        self.engine.map_or_else(|| self.recipe.title(), |engine| engine.name.to_owned())
    }
}

/// The result of a recipe on all clips.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyPoint {
    /// The recipe.
    pub of: Studied,
    /// Sums of bytes, worst errors and verdicts over all clips.
    pub totals: Totals,
    /// Results per clip, in the order of the clips.
    pub clips: Vec<ClipFigures>,
    /// Mean time to decode one joint of a pose during sequential playback, seconds. The time of a clip is that of the run that compressed it.
    pub decode_secs_per_joint: f64,
    /// The largest jump at the seam of a looping clip, in addition to the original's jump, metres. `None` if no clip loops.
    pub seam_pop_m: Option<f32>,
}

/// The result of a recipe on one clip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClipFigures {
    /// Bytes and errors.
    pub figures: DecidedFigures,
    /// The verdict on everything that is judged.
    pub verdict: Verdict,
}

impl ClipFigures {
    /// The result in a report.
    pub fn of(report: &ClipReport) -> Self {
        Self { figures: DecidedFigures::of(report), verdict: report.verdict }
    }

    /// Adds two results: the sum of the sizes, the worst of the rest.
    pub fn with(self, other: Self) -> Self {
        let (a, b) = (self.figures, other.figures);
        let larger = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        let figures = DecidedFigures {
            bytes: a.bytes + b.bytes,
            error_mm: a.error_mm.max(b.error_mm),
            skin_mm: larger(a.skin_mm, b.skin_mm),
            slide_mm: larger(a.slide_mm, b.slide_mm),
        };
        Self { figures, verdict: self.verdict.max(other.verdict) }
    }
}

/// Tolerances to try, as multiples of the recipe's. The recipe's own comes first, so that every codec appears early.
static FACTORS: [f32; 5] = [1.0, 2.0, 0.5, 5.0, 0.2];

/// Recipes to compare with the first of `slots`: the others of `slots`, every codec that searches under the tolerance, at tolerances around
/// the first recipe's, and the engine presets. Each recipe once.
pub fn study_recipes(slots: &[&Recipe]) -> Vec<Studied> {
    let Some((of, others)) = slots.split_first() else { return Vec::new() };
    let mut all = around(of);
    let others = others.iter().map(|recipe| Studied { recipe: Arc::new(Recipe::clone(recipe)), engine: None });
    for other in others.rev() {
        if !all.iter().any(|known| known.recipe == other.recipe) {
            all.insert(1.min(all.len()), other);
        }
    }
    all
}

/// Factor between tolerances in the search for a recipe that passes.
const FINER: f32 = 0.4;
/// The search for a recipe that passes stops below this tolerance, metres.
const FINEST_M: f32 = 2e-5;

/// One more recipe, if no codec of ours passes on all clips: the most accurate of `press` so far, with a smaller tolerance.
pub fn finer_recipe(points: &[StudyPoint]) -> Option<Studied> {
    let ours = || points.iter().filter(|point| point.of.engine.is_none());
    if ours().any(|point| point.totals.verdict() == Verdict::Good) {
        return None;
    }
    let of_press = ours().filter(|point| point.of.recipe.codec == Recipe::default().codec);
    let finest = of_press.min_by(|a, b| a.of.recipe.tolerance_m.total_cmp(&b.of.recipe.tolerance_m))?;
    let recipe = Recipe { tolerance_m: FINER * finest.of.recipe.tolerance_m, ..Recipe::clone(&finest.of.recipe) };
    let is_coarse = recipe.tolerance_m >= FINEST_M;
    Some(Studied { recipe: Arc::new(recipe.validated().ok().filter(|_| is_coarse)?), engine: None })
}

fn around(of: &Recipe) -> Vec<Studied> {
    let plain = Recipe::default();
    let searches = |codec: &&dyn Codec| codec.encoder().is_some() && codec.promises_with(&plain.values);
    // A lossless codec has the same size at every tolerance.
    let codecs = CODECS.iter().copied().filter(|codec| searches(codec) && codec.id() != LOSSLESS.id());
    let codecs: Vec<_> = codecs.collect();
    let with = |codec, factor: f32| {
        let mut recipe = of.clone();
        if codec != of.codec {
            recipe.use_codec(codec);
        }
        recipe.tolerance_m *= factor;
        Some(Studied { recipe: Arc::new(recipe.validated().ok()?), engine: None })
    };
    let around = |factors: &'static [f32]| {
        let codecs = codecs.clone();
        factors.iter().flat_map(move |factor| codecs.clone().into_iter().map(move |codec| (codec, *factor)))
    };
    let preset = |engine: &'static EnginePreset| {
        Some(Studied { recipe: Arc::new(engine.recipe(of).ok()?), engine: Some(engine) })
    };
    let ours = |(codec, factor)| with(codec, factor);
    let (own, others) = FACTORS.split_at(1);
    let first = around(own).filter_map(ours);
    first.chain(ENGINE_PRESETS.iter().filter_map(preset)).chain(around(others).filter_map(ours)).collect()
}

/// The kind of the numbers of a study.
const STUDY: &str = "study";

/// Sums up the results of a recipe on clips: those that are known, and those of the clips that it compresses.
///
/// # Errors
/// Returns the name and the error of a clip that cannot be compressed.
pub fn study(
    clips: &StudiedClips,
    of: &Studied,
    known: &dyn KnownNumbers,
    progress: &Progress,
) -> Result<StudyPoint, (String, CompressError)> {
    let (recipe, done) = (&of.recipe, AtomicUsize::new(0));
    let measure = |(at, (rig, clip)): (usize, &(Arc<Rig>, Arc<Clip>))| {
        let failed = |error| (clip.name().to_owned(), error);
        progress.check().map_err(|stop: Cancelled| failed(CompressError::Encode(stop.into())))?;
        let asked = Asked { kind: STUDY, clip: at, recipe, tolerance_m: recipe.tolerance_m };
        let found = known_or(known, &asked, || guard(|| StudiedClip::measure(rig, clip, recipe, progress)));
        progress.set_fraction((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / clips.len() as f32);
        found.map_err(failed)
    };
    let found: Vec<StudiedClip> = clips.par_iter().enumerate().map(measure).collect::<Result<_, _>>()?;
    let mut totals = Totals::of_clips(clips.len());
    found.iter().for_each(|clip| totals.join(&clip.totals));
    totals.other_bytes = other_bytes(clips, &found, recipe);
    let sum = |of: fn(&StudiedClip) -> f64| found.iter().map(of).sum::<f64>();
    Ok(StudyPoint {
        of: of.clone(),
        totals,
        clips: found.iter().map(|clip| clip.figures).collect(),
        decode_secs_per_joint: sum(|clip| clip.decode_secs) / sum(|clip| clip.decoded_joints).max(1.0),
        seam_pop_m: found.iter().filter_map(|clip| clip.seam_pop_m).reduce(f32::max),
    })
}

/// Size of containers besides their clips. Clips of one rig share a container.
fn other_bytes(clips: &StudiedClips, found: &[StudiedClip], recipe: &Recipe) -> usize {
    let mut rigs: Vec<*const Rig> = Vec::new();
    let stored: Vec<_> = found.iter().map(|of| StoredClip::with(of.codec, recipe, of.rig_bytes)).collect();
    let parts = clips.iter().zip(found).zip(&stored).map(|(((rig, clip), found), stored)| {
        let of = Arc::as_ptr(rig);
        let file = rigs.iter().position(|known| *known == of).unwrap_or_else(|| {
            rigs.push(of);
            rigs.len() - 1
        });
        let clip = stored.listed(clip.name(), found.totals.bytes, ExportRecipes::Kept.are_kept());
        FilePart { file, rig_bytes: found.rig_bytes, float_names: &rig.float_names, clip }
    });
    FileSize::of(&parts.collect::<Vec<_>>()).other_bytes
}

/// The numbers of one clip that a study sums up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StudiedClip {
    /// Sums for this clip alone.
    totals: Totals,
    figures: ClipFigures,
    codec: [u8; 4],
    /// Size of its rig in a container.
    rig_bytes: usize,
    /// Decoding time of all poses.
    decode_secs: f64,
    /// Number of joints in all poses.
    decoded_joints: f64,
    seam_pop_m: Option<f32>,
}

impl StudiedClip {
    fn measure(rig: &Arc<Rig>, clip: &Arc<Clip>, recipe: &Recipe, progress: &Progress) -> Result<Self, CompressError> {
        let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
        let outcome = compress(&source, recipe, &progress.part())?;
        Ok(Self::of(&source, &outcome))
    }

    fn of(source: &MeasuredClip, outcome: &Outcome) -> Self {
        let report = ClipReport::new("", source.clip.name(), source, outcome);
        let mut totals = Totals::default();
        totals.add(&report, true);
        let stored = report.stored.as_ref();
        let (codec, rig_bytes) = stored.map_or(([0; 4], 0), |stored| (stored.codec, stored.rig_bytes));
        let poses = source.clip.samples() as f64;
        let secs_per_pose = outcome.encoding().map_or(0.0, |made| f64::from(made.decode_secs_per_pose));
        Self {
            totals,
            figures: ClipFigures::of(&report),
            codec,
            rig_bytes,
            decode_secs: poses * secs_per_pose,
            decoded_joints: poses * source.clip.joints() as f64,
            seam_pop_m: source.clip.is_looping().then_some(outcome.report.motion.seam_pop_m),
        }
    }
}
