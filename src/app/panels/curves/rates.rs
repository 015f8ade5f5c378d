use super::lines::channel;
use crate::panels::PanelCx;
use crate::panels::time_axis::TimeAxis;
use crate::settings::CurveKind;
use crate::theme::{bytes as palette, font, size};
use egui::{Align2, Rect, Stroke, Ui, pos2};
use posepress_core::codecs::SegmentRate;
use posepress_core::session::Sides;

/// Height of the band.
pub const BAND: f32 = 14.0;

/// Bit rates of one track, segment after segment; empty for codecs of fixed formats.
pub fn of_track(shown: &Sides, joint: usize, kind: CurveKind) -> Vec<SegmentRate> {
    let rates = shown.outcome.encoded.ledger.rates().iter();
    let of_track = |r: &&SegmentRate| usize::from(r.joint) == joint && Some(r.channel) == channel(kind);
    rates.filter(of_track).copied().collect()
}

/// Borders of segments across the plot, and below it a band of bits a component: fuller means more.
pub fn show(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect, rates: &[SegmentRate]) {
    let painter = ui.painter().with_clip_rect(area);
    let band = Rect::from_min_max(pos2(area.left(), area.bottom() - BAND), area.max);
    painter.rect_filled(band, 0.0, cx.theme.lane);
    for (index, rate) in rates.iter().enumerate() {
        let from = axis.x_of(f64::from(rate.first_sample));
        let to = rates.get(index + 1).map_or(area.right(), |next| axis.x_of(f64::from(next.first_sample)));
        if to < area.left() || from > area.right() {
            continue;
        }
        if index > 0 {
            painter.vline(from, area.y_range(), Stroke::new(1.0, cx.theme.stroke));
        }
        let share = rate.bits as f32 / 32.0;
        let top = band.bottom() - band.height() * share.max(0.08);
        let bar = Rect::from_min_max(pos2(from + 0.5, top), pos2(to - 0.5, band.bottom()));
        painter.rect_filled(bar, 0.0, palette::ROTATION.gamma_multiply(0.55));
        if to - from > 16.0 {
            let at = pos2((from.max(area.left()) + to.min(area.right())) / 2.0, band.center().y);
            painter.text(at, Align2::CENTER_CENTER, rate.bits.to_string(), font(size::TICK), cx.theme.text1);
        }
    }
}
