use super::super::{PanelCx, approve, compare_to, notes, reason, show_blind_results};
use super::{history, queue, state_icon};
use crate::actions::{Action, action_of, actions, list};
use crate::commands::{Command, RecipeCommand, ReviewCommand};
use crate::state::{AuthorSheet, draft_of, note_of, picked};
use crate::theme::{font, size};
use crate::widgets::{
    Icon, header, label, paint_icon, row_tooltip, section, text_elided, text_right, tool_button, verdict_icon,
    wide_button,
};
use egui::containers::menu::MenuButton;
use egui::text::LayoutJob;
use egui::{Align2, Button, Id, Margin, Rect, RichText, Sense, TextEdit, TextWrapMode, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::project::{Decision, DecisionKind, ReviewState};
use posepress_core::report::ClipReport;
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Name, verdict and problem of the clip under review, and its place in the queue.
pub fn show_head(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some((_, clip)), Some(id)) = (cx.selected(), cx.workspace.selected()) else { return };
    let slot = cx.workspace.active_slot();
    let report = cx.workspace.answer(id, slot).and_then(|answer| answer.report.as_ref().ok());
    egui::Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 22.0), Sense::hover());
        let y = rect.center().y;
        let icon = Rect::from_center_size(pos2(rect.left() + 8.0, y), Vec2::splat(16.0));
        let (sign, color) = match cx.workspace.verdict(id, slot) {
            Some(verdict) => (verdict_icon(verdict), cx.theme.verdict(verdict)),
            None => (Icon::Working, cx.theme.text3),
        };
        paint_icon(ui.painter(), icon, 14.0, sign, color);
        let place = queue::place(ui, cx).map_or(String::new(), |[index, all]| format!("{} of {all}", index + 1));
        let place = LayoutJob::simple_singleline(place, font(size::SMALL), cx.theme.text3);
        let right = text_right(ui.painter(), pos2(rect.right(), y), place);
        let left = pos2(rect.left() + 24.0, y);
        text_elided(ui.painter(), left, right.left() - 8.0, clip.name(), size::TITLE, cx.theme.text1);
        let words = report.map_or("Being measured".into(), |report| worst(report));
        ui.add(egui::Label::new(RichText::new(words).size(size::SMALL).color(cx.theme.text2)).wrap());
    });
}

/// Results of the clip under review with each recipe, notes, and earlier decisions.
pub fn show_judged(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let fact = LayoutJob::simple_singleline("click to show".into(), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Same clip with the other recipes", fact, |ui| recipes(ui, cx));
    notes::show(ui, cx);
    history::show(ui, cx);
}

/// The decision about the clip, and buttons to decide.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    header(ui, cx.theme, None, "Decision", LayoutJob::default());
    egui::Frame::new().inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| decide(ui, cx));
}

/// The problem and its worst frame, as text.
fn worst(report: &ClipReport) -> String {
    let flagged = report.flags().max_by_key(|judged| judged.verdict).map(|judged| &judged.worst);
    let worst = flagged.or(report.worst_moment.as_ref());
    let at = worst.map(|worst| format!("; worst at {}, {}", worst.joint, text::duration(worst.time_secs)));
    let source = report.source_words();
    let mut words = match source.is_empty() {
        true => report.verdict_words(),
        false => format!("{}; source: {source}", report.verdict_words()),
    };
    words.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    format!("{words}{}", at.unwrap_or_default())
}

fn recipes(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(id) = cx.workspace.selected() else { return };
    ui.spacing_mut().item_spacing.y = 0.0;
    let [size_right, skin_right, slide_right] = [134.0, 71.0, 8.0];
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    for (right, head) in [(size_right, "size"), (skin_right, "skin"), (slide_right, "slide")] {
        let at = pos2(rect.right() - right, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, head, font(size::TICK), cx.theme.text3);
    }
    for slot in 0..cx.workspace.document().recipes.len() {
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 26.0), Sense::click());
        let (letter, title) = (cx.workspace.slot_letter(slot), cx.workspace.slot_title(slot));
        let active = slot == cx.workspace.active_slot();
        response.widget_info(|| {
            WidgetInfo::selected(egui::Role::RadioButton, true, active, format!("Judge recipe {letter}"))
        });
        let theme = cx.theme;
        if active || response.hovered() {
            ui.painter().rect_filled(rect, 3.0, if active { theme.selection } else { theme.hover });
        }
        let (y, left) = (rect.center().y, rect.left());
        ui.painter().text(pos2(left + 10.0, y), Align2::CENTER_CENTER, letter, font(size::BODY), theme.text2);
        let report = cx.workspace.answer(id, slot).and_then(|answer| answer.report.as_ref().ok());
        if let Some(verdict) = cx.workspace.verdict(id, slot) {
            let icon = Rect::from_center_size(pos2(left + 30.0, y), Vec2::splat(12.0));
            paint_icon(ui.painter(), icon, 12.0, verdict_icon(verdict), theme.verdict(verdict));
        }
        text_elided(ui.painter(), pos2(left + 44.0, y), rect.right() - 186.0, &title, size::SMALL, theme.text1);
        if let Some(report) = report {
            let color = if cx.workspace.is_fresh(id, slot) { theme.text1 } else { theme.text3 };
            let write = |right: f32, words: String| {
                let job = LayoutJob::simple_singleline(words, font(size::SMALL), color);
                text_right(ui.painter(), pos2(rect.right() - right, y), job);
            };
            let millimetres = |value: Option<f64>| {
                value.map_or(text::NOT_MEASURED.to_owned(), |mm| text::length((mm / 1000.0) as f32))
            };
            write(size_right, text::bytes(report.bytes as u64));
            write(skin_right, millimetres(report.vertex_error.as_ref().map(|skin| skin.max_mm)));
            write(slide_right, millimetres(report.slide.worst_slide_mm));
        }
        if row_tooltip(response, "Show the clip with this recipe. Decisions then apply to it.").clicked() {
            cx.push(RecipeCommand::ActivateSlot(slot));
        }
    }
}

fn decide(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(id) = cx.workspace.selected() else { return };
    ui.spacing_mut().item_spacing.y = 6.0;
    let state = cx.workspace.review_state(id);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(14.0), Sense::hover());
        let (icon, color) = state_icon(cx, state);
        paint_icon(ui.painter(), rect, 12.0, icon, color);
        let decision = cx.workspace.decision(id);
        let words = decision.map_or("No decision yet.".to_owned(), |decision| decided(cx, state, decision));
        ui.add(egui::Label::new(RichText::new(words).size(size::SMALL).color(cx.theme.text2)).wrap());
    });
    let count = picked(cx.workspace, cx.view).len();
    if count > 1 {
        label(ui, format!("Decisions apply to {count} picked clips."), size::SMALL, cx.theme.accent);
    }
    show_blind_results(ui, cx);
    match cx.view.review.reason {
        Some(_) => reason::field(ui, cx),
        None => note(ui, cx),
    }
    let of_kind = |kind| action_of(&Command::Review(ReviewCommand::Judge(kind)));
    ui.columns(3, |columns| {
        let actions = [of_kind(DecisionKind::Approved), of_kind(DecisionKind::Rejected), Some(&list::DECIDE_LATER)];
        for (ui, action) in columns.iter_mut().zip(actions) {
            action.into_iter().for_each(|action| large_button(ui, cx, action));
        }
    });
    ui.horizontal_wrapped(|ui| {
        approve::choice(ui, cx);
        of_kind(DecisionKind::Ignored).into_iter().for_each(|action| button(ui, cx, action));
        button(ui, cx, &list::BLIND_TEST);
        if cx.workspace.has_reference(Reference::Decided) {
            beside(ui, cx);
        }
        author(ui, cx);
    });
    exports(ui, cx);
}

/// Name of the reviewer, and a button that changes it.
fn author(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let name = cx.view.settings.author.clone();
    if name.is_empty() || !cx.view.timings {
        return; // asked at the first decision; pictures of the tests have no names
    }
    let help = "Author of new decisions. Earlier decisions keep their author. Click to change the name.";
    if tool_button(ui, cx.theme, &format!("By {name}"), "", help).clicked() {
        cx.push(ReviewCommand::AskAuthor(Some(AuthorSheet { name, then: None })));
    }
}

/// A button as wide as its column, with the icon of its decision. The button that approves has the number of picked clips.
fn large_button(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action) {
    let (sign, words) = match action.command() {
        Command::Review(ReviewCommand::Judge(DecisionKind::Approved)) => {
            ((Icon::Approved, cx.theme.ok), approve::words(cx))
        }
        Command::Review(ReviewCommand::Judge(_)) => ((Icon::Rejected, cx.theme.fail), action.label.to_string()),
        _ => ((Icon::StepForward, cx.theme.text2), action.label.to_string()),
    };
    let key = action.key_text(ui.ctx());
    // A click with a written note needs no second one. X asks, because Enter follows it.
    let written = cx.workspace.selected().and_then(|id| draft_of(cx.workspace, cx.view, id));
    let is_written = written.is_some_and(|note| !note.trim().is_empty());
    let has_reason = cx.view.review.reason.is_some() || is_written;
    if has_reason && matches!(action.command(), Command::Review(ReviewCommand::Judge(DecisionKind::Rejected))) {
        let help = "Rejects the clip with the note.";
        if wide_button(ui, cx.theme, sign, (&words, &key), help).clicked() {
            cx.push(ReviewCommand::Reject);
        }
        return;
    }
    cx.control(ui, action, |ui, theme, help| wide_button(ui, theme, sign, (&words, &key), help));
}

fn button(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action) {
    let key = action.key_text(ui.ctx());
    cx.control(ui, action, |ui, theme, help| tool_button(ui, theme, &action.label, &key, help));
}

/// Button that toggles the reference between the decided result and the original.
fn beside(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let is_on = cx.workspace.reference() == Reference::Decided;
    let (reference, words) = match is_on {
        true => (Reference::Original, "Show the original"),
        false => (Reference::Decided, "Show decided version"),
    };
    if let Some(action) = compare_to(reference) {
        cx.control(ui, action, |ui, theme, help| tool_button(ui, theme, words, "", help));
    }
}

/// Kind, author, day and recipe of a decision, and what has become worse since.
fn decided(cx: &PanelCx<'_>, state: ReviewState, decision: &Decision) -> String {
    let Decision { kind, author, time, recipe, .. } = decision;
    let verb = match kind {
        DecisionKind::Approved => "Approved",
        DecisionKind::Rejected => "Rejected",
        DecisionKind::Ignored => "Ignored",
    };
    let by = match (author.as_str(), cx.view.timings) {
        ("", _) | (_, false) => String::new(),
        (author, true) => format!(" by {author}"),
    };
    let day = time.split('T').next().filter(|day| !day.is_empty() && cx.view.timings);
    let on = day.map_or(String::new(), |day| format!(" on {day}"));
    let with = if *kind == DecisionKind::Ignored { String::new() } else { format!(" with {}", recipe.title()) };
    let head = format!("{verb}{by}{on}{with}.");
    let id = cx.workspace.selected().filter(|_| matches!(state, ReviewState::Changed(_)));
    let Some(id) = id else { return head };
    let worse = cx.workspace.worse_since(id, cx.workspace.active_slot());
    let worse: Vec<String> =
        worse.iter().map(|(name, mm)| format!("{name} +{}", text::length((mm / 1000.0) as f32))).collect();
    match worse.is_empty() {
        true => format!("{head} The recipe, fixes or file changed since then. No value is worse. Review it again."),
        false => format!("{head} The recipe, fixes or file changed since then: {}. Review it again.", worse.join(", ")),
    }
}

fn note(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(id) = cx.workspace.selected() else { return };
    let mut note = note_of(cx.workspace, cx.view, id).to_owned();
    let edit = TextEdit::multiline(&mut note)
        .id(Id::unique("note"))
        .desired_rows(2)
        .desired_width(f32::INFINITY)
        .hint_text("Note: the reason, or what to change");
    let response = ui.add(edit).on_hover_text("Saved with the decision.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::MultilineTextInput, true, "Note"));
    if cx.view.review.wants_note {
        response.request_focus();
        cx.push(ReviewCommand::NoteFocused);
    }
    if response.changed() {
        cx.push(ReviewCommand::WriteNote(note));
    }
    if response.lost_focus() {
        cx.push(RecipeCommand::Settle);
    }
}

/// Exports of approved clips.
fn exports(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let approved = cx.workspace.approved_count();
    let of_approved = || actions().iter().filter(|action| action.exports_approved());
    let help = "Writes each clip with the recipe that it was approved with.";
    ui.add_enabled_ui(approved > 0, |ui| {
        let words = RichText::new(format!("Export {} approved\u{2026}", text::count(approved, "clip")));
        let button = Button::new(words.size(size::SMALL)).wrap_mode(TextWrapMode::Extend);
        let (response, _) = MenuButton::from_button(button.min_size(Vec2::new(0.0, 24.0))).ui(ui, |ui| {
            ui.set_min_width(240.0);
            for action in of_approved() {
                if cx.entry(ui, action).clicked() {
                    ui.close();
                }
            }
        });
        response.on_hover_text(help).on_disabled_hover_text("No clip is approved.");
    });
}
