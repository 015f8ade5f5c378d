use super::GHOST_OPACITY;
use super::lines::Choice;
use super::replay;
use crate::actions::list;
use crate::commands::CurveCommand;
use crate::panels::PanelCx;
use crate::render::Side;
use crate::state::CurveKind;
use crate::state::Insertions;
use crate::theme::{font, size};
use crate::widgets::label;
use egui::{Align2, Color32, ComboBox, DragValue, Rect, RichText, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, vec2};

/// Contents of the area left of the plot.
pub struct Facts<'a> {
    /// Selected joint.
    pub name: &'a str,
    /// Numbers of kept keys and of samples; `None` for codecs that keep all samples, and for tracks stored as one
    /// value.
    pub kept: Option<(usize, usize)>,
    /// Controls to replay a fit.
    pub insertions: Option<Insertions>,
    /// Float tracks of the clip.
    pub float_tracks: usize,
}

/// The area left of the plot: joint, kind, axes, legend.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect, choice: Choice, facts: &Facts<'_>) {
    let width = if cx.narrow { 84.0 } else { 130.0 };
    let area = Rect::from_min_size(rect.min + vec2(12.0, 6.0), vec2(width, rect.height() - 8.0));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 3.0);
        ui.set_clip_rect(area.intersect(ui.clip_rect()));
        label(ui, facts.name, size::BODY, cx.theme.text1);
        choose_kind(ui, cx, choice.kind, width, facts.float_tracks);
        ui.horizontal(|ui| {
            if cx.narrow {
                ui.spacing_mut().item_spacing.x = 2.0;
                ui.spacing_mut().button_padding.x = 5.0;
            }
            if choice.kind == CurveKind::Floats {
                first_float(ui, cx, choice, facts.float_tracks);
            } else {
                for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                    axis_toggle(ui, cx, axis, name);
                }
            }
            residual_toggle(ui, cx, choice.residual);
        });
        legend(ui, cx, choice, width);
        if let Some((kept, all)) = facts.kept {
            let help = format!("{kept} of {all} samples are stored as keys. The curve through them gives the rest.");
            label(ui, format!("kept keys {kept} / {all}"), size::TICK, cx.theme.accent).on_hover_text(help);
        }
        if let Some(insertions) = facts.insertions {
            replay::slider(ui, cx, insertions, width);
        }
    });
}

/// The raw line is thin and pale, the decoded one thick and in the colours of the axes.
fn legend(ui: &mut Ui, cx: &PanelCx<'_>, choice: Choice, width: f32) {
    let (raw, axes) = ([cx.theme.original; 1], cx.theme.axes);
    let [left, right, apart] = match cx.workspace.pair().is_some() {
        true => [cx.standing(Side::Original).word, cx.standing(Side::Compressed).word, "compressed \u{2212} reference"],
        false => ["raw", "decoded", "decoded \u{2212} raw"],
    };
    let lines: &[(&[Color32], f32, &str)] = match choice.residual {
        true => &[(&axes, 2.0, apart)],
        false => &[(&raw, 1.2, left), (&axes, 2.0, right)],
    };
    let faint = cx.theme.axes.map(|color| color.gamma_multiply(GHOST_OPACITY));
    let ghost_words = cx.ghost().map(|(_, words)| words);
    let ghost = ghost_words.as_deref().map(|words| (&faint[..], 2.0, words));
    for (colors, thickness, text) in lines.iter().copied().chain(ghost) {
        let (row, response) = ui.allocate_exact_size(vec2(width, 13.0), egui::Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, text));
        let piece = 12.0 / colors.len() as f32;
        for (index, color) in colors.iter().enumerate() {
            let from = row.left() + piece * index as f32;
            ui.painter().hline(from..=from + piece, row.center().y, Stroke::new(thickness, *color));
        }
        let at = row.left_center() + vec2(17.0, 0.0);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font(size::TICK), cx.theme.text2);
    }
}

const KINDS: [(CurveKind, &str); 6] = [
    (CurveKind::RotationDegrees, "degrees from bind"),
    (CurveKind::RotationEuler, "Euler X, Y, Z"),
    (CurveKind::RotationComponents, "quaternion"),
    (CurveKind::Translation, "translation, cm"),
    (CurveKind::Scale, "scale"),
    (CurveKind::Floats, "float tracks"),
];

fn choose_kind(ui: &mut Ui, cx: &mut PanelCx<'_>, kind: CurveKind, width: f32, float_tracks: usize) {
    let name = KINDS.iter().find(|n| n.0 == kind).map_or("", |n| n.1);
    let name = if cx.narrow { name.split(' ').next().unwrap_or(name) } else { name };
    let combo = ComboBox::from_id_salt("curve kind")
        .width(width)
        .selected_text(RichText::new(name).size(size::TICK))
        .truncate();
    let response = combo.show_ui(ui, |ui| {
        for (value, name) in KINDS {
            let enabled = value != CurveKind::Floats || float_tracks > 0;
            ui.add_enabled_ui(enabled, |ui| {
                let response = ui.selectable_label(kind == value, name);
                if response.on_disabled_hover_text("This clip has no float tracks.").clicked() {
                    cx.push(CurveCommand::SetCurve(value));
                }
            });
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Curve"));
}

fn axis_toggle(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: usize, name: &str) {
    let on = cx.view.settings.curve_axes[axis];
    let color = if on { cx.theme.axes[axis] } else { cx.theme.text3 };
    let button = egui::Button::new(RichText::new(name).size(size::TICK).color(color))
        .min_size(Vec2::new(18.0, 18.0))
        .selected(on);
    let response = ui.add(button).on_hover_text(format!("Show {name}."));
    response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, on, format!("Curve {name}")));
    if response.clicked() {
        cx.push(CurveCommand::ToggleCurveAxis(axis));
    }
}

fn residual_toggle(ui: &mut Ui, cx: &mut PanelCx<'_>, on: bool) {
    let button = egui::Button::new(RichText::new("\u{0394}").size(size::TICK)).min_size(Vec2::new(18.0, 18.0));
    let response = cx.control(ui, &list::RESIDUAL, |ui, _, help| ui.add(button.selected(on)).on_hover_text(help));
    response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, on, "Residual"));
}

fn first_float(ui: &mut Ui, cx: &mut PanelCx<'_>, choice: Choice, float_tracks: usize) {
    let last = float_tracks.saturating_sub(super::lines::LINES);
    let mut first = choice.first_float.min(last);
    let field = DragValue::new(&mut first).range(0..=last).prefix("from ");
    let response = ui.add(field).on_hover_text("First of the four float tracks that are drawn.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "First float track"));
    if response.changed() {
        cx.push(CurveCommand::SetFirstFloat(first));
    }
}
