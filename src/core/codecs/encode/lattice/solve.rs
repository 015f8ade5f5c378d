//! One sample of a clip on the lattices: joint after joint, each aimed at the decoded pose of its parent.

use super::aim::steps_of_turn;
use super::plan::{JointPlan, Plan, Point};
use super::track::LatticeTrack;
use crate::math::{Transform, product, unit};
use crate::metrics::Promise;
use crate::model::Channel;
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

/// Tries per sample before its steps count as too coarse. Each try changes the costs at random.
pub const TRIES: u64 = 12;
/// The largest random increase of a cost, as a factor. Costs are squared distances.
const LUCK: f32 = 1.0;
/// Candidates of the first try: the lattice points around the target.
const CORNERS: usize = 8;
/// Candidates of later tries: the neighbours of the nearest lattice point.
const NEIGHBOURS: usize = 27;

/// A decoded sample.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// One entry per track.
    pub integers: Vec<[i32; 3]>,
    pub locals: Vec<Transform>,
    /// The weighed error of each joint, metres. Empty under [`Promise::Largest`].
    pub errors_m: Vec<f32>,
}

impl Frame {
    pub fn new(joints: usize, tracks: usize, promise: Promise) -> Self {
        let errors_m = if promise == Promise::Mean { vec![0.0; joints] } else { Vec::new() };
        Self { integers: vec![[0; 3]; tracks], locals: vec![Transform::IDENTITY; joints], errors_m }
    }

    /// Copies some joints and their tracks from another frame.
    pub fn copy_joints(&mut self, from: &Self, plan: &Plan<'_>, joints: &[usize]) {
        for &joint in joints {
            self.locals[joint] = from.locals[joint];
            if let Some(error_m) = self.errors_m.get_mut(joint) {
                *error_m = from.errors_m[joint];
            }
            plan.joints[joint].tracks.iter().flatten().for_each(|t| self.integers[*t] = from.integers[*t]);
        }
    }
}

/// The joints of the current sample that are solved. One per thread, since one per sample would take more memory than the clip.
#[derive(Debug, Default)]
pub struct Chosen {
    models: Vec<Affine3A>,
    /// Products of the local rotations from the root.
    turns: Vec<Quat>,
    /// The errors of the current joint's points, in its space.
    errors: Vec<Vec3A>,
}

impl Chosen {
    /// Memory for all joints.
    pub fn new(plan: &Plan<'_>) -> Self {
        let joints = plan.joints.len();
        let (models, turns) = (vec![Affine3A::IDENTITY; joints], vec![Quat::IDENTITY; joints]);
        Self { models, turns, errors: Vec::new() }
    }

    /// Copies a joint, after its ancestors, from a frame.
    fn take(&mut self, plan: &Plan<'_>, joint: usize, frame: &Frame) {
        if let Some(parent) = plan.joints[joint].parent {
            self.take(plan, parent, frame);
        }
        self.put(plan, joint, frame.locals[joint]);
    }

    /// Sets the matrix and rotation of a joint whose parent is set.
    fn put(&mut self, plan: &Plan<'_>, joint: usize, local: Transform) {
        let (model, turn) = match plan.joints[joint].parent {
            Some(parent) => (self.models[parent] * local.to_affine(), self.turns[parent]),
            None => (local.to_affine(), Quat::IDENTITY),
        };
        self.models[joint] = model;
        self.turns[joint] = unit(product(turn, local.rotation));
    }
}

/// Chooses integers for given steps.
#[derive(Debug, Clone, Copy)]
pub struct Solver<'a> {
    pub plan: &'a Plan<'a>,
    pub tracks: &'a [LatticeTrack],
    pub limit_sq: f32,
}

impl Solver<'_> {
    /// Chooses the integers of some joints, parents first, until all are within the limit. Fails with a joint that never is.
    pub fn solve(&self, sample: usize, joints: &[usize], frame: &mut Frame, chosen: &mut Chosen) -> Result<(), usize> {
        if let Some(above) = joints.first().and_then(|joint| self.plan.joints[*joint].parent) {
            chosen.take(self.plan, above, frame);
        }
        let mut found = Ok(());
        for attempt in 0..TRIES {
            found = self.try_once((sample, attempt), joints, frame, chosen);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// One try with the random costs of `attempt`. The ancestors of the joints must be set.
    pub fn try_once(
        &self,
        (sample, attempt): (usize, u64),
        joints: &[usize],
        frame: &mut Frame,
        chosen: &mut Chosen,
    ) -> Result<(), usize> {
        let choose = |&joint: &usize| self.joint((sample, joint), attempt, frame, chosen).then_some(()).ok_or(joint);
        joints.iter().try_for_each(choose)
    }

    /// Chooses the integers of a joint. False if it then exceeds the limit.
    fn joint(&self, (sample, joint): (usize, usize), attempt: u64, frame: &mut Frame, chosen: &mut Chosen) -> bool {
        let plan = &self.plan.joints[joint];
        let raw = self.plan.source.clip.at(sample, joint);
        let (above, above_turn) = match plan.parent {
            Some(parent) => (chosen.models[parent], chosen.turns[parent]),
            None => (Affine3A::IDENTITY, Quat::IDENTITY),
        };
        let raw_model = self.plan.raw.at(sample, joint);
        let mut local = plan.still;
        if let Some(index) = plan.tracks[Channel::Scale as usize] {
            local.scale = self.vector(index, raw.scale, raw.scale.into(), frame);
        }
        if let Some(index) = plan.tracks[Channel::Translation as usize] {
            let wanted = self.plan.wanted_translation(sample, joint, &above);
            local.translation = self.vector(index, raw.translation, wanted, frame);
        }
        if let Some(index) = plan.tracks[Channel::Rotation as usize] {
            let at = above.transform_point3a(local.translation.into());
            let above = (above.matrix3, at, above_turn);
            local.rotation = self.turn((sample, joint), index, above, attempt, (frame, &mut chosen.errors));
        }
        frame.locals[joint] = local;
        chosen.put(self.plan, joint, local);
        let error_sq = self.plan.source.error_sq(sample, joint, &raw_model, &chosen.models[joint]);
        if let Some(error_m) = frame.errors_m.get_mut(joint) {
            *error_m = error_sq.sqrt();
        }
        error_sq <= self.limit_sq
    }

    /// The rotation of a joint on its lattice, or the clip's own for float32 tracks. `above`: the parent's axes, the joint's origin and the
    /// parent's rotation, all decoded.
    fn turn(
        &self,
        (sample, joint): (usize, usize),
        index: usize,
        above: (Mat3A, Vec3A, Quat),
        attempt: u64,
        (frame, errors): (&mut Frame, &mut Vec<Vec3A>),
    ) -> Quat {
        let raw = self.plan.source.clip.at(sample, joint).rotation;
        let (track, plan) = (&self.tracks[index], &self.plan.joints[joint]);
        if track.is_exact() {
            return raw;
        }
        let (above_axes, at, above_turn) = above;
        let wanted = self.plan.wanted_rotation(sample, joint, above_turn);
        let luck = Luck { seed: (sample as u64) << 20 | joint as u64, attempt };
        self.plan.errors(sample, plan, &(above_axes * Mat3A::from_quat(wanted)), at, errors);
        frame.integers[index] = rotation((plan, self.plan.source.promise), track, wanted, errors, luck);
        track.rotation(frame.integers[index])
    }

    /// The lattice point nearest to the target, or the clip's own value for float32 tracks.
    fn vector(&self, index: usize, raw: Vec3, wanted: Vec3A, frame: &mut Frame) -> Vec3 {
        let track = &self.tracks[index];
        if track.is_exact() {
            return raw;
        }
        frame.integers[index] = integers(track.place(wanted).round());
        track.vector(frame.integers[index]).into()
    }
}

/// The lattice point near a rotation that brings the points closest to their places. `errors`: the errors of the points with the target
/// rotation.
fn rotation(
    (plan, promise): (&JointPlan, Promise),
    track: &LatticeTrack,
    wanted: Quat,
    errors: &[Vec3A],
    luck: Luck,
) -> [i32; 3] {
    let parameters = track.parameters(wanted);
    let (turns, place) = (track.turns(parameters), track.place(parameters));
    let points = || plan.points.iter().zip(errors.iter().copied());
    let best = place + steps_of_turn(plan.fixing_turn(errors), &turns);
    if luck.attempt == 0 {
        let base = best.floor();
        integers(base + Candidates::<CORNERS>::new(2, base - place, &turns).best(points(), promise, luck))
    } else {
        let base = best.round() - Vec3A::ONE;
        integers(base + Candidates::<NEIGHBOURS>::new(3, base - place, &turns).best(points(), promise, luck))
    }
}

/// Lattice points around a rotation, as rotations relative to it.
struct Candidates<const N: usize> {
    side: usize,
    turns: [[f32; N]; 3],
}

impl<const N: usize> Candidates<N> {
    /// A cube of points. The first is `first` steps from the rotation.
    fn new(side: usize, first: Vec3A, axes: &[Vec3A; 3]) -> Self {
        let turns: [Vec3A; N] = std::array::from_fn(|choice| {
            let steps = first + Self::offset(side, choice);
            axes[0] * steps.x + axes[1] * steps.y + axes[2] * steps.z
        });
        let turns = [0, 1, 2].map(|i| turns.map(|turn| turn[i]));
        Self { side, turns }
    }

    fn offset(side: usize, choice: usize) -> Vec3A {
        Vec3A::new((choice % side) as f32, (choice / side % side) as f32, (choice / side / side) as f32)
    }

    /// The candidate with the smallest error of all points: the largest, or for [`Promise::Mean`] the sum of squares. Costs are random.
    fn best<'a>(&self, points: impl Iterator<Item = (&'a Point, Vec3A)>, promise: Promise, luck: Luck) -> Vec3A {
        let mut costs = match promise {
            Promise::Largest => self.costs(points, |cost, square| if square > cost { square } else { cost }),
            Promise::Mean => self.costs(points, |cost, square| cost + square),
        };
        if luck.attempt > 0 {
            costs.iter_mut().enumerate().for_each(|(choice, cost)| *cost *= luck.factor(choice));
        }
        let best = (1..N).fold(0, |best, i| if costs[i] < costs[best] { i } else { best });
        Self::offset(self.side, best)
    }

    /// The cost of each candidate, from the squared errors of the points.
    #[inline(always)]
    fn costs<'a>(&self, points: impl Iterator<Item = (&'a Point, Vec3A)>, add: impl Fn(f32, f32) -> f32) -> [f32; N] {
        let mut costs = [0.0f32; N];
        let [x, y, z] = &self.turns;
        for (point, error) in points {
            let (p, e) = (point.in_joint, error);
            for i in 0..N {
                let dx = e.x + (y[i] * p.z - z[i] * p.y);
                let dy = e.y + (z[i] * p.x - x[i] * p.z);
                let dz = e.z + (x[i] * p.y - y[i] * p.x);
                costs[i] = add(costs[i], dx * dx + dy * dy + dz * dz);
            }
        }
        costs
    }
}

/// The random costs of one try, equal in every run.
#[derive(Debug, Clone, Copy)]
struct Luck {
    seed: u64,
    attempt: u64,
}

impl Luck {
    fn factor(self, choice: usize) -> f32 {
        let mut z = (self.seed ^ self.attempt << 48 ^ (choice as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^= z >> 27;
        1.0 + LUCK * ((z.wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as f32 / (1u32 << 24) as f32)
    }
}

fn integers(v: Vec3A) -> [i32; 3] {
    v.to_array().map(|x| x as i32)
}
