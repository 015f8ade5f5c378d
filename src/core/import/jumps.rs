//! Steps that files without stepped interpolation write as two keys at the same time, or nearly so.

use super::motion::Motion;
use super::rest::{Rest, snap_secs};
use crate::math::Transform;
use crate::model::{Channel, FloatHold, Hold, Pose, TimeGrid};
use glam::Quat;
use posepress_runtime::internal::HeldIntervals;

/// Largest time between the first and last key of a jump: a millisecond, as exporters write it, with rounding.
const JUMP_SECS: f64 = 1.05e-3;
/// Least distance to the keys around a jump, relative to the distance of its own keys. Keys at 1,000 Hz are not jumps.
const APART: f64 = 2.0;
/// Least speed of a jump relative to the keys around it.
const FASTER: f64 = 10.0;
/// Smallest jump: metres, radians, or units of a float track. Less is rounding.
const LEAST: f32 = 1e-5;
/// Time before a jump at which its first value is sampled, beyond any rounding of times.
const BEFORE_SECS: f32 = 1e-5;

/// A jump of a value.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Jump {
    /// Time of the first key, at which the new value starts.
    pub at_secs: f32,
    /// Time of its last key.
    pub until_secs: f32,
}

impl Jump {
    /// The same jump in a clip that starts later.
    pub fn earlier(self, secs: f32) -> Self {
        Self { at_secs: self.at_secs - secs, until_secs: self.until_secs - secs }
    }

    /// The first sample with the new value.
    pub fn sample(self, grid: TimeGrid) -> usize {
        let (last, snap_secs) = (grid.samples() - 1, snap_secs(grid));
        let has_jumped = |sample: usize| grid.time_secs(sample as f64) + snap_secs >= self.at_secs;
        let mut sample = (grid.sample_at(self.at_secs).ceil() as usize).min(last);
        while sample < last && !has_jumped(sample) {
            sample += 1;
        }
        while sample > 0 && has_jumped(sample - 1) {
            sample -= 1;
        }
        sample
    }

    /// Delay against the file, in samples.
    pub fn late_samples(self, grid: TimeGrid) -> f64 {
        (self.sample(grid) as f64 - grid.sample_at(self.until_secs)).max(0.0)
    }
}

/// First and last keys of the jumps on a curve with linear interpolation. `distance` compares two keys.
pub(super) fn find(times_secs: &[f64], distance: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    let mut jumps = Vec::new();
    let mut first = 0;
    while first < times_secs.len() {
        let is_near = |key: &usize| times_secs[*key] - times_secs[first] <= JUMP_SECS;
        let last = (first + 1..times_secs.len()).take_while(is_near).last().unwrap_or(first);
        if last > first && is_jump(times_secs, (first, last), &distance) {
            jumps.push((first, last));
        }
        first = last.max(first) + 1;
    }
    jumps
}

/// True if some keys are as near to each other as those of a jump.
pub(super) fn has_close(times_secs: &[f32]) -> bool {
    times_secs.windows(2).any(|pair| f64::from(pair[1]) - f64::from(pair[0]) <= JUMP_SECS)
}

/// Reduces every jump on a curve with linear interpolation to two keys at one time. Returns the jumps.
pub(super) fn join<T: Copy>(
    times_secs: &mut Vec<f32>,
    values: &mut Vec<T>,
    distance: impl Fn(T, T) -> f32,
) -> Vec<Jump> {
    if !has_close(times_secs) {
        return Vec::new();
    }
    let times: Vec<f64> = times_secs.iter().map(|&time| f64::from(time)).collect();
    let found = find(&times, |a, b| distance(values[a], values[b]).into());
    let jump = |&(first, last): &(usize, usize)| {
        // A jump at the end has the time of its last key, so that the clip keeps its duration.
        let at = if last + 1 == times.len() { last } else { first };
        Jump { at_secs: times_secs[at], until_secs: times_secs[last] }
    };
    let jumps: Vec<Jump> = found.iter().map(jump).collect();
    for (&(first, last), jump) in found.iter().zip(&jumps).rev() {
        (times_secs[first], times_secs[last]) = (jump.at_secs, jump.at_secs);
        times_secs.drain(first + 1..last);
        values.drain(first + 1..last);
    }
    jumps
}

/// Sorts and removes duplicates.
pub(super) fn in_order<'a>(jumps: impl Iterator<Item = &'a Jump>) -> Vec<Jump> {
    let mut jumps: Vec<Jump> = jumps.copied().collect();
    jumps.sort_by(|a, b| a.at_secs.total_cmp(&b.at_secs).then(a.until_secs.total_cmp(&b.until_secs)));
    jumps.dedup();
    jumps
}

fn is_jump(times_secs: &[f64], (first, last): (usize, usize), distance: &impl Fn(usize, usize) -> f64) -> bool {
    let span_secs = times_secs[last] - times_secs[first];
    let before = first.checked_sub(1).map(|key| (key, first));
    let after = (last + 1 < times_secs.len()).then_some((last, last + 1));
    let around = || before.into_iter().chain(after);
    let gap_secs = |(a, b): (usize, usize)| times_secs[b] - times_secs[a];
    let speed = |keys: (usize, usize)| distance(keys.0, keys.1) / gap_secs(keys).max(f64::MIN_POSITIVE);
    let change = distance(first, last);
    let is_alone = around().next().is_some() || span_secs == 0.0;
    change > 0.0
        && is_alone
        && around().all(|keys| gap_secs(keys) >= APART * span_secs)
        && around().all(|keys| span_secs == 0.0 || change >= FASTER * speed(keys) * span_secs)
}

/// The stepped intervals before the jumps of a clip. An interval is stepped if that has a smaller error than blending, since motion before
/// the jump is held, too. `poses` and `float_rows` are the clip's samples, in the axes of its file.
pub(super) fn held(
    clip: &impl Motion,
    grid: TimeGrid,
    rest: Rest<'_>,
    (poses, float_rows): (&[Transform], &[f32]),
) -> HeldIntervals {
    let (joints, floats) = (rest.joints.len(), rest.floats.len());
    let pose_at = |time_secs: f32| {
        let mut pose = Pose { joints: rest.joints.to_vec(), floats: rest.floats.to_vec() };
        clip.pose(time_secs, 0.0, &mut pose.joints, &mut pose.floats);
        pose
    };
    let mut holds = HeldIntervals::default();
    for jump in clip.jumps() {
        let Some(sample) = jump.sample(grid).checked_sub(1) else { continue };
        let rounding_secs = 4.0 * f32::EPSILON * jump.until_secs.abs();
        let before = pose_at(jump.at_secs - BEFORE_SECS.max(2.0 * rounding_secs));
        let after = pose_at(jump.until_secs + rounding_secs);
        let start = &poses[sample * joints..][..joints];
        for (joint, ((start, before), after)) in start.iter().zip(&before.joints).zip(&after.joints).enumerate() {
            let Ok(number) = u16::try_from(joint) else { break };
            let is_held =
                |&channel: &Channel| is_better_held(distance(channel, before, after), distance(channel, before, start));
            let channels = Channel::ALL.into_iter().filter(is_held);
            holds.joints.extend(channels.map(|channel| Hold { sample: sample as u32, joint: number, channel }));
        }
        let start = &float_rows[sample * floats..][..floats];
        let values = start.iter().zip(&before.floats).zip(&after.floats).enumerate();
        let tracks = values
            .filter(|(_, ((start, before), after))| is_better_held((*before - *after).abs(), (*before - *start).abs()));
        holds.floats.extend(tracks.map(|(track, _)| FloatHold { sample: sample as u32, track: track as u16 }));
    }
    holds
}

fn is_better_held(jump: f32, moved_before: f32) -> bool {
    jump > LEAST.max(moved_before)
}

fn distance(channel: Channel, a: &Transform, b: &Transform) -> f32 {
    match channel {
        Channel::Rotation => angle_rad(a.rotation, b.rotation),
        Channel::Translation => a.translation.distance(b.translation),
        Channel::Scale => a.scale.distance(b.scale),
    }
}

/// Twice the chord of two quaternions: nearly the angle, for small angles.
pub(super) fn angle_rad(a: Quat, b: Quat) -> f32 {
    let (a, b) = (a.normalize(), b.normalize());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    2.0 * (a - b).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [(usize, usize); 0] = [];

    fn jumps(keys: &[(f64, f64)]) -> Vec<(usize, usize)> {
        let times: Vec<f64> = keys.iter().map(|(time, _)| *time).collect();
        find(&times, |a, b| (keys[a].1 - keys[b].1).abs())
    }

    #[test]
    fn keys_up_to_a_millisecond_apart_are_a_jump() {
        for apart in [0.0, 1e-8, 1e-4, 1e-3] {
            let around = [(0.0, 1.0), (0.2, 1.0), (0.2 + apart, 2.0), (0.4, 2.0)];
            assert_eq!(jumps(&around), [(1, 2)], "{apart} s");
            assert_eq!(jumps(&around[1..]), [(0, 1)], "{apart} s, at the first key");
            assert_eq!(jumps(&around[..3]), [(1, 2)], "{apart} s, at the last key");
        }
        assert_eq!(jumps(&[(0.0, 1.0), (0.2, 1.0), (0.202, 2.0), (0.4, 2.0)]), NONE);
        assert_eq!(jumps(&[(0.0, 0.0), (0.2, 1.0), (0.2, 5.0), (0.2, 2.0), (0.4, 2.0)]), [(1, 3)], "three at one time");
    }

    #[test]
    fn close_keys_that_go_on_as_those_around_do_are_none() {
        let line: Vec<(f64, f64)> = [0.0, 0.2, 0.2005, 0.4].map(|time| (time, 3.0 * time)).into();
        assert_eq!(jumps(&line), NONE);
        let dense: Vec<(f64, f64)> = (0..50).map(|key| (f64::from(key) * 1e-3, f64::from(key % 2))).collect();
        assert_eq!(jumps(&dense), NONE, "1,000 Hz");
        assert_eq!(jumps(&[(0.0, 1.0), (0.0005, 2.0)]), NONE, "a clip that short");
        assert_eq!(jumps(&[(0.0, 1.0), (0.1, 1.0), (0.1, 1.0), (0.2, 2.0)]), NONE, "doubled and equal");
    }

    #[test]
    fn a_jump_plays_at_the_sample_that_its_keys_touch_and_else_at_the_next() {
        let grid = TimeGrid::new(31, 1.0);
        let at = |at_secs: f32, until_secs: f32| Jump { at_secs, until_secs };
        for (jump, sample, is_late) in [
            (at(0.2, 0.2), 6, false),
            (at(0.2f32.next_down(), 0.2), 6, false),
            (at(0.199, 0.2), 6, false),
            (at(0.2, 0.201), 6, false),
            (at(0.1995, 0.2005), 6, false),
            (at(0.21, 0.211), 7, true),
            (at(0.0, 0.001), 0, false),
            (at(1.0, 1.0), 30, false),
        ] {
            assert_eq!((jump.sample(grid), jump.late_samples(grid) > 0.01), (sample, is_late), "{jump:?}");
        }
    }
}
