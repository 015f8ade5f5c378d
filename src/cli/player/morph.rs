use super::mesh::bounds;
use super::pack::{pack_words, zigzag};
use posepress_core::model::{MorphTarget, Rig};
use serde::Serialize;

/// Morph targets of the meshes of a rig, packed.
pub struct PackedMorph {
    /// Per target the steps from one moved vertex to the next, then the x, y and z offsets of these vertices.
    pub packed: Vec<u8>,
    /// Its targets.
    pub rows: Vec<TargetRow>,
}

/// A morph target, as the script reads it.
#[derive(Debug, Clone, Serialize)]
pub struct TargetRow {
    /// Float track that is its weight.
    track: usize,
    /// Number of vertices that it moves.
    moved: usize,
    /// The offset of one step, as a part of the mesh's longest side.
    step: f32,
}

/// Largest stored offset.
const MOST_STEPS: f32 = 32767.0;

impl PackedMorph {
    /// The targets of all meshes: offsets with 16 bits of the largest, and none for vertices that stay. `None` without a target.
    pub fn of(rig: &Rig) -> Option<Self> {
        let (mut words, mut rows, mut first_vertex) = (Vec::new(), Vec::new(), 0);
        for mesh in &rig.meshes {
            let size = bounds(mesh).map_or(1.0, |(_, size)| size);
            rows.extend(mesh.targets.iter().map(|target| pack(target, (first_vertex, size), &mut words)));
            first_vertex += mesh.positions.len() as u32;
        }
        (!rows.is_empty()).then(|| Self { packed: pack_words(&words), rows })
    }
}

/// Appends a target of a mesh with this first vertex and longest side.
fn pack(target: &MorphTarget, (first_vertex, size): (u32, f32), words: &mut Vec<u32>) -> TargetRow {
    let most = target.positions.iter().map(|offset| offset.abs().max_element()).fold(0.0, f32::max);
    let step = most.max(f32::MIN_POSITIVE) / MOST_STEPS;
    let steps = target.positions.iter().map(|offset| (*offset / step).to_array().map(|part| part.round() as i32));
    let moved: Vec<(u32, [i32; 3])> = (first_vertex..).zip(steps).filter(|(_, steps)| *steps != [0; 3]).collect();
    let mut before = 0;
    words.extend(moved.iter().map(|(vertex, _)| vertex - std::mem::replace(&mut before, *vertex)));
    for axis in 0..3 {
        words.extend(moved.iter().map(|(_, steps)| zigzag(steps[axis])));
    }
    TargetRow { track: target.float_track, moved: moved.len(), step: step / size }
}
