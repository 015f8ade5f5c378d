//! Solves one joint after another over a whole block, each aimed at the decoded pose of its parent.

use super::block::TrackBuffers;
use super::decode::{CoefficientRange, EXACT, Layout, Numbers, as_number};
use super::signals::{SignalCodes, TrackSignals, fits};
use super::trim::{Basis, Trim};
use crate::codecs::encode::lattice::{LatticeTrack, Plan, Target, steps_of_turns, targets};
use crate::math::four::{
    LANES, Locals, Models, Rotations, Vectors, add, all, axes_of, cross, four as four_of, normalized, product, three,
    vector,
};
use crate::math::{product_lanes, quat_mul, rodrigues_unmap};
use crate::model::Channel;
use glam::{DVec4, Vec3A, Vec4};
use std::ops::Range;

/// The order of a joint's channels: the rotation corrects what the others leave.
const ORDER: [Channel; 3] = [Channel::Scale, Channel::Translation, Channel::Rotation];

/// A decoded block.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// `model_from_joint` of four samples, `joints x ceil(samples / 4)`. The last sample is repeated.
    models: Vec<Models>,
    /// Products of the local rotations from the root, in the same order.
    turns: Vec<Rotations>,
    /// The signals of each track's components.
    pub signals: Vec<[SignalCodes; 3]>,
}

impl Decoded {
    pub fn new(joints: usize, samples: usize, tracks: usize) -> Self {
        let fours = joints * samples.div_ceil(LANES);
        Self {
            models: vec![Models::IDENTITY; fours],
            turns: vec![Locals::IDENTITY.rotation; fours],
            signals: vec![Default::default(); tracks],
        }
    }

    /// Copies some joints and their tracks from another block.
    pub fn copy_joints(&mut self, from: &Self, plan: &Plan<'_>, joints: &[usize]) {
        let fours = plan.raw.samples().len().div_ceil(LANES);
        for &joint in joints {
            let rows = joint * fours..(joint + 1) * fours;
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
    /// The targets of the joints, `joints x fours`.
    targets: Vec<Target>,
    /// Per joint, the four samples that last exceeded the limit. They are likely to do so again.
    hardest: Vec<usize>,
    /// The joint that last exceeded the limit in [`Solver::fits`].
    suspect: usize,
    /// The joints that [`Solver::fits`] last changed.
    pub tried: Vec<usize>,
    locals: Vec<Locals>,
    /// The target of the three components, in steps.
    wanted: Vec<DVec4>,
    /// The errors of the points of a joint at four samples.
    errors: Vec<Vectors>,
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
            targets: targets(plan),
            hardest: vec![0; plan.joints.len()],
            suspect: 0,
            tried: Vec::new(),
            locals: Vec::new(),
            wanted: Vec::new(),
            errors: Vec::new(),
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

    /// Groups of four samples.
    fn fours(&self) -> usize {
        self.samples().len().div_ceil(LANES)
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
        self.locals.resize(self.fours(), Locals::all(plan.still));
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
        self.place(joint, out)
    }

    /// Copies the clip's own values.
    fn keep(&mut self, joint: usize, channel: Channel) {
        let first = joint * self.fours();
        for (local, target) in self.locals.iter_mut().zip(&self.targets[first..]) {
            match channel {
                Channel::Rotation => local.rotation = target.local.rotation,
                Channel::Translation => local.translation = target.local.translation,
                Channel::Scale => local.scale = target.local.scale,
            }
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
        if self.trims[joint] > 0.0 && channel == Channel::Rotation {
            self.trim.clear(self.plan.joints[joint].points.len());
        }
        let (fours, is_rigid) = (self.fours(), self.plan.is_rigid);
        for four in 0..fours {
            let above =
                self.plan.joints[joint].parent.map_or((Models::IDENTITY, Locals::IDENTITY.rotation), |parent| {
                    (out.models[parent * fours + four], out.turns[parent * fours + four])
                });
            let (track, target) = (&self.tracks[index], &self.targets[joint * fours + four]);
            let wanted = match channel {
                Channel::Scale => track.four_in_steps(&target.local.scale),
                Channel::Translation => track.four_in_steps(&target.wanted_translation(&above.0, is_rigid)),
                Channel::Rotation => self.aim_rotation((joint, four), index, &above),
            };
            let wanted = four_of(|lane| vector(&wanted, lane).extend(0.0).as_dvec4());
            let left = LANES.min(self.samples().len() - four * LANES);
            self.wanted.extend_from_slice(&wanted[..left]);
        }
    }

    fn aim_rotation(
        &mut self,
        (joint, four): (usize, usize),
        index: usize,
        (above, above_turn): &(Models, Rotations),
    ) -> Vectors {
        let (track, plan) = (&self.tracks[index], &self.plan.joints[joint]);
        let target = &self.targets[joint * self.fours() + four];
        let wanted = target.wanted_rotation(above_turn);
        let at = above.transform(&self.locals[four].translation);
        let axes = product(&above.axes, &axes_of(&wanted));
        target.errors(plan, (&axes, &at), self.plan.is_rigid, &mut self.errors);
        let parameters = track.parameters_of_four(&wanted);
        let turns = track.turns_of_four(&parameters);
        let fixing = steps_of_turns(&plan.fixing_turns(&self.errors), &turns);
        let wanted = add(&track.four_in_steps(&parameters), &fixing);
        if self.trims[joint] > 0.0 {
            self.trim_points((joint, four), &turns, &fixing);
        }
        wanted
    }

    /// Collects the points that a rotation moves, for [`Solver::trim`].
    fn trim_points(&mut self, (joint, four): (usize, usize), turns: &[Vectors; 3], fixing: &Vectors) {
        let points = &self.plan.joints[joint].points;
        let moved = points.iter().zip(&self.errors).map(|(point, error)| {
            let moves = three(|axis| cross(&turns[axis], &all(point.in_joint)));
            let by = |axis: usize| three(|i| moves[axis][i] * fixing[axis]);
            (add(&add(&add(error, &by(0)), &by(1)), &by(2)), moves)
        });
        let moved: Vec<(Vectors, [Vectors; 3])> = moved.collect();
        for (lane, sample) in self.samples().skip(four * LANES).take(LANES).enumerate() {
            for (point, (error, moves)) in points.iter().zip(&moved) {
                let weight = self.plan.source.weights.at(sample, point.owner);
                self.trim.errors.push(vector(error, lane));
                self.trim.moves.push(three(|axis| vector(&moves[axis], lane)));
                self.trim.bounds_sq.push(1.0 / (weight * weight));
            }
        }
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
            for sample in self.samples() {
                let weight = self.plan.source.weights.at(sample, joint);
                self.trim.errors.push(Vec3A::ZERO);
                self.trim.moves.push(moves);
                self.trim.bounds_sq.push(bound_sq / (weight * weight));
            }
        } else {
            self.trim.bounds_sq.iter_mut().for_each(|b| *b *= bound_sq);
        }
        let signals = &mut out.signals[index];
        let padded = self.layout.padded(self.wanted.len());
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
        let (track, count) = (&self.signals[index].track, self.wanted.len());
        let [x, y, z] = self.steps(index);
        let steps = DVec4::new(x, y, z, 1.0);
        let values = self.buffers.inverse(self.layout, &out.signals[index], self.layout.padded(count));
        for (four, local) in self.locals.iter_mut().enumerate() {
            let lanes = four_of(|lane| {
                let v = values[(four * LANES + lane).min(count - 1)] * steps;
                [as_number(v.x), as_number(v.y), as_number(v.z)]
            });
            let numbers: Vectors = three(|i| Vec4::new(lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]));
            match (track.channel, track.numbers) {
                (Channel::Rotation, Numbers::Rodrigues(reference)) => {
                    let reference = reference.to_array().map(Vec4::splat);
                    local.rotation = quat_mul(reference, rodrigues_unmap(numbers));
                }
                (Channel::Rotation, _) => unreachable!("aimed rotations are Rodrigues parameters"),
                (Channel::Translation, _) => local.translation = numbers,
                (Channel::Scale, _) => local.scale = numbers,
            }
        }
    }

    /// Computes the joint's model transforms. False as soon as a sample is beyond the limit.
    fn place(&mut self, joint: usize, out: &mut Decoded) -> bool {
        let (fours, parent) = (self.locals.len(), self.plan.joints[joint].parent);
        let shell_m = self.plan.source.shells_m[joint];
        for step in 0..fours {
            let four = (self.hardest[joint] + step) % fours;
            let local = &self.locals[four];
            let (model, turn) = match parent.map(|parent| parent * fours + four) {
                Some(above) => {
                    (out.models[above].times(&local.models()), product_lanes(out.turns[above], local.rotation))
                }
                None => (local.models(), local.rotation),
            };
            let row = joint * fours + four;
            (out.models[row], out.turns[row]) = (model, normalized(turn));
            let errors_sq = self.targets[row].errors_sq(&model, shell_m);
            // Also beyond the limit with NaN.
            if !errors_sq.cmple(Vec4::splat(self.limit_sq)).all() {
                self.hardest[joint] = four;
                return false;
            }
        }
        true
    }
}
