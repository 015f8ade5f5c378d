use crate::theme::{Theme, heat};
use egui::{Painter, Rect, Stroke, StrokeKind};

/// A bar of an error as a share of the tolerance, in the colours of the heat map. The tick at the end is the tolerance.
pub fn error_bar(painter: &Painter, theme: &Theme, rect: Rect, error_per_tolerance: f32) {
    let share = error_per_tolerance.clamp(0.0, 1.0);
    bar(painter, theme, rect, share, heat(error_per_tolerance));
    let x = rect.right();
    painter.vline(x, (rect.top() - 2.0)..=(rect.bottom() + 2.0), Stroke::new(1.0, theme.strong));
}

/// A bar of a value as a share of the largest.
pub fn byte_bar(painter: &Painter, theme: &Theme, rect: Rect, share: f32) {
    bar(painter, theme, rect, share.clamp(0.0, 1.0), theme.text3);
}

fn bar(painter: &Painter, theme: &Theme, rect: Rect, share: f32, color: egui::Color32) {
    painter.rect_filled(rect, 1.0, theme.track);
    let filled = Rect::from_min_max(rect.min, egui::pos2(rect.left() + rect.width() * share, rect.bottom()));
    painter.rect_filled(filled, 1.0, color);
    if !theme.dark {
        painter.rect_stroke(filled, 1.0, Stroke::new(1.0, theme.strong), StrokeKind::Inside);
    }
}
