//! The coarsest steps at which every sample can be held.

use super::decode::EXACT;
use super::judge::Plan;
use super::solve::{Frame, Solver};
use super::tracks::{Track, code_below, eighths_of};
use crate::codecs::{Cancelled, Progress};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// First stride of the search for the common factor, and the difference that ends it: eighths of octaves.
const FIRST_STRIDE: f32 = 4.0;
const LAST_STRIDE: f32 = 0.5;
/// Steps this much finer than fair ones are not what fails: float32 is.
const FINEST: f32 = -64.0;
/// Samples that a task takes.
const SAMPLES_A_TASK: usize = 8;

/// Looks for steps.
pub struct Search<'a> {
    plan: &'a Plan<'a>,
    pub tracks: Vec<Track>,
    pub frames: Vec<Frame>,
    limit_sq: f32,
    /// Samples that failed before, the last first: they likely fail again.
    hardest: Vec<usize>,
    joints: Vec<usize>,
    progress: &'a Progress,
}

impl<'a> Search<'a> {
    pub fn new(plan: &'a Plan<'a>, tracks: Vec<Track>, limit_m: f32, progress: &'a Progress) -> Self {
        let (joints, samples) = (plan.joints.len(), plan.source.clip.samples());
        let frames = vec![Frame::new(joints, tracks.len()); samples];
        let joints = (0..joints).collect();
        let mut tracks = tracks;
        tracks.iter_mut().for_each(|t| t.set_codes([EXACT + 1; 3]));
        Self { plan, tracks, frames, limit_sq: limit_m * limit_m, hardest: Vec::new(), joints, progress }
    }

    /// The largest factor common to all steps; false where not even float32 samples are within the limit.
    pub fn run(&mut self) -> Result<bool, Cancelled> {
        let (mut within, mut beyond) = (None, None);
        let (mut at, mut stride) = (0.0f32, FIRST_STRIDE);
        loop {
            self.set_factor(at);
            let failing = self.fails()?; // DBG
            if std::env::var_os("DBG").is_some() { // DBG
                eprintln!("{} at {at}: fails {:?} sample {:?}", self.plan.source.clip.name(), failing.map(|j| self.plan.source.skeleton.name(j)), self.hardest.first()); // DBG
            } // DBG
            match failing {
                None => within = Some((at, self.frames.clone())),
                Some(joint) if at <= FINEST && !self.make_exact(joint) => return Ok(false),
                Some(_) if at <= FINEST => {
                    (beyond, stride) = (None, FIRST_STRIDE);
                    continue;
                }
                Some(_) => beyond = Some(at),
            }
            at = match (&within, beyond) {
                (Some((within, _)), Some(beyond)) if beyond - within <= LAST_STRIDE => break,
                (Some((within, _)), Some(beyond)) => 0.5 * (within + beyond),
                (Some((within, _)), None) => within + stride,
                (None, _) => (at - stride).max(FINEST),
            };
            if within.is_none() || beyond.is_none() {
                stride *= 2.0;
            }
            if at > 64.0 {
                break;
            }
        }
        if let Some((at, frames)) = within {
            self.set_factor(at);
            self.frames = frames;
        }
        Ok(true)
    }

    fn set_factor(&mut self, eighths: f32) {
        for track in self.tracks.iter_mut().filter(|t| !t.is_exact()) {
            let fair = self.plan.joints[track.joint].fair_steps[track.channel as usize];
            track.set_codes(fair.to_array().map(|step| code_below(eighths_of(step) + eighths)));
        }
    }

    /// Stores a joint's tracks as float32, or those of the nearest joint above that are not yet.
    fn make_exact(&mut self, joint: usize) -> bool {
        let mut chain = std::iter::successors(Some(joint), |&joint| self.plan.joints[joint].parent);
        let tracks = chain.find_map(|joint| {
            let coarse = |t: &&usize| !self.tracks[**t].is_exact();
            let tracks: Vec<usize> = self.plan.joints[joint].tracks.iter().flatten().filter(coarse).copied().collect();
            (!tracks.is_empty()).then_some(tracks)
        });
        tracks.iter().flatten().for_each(|t| self.tracks[*t].set_codes([EXACT; 3]));
        tracks.is_some()
    }

    /// Solves every sample; a joint that is beyond the limit in one of them.
    fn fails(&mut self) -> Result<Option<usize>, Cancelled> {
        self.progress.check()?;
        let solver = Solver { plan: self.plan, tracks: &self.tracks, limit_sq: self.limit_sq };
        for at in 0..self.hardest.len() {
            let sample = self.hardest[at];
            if let Err(joint) = solver.solve(sample, &self.joints, &mut self.frames[sample]) {
                let sample = self.hardest.remove(at);
                self.hardest.insert(0, sample);
                return Ok(Some(joint));
            }
        }
        let failed = AtomicUsize::new(usize::MAX);
        let joints = &self.joints;
        let (hardest, progress) = (&self.hardest, self.progress);
        self.frames.par_iter_mut().with_min_len(SAMPLES_A_TASK).enumerate().try_for_each(|(sample, frame)| {
            // The first that fails is the one that counts, so that it is the same on any number of threads.
            if sample > failed.load(Ordering::Relaxed) || hardest.contains(&sample) {
                return Ok(());
            }
            progress.check()?;
            if solver.solve(sample, joints, frame).is_err() {
                failed.fetch_min(sample, Ordering::Relaxed);
            }
            Ok(())
        })?;
        let failed = failed.into_inner();
        if failed == usize::MAX {
            return Ok(None);
        }
        self.hardest.insert(0, failed);
        self.hardest.truncate(8);
        let joint = solver.solve(failed, &self.joints, &mut self.frames[failed]).err();
        Ok(joint)
    }
}
