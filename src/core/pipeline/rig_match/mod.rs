mod bones;
mod names;

use crate::import::{Finding, lacks_rig};
use crate::math::Transform;
use crate::model::{
    Base, Channel, Clip, ClipData, ClipError, FloatHold, Hold, Human, JointConstraints, ModelPose, Rig, Skeleton,
    TrackKeys,
};
use crate::text;
use bones::Bone;
use glam::Affine3A;
use names::{same_names, same_tracks};
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// Clips fit a rig if more than this share of the smaller skeleton's joints is found in the other.
const LEAST_PART: f32 = 0.5;
/// Clips are put on a rig without a question if it has at least this share of their joints.
const SURE_PART: f32 = 0.7;
/// Bones that differ by more than this factor in length have another unit, or belong to another creature.
const MOST_LENGTH_FACTOR: f32 = 2.0;
/// Cosine between the bones of two rest poses. Below it, joints are oriented differently, even if their names match.
const LEAST_ALIGNMENT: f32 = 0.9;

/// Rest poses are the same if they differ by less than this, in metres or relative.
const SAME_REST: f32 = 1e-5;

/// Why clips cannot be put on a rig.
#[derive(Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum RigMismatch {
    /// Too few joint names match.
    #[error(
        "{matched} of its {joints} joints are named as in the rig '{rig}'; expected more than half. Not in the rig: {extra}"
    )]
    Names { matched: usize, joints: usize, rig: String, extra: String },
    /// The bones have other lengths.
    #[error("its bones are {factor} times as long as those of the rig '{rig}'. Set the unit of its lengths")]
    Lengths {
        /// Its bone lengths divided by the rig's.
        factor: f32,
        rig: String,
    },
    /// The clip has invalid values on the rig.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Puts clips that were made on one rig on another. It maps each joint of the rig to a joint of the clips.
///
/// Joints match by name. The namespace before the last `:` or `|` and the case are ignored if only one joint matches so. If a file stores
/// only hashes of names, its joints take the rig's hierarchy.
///
/// A matched joint takes the clip's local transform, stepped intervals and keys. If it has another parent than in the clip, it keeps its
/// place in object space instead. Joints without a match stay in the rig's rest pose, unless a constraint of the rig moves them.
///
/// If both files mark the bones of a human, the bones match even if their names differ, and all other joints stay at rest. Each bone turns
/// as far from its own rest pose as the source bone does. The hips move in proportion to their height. Two rigs with the same joints and
/// rest pose match by name instead.
#[derive(Debug, Clone, PartialEq)]
pub struct RigMatch<'a> {
    rig: &'a Rig,
    made_on: &'a Rig,
    /// One entry per joint of the rig.
    sources: Vec<MatchedJoint>,
    /// Matched bones of a human, by joint of the rig. Empty if joints are matched by name.
    bones: HashMap<usize, Bone>,
    /// One entry per float track of the rig.
    floats: Vec<Option<usize>>,
}

/// The source of a joint's motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedJoint {
    /// None: the joint stays in its rest pose.
    Rest,
    /// A joint with the same parent.
    Same(usize),
    /// A joint with another parent.
    Moved(usize),
    /// The same bone of another human.
    Bone(usize),
}

impl MatchedJoint {
    /// The joint in the clips.
    pub fn joint(self) -> Option<usize> {
        match self {
            Self::Rest => None,
            Self::Same(joint) | Self::Moved(joint) | Self::Bone(joint) => Some(joint),
        }
    }
}

impl<'a> RigMatch<'a> {
    /// Matches the joints of `rig`, which the clips will move, with the joints of `made_on`, on which they were made.
    pub fn new(rig: &'a Rig, made_on: &'a Rig) -> Self {
        let names = |rig: &'a Rig| rig.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>();
        let joints = same_names(&names(rig), &names(made_on));
        let (to, from) = (&rig.skeleton, &made_on.skeleton);
        let hangs_anywhere = lacks_rig(made_on);
        let source = |joint: usize| match joints[joint] {
            None => MatchedJoint::Rest,
            Some(source) if hangs_anywhere => MatchedJoint::Same(source),
            Some(source) => {
                let above = to.parent(joint).map(|parent| joints[parent]);
                let is_same = above == from.parent(source).map(Some);
                if is_same { MatchedJoint::Same(source) } else { MatchedJoint::Moved(source) }
            }
        };
        let floats = |rig: &'a Rig| rig.float_names.iter().map(String::as_str).collect::<Vec<_>>();
        let mut sources: Vec<MatchedJoint> = (0..to.len()).map(source).collect();
        let is_same = |(joint, source): (usize, &MatchedJoint)| matches!(source, MatchedJoint::Same(source) if has_same_rest(to.bind(joint), from.bind(*source)));
        let is_itself = to.len() == from.len() && sources.iter().enumerate().all(is_same);
        let bones = if is_itself { HashMap::new() } else { bones::shared(rig, made_on) };
        if !bones.is_empty() {
            let bone = |joint| bones.get(&joint).map_or(MatchedJoint::Rest, |bone| MatchedJoint::Bone(bone.source));
            sources = (0..to.len()).map(bone).collect();
        }
        Self { rig, made_on, sources, bones, floats: same_tracks(&floats(rig), &floats(made_on)) }
    }

    /// Checks if clips can be put on the rig.
    ///
    /// # Errors
    /// Returns [`RigMismatch::Names`] or [`RigMismatch::Lengths`].
    pub fn check(&self) -> Result<(), RigMismatch> {
        let rig = self.rig.name.clone();
        if self.part() <= LEAST_PART {
            let (matched, joints) = self.counts();
            return Err(RigMismatch::Names { matched, joints, rig, extra: text::listed(&self.extra()) });
        }
        let factor = self.length_factor();
        match (1.0 / MOST_LENGTH_FACTOR..=MOST_LENGTH_FACTOR).contains(&factor) {
            true => Ok(()),
            false => Err(RigMismatch::Lengths { factor: (factor * 100.0).round() / 100.0, rig }),
        }
    }

    /// True if clips are put on the rig without a question.
    ///
    /// Their file must have no mesh, and the rig must have most of its joints in a similar rest pose. One of these must be true as well:
    ///
    /// - the rig has a mesh;
    /// - the file stores no rig;
    /// - both skeletons have the same joints and differ only in the rest pose.
    pub fn is_sure(&self) -> bool {
        let (to, from) = (&self.rig.skeleton, &self.made_on.skeleton);
        let is_whole = to.len() == from.len() && self.sources.iter().all(|s| matches!(s, MatchedJoint::Same(_)));
        let (matched, joints) = self.counts();
        let is_known = matched as f32 >= SURE_PART * joints as f32;
        let is_known = is_known && self.check().is_ok() && !self.is_twisted();
        let is_wanted = is_whole && to != from || !self.rig.meshes.is_empty() || lacks_rig(self.made_on);
        self.made_on.meshes.is_empty() && is_known && is_wanted
    }

    /// Puts a clip on the rig.
    ///
    /// The base of an additive clip is put on the rig too. Differences without a base are added to their own bind pose, and the rig's bind
    /// pose is subtracted from the result.
    ///
    /// # Errors
    /// Returns [`RigMismatch::Clip`] if values overflow.
    pub fn put_on(&self, clip: &Clip) -> Result<Clip, RigMismatch> {
        if let Some(base) = clip.base() {
            let base = base.put_on(|poses| self.put_poses_on(poses))?;
            return Ok(self.put_poses_on(clip)?.said_to_be(clip.additive().cloned()).with_base(Arc::new(base)));
        }
        if !clip.holds_differences() {
            return Ok(self.put_poses_on(clip)?.said_to_be(clip.additive().cloned()));
        }
        let sums = clip.as_added(&self.made_on.skeleton)?.added_to(Arc::new(Base::bind(&self.made_on.skeleton)))?;
        let on_rig = self.put_poses_on(&sums)?.with_base(Arc::new(Base::bind(&self.rig.skeleton)));
        Ok(on_rig.differences()?.said_to_be(clip.additive().cloned()))
    }

    /// Checks the rig and puts several clips on it.
    ///
    /// # Errors
    /// See [`RigMismatch`].
    pub fn put_all_on<'c>(&self, clips: impl IntoIterator<Item = &'c Clip>) -> Result<Vec<Arc<Clip>>, RigMismatch> {
        self.check()?;
        clips.into_iter().map(|clip| self.put_on(clip).map(Arc::new)).collect()
    }

    fn put_poses_on(&self, clip: &Clip) -> Result<Clip, RigMismatch> {
        let skeleton = &self.rig.skeleton;
        let driven = self.driven(clip);
        let mut poses = Poses { matched: self, driven: &driven, made_on: ModelPose::default(), rig: Vec::new() };
        let mut transforms = Vec::with_capacity(skeleton.len() * clip.samples());
        (0..clip.samples()).for_each(|sample| poses.push(clip.pose(sample), &mut transforms));
        let float = |sample: usize| move |track: &Option<usize>| track.map_or(0.0, |track| clip.floats(sample)[track]);
        let data = ClipData {
            name: clip.name().to_owned(),
            joints: skeleton.len(),
            duration_secs: clip.duration_secs(),
            transforms,
            float_tracks: self.floats.len(),
            floats: (0..clip.samples()).flat_map(|sample| self.floats.iter().map(float(sample))).collect(),
            holds: self.holds(clip, &driven),
            looping: Some(clip.is_looping()),
        };
        let on_rig = Clip::new(data)?;
        let joint_of = |joint: usize| self.sources.iter().position(|source| source.joint() == Some(joint));
        let sampling = clip.sampling().and_then(|sampling| sampling.on_joints(joint_of));
        let on_rig = on_rig.with_float_holds(self.float_holds(clip)).with_keys(self.keys(clip));
        Ok(sampling.into_iter().fold(on_rig, Clip::with_sampling))
    }

    /// Reports the joints that matched and those that did not.
    pub fn finding(&self) -> Finding {
        let (matched, joints) = self.counts();
        let by = match self.is_by_bones() {
            true => format!("matched by {matched} of {joints} human bones"),
            false => format!("matched by the names of {matched} of {joints} joints"),
        };
        let what = format!("its clips move the rig '{}', {by}", self.rig.name);
        let follows = |joint: usize| self.rig.constraints.iter().any(|one| one.joint == joint);
        let missing = self.names(|joint, source| source == MatchedJoint::Rest && !follows(joint));
        let following = self.names(|joint, source| source == MatchedJoint::Rest && follows(joint));
        let moved = self.names(|_, source| matches!(source, MatchedJoint::Moved(_)));
        let lists = [
            ("Not in the file, so in the rest pose: ", text::listed(&missing)),
            ("Moved by the rig's constraints: ", text::listed(&following)),
            ("Not in the rig, so left out: ", text::listed(&self.extra())),
            ("Under another parent than in the file, and kept at the file's positions: ", text::listed(&moved)),
        ];
        let said: Vec<String> = lists
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(head, names)| format!("{head}{names}."))
            .collect();
        let meaning = if said.is_empty() { "Every joint has a match.".to_owned() } else { said.join(" ") };
        let name = &self.made_on.name;
        if self.is_twisted() {
            return Finding::warning(name, what, format!("{meaning} {}", Self::TWISTED));
        }
        // A joint at rest has the rig's own pose. Joints that are dropped or moved change the file's motion.
        match moved.is_empty() && self.extra().is_empty() {
            true => Finding::note(name, what, meaning),
            false => Finding::warning(name, what, meaning),
        }
    }

    /// Each joint of the rig, with the source of its motion.
    pub fn joints(&self) -> impl Iterator<Item = (&'a str, MatchedJoint)> + '_ {
        let joints = self.sources.iter().enumerate();
        joints.map(|(joint, source)| (self.rig.skeleton.name(joint), *source))
    }

    /// Name of the joint in the clips.
    pub fn source_name(&self, source: MatchedJoint) -> Option<&'a str> {
        source.joint().map(|joint| self.made_on.skeleton.name(joint))
    }

    /// True if the bones of the two rest poses point in different directions.
    pub fn is_twisted(&self) -> bool {
        self.alignment() < LEAST_ALIGNMENT
    }

    /// The warning if [`Self::is_twisted`] is true.
    pub const TWISTED: &'static str =
        "The bones of the two rest poses point in different directions. Check the limbs for twists.";

    /// The constraints of the rig for joints that a clip leaves at rest. The clip moves the other joints, and it already contains the
    /// results of its own constraints.
    fn driven(&self, clip: &Clip) -> JointConstraints {
        let rest = |joint: usize| self.made_on.skeleton.bind(joint).rotation;
        let is_still =
            |joint: usize| clip.track(joint).all(|local| local.rotation.dot(rest(joint)).abs() > 1.0 - SAME_REST);
        self.rig.constraints.only(|joint| match self.sources[joint] {
            MatchedJoint::Rest => true,
            source => source.joint().is_some_and(is_still),
        })
    }

    fn names(&self, is_meant: impl Fn(usize, MatchedJoint) -> bool) -> Vec<&'a str> {
        let joints = (0..self.sources.len()).filter(|&joint| is_meant(joint, self.sources[joint]));
        joints.map(|joint| self.rig.skeleton.name(joint)).collect()
    }

    /// Names of the clips' joints that the rig lacks. If bones are matched, only joints that are bones count.
    pub fn extra(&self) -> Vec<&'a str> {
        let skeleton = &self.made_on.skeleton;
        let mut known = vec![false; skeleton.len()];
        self.sources.iter().filter_map(|source| source.joint()).for_each(|joint| known[joint] = true);
        let counts = |joint: &usize| !self.is_by_bones() || self.made_on.human.iter().any(|h| h.bone(*joint).is_some());
        (0..skeleton.len()).filter(|&joint| !known[joint]).filter(counts).map(|joint| skeleton.name(joint)).collect()
    }

    /// True if human bones are matched, and nothing else.
    pub fn is_by_bones(&self) -> bool {
        !self.bones.is_empty()
    }

    /// The number of matched joints (or bones of a human), and the number of all joints (or bones) of the clips.
    pub fn counts(&self) -> (usize, usize) {
        let matched = self.sources.iter().filter(|source| source.joint().is_some()).count();
        (matched, matched + self.extra().len())
    }

    fn part(&self) -> f32 {
        let (matched, joints) = self.counts();
        let of_rig = match &self.rig.human {
            Some(human) if self.is_by_bones() => human.bones.len(),
            _ => self.rig.skeleton.len(),
        };
        matched as f32 / of_rig.min(joints) as f32
    }

    /// Bones of both rest poses, as pairs of offsets. A root's offset is skipped, since it is a position and not a bone.
    fn bones(&self) -> impl Iterator<Item = (glam::Vec3, glam::Vec3)> + '_ {
        let (to, from) = (&self.rig.skeleton, &self.made_on.skeleton);
        self.sources.iter().enumerate().filter_map(move |(joint, source)| match source {
            MatchedJoint::Same(source) if to.parent(joint).is_some() => {
                Some((to.bind(joint).translation, from.bind(*source).translation))
            }
            _ => None,
        })
    }

    /// Bone lengths of the clips' rig divided by the rig's, as a median. 1 if there is nothing to compare. The median ignores the hips,
    /// whose offset may be a position on a stage.
    fn length_factor(&self) -> f32 {
        median(self.bones().map(|(rig, other)| other.length() / rig.length())).unwrap_or(1.0)
    }

    /// Median cosine between bones of the same name.
    fn alignment(&self) -> f32 {
        median(self.bones().map(|(rig, other)| rig.dot(other) / (rig.length() * other.length()))).unwrap_or(1.0)
    }

    fn keys(&self, clip: &Clip) -> Vec<TrackKeys> {
        let of_joint = |(joint, source): (usize, &MatchedJoint)| {
            let source = source.joint();
            let is_taken = self.taken(joint);
            let own = clip.keys().iter().filter(move |keys| Some(usize::from(keys.joint)) == source);
            let own = own.filter(move |keys| is_taken(keys.channel));
            own.map(move |keys| TrackKeys { joint: joint as u16, ..keys.clone() })
        };
        self.sources.iter().enumerate().flat_map(of_joint).collect()
    }

    /// The channels that a joint takes from the clips. A bone takes its rotation; the hips also take their translation.
    fn taken(&self, joint: usize) -> impl Fn(Channel) -> bool + use<> {
        let is_bone = self.bones.contains_key(&joint);
        let is_hips = self.rig.human.as_ref().and_then(|human| human.bone(joint)) == Some(Human::HIPS);
        move |channel| match channel {
            _ if !is_bone => true,
            Channel::Rotation => true,
            Channel::Translation => is_hips,
            Channel::Scale => false,
        }
    }

    fn float_holds(&self, clip: &Clip) -> Vec<FloatHold> {
        let mut all = Vec::new();
        for (track, source) in self.floats.iter().enumerate() {
            let own = clip.float_holds().iter().filter(|hold| Some(usize::from(hold.track)) == *source);
            all.extend(own.map(|hold| FloatHold { track: track as u16, ..*hold }));
        }
        all
    }

    fn holds(&self, clip: &Clip, driven: &JointConstraints) -> Vec<Hold> {
        let mut all = Vec::new();
        for (joint, source) in self.sources.iter().enumerate() {
            let MatchedJoint::Same(source) = *source else { continue };
            let own = clip.holds().iter().filter(|hold| usize::from(hold.joint) == source);
            all.extend(own.map(|hold| Hold { joint: joint as u16, ..*hold }));
        }
        for one in driven.iter() {
            let of_source = |hold: &&Hold| usize::from(hold.joint) == one.source && hold.channel == Channel::Rotation;
            let followed: Vec<Hold> = all.iter().filter(of_source).copied().collect();
            all.extend(followed.into_iter().map(|hold| Hold { joint: one.joint as u16, ..hold }));
        }
        all
    }
}

/// True if two rest poses differ only by rounding.
fn has_same_rest(a: Transform, b: Transform) -> bool {
    let is_near = |a: glam::Vec3, b: glam::Vec3| a.abs_diff_eq(b, SAME_REST * (1.0 + a.length()));
    let same_turn = a.rotation.dot(b.rotation).abs() > 1.0 - SAME_REST;
    same_turn && is_near(a.translation, b.translation) && is_near(a.scale, b.scale)
}

/// Makes poses on the rig, in sequence.
struct Poses<'a> {
    matched: &'a RigMatch<'a>,
    driven: &'a JointConstraints,
    made_on: ModelPose,
    rig: Vec<Affine3A>,
}

impl Poses<'_> {
    fn push(&mut self, pose: &[Transform], out: &mut Vec<Transform>) {
        let skeleton: &Skeleton = &self.matched.rig.skeleton;
        if self.matched.sources.iter().any(|source| matches!(source, MatchedJoint::Moved(_))) {
            self.made_on.update(&self.matched.made_on.skeleton, pose);
        }
        self.rig.clear();
        let start = out.len();
        for (joint, source) in self.matched.sources.iter().enumerate() {
            let above = skeleton.parent(joint).map_or(Affine3A::IDENTITY, |parent| self.rig[parent]);
            let local = match *source {
                MatchedJoint::Rest => skeleton.bind(joint),
                MatchedJoint::Same(source) => pose[source],
                MatchedJoint::Bone(_) => self.matched.bones[&joint].local(pose),
                MatchedJoint::Moved(source) => {
                    let (scale, rotation, translation) =
                        (above.inverse() * self.made_on.joints[source]).to_scale_rotation_translation();
                    Transform { rotation, translation, scale }
                }
            };
            self.rig.push(above * local.to_affine());
            out.push(local);
        }
        self.driven.apply(&mut out[start..]);
    }
}

/// The median of the finite values.
fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}
