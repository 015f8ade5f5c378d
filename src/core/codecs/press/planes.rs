//! Moves bit planes from a payload to a tier.

use super::decode::{CODES_A_PLANE, Component, Contents, Layout, PLANES_BITS, Record, half, intervals};
use super::pack::{best_layout, row_bits, segments_bits};
use crate::format::BitWriter;
use crate::math::Transform;
use posepress_runtime::NoMemory;

/// The largest number of planes that are moved from a track.
pub const MOST_PLANES: u8 = 10;
const _: () = assert!((MOST_PLANES as u32) < 1 << PLANES_BITS);

/// The number of planes that a track can lose, at most `planes`. The codes of steps have an upper end.
pub fn planes_within(track: &Record, planes: u8) -> u8 {
    let most = track.codes.iter().map(|code| (u8::MAX - code) / CODES_A_PLANE).min().unwrap_or(0);
    planes.min(most).min(MOST_PLANES)
}

/// Bits of a track without some of its lowest planes.
pub fn bits_without(contents: &Contents, track: usize, planes: u8) -> usize {
    let component = |values: &Vec<i32>| Component::new(&without(values, planes)).expect("memory");
    let components: Vec<Component> = contents.values[track].iter().map(component).collect();
    let bits = segments_bits(&contents.head.layout, &components, contents.samples);
    (intervals(contents.samples) + 1) * row_bits(&components) + bits
}

/// Returns the payload without the lowest `planes` of each track, and a tier with these planes; see [`Contents::join`]. `bind` has the bind
/// pose of each joint.
pub fn take_out(contents: &Contents, planes: &[u8], bind: &[Transform]) -> (Vec<u8>, Vec<u8>) {
    let mut coarse = contents.clone();
    for ((record, values), planes) in coarse.head.tracks.iter_mut().zip(&mut coarse.values).zip(planes) {
        record.codes = record.codes.map(|code| code.saturating_add(planes * CODES_A_PLANE));
        values.iter_mut().for_each(|values| *values = without(values, *planes));
    }
    let components = coarse.components().expect("memory");
    coarse.head.layout = best_layout(coarse.samples, &components);
    let written = coarse.written(&components, bind, |_, _| Ok::<(), NoMemory>(()));
    (written.expect("memory"), tier(contents, planes))
}

/// Integers without their lowest planes.
fn without(values: &[i32], planes: u8) -> Vec<i32> {
    values.iter().map(|value| value.wrapping_add(half(planes.into())) >> planes).collect()
}

fn tier(contents: &Contents, planes: &[u8]) -> Vec<u8> {
    let mut out = BitWriter::new();
    out.push(contents.head.layout.length.into(), Layout::LENGTH_BITS);
    planes.iter().for_each(|planes| out.push((*planes).into(), PLANES_BITS));
    for sample in 0..contents.samples {
        for (values, planes) in contents.values.iter().zip(planes) {
            let planes = u32::from(*planes);
            for values in values {
                let low = values[sample].wrapping_add(half(planes)) & ((1 << planes) - 1);
                out.push(low as u64, planes);
            }
        }
    }
    out.finish()
}
