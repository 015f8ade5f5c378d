use super::{BetweenUpdates, LodLevel, Platform, joints_by_reach};
use crate::math::Transform;
use crate::model::{Pose, Rig, Sampler, TimeGrid};
use std::sync::Arc;

/// A level of detail on a rig: which joints move, and when the pose is updated.
#[derive(Debug, Clone, PartialEq)]
pub struct LodPlay {
    /// Bits of the joints that move. `None`: all.
    mask: Option<Vec<u64>>,
    /// The other joints, with their bind pose.
    still: Vec<(usize, Transform)>,
    /// Seconds from one update to the next. 0: every frame.
    update_secs: f64,
    between: BetweenUpdates,
}

impl LodPlay {
    /// A level of a platform on a rig.
    pub fn new(platform: &Platform, level: &LodLevel, rig: &Rig) -> Self {
        let moving = match level.joints {
            0 => rig.skeleton.len(),
            joints => joints.min(rig.skeleton.len()),
        };
        let order = joints_by_reach(rig);
        let mut mask = vec![0u64; rig.skeleton.len().div_ceil(64)];
        order[..moving].iter().for_each(|joint| mask[joint / 64] |= 1 << (joint % 64));
        let mut still: Vec<_> = order[moving..].iter().map(|joint| (*joint, rig.skeleton.bind(*joint))).collect();
        still.sort_by_key(|(joint, _)| *joint);
        let update_secs = match level.every.frames() {
            1 => 0.0,
            frames => frames as f64 / f64::from(platform.frame_rate_hz),
        };
        Self { mask: (!still.is_empty()).then_some(mask), still, update_secs, between: platform.between }
    }

    /// Bits of the joints that move, as [`posepress_runtime::Opened::sample_mask`] takes them. `None`: all.
    pub fn mask(&self) -> Option<&[u64]> {
        self.mask.as_deref()
    }

    /// Number of joints that keep their bind pose.
    pub fn still_joints(&self) -> usize {
        self.still.len()
    }

    /// Seconds from one update to the next; `frame_secs` if every frame updates.
    pub fn update_secs(&self, frame_secs: f64) -> f64 {
        if self.update_secs > 0.0 { self.update_secs } else { frame_secs }
    }
}

/// Plays a clip as a game does at a level of detail. Updates are counted from the clip's start; the last one is at its end.
pub struct LodSampler<'a> {
    clip: Box<dyn Sampler + Send + 'a>,
    play: Arc<LodPlay>,
    /// Samples from one update to the next; 0 for every frame.
    update: f64,
    last: f64,
    /// The poses of the last two updates, by their places.
    updates: [Option<(f64, Pose)>; 2],
}

impl<'a> LodSampler<'a> {
    /// Plays a clip with that grid.
    pub fn new(clip: Box<dyn Sampler + Send + 'a>, play: Arc<LodPlay>, grid: TimeGrid) -> Self {
        let update = near_whole(play.update_secs * grid.rate_hz());
        Self { clip, play, update, last: (grid.samples() - 1) as f64, updates: [None, None] }
    }

    /// The pose of an update. A pose that was decoded for the frame before is not decoded again.
    fn update(&mut self, of: usize, at_sample: f64, out: &Pose) {
        let is_there = |update: &Option<(f64, Pose)>| update.as_ref().is_some_and(|(at, _)| *at == at_sample);
        if is_there(&self.updates[of]) {
            return;
        }
        if is_there(&self.updates[1 - of]) {
            self.updates.swap(0, 1);
            return;
        }
        let (at, pose) = self.updates[of].get_or_insert_with(|| (at_sample, out.clone()));
        *at = at_sample;
        self.clip.sample(at_sample, pose);
    }
}

/// Whole samples, if they are off by no more than float32 durations are. Else updates would drift away from the samples.
fn near_whole(samples: f64) -> f64 {
    let whole = samples.round();
    if (samples - whole).abs() <= 1e-5 * whole { whole } else { samples }
}

/// A frame this near to an update, as a part of the time between two, is that update.
const SAME: f64 = 1e-6;

impl Sampler for LodSampler<'_> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        if self.update > 0.0 {
            let at_sample = at_sample.clamp(0.0, self.last);
            let from = (at_sample / self.update + SAME).floor() * self.update;
            self.update(0, from, out);
            let to = (from + self.update).min(self.last);
            let alpha = if to > from { ((at_sample - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
            if self.play.between == BetweenUpdates::Blend && alpha > 0.0 {
                self.update(1, to, out);
            }
            match &self.updates {
                [Some((_, a)), Some((at, b))] if self.play.between == BetweenUpdates::Blend && *at == to => {
                    blend(a, b, alpha as f32, out);
                }
                [Some((_, pose)), _] => out.clone_from(pose),
                [None, _] => self.clip.sample(at_sample, out),
            }
        } else {
            self.clip.sample(at_sample, out);
        }
        for (joint, bind) in &self.play.still {
            out.joints[*joint] = *bind;
        }
    }
}

fn blend(a: &Pose, b: &Pose, alpha: f32, out: &mut Pose) {
    for ((out, a), b) in out.joints.iter_mut().zip(&a.joints).zip(&b.joints) {
        *out = a.lerp(*b, alpha);
    }
    for ((out, a), b) in out.floats.iter_mut().zip(&a.floats).zip(&b.floats) {
        *out = a + (b - a) * alpha;
    }
}
