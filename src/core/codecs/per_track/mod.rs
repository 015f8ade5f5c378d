//! Compresses each track separately: reduces linear keys in every fixed format and in as few bits as the track needs. The smallest result
//! within the track's share of the tolerance is kept.

mod params;
mod progressive;
mod resample;

use super::encode::keys::{
    BETWEEN, BLOCK_SAMPLES, FormatChoice, JointKeys, KEEP_EVERY, KeptPoints, LinearChooser, PARENT_KEY_SCALE,
    SolveSettings, Solved, block_size, exact_keys, order, pack_by_track, retarget, solve,
};
use super::encode::{
    AIM, Attempt, SEARCHED_TRIVIAL_SHARE, Steps, ToleranceLoop, TrivialSettings, check_usable, classify,
    decoded_error_m, encode_stretches,
};
use super::runtime::{BlockSize, RotationFormat};
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::format::BitWriter;
use params::{Coarseness, PARAMS, PRESETS};
use posepress_runtime::internal::codecs::per_track::{ESCAPE, ESCAPE_BITS};
use resample::Resampled;

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

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"PTK1"),
    name: "per-track",
    summary: "Removes linear keys and gives each track the format that is smallest within the tolerance.",
    source: "Animation Compression: Unreal 4, compress each track independently",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for PerTrack {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn promises_with(&self, values: &ParamValues) -> bool {
        params::promises(values)
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
        let points = KeptPoints::new(source.clip.joints());
        let stretch = Stretch { source, dense: &dense, stride: steps.stride, values, points };
        let (chosen, tolerance_m) = (params::chosen(values), source.tolerance_m);
        if params::promises(values) {
            let keeper = ToleranceLoop { codec: self, source, dense: &dense, stride: steps.stride, aim: AIM };
            let found =
                keeper.run_attempts(progress, |limit_m| Ok(Some(stretch.attempt(&chosen, limit_m, progress)?)))?;
            let exact = || stretch.pack(BitWriter::new(), None, &exact_keys(source), RotationFormat::Full);
            return Ok(found.unwrap_or_else(exact));
        }
        if !params::is_progressive(values) {
            return Ok(stretch.attempt(&chosen, tolerance_m, progress)?.into_encoded());
        }
        progressive::search(chosen, tolerance_m, |coarseness| {
            let encoded = stretch.attempt(coarseness, tolerance_m, progress)?.into_encoded();
            let error_m = decoded_error_m(self, source, &dense, steps.stride, (&encoded.payload, None))?;
            Ok((encoded, error_m))
        })
    }
}

/// A stretch of a clip with its settings.
struct Stretch<'a> {
    source: &'a Source<'a>,
    /// The same with a sample at every step.
    dense: &'a Source<'a>,
    stride: usize,
    values: &'a ParamValues,
    /// The points of the joints of `dense`.
    points: KeptPoints,
}

impl Stretch<'_> {
    fn attempt(&self, coarseness: &Coarseness, limit_m: f32, progress: &Progress) -> Result<Attempt<'_>, EncodeError> {
        let Self { source, values, .. } = self;
        let resampled = coarseness.resample_hz.and_then(|hz| Resampled::new(source.clip, hz)).transpose()?;
        let (stride, thinned) = match &resampled {
            Some(resampled) => (1, resampled.source(source)),
            None => (self.stride, *self.dense),
        };
        let of_thinned = resampled.as_ref().map(|_| KeptPoints::new(source.clip.joints()));
        let cutoffs = params::cutoffs(values, &thinned, coarseness);
        let (rotation_formats, vector_formats) = params::formats(values);
        let settings = SolveSettings {
            chooser: &LinearChooser {
                order: order(values),
                keep_every: values.get(&KEEP_EVERY) as usize,
                removes: coarseness.removes_keys,
            },
            rotation_formats,
            vector_formats,
            choice: cutoffs.as_deref().map_or(FormatChoice::Smallest { ranged: true }, FormatChoice::AfterKeys),
            metric: params::removal_metric(values, coarseness),
            points: of_thinned.as_ref().unwrap_or(&self.points),
            limit_m,
            parent_key_scale: values.get(&PARENT_KEY_SCALE) as f32,
            margins: None,
            pinned: None,
            retarget: retarget(values),
            stride,
        };
        let trivial = TrivialSettings::chosen(values).within(limit_m * SEARCHED_TRIVIAL_SHARE);
        let table = classify(&thinned, &trivial, progress)?;
        let Solved { mut joints, error_m } = solve(&thinned, &table, &settings, progress)?;
        if let Some(resampled) = &resampled {
            resampled.restore_times(&mut joints);
        }
        let error_m = error_m.filter(|_| resampled.is_none());
        let blocks = block_size(values.get(&BLOCK_SAMPLES), source.clip.samples());
        Ok(Attempt::new(error_m, move || self.pack(head(blocks), blocks, &joints, table.constant_format)))
    }

    fn pack(
        &self,
        head: BitWriter,
        blocks: Option<BlockSize>,
        joints: &[JointKeys],
        constant_format: RotationFormat,
    ) -> Encoded {
        pack_by_track(head, joints, constant_format, (self.source.clip.samples(), blocks))
    }
}
