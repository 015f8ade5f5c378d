use crate::render::{WITHIN, split_position};
use crate::theme::{Theme, font, size};
use egui::{Align2, Rect, Stroke, Ui, Vec2, pos2};
use egui_plot::Plot;

/// A plot without own axes and ticks, exactly as large as `area`. All plots share axis, ticks and playhead.
pub fn bare_plot<'a>(name: &str, area: Rect) -> Plot<'a> {
    Plot::new(name.to_owned())
        .show_axes(false)
        .show_grid(false)
        .show_background(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(Vec2::ZERO)
        .show_x(false)
        .show_y(false)
        .sense(egui::Sense::hover())
        .width(area.width())
        .height(area.height())
        .label_formatter(|_| None)
}

/// Approximate distance between ticks, points.
const TICK_POINTS: f64 = 22.0;
/// Least distance between labels, points.
const LABEL_POINTS: f64 = 13.0;

/// The value axis of a plot.
#[derive(Debug, Clone, Copy)]
pub struct ValueScale {
    /// Value at the bottom; 0 with a limit.
    pub low: f64,
    /// Value at the top.
    pub high: f64,
    /// A value with its own tick. If most of the plot would be above it, the scale is split there like the heat map:
    /// linear below, logarithmic above.
    pub limit: Option<f64>,
    /// Unit behind the topmost tick, or behind each tick if it does not start with a space, such as a degree sign.
    pub unit: &'static str,
}

/// A labelled value.
#[derive(Debug, PartialEq)]
struct Tick {
    value: f64,
    label: String,
    is_limit: bool,
}

impl ValueScale {
    /// The limit at which the scale is split, if it is.
    pub fn split(&self) -> Option<f64> {
        self.limit.filter(|limit| *limit > 0.0 && self.high * f64::from(WITHIN) > *limit)
    }

    /// Position of a value: 0 at the bottom, 1 at the top.
    pub fn place(&self, value: f64) -> f64 {
        match self.split() {
            Some(limit) => f64::from(split_position((value / limit) as f32, (self.high / limit) as f32)),
            None => (value - self.low) / (self.high - self.low),
        }
    }

    /// Vertical position of a value in `area`, points.
    pub fn y_of(&self, area: Rect, value: f64) -> f32 {
        area.bottom() - area.height() * self.place(value) as f32
    }

    /// Draws grid lines and the labels right of the plot. Curves are drawn afterwards.
    pub fn draw_ticks(&self, ui: &Ui, theme: &Theme, area: Rect) {
        for tick in self.ticks(f64::from(area.height())) {
            let y = self.y_of(area, tick.value);
            ui.painter().hline(area.x_range(), y, Stroke::new(1.0, theme.grid));
            let at = pos2(area.right() + 6.0, y.clamp(area.top() + 6.0, area.bottom() - 6.0));
            let color = if tick.is_limit { theme.text1 } else { theme.text3 };
            ui.painter().text(at, Align2::LEFT_CENTER, tick.label, font(size::TICK), color);
        }
    }

    /// Ticks at round values and at the limit, from the bottom up. Their labels do not touch.
    fn ticks(&self, height: f64) -> Vec<Tick> {
        let room = height / TICK_POINTS;
        let round = match self.split() {
            Some(limit) => [round_values(0.0, limit, room * f64::from(WITHIN)), decades(limit, self.high)].concat(),
            None => round_values(self.low, self.high, room),
        };
        let limit = self.limit.filter(|limit| *limit <= self.high);
        let apart = |a: f64, b: f64| (self.place(a) - self.place(b)).abs() * height >= LABEL_POINTS;
        let mut kept: Vec<(f64, usize)> = Vec::new();
        for (value, digits) in round {
            let free = limit.is_none_or(|limit| apart(value, limit));
            if free && kept.last().is_none_or(|last| apart(value, last.0)) {
                kept.push((value, digits));
            }
        }
        if let Some(limit) = limit {
            let at = kept.partition_point(|tick| tick.0 < limit);
            kept.insert(at, (limit, if limit < 1.0 { 2 } else { 1 }));
        }
        let topmost = kept.len().saturating_sub(1);
        let tick = |(index, (value, digits)): (usize, &(f64, usize))| {
            let unit = if index == topmost || !self.unit.starts_with(' ') { self.unit } else { "" };
            let label = format!("{value:.digits$}{unit}").replace('-', "\u{2212}");
            Tick { value: *value, label, is_limit: limit == Some(*value) }
        };
        kept.iter().enumerate().map(tick).collect()
    }
}

/// About `count` multiples of a round step in a range, each with its number of decimals.
fn round_values(low: f64, high: f64, count: f64) -> Vec<(f64, usize)> {
    let step = tick_step(high - low, count);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|i| (i as f64 * step, digits(step))).collect()
}

/// Values in a range that are 1, 2 or 5 times a power of ten, each with its number of decimals.
pub fn decades(low: f64, high: f64) -> Vec<(f64, usize)> {
    let exponents = low.log10().floor() as i32..=high.log10().floor() as i32;
    let values = exponents.flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
    values.filter(|value| (low..=high).contains(value)).map(|value| (value, digits(value))).collect()
}

/// Number of decimals for multiples of a round step.
fn digits(step: f64) -> usize {
    (-(step * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize
}

/// 1, 2 or 5 times a power of ten, so that about `count` ticks fit.
fn tick_step(span: f64, count: f64) -> f64 {
    let raw = (span / count.max(2.0)).max(1e-9);
    let decade = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|s| *s >= raw).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: ValueScale, height: f64) -> Vec<String> {
        scale.ticks(height).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(tick_step(4.4, 5.0), 1.0);
        assert!((tick_step(0.12, 5.0) - 0.05).abs() < 1e-9);
    }

    #[test]
    fn labels_have_the_digits_that_tell_them_apart_and_a_real_minus_sign() {
        let degrees = ValueScale { low: -70.0, high: 5.0, limit: None, unit: "\u{b0}" };
        assert_eq!(labels(degrees, 110.0), ["\u{2212}60\u{b0}", "\u{2212}40\u{b0}", "\u{2212}20\u{b0}", "0\u{b0}"]);
        let residual = ValueScale { low: -0.0003, high: 0.0003, limit: None, unit: " cm" };
        let written = labels(residual, 100.0);
        assert!(written.len() >= 3 && written.iter().all(|l| l.contains("000")), "{written:?}");
        assert!(written.last().unwrap().ends_with(" cm") && !written[0].ends_with(" cm"), "{written:?}");
    }

    #[test]
    fn a_scale_far_above_its_limit_is_split_there_and_its_ticks_say_so() {
        let scale = ValueScale { low: 0.0, high: 381.0, limit: Some(6.0), unit: " mm" };
        assert_eq!(scale.split(), Some(6.0));
        assert!((scale.place(6.0) - f64::from(WITHIN)).abs() < 1e-6 && (scale.place(3.0) - 0.2).abs() < 1e-6);
        assert!((scale.place(381.0) - 1.0).abs() < 1e-6 && scale.place(50.0) < scale.place(100.0));
        assert_eq!(labels(scale, 160.0), ["0", "6.0", "20", "50", "100", "200 mm"]);
        for tick in scale.ticks(160.0).windows(2) {
            assert!((scale.place(tick[1].value) - scale.place(tick[0].value)) * 160.0 >= LABEL_POINTS, "{tick:?}");
        }
    }

    #[test]
    fn a_scale_near_its_limit_stays_linear() {
        let scale = ValueScale { low: 0.0, high: 12.0, limit: Some(6.0), unit: " mm" };
        assert_eq!((scale.split(), scale.place(9.0)), (None, 0.75));
        assert_eq!(labels(scale, 100.0), ["0", "6.0", "10 mm"].map(String::from).to_vec());
    }
}
