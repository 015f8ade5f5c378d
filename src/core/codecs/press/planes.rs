//! Moves bit planes from a payload to a tier.

use super::decode::{
    CODES_A_PLANE, Component, LatticeIntegers, PLANES_BITS, PressIntegers, components_of, half, intervals, write_layout,
};
use super::pack::{best_layout, row_bits, segments_bits};
use crate::format::BitWriter;

/// The largest number of planes that are moved from a track.
pub const MOST_PLANES: u8 = 10;
const _: () = assert!((MOST_PLANES as u32) < 1 << PLANES_BITS);

/// The number of planes that a track can lose, at most `planes`. The codes of steps have an upper end.
pub fn planes_within(track: &LatticeIntegers, planes: u8) -> u8 {
    let most = track.codes.iter().map(|code| (u8::MAX - code) / CODES_A_PLANE).min().unwrap_or(0);
    planes.min(most).min(MOST_PLANES)
}

/// Bits of a track without some of its lowest planes.
pub fn bits_without(integers: &PressIntegers, track: usize, planes: u8) -> usize {
    let samples = integers.samples();
    let components = components(std::slice::from_ref(&integers.tracks[track].coarser(planes)));
    (intervals(samples) + 1) * row_bits(&components) + segments_bits(&integers.layout, &components, samples)
}

/// Returns the payload `bytes` without the lowest `planes` of each track, and a tier with these planes: see [`PressIntegers`].
pub fn take_out(integers: &PressIntegers, bytes: &[u8], planes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let coarse: Vec<_> = integers.tracks.iter().zip(planes).map(|(track, planes)| track.coarser(*planes)).collect();
    let codes = coarse.iter().flat_map(|track| track.codes);
    let layout = best_layout(integers.samples(), integers.layout.has_exact, codes, &components(&coarse));
    (integers.written(bytes, &layout, &coarse).expect("memory"), tier(integers, planes))
}

fn tier(integers: &PressIntegers, planes: &[u8]) -> Vec<u8> {
    let mut out = BitWriter::new();
    write_layout(&integers.layout, &mut out);
    planes.iter().for_each(|planes| out.push((*planes).into(), PLANES_BITS));
    for sample in 0..integers.samples() {
        for (track, planes) in integers.tracks.iter().zip(planes) {
            let planes = u32::from(*planes);
            for values in &track.values {
                let low = values[sample].wrapping_add(half(planes)) & ((1 << planes) - 1);
                out.push(low as u64, planes);
            }
        }
    }
    out.finish()
}

fn components(tracks: &[LatticeIntegers]) -> Vec<Component> {
    components_of(tracks).expect("memory")
}
