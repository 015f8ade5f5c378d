use crate::panels::PanelCx;
use crate::panels::time_axis::TimeAxis;
use crate::state::{CurveKind, curve_channel};
use crate::theme::{bytes as palette, font, size};
use egui::{Align2, Rect, Sense, Ui, WidgetInfo, pos2};
use posepress_core::codecs::SegmentRate;
use posepress_core::report::Sides;

/// Height of the row of bit rates.
pub const BAND: f32 = 22.0;
/// Bits of float32.
const MOST_BITS: f32 = 32.0;

/// A segment of samples with one bit rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    first: usize,
    /// Past its last sample.
    end: usize,
    bits: u32,
}

/// Bit rates of one track, segment after segment; empty for codecs with fixed formats.
pub fn of_track(shown: &Sides, joint: usize, kind: CurveKind) -> Vec<Segment> {
    let rates = shown.outcome.encoding().map_or(&[][..], |encoding| encoding.encoded.ledger.rates()).iter();
    let of_track = |r: &&SegmentRate| usize::from(r.joint) == joint && Some(r.channel) == curve_channel(kind);
    let rates: Vec<_> = rates.filter(of_track).collect();
    let starts = rates.iter().map(|rate| rate.first_sample as usize);
    let ends = starts.clone().skip(1).chain([shown.source.clip.samples()]);
    starts.zip(ends).zip(&rates).map(|((first, end), rate)| Segment { first, end, bits: rate.bits }).collect()
}

/// Average bits per component over the track's samples.
fn average_bits(segments: &[Segment]) -> f32 {
    let samples = |s: &Segment| s.end.saturating_sub(s.first) as f32;
    let bits: f32 = segments.iter().map(|s| s.bits as f32 * samples(s)).sum();
    bits / segments.iter().map(samples).sum::<f32>().max(1.0)
}

/// One block per segment with its bits per component. A deeper colour means more bits. The unit is left, the average
/// right.
pub fn show(ui: &mut Ui, cx: &PanelCx<'_>, axis: &TimeAxis, band: Rect, left: f32, segments: &[Segment]) {
    let theme = cx.theme;
    let plot = axis.plot(band);
    let y = band.center().y;
    let what = if cx.narrow { "bits" } else { "bits per component" };
    ui.painter().text(pos2(left, y), Align2::LEFT_CENTER, what, font(size::TICK), theme.text3);
    let average = format!("{:.1} avg", average_bits(segments));
    ui.painter().text(pos2(plot.right() + 6.0, y), Align2::LEFT_CENTER, &average, font(size::TICK), theme.text3);
    let painter = ui.painter().with_clip_rect(plot);
    painter.rect_filled(plot, 0.0, theme.lane);
    for segment in segments {
        let [from, to] = [segment.first, segment.end].map(|sample| axis.x_of(sample as f64));
        let block = Rect::from_x_y_ranges(from + 0.5..=to - 0.5, plot.y_range().shrink(3.0));
        if !plot.intersects(block) {
            continue;
        }
        let depth = 0.15 + 0.7 * (segment.bits as f32 / MOST_BITS).min(1.0);
        painter.rect_filled(block, 2.0, palette::ROTATION.gamma_multiply(depth));
        let seen = block.intersect(plot);
        if seen.width() > 16.0 {
            let number = segment.bits.to_string();
            painter.text(seen.center(), Align2::CENTER_CENTER, number, font(size::TICK), theme.text1);
        }
    }
    let response = ui.interact(plot, ui.scope_id().with("bit rates"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("Bits per component: {average}")));
    let pointed = response.hover_pos().map(|p| axis.sample_at(p.x) as usize);
    if let Some(segment) = segments.iter().find(|s| pointed.is_some_and(|at| (s.first..s.end).contains(&at))) {
        let frames = cx.frame_numbers().frames(segment.first, segment.end.saturating_sub(1));
        let help = format!("{frames}: {} bits for each component of a sample. Float32 takes 32.", segment.bits);
        response.on_hover_text_at_pointer(help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_counts_samples_not_segments() {
        let segment = |first, end, bits| Segment { first, end, bits };
        assert_eq!(average_bits(&[segment(0, 30, 8), segment(30, 40, 16)]), 10.0);
        assert_eq!(average_bits(&[]), 0.0);
    }
}
