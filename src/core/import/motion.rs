use super::jumps::Jump;
use super::rate::{KeyTime, Phase};
use crate::math::Transform;
use crate::model::{Additive, Channel};

/// A clip of a file, before it is sampled. It can be evaluated at any time.
pub(super) trait Motion: Sync {
    /// Name in the source.
    fn name(&self) -> &str;

    /// Distinct key times, in order.
    fn times_secs(&self) -> Vec<f32>;

    /// Jumps of channels whose interpolation is not stepped, in order.
    fn jumps(&self) -> Vec<Jump> {
        Vec::new()
    }

    /// Key times for the detection of the rate, in order. All keys of a jump are one.
    fn key_times(&self) -> Vec<KeyTime> {
        let jumps = self.jumps();
        let is_known = |time: &f32| jumps.binary_search_by(|jump| jump.at_secs.total_cmp(time)).is_ok();
        let single = self.times_secs().into_iter().filter(|time| !is_known(time)).map(KeyTime::at);
        let mut times: Vec<KeyTime> = single.chain(jumps.iter().map(|jump| KeyTime::of(*jump))).collect();
        times.sort_by(KeyTime::order);
        times
    }

    /// True if values are linear or constant between keys, so that the keys alone define the motion.
    fn is_straight(&self) -> bool {
        false
    }

    /// Stepped float tracks, with their key times.
    fn stepped_floats(&self) -> Vec<(usize, Vec<f32>)> {
        Vec::new()
    }

    /// The rate that the file states.
    fn rate_hz(&self) -> Option<f64> {
        None
    }

    /// True if the stated rate is that of the editor, and the keys may lie on another one.
    fn keys_say_more(&self) -> bool {
        false
    }

    /// The samples that the clip was made from, if the file states them.
    fn declared(&self) -> Option<Phase> {
        None
    }

    /// The additive mark of the file.
    fn additive(&self) -> Option<Additive> {
        None
    }

    /// The tags of the file.
    fn tags(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if the format defines curves between keys.
    fn has_curves(&self) -> bool;

    /// The channels with keys.
    fn keyed(&self) -> Vec<Keyed>;

    /// Stored bytes: keys and times, without names and structure.
    fn file_bytes(&self) -> u64;

    /// Work of a pose, relative to looking up keys.
    fn work(&self) -> u64 {
        1
    }

    /// Writes the moving channels at a time; others keep their values. It snaps to a key within `snap_secs`, so that rounding of times
    /// neither blurs keys nor delays a step by a sample.
    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], floats: &mut [f32]);
}

/// A channel with keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Keyed {
    pub joint: usize,
    pub channel: Channel,
    /// Times of its keys.
    pub times_secs: Vec<f32>,
    /// True for stepped keys.
    pub is_stepped: bool,
}

/// A motion from a start time.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartingAt<'a, M> {
    pub motion: &'a M,
    /// Start time. Earlier motion is cut off.
    pub start_secs: f32,
}

impl<M: Motion> Motion for StartingAt<'_, M> {
    fn name(&self) -> &str {
        self.motion.name()
    }

    fn times_secs(&self) -> Vec<f32> {
        let mut times = self.motion.times_secs();
        times.iter_mut().for_each(|time| *time -= self.start_secs);
        times
    }

    fn jumps(&self) -> Vec<Jump> {
        self.motion.jumps().into_iter().map(|jump| jump.earlier(self.start_secs)).collect()
    }

    fn key_times(&self) -> Vec<KeyTime> {
        self.motion.key_times().into_iter().map(|time| time.earlier(self.start_secs)).collect()
    }

    fn is_straight(&self) -> bool {
        self.motion.is_straight()
    }

    fn stepped_floats(&self) -> Vec<(usize, Vec<f32>)> {
        let mut all = self.motion.stepped_floats();
        all.iter_mut().flat_map(|(_, times)| times).for_each(|time| *time -= self.start_secs);
        all
    }

    fn rate_hz(&self) -> Option<f64> {
        self.motion.rate_hz()
    }

    fn keys_say_more(&self) -> bool {
        self.motion.keys_say_more()
    }

    fn declared(&self) -> Option<Phase> {
        self.motion.declared()
    }

    fn additive(&self) -> Option<Additive> {
        self.motion.additive()
    }

    fn tags(&self) -> Vec<String> {
        self.motion.tags()
    }

    fn has_curves(&self) -> bool {
        self.motion.has_curves()
    }

    fn keyed(&self) -> Vec<Keyed> {
        let mut all = self.motion.keyed();
        all.iter_mut().flat_map(|keyed| &mut keyed.times_secs).for_each(|time| *time -= self.start_secs);
        all
    }

    fn file_bytes(&self) -> u64 {
        self.motion.file_bytes()
    }

    fn work(&self) -> u64 {
        self.motion.work()
    }

    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], floats: &mut [f32]) {
        self.motion.pose(time_secs + self.start_secs, snap_secs, joints, floats);
    }
}
