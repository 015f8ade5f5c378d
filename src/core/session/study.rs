//! What recipes come to on all clips: sizes against errors, to choose from.

use super::{ClipReport, CompressError, MeasuredClip, Recipe, Totals, compress};
use crate::codecs::{CODECS, Cancelled, Codec, LOSSLESS, Progress};
use crate::model::{Clip, Rig};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Clips with their rigs.
pub type StudiedClips = Arc<[(Arc<Rig>, Arc<Clip>)]>;

/// What a recipe comes to on all clips.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyPoint {
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// Bytes, worst errors and verdicts of all clips.
    pub totals: Totals,
    /// Time that the encoders took, seconds, of all clips one after the other.
    pub encode_secs: f32,
}

/// Tolerances that are tried, as parts of the recipe's own: its own first, so that every codec is seen soon.
const FACTORS: [f32; 5] = [1.0, 2.0, 0.5, 5.0, 0.2];

/// Recipes to compare with one: every codec that searches under the tolerance, at tolerances around the recipe's own.
pub fn study_recipes(of: &Recipe) -> Vec<Arc<Recipe>> {
    let plain = Recipe::default();
    let searches = |codec: &&dyn Codec| codec.encoder().is_some() && codec.promises_with(&plain.values);
    // What is lossless has one size at every tolerance.
    let codecs = CODECS.iter().copied().filter(|codec| searches(codec) && codec.id() != LOSSLESS.id());
    let with = |codec, factor: f32| {
        let mut recipe = of.clone();
        if codec != of.codec {
            recipe.use_codec(codec);
        }
        recipe.tolerance_m *= factor;
        recipe.validated().ok().map(Arc::new)
    };
    let codecs: Vec<_> = codecs.collect();
    FACTORS.into_iter().flat_map(|factor| codecs.iter().filter_map(move |codec| with(*codec, factor))).collect()
}

/// Compresses clips with a recipe, and adds up what they come to.
///
/// # Errors
/// The first clip's that cannot be compressed, with its name.
pub fn study(
    clips: &StudiedClips,
    recipe: &Arc<Recipe>,
    progress: &Progress,
) -> Result<StudyPoint, (String, CompressError)> {
    let done = AtomicUsize::new(0);
    let measure = |(rig, clip): &(Arc<Rig>, Arc<Clip>)| {
        let failed = |error| (clip.name().to_owned(), error);
        progress.check().map_err(|stop: Cancelled| failed(CompressError::Encode(stop.into())))?;
        let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
        let outcome = compress(&source, recipe, &progress.part()).map_err(failed)?;
        progress.set_fraction((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / clips.len() as f32);
        let encode_secs = outcome.encoding().map_or(0.0, |made| made.encode_secs);
        Ok((ClipReport::new("", clip.name(), &source, &outcome), encode_secs))
    };
    let measured: Vec<_> = clips.par_iter().map(measure).collect::<Result<_, _>>()?;
    let mut totals = Totals::of_clips(clips.len());
    measured.iter().for_each(|(report, _)| totals.add(report, true));
    let encode_secs = measured.iter().map(|(_, secs)| secs).sum();
    Ok(StudyPoint { recipe: recipe.clone(), totals, encode_secs })
}
