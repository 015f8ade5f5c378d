//! Curves of the selected joint over the shared time axis.

mod gutter;
mod lines;
mod names;
mod rates;
mod replay;
mod zoom;

use super::PanelCx;
use super::time_axis::TimeAxis;
use super::value_scale::{ValueScale, bare_plot};
use crate::state::CurveKind;
use crate::state::{Insertions, kept_keys};
use crate::theme::{Theme, font, size};
use egui::text::LayoutJob;
use egui::{Align2, Color32, Rect, Response, Stroke, TextFormat, Ui, UiBuilder, pos2, vec2};
use egui_plot::{Line, LineStyle, MarkerShape, PlotBounds, PlotPoints, PlotUi, Points};
use gutter::Facts;
use lines::{Choice, JointCurves, LINES, Point, is_shown};
use posepress_core::model::Rig;

/// Share of the original's colour in a raw line. The rest is the colour of its axis.
const RAW_NEUTRAL: f32 = 0.55;

/// Opacity of faint curves.
const GHOST_OPACITY: f32 = 0.35;

/// Opacity of the ground of names over curves.
const LEGEND_OPACITY: f32 = 0.85;

/// Opacity of the handles of keys.
const HANDLE_OPACITY: f32 = 0.7;
/// Least width of both handles of a key that are drawn, points.
const LEAST_HANDLES: f32 = 14.0;

/// Curves of the selected joint: raw, decoded, kept keys and bit rates. Returns true while a zoom box is drawn.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rect: Rect, scrub: &Response) -> bool {
    if rect.height() < 40.0 {
        return false;
    }
    ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, cx.theme.weak));
    let area = axis.plot(rect).shrink2(vec2(0.0, 4.0));
    ui.painter().rect_filled(area, 0.0, cx.theme.well);
    let Some((rig, clip)) = cx.selected() else { return false };
    let (Some(joint), Some(shown)) = (cx.view.selection.joint.filter(|j| *j < rig.skeleton.len()), cx.shown()) else {
        let text = "Select a joint in the tree or in a viewport to see its curves.";
        ui.painter().text(area.center(), Align2::CENTER_CENTER, text, font(size::SMALL), cx.theme.text3);
        return false;
    };
    let settings = &cx.view.settings;
    let choice = Choice { kind: settings.curve, residual: settings.curve_residual, first_float: settings.first_float };
    let kept = kept_keys(shown, joint, choice.kind).map(|k| (k.samples.len(), clip.samples()));
    let insertions = Insertions::of(cx.view, shown, joint);
    let fitted = insertions.filter(|i| !i.is_whole()).and(cx.workspace.fit());
    let facts = Facts { name: rig.skeleton.name(joint), kept, insertions, float_tracks: clip.float_tracks() };
    let rates = rates::of_track(shown, joint, choice.kind);
    let band = if rates.is_empty() { 0.0 } else { rates::BAND };
    let plots = area.with_max_y(area.bottom() - band);
    gutter::show(ui, cx, rect.with_max_y(rect.bottom() - band), choice, &facts);
    let compared = cx.view.selection.compared.iter().copied().filter(|j| *j != joint && *j < rig.skeleton.len());
    let joints: Vec<usize> = std::iter::once(joint).chain(compared.take(cx.theme.compared.len())).collect();
    let curves: Vec<_> =
        joints.iter().map(|j| JointCurves::of(rig, shown, axis, *j, choice, fitted.filter(|_| *j == joint))).collect();
    let ghost = cx.ghost().map(|(sides, _)| JointCurves::of(rig, sides, axis, joint, choice, None));
    let all = value_range(curves.iter().chain(&ghost), cx.view.settings.curve_axes, choice);
    let values = cx.view.selection.curve_zoom.map_or(all, |zoom| zoom.values);
    ValueScale { low: values[0], high: values[1], limit: None, unit: unit(choice.kind) }
        .draw_ticks(ui, cx.theme, plots);
    if cx.is_stale() {
        ui.set_opacity(0.5);
    }
    if !rates.is_empty() {
        let band = rect.with_min_y(plots.bottom()).with_max_y(area.bottom());
        rates::show(ui, cx, axis, band, rect.left() + 12.0, &rates);
    }
    plot(ui, cx, axis, plots, (&curves, ghost.as_ref()), values, choice);
    let colors = colors(cx, choice);
    names::show(ui, cx.theme, rig, axis, plots, &curves[0], colors, choice, values);
    ui.set_opacity(1.0);
    compared_legend(ui, cx, rig, plots, &joints[1..]);
    hover(ui, cx, rig, axis, plots, &curves[0], choice);
    zoom::handle(ui, cx, axis, plots, scrub, values)
}

/// Colours of the lines; `None` for hidden ones.
fn colors(cx: &PanelCx<'_>, choice: Choice) -> [Option<Color32>; LINES] {
    let axes = cx.view.settings.curve_axes;
    let colors = cx.theme.numbers();
    std::array::from_fn(|line| is_shown(axes, choice.kind, line).then_some(colors[line]))
}

/// Colour of a raw line: the original's colour mixed with that of its axis.
fn raw_color(theme: &Theme, axis: Color32) -> Color32 {
    axis.lerp_to_gamma(theme.original, RAW_NEUTRAL)
}

/// Values at the bottom and top of the plot, with a margin.
fn value_range<'a>(curves: impl Iterator<Item = &'a JointCurves>, axes: [bool; 3], choice: Choice) -> [f64; 2] {
    let ranges = curves.filter_map(|c| c.range(axes, choice));
    let Some((low, high)) = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return [-1.0, 1.0] };
    let least = if choice.residual { 1e-6 } else { 0.05 };
    let margin = ((high - low) * 0.12).max(least);
    [low - margin, high + margin]
}

fn plot(
    ui: &mut Ui,
    cx: &PanelCx<'_>,
    axis: &TimeAxis,
    area: Rect,
    (curves, ghost): (&[JointCurves], Option<&JointCurves>),
    [low, high]: [f64; 2],
    choice: Choice,
) {
    let theme = cx.theme;
    let colors = colors(cx, choice);
    let points = |values: &[[f64; 2]]| PlotPoints::from(values.to_vec());
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        bare_plot("curves", area).show(ui, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([axis.first, low], [axis.last, high]));
            let lines = || colors.iter().enumerate().filter_map(|(line, color)| Some((line, (*color)?)));
            for (other, color) in curves[1..].iter().zip(cx.theme.compared) {
                for (line, _) in lines() {
                    plot.line(Line::new("decoded", points(&other.decoded[line])).color(color).width(1.4));
                    if !choice.residual {
                        let raw = Line::new("raw", points(&other.raw[line])).color(color).width(1.0);
                        plot.line(raw.style(LineStyle::Dashed { length: 5.0 }));
                    }
                }
            }
            for (line, color) in ghost.iter().flat_map(|_| lines()) {
                let before = ghost.map_or(&[][..], |ghost| &ghost.decoded[line]);
                plot.line(Line::new("before", points(before)).color(color.gamma_multiply(GHOST_OPACITY)).width(2.0));
            }
            for (line, color) in lines() {
                let curves = &curves[0];
                plot.line(Line::new("decoded", points(&curves.decoded[line])).color(color).width(2.0));
                if !choice.residual {
                    plot.line(Line::new("raw", points(&curves.raw[line])).color(raw_color(theme, color)).width(1.2));
                }
                if !choice.residual {
                    handles(plot, axis, &curves.handles[line], color);
                }
                let markers = Points::new("kept keys", points(&curves.keys[line])).shape(MarkerShape::Diamond);
                plot.points(markers.radius(3.5).color(theme.accent).filled(true));
            }
        });
    });
}

/// Handles of keys, where they have room.
fn handles(plot: &mut PlotUi<'_>, axis: &TimeAxis, handles: &[[Point; 3]], color: Color32) {
    let has_room = |[before, _, after]: &&[Point; 3]| axis.x_of(after[0]) - axis.x_of(before[0]) > LEAST_HANDLES;
    for [before, key, after] in handles.iter().filter(has_room) {
        let line = PlotPoints::from(vec![*before, *key, *after]);
        plot.line(Line::new("handles", line).color(color.gamma_multiply(HANDLE_OPACITY)).width(1.0));
        let ends = Points::new("handles", PlotPoints::from(vec![*before, *after]));
        plot.points(ends.radius(2.0).color(color.gamma_multiply(HANDLE_OPACITY)).filled(true));
    }
}

fn compared_legend(ui: &Ui, cx: &PanelCx<'_>, rig: &Rig, area: Rect, joints: &[usize]) {
    let mut x = area.left() + 8.0;
    for (joint, color) in joints.iter().zip(cx.theme.compared) {
        let y = area.top() + 9.0;
        let name = ui.painter().layout_no_wrap(rig.skeleton.name(*joint).to_owned(), font(size::TICK), cx.theme.text2);
        let place = Align2::LEFT_CENTER.anchor_size(pos2(x + 16.0, y), name.size());
        // Curves lie below it.
        let under = place.with_min_x(x).expand2(vec2(4.0, 1.0));
        ui.painter().rect_filled(under, 3.0, cx.theme.well.gamma_multiply(LEGEND_OPACITY));
        ui.painter().hline(x..=x + 12.0, y, Stroke::new(1.8, color));
        ui.painter().galley(place.min, name, cx.theme.text2);
        x = place.right() + 12.0;
    }
}

fn unit(kind: CurveKind) -> &'static str {
    match kind {
        CurveKind::RotationDegrees | CurveKind::RotationEuler => "°",
        CurveKind::Translation => " cm",
        CurveKind::RotationComponents | CurveKind::Scale | CurveKind::Floats => "",
    }
}

/// Shows both values and their difference at the pointer.
fn hover(ui: &Ui, cx: &PanelCx<'_>, rig: &Rig, axis: &TimeAxis, area: Rect, curves: &JointCurves, choice: Choice) {
    let Some(pointer) = ui.ctx().pointer_hover_pos().filter(|p| area.contains(*p)) else { return };
    let sample = axis.sample_at(pointer.x);
    let near =
        |line: &[[f64; 2]]| line.iter().copied().min_by(|a, b| (a[0] - sample).abs().total_cmp(&(b[0] - sample).abs()));
    let mut lines = Vec::new();
    let mut at = sample;
    for line in 0..LINES {
        if !is_shown(cx.view.settings.curve_axes, choice.kind, line) {
            continue;
        }
        let (Some(raw), Some(decoded)) = (near(&curves.raw[line]), near(&curves.decoded[line])) else { continue };
        at = raw[0];
        let name = names::of_line(rig, choice, line);
        let value = if choice.residual { raw[1] + decoded[1] } else { decoded[1] };
        let unit = unit(choice.kind);
        lines.push(format!("{name}  {:.3}{unit}  {value:.3}{unit}  {:+.4}{unit}", raw[1], value - raw[1]));
    }
    let mut job = LayoutJob::default();
    let text = format!("{}: raw, decoded, difference\n{}\n", cx.frame_numbers().frame(at), lines.join("\n"));
    job.append(&text, 0.0, TextFormat::simple(font(size::TICK), cx.theme.text1));
    job.append(&zoom::help(ui.ctx()), 0.0, TextFormat::simple(font(size::TICK), cx.theme.text3));
    let galley = ui.painter().layout_job(job);
    let flip = pointer.x > area.center().x;
    let x = if flip { pointer.x - galley.size().x - 24.0 } else { pointer.x + 14.0 };
    let card = Rect::from_min_size(pos2(x, area.top() + 4.0), galley.size() + vec2(12.0, 8.0));
    ui.painter().rect_filled(card, 4.0, cx.theme.head);
    ui.painter().galley(card.min + vec2(6.0, 4.0), galley, cx.theme.text1);
}
