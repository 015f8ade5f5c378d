//! Names of lines, written at their right ends in their colours.

use super::LEGEND_OPACITY;
use super::lines::{Choice, JointCurves, LINES, Point};
use crate::panels::time_axis::TimeAxis;
use crate::state::CurveKind;
use crate::theme::{Theme, font, size};
use egui::{Align2, Color32, Rangef, Rect, Ui, pos2, vec2};
use posepress_core::model::Rig;

/// Least distance between the middles of two names, points.
const APART: f32 = 12.0;
/// Longer names of float tracks are cut, letters.
const LONGEST: usize = 14;

/// Name of a line: an axis or a float track.
pub fn of_line(rig: &Rig, choice: Choice, line: usize) -> &str {
    match choice.kind {
        CurveKind::Floats => rig.float_names.get(choice.first_float + line).map_or("", String::as_str),
        _ => ["X", "Y", "Z", "W"].get(line).copied().unwrap_or(""),
    }
}

/// Names at the right ends of the lines, moved apart where lines meet. Lines out of view have no name.
#[allow(clippy::too_many_arguments)] // what is drawn, and where
pub fn show(
    ui: &Ui,
    theme: &Theme,
    rig: &Rig,
    axis: &TimeAxis,
    area: Rect,
    curves: &JointCurves,
    colors: [Option<Color32>; LINES],
    choice: Choice,
    [low, high]: [f64; 2],
) {
    let y_of = |value: f64| area.bottom() - area.height() * ((value - low) / (high - low)) as f32;
    let last_seen = |line: &[Point]| line.iter().rev().copied().find(|p| (low..=high).contains(&p[1]));
    let mut names: Vec<(usize, Color32, f32, f32)> = (0..LINES)
        .filter_map(|line| {
            let [sample, value] = last_seen(&curves.decoded[line])?;
            Some((line, colors[line]?, axis.x_of(sample).min(area.right()) - 6.0, y_of(value)))
        })
        .collect();
    names.sort_by(|a, b| a.3.total_cmp(&b.3).then(a.0.cmp(&b.0)));
    let mut places: Vec<f32> = names.iter().map(|n| n.3).collect();
    keep_apart(&mut places, area.y_range().shrink(APART / 2.0));
    for ((line, color, right, _), y) in names.into_iter().zip(places) {
        let text: String = of_line(rig, choice, line).chars().take(LONGEST).collect();
        let galley = ui.painter().layout_no_wrap(text, font(size::TICK), color);
        let place = Align2::RIGHT_CENTER.anchor_size(pos2(right, y), galley.size());
        ui.painter().rect_filled(place.expand2(vec2(3.0, -1.0)), 3.0, theme.well.gamma_multiply(LEGEND_OPACITY));
        ui.painter().galley(place.min, galley, color);
    }
}

/// Moves heights, sorted from the top down, into a range and at least a name apart.
fn keep_apart(heights: &mut [f32], range: Rangef) {
    let mut least = range.min;
    for y in heights.iter_mut() {
        *y = y.max(least);
        least = *y + APART;
    }
    let mut most = range.max;
    for y in heights.iter_mut().rev() {
        *y = y.min(most);
        most = *y - APART;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lines_that_meet_are_kept_apart_and_inside() {
        let mut heights = [10.0, 50.0, 50.0, 52.0];
        keep_apart(&mut heights, Rangef::new(6.0, 94.0));
        assert_eq!(heights, [10.0, 50.0, 62.0, 74.0]);
        let mut low = [2.0, 92.0, 93.0, 99.0];
        keep_apart(&mut low, Rangef::new(6.0, 94.0));
        assert_eq!(low, [6.0, 70.0, 82.0, 94.0]);
    }
}
