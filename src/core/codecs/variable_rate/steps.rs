//! Steps of one size a clip: how coarse they may be, each joint aimed at what its parents decode to.

use super::decode::CUT_MARK;
use super::params::Settings;
use super::{VariableRate, steps_pack::pack};
use crate::codecs::encode::lattice::{Centre, Level, Plan, Search, animated_tracks, joint_plans};
use crate::codecs::encode::{
    CLOSE_AIM, RawModel, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, all_animated, classify, encode_stretches,
};
use crate::codecs::runtime::Stretches;
use crate::codecs::{Cancelled, EncodeError, Encoded, Progress, Section, Source};

/// The part of a full search that the common factor takes, as it is told.
const FACTOR_SHARE: f32 = 0.1;

/// Encodes a clip, a long take stretch by stretch.
pub fn encode(
    codec: &VariableRate,
    source: &Source<'_>,
    settings: &Settings,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let stretch = |source: &Source<'_>, progress: &Progress| encode_stretch(codec, source, settings, progress);
    let mut encoded = encode_stretches(source, progress, stretch)?;
    if Stretches::of(source.clip.joints(), source.clip.samples()).count() > 1 {
        encoded.payload.insert(0, CUT_MARK);
        encoded.ledger.clip(Section::Header, u64::from(u8::BITS));
    }
    Ok(encoded)
}

/// Searches until the decoded bytes are within the tolerance.
fn encode_stretch(
    codec: &VariableRate,
    source: &Source<'_>,
    settings: &Settings,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let raw = RawModel::new(source, 0..source.clip.samples());
    let search = ToleranceLoop { codec, source, dense: source, stride: 1, aim: CLOSE_AIM };
    let found = search.run(progress, |limit_m| {
        // Where still tracks that were left out are beyond the limit by themselves, none are.
        let with = |trivial_share| attempt(source, &raw, (settings, trivial_share), limit_m, progress);
        Ok(with(SEARCHED_TRIVIAL_SHARE)?.map_or_else(|| with(0.0), |found| Ok(Some(found)))?)
    })?;
    Ok(found.unwrap_or_else(|| exact(source)))
}

/// One search; `None` when not even float32 samples are within the limit.
fn attempt(
    source: &Source<'_>,
    raw: &RawModel,
    (settings, trivial_share): (&Settings, f32),
    limit_m: f32,
    progress: &Progress,
) -> Result<Option<Encoded>, Cancelled> {
    let table = classify(source, &settings.trivial.within(source.tolerance_m * trivial_share), progress)?;
    let tracks = animated_tracks(source.clip, &table, Centre::Middle);
    let joints = joint_plans(source, &table, &tracks);
    let plan = Plan::new(source, raw, &joints);
    let mut search = Search::new(&plan, tracks, limit_m, progress);
    let factor_share = if settings.level == Level::Fast { 1.0 } else { FACTOR_SHARE };
    if !search.run(&progress.share(0.0..factor_share))? {
        return Ok(None);
    }
    let packed = |search: &Search<'_>| pack(source.clip, &table, &search.tracks, &search.frames);
    let found = packed(&search);
    if settings.level == Level::Fast {
        return Ok(Some(found));
    }
    search.grow(&progress.share(factor_share..1.0))?;
    let grown = packed(&search);
    // Coarser steps do not always pay: of short clips the records are most.
    Ok(Some(if grown.payload.len() < found.payload.len() { grown } else { found }))
}

/// Every sample of every track as float32: for matrices so large or so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>) -> Encoded {
    let table = all_animated(source);
    let tracks = animated_tracks(source.clip, &table, Centre::Middle);
    pack(source.clip, &table, &tracks, &[])
}
