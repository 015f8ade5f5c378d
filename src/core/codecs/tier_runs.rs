//! Which of the samples that a clip can do without are worth taking out.

use super::press::Stays;
use posepress_runtime::codecs::press::{FIRST_WIDTHS, KINDS, RowMap, SegmentMap, width_difference};

/// What a bit counts that a tier takes on top of the rows that leave, against one of the clip.
const TIER_BIT: f32 = 0.25;

/// Ways of a segment, from what takes most bits to what takes fewest.
const WAYS: [Stays; 3] = [Stays::All, Stays::Middles, Stays::Anchors];

/// Widths are stored as differences from segment to segment, so that rows which leave alone between others can cost more than
/// they save. Of all ways that take out no more than `stays` this leaves those with the fewest bits: a shortest path, track by track.
pub fn keep_what_costs(map: &RowMap, stays: &mut [Vec<Stays>]) {
    for track in 0..map.tracks.len() {
        let most: Vec<Stays> = stays.iter().map(|stays| stays[track]).collect();
        for (stays, best) in stays.iter_mut().zip(shortest(map, track, &most)) {
            stays[track] = best;
        }
    }
}

/// What stays of a track, segment by segment.
fn shortest(map: &RowMap, track: usize, most: &[Stays]) -> Vec<Stays> {
    let mut costs = [0.0, f32::INFINITY, f32::INFINITY];
    let mut from = Vec::with_capacity(most.len());
    for (number, (segment, most)) in map.segments.iter().zip(most).enumerate() {
        let before = number.checked_sub(1).map(|before| &map.segments[before]);
        let step = |way: Stays| {
            let ways =
                WAYS.iter().zip(costs).map(|(from, cost)| cost + bits(map, track, (before, *from), (segment, way)));
            let best = ways.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            best.filter(|_| way <= *most).unwrap_or((0, f32::INFINITY))
        };
        let steps = WAYS.map(step);
        from.push(steps.map(|(from, _)| from));
        costs = steps.map(|(_, cost)| cost);
    }
    let mut way = (0..WAYS.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
    let mut out: Vec<Stays> = Vec::with_capacity(most.len());
    for from in from.iter().rev() {
        out.push(WAYS[way]);
        way = from[way];
    }
    out.reverse();
    out
}

/// What a track takes in a segment after the one before.
fn bits(
    map: &RowMap,
    track: usize,
    (before, from): (Option<&SegmentMap>, Stays),
    (segment, way): (&SegmentMap, Stays),
) -> f32 {
    let mut sum = 0.0;
    for component in 3 * track..3 * track + 3 {
        for kind in 0..KINDS {
            let whole_before = before.map_or(FIRST_WIDTHS[kind], |before| before.codes[component][kind].into());
            let kept_before = if before.is_some() && from.takes(kind) { 0 } else { whole_before };
            let code = u32::from(segment.codes[component][kind]);
            let kept = if way.takes(kind) { 0 } else { code };
            sum += (width_difference(kept_before, kept) + segment.rows[kind] as u32 * map.layout.width(kept)) as f32;
            if way.takes(kind) {
                sum += TIER_BIT * (width_difference(whole_before, code) + 1) as f32;
            }
        }
    }
    sum
}
