//! The article's two phases: lowers all rates in lock step, then each alone.

use super::decode::{Granularity, Layout};
use super::tracks::SegmentTrack;
use crate::codecs::encode::Trial;
use crate::codecs::runtime::Rate;
use crate::codecs::{Cancelled, Progress};
use crate::math::Transform;
use crate::model::{Channel, Skeleton};

/// The order in which the second phase processes joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackOrder {
    /// Joints without children first.
    Leaves,
    /// Parents first.
    Root,
}

/// Finds the rates of one segment's tracks.
pub struct Search<'a> {
    pub layout: &'a Layout,
    pub order: TrackOrder,
    pub skeleton: &'a Skeleton,
    pub tracks: &'a [SegmentTrack<'a>],
    /// Transforms of the clip, `joints x samples of the segment`.
    pub raw: &'a [Transform],
    pub trial: Trial<'a>,
    /// One per track.
    pub rates: Vec<Rate>,
    pub progress: &'a Progress,
    tried: Vec<Transform>,
}

impl<'a> Search<'a> {
    /// A search that starts with every track at the highest rate.
    pub fn new(
        layout: &'a Layout,
        order: TrackOrder,
        skeleton: &'a Skeleton,
        tracks: &'a [SegmentTrack<'a>],
        raw: &'a [Transform],
        trial: Trial<'a>,
        progress: &'a Progress,
    ) -> Self {
        let rates = vec![Rate::HIGHEST; tracks.len()];
        Self { layout, order, skeleton, tracks, raw, trial, rates, progress, tried: Vec::new() }
    }

    /// The lowest rates found within the limit, one per track. `None` if even float32 samples exceed it.
    pub fn run(mut self) -> Result<Option<Vec<Rate>>, Cancelled> {
        if !self.start_within_limit() {
            return Ok(None);
        }
        match self.layout.granularity {
            Granularity::Clip => self.lower_together(|_| true)?,
            Granularity::Channel => {
                self.lower_together(|_| true)?;
                for channel in [Channel::Scale, Channel::Translation, Channel::Rotation] {
                    self.lower_together(|t| t.track.channel == channel)?;
                }
            }
            Granularity::Track => {
                let roots = self.root_joints();
                self.lower_together(|t| !roots[t.track.joint()])?;
                self.lower_each()?;
            }
        }
        Ok(Some(self.rates))
    }

    /// Sets every track to the highest rate, or to float32 where that is too coarse.
    fn start_within_limit(&mut self) -> bool {
        (0..self.tracks.len()).for_each(|track| self.set(track, Rate::HIGHEST));
        while let Some(joint) = self.trial.update() {
            // The parents are within the limit. So the joint itself is too coarse, or its parents leave too little of the limit.
            let chain = || std::iter::once(joint).chain(self.skeleton.ancestors(joint));
            let tracks_of = |joint: usize| {
                let of_joint = |t: &usize| self.tracks[*t].track.joint() == joint && self.rates[*t] != Rate::EXACT;
                (0..self.tracks.len()).filter(of_joint).collect::<Vec<_>>()
            };
            let Some(coarse) = chain().map(tracks_of).find(|tracks| !tracks.is_empty()) else { return false };
            coarse.into_iter().for_each(|track| self.set(track, Rate::EXACT));
        }
        true
    }

    fn set(&mut self, track: usize, rate: Rate) {
        self.rates[track] = rate;
        let joint = self.tracks[track].track.joint();
        let count = self.trial.locals(joint).len();
        let raw = &self.raw[joint * count..][..count];
        self.tracks[track].decode_into(rate, self.layout.highest_bits, raw, self.trial.locals_mut(joint));
    }

    /// The first phase: lowers chosen tracks in lock step as far as the limit allows. Finds the lowest rate by bisection, since the error
    /// almost always falls with every bit. The result is within the limit in any case.
    fn lower_together(&mut self, choice: impl Fn(&SegmentTrack<'_>) -> bool) -> Result<(), Cancelled> {
        let of_choice = |&t: &usize| choice(&self.tracks[t]) && self.rates[t] != Rate::EXACT;
        let chosen: Vec<usize> = (0..self.tracks.len()).filter(of_choice).collect();
        let Some(mut within) = chosen.iter().map(|t| self.rates[*t]).max() else { return Ok(()) };
        let mut too_low = None;
        loop {
            self.progress.check()?;
            let lowest = too_low.map_or(0, |rate: Rate| rate.code() + 1);
            if lowest >= within.code() {
                break;
            }
            let middle = Rate::from_code((lowest + within.code()) / 2);
            chosen.iter().for_each(|t| self.set(*t, middle));
            match self.trial.update() {
                None => within = middle,
                Some(_) => too_low = Some(middle),
            }
        }
        chosen.iter().for_each(|t| self.set(*t, within));
        self.trial.update();
        Ok(())
    }

    /// The second phase: lowers each track as far as the limit allows, one after another.
    fn lower_each(&mut self) -> Result<(), Cancelled> {
        for track in self.ordered() {
            self.progress.check()?;
            while let Some(lower) = self.rates[track].lower() {
                if !self.try_rate(track, lower) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Sets a track's rate if everything stays within the limit.
    fn try_rate(&mut self, track: usize, rate: Rate) -> bool {
        let joint = self.tracks[track].track.joint();
        let mut tried = std::mem::take(&mut self.tried);
        tried.clear();
        tried.extend_from_slice(self.trial.locals(joint));
        let raw = &self.raw[joint * tried.len()..][..tried.len()];
        self.tracks[track].decode_into(rate, self.layout.highest_bits, raw, &mut tried);
        let fits = self.trial.try_joint(joint, &tried);
        if fits {
            self.rates[track] = rate;
        }
        self.tried = tried;
        fits
    }

    /// The tracks in the order of the second phase. Channels of one joint stay together.
    fn ordered(&self) -> Vec<usize> {
        let mut tracks: Vec<usize> = (0..self.tracks.len()).collect();
        match self.order {
            TrackOrder::Leaves => {
                let depth = |t: &usize| self.skeleton.depth(self.tracks[*t].track.joint());
                tracks.sort_by_key(|t| (std::cmp::Reverse(depth(t)), self.tracks[*t].track.joint(), *t));
            }
            TrackOrder::Root => tracks.sort_by_key(|t| (self.tracks[*t].track.joint(), *t)),
        }
        tracks
    }

    /// Joints with animated tracks whose ancestors have none: the article's root, which the first phase skips.
    fn root_joints(&self) -> Vec<bool> {
        let mut is_animated = vec![false; self.skeleton.len()];
        self.tracks.iter().for_each(|t| is_animated[t.track.joint()] = true);
        let is_root = |joint: usize| is_animated[joint] && !self.skeleton.ancestors(joint).any(|p| is_animated[p]);
        (0..self.skeleton.len()).map(is_root).collect()
    }
}
