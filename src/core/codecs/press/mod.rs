//! Our own: integers on lattices of rotations, each joint encoded against what its parent decodes to, predicted from the
//! samples around them.

use posepress_runtime::codecs::press as decode;

mod archive;
mod pack;
mod params;
mod planes;

pub use planes::{MOST_PLANES, bits_without, planes_within, take_out};

use super::encode::lattice::{Centre, LEVEL, Level, Plan, Search, animated_tracks, joint_plans};
use super::encode::{
    CLOSE_AIM, RawModel, ToleranceLoop, TrivialSettings, all_animated, check_usable, classify, encode_stretches,
};
use super::{Cancelled, Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use params::{PARAMS, STORAGE, Storage};

/// Share of the tolerance that leaving out one still track may cost; rotations below make up for most of it.
const TRIVIAL_SHARE: f32 = 0.05;

/// The part of a full search that the common factor takes, as it is told.
const FACTOR_SHARE: f32 = 0.1;

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

    fn has_one_knob(&self) -> bool {
        true
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for Press {
    fn plays_in_place(&self, values: &ParamValues) -> bool {
        match values.get(&STORAGE) {
            Storage::Runtime => true,
            Storage::Archive => false,
        }
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let choice = Choice { level: values.get(&LEVEL), storage: values.get(&STORAGE) };
        encode_stretches(source, progress, |source, progress| self.encode_stretch(source, choice, progress))
    }
}

/// What people chose.
#[derive(Clone, Copy)]
struct Choice {
    level: Level,
    storage: Storage,
}

impl Press {
    fn encode_stretch(&self, source: &Source<'_>, choice: Choice, progress: &Progress) -> Result<Encoded, EncodeError> {
        let raw = RawModel::new(source, 0..source.clip.samples());
        let search = ToleranceLoop { codec: self, source, dense: source, stride: 1, aim: CLOSE_AIM };
        let found = search.run(progress, |limit_m| {
            // Where still tracks that were left out are beyond the limit by themselves, none are.
            let with = |trivial_share| attempt(source, &raw, (choice, trivial_share), limit_m, progress);
            Ok(with(TRIVIAL_SHARE)?.map_or_else(|| with(0.0), |found| Ok(Some(found)))?)
        })?;
        Ok(found.unwrap_or_else(|| exact(source)))
    }
}

/// One search; `None` when not even float32 samples are within the limit.
fn attempt(
    source: &Source<'_>,
    raw: &RawModel,
    (choice, trivial_share): (Choice, f32),
    limit_m: f32,
    progress: &Progress,
) -> Result<Option<Encoded>, Cancelled> {
    let limit_of_still_m = source.tolerance_m * trivial_share;
    let trivial = TrivialSettings { remove_bind: true, remove_constants: true, limit_m: limit_of_still_m };
    let table = classify(source, &trivial, progress)?;
    let tracks = animated_tracks(source.clip, &table, Centre::Middle);
    let joints = joint_plans(source, &table, &tracks);
    let plan = Plan::new(source, raw, &joints);
    let mut search = Search::new(&plan, tracks, limit_m, progress);
    let factor_share = if choice.level == Level::Fast { 1.0 } else { FACTOR_SHARE };
    if !search.run(&progress.share(0.0..factor_share))? {
        return Ok(None);
    }
    // Coarser steps do not always pay: of short clips the records are most. An archive holds what runtime storage would.
    let pack = |search: &Search<'_>| pack::pack(source.clip, &table, &search.tracks, &search.frames);
    let stored = |search: &Search<'_>, whole: Encoded| match choice.storage {
        Storage::Runtime => whole,
        Storage::Archive => archive::pack_archive(source.clip, &table, &search.tracks, &search.frames, whole),
    };
    let whole = pack(&search);
    let whole_bytes = whole.payload.len();
    let found = stored(&search, whole);
    if choice.level == Level::Fast {
        return Ok(Some(found));
    }
    search.grow(&progress.share(factor_share..1.0))?;
    let grown = pack(&search);
    Ok(Some(if grown.payload.len() < whole_bytes { stored(&search, grown) } else { found }))
}

/// Every sample of every track as float32: for matrices so large or so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>) -> Encoded {
    let table = all_animated(source);
    let tracks = animated_tracks(source.clip, &table, Centre::Middle);
    pack::pack(source.clip, &table, &tracks, &[])
}
