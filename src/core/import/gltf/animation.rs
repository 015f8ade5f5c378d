use super::accessor::Reader;
use super::extras::{declared, declared_additive, declared_tags};
use super::morph::FloatTracks;
use super::pointer::{Weights, nodes_of_meshes, weights_of};
use super::{Fault, Finding, JointMap, get, node_name};
use crate::import::key_clip::KeyClip;
use crate::import::keys::{Interpolation, KeyValue, Keys};
use crate::import::motion::Motion;
use crate::import::name::unique_name;
use crate::text;
use glam::{Quat, Vec3};
use gltf_json as json;
use json::accessor::Type;
use json::animation::{Interpolation as JsonInterpolation, Property};
use json::validation::Checked;
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

/// Tolerance of a rotation's length. Rounding to 8 bits changes lengths by up to 0.8 %, so larger differences are errors in the file.
const NOT_UNIT: f32 = 0.01;

/// Units of the numbers in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// Metres per unit of length.
    pub metres: f32,
    /// Seconds per unit of time.
    pub secs: f32,
}

/// Reads the animations as clips of keys, each with the index of its animation.
///
/// A clip that cannot be read is skipped with a finding. If no clip can be read, the first fault is returned.
pub(super) fn read_clips(
    reader: &Reader<'_>,
    joints: &JointMap,
    floats: &FloatTracks,
    units: Units,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(usize, KeyClip)>, Fault> {
    let mut names = HashMap::new();
    let mut clips = Vec::new();
    let mut first_fault = None;
    let nodes = reader.root().nodes.iter().map(|node| (node.mesh.map(|mesh| mesh.value()), node.weights.is_some()));
    let showing = nodes_of_meshes(nodes);
    for (index, animation) in reader.root().animations.iter().enumerate() {
        let name = unique_name(animation.name.as_deref(), index, &mut names);
        let mut keys = KeyReader {
            reader,
            joints,
            floats,
            units,
            showing: &showing,
            clip: KeyClip { name, has_curves: true, ..KeyClip::default() },
            not_unit: None,
        };
        match keys.read(animation, findings) {
            Ok(()) if keys.clip.is_empty() => {
                findings.push(Finding::note(keys.clip.name, "the clip animates nothing visible", "It was left out."))
            }
            Ok(()) => {
                findings.extend(keys.not_unit_finding());
                findings.extend(idle_finding(&keys.clip));
                let file_bytes = stored_bytes(reader, animation);
                let declared = declared(&animation.extras, &keys.clip.times_secs());
                let additive = declared_additive(&animation.extras);
                let tags = declared_tags(&animation.extras);
                clips.push((index, KeyClip { file_bytes, declared, additive, tags, ..keys.clip }));
            }
            Err(fault) => {
                let name = keys.clip.name;
                findings.push(Finding::left_out(&name, &fault));
                first_fault.get_or_insert(fault.of(format_args!("clip '{name}'")));
            }
        }
    }
    match first_fault {
        Some(fault) if clips.is_empty() => Err(fault),
        _ => Ok(clips),
    }
}

/// Indices of the channels to read, in file order: the last channel per node and property. glTF allows only one, and the last one
/// takes effect.
fn last_of_each_target(animation: &json::Animation) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut is_last = |target: &json::animation::Target| {
        let property = match target.path {
            Checked::Valid(property) => Some(discriminant(&property)),
            Checked::Invalid => None,
        };
        let weights = weights_of(&target.extras);
        let node = weights.filter(|weights| weights.of_mesh).map_or(Some(target.node.value()), |_| None);
        seen.insert((node, property, weights))
    };
    let channels = animation.channels.iter().enumerate().rev();
    let mut last: Vec<usize> = channels.filter(|(_, c)| is_last(&c.target)).map(|(index, _)| index).collect();
    last.reverse();
    last
}

/// Stored bytes of all accessors that an animation's samplers use; shared accessors count once.
fn stored_bytes(reader: &Reader<'_>, animation: &json::Animation) -> u64 {
    let accessors: HashSet<_> = animation.samplers.iter().flat_map(|s| [s.input.value(), s.output.value()]).collect();
    accessors.into_iter().map(|accessor| reader.stored_bytes(accessor)).sum()
}

/// A note about tracks with several equal keys; `None` without such tracks.
fn idle_finding(clip: &KeyClip) -> Option<Finding> {
    let (tracks, bytes) = clip.idle_tracks();
    (tracks > 0).then(|| {
        let what = format!("{} with equal keys only", text::count(tracks, "track"));
        let meaning = format!(
            "One key is enough. The others take {} of float32 in the source. Here each value is stored once.",
            text::bytes(bytes as u64)
        );
        Finding::note(&clip.name, what, meaning)
    })
}

struct KeyReader<'a> {
    reader: &'a Reader<'a>,
    joints: &'a JointMap,
    floats: &'a FloatTracks,
    units: Units,
    /// Per mesh, the nodes that use the mesh's weights, since they have none of their own.
    showing: &'a HashMap<usize, Vec<usize>>,
    clip: KeyClip,
    /// Rotations whose length is not 1: their number, and joint, time and length of the worst one.
    not_unit: Option<(usize, usize, f32, f32)>,
}

impl KeyReader<'_> {
    fn read(&mut self, animation: &json::Animation, findings: &mut Vec<Finding>) -> Result<(), Fault> {
        let last = last_of_each_target(animation);
        if last.len() < animation.channels.len() {
            let replaced = text::count(animation.channels.len() - last.len(), "channel");
            let what = format!("{replaced} with the same target as a later one");
            findings.push(Finding::warning(&self.clip.name, what, "Only the last channel per target is used."));
        }
        for (index, channel) in last.iter().map(|&index| (index, &animation.channels[index])) {
            let at = |fault: Fault| fault.at(format!("channel {index}"));
            let sampler = animation.samplers.get(channel.sampler.value()).ok_or_else(|| {
                let have = animation.samplers.len();
                at(Fault::new(format!("its sampler {} is out of range; it has {have}", channel.sampler.value())))
            })?;
            let node = channel.target.node.value();
            let nodes = self.joints.of_node.len();
            if node >= nodes {
                return Err(at(Fault::new(format!("its node {node} is out of range; the file has {nodes}"))));
            }
            match channel.target.path {
                Checked::Valid(Property::MorphTargetWeights) => {
                    let weights = weights_of(&channel.target.extras);
                    self.all_weights(node, weights, sampler).map_err(at)?;
                }
                Checked::Valid(property) => self.transform(node, property, sampler).map_err(at)?,
                Checked::Invalid => findings.push(Finding::warning(
                    &self.clip.name,
                    "a channel moves something other than a joint or a morph weight",
                    "That channel was left out.",
                )),
            }
        }
        Ok(())
    }

    fn transform(&mut self, node: usize, property: Property, sampler: &json::animation::Sampler) -> Result<(), Fault> {
        let Some(joint) = self.joints.of_node[node] else {
            return Ok(()); // a node of another skeleton
        };
        let vectors = |numbers: Vec<f32>, unit: f32| -> Vec<Vec3> {
            numbers.as_chunks::<3>().0.iter().map(|&v| Vec3::from(v) * unit).collect()
        };
        match property {
            Property::Translation => {
                let values = vectors(self.reader.floats(sampler.output, Type::Vec3, false)?, self.units.metres);
                self.clip.translations.push((joint, self.keys(sampler, &values)?));
            }
            Property::Scale => {
                let values = vectors(self.reader.floats(sampler.output, Type::Vec3, false)?, 1.0);
                self.clip.scales.push((joint, self.keys(sampler, &values)?));
            }
            Property::Rotation => {
                let numbers = self.reader.floats(sampler.output, Type::Vec4, true)?;
                let values: Vec<Quat> = numbers.as_chunks::<4>().0.iter().map(|&q| Quat::from_array(q)).collect();
                let keys = self.keys(sampler, &values)?;
                self.measure_lengths(joint, sampler, &values)?;
                self.clip.rotations.push((joint, keys));
            }
            Property::MorphTargetWeights => {}
        }
        Ok(())
    }

    /// Records rotations whose length is not 1. Tangents of cubic keys are not tested.
    fn measure_lengths(
        &mut self,
        joint: usize,
        sampler: &json::animation::Sampler,
        values: &[Quat],
    ) -> Result<(), Fault> {
        let is_cubic = sampler.interpolation == Checked::Valid(JsonInterpolation::CubicSpline);
        let (first, per_key) = if is_cubic { (1, 3) } else { (0, 1) };
        let times = self.reader.floats(sampler.input, Type::Scalar, false)?;
        for (value, time) in values.iter().skip(first).step_by(per_key).zip(&times) {
            let off = (value.length() - 1.0).abs();
            if off > NOT_UNIT {
                let (count, worst) = self.not_unit.map_or((0, None), |found| (found.0, Some(found)));
                let here = (count + 1, joint, time * self.units.secs, value.length());
                self.not_unit = Some(match worst {
                    Some((_, joint, time_secs, length)) if (length - 1.0).abs() >= off => {
                        (count + 1, joint, time_secs, length)
                    }
                    _ => here,
                });
            }
        }
        Ok(())
    }

    fn not_unit_finding(&self) -> Option<Finding> {
        let (count, joint, time_secs, length) = self.not_unit?;
        let node = self.joints.nodes[joint];
        let (rotations, name) = (text::count(count, "rotation"), node_name(self.reader.root(), node));
        let what = format!("{rotations} not of length 1; the worst is {name} at {time_secs:.3} s: {length:.4}");
        let meaning = format!(
            "They were normalised. A player that does not normalise them scales the descendants by up to {}.",
            text::percent((length * length - 1.0).abs())
        );
        Some(Finding::warning(&self.clip.name, what, meaning))
    }

    /// Reads the weights of a node. The weights of a mesh apply to all nodes that use them.
    fn all_weights(
        &mut self,
        node: usize,
        weights: Option<Weights>,
        sampler: &json::animation::Sampler,
    ) -> Result<(), Fault> {
        let one = weights.and_then(|weights| weights.weight);
        let Some(mesh) = weights.filter(|weights| weights.of_mesh) else { return self.weights(node, one, sampler) };
        for node in self.showing.get(&mesh.index).cloned().unwrap_or_default() {
            self.weights(node, one, sampler)?;
        }
        Ok(())
    }

    /// Reads the weight of target `one` of a node, or of all its targets. The values of all targets lie key by key, and target by
    /// target within a key.
    fn weights(&mut self, node: usize, one: Option<usize>, sampler: &json::animation::Sampler) -> Result<(), Fault> {
        let Some((first, targets)) = self.floats.of_node(node) else {
            return Ok(()); // a mesh that is not shown
        };
        let numbers = self.reader.floats(sampler.output, Type::Scalar, true)?;
        if let Some(target) = one {
            if target >= targets {
                let what = format!("its weight {target} is out of range; the mesh has {targets}");
                return Err(Fault::new(what));
            }
            self.clip.floats.push((first + target, self.keys(sampler, &numbers)?));
            return Ok(());
        }
        if !numbers.len().is_multiple_of(targets) {
            return Err(Fault::new(format!("{} weights for {targets} morph targets", numbers.len())));
        }
        for target in 0..targets {
            let values: Vec<f32> = numbers.iter().skip(target).step_by(targets).copied().collect();
            self.clip.floats.push((first + target, self.keys(sampler, &values)?));
        }
        Ok(())
    }

    fn keys<T: KeyValue>(&self, sampler: &json::animation::Sampler, values: &[T]) -> Result<Keys<T>, Fault> {
        let interpolation = match sampler.interpolation {
            Checked::Valid(JsonInterpolation::Step) => Interpolation::Step,
            Checked::Valid(JsonInterpolation::Linear) => Interpolation::Linear,
            Checked::Valid(JsonInterpolation::CubicSpline) => Interpolation::CubicSpline,
            Checked::Invalid => {
                return Err(Fault::new("the interpolation is unknown; expected LINEAR, STEP or CUBICSPLINE"));
            }
        };
        get(&self.reader.root().accessors, sampler.input, "accessor")?;
        let mut times = self.reader.floats(sampler.input, Type::Scalar, false)?;
        times.iter_mut().for_each(|time| *time *= self.units.secs);
        Keys::new(times, values, interpolation)
    }
}
