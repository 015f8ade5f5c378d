//! Variable bit rates (Animation Compression: Advanced Quantization): in every segment, each track takes as few bits per number as the
//! tolerance allows.

use posepress_runtime::internal::codecs::variable_rate as decode;

mod pack;
mod params;
mod search;
mod steps;
mod steps_pack;
mod tracks;

use super::encode::{
    CLOSE_AIM, Hierarchy, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, Trial, all_animated, check_usable, classify,
};
use super::runtime::{Rate, Segments};
use super::{Cancelled, Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::math::Transform;
use decode::{Granularity, RangeReduction};
use params::{PARAMS, PRESETS, Settings};
use rayon::prelude::*;
use search::Search;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracks::{SegmentTrack, Track, animated_tracks};

/// Stores as few bits per track and segment as the tolerance allows.
#[derive(Debug)]
pub struct VariableRate;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"VBR1"),
    name: "variable-rate",
    summary: "Every sample. Each track takes as few bits per segment as the tolerance allows.",
    source: "Animation Compression: Advanced Quantization",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for VariableRate {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for VariableRate {
    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let settings = Settings::new(values);
        if settings.layout.range == RangeReduction::Steps {
            return steps::encode(self, source, &settings, progress);
        }
        let mut trivial_share = SEARCHED_TRIVIAL_SHARE;
        let search = ToleranceLoop { codec: self, source, dense: source, stride: 1, aim: CLOSE_AIM };
        let found = search.run(progress, |limit_m| {
            let found = attempt(source, &settings, limit_m, trivial_share, progress)?;
            if found.is_some() || trivial_share == 0.0 {
                return Ok(found);
            }
            // The removed tracks alone exceed the limit.
            trivial_share = 0.0;
            Ok(attempt(source, &settings, limit_m, trivial_share, progress)?)
        })?;
        Ok(found.unwrap_or_else(|| exact(source, &settings)))
    }
}

/// One search over all segments. `None` if a segment has no rates within the limit.
fn attempt(
    source: &Source<'_>,
    settings: &Settings,
    limit_m: f32,
    trivial_share: f32,
    progress: &Progress,
) -> Result<Option<Encoded>, Cancelled> {
    let trivial = settings.trivial.within(source.tolerance_m * trivial_share);
    let table = classify(source, &trivial, progress)?;
    let tracks = animated_tracks(source.clip, &table, &settings.layout, settings.dropped);
    let segments = Segments::new(source.clip.samples(), settings.layout.segment_samples);
    let hierarchy = Hierarchy::new(source);
    let has_spans = settings.layout.has_segment_spans(segments);
    let done = AtomicUsize::new(0);
    let solve = |segment: usize| {
        let samples = segments.samples_of(segment);
        let tracks: Vec<_> = tracks.iter().map(|t| t.segment(samples.clone(), has_spans)).collect();
        let trial = Trial::new(source, &hierarchy, samples.clone(), limit_m, &table.still);
        let rates = search(source, settings, &tracks, samples, trial, progress)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.set_fraction(done as f32 / segments.count() as f32);
        Ok(rates)
    };
    let rates: Vec<Option<Vec<Rate>>> = (0..segments.count()).into_par_iter().map(solve).collect::<Result<_, _>>()?;
    let Some(mut rates) = rates.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    if settings.layout.granularity == Granularity::Clip {
        share_highest(&mut rates);
    }
    Ok(Some(pack::pack(source.clip, &table, &settings.layout, &tracks, &rates)))
}

fn search(
    source: &Source<'_>,
    settings: &Settings,
    tracks: &[SegmentTrack<'_>],
    samples: Range<usize>,
    trial: Trial<'_>,
    progress: &Progress,
) -> Result<Option<Vec<Rate>>, Cancelled> {
    let clip = source.clip;
    let raw: Vec<Transform> =
        (0..clip.joints()).flat_map(|joint| samples.clone().map(move |s| clip.at(s, joint))).collect();
    Search::new(&settings.layout, settings.order, source.skeleton, tracks, &raw, trial, progress).run()
}

/// Sets the highest rate of any segment for the whole clip. Float32 tracks stay float32.
fn share_highest(rates: &mut [Vec<Rate>]) {
    let quantized = || rates.iter().flatten().filter(|r| **r != Rate::EXACT);
    let Some(highest) = quantized().copied().max() else { return };
    rates.iter_mut().flatten().filter(|r| **r != Rate::EXACT).for_each(|r| *r = highest);
}

/// Every sample of every track as float32, for clips with values so large or matrices so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>, settings: &Settings) -> Encoded {
    let table = all_animated(source);
    let tracks: Vec<Track> = animated_tracks(source.clip, &table, &settings.layout, settings.dropped);
    let segments = Segments::new(source.clip.samples(), settings.layout.segment_samples);
    let rates = vec![vec![Rate::EXACT; tracks.len()]; segments.count()];
    pack::pack(source.clip, &table, &settings.layout, &tracks, &rates)
}
