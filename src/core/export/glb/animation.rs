use super::bin::{Bin, Chunk};
use crate::export::ExportClip;
use crate::export::keys::{Curve, FittedClip, Interpolation, KeyTime, Numbers, farthest, to_shorts};
use crate::import::{FileSpace, Phase, WeightsNode, declare, declare_additive};
use crate::model::{BaseOf, Channel, FloatHold, Rig, TimeGrid};
use glam::Vec4;
use gltf_json::animation::{Animation, Channel as JsonChannel, Property, Sampler, Target};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Index};
use std::collections::{BTreeMap, BTreeSet};

/// Largest error that keys of morph weights may add at a vertex, metres.
const MORPH_ERROR_M: f32 = 1e-5;

/// The nodes that clips move.
#[derive(Debug)]
pub struct Stage {
    /// Node of each joint.
    pub joints: Vec<usize>,
    /// Nodes with morph targets.
    pub weights: Vec<WeightsNode>,
    /// Conversion between the file's axes and units and ours.
    pub space: FileSpace,
}

/// Times of a clip in its file.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// The sample grid.
    pub grid: TimeGrid,
    /// Start, seconds.
    pub start_secs: f32,
}

/// Writes one clip as an animation. A clip that never leaves the rest pose keeps its duration.
pub fn write(
    (bin, chunk): (&mut Bin, &Chunk),
    (rig, stage): (&Rig, &Stage),
    clip: &ExportClip<'_>,
    fitted: &FittedClip,
    start_secs: f32,
) -> Animation {
    let timing = Timing { grid: clip.source.grid(), start_secs };
    let mut writer =
        Writer { bin, chunk, timing, ends: false, samplers: Vec::new(), known: BTreeMap::new(), channels: Vec::new() };
    for (joint, curves) in fitted.curves.chunks_exact(Channel::ALL.len()).enumerate() {
        for (curve, channel) in curves.iter().zip(Channel::ALL) {
            if let Some(curve) = curve {
                writer.curve(stage.joints[joint], property(channel), curve);
            }
        }
    }
    let ways_m = morph_ways_m(rig);
    for node in &stage.weights {
        writer.weights(node, &fitted.floats, clip.source.float_holds(), (&ways_m, clip.tolerance_m));
    }
    writer.keep_duration(stage, rig, fitted);
    let Writer { samplers, channels, .. } = writer;
    let phase = Phase { rate_hz: timing.grid.rate_hz(), start_secs };
    let mut extras = (timing.grid.samples() > 1).then(|| declare(phase)).flatten();
    if let Some(base) = clip.source.base() {
        // For a clip that is additive to its own first pose, the file stores only the differences, not that pose.
        let is_own = base.of().clip() == Some(clip.source.name());
        declare_additive(&mut extras, if is_own { &BaseOf::Bind } else { base.of() });
    }
    Animation { name: Some(clip.name.clone()), samplers, channels, extensions: None, extras }
}

fn property(channel: Channel) -> Property {
    match channel {
        Channel::Rotation => Property::Rotation,
        Channel::Translation => Property::Translation,
        Channel::Scale => Property::Scale,
    }
}

/// Largest distance that each float track moves a vertex, metres.
fn morph_ways_m(rig: &Rig) -> Vec<f32> {
    let mut ways_m = vec![0.0f32; rig.float_names.len()];
    for target in rig.meshes.iter().flat_map(|mesh| &mesh.targets) {
        let way_m = target.positions.iter().map(|offset| offset.length()).fold(0.0, f32::max);
        ways_m[target.float_track] = ways_m[target.float_track].max(way_m);
    }
    ways_m
}

struct Writer<'a> {
    bin: &'a mut Bin,
    chunk: &'a Chunk,
    timing: Timing,
    /// True if a key lies at the end of the clip.
    ends: bool,
    samplers: Vec<Sampler>,
    /// Samplers by accessors and interpolation. Channels with the same keys share one.
    known: BTreeMap<(usize, usize, &'static str), Index<Sampler>>,
    channels: Vec<JsonChannel>,
}

impl Writer<'_> {
    fn curve(&mut self, node: usize, property: Property, curve: &Curve) {
        let output = self.values(curve);
        self.channel(node, property, &curve.times, curve.interpolation, output);
    }

    /// Values of a curve. Tangents are per sample in the curve, and per second in the file.
    fn values(&mut self, curve: &Curve) -> Index<Accessor> {
        let per_sec = self.timing.grid.rate_hz() as f32;
        let values: Vec<Vec4> = match curve.interpolation {
            Interpolation::Cubic => {
                let keys = curve.values.iter().zip(&curve.tangents);
                keys.flat_map(|(&value, &[into, out])| [into * per_sec, value, out * per_sec]).collect()
            }
            _ => curve.values.clone(),
        };
        match (curve.is_rotation, curve.numbers == Numbers::Shorts) {
            (true, true) => {
                let shorts: Vec<_> = values.iter().map(|v| to_shorts(*v)).collect();
                self.bin.shorts(self.chunk, &shorts)
            }
            (true, false) => {
                let floats: Vec<_> = values.iter().map(|v| v.to_array()).collect();
                self.bin.floats(self.chunk, &floats, false)
            }
            (false, _) => {
                let floats: Vec<_> = values.iter().map(|v| v.truncate().to_array()).collect();
                self.bin.floats(self.chunk, &floats, false)
            }
        }
    }

    /// Writes the morph weights of one node, unless they are always the node's own.
    fn weights(
        &mut self,
        node: &WeightsNode,
        floats: &[Vec<f32>],
        holds: &[FloatHold],
        (ways_m, tolerance_m): (&[f32], f32),
    ) {
        let row = |floats: &Vec<f32>| -> Vec<f32> {
            node.tracks.iter().map(|&track| floats.get(track).copied().unwrap_or(0.0)).collect()
        };
        let rows: Vec<Vec<f32>> = floats.iter().map(row).collect();
        if rows.iter().all(|row| *row == node.rest) {
            return;
        }
        let ways_m: Vec<f32> = node.tracks.iter().map(|&track| ways_m.get(track).copied().unwrap_or(0.0)).collect();
        let held = HeldWeights::of(node, holds);
        let times = weight_keys(&rows, &held, &ways_m, MORPH_ERROR_M.min(tolerance_m));
        let values = times.iter().flat_map(|time| held.row(&rows, *time));
        let flat: Vec<[f32; 1]> = values.map(|weight| [weight]).collect();
        let output = self.bin.floats(self.chunk, &flat, false);
        self.channel(node.node, Property::MorphTargetWeights, &times, Interpolation::Linear, output);
    }

    /// Keeps the clip's duration. An animation ends at its last key, so the first joint's translation gets a key at the end if no other has
    /// one.
    fn keep_duration(&mut self, stage: &Stage, rig: &Rig, fitted: &FittedClip) {
        let last = KeyTime::at(self.timing.grid.samples() - 1);
        if self.ends || (last.sample == 0 && !self.channels.is_empty()) {
            return;
        }
        let node = stage.joints[0];
        let is_moved = |c: &JsonChannel| c.target.node.value() == node && c.target.path == Valid(Property::Translation);
        self.channels.retain(|c| !is_moved(c));
        let translation = Channel::ALL.iter().position(|c| *c == Channel::Translation);
        let written = translation.and_then(|at| fitted.curves[at].as_ref()).map(|curve| curve.values[0].truncate());
        let rest = stage.space.from_inside(rig.skeleton.bind(0), true).translation;
        let value = written.unwrap_or(rest).to_array();
        let mut times = vec![KeyTime::at(0), last];
        times.dedup();
        let output = self.bin.floats(self.chunk, &vec![value; times.len()], false);
        self.channel(node, Property::Translation, &times, Interpolation::Linear, output);
    }

    fn channel(
        &mut self,
        node: usize,
        property: Property,
        times: &[KeyTime],
        interpolation: Interpolation,
        output: Index<Accessor>,
    ) {
        let Timing { grid, start_secs } = self.timing;
        let secs: Vec<[f32; 1]> = times.iter().map(|time| [time.secs(grid, start_secs)]).collect();
        let input = self.bin.floats(self.chunk, &secs, true);
        self.ends |= grid.samples() > 1 && times.last().is_some_and(|time| time.sample + 1 == grid.samples());
        let (name, interpolation) = match interpolation {
            Interpolation::Step => ("STEP", gltf_json::animation::Interpolation::Step),
            Interpolation::Linear => ("LINEAR", gltf_json::animation::Interpolation::Linear),
            Interpolation::Cubic => ("CUBICSPLINE", gltf_json::animation::Interpolation::CubicSpline),
            Interpolation::Chord | Interpolation::Spline(_) => unreachable!("glTF has no {interpolation:?}"),
        };
        let new = Index::new(self.samplers.len() as u32);
        let sampler = *self.known.entry((input.value(), output.value(), name)).or_insert(new);
        if sampler == new {
            let interpolation = Valid(interpolation);
            self.samplers.push(Sampler { input, interpolation, output, extensions: None, extras: None });
        }
        let target = Target { node: Index::new(node as u32), path: Valid(property), extensions: None, extras: None };
        self.channels.push(JsonChannel { sampler, target, extensions: None, extras: None });
    }
}

/// Stepped intervals of one node's weights: the held targets, by sample.
#[derive(Debug, Default)]
struct HeldWeights(BTreeMap<usize, BTreeSet<usize>>);

impl HeldWeights {
    fn of(node: &WeightsNode, holds: &[FloatHold]) -> Self {
        let mut held = BTreeMap::<usize, BTreeSet<usize>>::new();
        for hold in holds {
            let targets = node.tracks.iter().enumerate().filter(|(_, track)| **track == usize::from(hold.track));
            targets.for_each(|(target, _)| _ = held.entry(hold.sample as usize).or_default().insert(target));
        }
        Self(held)
    }

    /// The first held sample at or after a sample.
    fn next(&self, from: usize) -> Option<usize> {
        self.0.range(from..).next().map(|(sample, _)| *sample)
    }

    /// The weights of a key. At the end of a stepped interval, held targets keep their value and others take the next.
    fn row(&self, rows: &[Vec<f32>], time: KeyTime) -> Vec<f32> {
        let mut row = rows[time.sample + usize::from(time.ends_hold)].clone();
        let held = self.0.get(&time.sample).filter(|_| time.ends_hold);
        held.into_iter().flatten().for_each(|&target| row[target] = rows[time.sample][target]);
        row
    }
}

/// Keys of morph weights. Lines between them move no vertex by more than `error_m` from the samples.
fn weight_keys(rows: &[Vec<f32>], held: &HeldWeights, ways_m: &[f32], error_m: f32) -> Vec<KeyTime> {
    let last = rows.len() - 1;
    if rows.iter().all(|row| *row == rows[0]) {
        return vec![KeyTime::at(0)];
    }
    let mut times = vec![KeyTime::at(0)];
    let mut from = 0;
    while from < last {
        let end = held.next(from).unwrap_or(last);
        if end == from {
            let jumps = held.row(rows, KeyTime { sample: from, ends_hold: true }) != rows[from + 1];
            times.extend(jumps.then_some(KeyTime { sample: from, ends_hold: true }));
            from += 1;
        } else {
            from = farthest(from, end, |to| error_m > 0.0 && is_on_line(&rows[from..=to], ways_m, error_m));
        }
        times.push(KeyTime::at(from));
    }
    times
}

fn is_on_line(rows: &[Vec<f32>], ways_m: &[f32], error_m: f32) -> bool {
    let last = rows.len() - 1;
    rows.iter().enumerate().all(|(at, row)| {
        let t = at as f32 / last as f32;
        let on_line = |target: usize| rows[0][target] + (rows[last][target] - rows[0][target]) * t;
        let error = row.iter().enumerate().map(|(target, weight)| (on_line(target) - weight).abs() * ways_m[target]);
        error.sum::<f32>() <= error_m
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_keep_the_keys_that_lines_need() {
        let rows: Vec<Vec<f32>> = (0..20).map(|s| vec![0.5, if s < 7 { 0.0 } else { (s - 7) as f32 * 0.1 }]).collect();
        let samples = |error_m| -> Vec<usize> {
            weight_keys(&rows, &HeldWeights::default(), &[1.0, 1.0], error_m).iter().map(|t| t.sample).collect()
        };
        assert_eq!(samples(1e-5), [0, 7, 19]);
        assert_eq!(samples(0.0).len(), 20, "every sample where nothing may be lost");
    }

    #[test]
    fn held_weights_become_two_keys_and_others_go_on() {
        let rows: Vec<Vec<f32>> = (0..20).map(|s| vec![if s < 7 { 0.0 } else { 1.0 }, s as f32 * 0.1]).collect();
        let node = WeightsNode { node: 0, tracks: vec![4, 2], rest: vec![0.0; 2] };
        let held = HeldWeights::of(&node, &[FloatHold { sample: 6, track: 4 }, FloatHold { sample: 9, track: 3 }]);
        let times = weight_keys(&rows, &held, &[1.0, 1.0], 1e-5);
        let end = KeyTime { sample: 6, ends_hold: true };
        assert_eq!(times, [KeyTime::at(0), KeyTime::at(6), end, KeyTime::at(7), KeyTime::at(19)]);
        assert_eq!(held.row(&rows, end), [0.0, 7.0f32 * 0.1]);
    }
}
