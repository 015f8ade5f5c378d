//! Clips that end where they begin, stored without their last sample.

use super::encode::{Steps, played_error_m, unreadable};
use super::{ClipHeader, EncodeError, Encoder, GroupStorage, ParamValues, Source};
use crate::metrics::{MOST_TIMES_MEAN, Promise};
use crate::model::{Clip, ModelPose};
use posepress_runtime::internal::{ClipSections, HeldIntervals};
use posepress_runtime::{DecodeError, Opened, Player};
use std::iter::once;

/// Largest error between the last two samples of a loop, in tolerances.
const BETWEEN: f32 = 1.02;

/// The clip without its last sample, or `None` if the last sample must be stored.
///
/// The last sample can go if the clip ends where it begins, marked as a loop or not. A codec that guarantees the tolerance needs first and
/// last pose within the tolerance of each other; any other codec needs them equal bit for bit. The decoded bytes must pass
/// [`holds_the_seam`] as well.
pub fn stored_part(codec: &dyn Encoder, source: &Source<'_>, values: &ParamValues) -> Option<Clip> {
    let clip = source.clip;
    let keeps_last =
        |kept: &GroupStorage| matches!(kept, GroupStorage::ExactlyWithin(samples) if samples.end >= clip.samples());
    let is_needed = !codec.leaves_out_last(values) || source.groups.iter().any(|group| keeps_last(&group.kept));
    if is_needed || !clip.can_loop() || !moves(clip) {
        return None;
    }
    let loses = !codec.loses_nothing() && is_promised(codec, source, values);
    let meets = if loses { meets_within(source) } else { meets_to_the_bit(clip) };
    meets.then(|| clip.without_last())
}

/// True if the decoded joints must stay within the tolerance.
fn is_promised(codec: &dyn Encoder, source: &Source<'_>, values: &ParamValues) -> bool {
    codec.promises_with(values) && !source.has_groups()
}

fn moves(clip: &Clip) -> bool {
    (1..clip.samples()).any(|sample| clip.pose(sample) != clip.pose(0))
}

fn meets_within(source: &Source<'_>) -> bool {
    let (clip, last) = (source.clip, source.clip.samples() - 1);
    let [start, end] = [0, last].map(|sample| ModelPose::new(source.skeleton, clip.pose(sample)));
    let mut pairs = start.joints.iter().zip(&end.joints).enumerate();
    pairs.all(|(joint, (start, end))| source.error_sq(last, joint, end, start) <= source.tolerance_m.powi(2))
}

fn meets_to_the_bit(clip: &Clip) -> bool {
    let bits = |sample: usize| clip.pose(sample).iter().map(|t| t.numbers().map(f32::to_bits));
    bits(0).eq(bits(clip.samples() - 1))
}

/// True if the bytes without the last sample keep the tolerance at that sample and on the way to it. Always true for codecs without a
/// guarantee: the first sample serves them as well as the last.
///
/// # Errors
/// [`EncodeError::Unsupported`] if the codec cannot read its own bytes.
pub fn holds_the_seam(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    bytes: &[u8],
) -> Result<bool, EncodeError> {
    if !is_promised(codec, source, values) {
        return Ok(true);
    }
    let last = source.clip.samples() - 1;
    let clip = source.clip.stretch(last - 1..last + 1);
    let steps = Steps::new(&clip, true)?;
    let seam = steps.source(&Source { clip: &clip, weights: source.weights.stretch(last - 1), ..*source });
    let sections = ClipSections::read(bytes).map_err(|e| unreadable(codec, &e))?;
    // Stepped intervals are stored separately, and an additive clip is measured with its carrier.
    let header = ClipHeader { additive: false, ..sections.header };
    let sections = ClipSections { holds: HeldIntervals::default(), scale_offsets: Vec::new(), header, ..sections };
    let bind = source.skeleton.shared_bind().map_err(DecodeError::from);
    let opened = bind.and_then(|bind| Opened::from_sections(codec.id(), bytes, sections, &bind));
    let opened = opened.map_err(|e| unreadable(codec, &e))?;
    let mut player = Player::new(Box::new(opened)).map_err(|e| unreadable(codec, &e.into()))?;
    let mut error_m = |step: usize, place: f64| played_error_m(&mut player, step, once(place), &seam);
    let (between_m, last_m) = (error_m(1, last as f64 - 0.5), error_m(2, last as f64));
    let tolerance_m = source.tolerance_m;
    Ok(match source.promise {
        Promise::Largest => last_m <= tolerance_m && between_m <= BETWEEN * tolerance_m,
        Promise::Mean => {
            let bounded_m = played_error_m(&mut player, 0, header.grid.steps(1), source);
            bounded_m <= tolerance_m && between_m <= BETWEEN * MOST_TIMES_MEAN * tolerance_m
        }
    })
}

/// The tolerance for the samples without the last, which has the error of the first again. A mean stays within the tolerance if that error
/// is at most twice as large.
pub fn tolerance_without_last_m(source: &Source<'_>) -> f32 {
    match source.promise {
        Promise::Largest => source.tolerance_m,
        Promise::Mean => source.tolerance_m * (1.0 - 1.0 / (source.clip.samples() - 1) as f32),
    }
}
