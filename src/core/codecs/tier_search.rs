//! Which samples a clip can do without.

use super::press::{Stays, row_bits};
use super::tier_runs::keep_what_costs;
use super::tiers::{Parts, TierError};
use super::{Progress, Source};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::metrics::{ModelTrack, Weights, shell_error_sq};
use crate::model::{Channel, ModelPose, Pose};
use glam::Affine3A;
use posepress_runtime::codecs::press::{INTERVAL_SAMPLES, RowMap, SegmentMap};
use posepress_runtime::{CodecId, Opened, Player};
use std::ops::Range;

/// How much more than it was a square of an error beyond the limit may be: rounding.
const ROUNDING: f32 = 1.0001;

/// Versions of a track, by what stays of it.
const VERSIONS: [Stays; 3] = [Stays::All, Stays::Middles, Stays::Anchors];

/// Chooses, segment by segment, what stays of each track.
///
/// Anchors are the same whatever leaves, so segments do not know each other. In one of them what a track decodes to depends on
/// what stays of that track alone: the clip with all rows, with those of middles, and with none are decoded once, and any choice
/// is put together from the local transforms of these three.
pub struct Search<'a> {
    source: &'a Source<'a>,
    raw: &'a ModelTrack,
    weights: Weights<'a>,
    codec: CodecId,
    bind: Vec<Transform>,
    parts: &'a Parts,
    /// The clip's bytes by what stays, as [`VERSIONS`].
    clips: [Vec<u8>; 3],
    /// Of each joint: itself and those below, parents first.
    below: Vec<Vec<usize>>,
    limit_sq: f32,
}

type Playing<'a> = Player<Box<Opened<&'a [u8]>>>;

/// Something that could leave a segment.
struct Candidate {
    track: usize,
    stays: Stays,
    /// Bits that it saves.
    bits: usize,
    /// Square of the worst error that it makes by itself, over that of the limit.
    cost: f32,
}

impl<'a> Search<'a> {
    pub fn new(
        source: &'a Source<'a>,
        raw: &'a ModelTrack,
        codec: CodecId,
        parts: &'a Parts,
        clip: &[u8],
    ) -> Result<Self, TierError> {
        let skeleton = source.skeleton;
        let below = (0..skeleton.len()).map(|joint| skeleton.subtree(joint)).collect();
        let with = |stays: Stays| parts.take_out(clip, &every_segment(parts, stays)).clip;
        Ok(Self {
            source,
            raw,
            weights: source.weights.at_steps(raw.sub_frames()),
            codec,
            bind: skeleton.bind_pose(0).joints,
            parts,
            clips: VERSIONS.map(with),
            below,
            limit_sq: source.tolerance_m * source.tolerance_m,
        })
    }

    /// What stays, of each stretch, segment and track.
    pub fn choose(&mut self, progress: &Progress) -> Result<Vec<Vec<Vec<Stays>>>, TierError> {
        let mut stays = every_segment(self.parts, Stays::All);
        let mut versions = [self.open(0)?, self.open(1)?, self.open(2)?];
        for (stretch, map) in self.parts.maps.iter().enumerate() {
            for (segment, found) in map.segments.iter().zip(&mut stays[stretch]) {
                progress.check()?;
                let motion = Motion::new(self, &mut versions, self.steps(stretch, segment));
                *found = self.segment(map, segment, motion);
            }
            keep_what_costs(map, &mut stays[stretch]);
        }
        Ok(stays)
    }

    /// Leaves whole the segments in which that clip is farther off than it may be; false where there are none.
    pub fn give_back(&self, clip: &[u8], stays: &mut [Vec<Vec<Stays>>]) -> Result<bool, TierError> {
        let (mut before, mut after) = (self.open(0)?, self.play(clip)?);
        let mut is_changed = false;
        for (stretch, map) in self.parts.maps.iter().enumerate() {
            for (segment, stays) in map.segments.iter().zip(&mut stays[stretch]) {
                if stays.iter().all(|stays| *stays == Stays::All) {
                    continue;
                }
                let steps = self.steps(stretch, segment);
                if !steps.into_iter().all(|step| self.is_held(step, &mut before, &mut after)) {
                    stays.fill(Stays::All);
                    is_changed = true;
                }
            }
        }
        Ok(is_changed)
    }

    fn is_held(&self, step: usize, before: &mut Playing<'_>, after: &mut Playing<'_>) -> bool {
        let (before, after) = (self.models(step, before), self.models(step, after));
        let raw = self.raw.pose(step);
        (0..raw.len()).all(|joint| {
            let error_sq = |model: &ModelPose| self.error_sq(step, joint, &raw[joint], &model.joints[joint]);
            error_sq(&after) <= self.allowed_sq(error_sq(&before))
        })
    }

    fn models(&self, step: usize, player: &mut Playing<'_>) -> ModelPose {
        let mut pose = Pose::with_size(self.bind.len(), self.source.clip.float_tracks());
        player.sample(self.place(step), &mut pose);
        ModelPose::new(self.source.skeleton, &pose.joints)
    }

    /// What leaves a segment: whatever can, in the order of the bits that it saves for the error that it makes.
    fn segment(&self, map: &RowMap, segment: &SegmentMap, mut motion: Motion<'_>) -> Vec<Stays> {
        let mut candidates = Vec::new();
        for (track, (joint, channel)) in map.tracks.iter().enumerate() {
            let [middles, others] = row_bits(map, segment, track);
            for (stays, bits) in [(Stays::Middles, others), (Stays::Anchors, middles + others)] {
                if bits > 0 {
                    let cost = motion.worst(*joint, *channel, stays as usize) / self.limit_sq;
                    candidates.push(Candidate { track, stays, bits, cost });
                }
            }
        }
        let rank = |of: &Candidate| of.cost / (of.bits * of.bits) as f32;
        candidates.sort_by(|a, b| rank(a).total_cmp(&rank(b)).then((a.track, a.stays).cmp(&(b.track, b.stays))));
        let mut out = vec![Stays::All; map.tracks.len()];
        for Candidate { track, stays, .. } in candidates {
            let (joint, channel) = map.tracks[track];
            if stays > out[track] && motion.change(joint, channel, stays as usize) {
                out[track] = stays;
            }
        }
        out
    }

    /// Steps inside a segment, whose first and last sample are anchors.
    fn steps(&self, stretch: usize, segment: &SegmentMap) -> Range<usize> {
        let (samples, sub_frames) = (self.parts.payload.samples_of(stretch), self.raw.sub_frames());
        let first = samples.start + segment.intervals.start * INTERVAL_SAMPLES;
        let last = (samples.start + segment.intervals.end * INTERVAL_SAMPLES).min(samples.end - 1);
        first * sub_frames + 1..last * sub_frames
    }

    fn place(&self, step: usize) -> f64 {
        step as f64 / self.raw.sub_frames() as f64
    }

    fn open(&self, version: usize) -> Result<Playing<'_>, DecodeError> {
        self.play(&self.clips[version])
    }

    fn play<'b>(&self, clip: &'b [u8]) -> Result<Playing<'b>, DecodeError> {
        Ok(Player::new(Box::new(Opened::new(self.codec, clip, &self.bind)?)))
    }

    /// Square of what a joint is off by, as far as it counts.
    fn error_sq(&self, step: usize, joint: usize, raw: &Affine3A, model: &Affine3A) -> f32 {
        let weight = self.weights.at(step, joint);
        shell_error_sq(raw, model, self.source.shells_m[joint]) * (weight * weight)
    }

    /// Square of the error that a joint may have where it has that one with all rows.
    fn allowed_sq(&self, before_sq: f32) -> f32 {
        self.limit_sq.max(before_sq * ROUNDING)
    }
}

fn every_segment(parts: &Parts, stays: Stays) -> Vec<Vec<Vec<Stays>>> {
    parts.maps.iter().map(|map| vec![vec![stays; map.tracks.len()]; map.segments.len()]).collect()
}

/// A segment's poses, as they are with what left so far.
struct Motion<'a> {
    search: &'a Search<'a>,
    first: usize,
    joints: usize,
    raw: Vec<Affine3A>,
    /// Local transforms of each version, step after step.
    versions: [Vec<Transform>; 3],
    locals: Vec<Transform>,
    models: Vec<Affine3A>,
    /// Squares of the errors that are allowed.
    allowed_sq: Vec<f32>,
    /// Matrices of one step while something is tried.
    tried: Vec<Affine3A>,
}

impl<'a> Motion<'a> {
    fn new(search: &'a Search<'a>, players: &mut [Playing<'_>; 3], steps: Range<usize>) -> Self {
        let joints = search.bind.len();
        let mut pose = Pose::with_size(joints, search.source.clip.float_tracks());
        let versions = [0, 1, 2].map(|version| {
            let mut out = Vec::with_capacity(joints * steps.len());
            for step in steps.clone() {
                players[version].sample(search.place(step), &mut pose);
                out.extend_from_slice(&pose.joints);
            }
            out
        });
        let (mut raw, mut models, mut allowed_sq) = (Vec::new(), Vec::new(), Vec::new());
        let mut model = ModelPose::default();
        for (step, locals) in steps.clone().zip(versions[0].chunks(joints)) {
            let before = raw.len();
            raw.extend_from_slice(&search.raw.pose(step));
            model.update(search.source.skeleton, locals);
            for (joint, (raw, model)) in raw[before..].iter().zip(&model.joints).enumerate() {
                allowed_sq.push(search.allowed_sq(search.error_sq(step, joint, raw, model)));
            }
            models.extend_from_slice(&model.joints);
        }
        let locals = versions[0].clone();
        let tried = vec![Affine3A::IDENTITY; joints];
        Self { search, first: steps.start, joints, raw, versions, locals, models, allowed_sq, tried }
    }

    /// Square of the largest error of a joint and those below it, were a channel of it that version and all else as it is.
    fn worst(&mut self, joint: usize, channel: Channel, version: usize) -> f32 {
        let mut worst = 0.0f32;
        self.each_error(joint, channel, version, |error_sq, _| {
            worst = worst.max(error_sq);
            true
        });
        worst
    }

    /// Makes a channel that version, if all errors then are allowed.
    fn change(&mut self, joint: usize, channel: Channel, version: usize) -> bool {
        if !self.each_error(joint, channel, version, |error_sq, allowed_sq| error_sq <= allowed_sq) {
            return false;
        }
        for at in 0..self.models.len() / self.joints {
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

    /// Walks errors of a joint and those below it, at every step at which the version differs, with what is allowed, until
    /// `is_fine` says no.
    fn each_error(
        &mut self,
        joint: usize,
        channel: Channel,
        version: usize,
        mut is_fine: impl FnMut(f32, f32) -> bool,
    ) -> bool {
        let search = self.search;
        for at in 0..self.models.len() / self.joints {
            let place = at * self.joints + joint;
            let mut local = self.locals[place];
            put(channel, &self.versions[version][place], &mut local);
            if local == self.locals[place] {
                continue;
            }
            self.try_step(at, joint, &local);
            for &joint in &search.below[joint] {
                let place = at * self.joints + joint;
                let error_sq = search.error_sq(self.first + at, joint, &self.raw[place], &self.tried[joint]);
                if !is_fine(error_sq, self.allowed_sq[place]) {
                    return false;
                }
            }
        }
        true
    }

    /// Matrices of a joint with that local transform, and of those below it.
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
