use super::looping::{MIN_LOOP_SAMPLES, is_loop};
use super::{Additive, Base, Channel, ClipError, FloatHold, Hold, Pose, Sampling, SamplingError, Skeleton, TimeGrid};
use crate::math::{Transform, nlerp};
use glam::Quat;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The parts of a [`Clip`] before they are checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipData {
    /// Name in the source.
    pub name: String,
    /// Joints of the rig that it animates.
    pub joints: usize,
    /// Time of the last sample.
    pub duration_secs: f32,
    /// Sample-major local transforms, `samples x joints`.
    pub transforms: Vec<Transform>,
    /// Number of float tracks.
    pub float_tracks: usize,
    /// Sample-major float values, `samples x float_tracks`.
    pub floats: Vec<f32>,
    /// Stepped intervals, in any order.
    pub holds: Vec<Hold>,
    /// True if the last sample equals the first and time wraps. `None` to detect it.
    pub looping: Option<bool>,
}

/// An animation as uniform samples, valid by construction.
///
/// Rotations are unit quaternions whose signs are continuous in time, so that neighbours blend along the shorter arc.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    name: String,
    joints: usize,
    grid: TimeGrid,
    #[serde(with = "super::bytes::transforms")]
    transforms: Vec<Transform>,
    float_tracks: usize,
    #[serde(with = "super::bytes")]
    floats: Vec<f32>,
    holds: Vec<Hold>,
    float_holds: Vec<FloatHold>,
    looping: bool,
    sampling: Option<Sampling>,
    keys: Vec<TrackKeys>,
    additive: Option<Additive>,
    tags: Vec<String>,
    pub(super) base: Option<Arc<Base>>,
}

/// Samples at which a channel of a joint has keys in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackKeys {
    /// The joint.
    pub joint: u16,
    /// Channel of its transform.
    pub channel: Channel,
    /// Sorted, without duplicates.
    pub samples: Vec<u32>,
}

/// A track with keys at more than this share of the samples counts as baked: a program and not an animator set its keys.
const BAKED_PART: f32 = 0.5;

impl Clip {
    /// Checks, normalises and orders the data.
    ///
    /// # Errors
    /// See [`ClipError`].
    pub fn new(data: ClipData) -> Result<Self, ClipError> {
        let ClipData { name, joints, duration_secs, mut transforms, float_tracks, floats, mut holds, looping } = data;
        if joints == 0 || transforms.is_empty() || !transforms.len().is_multiple_of(joints) {
            return Err(ClipError::Shape { name, found: transforms.len(), joints });
        }
        let samples = transforms.len() / joints;
        if floats.len() != samples * float_tracks {
            return Err(ClipError::Floats { name, found: floats.len(), expected: samples * float_tracks });
        }
        if !(duration_secs.is_finite() && duration_secs >= 0.0) {
            return Err(ClipError::Duration { name, found: duration_secs });
        }
        check_finite(&name, joints, &transforms)?;
        if let Some(bad) = floats.iter().position(|f| !f.is_finite()) {
            return Err(ClipError::NotFinite { name, sample: bad / float_tracks, joint: 0, what: "a float track" });
        }
        make_rotations_continuous(joints, &mut transforms);
        holds.retain(|h| (h.sample as usize) + 1 < samples && usize::from(h.joint) < joints);
        holds.sort_unstable();
        holds.dedup();
        let looping = looping.unwrap_or_else(|| is_loop(&name, joints, &transforms));
        let grid = TimeGrid::new(samples, duration_secs);
        Ok(Self {
            name,
            joints,
            grid,
            transforms,
            float_tracks,
            floats,
            holds,
            float_holds: Vec::new(),
            looping,
            sampling: None,
            keys: Vec::new(),
            additive: None,
            tags: Vec::new(),
            base: None,
        })
    }

    /// Name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Joints of the rig.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Number of samples, at least 1.
    pub fn samples(&self) -> usize {
        self.grid.samples()
    }

    /// The sample times.
    pub fn grid(&self) -> TimeGrid {
        self.grid
    }

    /// Time of the last sample.
    pub fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    /// Number of float tracks.
    pub fn float_tracks(&self) -> usize {
        self.float_tracks
    }

    /// True if both clips have the same numbers of joints and float tracks.
    pub fn has_shape_of(&self, other: &Self) -> bool {
        (self.joints, self.float_tracks) == (other.joints, other.float_tracks)
    }

    /// Local transforms of one sample, one per joint.
    pub fn pose(&self, sample: usize) -> &[Transform] {
        &self.transforms[sample * self.joints..][..self.joints]
    }

    /// Local transform of one joint at one sample.
    pub fn at(&self, sample: usize, joint: usize) -> Transform {
        self.transforms[sample * self.joints + joint]
    }

    /// The local transforms of all samples, as [`ClipData::transforms`].
    pub fn into_transforms(self) -> Vec<Transform> {
        self.transforms
    }

    /// One joint over time.
    pub fn track(&self, joint: usize) -> impl DoubleEndedIterator<Item = Transform> + ExactSizeIterator + '_ {
        self.transforms[joint..].iter().step_by(self.joints).copied()
    }

    /// Float values of one sample.
    pub fn floats(&self, sample: usize) -> &[f32] {
        &self.floats[sample * self.float_tracks..][..self.float_tracks]
    }

    /// Stepped intervals, ordered by sample.
    pub fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// Stepped intervals of float tracks, ordered by sample.
    pub fn float_holds(&self) -> &[FloatHold] {
        &self.float_holds
    }

    /// The same clip with stepped intervals of float tracks, in any order. Intervals outside the clip are dropped.
    pub fn with_float_holds(self, mut holds: Vec<FloatHold>) -> Self {
        let tracks = self.float_tracks.min(usize::from(FloatHold::TRACKS));
        holds.retain(|hold| (hold.sample as usize) + 1 < self.samples() && usize::from(hold.track) < tracks);
        holds.sort_unstable();
        holds.dedup();
        Self { float_holds: holds, ..self }
    }

    /// True if time wraps from the last sample to the first.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// True if the clip is long enough to have a seam: a single pose and a blend of two have none.
    pub fn can_loop(&self) -> bool {
        self.samples() >= MIN_LOOP_SAMPLES
    }

    /// The same clip, marked as looping or not.
    pub fn with_looping(mut self, looping: bool) -> Self {
        self.looping = looping;
        self
    }

    /// The same clip with the errors of its samples against the curves of its file.
    pub fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling: Some(sampling), ..self }
    }

    /// The same clip with the samples at which its file has keys. Empty and baked tracks, and tracks
    /// of joints that the clip does not have, are dropped.
    pub fn with_keys(self, mut keys: Vec<TrackKeys>) -> Self {
        let samples = self.samples();
        for track in &mut keys {
            track.samples.retain(|&sample| (sample as usize) < samples);
            track.samples.sort_unstable();
            track.samples.dedup();
        }
        let is_set = |track: &TrackKeys| (1..=(BAKED_PART * samples as f32) as usize).contains(&track.samples.len());
        keys.retain(|track| usize::from(track.joint) < self.joints && is_set(track));
        Self { keys, ..self }
    }

    /// The same clip with an additive mark from its file or the user.
    pub fn said_to_be(self, additive: Option<Additive>) -> Self {
        Self { additive, ..self }
    }

    /// The same clip with these tags.
    #[must_use]
    pub fn tagged(self, tags: Vec<String>) -> Self {
        Self { tags, ..self }
    }

    /// The tags that its file gives it.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The additive mark. It does not put the clip on a base: see [`Clip::on_base`].
    pub fn additive(&self) -> Option<&Additive> {
        self.additive.as_ref()
    }

    /// The samples with keys in the source, for tracks where they are known.
    pub fn keys(&self) -> &[TrackKeys] {
        &self.keys
    }

    /// A range of its samples, at least one, as a separate clip. It has no float tracks and no stepped intervals, and does not loop.
    pub fn stretch(&self, samples: Range<usize>) -> Self {
        let (first, last) = (samples.start as f64, (samples.end - 1) as f64);
        let duration_secs = self.grid.time_secs(last) - self.grid.time_secs(first);
        Self {
            name: self.name.clone(),
            joints: self.joints,
            grid: TimeGrid::new(samples.len(), duration_secs),
            transforms: self.transforms[samples.start * self.joints..samples.end * self.joints].to_vec(),
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            float_holds: Vec::new(),
            looping: false,
            sampling: None,
            keys: Vec::new(),
            additive: None,
            tags: Vec::new(),
            base: None,
        }
    }

    /// The clip without its last sample, which in a loop equals the first. A clip with one sample keeps it. The additive mark and the base
    /// are removed.
    pub fn without_last(&self) -> Self {
        let grid = self.grid.without_last();
        let last = grid.samples() as u32 - 1;
        let mut keys = self.keys.clone();
        keys.iter_mut().for_each(|track| track.samples.retain(|sample| *sample <= last));
        Self {
            name: self.name.clone(),
            joints: self.joints,
            grid,
            transforms: self.transforms[..grid.samples() * self.joints].to_vec(),
            float_tracks: self.float_tracks,
            floats: self.floats[..grid.samples() * self.float_tracks].to_vec(),
            holds: self.holds.iter().copied().filter(|hold| hold.sample < last).collect(),
            float_holds: self.float_holds.iter().copied().filter(|hold| hold.sample < last).collect(),
            looping: self.looping,
            sampling: self.sampling.clone(),
            keys,
            additive: None,
            tags: self.tags.clone(),
            base: None,
        }
    }

    /// An edited copy without a base. Its sampling error is unknown.
    ///
    /// # Errors
    /// See [`ClipError`].
    pub fn edited(&self, edit: impl FnOnce(&mut ClipData)) -> Result<Self, ClipError> {
        let mut data = ClipData {
            name: self.name.clone(),
            joints: self.joints,
            duration_secs: self.duration_secs(),
            transforms: self.transforms.clone(),
            float_tracks: self.float_tracks,
            floats: self.floats.clone(),
            holds: self.holds.clone(),
            looping: Some(self.looping),
        };
        edit(&mut data);
        let edited = Self::new(data)?.with_float_holds(self.float_holds.clone()).with_keys(self.keys.clone());
        Ok(Self { additive: self.additive.clone(), tags: self.tags.clone(), ..edited })
    }

    /// The largest of its errors against the curves of its file; `None` without a file.
    pub fn sampling_error(&self) -> Option<SamplingError> {
        self.sampling.as_ref().map(|sampling| sampling.worst)
    }

    /// The errors of its samples against the curves of its file; `None` without a file.
    pub fn sampling(&self) -> Option<&Sampling> {
        self.sampling.as_ref()
    }

    /// Bytes without compression: ten floats per joint and sample, and one float per float track and sample.
    pub fn raw_bytes(&self) -> usize {
        raw_bytes(self.joints, self.float_tracks, self.samples())
    }

    /// The part of [`Self::raw_bytes`] that belongs to joints, which payloads replace.
    pub fn raw_joint_bytes(&self) -> usize {
        raw_bytes(self.joints, 0, self.samples())
    }

    /// Blends between the two samples around a place in the clip, in samples from its start; stepped channels keep the
    /// earlier value.
    pub fn sample(&self, at_sample: f64, out: &mut Pose) {
        let (index, alpha) = self.grid.split(at_sample);
        if alpha == 0.0 {
            out.joints.copy_from_slice(self.pose(index));
            out.floats.copy_from_slice(self.floats(index));
            return;
        }
        let floats = self.floats(index).iter().zip(self.floats(index + 1));
        for (out, (a, b)) in out.floats.iter_mut().zip(floats) {
            *out = a + (b - a) * alpha;
        }
        for hold in FloatHold::at(&self.float_holds, index) {
            out.floats[usize::from(hold.track)] = self.floats(index)[usize::from(hold.track)];
        }
        if let Some(base) = self.base.as_ref().filter(|base| base.moves()) {
            return self.sample_added(base, (index, alpha), &mut out.joints);
        }
        let (a, b) = (self.pose(index), self.pose(index + 1));
        for ((out, a), b) in out.joints.iter_mut().zip(a).zip(b) {
            *out = Transform {
                rotation: nlerp(a.rotation, b.rotation, alpha),
                translation: a.translation + (b.translation - a.translation) * alpha,
                scale: a.scale + (b.scale - a.scale) * alpha,
            };
        }
        for hold in Hold::at(&self.holds, index) {
            let joint = usize::from(hold.joint);
            hold.apply(&mut out.joints[joint], &a[joint]);
        }
    }

    /// True if the rig has as many joints as the clip.
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        skeleton.len() == self.joints
    }
}

fn check_finite(name: &str, joints: usize, transforms: &[Transform]) -> Result<(), ClipError> {
    for (index, t) in transforms.iter().enumerate() {
        let what = if !t.translation.is_finite() {
            "translation"
        } else if !t.scale.is_finite() {
            "scale"
        } else if !t.rotation.is_finite() || t.rotation.length_squared() < 1e-12 {
            "rotation"
        } else {
            continue;
        };
        return Err(ClipError::NotFinite { name: name.into(), sample: index / joints, joint: index % joints, what });
    }
    Ok(())
}

/// Normalises a rotation. A quaternion that is already unit to the last bits of f32 stays unchanged, so that import and export are
/// exact.
pub(crate) fn unit_rotation(rotation: Quat) -> Quat {
    let is_unit = (rotation.length_squared() - 1.0).abs() <= 4.0 * f32::EPSILON;
    if is_unit { rotation } else { rotation.normalize() }
}

fn make_rotations_continuous(joints: usize, transforms: &mut [Transform]) {
    for t in transforms.iter_mut() {
        t.rotation = unit_rotation(t.rotation);
    }
    for index in joints..transforms.len() {
        if transforms[index].rotation.dot(transforms[index - joints].rotation) < 0.0 {
            transforms[index].rotation = -transforms[index].rotation;
        }
    }
}

/// Bytes of a clip of that shape without compression: see [`Clip::raw_bytes`].
pub fn raw_bytes(joints: usize, float_tracks: usize, samples: usize) -> usize {
    size_of::<f32>() * (10 * joints + float_tracks) * samples
}

#[cfg(test)]
mod tests {
    use super::super::Channel;
    use super::*;
    use glam::Vec3;

    fn data(transforms: Vec<Transform>) -> ClipData {
        ClipData {
            name: "c".into(),
            joints: 1,
            duration_secs: (transforms.len() - 1) as f32,
            transforms,
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: None,
        }
    }

    fn at_x(x: f32) -> Transform {
        Transform::from_translation(Vec3::new(x, 0.0, 0.0))
    }

    #[test]
    fn nan_is_named_with_its_place() {
        let error = Clip::new(data(vec![at_x(0.0), at_x(f32::NAN)])).unwrap_err();
        assert_eq!(error, ClipError::NotFinite { name: "c".into(), sample: 1, joint: 0, what: "translation" });
    }

    #[test]
    fn signs_are_continuous() {
        let mut b = at_x(0.0);
        b.rotation = -Quat::from_rotation_x(0.1);
        let clip = Clip::new(data(vec![at_x(0.0), b])).unwrap();
        assert!(clip.at(1, 0).rotation.w > 0.0);
    }

    #[test]
    fn a_held_interval_keeps_its_value_until_the_next_sample() {
        let mut d = data(vec![at_x(0.0), at_x(1.0), at_x(2.0)]);
        d.holds = vec![Hold { sample: 1, joint: 0, channel: Channel::Translation }];
        let clip = Clip::new(d).unwrap();
        let mut pose = Pose::with_size(1, 0);
        let mut x_at = |at_sample: f64| {
            clip.sample(at_sample, &mut pose);
            pose.joints[0].translation.x
        };
        assert_eq!([x_at(0.5), x_at(1.0), x_at(1.75), x_at(2.0)], [0.5, 1.0, 1.0, 2.0]);
    }
}
