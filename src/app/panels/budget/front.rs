//! The best recipes of a study: those that no other beats in both size and error.

use super::super::PanelCx;
use super::points::error_mm;
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2};
use posepress_core::metrics::Aspect;
use posepress_core::study::StudyPoint;

/// Width of the band behind the best recipes.
const BAND: f32 = 11.0;

/// The points that no other point beats in both numbers, smallest first. A point is its size and its error.
fn best<T: Copy>(points: impl Iterator<Item = (f64, f64, T)>) -> Vec<T> {
    let mut all: Vec<(f64, f64, T)> = points.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    let is_better = |point: &(f64, f64, T)| {
        let better = point.1 < least;
        least = least.min(point.1);
        better
    };
    all.into_iter().filter(is_better).map(|(.., point)| point).collect()
}

/// A band behind the best recipes of ours. `at` gives the position of a point on screen.
pub fn draw(painter: &Painter, cx: &PanelCx<'_>, aspect: Aspect, at: impl Fn(&StudyPoint) -> Option<Pos2>) {
    let ours = cx.workspace.study_points().iter().filter(|point| point.of.engine.is_none());
    let placed = ours.filter_map(|point| {
        let error_mm = error_mm(&point.totals, aspect)?;
        Some((point.totals.file_size().bytes as f64, error_mm, at(point)?))
    });
    let line = best(placed);
    if line.len() > 1 {
        painter.add(Shape::line(line, Stroke::new(BAND, color(cx))));
    }
}

/// Colour of the band.
pub fn color(cx: &PanelCx<'_>) -> Color32 {
    cx.theme.strong.gamma_multiply(0.45)
}

/// Tints the plot right of and above the limits, and below both, left of `x` and below `y`.
pub fn regions(painter: &Painter, cx: &PanelCx<'_>, area: Rect, x: Option<f32>, y: Option<f32>) {
    let (right, top) = (x.unwrap_or(area.right()), y.unwrap_or(area.top()));
    let (right, top) = (right.clamp(area.left(), area.right()), top.clamp(area.top(), area.bottom()));
    if x.is_none() && y.is_none() {
        return;
    }
    let over = cx.theme.fail.gamma_multiply(0.07);
    painter.rect_filled(Rect::from_min_max(pos2(right, area.top()), area.max), 0.0, over);
    painter.rect_filled(Rect::from_min_max(area.min, pos2(right, top)), 0.0, over);
    let within = Rect::from_min_max(pos2(area.left(), top), pos2(right, area.bottom()));
    painter.rect_filled(within, 0.0, cx.theme.ok.gamma_multiply(0.07));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_point_beats_in_size_and_error_is_not_among_the_best() {
        let points = [(10.0, 5.0, 'a'), (12.0, 5.0, 'b'), (11.0, 6.0, 'c'), (20.0, 1.0, 'd'), (10.0, 7.0, 'e')];
        assert_eq!(best(points.into_iter()), ['a', 'd']);
        assert!(best(std::iter::empty::<(f64, f64, char)>()).is_empty());
    }
}
