//! Our own: integers on lattices of rotations, each joint encoded against what its parent decodes to, predicted from the
//! samples around them.

use posepress_runtime::codecs::press as decode;

mod judge;
mod pack;
mod params;
mod search;
mod solve;
mod tracks;

use super::encode::{
    CLOSE_AIM, RawModel, ToleranceLoop, TrivialSettings, all_animated, check_usable, classify,
};
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use judge::Plan;
use params::PARAMS;
use search::Search;
use tracks::animated_tracks;

/// Share of the tolerance that leaving out one still track may cost; rotations below make up for most of it.
const TRIVIAL_SHARE: f32 = 0.05;

/// The smallest clips at a measured error, read in place.
#[derive(Debug)]
pub struct Press;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"PRS1"),
    name: "press",
    summary: "Every sample on lattices as coarse as the tolerance lets them be, each joint making up for its parents' error.",
    source: "our own",
    promises_tolerance: true,
    params: PARAMS,
    presets: &[],
};

impl Codec for Press {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for Press {
    fn encode(&self, source: &Source<'_>, _values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let raw = RawModel::new(source);
        let search = ToleranceLoop { codec: self, source, raw: &raw, stride: 1, aim: CLOSE_AIM };
        let found = search.run(|limit_m| Ok(attempt(source, &raw, limit_m, progress)?))?;
        Ok(found.unwrap_or_else(|| exact(source)))
    }
}

/// One search; `None` when not even float32 samples are within the limit.
fn attempt(
    source: &Source<'_>,
    raw: &RawModel,
    limit_m: f32,
    progress: &Progress,
) -> Result<Option<Encoded>, super::Cancelled> {
    let trivial = TrivialSettings { remove_bind: true, remove_constants: true, limit_m: source.tolerance_m * knob("TRIV", TRIVIAL_SHARE) };
    let table = classify(source, raw, &trivial, progress)?;
    let tracks = animated_tracks(source.clip, &table);
    let plan = Plan::new(source, raw, &table, &tracks);
    let mut search = Search::new(&plan, tracks, limit_m, progress);
    if !search.run()? {
        return Ok(None);
    }
    let encoded = pack::pack(source.clip, &table, &search.tracks, &search.frames);
    if std::env::var_os("DBG").is_some() { // DBG
        let mut s = super::encode::open_own(CodecId(*b"PRS1"), source, &encoded.payload, None).unwrap(); // DBG
        let mut pose = crate::model::Pose::with_size(source.clip.joints(), 0); // DBG
        for sample in 0..source.clip.samples() { // DBG
            s.sample(sample as f64, &mut pose); // DBG
            for j in 0..source.clip.joints() { // DBG
                if pose.joints[j] != search.frames[sample].locals[j] { // DBG
                    eprintln!("sample {sample} joint {j}: {:?} {:?}", pose.joints[j], search.frames[sample].locals[j]); // DBG
                } // DBG
            } // DBG
        } // DBG
    } // DBG
    Ok(Some(encoded))
}

/// Every sample of every track as float32: for matrices so large or so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>) -> Encoded {
    let table = all_animated(source);
    let tracks = animated_tracks(source.clip, &table);
    pack::pack(source.clip, &table, &tracks, &[])
}

pub fn knob(name: &str, default: f32) -> f32 { // DBG
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default) // DBG
} // DBG
