use super::constraints::Constraints;
use super::morph::FloatTracks;
use super::{Finding, JointMap, nodes};
use crate::import::motion::{Keyed, Motion};
use crate::import::name::unique_name;
use crate::math::Transform;
use crate::model::Channel;
use std::collections::{BTreeMap, HashMap};
use ufbx::{AnimCurve, AnimProp, AnimStack, ElementType, Interpolation, SceneRoot};

/// Keys this far outside of their stack's time range are none of its clip.
const RANGE_EPSILON_SECS: f64 = 1e-6;

/// Of a key in a curve: its time as i64, its value as f32.
const KEY_BYTES: u64 = 12;

/// An animation stack, as the library evaluates it.
pub(super) struct StackMotion<'a> {
    root: &'a SceneRoot,
    joints: &'a JointMap,
    constraints: &'a Constraints,
    floats: &'a FloatTracks,
    /// Place in the scene's list.
    stack: usize,
    name: String,
    /// When it starts, in the file's time.
    begin_secs: f64,
    /// Its ends and its keys, in the file's time, in order.
    keys_secs: Vec<f64>,
    keyed: Vec<Keyed>,
}

/// Lists the stacks that move something, each as a clip.
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
            findings.push(Finding::note(name, "the clip animates nothing that is shown", "It was left out."));
            continue;
        }
        findings.extend(cut_keys(&name, &cut, range));
        let mut keys_secs: Vec<f64> = [range.0, range.1].into_iter().chain(kept).collect();
        keys_secs.sort_by(f64::total_cmp);
        keys_secs.dedup();
        let keyed = keyed(stack, joints, range.0);
        let begin_secs = range.0;
        motions.push(StackMotion {
            root,
            joints,
            constraints,
            floats,
            stack: index,
            name,
            begin_secs,
            keys_secs,
            keyed,
        });
    }
    motions
}

/// The curves of a stack that move nodes, blend shapes or constraints, with the place of the node among the scene's.
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

/// Times of all keys, in the file's time, in order.
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

/// Start and end: the stack's own, or those of its keys where it gives none.
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
        "The clip is what the file says: its time range. Widen the range in its editor to keep them.",
    ))
}

/// Joints that have keys. One of which all keys are steps jumps as a whole, since pivots and layers make each part depend on the
/// others.
fn keyed(stack: &AnimStack, joints: &JointMap, begin_secs: f64) -> Vec<Keyed> {
    let mut by_joint = BTreeMap::<usize, (Vec<f32>, bool)>::new();
    for (node, curve) in curves(stack) {
        let Some(joint) = node.and_then(|node| joints.of_node[node]) else { continue };
        let (times, is_stepped) = by_joint.entry(joint).or_insert_with(|| (Vec::new(), true));
        // A curve of one key stands still, however it is marked.
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
        let time_secs = self.snapped(self.begin_secs + f64::from(time_secs), f64::from(snap_secs));
        let anim = &self.root.anim_stacks[self.stack].anim;
        let moved = self.constraints.evaluate(self.root, anim, time_secs);
        for (joint, (out, &node)) in joints.iter_mut().zip(&self.joints.nodes).enumerate() {
            *out = match moved.get(&node) {
                Some(local) => self.joints.local(joint, local),
                None => self.joints.local(joint, &ufbx::evaluate_transform(anim, &self.root.nodes[node], time_secs)),
            };
        }
        self.floats.evaluate(self.root, anim, time_secs, floats);
    }
}

impl StackMotion<'_> {
    /// A key's own time when one is that near, else the time within the clip, all in the file's time.
    fn snapped(&self, time_secs: f64, snap_secs: f64) -> f64 {
        let next = self.keys_secs.partition_point(|&key| key <= time_secs + snap_secs);
        let Some(&key) = next.checked_sub(1).and_then(|key| self.keys_secs.get(key)) else { return time_secs };
        let is_past = next == self.keys_secs.len();
        if is_past || time_secs - key <= snap_secs { key } else { time_secs }
    }
}
