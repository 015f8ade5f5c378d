use super::PanelCx;
use super::time_axis::TimeAxis;
use super::value_scale::{ValueScale, bare_plot};
use crate::app::commands::Command;
use crate::app::theme::{font, size};
use crate::app::view_state::CurveKind;
use crate::app::widgets::label;
use crate::codecs::KeptKeys;
use crate::math::Transform;
use crate::metrics::ModelTrack;
use crate::model::{Channel, Clip, Rig};
use crate::session::JobResult;
use egui::{Align2, ComboBox, Rect, RichText, Stroke, Ui, UiBuilder, Vec2, pos2, vec2};
use egui_plot::{Line, MarkerShape, PlotBounds, PlotPoints, Points};

/// Curves of the selected joint: raw, decoded and the kept keys.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rect: Rect) {
    if rect.height() < 40.0 {
        return;
    }
    ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, cx.theme.weak));
    let area = axis.plot(rect).shrink2(vec2(0.0, 4.0));
    ui.painter().rect_filled(area, 0.0, cx.theme.well);
    let Some((rig, clip)) = cx.selected() else { return };
    let (Some(joint), Some(shown)) = (cx.view.selected_joint.filter(|j| *j < rig.skeleton.len()), cx.shown()) else {
        let text = "Select a joint in the tree or in a viewport to see its curves.";
        ui.painter().text(area.center(), Align2::CENTER_CENTER, text, font(size::SMALL), cx.theme.text3);
        return;
    };
    let kind = cx.view.settings.curve;
    let curves = Curves::of(rig, shown, joint, kind);
    gutter(ui, cx, rect, rig.skeleton.name(joint), kind, kept_count(shown, clip, joint, kind));
    let (low, high) = curves.range(cx.view.settings.curve_axes);
    if cx.is_stale() {
        ui.set_opacity(0.5);
    }
    plot(ui, cx, axis, area, &curves, (low, high));
    ui.set_opacity(1.0);
    ValueScale { low, high, unit: unit(kind) }.draw_ticks(ui, cx.theme, rect.right(), area);
    hover(ui, cx, axis, area, &curves, kind);
}

/// Up to four numbers a step, raw and decoded, and the samples at which keys are kept.
struct Curves {
    raw: [Vec<[f64; 2]>; 4],
    decoded: [Vec<[f64; 2]>; 4],
    /// Ascending samples; empty when every sample is kept.
    kept: Vec<u32>,
    sub_frames: usize,
}

impl Curves {
    fn of(rig: &Rig, shown: &JobResult, joint: usize, kind: CurveKind) -> Self {
        let bind = rig.skeleton.bind(joint);
        let lines = |track: &ModelTrack| {
            let mut out: [Vec<[f64; 2]>; 4] = Default::default();
            for step in 0..track.steps() {
                let sample = step as f64 / track.sub_frames() as f64;
                for (line, value) in out.iter_mut().zip(values(track.local(step, joint), bind, kind)) {
                    line.push([sample, value]);
                }
            }
            out
        };
        let kept = kept_keys(shown, joint, kind).map(|k| k.samples.clone()).unwrap_or_default();
        let raw = &shown.source.raw;
        Self { raw: lines(raw), decoded: lines(&shown.outcome.decoded), kept, sub_frames: raw.sub_frames() }
    }

    fn range(&self, axes: [bool; 3]) -> (f64, f64) {
        let seen = |lines: &[Vec<[f64; 2]>; 4]| {
            let shown = lines.iter().enumerate().filter(|(i, _)| is_shown(axes, *i));
            shown.flat_map(|(_, l)| l.iter().map(|p| p[1])).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (a, b) = (seen(&self.raw), seen(&self.decoded));
        let (low, high) = (a.0.min(b.0), a.1.max(b.1));
        if low > high {
            return (-1.0, 1.0);
        }
        let margin = ((high - low) * 0.12).max(0.05);
        (low - margin, high + margin)
    }
}

/// W of a quaternion is shown with any axis.
fn is_shown(axes: [bool; 3], line: usize) -> bool {
    axes.get(line).copied().unwrap_or(axes.iter().any(|a| *a))
}

fn values(local: Transform, bind: Transform, kind: CurveKind) -> Vec<f64> {
    let xyz = |v: glam::Vec3, factor: f32| v.to_array().map(|n| f64::from(n * factor)).to_vec();
    match kind {
        CurveKind::RotationDegrees => {
            let from_bind = bind.rotation.inverse() * local.rotation;
            let near = if from_bind.w < 0.0 { -from_bind } else { from_bind };
            xyz(near.to_scaled_axis(), 1f32.to_degrees())
        }
        CurveKind::RotationComponents => local.rotation.to_array().map(f64::from).to_vec(),
        CurveKind::Translation => xyz(local.translation, 100.0),
        CurveKind::Scale => xyz(local.scale, 1.0),
    }
}

fn channel(kind: CurveKind) -> Channel {
    match kind {
        CurveKind::RotationDegrees | CurveKind::RotationComponents => Channel::Rotation,
        CurveKind::Translation => Channel::Translation,
        CurveKind::Scale => Channel::Scale,
    }
}

fn kept_keys(shown: &JobResult, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let kept = &shown.outcome.encoded.kept;
    kept.iter().find(|k| usize::from(k.joint) == joint && k.channel == channel(kind))
}

/// How many samples are stored of how many: nothing for codecs that keep all or store the track as one value.
fn kept_count(shown: &JobResult, clip: &Clip, joint: usize, kind: CurveKind) -> Option<(usize, usize)> {
    Some((kept_keys(shown, joint, kind)?.samples.len(), clip.samples()))
}

fn gutter(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect, name: &str, kind: CurveKind, kept: Option<(usize, usize)>) {
    let width = if cx.narrow { 84.0 } else { 130.0 };
    let area = Rect::from_min_size(rect.min + vec2(12.0, 6.0), vec2(width, rect.height() - 8.0));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 3.0);
        ui.set_clip_rect(area.intersect(ui.clip_rect()));
        label(ui, name, size::BODY, cx.theme.text1);
        choose_kind(ui, cx, kind, width);
        ui.horizontal(|ui| {
            for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                axis_toggle(ui, cx, axis, name);
            }
        });
        for (color, text) in [(cx.theme.original, "raw"), (cx.theme.compressed, "decoded")] {
            let (row, _) = ui.allocate_exact_size(vec2(width, 13.0), egui::Sense::hover());
            ui.painter().hline(row.left()..=row.left() + 12.0, row.center().y, Stroke::new(1.8, color));
            let at = row.left_center() + vec2(17.0, 0.0);
            ui.painter().text(at, Align2::LEFT_CENTER, text, font(size::TICK), cx.theme.text2);
        }
        if let Some((kept, all)) = kept {
            let help = format!("{kept} of {all} samples are stored. The rest is the curve through them.");
            label(ui, format!("kept keys {kept} / {all}"), size::TICK, cx.theme.accent).on_hover_text(help);
        }
    });
}

fn choose_kind(ui: &mut Ui, cx: &mut PanelCx<'_>, kind: CurveKind, width: f32) {
    let names = [
        (CurveKind::RotationDegrees, "degrees from bind"),
        (CurveKind::RotationComponents, "quaternion"),
        (CurveKind::Translation, "translation, cm"),
        (CurveKind::Scale, "scale"),
    ];
    let name = names.iter().find(|n| n.0 == kind).map_or("", |n| n.1);
    let combo = ComboBox::from_id_salt("curve kind")
        .width(width)
        .selected_text(RichText::new(name).size(size::TICK))
        .truncate();
    let response = combo.show_ui(ui, |ui| {
        for (value, name) in names {
            if ui.selectable_label(kind == value, name).clicked() {
                cx.push(Command::SetCurve(value));
            }
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Curve"));
}

fn axis_toggle(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: usize, name: &str) {
    let on = cx.view.settings.curve_axes[axis];
    let color = if on { cx.theme.axes[axis] } else { cx.theme.text3 };
    let button = egui::Button::new(RichText::new(name).size(size::TICK).color(color))
        .min_size(Vec2::new(22.0, 18.0))
        .selected(on);
    let response = ui.add(button).on_hover_text(format!("Show {name}."));
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, on, format!("Curve {name}")));
    if response.clicked() {
        cx.push(Command::ToggleCurveAxis(axis));
    }
}

fn plot(ui: &mut Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect, curves: &Curves, (low, high): (f64, f64)) {
    let theme = cx.theme;
    let axes = cx.view.settings.curve_axes;
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        bare_plot("curves", area).show(ui, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([axis.first, low], [axis.last, high]));
            for line in (0..4).filter(|i| is_shown(axes, *i) && !curves.raw[*i].is_empty()) {
                let points = |values: &[[f64; 2]]| PlotPoints::from(values.to_vec());
                plot.line(Line::new("decoded", points(&curves.decoded[line])).color(theme.compressed).width(2.0));
                plot.line(Line::new("raw", points(&curves.raw[line])).color(theme.original).width(1.4));
                let key = |sample: &u32| curves.decoded[line].get(*sample as usize * curves.sub_frames).copied();
                let keys: Vec<[f64; 2]> = curves.kept.iter().filter_map(key).collect();
                let markers = Points::new("kept keys", keys).shape(MarkerShape::Diamond);
                plot.points(markers.radius(3.5).color(theme.accent).filled(true));
            }
        });
    });
}

fn unit(kind: CurveKind) -> &'static str {
    match kind {
        CurveKind::RotationDegrees => "°",
        CurveKind::Translation => " cm",
        CurveKind::RotationComponents | CurveKind::Scale => "",
    }
}

/// Both values and their difference at the pointer, for the curve that is nearest.
fn hover(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect, curves: &Curves, kind: CurveKind) {
    let Some(pointer) = ui.ctx().pointer_hover_pos().filter(|p| area.contains(*p)) else { return };
    let step = (axis.sample_at(pointer.x) * curves.sub_frames as f64).round() as usize;
    let axes = cx.view.settings.curve_axes;
    let mut lines = Vec::new();
    for (line, name) in ["X", "Y", "Z", "W"].into_iter().enumerate().filter(|(i, _)| is_shown(axes, *i)) {
        let (Some(raw), Some(decoded)) = (curves.raw[line].get(step), curves.decoded[line].get(step)) else { continue };
        let unit = unit(kind);
        let difference = decoded[1] - raw[1];
        lines.push(format!("{name}  {:.3}{unit}  {:.3}{unit}  {difference:+.4}{unit}", raw[1], decoded[1]));
    }
    let sample = step as f64 / curves.sub_frames as f64;
    let text = format!("{}: raw, decoded, difference\n{}", crate::text::frame(sample), lines.join("\n"));
    let galley = ui.painter().layout_no_wrap(text, font(size::TICK), cx.theme.text1);
    let flip = pointer.x > area.center().x;
    let x = if flip { pointer.x - galley.size().x - 24.0 } else { pointer.x + 14.0 };
    let card = Rect::from_min_size(pos2(x, area.top() + 4.0), galley.size() + vec2(12.0, 8.0));
    ui.painter().rect_filled(card, 4.0, cx.theme.head);
    ui.painter().galley(card.min + vec2(6.0, 4.0), galley, cx.theme.text1);
}
