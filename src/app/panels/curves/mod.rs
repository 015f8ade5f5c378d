//! Curves of the selected joint over the shared time axis.

mod gutter;
mod lines;
mod rates;
mod replay;

use super::PanelCx;
use super::time_axis::TimeAxis;
use super::value_scale::{ValueScale, bare_plot};
use crate::settings::CurveKind;
use crate::theme::{font, size};
use egui::{Align2, Rect, Stroke, Ui, UiBuilder, pos2, vec2};
use egui_plot::{Line, LineStyle, MarkerShape, PlotBounds, PlotPoints, Points};
use gutter::Facts;
use lines::{Choice, JointCurves, LINES, is_shown, kept_keys};
use posepress_core::model::Rig;
use replay::Insertions;
pub use replay::wanted as wanted_fit;

/// Curves of the selected joint: raw, decoded, the kept keys and bit rates.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rect: Rect) {
    if rect.height() < 40.0 {
        return;
    }
    ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, cx.theme.weak));
    let area = axis.plot(rect).shrink2(vec2(0.0, 4.0));
    ui.painter().rect_filled(area, 0.0, cx.theme.well);
    let Some((rig, clip)) = cx.selected() else { return };
    let (Some(joint), Some(shown)) = (cx.view.selection.joint.filter(|j| *j < rig.skeleton.len()), cx.shown()) else {
        let text = "Select a joint in the tree or in a viewport to see its curves.";
        ui.painter().text(area.center(), Align2::CENTER_CENTER, text, font(size::SMALL), cx.theme.text3);
        return;
    };
    let settings = &cx.view.settings;
    let choice = Choice { kind: settings.curve, residual: settings.curve_residual, first_float: settings.first_float };
    let kept = kept_keys(shown, joint, choice.kind).map(|k| (k.samples.len(), clip.samples()));
    let insertions = Insertions::of(cx.view, shown, joint);
    let fitted = insertions.filter(|i| !i.is_whole()).and(cx.workspace.fit());
    let facts = Facts { name: rig.skeleton.name(joint), kept, insertions, float_tracks: clip.float_tracks() };
    gutter::show(ui, cx, rect, choice, &facts);
    let rates = rates::of_track(shown, joint, choice.kind);
    let plots = if rates.is_empty() { area } else { area.with_max_y(area.bottom() - rates::BAND) };
    let compared = cx.view.selection.compared.iter().copied().filter(|j| *j != joint && *j < rig.skeleton.len());
    let joints: Vec<usize> = std::iter::once(joint).chain(compared.take(cx.theme.compared.len())).collect();
    let curves: Vec<_> =
        joints.iter().map(|j| JointCurves::of(rig, shown, axis, *j, choice, fitted.filter(|_| *j == joint))).collect();
    let (low, high) = value_range(&curves, cx.view.settings.curve_axes, choice);
    ValueScale { low, high, unit: unit(choice.kind) }.draw_ticks(ui, cx.theme, plots);
    if cx.is_stale() {
        ui.set_opacity(0.5);
    }
    if !rates.is_empty() {
        rates::show(ui, cx, axis, area, &rates);
    }
    plot(ui, cx, axis, plots, &curves, (low, high), choice);
    ui.set_opacity(1.0);
    compared_legend(ui, cx, rig, plots, &joints[1..]);
    hover(ui, cx, rig, axis, plots, &curves[0], choice);
}

/// From the bottom to the top of the plot, with a margin.
fn value_range(curves: &[JointCurves], axes: [bool; 3], choice: Choice) -> (f64, f64) {
    let ranges = curves.iter().filter_map(|c| c.range(axes, choice));
    let Some((low, high)) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return (-1.0, 1.0) };
    let least = if choice.residual { 1e-6 } else { 0.05 };
    let margin = ((high - low) * 0.12).max(least);
    (low - margin, high + margin)
}

fn plot(
    ui: &mut Ui,
    cx: &PanelCx<'_>,
    axis: &TimeAxis,
    area: Rect,
    curves: &[JointCurves],
    (low, high): (f64, f64),
    choice: Choice,
) {
    let theme = cx.theme;
    let axes = cx.view.settings.curve_axes;
    let points = |values: &[[f64; 2]]| PlotPoints::from(values.to_vec());
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        bare_plot("curves", area).show(ui, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([axis.first, low], [axis.last, high]));
            let lines = || (0..LINES).filter(|i| is_shown(axes, choice.kind, *i));
            for (other, color) in curves[1..].iter().zip(cx.theme.compared) {
                for line in lines() {
                    plot.line(Line::new("decoded", points(&other.decoded[line])).color(color).width(1.4));
                    if !choice.residual {
                        let raw = Line::new("raw", points(&other.raw[line])).color(color).width(1.0);
                        plot.line(raw.style(LineStyle::Dashed { length: 5.0 }));
                    }
                }
            }
            for line in lines() {
                let curves = &curves[0];
                plot.line(Line::new("decoded", points(&curves.decoded[line])).color(theme.compressed).width(2.0));
                if !choice.residual {
                    plot.line(Line::new("raw", points(&curves.raw[line])).color(theme.original).width(1.4));
                }
                let markers = Points::new("kept keys", points(&curves.keys[line])).shape(MarkerShape::Diamond);
                plot.points(markers.radius(3.5).color(theme.accent).filled(true));
            }
        });
    });
}

fn compared_legend(ui: &Ui, cx: &PanelCx<'_>, rig: &Rig, area: Rect, joints: &[usize]) {
    let mut x = area.left() + 8.0;
    for (joint, color) in joints.iter().zip(cx.theme.compared) {
        let y = area.top() + 9.0;
        ui.painter().hline(x..=x + 12.0, y, Stroke::new(1.8, color));
        let name = rig.skeleton.name(*joint);
        let end = ui.painter().text(pos2(x + 16.0, y), Align2::LEFT_CENTER, name, font(size::TICK), cx.theme.text2);
        x = end.right() + 12.0;
    }
}

fn unit(kind: CurveKind) -> &'static str {
    match kind {
        CurveKind::RotationDegrees | CurveKind::RotationEuler => "°",
        CurveKind::Translation => " cm",
        CurveKind::RotationComponents | CurveKind::Scale | CurveKind::Floats => "",
    }
}

/// Both values and their difference at the pointer.
fn hover(ui: &Ui, cx: &PanelCx<'_>, rig: &Rig, axis: &TimeAxis, area: Rect, curves: &JointCurves, choice: Choice) {
    let Some(pointer) = ui.ctx().pointer_hover_pos().filter(|p| area.contains(*p)) else { return };
    let sample = axis.sample_at(pointer.x);
    let near =
        |line: &[[f64; 2]]| line.iter().copied().min_by(|a, b| (a[0] - sample).abs().total_cmp(&(b[0] - sample).abs()));
    let mut lines = Vec::new();
    let mut at = sample;
    for (line, axis_name) in ["X", "Y", "Z", "W"].into_iter().enumerate() {
        if !is_shown(cx.view.settings.curve_axes, choice.kind, line) {
            continue;
        }
        let (Some(raw), Some(decoded)) = (near(&curves.raw[line]), near(&curves.decoded[line])) else { continue };
        at = raw[0];
        let name = match choice.kind {
            CurveKind::Floats => rig.float_names.get(choice.first_float + line).map_or("", String::as_str),
            _ => axis_name,
        };
        let value = if choice.residual { raw[1] + decoded[1] } else { decoded[1] };
        let unit = unit(choice.kind);
        lines.push(format!("{name}  {:.3}{unit}  {value:.3}{unit}  {:+.4}{unit}", raw[1], value - raw[1]));
    }
    let text = format!("{}: raw, decoded, difference\n{}", posepress_core::text::frame(at), lines.join("\n"));
    let galley = ui.painter().layout_no_wrap(text, font(size::TICK), cx.theme.text1);
    let flip = pointer.x > area.center().x;
    let x = if flip { pointer.x - galley.size().x - 24.0 } else { pointer.x + 14.0 };
    let card = Rect::from_min_size(pos2(x, area.top() + 4.0), galley.size() + vec2(12.0, 8.0));
    ui.painter().rect_filled(card, 4.0, cx.theme.head);
    ui.painter().galley(card.min + vec2(6.0, 4.0), galley, cx.theme.text1);
}
