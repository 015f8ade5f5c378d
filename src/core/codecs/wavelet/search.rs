//! The steps of one block, as coarse as the tolerance allows.

use super::block::{Block, Buffers};
use super::decode::{EXACT, Track};
use super::signals::fits;
use crate::codecs::encode::Trial;
use crate::codecs::encode::lattice::eighths_of;
use crate::codecs::{Cancelled, Progress};
use crate::math::{STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, Transform};
use crate::model::Skeleton;

/// Range around the guess of a track's step in which the search for all tracks together runs, in octaves.
const FINER_OCTAVES: i32 = 12;
const COARSER_OCTAVES: i32 = 6;
/// The increments by which each track is made coarser, one after another: from an octave to the smallest.
const STRIDES: [u8; 4] = [8, 4, 2, 1];

/// Finds the steps of one block.
pub struct Search<'a> {
    pub block: &'a Block<'a>,
    pub skeleton: &'a Skeleton,
    /// Transforms of the clip, `joints x samples of the block`.
    pub raw: &'a [Transform],
    pub trial: Trial<'a>,
    /// The step of each track that would fit if it were the only one, as a code.
    pub guesses: &'a [i32],
    pub progress: &'a Progress,
    /// Step code and coefficients of each track.
    steps: Vec<u8>,
    coefficients: Vec<[Vec<f64>; 3]>,
    /// The finest code that each track's numbers fit.
    finest: Vec<u8>,
    /// True for tracks whose numbers are all zero: coarser steps save nothing.
    is_zero: Vec<bool>,
    tried: Vec<Transform>,
    buffers: Buffers,
}

impl<'a> Search<'a> {
    pub fn new(
        block: &'a Block<'a>,
        skeleton: &'a Skeleton,
        raw: &'a [Transform],
        trial: Trial<'a>,
        guesses: &'a [i32],
        progress: &'a Progress,
    ) -> Self {
        let mut buffers = Buffers::default();
        let tracks = 0..block.tracks.len();
        let coefficients: Vec<_> = tracks.map(|track| block.coefficients(track, &mut buffers)).collect();
        let finest = block.tracks.iter().zip(&coefficients).map(|(t, c)| finest_code(&t.track, c));
        let finest: Vec<u8> = finest.collect();
        let steps = finest.clone();
        let is_zero = vec![false; steps.len()];
        let tried = Vec::new();
        Self { block, skeleton, raw, trial, guesses, progress, steps, coefficients, finest, is_zero, tried, buffers }
    }

    /// The coarsest steps found within the limit, as one code per track and component. `None` if even float32 samples exceed it.
    pub fn run(mut self) -> Result<Option<Vec<[u8; 3]>>, Cancelled> {
        if !self.start_within_limit() {
            return Ok(None);
        }
        self.coarsen_together()?;
        self.coarsen_each()?;
        if self.block.layout.is_joined && !self.refine_joined()? {
            return Ok(Some(vec![[EXACT; 3]; self.steps.len()]));
        }
        Ok(Some(self.codes()))
    }

    /// Sets every track to the finest step of the search, or to float32 where that is too coarse.
    fn start_within_limit(&mut self) -> bool {
        (0..self.steps.len())
            .for_each(|track| self.set(track, self.offset(track, -FINER_OCTAVES * STEP_CODES_AN_OCTAVE)));
        while let Some(joint) = self.trial.update() {
            // The parents are within the limit. So the joint itself is too coarse, or its parents leave too little of the limit.
            let chain = || std::iter::once(joint).chain(self.skeleton.ancestors(joint));
            let tracks_of = |joint: usize| {
                let of_joint = |t: &usize| self.block.tracks[*t].track.joint == joint && self.steps[*t] != EXACT;
                (0..self.steps.len()).filter(of_joint).collect::<Vec<_>>()
            };
            let Some(coarse) = chain().map(tracks_of).find(|tracks| !tracks.is_empty()) else { return false };
            coarse.into_iter().for_each(|track| self.set(track, EXACT));
        }
        true
    }

    /// The code of a track at a distance from its guess. Exact tracks stay exact.
    fn offset(&self, track: usize, codes: i32) -> u8 {
        let finest = self.finest[track];
        if finest == EXACT { EXACT } else { (self.guesses[track] + codes).clamp(i32::from(finest), 255) as u8 }
    }

    /// One step for all components of a track.
    fn codes(&self) -> Vec<[u8; 3]> {
        self.steps.iter().map(|code| [*code; 3]).collect()
    }

    fn set(&mut self, track: usize, code: u8) {
        self.steps[track] = code;
        let joint = self.block.tracks[track].track.joint;
        let count = self.trial.locals(joint).len();
        let raw = &self.raw[joint * count..][..count];
        let locals = self.trial.locals_mut(joint);
        let coefficients = &self.coefficients[track];
        self.is_zero[track] = self.block.decode_track(track, coefficients, code, raw, locals, &mut self.buffers);
    }

    /// The first phase: moves all tracks together, by the same distance from their guesses. Finds the coarsest steps by bisection, since
    /// the error almost always grows with the step. The result is within the limit in any case.
    fn coarsen_together(&mut self) -> Result<(), Cancelled> {
        let chosen: Vec<usize> = (0..self.steps.len()).filter(|t| self.steps[*t] != EXACT).collect();
        let (mut within, mut beyond) = (-FINER_OCTAVES * STEP_CODES_AN_OCTAVE, COARSER_OCTAVES * STEP_CODES_AN_OCTAVE);
        while within + 1 < beyond && !chosen.is_empty() {
            self.progress.check()?;
            let middle = (within + beyond).div_euclid(2);
            chosen.iter().for_each(|t| self.set(*t, self.offset(*t, middle)));
            match self.trial.update() {
                None => within = middle,
                Some(_) => beyond = middle,
            }
        }
        chosen.iter().for_each(|t| self.set(*t, self.offset(*t, within)));
        self.trial.update();
        Ok(())
    }

    /// The second phase: makes each track coarser as far as the limit allows, leaves first. It works in rounds, so that no track uses up
    /// the limit.
    fn coarsen_each(&mut self) -> Result<(), Cancelled> {
        for stride in STRIDES {
            let mut active = self.leaves_first();
            while !active.is_empty() {
                let mut still = Vec::new();
                for track in active {
                    self.progress.check()?;
                    if self.try_coarser(track, stride) {
                        still.push(track);
                    }
                }
                active = still;
            }
        }
        Ok(())
    }

    fn try_coarser(&mut self, track: usize, stride: u8) -> bool {
        let Some(code) = self.steps[track].checked_add(stride).filter(|_| !self.is_zero[track]) else { return false };
        let joint = self.block.tracks[track].track.joint;
        let mut tried = std::mem::take(&mut self.tried);
        tried.clear();
        tried.extend_from_slice(self.trial.locals(joint));
        let raw = &self.raw[joint * tried.len()..][..tried.len()];
        let coefficients = &self.coefficients[track];
        let is_zero = self.block.decode_track(track, coefficients, code, raw, &mut tried, &mut self.buffers);
        let fits = self.trial.try_joint(joint, &tried);
        if fits {
            (self.steps[track], self.is_zero[track]) = (code, is_zero);
        }
        self.tried = tried;
        fits
    }

    fn leaves_first(&self) -> Vec<usize> {
        let mut tracks: Vec<usize> = (0..self.steps.len()).filter(|t| self.steps[*t] != EXACT).collect();
        let joint = |t: &usize| self.block.tracks[*t].track.joint;
        tracks.sort_by_key(|t| (std::cmp::Reverse(self.skeleton.depth(joint(t))), joint(t), *t));
        tracks
    }

    /// Makes all steps finer together until the block is within the limit. The steps were found for separate tracks, but a joined signal
    /// also gets the noise of its neighbours. False if no step is fine enough.
    fn refine_joined(&mut self) -> Result<bool, Cancelled> {
        loop {
            self.progress.check()?;
            let codes = self.block.codes(&self.codes(), &mut self.buffers);
            let (block, trial) = (self.block, &mut self.trial);
            block.decode_joined(&codes, &mut self.buffers, |track, sample, numbers| {
                let track = &block.tracks[track].track;
                track.put(numbers, &mut trial.locals_mut(track.joint)[sample]);
            });
            if self.trial.update().is_none() {
                return Ok(true);
            }
            let mut is_finer = false;
            for (step, finest) in self.steps.iter_mut().zip(&self.finest).filter(|(s, f)| **s > **f) {
                (*step, is_finer) = ((*step - 1).max(*finest), true);
            }
            if !is_finer {
                return Ok(false);
            }
        }
    }
}

/// The smallest code whose numbers fit. [`EXACT`] if none does.
fn finest_code(track: &Track, coefficients: &[Vec<f64>; 3]) -> u8 {
    let largest = coefficients.iter().flatten().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    (1..=255).find(|code| fits(largest, track.step(*code))).unwrap_or(EXACT)
}

/// The code of the step nearest to a size. It may be outside the valid codes.
pub fn code_near(step: f64) -> i32 {
    (eighths_of(step as f32) + 0.5).floor() as i32 + STEP_CODE_OF_ONE
}
