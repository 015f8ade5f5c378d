use super::drawings::explained;
use super::{PanelCx, added_to};
use crate::actions::{Action, list};
use crate::theme::{font, size};
use crate::widgets::{form_row, label, paint_icon, quantity, section, text_right, tool_button, verdict_icon};
use egui::text::LayoutJob;
use egui::{Align2, ComboBox, Rect, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{Aspect, ErrorLimits, LoopReport, Verdict};
use posepress_core::text;

/// Width of the choice.
const COMBO: f32 = 150.0;

/// The loop mark of the clip, the error at its seam, and its additive base.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((_, clip)) = cx.selected() else { return };
    let (fact, loops) = if clip.is_looping() { ("loops", true) } else { ("does not loop", false) };
    let fact = LayoutJob::simple_singleline(fact.into(), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Seam", fact, |ui| {
        choose(ui, cx, clip.can_loop());
        match cx.report().map(|r| (r.motion, r.limits)) {
            Some((motion, limits)) if loops && motion.looping => {
                figures(ui, cx, &motion, &limits, clip.grid().time_secs(1.0));
            }
            _ if loops => drop(label(ui, "Measuring\u{2026}", size::SMALL, cx.theme.text3)),
            _ => drop(label(ui, "No seam: the clip does not loop.", size::SMALL, cx.theme.text3)),
        }
        added_to::show(ui, cx);
    });
}

/// The action that sets a loop mark.
fn action_of(mark: Option<bool>) -> &'static Action {
    match mark {
        Some(true) => &list::MARK_LOOPING,
        Some(false) => &list::MARK_NOT_LOOPING,
        None => &list::LOOP_AS_FOUND,
    }
}

fn choose(ui: &mut Ui, cx: &mut PanelCx<'_>, enabled: bool) {
    let Some(id) = cx.workspace.selected() else { return };
    let mark = cx.workspace.loop_mark(id);
    let found = match cx.workspace.library().found_loop(id) {
        Some(true) => "detected: loops",
        _ => "detected: no loop",
    };
    let name = |mark| match mark {
        None => found,
        Some(true) => "looping",
        Some(false) => "not looping",
    };
    let help = "In a loop the motion continues from the end to the start. Detected: the end meets the start, and the motion continues \
                there or the clip's name is that of a loop (idle, walk, run). For looping clips the seam is measured, and \
                contacts and trails continue across it.";
    let mut chosen = None;
    let row = form_row(ui, cx.theme, "Clip loops", help, mark.is_some(), |ui| {
        ui.add_enabled_ui(enabled, |ui| {
            let combo = ComboBox::from_id_salt("loop mark").width(COMBO).selected_text(name(mark));
            let response = combo.show_ui(ui, |ui| {
                for other in [None, Some(true), Some(false)] {
                    let help = action_of(other).tooltip(ui.ctx());
                    if ui.selectable_label(mark == other, name(other)).on_hover_text(help).clicked() {
                        chosen = Some(other);
                    }
                }
            });
            let response = response.response.on_disabled_hover_text("A clip of one or two samples has no seam.");
            response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, enabled, "Clip loops"));
            response
        })
        .inner
    });
    if let Some(mark) = chosen.or(row.reset.then_some(None)) {
        cx.run(action_of(mark));
    }
}

fn figures(ui: &mut Ui, cx: &mut PanelCx<'_>, motion: &LoopReport, limits: &ErrorLimits, sample_secs: f32) {
    let warn_m = limits.warn_between_m();
    let help = format!(
        "Largest jump of a joint from the last sample to the first, in addition to the original's own. From {} it warns.",
        text::length(warn_m)
    );
    let pop = limits.seam_verdict(motion.seam_pop_m);
    figure(ui, cx, "seam pop", pop, (&text::length(motion.seam_pop_m), &text::length(warn_m)), &help);
    let warn = text::speed(warn_m / sample_secs.max(f32::MIN_POSITIVE));
    let help = format!(
        "Largest change of a joint's speed across the seam, in addition to the original's own. From {warn}, {} per sample, it warns.",
        text::length(warn_m)
    );
    let speed = limits.seam_verdict(motion.seam_velocity_m_s * sample_secs);
    figure(ui, cx, "change of speed", speed, (&text::speed(motion.seam_velocity_m_s), &warn), &help);
    let (name, playing) = (&*list::PLAY_SEAM.label, cx.view.transport.seam);
    let name = if playing { "Play the whole loop" } else { name };
    let key = list::PLAY_SEAM.key_text(ui.ctx());
    cx.control(ui, &list::PLAY_SEAM, |ui, theme, help| tool_button(ui, theme, name, &key, help));
}

fn figure(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, verdict: Verdict, (value, limit): (&str, &str), help: &str) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 20.0), Sense::hover());
    let name = if verdict == Verdict::Good { name.to_owned() } else { format!("{name}, limit {limit}") };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} {value}")));
    let y = rect.center().y;
    let icon = Rect::from_center_size(pos2(rect.left() + 6.0, y), Vec2::splat(12.0));
    paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), cx.theme.verdict(verdict));
    ui.painter().text(pos2(rect.left() + 18.0, y), Align2::LEFT_CENTER, &name, font(size::SMALL), cx.theme.text2);
    let color = match verdict {
        Verdict::Warn | Verdict::Fail => cx.theme.warn,
        Verdict::Good => cx.theme.text1,
    };
    text_right(ui.painter(), pos2(rect.right(), y), quantity(cx.theme, value, size::SMALL, color));
    explained(response, cx.theme, help, Aspect::Seam);
}
