//! The legend of the plot: colour and shape by codec, fill by verdict.

use super::super::PanelCx;
use super::front;
use super::plot::{Series, series_name};
use crate::theme::{font, size};
use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2, vec2};
use egui_plot::MarkerShape;
use posepress_core::metrics::Verdict;
use std::f32::consts::TAU;

/// Height of a line.
const ROW: f32 = 18.0;
/// Half the size of a mark.
const HALF: f32 = 4.5;

/// The legend right of the plot: codecs, verdicts, and the band of the best recipes.
pub fn show(ui: &Ui, cx: &PanelCx<'_>, area: Rect, all: &[Series<'_>]) {
    let (painter, theme) = (ui.painter(), cx.theme);
    let at = |row: usize, below: f32| pos2(area.right() + 14.0, area.top() + 10.0 + below + ROW * row as f32);
    let name = |at: Pos2, words: &str| {
        painter.text(at + vec2(12.0, 0.0), Align2::LEFT_CENTER, words, font(size::TICK), theme.text2);
    };
    for (row, series) in all.iter().enumerate() {
        let at = at(row, 0.0);
        if series.codec.is_some() {
            painter.hline(at.x - 8.0..=at.x + 8.0, at.y, Stroke::new(1.2, series.color));
        }
        mark(painter, at, series.shape, series.color, true);
        name(at, series_name(series.codec));
    }
    let verdicts = [(Verdict::Good, "all pass"), (Verdict::Warn, "some warn"), (Verdict::Fail, "some fail")];
    for (row, (verdict, words)) in verdicts.into_iter().enumerate() {
        let at = at(all.len() + row, 10.0);
        mark(painter, at, MarkerShape::Circle, theme.verdict(verdict), verdict != Verdict::Fail);
        name(at, words);
    }
    let band = at(all.len() + verdicts.len(), 20.0);
    painter.hline(band.x - 8.0..=band.x + 8.0, band.y, Stroke::new(9.0, front::color(cx)));
    name(band, "best sizes");
}

/// A mark as the plot draws it.
fn mark(painter: &Painter, at: Pos2, shape: MarkerShape, color: Color32, filled: bool) {
    let (fill, stroke) = if filled { (color, Stroke::NONE) } else { (Color32::TRANSPARENT, Stroke::new(1.2, color)) };
    let corners = |count: usize, from: f32| {
        let corner = |nth: usize| at + HALF * Vec2::angled(TAU * (from + nth as f32 / count as f32));
        (0..count).map(corner).collect::<Vec<Pos2>>()
    };
    // Angles clockwise from the right, as parts of a turn.
    let polygon = match shape {
        MarkerShape::Circle => {
            painter.circle(at, HALF, fill, stroke);
            return;
        }
        MarkerShape::Asterisk | MarkerShape::Cross | MarkerShape::Plus => {
            let rays = corners(6, 0.25).into_iter().map(|end| Shape::line_segment([at, end], Stroke::new(1.2, color)));
            return painter.extend(rays);
        }
        MarkerShape::Square => corners(4, 0.125),
        MarkerShape::Diamond => corners(4, 0.0),
        MarkerShape::Right => corners(3, 0.0),
        MarkerShape::Down => corners(3, 0.25),
        MarkerShape::Left => corners(3, 0.5),
        MarkerShape::Up => corners(3, 0.75),
    };
    painter.add(Shape::convex_polygon(polygon, fill, stroke));
}
