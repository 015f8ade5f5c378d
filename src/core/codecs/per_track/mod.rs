//! Compresses each track separately: reduces linear keys in every fixed format and in as few bits as the track needs. The smallest result
//! within the track's share of the tolerance is kept.

use super::encode::keys::{
    BETWEEN, BLOCK_SAMPLES, FormatChoice, KEEP_EVERY, LinearChooser, Metric, ORDER, SEED, SolveSettings, block_size,
    exact_keys, order, pack_by_track, solve,
};
use super::encode::{
    AIM, REMOVE_BIND, REMOVE_CONSTANTS, SEARCHED_TRIVIAL_SHARE, Steps, ToleranceLoop, TrivialSettings, check_usable,
    classify, encode_stretches,
};
use super::runtime::{BlockSize, RotationFormat, VectorFormat};
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, Param, ParamValues, Progress, Source};
use crate::format::BitWriter;
use posepress_runtime::internal::codecs::per_track::{ESCAPE, ESCAPE_BITS};

/// The start of a payload. Empty if its tracks are not cut into blocks.
fn head(blocks: Option<BlockSize>) -> BitWriter {
    let mut out = BitWriter::new();
    if let Some(size) = blocks {
        out.push(ESCAPE, ESCAPE_BITS);
        out.push(size.samples() as u64, BlockSize::BITS);
    }
    out
}

/// Linear key reduction with the best format per track.
#[derive(Debug)]
pub struct PerTrack;

const PARAMS: &[Param] = &[
    ORDER.param,
    SEED.param,
    KEEP_EVERY.param,
    BETWEEN.param,
    BLOCK_SAMPLES.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// Every format that takes bits, the exact one last. A constant track has the format `Identity`.
const ROTATION_FORMATS: &[RotationFormat] = &[
    RotationFormat::Fixed32,
    RotationFormat::Float32,
    RotationFormat::Largest32,
    RotationFormat::IntervalFixed32,
    RotationFormat::Fixed48,
    RotationFormat::Largest48,
    RotationFormat::Harmonic48,
    RotationFormat::Largest62,
    RotationFormat::Float96,
    RotationFormat::Full,
];

/// The same for translations and scales. The range of the whole clip makes no sense for one track.
const VECTOR_FORMATS: &[VectorFormat] =
    &[VectorFormat::IntervalFixed32, VectorFormat::Fixed48, VectorFormat::TrackRange48, VectorFormat::Float96];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"PTK1"),
    name: "per-track",
    summary: "Removes linear keys and gives each track the format that is smallest within the tolerance.",
    source: "Animation Compression: Unreal 4, compress each track independently",
    promises_tolerance: true,
    params: PARAMS,
    presets: &[],
};

impl Codec for PerTrack {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for PerTrack {
    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        encode_stretches(source, progress, |source, progress| self.encode_stretch(source, values, progress))
    }
}

impl PerTrack {
    fn encode_stretch(
        &self,
        source: &Source<'_>,
        values: &ParamValues,
        progress: &Progress,
    ) -> Result<Encoded, EncodeError> {
        let steps = Steps::new(source.clip, values.get(&BETWEEN))?;
        let dense = steps.source(source);
        let samples = source.clip.samples();
        let blocks = block_size(values.get(&BLOCK_SAMPLES), samples);
        let attempt = |limit_m: f32| {
            let settings = SolveSettings {
                chooser: &LinearChooser { order: order(values), keep_every: values.get(&KEEP_EVERY) as usize },
                rotation_formats: ROTATION_FORMATS,
                vector_formats: VECTOR_FORMATS,
                choice: FormatChoice::Smallest { ranged: true },
                metric: Metric::ObjectSpace,
                limit_m,
                parent_key_scale: 1.0,
                margins: None,
                pinned: None,
                retarget: false,
                stride: steps.stride,
            };
            let trivial = TrivialSettings::chosen(values).within(limit_m * SEARCHED_TRIVIAL_SHARE);
            let table = classify(&dense, &trivial, progress)?;
            let joints = solve(&dense, &table, &settings, progress)?;
            Ok(Some(pack_by_track(head(blocks), &joints, table.constant_format, (samples, blocks))))
        };
        let keeper = ToleranceLoop { codec: self, source, dense: &dense, stride: steps.stride, aim: AIM };
        let found = keeper.run(progress, attempt)?;
        let exact = || pack_by_track(BitWriter::new(), &exact_keys(source), RotationFormat::Full, (samples, None));
        Ok(found.unwrap_or_else(exact))
    }
}
