use egui::{Rangef, Rect, Ui};
use posepress_core::model::TimeGrid;

/// Least size of a zoom box, points. Smaller ones count as accidental.
pub const MIN_BOX: f32 = 6.0;

/// The time axis of ruler, error, contacts and curves. It maps samples to horizontal positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeAxis {
    /// Horizontal range of the plots, points.
    pub x: Rangef,
    /// Sample at the left edge.
    pub first: f64,
    /// Sample at the right edge.
    pub last: f64,
    grid: TimeGrid,
}

impl TimeAxis {
    /// An axis over `x` that shows a part of the clip. `range` has shares of the clip's length.
    pub fn new(x: Rangef, grid: TimeGrid, range: (f32, f32)) -> Self {
        let end = (grid.samples() - 1).max(1) as f64;
        Self { x, first: f64::from(range.0) * end, last: f64::from(range.1) * end, grid }
    }

    /// Position of a sample.
    pub fn x_of(&self, sample: f64) -> f32 {
        let share = (sample - self.first) / (self.last - self.first).max(1e-9);
        self.x.min + self.x.span() * share as f32
    }

    /// Position of a time.
    pub fn x_of_secs(&self, time_secs: f32) -> f32 {
        self.x_of(self.grid.sample_at(time_secs))
    }

    /// The sample at a position, within the clip.
    pub fn sample_at(&self, x: f32) -> f64 {
        let share = f64::from((x - self.x.min) / self.x.span().max(1.0));
        (self.first + share * (self.last - self.first)).clamp(0.0, (self.grid.samples() - 1) as f64)
    }

    /// A position as a share of the clip's length.
    pub fn share_at(&self, x: f32) -> f32 {
        (self.sample_at(x) / (self.grid.samples() - 1).max(1) as f64) as f32
    }

    /// Time of the sample nearest to a position.
    pub fn snapped_secs(&self, x: f32) -> f32 {
        self.grid.time_secs(self.sample_at(x).round())
    }

    /// Samples between labelled ticks: 1, 2, 5, 10, ... so that labels are at least 56 points apart.
    pub fn tick_step(&self) -> usize {
        round_step(self.label_samples().max(1.0)) as usize
    }

    /// Number of samples in the width of a label.
    fn label_samples(&self) -> f64 {
        const LABEL_POINTS: f64 = 56.0;
        (self.last - self.first) / f64::from(self.x.span().max(1.0)) * LABEL_POINTS
    }

    /// Visible ticks at round seconds: sample and label.
    pub fn ticks_secs(&self) -> Vec<(f64, String)> {
        let rate_hz = self.grid.rate_hz();
        if self.grid.samples() < 2 {
            return vec![(0.0, "0 s".to_owned())];
        }
        let step_secs = round_step(self.label_samples() / rate_hz);
        let decimals = (-step_secs.log10().floor()).max(0.0) as usize;
        let last = self.last.min((self.grid.samples() - 1) as f64);
        let steps =
            (self.first / rate_hz / step_secs).ceil() as u64..=(last / rate_hz / step_secs + 1e-9).floor() as u64;
        let tick = |step: u64| {
            let secs = step as f64 * step_secs;
            (secs * rate_hz, format!("{secs:.decimals$} s"))
        };
        steps.map(tick).collect()
    }

    /// Samples of the visible labelled ticks.
    pub fn ticks(&self) -> impl Iterator<Item = usize> + use<> {
        let step = self.tick_step();
        let first = (self.first / step as f64).ceil() as usize;
        let last = (self.last.min((self.grid.samples() - 1) as f64) / step as f64).floor() as usize;
        (first..=last).map(move |i| i * step)
    }

    /// The part of a row that the plot takes.
    pub fn plot(&self, row: Rect) -> Rect {
        Rect::from_x_y_ranges(self.x, row.y_range())
    }
}

/// The smallest value of at least `least` that is 1, 2 or 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let decade = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * decade).find(|step| *step >= least).unwrap_or(10.0 * decade)
}

/// Handles the wheel, which zooms at the pointer, and Shift-wheel, which pans. Returns the new part of the clip if it
/// changed.
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
    fn seconds_stand_at_their_samples_and_keep_apart() {
        let grid = TimeGrid::new(93, 92.0 / 30.0);
        let axis = TimeAxis::new(Rangef::new(100.0, 900.0), grid, (0.0, 1.0));
        let ticks = axis.ticks_secs();
        assert!(ticks.len() > 5 && ticks[0] == (0.0, "0.0 s".to_owned()), "{ticks:?}");
        let half = ticks.iter().find(|(_, label)| label == "1.5 s").unwrap();
        assert!((half.0 - 45.0).abs() < 1e-3, "{half:?}");
        assert!(ticks.windows(2).all(|w| axis.x_of(w[1].0) - axis.x_of(w[0].0) >= 56.0));
        let near = TimeAxis::new(Rangef::new(0.0, 900.0), grid, (0.5, 0.51)).ticks_secs();
        assert!(near.len() > 3 && near.iter().all(|(s, _)| (45.9..=47.0).contains(s)), "{near:?}");
    }

    #[test]
    fn a_pose_of_one_sample_has_an_axis_too() {
        let axis = TimeAxis::new(Rangef::new(0.0, 100.0), TimeGrid::new(1, 0.0), (0.0, 1.0));
        assert_eq!(axis.sample_at(70.0), 0.0);
        assert_eq!(axis.x_of(0.0), 0.0);
        assert_eq!(axis.ticks_secs().len(), 1);
    }
}
