use super::RotationFormat;
use super::bin::{Bin, Chunk};
use super::keys::{EXPORT_ERROR_M, Key, Keys, Track, angle, from_shorts, to_shorts};
use super::scene::Scene;
use crate::export::ExportClip;
use crate::math::Transform;
use crate::model::{Channel, ModelPose, Pose, Rig, SkinnedMesh};
use gltf_json::animation::{Animation, Channel as JsonChannel, Interpolation, Property, Sampler, Target};
use gltf_json::scene::Node;
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Index};
use std::collections::BTreeMap;

/// Distance from a joint at which its own error counts, as the shell of the error metric.
const SHELL_M: f32 = 0.03;

/// Writes one clip as an animation. A clip in which nothing leaves the bind pose still gets its duration.
pub fn write(bin: &mut Bin, rig: &Rig, scene: &Scene, clip: &mut ExportClip<'_>, rotations: RotationFormat) {
    let chunk = bin.begin(None);
    let mut writer = Writer { bin, chunk, times: BTreeMap::new(), samplers: Vec::new(), channels: Vec::new() };
    let poses = decode(clip);
    let reach_m = reach_m(rig);
    for (joint, &reach_m) in reach_m.iter().enumerate() {
        let values: Vec<Transform> = poses.iter().map(|p| p.joints[joint]).collect();
        for channel in Channel::ALL {
            let track = Track { joint, channel, values: &values, reach_m };
            let kept = kept_samples(clip, joint, channel);
            let keys = track.keys(clip.source, &rig.skeleton.bind(joint), kept);
            writer.track(scene.joints[joint], &track, &keys, rotations);
        }
    }
    for (mesh, &node) in rig.meshes.iter().zip(&scene.meshes) {
        writer.weights(node, mesh, &poses, clip);
    }
    writer.keep_duration(scene.joints[0], &poses, clip);
    let Writer { samplers, channels, .. } = writer;
    bin.root.push(Animation { name: Some(clip.name.clone()), samplers, channels, extensions: None, extras: None });
}

struct Writer<'a> {
    bin: &'a mut Bin,
    chunk: Chunk,
    /// Tracks with the same key times share them; the key is their bits.
    times: BTreeMap<Vec<u32>, Index<Accessor>>,
    samplers: Vec<Sampler>,
    channels: Vec<JsonChannel>,
}

impl Writer<'_> {
    fn track(&mut self, node: Index<Node>, track: &Track<'_>, keys: &Keys, rotations: RotationFormat) {
        let one = [Key { sample: 0, time_secs: 0.0 }];
        let (keys, interpolation) = match keys {
            Keys::Bind => return,
            Keys::Constant => (&one[..], Interpolation::Linear),
            Keys::Step(keys) => (&keys[..], Interpolation::Step),
            Keys::Linear(keys) => (&keys[..], Interpolation::Linear),
        };
        let values = keys.iter().map(|k| &track.values[k.sample]);
        let (output, property) = match track.channel {
            Channel::Rotation => (self.rotations(values, track.reach_m, rotations), Property::Rotation),
            Channel::Translation => {
                let values: Vec<_> = values.map(|v| v.translation.to_array()).collect();
                (self.bin.floats(&self.chunk, &values, false), Property::Translation)
            }
            Channel::Scale => {
                let values: Vec<_> = values.map(|v| v.scale.to_array()).collect();
                (self.bin.floats(&self.chunk, &values, false), Property::Scale)
            }
        };
        self.push(node, property, keys, interpolation, output);
    }

    fn rotations<'t>(
        &mut self,
        values: impl Iterator<Item = &'t Transform>,
        reach_m: f32,
        format: RotationFormat,
    ) -> Index<Accessor> {
        let exact: Vec<_> = values.map(|v| v.rotation).collect();
        let shorts: Vec<_> = exact.iter().map(|&q| to_shorts(q)).collect();
        let worst = exact.iter().zip(&shorts).map(|(&q, &s)| angle(q, from_shorts(s))).fold(0.0, f32::max);
        if format == RotationFormat::Automatic && worst * reach_m <= EXPORT_ERROR_M {
            self.bin.shorts(&self.chunk, &shorts)
        } else {
            let floats: Vec<_> = exact.iter().map(|q| q.to_array()).collect();
            self.bin.floats(&self.chunk, &floats, false)
        }
    }

    /// Morph weights of one mesh, every sample; left out while all are zero, which is what the mesh itself says.
    fn weights(&mut self, node: Index<Node>, mesh: &SkinnedMesh, poses: &[Pose], clip: &ExportClip<'_>) {
        let weight = |pose: &Pose, track: usize| pose.floats.get(track).copied().unwrap_or(0.0);
        let rows: Vec<Vec<f32>> =
            poses.iter().map(|p| mesh.targets.iter().map(|t| weight(p, t.float_track)).collect()).collect();
        let Some(first) = rows.first().filter(|_| rows.iter().flatten().any(|w| *w != 0.0)) else { return };
        let count = if rows.iter().all(|r| r == first) { 1 } else { rows.len() };
        let keys: Vec<Key> = (0..count).map(|sample| key_at(clip, sample)).collect();
        let flat: Vec<[f32; 1]> = rows[..count].iter().flatten().map(|&w| [w]).collect();
        let output = self.bin.floats(&self.chunk, &flat, false);
        self.push(node, Property::MorphTargetWeights, &keys, Interpolation::Linear, output);
    }

    /// An animation lasts until its last key: where no track reaches the end, the root's translation is told to.
    fn keep_duration(&mut self, node: Index<Node>, poses: &[Pose], clip: &ExportClip<'_>) {
        let ends_early = |times: &Vec<u32>| times.len() < 2;
        let Some(last) = poses.last() else { return };
        if !self.times.keys().all(ends_early) || (poses.len() == 1 && !self.channels.is_empty()) {
            return;
        }
        let is_root_translation =
            |c: &JsonChannel| c.target.node.value() == node.value() && c.target.path == Valid(Property::Translation);
        self.channels.retain(|c| !is_root_translation(c));
        let mut keys = vec![key_at(clip, 0), key_at(clip, poses.len() - 1)];
        keys.dedup();
        let values: Vec<_> = keys.iter().map(|_| last.joints[0].translation.to_array()).collect();
        let output = self.bin.floats(&self.chunk, &values, false);
        self.push(node, Property::Translation, &keys, Interpolation::Linear, output);
    }

    fn push(
        &mut self,
        node: Index<Node>,
        property: Property,
        keys: &[Key],
        interpolation: Interpolation,
        output: Index<Accessor>,
    ) {
        let times: Vec<[f32; 1]> = keys.iter().map(|k| [k.time_secs]).collect();
        let bits = times.iter().map(|t| t[0].to_bits()).collect();
        let input = *self.times.entry(bits).or_insert_with(|| self.bin.floats(&self.chunk, &times, true));
        let sampler = Index::new(self.samplers.len() as u32);
        let interpolation = Valid(interpolation);
        self.samplers.push(Sampler { input, interpolation, output, extensions: None, extras: None });
        let target = Target { node, path: Valid(property), extensions: None, extras: None };
        self.channels.push(JsonChannel { sampler, target, extensions: None, extras: None });
    }
}

fn key_at(clip: &ExportClip<'_>, sample: usize) -> Key {
    Key { sample, time_secs: clip.source.grid().time_secs(sample as f64) }
}

fn decode(clip: &mut ExportClip<'_>) -> Vec<Pose> {
    let source = clip.source;
    let mut pose = Pose::with_size(source.joints(), source.float_tracks());
    let at_each = source.grid().steps(1).map(|at_sample| {
        clip.sampler.sample(at_sample, &mut pose);
        pose.clone()
    });
    at_each.collect()
}

fn kept_samples<'a>(clip: &ExportClip<'a>, joint: usize, channel: Channel) -> Option<&'a [u32]> {
    let this = |k: &&crate::codecs::KeptKeys| usize::from(k.joint) == joint && k.channel == channel;
    clip.kept.iter().find(this).map(|k| k.samples.as_slice())
}

/// For every joint the distance to the farthest joint below it in the bind pose, and a shell around that.
fn reach_m(rig: &Rig) -> Vec<f32> {
    let bind = ModelPose::new(&rig.skeleton, &rig.skeleton.bind_pose(0).joints);
    let farthest = |joint: usize| {
        let from = bind.origin(joint);
        rig.skeleton.subtree(joint).into_iter().map(|j| bind.origin(j).distance(from)).fold(0.0, f32::max)
    };
    (0..rig.skeleton.len()).map(|joint| farthest(joint) + SHELL_M).collect()
}
