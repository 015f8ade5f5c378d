use super::{Ask, Budget, Fault, JointMap, nodes, readable};
use std::collections::HashMap;
use ufbx::{Anim, BlendChannel, Scene};

/// Float tracks of a rig: one per blend channel and shape. In-between shapes have tracks too. Their values result from the channel's
/// weight.
#[derive(Debug, Default)]
pub(super) struct FloatTracks {
    channels: Vec<Channel>,
    names: Vec<String>,
    /// Index in `channels` per blend channel of the scene.
    of_channel: HashMap<u32, usize>,
}

#[derive(Debug)]
struct Channel {
    /// Index in the scene.
    id: usize,
    first_track: usize,
    /// Channel weight at which each shape has the weight 1, in order.
    targets: Vec<f64>,
}

impl FloatTracks {
    /// Lists the tracks of all meshes that joints move.
    pub fn read(scene: &Scene, joints: &JointMap, budget: &Budget) -> Result<Self, Fault> {
        let mut tracks = Self::default();
        for mesh in &scene.meshes {
            let is_shown = |node: &&ufbx::Node| {
                !mesh.skin_deformers.is_empty() || joints.carrier(scene, nodes::id(node)).is_some()
            };
            let Some(owner) = (&mesh.element.instances).into_iter().find(is_shown).map(nodes::name) else { continue };
            for channel in mesh.blend_deformers.iter().flat_map(|deformer| &deformer.channels) {
                let claimed = budget.claim(Ask::FloatTracks, channel.keyframes.len() as u64);
                claimed.map_err(|over| Fault::from(over).at(format!("mesh '{owner}'")))?;
                tracks.add(&owner, channel);
            }
        }
        Ok(tracks)
    }

    fn add(&mut self, owner: &str, channel: &BlendChannel) {
        let id = channel.element.typed_id;
        if self.of_channel.contains_key(&id) {
            return;
        }
        self.of_channel.insert(id, self.channels.len());
        let first_track = self.names.len();
        self.names.extend((0..channel.keyframes.len()).map(|shape| format!("{owner}.{}", shape_name(channel, shape))));
        let targets = channel.keyframes.iter().map(|key| key.target_weight).collect();
        self.channels.push(Channel { id: id as usize, first_track, targets });
    }

    /// Names of the tracks: `mesh.shape`.
    pub fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Weights without animation.
    pub fn rest(&self, scene: &Scene) -> Vec<f32> {
        let mut rest = vec![0.0; self.names.len()];
        self.write(&mut rest, |channel| scene.blend_channels[channel].weight);
        rest
    }

    /// Writes the weights at a time.
    pub fn evaluate(&self, scene: &Scene, anim: &Anim, time_secs: f64, out: &mut [f32]) {
        self.write(out, |channel| ufbx::evaluate_blend_weight(anim, &scene.blend_channels[channel], time_secs));
    }

    /// The first track of a channel.
    pub fn of_channel(&self, channel: &BlendChannel) -> Option<usize> {
        let place = self.of_channel.get(&channel.element.typed_id)?;
        Some(self.channels[*place].first_track)
    }

    fn write(&self, out: &mut [f32], weight: impl Fn(usize) -> f64) {
        for channel in &self.channels {
            let out = &mut out[channel.first_track..][..channel.targets.len()];
            spread(weight(channel.id), &channel.targets, out);
        }
    }
}

/// The channel's name. If it has several shapes, the name of the shape follows.
pub(super) fn shape_name(channel: &BlendChannel, shape: usize) -> String {
    let name = readable(&channel.element.name);
    match channel.keyframes.len() {
        1 => name,
        _ => format!("{name}.{}", readable(&channel.keyframes[shape].shape.element.name)),
    }
}

/// Writes the weights of a channel's shapes. Between two targets, the weights of their shapes are interpolated linearly; at zero, no shape
/// has a weight. Positive and negative targets are separate. Weights beyond the last target are extrapolated.
fn spread(weight: f64, targets: &[f64], out: &mut [f32]) {
    out.fill(0.0);
    let first_positive = targets.partition_point(|&target| target < 0.0);
    let towards: Vec<usize> = match weight > 0.0 {
        true => (first_positive..targets.len()).collect(),
        false => (0..first_positive).rev().collect(),
    };
    let reached = towards.iter().position(|&shape| targets[shape].abs() > weight.abs());
    let Some(at) = reached.or(towards.len().checked_sub(1)) else { return };
    let before = at.checked_sub(1).map(|before| towards[before]);
    let (start, end) = (before.map_or(0.0, |shape| targets[shape]), targets[towards[at]]);
    if end != start {
        let part = (weight - start) / (end - start);
        before.into_iter().for_each(|shape| out[shape] = (1.0 - part) as f32);
        out[towards[at]] = part as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_shared_by_the_two_shapes_around_it() {
        let cases: [(&[f64], f64, &[f32]); 8] = [
            (&[1.0], 0.25, &[0.25]),
            (&[1.0], -0.25, &[0.0]),
            (&[1.0], 1.5, &[1.5]),
            (&[0.5, 1.0], 0.25, &[0.5, 0.0]),
            (&[0.5, 1.0], 0.75, &[0.5, 0.5]),
            (&[0.5, 1.0], 1.0, &[0.0, 1.0]),
            (&[-1.0, 1.0], -0.5, &[0.5, 0.0]),
            (&[-1.0, -0.5, 1.0], -0.75, &[0.5, 0.5, 0.0]),
        ];
        for (targets, weight, expected) in cases {
            let mut out = vec![9.0; targets.len()];
            spread(weight, targets, &mut out);
            assert_eq!(out, expected, "{weight} of {targets:?}");
        }
    }
}
