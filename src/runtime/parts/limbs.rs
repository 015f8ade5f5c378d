use super::pose_slice::PoseSlice;
use super::two_bone::solve_two_bone;
use crate::format::{BitReader, DecodeError};
use crate::math::{Transform, dot4, product, unit};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::{List, StateMemory};
use alloc::vec::Vec;
use glam::{Affine3A, Quat, Vec3};

/// Limbs whose ends are moved by stored tracks, and the part of the hierarchy that the limbs need.
///
/// Decoders have no hierarchy, so the clip stores a chain: the joints of the limbs and all of their ancestors. On disk: limb count u8;
/// one bit per joint of the rig, set for joints of the chain; per joint of the chain, the place of its parent in the chain plus one (0
/// for a root); per limb, the places of its three joints.
#[derive(Debug, Clone)]
pub struct Limbs {
    /// Joints of the rig, ascending, and the place of each joint's parent.
    chain: Vec<(u16, Option<u16>)>,
    limbs: Vec<Limb>,
    /// Per limb, the places from the root of the hierarchy down to the limb's end.
    paths: Vec<Vec<u16>>,
}

/// Scratch memory for moving limbs: matrices and rotations of the chain's joints in object space, updated limb by limb.
#[derive(Debug, Clone)]
pub struct LimbScratch {
    models: List<Affine3A>,
    rotations: List<Quat>,
}

impl LimbScratch {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.models[..]) + size_of_val(&self.rotations[..])
    }
}

/// Three joints of a limb as places in the chain: hip, knee, ankle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limb {
    /// Hip: the first joint of the limb.
    pub start: u16,
    /// Knee.
    pub bend: u16,
    /// Ankle: the joint that is moved.
    pub end: u16,
}

/// Bits of a place in a chain of that length. A place plus one fits too.
pub fn place_bits(chain: usize) -> u32 {
    usize::BITS - chain.leading_zeros()
}

impl Limbs {
    /// Limbs of a chain. `None` unless parents precede their children and each limb's start and bend are ancestors of its end.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(chain: Vec<(u16, Option<u16>)>, limbs: Vec<Limb>) -> Result<Option<Self>, NoMemory> {
        let is_ordered =
            chain.iter().enumerate().all(|(place, (_, parent))| parent.is_none_or(|p| usize::from(p) < place));
        let fits = |limb: &Limb| {
            [limb.start, limb.bend, limb.end].iter().all(|p| usize::from(*p) < chain.len())
                && limb.start < limb.bend
                && limb.bend < limb.end
        };
        if !is_ordered || !limbs.iter().all(fits) {
            return Ok(None);
        }
        let paths = limbs.iter().map(|limb| path(&chain, limb.end)).try_list_of::<_, NoMemory>()?;
        let holds = |(limb, path): (&Limb, &Vec<u16>)| path.contains(&limb.start) && path.contains(&limb.bend);
        let hold = limbs.iter().zip(&paths).all(holds);
        Ok(hold.then_some(Self { chain, limbs, paths }))
    }

    /// Reads the limbs of a rig with that many joints. [`Limbs`] describes the layout on disk.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, joints: usize) -> Result<Self, DecodeError> {
        let count = input.read("limb count", 8)?;
        let mut chain = Vec::new();
        for joint in 0..joints {
            if input.read("joints of limbs", 1)? == 1 {
                chain.try_push((joint as u16, None))?;
            }
        }
        let at = input.bit_position() / 8;
        let bits = place_bits(chain.len());
        for (_, parent) in &mut chain {
            *parent = (input.read("parent of a limb's joint", bits)? as u16).checked_sub(1);
        }
        let mut limbs = Vec::new();
        for _ in 0..count {
            let mut place = || input.read("joint of a limb", bits).map(|place| place as u16);
            limbs.try_push(Limb { start: place()?, bend: place()?, end: place()? })?;
        }
        Self::new(chain, limbs)?
            .ok_or_else(|| DecodeError::invalid("limbs", at, "unordered", "start, bend and end in a chain"))
    }

    /// Joints of the limbs and their ancestors, ascending, and the place of each joint's parent.
    pub fn chain(&self) -> &[(u16, Option<u16>)] {
        &self.chain
    }

    /// The joints of each limb.
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    /// True if there are no limbs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of limbs.
    pub fn len(&self) -> usize {
        self.limbs.len()
    }

    /// Moves the end of each limb by its offset, or as near as the limb reaches. Offsets are metres in object space. Limbs are solved in
    /// order.
    ///
    /// Start and bend rotate and keep their translations. The end keeps its rotation in object space, so the foot keeps its angle to the
    /// ground. The result is exact if all scales above the limb are uniform. A limb that cannot be solved does not change.
    pub fn apply(&self, pose: &mut [Transform], scratch: &mut LimbScratch, offset_of: impl Fn(usize) -> Vec3) {
        for limb in 0..self.limbs.len() {
            self.update(limb, pose, scratch);
            self.solve(limb, pose, scratch, offset_of(limb));
        }
    }

    /// Like [`Limbs::apply`], for some joints of a pose. If a limb moves one of them, `decode` decodes all joints of the chain into `pose`,
    /// a buffer for the whole rig.
    pub fn apply_to_part(
        &self,
        mut out: PoseSlice<'_>,
        (scratch, pose): (&mut LimbScratch, &mut [Transform]),
        mut decode: impl FnMut(PoseSlice<'_>),
        offset_of: impl Fn(usize) -> Vec3,
    ) {
        let joint_of = |place: u16| usize::from(self.chain[usize::from(place)].0);
        let moves = |limb: &Limb| [limb.start, limb.bend, limb.end].iter().any(|p| out.wants(joint_of(*p)));
        if !self.limbs.iter().any(moves) {
            return;
        }
        let joints = || self.chain.iter().map(|(joint, _)| usize::from(*joint));
        joints().for_each(|joint| decode(PoseSlice::part(&mut pose[joint..=joint], joint)));
        self.apply(pose, scratch, offset_of);
        for joint in joints() {
            out.joint(joint).into_iter().for_each(|out| *out = pose[joint]);
        }
    }

    /// Scratch memory for moving the limbs of one pose.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn scratch(&self, memory: StateMemory) -> Result<LimbScratch, NoMemory> {
        let chain = self.chain.len();
        Ok(LimbScratch {
            models: memory.filled(Affine3A::IDENTITY, chain)?,
            rotations: memory.filled(Quat::IDENTITY, chain)?,
        })
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let paths = self.paths.iter().map(|path| size_of_val(path) + size_of_val(&path[..])).sum::<usize>();
        size_of_val(&self.chain[..]) + size_of_val(&self.limbs[..]) + paths
    }

    /// Computes matrices and rotations from the root down to the end of a limb.
    fn update(&self, limb: usize, pose: &[Transform], scratch: &mut LimbScratch) {
        let LimbScratch { models, rotations } = scratch;
        for &place in &self.paths[limb] {
            let (joint, parent) = self.chain[usize::from(place)];
            let local = &pose[usize::from(joint)];
            let (model, rotation) = match parent {
                Some(parent) => {
                    let parent = usize::from(parent);
                    (models[parent] * local.to_affine(), product(rotations[parent], local.rotation))
                }
                None => (local.to_affine(), local.rotation),
            };
            (models[usize::from(place)], rotations[usize::from(place)]) = (model, rotation);
        }
    }

    fn solve(&self, limb: usize, pose: &mut [Transform], scratch: &LimbScratch, offset: Vec3) {
        let Limb { start, bend, end } = self.limbs[limb];
        let origin = |place: u16| Vec3::from(scratch.models[usize::from(place)].translation);
        let Some(turns) = solve_two_bone(origin(start), origin(bend), origin(end), origin(end) + offset) else {
            return;
        };
        let old = |place: u16| scratch.rotations[usize::from(place)];
        let parent = |place: u16| self.chain[usize::from(place)].1.map_or(Quat::IDENTITY, old);
        let start_local = product(product(parent(start).conjugate(), turns.upper), old(start));
        let bend_parent = product(turns.upper, parent(bend));
        let bend_local = product(product(bend_parent.conjugate(), turns.lower), old(bend));
        let end_local = product(product(turns.lower, parent(end)).conjugate(), old(end));
        let locals = [(start, start_local), (bend, bend_local), (end, end_local)];
        let usable = |q: Quat| q.is_finite() && dot4(q.into(), q.into()) > 0.5;
        if locals.iter().all(|(_, q)| usable(*q)) {
            for (place, rotation) in locals {
                pose[usize::from(self.chain[usize::from(place)].0)].rotation = unit(rotation);
            }
        }
    }
}

/// Places from the root down to `end`.
fn path(chain: &[(u16, Option<u16>)], end: u16) -> Result<Vec<u16>, NoMemory> {
    let mut path = core::iter::successors(Some(end), |place| chain[usize::from(*place)].1).try_list()?;
    path.reverse();
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hips, thigh, shin, foot and a second thigh.
    fn chain() -> Vec<(u16, Option<u16>)> {
        vec![(0, None), (1, Some(0)), (2, Some(1)), (3, Some(2)), (5, Some(0))]
    }

    const LEG: Limb = Limb { start: 1, bend: 2, end: 3 };

    fn standing() -> Vec<Transform> {
        let at = |y: f32, z: f32| Transform::from_translation(Vec3::new(0.0, y, z));
        let mut pose =
            vec![at(0.9, 0.0), at(0.0, 0.0), at(-0.4, 0.03), at(-0.42, -0.03), Transform::IDENTITY, at(0.0, 0.0)];
        pose[0].rotation = Quat::from_rotation_y(0.4);
        pose[0].scale = Vec3::splat(1.1);
        pose[1].rotation = Quat::from_rotation_x(-0.2);
        pose
    }

    #[test]
    fn the_foot_gets_to_its_target_and_keeps_its_sole_level() {
        let limbs = Limbs::new(chain(), vec![LEG]).unwrap().unwrap();
        let mut scratch = limbs.scratch(StateMemory::HEAP).unwrap();
        let mut pose = standing();
        limbs.update(0, &pose, &mut scratch);
        let sole = scratch.rotations[3];
        let offset = Vec3::new(0.02, 0.05, -0.03);
        let target = Vec3::from(scratch.models[3].translation) + offset;
        limbs.apply(&mut pose, &mut scratch, |_| offset);
        limbs.update(0, &pose, &mut scratch);
        assert!((Vec3::from(scratch.models[3].translation) - target).length() < 1e-6);
        assert!(scratch.rotations[3].dot(sole).abs() > 1.0 - 1e-6);
        assert!(pose[2].translation == standing()[2].translation && pose[5] == standing()[5]);
    }

    #[test]
    fn limbs_that_are_none_are_rejected() {
        let is_none = |chain, limbs| Limbs::new(chain, limbs).unwrap().is_none();
        assert!(is_none(chain(), vec![Limb { start: 2, bend: 1, end: 3 }]));
        assert!(is_none(chain(), vec![Limb { start: 1, bend: 2, end: 4 }]), "another leg's");
        assert!(is_none(chain(), vec![Limb { start: 1, bend: 2, end: 9 }]));
        assert!(is_none(vec![(0, Some(1)), (1, None)], vec![]), "a child before its parent");
    }
}
