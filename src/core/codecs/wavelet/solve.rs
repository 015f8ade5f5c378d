//! Solves one joint after another over a whole block, each aimed at the decoded pose of its parent.

use super::block::TrackBuffers;
use super::decode::{CoefficientRange, EXACT, Layout, as_number};
use super::signals::{SignalCodes, TrackSignals, fits};
use super::trim::{Basis, Trim};
use crate::codecs::encode::lattice::{JointPlan, LatticeTrack, Plan, steps_of_turn};
use crate::codecs::encode::with_channel;
use crate::math::Transform;
use crate::model::Channel;
use glam::{Affine3A, DVec4, Mat3A, Quat, Vec3A};
use std::ops::Range;

/// The order of a joint's channels: the rotation corrects what the others leave.
const ORDER: [Channel; 3] = [Channel::Scale, Channel::Translation, Channel::Rotation];

/// A decoded block.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// `model_from_joint`, `joints x samples`.
    models: Vec<Affine3A>,
    /// Products of the local rotations from the root.
    turns: Vec<Quat>,
    /// The signals of each track's components.
    pub signals: Vec<[SignalCodes; 3]>,
}

impl Decoded {
    pub fn new(joints: usize, samples: usize, tracks: usize) -> Self {
        Self {
            models: vec![Affine3A::IDENTITY; joints * samples],
            turns: vec![Quat::IDENTITY; joints * samples],
            signals: vec![Default::default(); tracks],
        }
    }

    /// Copies some joints and their tracks from another block.
    pub fn copy_joints(&mut self, from: &Self, plan: &Plan<'_>, joints: &[usize]) {
        let count = plan.raw.samples().len();
        for &joint in joints {
            let rows = joint * count..(joint + 1) * count;
            self.models[rows.clone()].copy_from_slice(&from.models[rows.clone()]);
            self.turns[rows.clone()].copy_from_slice(&from.turns[rows]);
            plan.joints[joint].tracks.iter().flatten().for_each(|t| self.signals[*t].clone_from(&from.signals[*t]));
        }
    }
}

/// The decoding target of a track, kept while nothing that it depends on changes.
#[derive(Debug, Default)]
struct CachedTarget {
    track: Option<usize>,
    /// In units of the track's components. Empty until known.
    values: Vec<DVec4>,
    rounded: [Rounded; 3],
}

/// The rounded signal of one component, and its step.
#[derive(Debug, Default)]
struct Rounded {
    /// [`EXACT`] if it must not be used again.
    code: u8,
    signal: SignalCodes,
}

/// Chooses the numbers of joints for given steps.
pub struct Solver<'a> {
    pub layout: &'a Layout,
    /// The plan for the block's samples.
    pub plan: &'a Plan<'a>,
    pub signals: &'a [TrackSignals],
    /// The same tracks with their current steps.
    pub tracks: Vec<LatticeTrack>,
    pub limit_sq: f32,
    /// Per joint, the sample that last exceeded the limit. It is likely to do so again.
    hardest: Vec<usize>,
    /// The joint that last exceeded the limit in [`Solver::fits`].
    suspect: usize,
    /// The joints that [`Solver::fits`] last changed.
    pub tried: Vec<usize>,
    locals: Vec<Transform>,
    /// The target of the three components, in steps.
    wanted: Vec<DVec4>,
    errors: Vec<Vec3A>,
    /// The decoded numbers of each component.
    numbers: [Vec<f32>; 3],
    /// Per joint, the share of the limit up to which it is rounded towards zero.
    pub trims: Vec<f32>,
    trim: Trim,
    kept: CachedTarget,
    basis: Basis,
    buffers: TrackBuffers,
}

impl<'a> Solver<'a> {
    pub fn new(
        layout: &'a Layout,
        plan: &'a Plan<'a>,
        signals: &'a [TrackSignals],
        tracks: Vec<LatticeTrack>,
        limit_m: f32,
    ) -> Self {
        Self {
            layout,
            plan,
            signals,
            tracks,
            limit_sq: limit_m * limit_m,
            hardest: vec![0; plan.joints.len()],
            suspect: 0,
            tried: Vec::new(),
            locals: Vec::new(),
            wanted: Vec::new(),
            errors: Vec::new(),
            numbers: Default::default(),
            trims: vec![0.0; plan.joints.len()],
            trim: Trim::default(),
            kept: CachedTarget::default(),
            basis: Basis::new(layout, plan.raw.samples().len()),
            buffers: TrackBuffers::default(),
        }
    }

    fn samples(&self) -> Range<usize> {
        self.plan.raw.samples()
    }

    /// Chooses the numbers of some joints, parents first. Fails with the first joint beyond the limit.
    pub fn solve(&mut self, joints: &[usize], out: &mut Decoded) -> Result<(), usize> {
        joints.iter().try_for_each(|&joint| self.joint(joint, out).then_some(()).ok_or(joint))
    }

    /// Chooses the numbers of a joint and its descendants, parents first. False if one of them is beyond the limit. The joint that failed
    /// last comes as early as it can, because it is likely to do so again.
    pub fn fits(&mut self, joints: &[usize], out: &mut Decoded) -> bool {
        self.tried.clear();
        let way = self.way_to_suspect(joints[0]);
        let others = joints.iter().filter(|joint| !way.contains(joint));
        for &joint in way.iter().chain(others) {
            self.tried.push(joint);
            if !self.joint(joint, out) {
                self.suspect = joint;
                return false;
            }
        }
        true
    }

    /// The joints from `first` down to the suspect. Empty if that is not one of its descendants.
    fn way_to_suspect(&self, first: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(self.suspect), |joint| self.plan.joints[*joint].parent);
        let mut way: Vec<usize> = up.take_while(|joint| *joint >= first).collect();
        if way.last() != Some(&first) {
            way.clear();
        }
        way.reverse();
        way
    }

    fn joint(&mut self, joint: usize, out: &mut Decoded) -> bool {
        let plan = &self.plan.joints[joint];
        self.locals.clear();
        self.locals.resize(self.samples().len(), plan.still);
        for channel in ORDER {
            let Some(index) = plan.tracks[channel as usize] else { continue };
            if self.tracks[index].is_exact() {
                self.keep(joint, channel);
                continue;
            }
            self.aim(joint, channel, index, out);
            if !self.round(joint, channel, index, out) {
                return false;
            }
        }
        self.place(joint, plan, out)
    }

    /// Copies the clip's own values.
    fn keep(&mut self, joint: usize, channel: Channel) {
        let samples = self.samples();
        for (local, sample) in self.locals.iter_mut().zip(samples) {
            *local = with_channel(*local, channel, &self.plan.source.clip.at(sample, joint));
        }
    }

    /// Keeps the target of a track from now on. This is valid while only the track's own steps change.
    pub fn keep_aim(&mut self, track: Option<usize>) {
        self.kept.track = track;
        self.kept.values.clear();
        self.kept.rounded.iter_mut().for_each(|r| r.code = EXACT);
    }

    /// Computes the target of a track, in steps.
    fn aim(&mut self, joint: usize, channel: Channel, index: usize, out: &Decoded) {
        let [x, y, z] = self.steps(index);
        let steps = DVec4::new(x, y, z, 1.0);
        let is_kept = self.kept.track == Some(index);
        if is_kept && !self.kept.values.is_empty() {
            self.wanted.clear();
            self.wanted.extend(self.kept.values.iter().map(|values| *values / steps));
            return;
        }
        self.retarget(joint, channel, index, out);
        if is_kept {
            self.kept.values.extend(self.wanted.iter().map(|wanted| *wanted * steps));
        }
    }

    /// The steps of a track's components.
    fn steps(&self, index: usize) -> [f64; 3] {
        self.tracks[index].codes.map(|code| self.signals[index].track.step(code))
    }

    fn retarget(&mut self, joint: usize, channel: Channel, index: usize, out: &Decoded) {
        self.wanted.clear();
        let count = self.samples().len();
        for (place, sample) in self.samples().enumerate() {
            let above = self.plan.joints[joint].parent.map_or((Affine3A::IDENTITY, Quat::IDENTITY), |parent| {
                (out.models[parent * count + place], out.turns[parent * count + place])
            });
            let track = &self.tracks[index];
            let wanted = match channel {
                Channel::Scale => track.in_steps(self.plan.source.clip.at(sample, joint).scale.into()),
                Channel::Translation => track.in_steps(self.plan.wanted_translation(sample, joint, &above.0)),
                Channel::Rotation => self.aim_rotation((sample, joint), index, above, place),
            };
            self.wanted.push(wanted.extend(0.0).as_dvec4());
        }
    }

    fn aim_rotation(
        &mut self,
        (sample, joint): (usize, usize),
        index: usize,
        (above, above_turn): (Affine3A, Quat),
        place: usize,
    ) -> Vec3A {
        let (track, plan) = (&self.tracks[index], &self.plan.joints[joint]);
        let wanted = self.plan.wanted_rotation(sample, joint, above_turn);
        let at = above.transform_point3a(self.locals[place].translation.into());
        self.plan.errors(sample, plan, &(above.matrix3 * Mat3A::from_quat(wanted)), at, &mut self.errors);
        let parameters = track.parameters(wanted);
        let turns = track.turns(parameters);
        let fixing = steps_of_turn(plan.fixing_turn(&self.errors), &turns);
        if self.trims[joint] > 0.0 {
            if place == 0 {
                self.trim.clear(plan.points.len());
            }
            for (point, error) in plan.points.iter().zip(&self.errors) {
                let moves = turns.map(|turn| turn.cross(point.in_joint));
                let weight = self.plan.source.weights.at(sample, point.owner);
                self.trim.errors.push(*error + moves[0] * fixing.x + moves[1] * fixing.y + moves[2] * fixing.z);
                self.trim.moves.push(moves);
                self.trim.bounds_sq.push(1.0 / (weight * weight));
            }
        }
        track.in_steps(parameters) + fixing
    }

    /// Quantizes the target of a track and decodes it. False if numbers are too large.
    fn round(&mut self, joint: usize, channel: Channel, index: usize, out: &mut Decoded) -> bool {
        let (codes, is_kept) = (self.tracks[index].codes, self.kept.track == Some(index));
        self.buffers.transform(self.layout, &self.wanted);
        for (component, signal) in out.signals[index].iter_mut().enumerate() {
            let kept = &self.kept.rounded[component];
            if is_kept && kept.code == codes[component] {
                signal.clone_from(&kept.signal);
                continue;
            }
            let coefficients = self.buffers.component(component);
            if !coefficients.iter().all(|c| fits(c.abs(), 1.0)) {
                return false;
            }
            signal.quantize(self.layout, coefficients);
        }
        if self.trims[joint] > 0.0 && self.layout.range == CoefficientRange::Track && self.layout.whole == 0 {
            self.trim(joint, channel, index, out);
        }
        if is_kept {
            for ((kept, signal), code) in self.kept.rounded.iter_mut().zip(&out.signals[index]).zip(codes) {
                kept.code = code;
                kept.signal.clone_from(signal);
            }
        }
        self.decode(index, out);
        true
    }

    /// Rounds a track towards zero as far as its joint's share of the limit allows.
    fn trim(&mut self, joint: usize, channel: Channel, index: usize, out: &mut Decoded) {
        if channel == Channel::Scale {
            return;
        }
        let bound_sq = self.limit_sq * self.trims[joint] * self.trims[joint];
        if channel == Channel::Translation {
            self.trim.clear(1);
            let moves = self.tracks[index].unit_steps();
            for place in 0..self.locals.len() {
                let weight = self.plan.source.weights.at(self.samples().start + place, joint);
                self.trim.errors.push(Vec3A::ZERO);
                self.trim.moves.push(moves);
                self.trim.bounds_sq.push(bound_sq / (weight * weight));
            }
        } else {
            self.trim.bounds_sq.iter_mut().for_each(|b| *b *= bound_sq);
        }
        let signals = &mut out.signals[index];
        let padded = self.layout.padded(self.locals.len());
        let values = self.buffers.inverse(self.layout, signals, padded);
        for (place, (values, wanted)) in values.iter().zip(&self.wanted).enumerate() {
            let off = *values - *wanted;
            (0..3).for_each(|component| self.trim.add(place, component, off[component] as f32));
        }
        let mut codes = std::array::from_fn(|c| std::mem::take(&mut signals[c].codes));
        self.trim.run(&self.basis, &mut codes);
        signals.iter_mut().zip(codes).for_each(|(signal, codes)| signal.codes = codes);
    }

    /// Decodes a track into the joint's transforms.
    fn decode(&mut self, index: usize, out: &Decoded) {
        let (track, count) = (&self.signals[index].track, self.locals.len());
        let steps = self.steps(index);
        let values = self.buffers.inverse(self.layout, &out.signals[index], self.layout.padded(count));
        for (component, numbers) in self.numbers.iter_mut().enumerate() {
            numbers.clear();
            numbers.extend(values[..count].iter().map(|v| as_number(v[component] * steps[component])));
        }
        track.put_all(&self.numbers, &mut self.locals);
    }

    /// Computes the joint's model transforms. False as soon as a sample is beyond the limit.
    fn place(&mut self, joint: usize, plan: &JointPlan, out: &mut Decoded) -> bool {
        let (count, first) = (self.locals.len(), self.samples().start);
        for step in 0..count {
            let place = (self.hardest[joint] + step) % count;
            let local = &self.locals[place];
            let (model, turn) = match plan.parent.map(|parent| parent * count + place) {
                Some(above) => (out.models[above] * local.to_affine(), out.turns[above] * local.rotation),
                None => (local.to_affine(), local.rotation),
            };
            (out.models[joint * count + place], out.turns[joint * count + place]) = (model, turn.normalize());
            let raw = self.plan.raw.at(first + place, joint);
            let error_sq = self.plan.source.error_sq(first + place, joint, &raw, &model);
            if error_sq.is_nan() || error_sq > self.limit_sq {
                self.hardest[joint] = place;
                return false;
            }
        }
        true
    }
}
