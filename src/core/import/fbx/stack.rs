use super::constraints::Constraints;
use super::morph::FloatTracks;
use super::{Finding, JointMap, nodes};
use crate::import::jumps::{self, Jump};
use crate::import::motion::{Keyed, Motion};
use crate::import::name::unique_name;
use crate::import::rate::KeyTime;
use crate::math::Transform;
use crate::model::Channel;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use ufbx::{AnimCurve, AnimProp, AnimStack, ElementType, Interpolation, SceneRoot};

/// Tolerance of a stack's time range. Keys farther outside are not part of the clip.
const RANGE_EPSILON_SECS: f64 = 1e-6;

/// Relative rounding error of a time as f32.
const FLOAT_SECS: f64 = f32::EPSILON as f64;

/// Bytes of a key: time as i64, value as f32.
const KEY_BYTES: u64 = 12;

/// An animation stack, evaluated by ufbx.
pub(super) struct StackMotion<'a> {
    root: &'a SceneRoot,
    joints: &'a JointMap,
    constraints: &'a Constraints,
    floats: &'a FloatTracks,
    /// Index in the scene.
    stack: usize,
    name: String,
    /// Start time in the file.
    begin_secs: f64,
    /// Start, end and key times in the file, in order.
    keys_secs: Vec<f64>,
    /// Key times only, in clip time. All keys of a jump are one.
    key_times: Vec<KeyTime>,
    keyed: Vec<Keyed>,
    /// Joints and their jumps, in clip time. The joint is `None` for blend shapes and constraints.
    jumps: Vec<(Option<usize>, Jump)>,
    /// True if no curve is cubic.
    is_straight: bool,
}

/// Returns the stacks that move something, each as a clip.
pub(super) fn read_stacks<'a>(
    root: &'a SceneRoot,
    joints: &'a JointMap,
    constraints: &'a Constraints,
    floats: &'a FloatTracks,
    findings: &mut Vec<Finding>,
) -> Vec<StackMotion<'a>> {
    let mut names = HashMap::new();
    let mut motions = Vec::new();
    for (index, stack) in root.anim_stacks.iter().enumerate() {
        let name = unique_name(Some(stack.element.name.as_ref()), index, &mut names);
        let keys = keys(stack);
        let range = range_secs(stack, &keys);
        let inside = |time: f64| range.0 - RANGE_EPSILON_SECS <= time && time <= range.1 + RANGE_EPSILON_SECS;
        let (kept, cut): (Vec<f64>, Vec<f64>) = keys.into_iter().partition(|&time| inside(time));
        if kept.is_empty() && cut.is_empty() {
            findings.push(Finding::note(name, "the clip animates nothing visible", "It was left out."));
            continue;
        }
        findings.extend(cut_keys(&name, &cut, range));
        let begin_secs = range.0;
        let keyed = keyed(stack, joints, begin_secs);
        // Constrained nodes may follow a stepped joint without stepped keys of their own. So all steps count as jumps.
        let is_followed = !constraints.is_empty();
        let stepped = keyed.iter().filter(|keyed| keyed.is_stepped && !is_followed).map(|keyed| keyed.joint).collect();
        let jumps = jumps_of(stack, joints, &stepped, range);
        let key_times = key_times(&kept, &jumps, begin_secs);
        let mut keys_secs: Vec<f64> = [range.0, range.1].into_iter().chain(kept).collect();
        keys_secs.sort_by(f64::total_cmp);
        keys_secs.dedup();
        let is_straight = curves(stack).all(|(_, curve)| is_straight(curve));
        motions.push(StackMotion {
            root,
            joints,
            constraints,
            floats,
            stack: index,
            name,
            begin_secs,
            keys_secs,
            key_times,
            keyed,
            jumps,
            is_straight,
        });
    }
    motions
}

/// Curves of a stack that move nodes, blend shapes or constraints. Curves of nodes have the index of the node.
fn curves(stack: &AnimStack) -> impl Iterator<Item = (Option<usize>, &AnimCurve)> {
    let props = stack.layers.iter().flat_map(|layer| &layer.anim_props);
    let is_mover =
        |p: &AnimProp| p.element.type_ == ElementType::Constraint || nodes::blend_channels(p).next().is_some();
    let moving = props.filter(move |p| nodes::moves_node(p) || is_mover(p));
    moving.flat_map(|prop| {
        let node = nodes::moves_node(prop).then_some(prop.element.typed_id as usize);
        let curves = prop.anim_value.curves.iter().flatten().map(|curve| &**curve);
        curves.filter(|curve| !curve.keyframes.is_empty()).map(move |curve| (node, curve))
    })
}

/// Sorted times of all keys, in file time.
fn keys(stack: &AnimStack) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::new();
    for (_, curve) in curves(stack) {
        let new = curve.keyframes.iter().map(|key| key.time).filter(|time| time.is_finite());
        times.extend(new);
        times.sort_by(f64::total_cmp);
        times.dedup();
    }
    times
}

/// Start and end of a stack, or of its keys if the stack has no valid time range.
fn range_secs(stack: &AnimStack, keys: &[f64]) -> (f64, f64) {
    let (begin, end) = (stack.time_begin, stack.time_end);
    match (keys.first(), keys.last()) {
        (Some(&first), Some(&last)) if !(begin.is_finite() && end.is_finite() && begin < end) => (first, last),
        _ => (begin, end),
    }
}

fn cut_keys(clip: &str, cut: &[f64], range: (f64, f64)) -> Option<Finding> {
    let (first, last) = (cut.first()?, cut.last()?);
    let what = format!(
        "{} key times from {first:.3} s to {last:.3} s lie outside of its time range, {:.3} s to {:.3} s",
        cut.len(),
        range.0,
        range.1
    );
    Some(Finding::note(
        clip,
        what,
        "The clip has the stack's time range. Widen the range in its editor to keep these keys.",
    ))
}

/// Channels with keys. A joint is stepped if all its keys are, since pivots and layers make its channels depend on each other.
fn keyed(stack: &AnimStack, joints: &JointMap, begin_secs: f64) -> Vec<Keyed> {
    let mut by_joint = BTreeMap::<usize, (Vec<f32>, bool)>::new();
    for (node, curve) in curves(stack) {
        let Some(joint) = node.and_then(|node| joints.of_node[node]) else { continue };
        let (times, is_stepped) = by_joint.entry(joint).or_insert_with(|| (Vec::new(), true));
        // A curve with one key is constant, so its interpolation does not matter.
        if curve.keyframes.len() > 1 || curve.keyframes.iter().all(is_step) {
            *is_stepped &= curve.keyframes.iter().all(is_step);
            times.extend(curve.keyframes.iter().map(|key| (key.time - begin_secs) as f32));
        }
    }
    let mut all = Vec::new();
    for (joint, (mut times_secs, is_stepped)) in by_joint {
        times_secs.sort_by(f32::total_cmp);
        times_secs.dedup();
        if times_secs.len() > 1 {
            let keyed = |channel| Keyed { joint, channel, times_secs: times_secs.clone(), is_stepped };
            all.extend(Channel::ALL.map(keyed));
        }
    }
    all
}

/// True if no section between two keys is cubic.
fn is_straight(curve: &AnimCurve) -> bool {
    let keys = &curve.keyframes;
    keys.iter().take(keys.len() - 1).all(|key| key.interpolation != Interpolation::Cubic)
}

/// Jumps of curves, in clip time, in order: keys at almost the same time, and ends of constant sections. Constant sections of `stepped`
/// joints are not jumps.
fn jumps_of(
    stack: &AnimStack,
    joints: &JointMap,
    stepped: &BTreeSet<usize>,
    range: (f64, f64),
) -> Vec<(Option<usize>, Jump)> {
    let mut all = Vec::new();
    for (node, curve) in curves(stack) {
        let joint = node.and_then(|node| joints.of_node[node]);
        let keys = &curve.keyframes;
        let times_secs: Vec<f64> = keys.iter().map(|key| key.time).collect();
        let close = jumps::find(&times_secs, |a, b| (keys[a].value - keys[b].value).abs());
        let is_stepped = joint.is_some_and(|joint| stepped.contains(&joint));
        let sections = (1..keys.len()).filter(|key| !is_stepped && keys[*key].value != keys[key - 1].value);
        let sections = sections.filter_map(|key| match keys[key - 1].interpolation {
            Interpolation::ConstantPrev => Some((key, key)),
            Interpolation::ConstantNext => Some((key - 1, key - 1)),
            _ => None,
        });
        let in_clip = |key: usize| (times_secs[key].clamp(range.0, range.1) - range.0) as f32;
        let jump = |(first, last): (usize, usize)| Jump { at_secs: in_clip(first), until_secs: in_clip(last) };
        all.extend(close.into_iter().chain(sections).map(|keys| (joint, jump(keys))));
    }
    all.sort_by(|(a, one), (b, other)| {
        let times = one.at_secs.total_cmp(&other.at_secs).then(one.until_secs.total_cmp(&other.until_secs));
        times.then(a.cmp(b))
    });
    all.dedup();
    all
}

fn key_times(kept_secs: &[f64], jumps: &[(Option<usize>, Jump)], begin_secs: f64) -> Vec<KeyTime> {
    let is_in_jump = |time: f32| {
        let begun = jumps.partition_point(|(_, jump)| jump.at_secs <= time);
        begun.checked_sub(1).is_some_and(|at| time <= jumps[at].1.until_secs)
    };
    let in_clip = kept_secs.iter().map(|time| (time - begin_secs).max(0.0) as f32);
    let single = in_clip.filter(|time| !is_in_jump(*time)).map(KeyTime::at);
    let mut times: Vec<KeyTime> = single.chain(jumps.iter().map(|(_, jump)| KeyTime::of(*jump))).collect();
    times.sort_by(KeyTime::order);
    times.dedup();
    times
}

fn is_step(key: &ufbx::Keyframe) -> bool {
    key.interpolation == Interpolation::ConstantPrev
}

impl Motion for StackMotion<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn times_secs(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.keys_secs.iter().map(|time| (time - self.begin_secs).max(0.0) as f32).collect();
        times.dedup();
        times
    }

    fn rate_hz(&self) -> Option<f64> {
        Some(self.root.settings.frames_per_second).filter(|rate| (1.0..=1000.0).contains(rate))
    }

    fn keys_say_more(&self) -> bool {
        true
    }

    fn key_times(&self) -> Vec<KeyTime> {
        self.key_times.clone()
    }

    fn jumps(&self) -> Vec<Jump> {
        let mut jumps: Vec<Jump> = self.jumps.iter().map(|(_, jump)| *jump).collect();
        jumps.dedup();
        jumps
    }

    fn is_straight(&self) -> bool {
        self.is_straight
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn file_bytes(&self) -> u64 {
        let stack = &self.root.anim_stacks[self.stack];
        curves(stack).map(|(_, curve)| KEY_BYTES * curve.keyframes.len() as u64).sum()
    }

    fn keyed(&self) -> Vec<Keyed> {
        self.keyed.clone()
    }

    fn work(&self) -> u64 {
        (self.root.anim_stacks[self.stack].layers.len().max(1) as u64) * self.constraints.work(self.joints.nodes.len())
    }

    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], floats: &mut [f32]) {
        let jumping = self.jumping(time_secs, snap_secs);
        let time_secs = self.snapped(self.begin_secs + f64::from(time_secs), f64::from(snap_secs));
        let time_of = |joint: Option<usize>| {
            let over = jumping.iter().filter(|(who, _)| *who == joint).map(|(_, until_secs)| *until_secs);
            over.fold(time_secs, f64::max)
        };
        let anim = &self.root.anim_stacks[self.stack].anim;
        let moved = self.constraints.evaluate(self.root, anim, time_secs);
        for (joint, (out, &node)) in joints.iter_mut().zip(&self.joints.nodes).enumerate() {
            *out = match moved.get(&node) {
                Some(local) => self.joints.local(joint, local),
                None => {
                    let time_secs = time_of(Some(joint));
                    self.joints.local(joint, &ufbx::evaluate_transform(anim, &self.root.nodes[node], time_secs))
                }
            };
        }
        self.floats.evaluate(self.root, anim, time_of(None), floats);
    }
}

impl StackMotion<'_> {
    /// Joints that jump at a clip time, with the file time of the last key of the jump. From the first key on, a player shows the value of
    /// the last key.
    fn jumping(&self, time_secs: f32, snap_secs: f32) -> Vec<(Option<usize>, f64)> {
        let begun = self.jumps.partition_point(|(_, jump)| jump.at_secs <= time_secs + snap_secs);
        let is_going_on = |(_, jump): &&(Option<usize>, Jump)| time_secs <= jump.until_secs;
        let going_on = self.jumps[..begun].iter().rev().take_while(is_going_on);
        let until_secs = |jump: &Jump| {
            let last = self.begin_secs + f64::from(jump.until_secs);
            self.snapped(last + FLOAT_SECS * last.abs(), 2.0 * FLOAT_SECS * last.abs())
        };
        going_on.map(|(who, jump)| (*who, until_secs(jump))).collect()
    }

    /// Snaps a file time to a key within `snap_secs`, and a time past the end to the last key.
    fn snapped(&self, time_secs: f64, snap_secs: f64) -> f64 {
        let next = self.keys_secs.partition_point(|&key| key <= time_secs + snap_secs);
        let Some(&key) = next.checked_sub(1).and_then(|key| self.keys_secs.get(key)) else { return time_secs };
        let is_past = next == self.keys_secs.len();
        if is_past || time_secs - key <= snap_secs { key } else { time_secs }
    }
}
