use crate::theme::{Theme, font, size};
use egui::{Align2, Rect, Stroke, Ui, Vec2, pos2};
use egui_plot::Plot;

/// A plot without decoration of its own, exactly as large as `area`: axis, ticks and playhead are shared by all plots.
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

/// The values from the bottom to the top of a plot.
#[derive(Debug, Clone, Copy)]
pub struct ValueScale {
    /// At the bottom.
    pub low: f64,
    /// At the top.
    pub high: f64,
    /// Written behind the topmost tick, or behind each if it is a sign such as a degree's.
    pub unit: &'static str,
}

impl ValueScale {
    /// Grid lines across the plot and labels in the gutter right of it; to be drawn before the curves.
    pub fn draw_ticks(&self, ui: &Ui, theme: &Theme, area: Rect) {
        const TICK_POINTS: f64 = 28.0;
        let span = self.high - self.low;
        let step = tick_step(span, f64::from(area.height()) / TICK_POINTS);
        let digits = if step < 0.1 { 2 } else { usize::from(step < 10.0) };
        let mut value = (self.low / step).ceil() * step;
        while value <= self.high {
            let y = area.bottom() - area.height() * ((value - self.low) / span) as f32;
            ui.painter().hline(area.x_range(), y, Stroke::new(1.0, theme.grid));
            let topmost = value + step > self.high;
            let unit = if topmost || !self.unit.starts_with(' ') { self.unit } else { "" };
            let shown = if value.abs() < step * 1e-6 { 0.0 } else { value };
            let at = pos2(area.right() + 6.0, y.clamp(area.top() + 6.0, area.bottom() - 6.0));
            let text = format!("{shown:.digits$}{unit}");
            ui.painter().text(at, Align2::LEFT_CENTER, text, font(size::TICK), theme.text3);
            value += step;
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that about `count` ticks fit.
fn tick_step(span: f64, count: f64) -> f64 {
    let raw = (span / count.max(1.0)).max(1e-9);
    let decade = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|s| *s >= raw).unwrap_or(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(tick_step(4.4, 5.0), 1.0);
        assert!((tick_step(0.12, 5.0) - 0.05).abs() < 1e-9);
    }
}
