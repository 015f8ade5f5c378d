use super::{Clip, ClipData, ClipError, Hold, Pose, Sampler, Skeleton, TimeGrid};
use crate::math::Transform;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// That a clip is additive, or not, as a file or a person says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Additive {
    /// What it is added to.
    pub base: BaseOf,
    /// What its file holds.
    #[serde(default)]
    pub holds: Holds,
}

/// What a clip is added to. Clips are named; those of the same file come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseOf {
    /// Nothing: its poses stand for themselves.
    Nothing,
    /// The rig's bind pose.
    Bind,
    /// The first pose of a clip.
    FirstPose(String),
    /// A clip that plays along, over and over.
    Clip(String),
}

/// What the file of an additive clip holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// What is added.
    #[default]
    Differences,
    /// What is seen on the base: the differences are still to be made of it.
    Poses,
}

impl Additive {
    /// Differences from the rig's bind pose.
    pub const TO_BIND: Self = Self { base: BaseOf::Bind, holds: Holds::Differences };
    /// Whatever a file says: the clip's poses stand for themselves.
    pub const NOT: Self = Self { base: BaseOf::Nothing, holds: Holds::Differences };
}

impl BaseOf {
    /// The name of the clip that it is or begins.
    pub fn clip(&self) -> Option<&str> {
        match self {
            Self::Nothing | Self::Bind => None,
            Self::FirstPose(name) | Self::Clip(name) => Some(name),
        }
    }

    /// The clip of one name has another from now on.
    pub fn rename(&mut self, old: &str, new: &str) {
        match self {
            Self::FirstPose(name) | Self::Clip(name) if name == old => new.clone_into(name),
            _ => {}
        }
    }
}

/// As a sentence ends that says to what a clip is added.
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

/// What the poses of an additive clip are on top of: one pose, or one for each of its samples.
///
/// An additive clip stores differences, which an engine adds to whatever it plays below. Here it is seen on this base: a [`Clip`] with a
/// base holds the *sums*, so that errors, plants and pictures are of what a player shows, and what codecs store is what its
/// poses differ by.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    of: BaseOf,
    joints: usize,
    poses: Vec<Transform>,
}

impl Base {
    /// The rig's bind pose.
    pub fn bind(skeleton: &Skeleton) -> Self {
        Self { of: BaseOf::Bind, joints: skeleton.len(), poses: skeleton.bind_pose(0).joints }
    }

    /// The first pose of a clip.
    pub fn first_pose(clip: &Clip) -> Self {
        Self { of: BaseOf::FirstPose(clip.name().to_owned()), joints: clip.joints(), poses: clip.pose(0).to_vec() }
    }

    /// A clip that plays along, over and over where it is shorter: its poses at the samples of `grid`.
    pub fn playing(clip: &Clip, grid: TimeGrid) -> Self {
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut poses = Vec::with_capacity(clip.joints() * grid.samples());
        for place in grid.steps(1) {
            clip.sample(place_of(clip, f64::from(grid.time_secs(place))), &mut pose);
            poses.extend_from_slice(&pose.joints);
        }
        Self { of: BaseOf::Clip(clip.name().to_owned()), joints: clip.joints(), poses }
    }

    /// What it is; clips by the names that their files give them.
    pub fn of(&self) -> &BaseOf {
        &self.of
    }

    /// The same on another rig, onto which `put` puts a clip of its poses.
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

    /// Its pose at a sample of the clip that is added to it.
    pub fn pose(&self, sample: usize) -> &[Transform] {
        let sample = if self.moves() { sample } else { 0 };
        &self.poses[sample * self.joints..][..self.joints]
    }

    /// It has a pose for each sample.
    pub fn moves(&self) -> bool {
        self.poses.len() > self.joints
    }

    /// True where it is that pose, to the bit, throughout.
    pub fn is_pose(&self, pose: &[Transform]) -> bool {
        self.poses == pose
    }

    /// Its pose at a place of the clip that is added to it, a joint after the other.
    pub fn at(&self, (index, alpha): (usize, f32)) -> impl Iterator<Item = Transform> + '_ {
        let base = self.pose(index);
        let next = if self.moves() && alpha > 0.0 { self.pose(index + 1) } else { base };
        base.iter().zip(next).map(move |(base, next)| base.lerp(*next, alpha))
    }

    /// Puts it under differences, one a joint, at a place of the clip that is added to it.
    fn put_under(&self, place: (usize, f32), differences: &mut [Transform]) {
        differences.iter_mut().zip(self.at(place)).for_each(|(out, base)| *out = base.plus(*out));
    }
}

/// Where a clip is that began at zero and goes round and round. The end of its last round is its last sample.
fn place_of(clip: &Clip, secs: f64) -> f64 {
    /// Rates that are not whole leave rounds that much apart, of a sample.
    const SAME: f64 = 1e-3;
    let (grid, last) = (clip.grid(), (clip.samples() - 1) as f64);
    let place = secs * grid.rate_hz();
    match place <= last + SAME || last == 0.0 {
        true => place.min(last),
        false => place % last,
    }
}

/// Plays differences on their base.
#[derive(Debug)]
pub struct AddedSampler<S> {
    differences: S,
    base: Arc<Base>,
    grid: TimeGrid,
}

impl<S: Sampler> AddedSampler<S> {
    /// What `differences` plays, on the base of a clip of that grid.
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
    /// The clip on the base that it is said to be added to. `find` gives the clip of a name; `None` where it is said to stand
    /// for itself, or where there is no clip that fits.
    ///
    /// # Errors
    /// [`ClipError`], where numbers overflow.
    pub fn on_base(
        &self,
        skeleton: &Skeleton,
        find: impl Fn(&str) -> Option<Arc<Self>>,
    ) -> Result<Option<Self>, ClipError> {
        let Some(additive) = self.additive() else { return Ok(None) };
        // Differences are no base: a file that holds a clip so has lost its poses.
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

    /// What its poses are on top of; `None` where they stand for themselves.
    pub fn base(&self) -> Option<&Arc<Base>> {
        self.base.as_ref()
    }

    /// True where its channels are near no movement at all though the rig's bind pose is not: joints lie at their parents, and are not turned as
    /// joints at rest are. So are differences.
    pub fn looks_like_differences(&self, skeleton: &Skeleton) -> bool {
        /// A bone this long stands out, metres ...
        const BONE_M: f32 = 1e-3;
        /// ... and a rest that is turned this far, radians.
        const TURN_RAD: f32 = 0.35;
        /// Channels that are near nothing, of all that stand out ...
        const MOST: f32 = 0.8;
        /// ... and at least.
        const FEWEST: usize = 3;
        // How far a channel's rest is from nothing, and whether the clip is nearer to nothing than to half of that.
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

    /// True where its poses are said to be differences.
    pub fn holds_differences(&self) -> bool {
        let is_so = |a: &Additive| a.base != BaseOf::Nothing && a.holds == Holds::Differences;
        self.additive().is_some_and(is_so)
    }

    /// True for differences whose scales are what is added to a factor of one, as Unreal has them: near zero, not near one, on most of the
    /// joints that the clip says anything of. As factors they would leave nothing of the figure.
    pub fn adds_scales(&self, skeleton: &Skeleton) -> bool {
        /// Halfway between a factor that changes nothing, and none.
        const NEAR_ZERO: f32 = 0.5;
        let differs = |joint: usize| self.track(joint).any(|local| local != skeleton.bind(joint));
        let is_near_zero = |joint: usize| self.track(joint).all(|local| local.scale.abs().max_element() < NEAR_ZERO);
        let said: Vec<usize> = (0..self.joints()).filter(|&joint| differs(joint)).collect();
        2 * said.iter().filter(|&&joint| is_near_zero(joint)).count() > said.len()
    }

    /// Differences as they are added. Channels that stand in the rig's bind pose, to the bit, differ by nothing: files leave them out, and
    /// importers know no better. Scales that are added to one ([`Clip::adds_scales`]) become factors.
    ///
    /// # Errors
    /// [`ClipError`]: none, of a clip that is one.
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

    /// The clip that stores differences, put on that base.
    ///
    /// # Errors
    /// [`ClipError`], where the sums are no poses; a base of another number of joints is a fault of the caller.
    pub fn added_to(&self, base: Arc<Base>) -> Result<Self, ClipError> {
        let sums = self.edited(|data| {
            for (sample, pose) in data.transforms.chunks_exact_mut(self.joints()).enumerate() {
                pose.iter_mut().zip(base.pose(sample)).for_each(|(out, base)| *out = base.plus(*out));
            }
        })?;
        Ok(sums.with_base(base))
    }

    /// The same clip, of which only what it differs by from a base is stored.
    pub fn with_base(mut self, base: Arc<Base>) -> Self {
        self.base = Some(base);
        self
    }

    /// By what its poses differ from their base, as a clip for itself; of a clip without a base the clip.
    ///
    /// # Errors
    /// [`ClipError`], where numbers overflow.
    pub fn differences(&self) -> Result<Self, ClipError> {
        self.differing(|difference, _| difference)
    }

    /// As [`Clip::differences`], on top of another pose of the same rig.
    ///
    /// # Errors
    /// [`ClipError`], where numbers overflow.
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

    /// A place between two samples of a clip on a base that moves: what is blended is the differences, as a player does it.
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
