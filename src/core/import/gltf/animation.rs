use super::accessor::Reader;
use super::extras::declared;
use super::morph::FloatTracks;
use super::{Fault, Finding, JointMap, get};
use crate::import::key_clip::KeyClip;
use crate::import::keys::{Interpolation, KeyValue, Keys};
use crate::import::motion::Motion;
use crate::import::name::unique_name;
use glam::{Quat, Vec3};
use gltf_json as json;
use json::accessor::Type;
use json::animation::{Interpolation as JsonInterpolation, Property};
use json::validation::Checked;
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

/// Reads the animations as clips of keys, each with its place in the document.
///
/// A clip with bad keys is dropped with a finding while others are good; when none is, its fault is the file's.
pub(super) fn read_clips(
    reader: &Reader<'_>,
    joints: &JointMap,
    floats: &FloatTracks,
    metres: f32,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(usize, KeyClip)>, Fault> {
    let mut names = HashMap::new();
    let mut clips = Vec::new();
    let mut first_fault = None;
    for (index, animation) in reader.root().animations.iter().enumerate() {
        let name = unique_name(animation.name.as_deref(), index, &mut names);
        let mut keys = KeyReader {
            reader,
            joints,
            floats,
            metres,
            clip: KeyClip { name, has_curves: true, ..KeyClip::default() },
        };
        match keys.read(animation, findings) {
            Ok(()) if keys.clip.is_empty() => findings.push(Finding::note(
                keys.clip.name,
                "the clip animates nothing that is shown",
                "It was left out.",
            )),
            Ok(()) => {
                let file_bytes = stored_bytes(reader, animation);
                let declared = declared(&animation.extras, &keys.clip.times_secs());
                clips.push((index, KeyClip { file_bytes, declared, ..keys.clip }));
            }
            Err(fault) => {
                let name = keys.clip.name;
                findings.push(Finding::warning(
                    &name,
                    format!("the clip cannot be used: {fault}"),
                    "It was left out; the other clips are not affected. Export it again.",
                ));
                first_fault.get_or_insert(fault.at(format!("clip '{name}'")));
            }
        }
    }
    match first_fault {
        Some(fault) if clips.is_empty() => Err(fault),
        _ => Ok(clips),
    }
}

/// The last channel that moves each property of each node, in the order of the file: glTF wants no second one, and each
/// would be sampled only to be overwritten.
fn last_of_each_target(animation: &json::Animation) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut is_last = |target: &json::animation::Target| {
        let property = match target.path {
            Checked::Valid(property) => Some(discriminant(&property)),
            Checked::Invalid => None,
        };
        seen.insert((target.node.value(), property))
    };
    let channels = animation.channels.iter().enumerate().rev();
    let mut last: Vec<usize> = channels.filter(|(_, c)| is_last(&c.target)).map(|(index, _)| index).collect();
    last.reverse();
    last
}

/// Of all accessors that an animation's samplers name, each once.
fn stored_bytes(reader: &Reader<'_>, animation: &json::Animation) -> u64 {
    let accessors: HashSet<_> = animation.samplers.iter().flat_map(|s| [s.input.value(), s.output.value()]).collect();
    accessors.into_iter().map(|accessor| reader.stored_bytes(accessor)).sum()
}

struct KeyReader<'a> {
    reader: &'a Reader<'a>,
    joints: &'a JointMap,
    floats: &'a FloatTracks,
    metres: f32,
    clip: KeyClip,
}

impl KeyReader<'_> {
    fn read(&mut self, animation: &json::Animation, findings: &mut Vec<Finding>) -> Result<(), Fault> {
        let mut stepped_weights = false;
        let last = last_of_each_target(animation);
        if last.len() < animation.channels.len() {
            let what = format!("{} channels move what a later one moves too", animation.channels.len() - last.len());
            findings.push(Finding::warning(&self.clip.name, what, "The last one of each counts."));
        }
        for (index, channel) in last.iter().map(|&index| (index, &animation.channels[index])) {
            let at = |fault: Fault| fault.at(format!("channel {index}"));
            let sampler = animation.samplers.get(channel.sampler.value()).ok_or_else(|| {
                let have = animation.samplers.len();
                at(Fault::new(format!("its sampler {} is out of range; it has {have}", channel.sampler.value())))
            })?;
            let node = channel.target.node.value();
            match channel.target.path {
                Checked::Valid(Property::MorphTargetWeights) => {
                    stepped_weights |= sampler.interpolation == Checked::Valid(JsonInterpolation::Step);
                    self.weights(node, sampler).map_err(at)?;
                }
                Checked::Valid(property) => self.transform(node, property, sampler).map_err(at)?,
                Checked::Invalid => findings.push(Finding::warning(
                    &self.clip.name,
                    "a channel moves something other than a joint or a morph weight",
                    "That channel was left out.",
                )),
            }
        }
        if stepped_weights {
            findings.push(Finding::note(
                &self.clip.name,
                "morph weights are stepped",
                "Their jumps are blended over one sample: only joints keep stepped intervals.",
            ));
        }
        Ok(())
    }

    fn transform(&mut self, node: usize, property: Property, sampler: &json::animation::Sampler) -> Result<(), Fault> {
        // Every animated node is a joint.
        let joint = self.joints.of_node.get(node).copied().flatten();
        let joint = joint.ok_or_else(|| Fault::new(format!("its node {node} is out of range")))?;
        let vectors = |numbers: Vec<f32>, unit: f32| -> Vec<Vec3> {
            numbers.as_chunks::<3>().0.iter().map(|&v| Vec3::from(v) * unit).collect()
        };
        match property {
            Property::Translation => {
                let values = vectors(self.reader.floats(sampler.output, Type::Vec3, false)?, self.metres);
                self.clip.translations.push((joint, self.keys(sampler, &values)?));
            }
            Property::Scale => {
                let values = vectors(self.reader.floats(sampler.output, Type::Vec3, false)?, 1.0);
                self.clip.scales.push((joint, self.keys(sampler, &values)?));
            }
            Property::Rotation => {
                let numbers = self.reader.floats(sampler.output, Type::Vec4, true)?;
                let values: Vec<Quat> = numbers.as_chunks::<4>().0.iter().map(|&q| Quat::from_array(q)).collect();
                self.clip.rotations.push((joint, self.keys(sampler, &values)?));
            }
            Property::MorphTargetWeights => {}
        }
        Ok(())
    }

    /// One sampler moves all targets of a node: its values lie key by key, and within a key target by target.
    fn weights(&mut self, node: usize, sampler: &json::animation::Sampler) -> Result<(), Fault> {
        let Some((first, targets)) = self.floats.of_node(node) else {
            return Ok(()); // a mesh that is not shown
        };
        let numbers = self.reader.floats(sampler.output, Type::Scalar, true)?;
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
            Checked::Invalid => return Err(Fault::new("unknown interpolation")),
        };
        get(&self.reader.root().accessors, sampler.input, "accessor")?;
        Keys::new(self.reader.floats(sampler.input, Type::Scalar, false)?, values, interpolation)
    }
}
