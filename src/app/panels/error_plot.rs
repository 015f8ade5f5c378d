use super::PanelCx;
use super::time_axis::TimeAxis;
use super::value_scale::{ValueScale, bare_plot};
use crate::theme::{font, size};
use crate::widgets::label;
use egui::{Align2, Painter, Pos2, Rect, Shape, Stroke, Ui, UiBuilder, pos2, vec2};
use egui_plot::{HLine, Line, LineStyle, PlotBounds, PlotPoints};
use posepress_core::metrics::{Complaint, ErrorReport, peak_steps};
use posepress_core::model::Rig;
use posepress_core::report::worst_moment;
use posepress_core::text;
use std::sync::Arc;

/// Space above the largest value for the legend and the label of the worst frame, points.
const HEADROOM: f32 = 34.0;
/// Vertical centre of the text below the legend.
const BELOW_LEGEND: f32 = 25.0;

/// Error over time: skinned vertices, shell, tolerance. The part over the tolerance is filled.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rect: Rect) {
    if rect.height() < 24.0 {
        return;
    }
    let area = axis.plot(rect).shrink2(vec2(0.0, 2.0));
    ui.painter().rect_filled(area, 0.0, cx.theme.well);
    let Some(report) = cx.report() else {
        return gutter(ui, cx, rect, None);
    };
    let curves = Curves::of(report, cx.view.settings.between_samples, cx.view.selection.joint);
    let scale = scale(&curves, report);
    let lines = area.with_min_y(area.top() + HEADROOM.min(area.height() * 0.6));
    gutter(ui, cx, rect, scale.split());
    scale.draw_ticks(ui, cx.theme, lines);
    if cx.is_stale() {
        ui.set_opacity(0.5);
    }
    plot(ui, cx, axis, lines, &curves, scale);
    ui.set_opacity(1.0);
    legend(ui, cx, area, report);
    peaks(ui, cx, axis, (area, lines), &curves, scale, report);
}

fn scale(curves: &Curves, report: &ErrorReport) -> ValueScale {
    let tolerance_mm = text::millimetres(report.tolerance_m);
    let high = curves.max_mm().max(tolerance_mm).max(1e-6);
    ValueScale { low: 0.0, high, limit: Some(tolerance_mm), unit: " mm" }
}

/// The lines of the plot: (sample, millimetres).
struct Curves {
    shell: Vec<[f64; 2]>,
    vertex: Vec<[f64; 2]>,
    /// Shell error that 99 % of the joints do not exceed.
    p99: Vec<[f64; 2]>,
    /// Shell error of the selected joint.
    joint: Vec<[f64; 2]>,
}

impl Curves {
    fn of(report: &ErrorReport, between: bool, joint: Option<usize>) -> Self {
        let per_sample = report.sub_frames.max(1);
        let stride = if between { 1 } else { per_sample };
        let point = |step: usize, error_m: f32| [step as f64 / per_sample as f64, f64::from(error_m) * 1000.0];
        let line = |errors_m: &mut dyn Iterator<Item = f32>| {
            errors_m.enumerate().step_by(stride).map(|(i, e)| point(i, e)).collect::<Vec<_>>()
        };
        let shell = line(&mut report.per_step.iter().copied());
        let p99 = line(&mut report.per_step_p99.iter().copied());
        let joint = joint.map_or(Vec::new(), |j| line(&mut report.shell.joint(j)));
        let vertex = report
            .vertex
            .as_ref()
            .map_or(Vec::new(), |v| v.per_step.iter().enumerate().map(|(i, e)| point(i * v.stride, *e)).collect());
        Self { shell, vertex, p99, joint }
    }

    fn max_mm(&self) -> f64 {
        self.shell.iter().chain(&self.vertex).map(|p| p[1]).fold(0.0, f64::max)
    }

    /// The skinned error if it was measured, else the shell error.
    fn upper(&self) -> &[[f64; 2]] {
        if self.vertex.is_empty() { &self.shell } else { &self.vertex }
    }
}

fn gutter(ui: &mut Ui, cx: &PanelCx<'_>, rect: Rect, split_mm: Option<f64>) {
    let area = Rect::from_min_max(rect.min + vec2(12.0, 8.0), pos2(rect.left() + 140.0, rect.bottom()));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        label(ui, "Error", size::BODY, cx.theme.text1);
        label(ui, "max over joints", size::TICK, cx.theme.text3);
        if let Some(report) = cx.report().filter(|_| cx.shows_all()) {
            let steps = if cx.view.settings.between_samples { report.sub_frames } else { 1 };
            label(ui, format!("{steps} per sample"), size::TICK, cx.theme.text3);
        }
        if split_mm.is_some() {
            let help =
                "The scale is linear up to the tolerance and logarithmic above it, like the colours of the heat map.";
            label(ui, "log above tol.", size::TICK, cx.theme.text3).on_hover_text(help);
        }
    });
}

fn plot(ui: &mut Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect, curves: &Curves, scale: ValueScale) {
    let theme = cx.theme;
    let placed = |points: &[[f64; 2]]| points.iter().map(|p| [p[0], scale.place(p[1])]).collect::<Vec<_>>();
    let tolerance = scale.limit.map_or(0.0, |limit| scale.place(limit));
    let over = over_tolerance(&placed(curves.upper()), tolerance);
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        bare_plot("error", area).show(ui, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([axis.first, 0.0], [axis.last, 1.0]));
            for piece in over {
                let fill = Line::new("over tolerance", piece).fill(tolerance as f32).fill_alpha(0.28);
                plot.line(fill.color(theme.fail).width(0.0));
            }
            let line = |name: &str, points: &[[f64; 2]]| Line::new(name.to_owned(), PlotPoints::from(placed(points)));
            if cx.shows_all() {
                plot.line(line("99 % of joints", &curves.p99).color(theme.shell.gamma_multiply(0.6)).width(1.0));
            }
            plot.line(line("selected joint", &curves.joint).color(theme.accent).width(1.2));
            plot.line(line("shell", &curves.shell).color(theme.shell).width(1.5));
            plot.line(line("skinned vertex", &curves.vertex).color(theme.compressed).width(1.8));
            let dashes = LineStyle::Dashed { length: 6.0 };
            plot.hline(HLine::new("tolerance", tolerance).color(theme.text1).style(dashes).width(1.0));
        });
    });
}

/// Pieces of a line that lie above the tolerance, cut exactly where they cross it.
fn over_tolerance(points: &[[f64; 2]], tolerance: f64) -> Vec<PlotPoints<'static>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let crossing = || {
            let t = (tolerance - a[1]) / (b[1] - a[1]);
            [a[0] + (b[0] - a[0]) * t, tolerance]
        };
        if a[1] > tolerance && !open {
            pieces.push(vec![a]);
            open = true;
        } else if a[1] <= tolerance && b[1] > tolerance {
            pieces.push(vec![crossing()]);
            open = true;
        }
        if let Some(piece) = pieces.last_mut().filter(|_| open) {
            if b[1] > tolerance {
                piece.push(b);
            } else {
                piece.push(crossing());
                open = false;
            }
        }
    }
    pieces.into_iter().map(PlotPoints::from).collect()
}

fn legend(ui: &Ui, cx: &PanelCx<'_>, area: Rect, report: &ErrorReport) {
    let theme = cx.theme;
    let recipe = cx.workspace.active_recipe();
    let from = if recipe.shell_from_mesh { "from " } else { "" };
    let shell = match cx.shows_all() {
        true => format!("shell {from}{}", text::length(recipe.shell_m)),
        false => "shell".to_owned(),
    };
    let of_mean = if report.mean.is_some() { " of the mean" } else { "" };
    let tolerance = match cx.shows_all() {
        true => format!("tolerance{of_mean} {}", text::length(report.tolerance_m)),
        false => format!("tolerance{of_mean}"), // its number is at the axis
    };
    let mut entries = vec![(theme.shell, shell), (theme.text1, tolerance)];
    if cx.shows_all() {
        entries.insert(1, (theme.shell.gamma_multiply(0.6), "99 % of joints".to_owned()));
    }
    let selected = cx.selected().zip(cx.view.selection.joint);
    if let Some(((rig, _), joint)) = selected.filter(|((rig, _), joint)| *joint < rig.skeleton.len()) {
        entries.insert(entries.len() - 1, (theme.accent, rig.skeleton.name(joint).to_owned()));
    }
    if report.vertex.is_some() {
        entries.insert(0, (theme.compressed, "skinned vertex".to_owned()));
    }
    let mut x = area.left() + 8.0;
    let y = area.top() + 10.0;
    for (color, text) in entries {
        let galley = ui.painter().layout_no_wrap(text, font(size::TICK), theme.text2);
        let end = x + 19.0 + galley.size().x;
        if end > area.right() {
            break;
        }
        ui.painter().hline(x..=x + 14.0, y, Stroke::new(1.8, color));
        ui.painter().galley(pos2(x + 19.0, y - galley.size().y / 2.0), galley, theme.text2);
        x = end + 14.0;
    }
}

fn peaks(
    ui: &Ui,
    cx: &PanelCx<'_>,
    axis: &TimeAxis,
    (area, lines): (Rect, Rect),
    curves: &Curves,
    scale: ValueScale,
    report: &ErrorReport,
) {
    let points = curves.upper();
    let values: Vec<f32> = points.iter().map(|p| p[1] as f32).collect();
    let painter = ui.painter().with_clip_rect(area.expand2(vec2(0.0, 2.0)));
    let worst = values.iter().copied().fold(0.0, f32::max);
    let mut named = None;
    for step in peak_steps(&values) {
        let [sample, mm] = points[step];
        let at = pos2(axis.x_of(sample), scale.y_of(lines, mm) - 4.0);
        let is_worst = values[step] == worst;
        let color = if is_worst { cx.theme.fail } else { cx.theme.text3 };
        let marker = vec![at + vec2(-3.5, -6.0), at + vec2(3.5, -6.0), at];
        painter.add(Shape::convex_polygon(marker, color, Stroke::NONE));
        if is_worst {
            named = Some(at);
        }
    }
    if let Some(at) = named {
        let text = format!("{} {}, worst frame", text::length(worst / 1000.0), worst_joint(cx, report));
        name_worst(&painter, cx, area, at, text);
    }
}

/// Writes the label of the worst peak below the legend, with a background that covers lines and other peaks.
fn name_worst(painter: &Painter, cx: &PanelCx<'_>, area: Rect, at: Pos2, text: String) {
    let galley = painter.layout_no_wrap(text, font(size::TICK), cx.theme.text2);
    let flip = at.x + galley.size().x + 12.0 > area.right();
    let (align, dx) = if flip { (Align2::RIGHT_CENTER, -8.0) } else { (Align2::LEFT_CENTER, 8.0) };
    let y = (at.y - 4.0).max(area.top() + BELOW_LEGEND);
    let words = align.anchor_size(pos2(at.x + dx, y), galley.size());
    painter.rect_filled(words.expand2(vec2(3.0, 1.0)), 2.0, cx.theme.well);
    painter.galley(words.min, galley, cx.theme.text2);
}

fn worst_joint(cx: &PanelCx<'_>, report: &ErrorReport) -> String {
    let joint = worst_moment(report).and_then(Complaint::moment).map(|(joint, _)| joint);
    let name =
        |(rig, _): (&Arc<Rig>, _)| Some(rig.skeleton.name(joint.filter(|j| *j < rig.skeleton.len())?).to_owned());
    cx.selected().and_then(name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_begin_and_end_on_the_tolerance() {
        let points = [[0.0, 0.0], [1.0, 2.0], [2.0, 0.0], [3.0, 0.5], [4.0, 3.0]];
        let pieces = over_tolerance(&points, 1.0);
        assert_eq!(pieces.len(), 2);
        let first: Vec<_> = pieces[0].points().iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(first, [(0.5, 1.0), (1.0, 2.0), (1.5, 1.0)]);
        assert_eq!(pieces[1].points().len(), 2);
    }
}
