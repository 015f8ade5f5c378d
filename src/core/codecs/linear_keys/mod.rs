//! Linear key reduction: keys that a blend of their neighbours reproduces are not stored. The error is measured in object space on top of
//! the decoded parents, so the tolerance is what the user sees. The metrics of engines are there for comparison.

use posepress_runtime::internal::codecs::linear_keys as decode;

mod curve_block;
mod header;
mod key_frames;
mod pack;
mod params;

use super::encode::keys::{KeptPoints, LinearChooser, SolveSettings, Solved, exact_keys, solve};
use super::encode::{
    AIM, Attempt, SEARCHED_TRIVIAL_SHARE, Steps, ToleranceLoop, check_usable, classify, encode_stretches,
};
use super::runtime::RotationFormat;
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use curve_block::pack_curve_block;
use decode::{KeyHeader, KeyLayout};
use key_frames::encode_key_frames;
use pack::pack;
use params::{Choices, PARAMS, PRESETS};

/// Removes keys that a blend of their neighbours reproduces within the tolerance.
#[derive(Debug)]
pub struct LinearKeys;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"LKR1"),
    name: "linear-keys",
    summary: "Removes keys that a blend of their neighbours reproduces within the tolerance.",
    source: "Animation Compression: Linear Key Reduction; Unreal 4, remove linear keys; Animation Tech Intro 2",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for LinearKeys {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn promises_with(&self, values: &ParamValues) -> bool {
        Choices::new(values).promise()
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for LinearKeys {
    fn in_place(&self, values: &ParamValues) -> Option<ParamValues> {
        Choices::new(values).plays_in_place().then(|| values.clone())
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        encode_stretches(source, progress, |source, progress| {
            self.encode_stretch(source, Choices::for_samples(values, source.clip.samples()), progress)
        })
    }
}

impl LinearKeys {
    fn encode_stretch(
        &self,
        source: &Source<'_>,
        choices: Choices,
        progress: &Progress,
    ) -> Result<Encoded, EncodeError> {
        let steps = Steps::new(source.clip, choices.between)?;
        let dense = steps.source(source);
        let points = KeptPoints::new(source.clip.joints());
        let search = Search { source, dense: &dense, stride: steps.stride, choices, points };
        if !search.choices.promise() {
            return Ok(search.attempt(source.tolerance_m, progress)?.into_encoded());
        }
        let stride = steps.stride;
        let found = ToleranceLoop { codec: self, source, dense: &dense, stride, aim: AIM }
            .run_attempts(progress, |limit_m| Ok(Some(search.attempt(limit_m, progress)?)))?;
        Ok(found.unwrap_or_else(|| {
            let header =
                KeyHeader { layout: KeyLayout::ByTrack, has_jumps: false, blocks: None, ..search.choices.header };
            pack(&exact_keys(source), RotationFormat::Full, source.clip.samples(), header, 0)
        }))
    }
}

/// A clip with the settings for reducing its keys.
struct Search<'a> {
    source: &'a Source<'a>,
    /// The clip with a sample at every step.
    dense: &'a Source<'a>,
    stride: usize,
    choices: Choices,
    points: KeptPoints,
}

impl Search<'_> {
    fn attempt(&self, limit_m: f32, progress: &Progress) -> Result<Attempt<'_>, EncodeError> {
        let Self { dense, choices, .. } = self;
        let settings = SolveSettings {
            chooser: &LinearChooser { order: choices.order, keep_every: choices.keep_every, removes: true },
            rotation_formats: choices.rotation_formats,
            vector_formats: choices.vector_formats,
            choice: choices.format_choice,
            metric: choices.metric,
            points: &self.points,
            limit_m,
            parent_key_scale: choices.parent_key_scale,
            margins: None,
            pinned: None,
            retarget: choices.retarget,
            stride: self.stride,
        };
        let trivial = choices.trivial.within(limit_m * SEARCHED_TRIVIAL_SHARE);
        let table = classify(dense, &trivial, progress)?;
        let KeyHeader { layout, search, .. } = choices.header;
        if layout == KeyLayout::KeyFrames {
            let encoded = encode_key_frames((dense, self.source.clip), &table, &settings, search, progress)?;
            return Ok(Attempt::new(None, || encoded));
        }
        let Solved { joints, error_m } = solve(dense, &table, &settings, progress)?;
        if layout == KeyLayout::CurveBlock {
            return Ok(Attempt::new(None, move || pack_curve_block(&joints, choices.header)));
        }
        let (format, samples) = (table.constant_format, self.source.clip.samples());
        Ok(Attempt::new(error_m, move || pack(&joints, format, samples, choices.header, choices.jump_every)))
    }
}
