//! The steps of one block in which joints are aimed at the decoded pose of their parents.

use super::block::BlockCodes;
use super::decode::EXACT;
use super::solve::{Decoded, Solver};
use crate::codecs::encode::lattice::{code_below, eighths_of};
use crate::codecs::{Cancelled, Progress};

/// If steps this many codes finer than the fair ones fail, the joint needs float32.
const FINEST: i32 = -64;
/// The search stops at steps this many codes coarser than the fair ones.
const COARSEST: i32 = 64;
/// First stride of the search for the common factor of all steps.
const FIRST_STRIDE: i32 = 4;
/// Increments of steps in codes, one per round. Single codes would save 0.2 % but take a sixth more time.
const GROWTH: [u8; 3] = [8, 4, 2];

/// Shares of the limit up to which joints are rounded towards zero. The first that holds is used.
const TRIM_SHARES: [f32; 3] = [0.99, 0.9, 0.8];

/// Finds the steps of one block.
pub struct AimedSearch<'a> {
    pub solver: Solver<'a>,
    pub found: Decoded,
    trial: Decoded,
    joints: Vec<usize>,
    progress: &'a Progress,
}

impl<'a> AimedSearch<'a> {
    pub fn new(solver: Solver<'a>, progress: &'a Progress) -> Self {
        let joints = solver.plan.joints.len();
        let mut solver = solver;
        solver.tracks.iter_mut().for_each(|t| t.set_codes([EXACT + 1; 3]));
        let found = Decoded::new(joints, solver.plan.raw.samples().len(), solver.tracks.len());
        Self { solver, trial: found.clone(), found, joints: (0..joints).collect(), progress }
    }

    /// The coarsest steps found within the limit. False if even float32 samples exceed it.
    pub fn run(&mut self) -> Result<bool, Cancelled> {
        if !self.coarsen_together()? {
            return Ok(false);
        }
        self.coarsen_each()?;
        self.trim()?;
        Ok(true)
    }

    /// The result in its stored form.
    pub fn codes(self) -> BlockCodes {
        let mut codes =
            BlockCodes { steps: self.solver.tracks.iter().map(|t| t.codes).collect(), ..BlockCodes::default() };
        for (track, signals) in self.solver.tracks.iter().zip(self.found.signals).filter(|(t, _)| !t.is_exact()) {
            codes.signals[track.channel as usize].extend(signals);
        }
        codes
    }

    /// Moves all steps from the fair ones as far as the limit allows.
    fn coarsen_together(&mut self) -> Result<bool, Cancelled> {
        let (mut within, mut beyond) = (None, None);
        let (mut at, mut stride) = (0, FIRST_STRIDE);
        loop {
            self.progress.check()?;
            self.set_factor(at);
            match self.solver.solve(&self.joints, &mut self.trial) {
                Ok(()) => {
                    within = Some(at);
                    std::mem::swap(&mut self.found, &mut self.trial);
                }
                Err(joint) if at <= FINEST => {
                    if !self.make_exact(joint) {
                        return Ok(false);
                    }
                    (beyond, stride) = (None, FIRST_STRIDE);
                    continue;
                }
                Err(_) => beyond = Some(at),
            }
            at = match (within, beyond) {
                (Some(within), Some(beyond)) if beyond - within <= 1 => break,
                (Some(within), _) if within >= COARSEST => break,
                (Some(within), Some(beyond)) => (within + beyond).div_euclid(2),
                (Some(within), None) => (within + stride).min(COARSEST),
                (None, _) => (at - stride).max(FINEST),
            };
            if within.is_none() || beyond.is_none() {
                stride *= 2;
            }
        }
        self.set_factor(within.unwrap_or(FINEST));
        self.trial.clone_from(&self.found);
        Ok(true)
    }

    fn set_factor(&mut self, codes: i32) {
        let joints = &self.solver.plan.joints;
        for track in self.solver.tracks.iter_mut().filter(|t| !t.is_exact()) {
            let fair = joints[track.joint].fair_steps[track.channel as usize];
            track.set_codes(fair.to_array().map(|step| code_below(eighths_of(step) + codes as f32)));
        }
    }

    /// Stores a joint's tracks as float32, or those of the nearest ancestor that is not exact yet.
    fn make_exact(&mut self, joint: usize) -> bool {
        let joints = &self.solver.plan.joints;
        let mut chain = std::iter::successors(Some(joint), |&joint| joints[joint].parent);
        let tracks = chain.find_map(|joint| {
            let coarse = |t: &&usize| !self.solver.tracks[**t].is_exact();
            let tracks: Vec<usize> = joints[joint].tracks.iter().flatten().filter(coarse).copied().collect();
            (!tracks.is_empty()).then_some(tracks)
        });
        tracks.iter().flatten().for_each(|t| self.solver.tracks[*t].set_codes([EXACT; 3]));
        tracks.is_some()
    }

    /// Makes each step coarser as far as the limit allows, joints far from the root first.
    fn coarsen_each(&mut self) -> Result<(), Cancelled> {
        let lattice: Vec<usize> =
            (0..self.solver.tracks.len()).filter(|t| !self.solver.tracks[*t].is_exact()).collect();
        for stride in GROWTH {
            for &track in lattice.iter().rev() {
                self.solver.keep_aim(Some(track));
                let joints = self.solver.plan.source.skeleton.subtree(self.solver.tracks[track].joint);
                for axis in [2, 1, 0] {
                    while self.try_coarser(track, axis, stride, &joints)? {}
                }
            }
        }
        Ok(())
    }

    /// Rounds joints towards zero, joints near the root first. Each uses the largest share of the limit at which all its descendants stay
    /// within.
    fn trim(&mut self) -> Result<(), Cancelled> {
        self.solver.keep_aim(None);
        for joint in 0..self.joints.len() {
            if self.solver.plan.joints[joint].tracks == [None; 3] {
                continue;
            }
            self.progress.check()?;
            let joints = self.solver.plan.source.skeleton.subtree(joint);
            for share in TRIM_SHARES {
                self.solver.trims[joint] = share;
                if self.solver.fits(&joints, &mut self.trial) {
                    self.found.copy_joints(&self.trial, self.solver.plan, &joints);
                    break;
                }
                self.trial.copy_joints(&self.found, self.solver.plan, &self.solver.tried);
                self.solver.trims[joint] = 0.0;
            }
        }
        Ok(())
    }

    fn try_coarser(&mut self, track: usize, axis: usize, stride: u8, joints: &[usize]) -> Result<bool, Cancelled> {
        self.progress.check()?;
        if self.found.signals[track][axis].is_zero() {
            return Ok(false);
        }
        let before = self.solver.tracks[track].codes;
        let mut codes = before;
        codes[axis] = codes[axis].saturating_add(stride);
        self.solver.tracks[track].set_codes(codes);
        if codes == before {
            return Ok(false);
        }
        let fits = self.solver.fits(joints, &mut self.trial);
        if fits {
            self.found.copy_joints(&self.trial, self.solver.plan, joints);
        } else {
            self.trial.copy_joints(&self.found, self.solver.plan, &self.solver.tried);
            self.solver.tracks[track].set_codes(before);
        }
        Ok(fits)
    }
}
