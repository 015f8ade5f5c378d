//! The steps of one block: as coarse as the tolerance lets them be.

use super::block::{Block, Buffers};
use super::decode::{EXACT, Track};
use super::signals::fits;
use crate::codecs::encode::Trial;
use crate::codecs::encode::lattice::eighths_of;
use crate::codecs::{Cancelled, Progress};
use crate::math::{STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, Transform};
use crate::model::Skeleton;

/// Octaves below and above the guess of a track's step in which all are looked for together.
const FINER_OCTAVES: i32 = 12;
const COARSER_OCTAVES: i32 = 6;
/// How much coarser each track is tried, one after another: from an octave to the smallest difference.
const STRIDES: [u8; 4] = [8, 4, 2, 1];

/// Finds the steps of one block.
pub struct Search<'a> {
    pub block: &'a Block<'a>,
    pub skeleton: &'a Skeleton,
    /// Transforms of the clip, `joints x samples of the block`.
    pub raw: &'a [Transform],
    pub trial: Trial<'a>,
    /// What a step of each track may be were it alone, as a code.
    pub guesses: &'a [i32],
    pub progress: &'a Progress,
    /// Code and coefficients of each track.
    steps: Vec<u8>,
    coefficients: Vec<[Vec<f64>; 3]>,
    /// Finest code that each track's numbers fit.
    finest: Vec<u8>,
    /// Tracks whose every number is zero: coarser steps win nothing.
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

    /// The coarsest steps found within the limit, one code a track; `None` when not even float32 samples are within.
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

    /// Sets every track to the finest step that is searched, and to float32 where that is too coarse.
    fn start_within_limit(&mut self) -> bool {
        (0..self.steps.len())
            .for_each(|track| self.set(track, self.offset(track, -FINER_OCTAVES * STEP_CODES_AN_OCTAVE)));
        while let Some(joint) = self.trial.update() {
            // Parents are within, so the joint itself is at fault, or what its parents leave it is too little.
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

    /// The code of a track some way from its guess; exact ones stay so.
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

    /// First phase: all tracks together, each the same way from its guess. The error grows with the step, nearly, so the
    /// coarsest is found by halves; whatever is found is within the limit.
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

    /// Second phase: each track as far as the limit lets it, leaves first, in rounds: none takes all that others leave.
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

    /// Steps were found for tracks by themselves: in a joined signal the noise of neighbours comes in, so all are made finer
    /// together until the block is within the limit. False when no step is.
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

/// The smallest code whose numbers fit; [`EXACT`] when none does.
fn finest_code(track: &Track, coefficients: &[Vec<f64>; 3]) -> u8 {
    let largest = coefficients.iter().flatten().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    (1..=255).find(|code| fits(largest, track.step(*code))).unwrap_or(EXACT)
}

/// The code of the step nearest to a size, not limited to those that there are.
pub fn code_near(step: f64) -> i32 {
    (eighths_of(step as f32) + 0.5).floor() as i32 + STEP_CODE_OF_ONE
}
