//! The coarsest steps at which every sample stays within the limit.

use super::between::{Scratch, is_within};
use super::plan::Plan;
use super::solve::{Chosen, Frame, Solver, TRIES};
use super::track::{LatticeTrack, code_below, eighths_of};
use crate::codecs::runtime::LATTICE_EXACT;
use crate::codecs::{Cancelled, Progress};
use crate::metrics::{MOST_TIMES_MEAN, Promise, PromisedError};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// First and last stride of the search for the common factor, in eighths of an octave.
const FIRST_STRIDE: f32 = 4.0;
const LAST_STRIDE: f32 = 0.5;
/// The factor above that of a part of the samples at which the search for a mean goes on, in eighths of an octave.
const COARSER: f32 = 1.5;
/// If steps this much finer than the fair ones fail, the joint needs float32.
const FINEST: f32 = -64.0;
/// The first phase checks one of this many samples, but at least this number of samples.
const ONE_SAMPLE_IN: usize = 8;
const LEAST_SAMPLES: usize = 8;
/// Samples per task.
const SAMPLES_A_TASK: usize = 8;

/// Increments of steps in eighths of an octave, one per round.
const GROWTH: [u8; 4] = [8, 4, 2, 1];

/// A search for steps.
pub struct Search<'a> {
    plan: &'a Plan<'a>,
    pub tracks: Vec<LatticeTrack>,
    pub frames: Vec<Frame>,
    limit_m: f32,
    /// Square of the largest error that a joint may have in a sample.
    limit_sq: f32,
    /// Samples that failed before, the latest first. They are likely to fail again.
    hardest: Vec<usize>,
    joints: Vec<usize>,
    /// The frames of a trial with a coarser step.
    trial: Vec<Frame>,
    /// Per track, the sample that last failed with a coarser step.
    hard: Vec<usize>,
    progress: &'a Progress,
}

/// Tries other integers for a sample until the sample and both intervals beside it are within the limit.
fn fix(solver: &Solver<'_>, joints: &[usize], frames: &mut [Frame], sample: usize, scratch: &mut Scratch) -> bool {
    let (mut tried, mut chosen) = (frames[sample].clone(), Chosen::new(solver.plan));
    for attempt in 1..=TRIES {
        if solver.try_once((sample, attempt), joints, &mut tried, &mut chosen).is_err() {
            continue;
        }
        let mut fits = |before: usize| {
            let pair = [before, before + 1].map(|at| if at == sample { &tried } else { &frames[at] });
            is_within(solver.plan, solver.limit_sq, before, pair, scratch)
        };
        if (sample == 0 || fits(sample - 1)) && (sample + 1 == frames.len() || fits(sample)) {
            frames[sample] = tried;
            return true;
        }
    }
    false
}

impl<'a> Search<'a> {
    pub fn new(plan: &'a Plan<'a>, tracks: Vec<LatticeTrack>, limit_m: f32, progress: &'a Progress) -> Self {
        let (joints, samples) = (plan.joints.len(), plan.source.clip.samples());
        let promise = plan.source.promise;
        let frames = vec![Frame::new(joints, tracks.len(), promise); samples];
        let most_m = if promise == Promise::Mean { limit_m * MOST_TIMES_MEAN } else { limit_m };
        let joints = (0..joints).collect();
        let hard = vec![0; tracks.len()];
        let mut tracks = tracks;
        tracks.iter_mut().for_each(|t| t.set_codes([LATTICE_EXACT + 1; 3]));
        Self {
            plan,
            tracks,
            frames,
            limit_m,
            limit_sq: most_m * most_m,
            hardest: Vec::new(),
            joints,
            trial: Vec::new(),
            hard,
            progress,
        }
    }

    /// The largest common factor of all steps. False if even float32 samples exceed the limit.
    pub fn run(&mut self, progress: &Progress) -> Result<bool, Cancelled> {
        let Some(found) = self.bracket(progress)? else { return Ok(false) };
        let mut at = match self.plan.source.promise {
            Promise::Largest => found,
            Promise::Mean => found + COARSER, // the mean of all samples may be below that of a part
        };
        loop {
            self.set_factor(at);
            match self.fails(1)? {
                None if at < FINEST || self.fix_between()? => return Ok(true),
                Some(joint) if at <= FINEST => {
                    let again = if self.make_exact(joint) { self.bracket(progress)? } else { None };
                    let Some(found) = again else { return Ok(false) };
                    at = found;
                }
                // Finer steps almost always fit between the samples too.
                _ => at -= LAST_STRIDE,
            }
        }
    }

    /// The largest factor at which a part of the samples is within the limit. All samples rarely need another. `None` if even float32
    /// samples exceed the limit.
    fn bracket(&mut self, progress: &Progress) -> Result<Option<f32>, Cancelled> {
        let every = (self.frames.len() / LEAST_SAMPLES).clamp(1, ONE_SAMPLE_IN);
        let (mut within, mut beyond) = (None, None);
        let (mut at, mut stride) = (0.0f32, FIRST_STRIDE);
        for pass in 0.. {
            progress.set_fraction(1.0 - 0.8f32.powi(pass));
            self.set_factor(at);
            match self.fails(every)? {
                None => within = Some(at),
                Some(joint) if at <= FINEST && !self.make_exact(joint) => return Ok(None),
                Some(_) if at <= FINEST => {
                    (beyond, stride) = (None, FIRST_STRIDE);
                    continue;
                }
                Some(_) => beyond = Some(at),
            }
            at = match (within, beyond) {
                (Some(within), Some(beyond)) if beyond - within <= LAST_STRIDE => break,
                (Some(within), Some(beyond)) => 0.5 * (within + beyond),
                (Some(within), None) => within + stride,
                (None, _) => (at - stride).max(FINEST),
            };
            if within.is_none() || beyond.is_none() {
                stride *= 2.0;
            }
            if at > 64.0 {
                break;
            }
        }
        Ok(within)
    }

    /// Tries other integers for samples with too large an error halfway to the next. False if none help.
    fn fix_between(&mut self) -> Result<bool, Cancelled> {
        self.progress.check()?;
        let (plan, limit_sq, frames) = (self.plan, self.limit_sq, &self.frames);
        let bad = |scratch: &mut Scratch, sample: usize| {
            (!is_within(plan, limit_sq, sample, [&frames[sample], &frames[sample + 1]], scratch)).then_some(sample)
        };
        let intervals = (0..frames.len().saturating_sub(1)).into_par_iter().with_min_len(SAMPLES_A_TASK);
        let bad: Vec<usize> = intervals.map_init(Scratch::default, bad).flatten_iter().collect();
        let solver = Solver { plan, tracks: &self.tracks, limit_sq };
        let mut scratch = Scratch::default();
        for interval in bad {
            self.progress.check()?;
            let fixed = [interval + 1, interval]
                .into_iter()
                .any(|sample| fix(&solver, &self.joints, &mut self.frames, sample, &mut scratch));
            if !fixed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes every step coarser as long as everything stays within the limit, joints far from the root first.
    pub fn grow(&mut self, progress: &Progress) -> Result<(), Cancelled> {
        self.trial.clone_from(&self.frames);
        let steps = GROWTH.len() * self.tracks.len();
        for (round, stride) in GROWTH.into_iter().enumerate() {
            let lattice: Vec<usize> = (0..self.tracks.len()).rev().filter(|t| !self.tracks[*t].is_exact()).collect();
            for track in lattice {
                progress.set_fraction(((round + 1) * self.tracks.len() - track) as f32 / steps as f32);
                let joints = self.plan.source.skeleton.subtree(self.tracks[track].joint);
                for axis in [2, 1, 0] {
                    while self.try_step(track, axis, stride, &joints)? {}
                }
            }
        }
        Ok(())
    }

    /// Makes a step coarser by some codes if everything stays within the limit.
    fn try_step(&mut self, track: usize, axis: usize, stride: u8, joints: &[usize]) -> Result<bool, Cancelled> {
        self.progress.check()?;
        let before = self.tracks[track].codes;
        let mut codes = before;
        codes[axis] = codes[axis].saturating_add(stride);
        self.tracks[track].set_codes(codes);
        let is_taken = codes != before && self.solve_again(joints, track);
        if !is_taken {
            self.tracks[track].set_codes(before);
        }
        Ok(is_taken)
    }

    /// Solves some joints of every sample again. Returns false and restores everything if something exceeds the limit.
    fn solve_again(&mut self, joints: &[usize], track: usize) -> bool {
        let (plan, limit_sq) = (self.plan, self.limit_sq);
        let solver = Solver { plan, tracks: &self.tracks, limit_sq };
        let (failed, progress) = (AtomicUsize::new(usize::MAX), self.progress);
        let solve = |chosen: &mut Chosen, (sample, frame): (usize, &mut Frame)| {
            let is_open = sample < failed.load(Ordering::Relaxed);
            if is_open && (progress.is_cancelled() || solver.solve(sample, joints, frame, chosen).is_err()) {
                failed.fetch_min(sample, Ordering::Relaxed);
            }
        };
        let hard = self.hard[track];
        solve(&mut Chosen::new(plan), (hard, &mut self.trial[hard]));
        if failed.load(Ordering::Relaxed) == usize::MAX {
            let frames = self.trial.par_iter_mut().with_min_len(SAMPLES_A_TASK).enumerate();
            frames.for_each_init(|| Chosen::new(plan), solve);
        }
        let failed = failed.into_inner();
        let fits = failed == usize::MAX
            && self.above_on_average(self.trial.iter()).is_none()
            && self.is_within_between(&self.trial);
        if failed != usize::MAX {
            self.hard[track] = failed;
        }
        let (to, from) = if fits { (&mut self.frames, &self.trial) } else { (&mut self.trial, &self.frames) };
        to.par_iter_mut()
            .zip(from)
            .with_min_len(SAMPLES_A_TASK)
            .for_each(|(to, from)| to.copy_joints(from, plan, joints));
        fits
    }

    /// The joint with the largest mean error, if that exceeds the limit. Always `None` for [`Promise::Largest`].
    fn above_on_average<'f>(&self, frames: impl Iterator<Item = &'f Frame>) -> Option<usize> {
        let mut errors = PromisedError::new(self.plan.source.promise, self.joints.len());
        frames.for_each(|frame| errors.add(frame.errors_m.iter().copied()));
        errors.worst_mean().filter(|(_, mean_m)| *mean_m > self.limit_m).map(|(joint, _)| joint)
    }

    fn is_within_between(&self, frames: &[Frame]) -> bool {
        let fits = |scratch: &mut Scratch, sample: usize| {
            is_within(self.plan, self.limit_sq, sample, [&frames[sample], &frames[sample + 1]], scratch)
        };
        let intervals = (0..frames.len().saturating_sub(1)).into_par_iter().with_min_len(SAMPLES_A_TASK);
        intervals.map_init(Scratch::default, fits).all(|fits| fits)
    }

    fn set_factor(&mut self, eighths: f32) {
        for track in self.tracks.iter_mut().filter(|t| !t.is_exact()) {
            let fair = self.plan.joints[track.joint].fair_steps[track.channel as usize];
            track.set_codes(fair.to_array().map(|step| code_below(eighths_of(step) + eighths)));
        }
    }

    /// Stores a joint's tracks as float32, or those of the nearest ancestor that is not exact yet.
    fn make_exact(&mut self, joint: usize) -> bool {
        let mut chain = std::iter::successors(Some(joint), |&joint| self.plan.joints[joint].parent);
        let tracks = chain.find_map(|joint| {
            let coarse = |t: &&usize| !self.tracks[**t].is_exact();
            let tracks: Vec<usize> = self.plan.joints[joint].tracks.iter().flatten().filter(coarse).copied().collect();
            (!tracks.is_empty()).then_some(tracks)
        });
        tracks.iter().flatten().for_each(|t| self.tracks[*t].set_codes([LATTICE_EXACT; 3]));
        tracks.is_some()
    }

    /// Solves every nth sample. Returns a joint that exceeds the limit in one of them.
    fn fails(&mut self, every: usize) -> Result<Option<usize>, Cancelled> {
        self.progress.check()?;
        let solver = Solver { plan: self.plan, tracks: &self.tracks, limit_sq: self.limit_sq };
        let mut chosen = Chosen::new(self.plan);
        for at in 0..self.hardest.len() {
            let sample = self.hardest[at];
            if let Err(joint) = solver.solve(sample, &self.joints, &mut self.frames[sample], &mut chosen) {
                let sample = self.hardest.remove(at);
                self.hardest.insert(0, sample);
                return Ok(Some(joint));
            }
        }
        let failed = AtomicUsize::new(usize::MAX);
        let joints = &self.joints;
        let (hardest, progress) = (&self.hardest, self.progress);
        let frames = self.frames.par_iter_mut().enumerate().step_by(every).with_min_len(SAMPLES_A_TASK);
        let room = || Chosen::new(solver.plan);
        frames.try_for_each_init(room, |chosen, (sample, frame)| {
            // The first sample that fails decides, so that the result is the same on any number of threads.
            if sample > failed.load(Ordering::Relaxed) || hardest.contains(&sample) {
                return Ok(());
            }
            progress.check()?;
            if solver.solve(sample, joints, frame, chosen).is_err() {
                failed.fetch_min(sample, Ordering::Relaxed);
            }
            Ok(())
        })?;
        let failed = failed.into_inner();
        if failed == usize::MAX {
            return Ok(self.above_on_average(self.frames.iter().step_by(every)));
        }
        self.hardest.insert(0, failed);
        self.hardest.truncate(8);
        let joint = solver.solve(failed, &self.joints, &mut self.frames[failed], &mut chosen).err();
        Ok(joint)
    }
}
