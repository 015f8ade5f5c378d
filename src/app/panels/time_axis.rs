use egui::{Rangef, Rect, Ui};
use posepress_core::model::TimeGrid;

/// The one time axis that ruler, error, plants and curves share: samples to points across.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeAxis {
    /// Points across that the plots take.
    pub x: Rangef,
    /// Sample at the left edge.
    pub first: f64,
    /// Sample at the right edge.
    pub last: f64,
    grid: TimeGrid,
}

impl TimeAxis {
    /// An axis over `x`, showing a part of the clip given as shares of its length.
    pub fn new(x: Rangef, grid: TimeGrid, range: (f32, f32)) -> Self {
        let end = (grid.samples() - 1).max(1) as f64;
        Self { x, first: f64::from(range.0) * end, last: f64::from(range.1) * end, grid }
    }

    /// Where a sample stands.
    pub fn x_of(&self, sample: f64) -> f32 {
        let share = (sample - self.first) / (self.last - self.first).max(1e-9);
        self.x.min + self.x.span() * share as f32
    }

    /// Where a time stands.
    pub fn x_of_secs(&self, time_secs: f32) -> f32 {
        self.x_of(self.grid.sample_at(time_secs))
    }

    /// The sample at a place, inside the clip.
    pub fn sample_at(&self, x: f32) -> f64 {
        let share = f64::from((x - self.x.min) / self.x.span().max(1.0));
        (self.first + share * (self.last - self.first)).clamp(0.0, (self.grid.samples() - 1) as f64)
    }

    /// The place as a share of the clip's length.
    pub fn share_at(&self, x: f32) -> f32 {
        (self.sample_at(x) / (self.grid.samples() - 1).max(1) as f64) as f32
    }

    /// The time at a place, on the nearest sample.
    pub fn snapped_secs(&self, x: f32) -> f32 {
        self.grid.time_secs(self.sample_at(x).round())
    }

    /// Samples between labelled ticks: 1, 2, 5, 10, ... so that labels stand at least 56 points apart.
    pub fn tick_step(&self) -> usize {
        const LABEL_POINTS: f64 = 56.0;
        let per_point = (self.last - self.first) / f64::from(self.x.span().max(1.0));
        let wanted = (per_point * LABEL_POINTS).max(1.0);
        let decade = 10f64.powf(wanted.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * decade >= wanted).unwrap_or(10.0);
        (step * decade) as usize
    }

    /// Labelled ticks that are in sight.
    pub fn ticks(&self) -> impl Iterator<Item = usize> + use<> {
        let step = self.tick_step();
        let first = (self.first / step as f64).ceil() as usize;
        let last = (self.last.min((self.grid.samples() - 1) as f64) / step as f64).floor() as usize;
        (first..=last).map(move |i| i * step)
    }

    /// The part of a row that the plots take.
    pub fn plot(&self, row: Rect) -> Rect {
        Rect::from_x_y_ranges(self.x, row.y_range())
    }
}

/// Wheel zooms at the pointer, Shift-wheel pans: the new part of the clip, if it changed.
pub fn wheel(ui: &Ui, area: Rect, range: (f32, f32)) -> Option<(f32, f32)> {
    let pointer = ui.ctx().pointer_hover_pos().filter(|p| area.contains(*p))?;
    let (scroll, shift) = ui.input(|i| (i.smooth_scroll_delta(), i.modifiers.shift));
    let (wheel, sideways) = if shift { (0.0, scroll.x + scroll.y) } else { (scroll.y, scroll.x) };
    if wheel == 0.0 && sideways == 0.0 {
        return None;
    }
    let share = ((pointer.x - area.left()) / area.width()).clamp(0.0, 1.0);
    let (start, end) = range;
    let at = start + (end - start) * share;
    let span = ((end - start) * (-wheel * 0.004).exp()).clamp(0.005, 1.0);
    let shifted = at - span * share - sideways / area.width() * span;
    let start = shifted.clamp(0.0, 1.0 - span);
    Some((start, start + span)).filter(|new| *new != range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_samples_map_both_ways_and_ticks_keep_apart() {
        let grid = TimeGrid::new(93, 3.0667);
        let axis = TimeAxis::new(Rangef::new(100.0, 900.0), grid, (0.25, 0.75));
        for sample in [23.0, 40.5, 69.0] {
            assert!((axis.sample_at(axis.x_of(sample)) - sample).abs() < 1e-3);
        }
        assert!(f64::from(axis.x.span()) / (axis.last - axis.first) * axis.tick_step() as f64 >= 56.0);
        assert!(axis.ticks().all(|t| (23..=69).contains(&t)) && axis.ticks().count() > 5);
    }

    #[test]
    fn a_pose_of_one_sample_has_an_axis_too() {
        let axis = TimeAxis::new(Rangef::new(0.0, 100.0), TimeGrid::new(1, 0.0), (0.0, 1.0));
        assert_eq!(axis.sample_at(70.0), 0.0);
        assert_eq!(axis.x_of(0.0), 0.0);
    }
}
