//! From a clip to bytes: the coarsest steps whose decoded bytes keep the tolerance, for any packing.

use super::level::Level;
use super::plan::{Plan, joint_plans};
use super::search::Search;
use super::solve::Frame;
use super::track::{Centre, LatticeTrack, animated_tracks};
use crate::codecs::encode::{
    CLOSE_AIM, RawModel, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, TrivialSettings, all_animated, classify,
};
use crate::codecs::runtime::TrackTable;
use crate::codecs::{Cancelled, EncodeError, Encoded, Encoder, Progress, Source};
use crate::model::Clip;

/// Share of the progress of a full search for the common factor.
const FACTOR_SHARE: f32 = 0.1;

/// Tracks with their steps, and the integers of every sample. No integers if all tracks are float32.
#[derive(Clone, Copy)]
pub struct Lattices<'a> {
    pub clip: &'a Clip,
    pub table: &'a TrackTable,
    pub tracks: &'a [LatticeTrack],
    pub frames: &'a [Frame],
}

/// The way in which a codec writes integers.
pub trait Packing {
    /// The bytes by which steps are compared. Coarser steps are not always smaller, because in short clips most bytes are records.
    fn pack(&self, found: Lattices<'_>) -> Encoded;
    /// The bytes that are stored in their place.
    fn store(&self, _found: Lattices<'_>, packed: Encoded) -> Encoded {
        packed
    }
}

/// A codec's search for steps.
pub struct Coarsest<'a, P> {
    /// The codec whose decoder decides.
    pub codec: &'a dyn Encoder,
    /// The kinds of still tracks that are removed. The limit follows from the tolerance.
    pub trivial: TrivialSettings,
    pub level: Level,
    pub packing: P,
}

impl<P: Packing> Coarsest<'_, P> {
    /// Searches until the decoded bytes are within the tolerance.
    pub fn encode(&self, source: &Source<'_>, progress: &Progress) -> Result<Encoded, EncodeError> {
        let raw = RawModel::new(source, 0..source.clip.samples());
        let search = ToleranceLoop { codec: self.codec, source, dense: source, stride: 1, aim: CLOSE_AIM };
        let found = search.run(progress, |limit_m| {
            // If the removed still tracks alone exceed the limit, none are removed.
            let with = |trivial_share| self.attempt(source, &raw, trivial_share, limit_m, progress);
            Ok(with(SEARCHED_TRIVIAL_SHARE)?.map_or_else(|| with(0.0), |found| Ok(Some(found)))?)
        })?;
        Ok(found.unwrap_or_else(|| self.exact(source)))
    }

    /// One search. `None` if even float32 samples exceed the limit.
    fn attempt(
        &self,
        source: &Source<'_>,
        raw: &RawModel,
        trivial_share: f32,
        limit_m: f32,
        progress: &Progress,
    ) -> Result<Option<Encoded>, Cancelled> {
        let table = classify(source, &self.trivial.within(source.tolerance_m * trivial_share), progress)?;
        let tracks = animated_tracks(source.clip, &table, Centre::Middle);
        let joints = joint_plans(source, &table, &tracks);
        let plan = Plan::new(source, raw, &joints);
        let mut search = Search::new(&plan, tracks, limit_m, progress);
        let factor_share = if self.level == Level::Fast { 1.0 } else { FACTOR_SHARE };
        if !search.run(&progress.share(0.0..factor_share))? {
            return Ok(None);
        }
        let clip = source.clip;
        let packed = self.packing.pack(lattices(clip, &table, &search));
        let bytes = packed.payload.len();
        let found = self.packing.store(lattices(clip, &table, &search), packed);
        if self.level == Level::Fast {
            return Ok(Some(found));
        }
        search.grow(&progress.share(factor_share..1.0))?;
        let grown = self.packing.pack(lattices(clip, &table, &search));
        Ok(Some(if grown.payload.len() < bytes {
            self.packing.store(lattices(clip, &table, &search), grown)
        } else {
            found
        }))
    }

    /// Every sample of every track as float32, for clips with values so large or matrices so flat that nothing else is within the
    /// tolerance.
    fn exact(&self, source: &Source<'_>) -> Encoded {
        let table = all_animated(source);
        let tracks = animated_tracks(source.clip, &table, Centre::Middle);
        self.packing.pack(Lattices { clip: source.clip, table: &table, tracks: &tracks, frames: &[] })
    }
}

fn lattices<'a>(clip: &'a Clip, table: &'a TrackTable, search: &'a Search<'_>) -> Lattices<'a> {
    Lattices { clip, table, tracks: &search.tracks, frames: &search.frames }
}
