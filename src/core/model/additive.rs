use super::{Clip, ClipData, ClipError, Hold, Pose, Sampler, Skeleton, TimeGrid};
use crate::math::Transform;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The additive mark of a clip, from its file or from the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Additive {
    /// The base that it is added to.
    pub base: BaseOf,
    /// The contents of its file.
    #[serde(default)]
    pub holds: Holds,
}

/// The base of an additive clip. Clips are given by name; a clip of the same file takes precedence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseOf {
    /// No base: the clip is not additive.
    Nothing,
    /// The rig's bind pose.
    Bind,
    /// The first pose of a clip.
    FirstPose(String),
    /// A clip that plays at the same time and repeats.
    Clip(String),
}

/// The contents of an additive clip's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The differences.
    #[default]
    Differences,
    /// Full poses, from which the differences are computed.
    Poses,
}

impl Additive {
    /// Differences from the rig's bind pose.
    pub const TO_BIND: Self = Self { base: BaseOf::Bind, holds: Holds::Differences };
    /// Not additive, even if the file says so.
    pub const NOT: Self = Self { base: BaseOf::Nothing, holds: Holds::Differences };
}

impl BaseOf {
    /// Name of the clip that is the base, or whose first pose is.
    pub fn clip(&self) -> Option<&str> {
        match self {
            Self::Nothing | Self::Bind => None,
            Self::FirstPose(name) | Self::Clip(name) => Some(name),
        }
    }

    /// Replaces the name of a clip that was renamed.
    pub fn rename(&mut self, old: &str, new: &str) {
        match self {
            Self::FirstPose(name) | Self::Clip(name) if name == old => new.clone_into(name),
            _ => {}
        }
    }
}

/// The end of a sentence: "added to ...".
impl fmt::Display for BaseOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Bind => f.write_str("the bind pose"),
            Self::FirstPose(clip) => write!(f, "the first pose of {clip}"),
            Self::Clip(clip) => f.write_str(clip),
        }
    }
}

/// The base poses of an additive clip: one pose, or one per sample.
///
/// An additive clip stores differences, which an engine adds to the pose of another animation. A [`Clip`] with a base holds the *sums*,
/// so that errors, contacts and pictures show the result in a player. Codecs store the differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Base {
    of: BaseOf,
    joints: usize,
    #[serde(with = "super::bytes::transforms")]
    poses: Vec<Transform>,
}

impl Base {
    /// The rig's bind pose as a base.
    pub fn bind(skeleton: &Skeleton) -> Self {
        Self { of: BaseOf::Bind, joints: skeleton.len(), poses: skeleton.bind_pose(0).joints }
    }

    /// The first pose of a clip as a base.
    pub fn first_pose(clip: &Clip) -> Self {
        Self { of: BaseOf::FirstPose(clip.name().to_owned()), joints: clip.joints(), poses: clip.pose(0).to_vec() }
    }

    /// A clip as a base: its poses at the samples of `grid`. A shorter clip repeats.
    pub fn playing(clip: &Clip, grid: TimeGrid) -> Self {
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut poses = Vec::with_capacity(clip.joints() * grid.samples());
        for place in grid.steps(1) {
            clip.sample(place_of(clip, f64::from(grid.time_secs(place))), &mut pose);
            poses.extend_from_slice(&pose.joints);
        }
        Self { of: BaseOf::Clip(clip.name().to_owned()), joints: clip.joints(), poses }
    }

    /// The kind of base; clips by their names in the file.
    pub fn of(&self) -> &BaseOf {
        &self.of
    }

    /// The same base on another rig. `put` moves a clip of its poses to that rig.
    ///
    /// # Errors
    /// Those of `put`.
    pub fn put_on<E: From<ClipError>>(&self, put: impl FnOnce(&Clip) -> Result<Clip, E>) -> Result<Self, E> {
        let (joints, transforms) = (self.joints, self.poses.clone());
        let poses = ClipData {
            name: String::new(),
            joints,
            duration_secs: 0.0,
            transforms,
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: Some(false),
        };
        let put = put(&Clip::new(poses)?)?;
        let poses = (0..put.samples()).flat_map(|sample| put.pose(sample)).copied().collect();
        Ok(Self { of: self.of.clone(), joints: put.joints(), poses })
    }

    /// Its pose at a sample of the additive clip.
    pub fn pose(&self, sample: usize) -> &[Transform] {
        let sample = if self.moves() { sample } else { 0 };
        &self.poses[sample * self.joints..][..self.joints]
    }

    /// True if it has one pose per sample.
    pub fn moves(&self) -> bool {
        self.poses.len() > self.joints
    }

    /// True if the base is one pose, and equal to that pose.
    pub fn is_pose(&self, pose: &[Transform]) -> bool {
        self.poses == pose
    }

    /// Its pose between two samples of the additive clip, joint by joint.
    pub fn at(&self, (index, alpha): (usize, f32)) -> impl Iterator<Item = Transform> + '_ {
        let base = self.pose(index);
        let next = if self.moves() && alpha > 0.0 { self.pose(index + 1) } else { base };
        base.iter().zip(next).map(move |(base, next)| base.lerp(*next, alpha))
    }

    /// Replaces differences, one per joint, by their sums with the base between two samples of the additive clip.
    fn put_under(&self, place: (usize, f32), differences: &mut [Transform]) {
        differences.iter_mut().zip(self.at(place)).for_each(|(out, base)| *out = base.plus(*out));
    }
}

/// The place of a time in a clip that starts at zero and repeats. The end of its first round is its last sample, not its first.
fn place_of(clip: &Clip, secs: f64) -> f64 {
    /// Tolerance for rounding at fractional sample rates, in samples.
    const SAME: f64 = 1e-3;
    let (grid, last) = (clip.grid(), (clip.samples() - 1) as f64);
    let place = secs * grid.rate_hz();
    match place <= last + SAME || last == 0.0 {
        true => place.min(last),
        false => place % last,
    }
}

/// Plays the sum of differences and their base.
#[derive(Debug)]
pub struct AddedSampler<S> {
    differences: S,
    base: Arc<Base>,
    grid: TimeGrid,
}

impl<S: Sampler> AddedSampler<S> {
    /// A player of `differences` on the base of a clip with that grid.
    pub fn new(differences: S, base: Arc<Base>, grid: TimeGrid) -> Self {
        Self { differences, base, grid }
    }
}

impl<S: Sampler> Sampler for AddedSampler<S> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.differences.sample(at_sample, out);
        self.base.put_under(self.grid.split(at_sample), &mut out.joints);
    }
}

impl Clip {
    /// The clip on the base of its mark. `find` returns the clip with a name. `None` without a mark or a base, or if no clip fits.
    ///
    /// # Errors
    /// [`ClipError`] if numbers overflow.
    pub fn on_base(
        &self,
        skeleton: &Skeleton,
        find: impl Fn(&str) -> Option<Arc<Self>>,
    ) -> Result<Option<Self>, ClipError> {
        let Some(additive) = self.additive() else { return Ok(None) };
        // A clip of differences cannot be a base, because its file lacks the poses.
        let is_base = |clip: &Arc<Self>| clip.joints() == self.joints() && !clip.holds_differences();
        let clip = additive.base.clip().and_then(find).filter(is_base);
        let base = match (&additive.base, clip) {
            (BaseOf::Bind, _) => Base::bind(skeleton),
            (BaseOf::FirstPose(_), Some(clip)) => Base::first_pose(&clip),
            (BaseOf::Clip(_), Some(clip)) => Base::playing(&clip, self.grid()),
            _ => return Ok(None),
        };
        match additive.holds {
            Holds::Differences => self.as_added(skeleton)?.added_to(Arc::new(base)).map(Some),
            Holds::Poses => Ok(Some(self.clone().with_base(Arc::new(base)))),
        }
    }

    /// The base of an additive clip; `None` for others.
    pub fn base(&self) -> Option<&Arc<Base>> {
        self.base.as_ref()
    }

    /// True if its channels are near zero where the bind pose is not: joints coincide with their parents and lack the rotations of the rest
    /// pose. Differences look like that.
    pub fn looks_like_differences(&self, skeleton: &Skeleton) -> bool {
        /// Shortest bone that counts, metres ...
        const BONE_M: f32 = 1e-3;
        /// ... and smallest rest rotation, radians.
        const TURN_RAD: f32 = 0.35;
        /// Least share of the counted channels that are near zero ...
        const MOST: f32 = 0.8;
        /// ... and least number of them.
        const FEWEST: usize = 3;
        // `None` for a channel that does not count, else true if it stays below half of its size in the bind pose.
        let stands_out =
            |joint: usize, least: f32, length: fn(&Transform) -> f32, is_same: fn(&Transform, &Transform) -> bool| {
                let bind = &skeleton.bind(joint);
                let rest = length(bind);
                let moves = || self.track(joint).any(|local| !is_same(&local, bind));
                let is_gone = || self.track(joint).all(|local| length(&local) < 0.5 * rest);
                (skeleton.parent(joint).is_some() && rest > least && moves()).then(is_gone)
            };
        let bones = (0..self.joints()).filter_map(|joint| {
            stands_out(joint, BONE_M, |local| local.translation.length(), |a, b| a.translation == b.translation)
        });
        let turns = (0..self.joints()).filter_map(|joint| {
            let angle_rad = |local: &Transform| local.rotation.angle_between(Quat::IDENTITY);
            stands_out(joint, TURN_RAD, angle_rad, |a, b| a.rotation == b.rotation || a.rotation == -b.rotation)
        });
        let is_gone: Vec<bool> = bones.chain(turns).collect();
        let gone = is_gone.iter().filter(|&&is_gone| is_gone).count();
        gone >= FEWEST && gone as f32 >= MOST * is_gone.len() as f32
    }

    /// True if the clip is marked as additive and its poses are differences.
    pub fn holds_differences(&self) -> bool {
        let is_so = |a: &Additive| a.base != BaseOf::Nothing && a.holds == Holds::Differences;
        self.additive().is_some_and(is_so)
    }

    /// True for differences whose scales are added to 1, as in Unreal: they are near 0, not near 1, on most animated joints. As factors they
    /// would shrink the character to nothing.
    pub fn adds_scales(&self, skeleton: &Skeleton) -> bool {
        /// Halfway between the factors 0 and 1.
        const NEAR_ZERO: f32 = 0.5;
        let differs = |joint: usize| self.track(joint).any(|local| local != skeleton.bind(joint));
        let is_near_zero = |joint: usize| self.track(joint).all(|local| local.scale.abs().max_element() < NEAR_ZERO);
        let said: Vec<usize> = (0..self.joints()).filter(|&joint| differs(joint)).collect();
        2 * said.iter().filter(|&&joint| is_near_zero(joint)).count() > said.len()
    }

    /// The differences to add. Channels that equal the bind pose exactly become zero differences: files omit them, and importers fill in the
    /// bind pose. Scales that are added to 1 ([`Clip::adds_scales`]) become factors.
    ///
    /// # Errors
    /// [`ClipError`]; it cannot occur for a valid clip.
    pub fn as_added(&self, skeleton: &Skeleton) -> Result<Self, ClipError> {
        let least = if self.adds_scales(skeleton) { Vec3::ONE } else { Vec3::ZERO };
        let rests = |joint: usize, is_same: fn(&Transform, &Transform) -> bool| {
            self.track(joint).all(|local| is_same(&local, &skeleton.bind(joint)))
        };
        let resting: Vec<[bool; 3]> = (0..self.joints())
            .map(|joint| {
                let rotation = rests(joint, |a, b| a.rotation == b.rotation || a.rotation == -b.rotation);
                let translation = rests(joint, |a, b| a.translation == b.translation);
                [rotation, translation, rests(joint, |a, b| a.scale == b.scale)]
            })
            .collect();
        self.edited(|data| {
            for (local, [rotation, translation, scale]) in data.transforms.iter_mut().zip(resting.iter().cycle()) {
                let Transform { rotation: no_turn, translation: no_way, scale: no_factor } = Transform::IDENTITY;
                *local = Transform {
                    rotation: if *rotation { no_turn } else { local.rotation },
                    translation: if *translation { no_way } else { local.translation },
                    scale: if *scale { no_factor } else { least + local.scale },
                };
            }
        })
    }

    /// The clip of differences, on that base.
    ///
    /// # Errors
    /// [`ClipError`] if the sums are not valid poses. The base must have the same number of joints.
    pub fn added_to(&self, base: Arc<Base>) -> Result<Self, ClipError> {
        let sums = self.edited(|data| {
            for (sample, pose) in data.transforms.chunks_exact_mut(self.joints()).enumerate() {
                pose.iter_mut().zip(base.pose(sample)).for_each(|(out, base)| *out = base.plus(*out));
            }
        })?;
        Ok(sums.with_base(base))
    }

    /// The same clip with a base. Its poses are the sums; codecs store their differences from the base.
    pub fn with_base(mut self, base: Arc<Base>) -> Self {
        self.base = Some(base);
        self
    }

    /// The differences of its poses from the base, as a clip of their own. Returns a clip without a base unchanged.
    ///
    /// # Errors
    /// [`ClipError`] if numbers overflow.
    pub fn differences(&self) -> Result<Self, ClipError> {
        self.differing(|difference, _| difference)
    }

    /// Like [`Clip::differences`], added to another pose of the same rig.
    ///
    /// # Errors
    /// [`ClipError`] if numbers overflow.
    pub fn carried_by(&self, carriers: &[Transform]) -> Result<Self, ClipError> {
        self.differing(|difference, joint| carriers[joint].plus(difference))
    }

    fn differing(&self, put: impl Fn(Transform, usize) -> Transform) -> Result<Self, ClipError> {
        let Some(base) = &self.base else { return Ok(self.clone()) };
        self.edited(|data| {
            for (sample, pose) in data.transforms.chunks_exact_mut(self.joints()).enumerate() {
                let pairs = pose.iter_mut().zip(base.pose(sample)).enumerate();
                pairs.for_each(|(joint, (out, base))| *out = put(out.minus(*base), joint));
            }
        })
    }

    /// Samples between two samples of a clip on a moving base. It blends the differences, as a player does.
    pub(super) fn sample_added(&self, base: &Base, (index, alpha): (usize, f32), out: &mut [Transform]) {
        let off = |sample: usize, joint: usize| self.at(sample, joint).minus(base.pose(sample)[joint]);
        for (joint, out) in out.iter_mut().enumerate() {
            *out = off(index, joint).lerp(off(index + 1, joint), alpha);
        }
        for hold in Hold::at(self.holds(), index) {
            let joint = usize::from(hold.joint);
            hold.apply(&mut out[joint], &off(index, joint));
        }
        base.put_under((index, alpha), out);
    }
}
