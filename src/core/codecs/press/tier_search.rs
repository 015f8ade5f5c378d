//! Chooses the bit planes that a clip does not need.

use super::tiers::{Parts, TierError};
use super::{MOST_PLANES, bits_without, planes_within};
use crate::codecs::{Progress, Source, seen};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::metrics::{Lift, Weights, shell_error_sq};
use crate::model::{Channel, ClipSampler, ModelPose, Pose, Sampler};
use glam::Affine3A;
use posepress_runtime::internal::codecs::press::Contents;
use posepress_runtime::{BindPose, CodecId, Opened, Player};
use std::ops::Range;

/// Factor by which a squared error beyond the limit may grow because of rounding.
const ROUNDING: f32 = 1.0001;
/// Joints times steps that are checked while planes of a block are chosen. Long takes are checked at every nth step.
const MOST_TRANSFORMS: usize = 1 << 18;
/// The bits saved in the clip must be at least this part of the bits added to the tier.
const LEAST_SAVED: f32 = 0.5;

/// Chooses how many planes to move from each track.
///
/// The decoded values of a track depend only on its own planes. So the clip is decoded once without one plane of every track, once without
/// two, and so on. Any choice is combined from the local transforms of these.
pub struct Search<'a> {
    source: &'a Source<'a>,
    /// Steps per sample.
    sub_frames: usize,
    /// Applied to the scales of the source and of everything that is compared with it.
    lift: Lift,
    weights: Weights<'a>,
    codec: CodecId,
    bind: BindPose,
    parts: &'a Parts,
    /// The clip's bytes without 0, 1, 2 and so on planes of every track.
    clips: Vec<Vec<u8>>,
    /// Per joint: the joint and its descendants, parents first.
    below: Vec<Vec<usize>>,
}

type Playing<'a> = Box<dyn Sampler + Send + 'a>;

/// A number of planes that could be moved from a track.
struct Candidate {
    track: usize,
    planes: u8,
    /// The square of the largest error that it alone causes, per squared bit that it saves.
    rank: f32,
}

impl<'a> Search<'a> {
    pub fn new(
        source: &'a Source<'a>,
        sub_frames: usize,
        codec: CodecId,
        parts: &'a Parts,
        clip: &[u8],
    ) -> Result<Self, TierError> {
        let skeleton = source.skeleton;
        let without = |planes: u8| {
            let of = |contents: &Contents| contents.head.tracks.iter().map(|t| planes_within(t, planes)).collect();
            let planes: Vec<Vec<u8>> = parts.stretches.iter().map(of).collect();
            parts.take_out(codec, clip, &planes).clip
        };
        Ok(Self {
            source,
            sub_frames,
            lift: Lift::of(skeleton, source.clip, |joint| source.is_exact(joint)),
            weights: source.weights.at_steps(sub_frames),
            codec,
            bind: skeleton.shared_bind().map_err(DecodeError::from)?,
            parts,
            clips: (0..=MOST_PLANES).map(without).collect(),
            below: (0..skeleton.len()).map(|joint| skeleton.subtree(joint)).collect(),
        })
    }

    /// The number of planes to move, per block of samples and track, within a share of the tolerance.
    pub fn choose(&self, share: f32, progress: &Progress) -> Result<Vec<Vec<u8>>, TierError> {
        let limit_m = self.source.tolerance_m * share;
        let mut players = self.clips.iter().map(|clip| self.play(clip)).collect::<Result<Vec<_>, _>>()?;
        let mut out = Vec::new();
        for (stretch, contents) in self.parts.stretches.iter().enumerate() {
            progress.check()?;
            let motion = Motion::new(self, &mut players, self.steps(stretch), limit_m * limit_m);
            out.push(self.stretch(contents, motion));
        }
        Ok(out)
    }

    /// True if no error of a clip exceeds its limit.
    pub fn is_held(&self, clip: &[u8]) -> Result<bool, TierError> {
        let (mut raw, mut before, mut after) = (self.play_source(), self.play(&self.clips[0])?, self.play(clip)?);
        let limit_sq = self.source.tolerance_m * self.source.tolerance_m;
        let mut is_step_held = |step: usize| {
            let [raw, before, after] = [&mut raw, &mut before, &mut after].map(|player| self.models(step, player));
            (0..self.bind.len()).all(|joint| {
                let error_sq = |model: &ModelPose| self.error_sq(step, joint, &raw.joints[joint], &model.joints[joint]);
                error_sq(&after) <= limit_sq.max(error_sq(&before) * ROUNDING)
            })
        };
        Ok((0..self.all_steps()).all(&mut is_step_held))
    }

    fn models(&self, step: usize, player: &mut Playing<'_>) -> ModelPose {
        let mut pose = self.empty_pose();
        self.sample(step, player, &mut pose);
        ModelPose::new(self.source.skeleton, &pose.joints)
    }

    /// The number of planes to move from each track of a block. Candidates are tried in the order of error per saved bits.
    fn stretch(&self, contents: &Contents, mut motion: Motion<'_>) -> Vec<u8> {
        let mut candidates = Vec::new();
        for (number, track) in contents.head.tracks.iter().enumerate() {
            let whole = bits_without(contents, number, 0);
            for planes in 1..=planes_within(track, MOST_PLANES) {
                let saved = whole as f32 - bits_without(contents, number, planes) as f32;
                let moved = (3 * contents.samples * usize::from(planes)) as f32;
                if saved >= moved * LEAST_SAVED {
                    let worst = motion.worst(track.joint, track.channel, planes.into());
                    candidates.push(Candidate { track: number, planes, rank: worst / (saved * saved) });
                }
            }
        }
        candidates.sort_by(|a, b| a.rank.total_cmp(&b.rank).then((a.track, a.planes).cmp(&(b.track, b.planes))));
        let mut out = vec![0; contents.head.tracks.len()];
        for Candidate { track, planes, .. } in candidates {
            let of = &contents.head.tracks[track];
            if planes > out[track] && motion.change(of.joint, of.channel, planes.into()) {
                out[track] = planes;
            }
        }
        out
    }

    /// The steps of a block that are checked. Steps after the last stored sample belong to the last block.
    fn steps(&self, stretch: usize) -> Vec<usize> {
        let (samples, sub_frames) = (self.parts.payload.samples_of(stretch), self.sub_frames);
        let is_last = stretch + 1 == self.parts.stretches.len();
        let end = if is_last { self.all_steps() } else { (samples.end - 1) * sub_frames };
        let steps: Range<usize> = samples.start * sub_frames..end;
        let stride = (steps.len() * self.bind.len()).div_ceil(MOST_TRANSFORMS).max(1);
        steps.step_by(stride).collect()
    }

    fn all_steps(&self) -> usize {
        self.source.clip.grid().steps(self.sub_frames).len()
    }

    fn place(&self, step: usize) -> f64 {
        step as f64 / self.sub_frames as f64
    }

    fn play<'b>(&self, clip: &'b [u8]) -> Result<Playing<'b>, DecodeError> {
        let player = Player::new(Box::new(Opened::new(self.codec, clip, &self.bind)?))?;
        Ok(seen(player, self.source.clip))
    }

    fn play_source(&self) -> Playing<'a> {
        Box::new(ClipSampler::new(self.source.clip))
    }

    fn empty_pose(&self) -> Pose {
        Pose::with_size(self.bind.len(), self.source.clip.float_tracks())
    }

    fn sample(&self, step: usize, player: &mut Playing<'_>, pose: &mut Pose) {
        player.sample(self.place(step), pose);
        self.lift.raise(&mut pose.joints);
    }

    /// The weighted square of a joint's error.
    fn error_sq(&self, step: usize, joint: usize, raw: &Affine3A, model: &Affine3A) -> f32 {
        let weight = self.weights.at(step, joint);
        shell_error_sq(raw, model, self.source.shells_m[joint]) * (weight * weight)
    }
}

/// The poses of a block, with the planes that were moved so far.
struct Motion<'a> {
    search: &'a Search<'a>,
    steps: Vec<usize>,
    joints: usize,
    raw: Vec<Affine3A>,
    /// Local transforms without 0, 1, 2 and so on planes, step after step.
    versions: Vec<Vec<Transform>>,
    locals: Vec<Transform>,
    models: Vec<Affine3A>,
    /// Squares of the error limits.
    allowed_sq: Vec<f32>,
    /// Matrices of one step during a trial.
    tried: Vec<Affine3A>,
}

impl<'a> Motion<'a> {
    fn new(search: &'a Search<'a>, players: &mut [Playing<'_>], steps: Vec<usize>, limit_sq: f32) -> Self {
        let joints = search.bind.len();
        let mut pose = search.empty_pose();
        let mut decode = |player: &mut Playing<'_>| {
            let mut out = Vec::with_capacity(joints * steps.len());
            for step in &steps {
                search.sample(*step, player, &mut pose);
                out.extend_from_slice(&pose.joints);
            }
            out
        };
        let versions: Vec<Vec<Transform>> = players.iter_mut().map(&mut decode).collect();
        let (mut raw, mut models, mut allowed_sq) = (Vec::new(), Vec::new(), Vec::new());
        let (mut source, mut model) = (search.play_source(), ModelPose::default());
        for (step, locals) in steps.iter().zip(versions[0].chunks(joints.max(1))) {
            let of_source = search.models(*step, &mut source).joints;
            model.update(search.source.skeleton, locals);
            for (joint, (raw, model)) in of_source.iter().zip(&model.joints).enumerate() {
                allowed_sq.push(limit_sq.max(search.error_sq(*step, joint, raw, model) * ROUNDING));
            }
            models.extend_from_slice(&model.joints);
            raw.extend(of_source);
        }
        let locals = versions[0].clone();
        let tried = vec![Affine3A::IDENTITY; joints];
        Self { search, steps, joints, raw, versions, locals, models, allowed_sq, tried }
    }

    /// The square of the largest error of a joint and its descendants, with one channel replaced by a version.
    fn worst(&mut self, joint: usize, channel: Channel, version: usize) -> f32 {
        let mut worst = 0.0f32;
        self.each_error(joint, channel, version, |error_sq, _| {
            worst = worst.max(error_sq);
            true
        });
        worst
    }

    /// Replaces a channel by a version, if all errors then are within their limits.
    fn change(&mut self, joint: usize, channel: Channel, version: usize) -> bool {
        if !self.each_error(joint, channel, version, |error_sq, allowed_sq| error_sq <= allowed_sq) {
            return false;
        }
        for at in 0..self.steps.len() {
            let place = at * self.joints + joint;
            put(channel, &self.versions[version][place], &mut self.locals[place]);
            let local = self.locals[place];
            self.try_step(at, joint, &local);
            for &joint in &self.search.below[joint] {
                self.models[at * self.joints + joint] = self.tried[joint];
            }
        }
        true
    }

    /// Visits the errors of a joint and its descendants with their limits, at every step at which the version differs. Stops when `is_fine`
    /// returns false.
    fn each_error(
        &mut self,
        joint: usize,
        channel: Channel,
        version: usize,
        mut is_fine: impl FnMut(f32, f32) -> bool,
    ) -> bool {
        let search = self.search;
        for at in 0..self.steps.len() {
            let place = at * self.joints + joint;
            let mut local = self.locals[place];
            put(channel, &self.versions[version][place], &mut local);
            if local == self.locals[place] {
                continue;
            }
            self.try_step(at, joint, &local);
            for &joint in &search.below[joint] {
                let place = at * self.joints + joint;
                let error_sq = search.error_sq(self.steps[at], joint, &self.raw[place], &self.tried[joint]);
                if !is_fine(error_sq, self.allowed_sq[place]) {
                    return false;
                }
            }
        }
        true
    }

    /// Computes the matrices of a joint with that local transform, and of its descendants.
    fn try_step(&mut self, at: usize, joint: usize, local: &Transform) {
        let skeleton = self.search.source.skeleton;
        let (locals, models) = (&self.locals[at * self.joints..], &self.models[at * self.joints..]);
        for &below in &self.search.below[joint] {
            let local = if below == joint { local } else { &locals[below] }.to_affine();
            self.tried[below] = match skeleton.parent(below) {
                Some(parent) if below == joint => models[parent] * local,
                Some(parent) => self.tried[parent] * local,
                None => local,
            };
        }
    }
}

fn put(channel: Channel, from: &Transform, to: &mut Transform) {
    match channel {
        Channel::Rotation => to.rotation = from.rotation,
        Channel::Translation => to.translation = from.translation,
        Channel::Scale => to.scale = from.scale,
    }
}
