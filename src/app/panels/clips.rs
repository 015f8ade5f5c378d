use super::clip_columns::{self, Columns};
use super::listed::{Listed, listed, to_top};
use super::review::state_icon;
use super::{PanelCx, absent};
use crate::actions::{action_of, list};
use crate::commands::{ClipCommand, Command, CompareCommand, ImportCommand, ReviewCommand};
use crate::state::{Filters, MainTab, RigSheet};
use crate::theme::{font, size};
use crate::widgets::{
    Icon, RowList, chevron, header, label, paint_icon, row_tooltip, text_distinct, text_middle, text_right,
    verdict_icon,
};
use egui::text::LayoutJob;
use egui::{Align2, Id, Margin, Rect, Response, ScrollArea, Sense, Stroke, TextEdit, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::Verdict;
use posepress_core::model::ClipId;
use posepress_core::project::{DecisionKind, ReviewState};
use posepress_core::report::ClipReport;
use posepress_core::tasks::TaskError;
use posepress_core::text;
use posepress_core::workspace::{ClipRow, Reference, Workspace};
use std::sync::Arc;

/// Height of a row.
const ROW: f32 = 24.0;
/// Left edge of names.
const NAME_LEFT: f32 = 30.0;
/// Width of the review icon behind a name.
const REVIEW: f32 = 18.0;
/// Height of the part above the rows: filters, missing files, column heads.
pub fn above_rows(cx: &PanelCx<'_>) -> f32 {
    let filter = if shows_filter(cx) { 36.0 } else { 8.0 };
    filter + if shows_verdicts(cx) { 26.0 } else { 0.0 } + clip_columns::HEAD_HEIGHT + absent::height(cx)
}

/// Number of clips from which a filter by verdict helps.
const MANY: usize = 20;

fn has_many(cx: &PanelCx<'_>) -> bool {
    cx.workspace.library().clip_ids().nth(MANY).is_some()
}

/// True if the field that filters by name is shown. A short list needs none.
fn shows_filter(cx: &PanelCx<'_>) -> bool {
    cx.shows_all() || !cx.view.filters.clips.is_empty() || has_many(cx)
}

fn shows_verdicts(cx: &PanelCx<'_>) -> bool {
    let is_used = cx.view.filters.verdict.is_some();
    is_used || cx.shows_all() || has_many(cx)
}

/// Every clip with its verdict and figures.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let total = cx.workspace.library().clip_ids().count();
    if !cx.tabs {
        let totals = cx.workspace.totals(cx.workspace.active_slot());
        let look = totals.failing + totals.warning;
        let fact = if look > 0 { format!("{total}   {look} need a look") } else { total.to_string() };
        header(ui, cx.theme, None, "Clips", LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3));
    }
    filters(ui, cx);
    absent::show(ui, cx);
    let listed = rows(ui, cx);
    let rows = &listed.rows;
    if rows.is_empty() {
        return nothing(ui, cx);
    }
    let columns = clip_columns::heads(ui, cx, &listed.prefix);
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::vertical().id_salt("clips").auto_shrink(false);
    to_top(ui, "clips", &cx.view.settings.clip_sort, area).show_rows(ui, ROW, rows.len(), |ui, range| {
        let is_selected = |row: &ClipRow| match row {
            ClipRow::Clip { id, .. } | ClipRow::Rig { id, .. } => Some(*id) == cx.workspace.selected(),
            ClipRow::File { .. } => false,
        };
        let selected = rows.iter().position(is_selected);
        let list = RowList::new(ui, "clips", selected, rows.len(), ROW).of(cx.workspace.selected());
        let list = list.in_order(&cx.view.settings.clip_sort);
        for index in range.clone() {
            let place = list.row(ui, index, &range);
            match &rows[index] {
                ClipRow::Clip { id, name } => clip_row(ui, cx, (*id, name, listed.short(index, name)), &columns, place),
                ClipRow::Rig { id, name, joints } => rig_row(ui, cx, (*id, name), *joints, place),
                ClipRow::File { source, name, clips, verdict, folded } => {
                    file_row(ui, cx, (*source, name), *clips, *verdict, *folded, place);
                }
            }
        }
        let keys = list.keys(ui, &range);
        if let Some(id) = keys.moved.and_then(|row| nearest_clip(rows, row, keys.stop)) {
            cx.push(ClipCommand::SelectClip(id));
        }
    });
}

/// Filters by name and verdict, and the order.
fn filters(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !shows_filter(cx) {
        ui.add_space(8.0);
        return;
    }
    egui::Frame::new().inner_margin(Margin { left: 8, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.horizontal(|ui| {
            filter(ui, cx);
            if cx.shows_all() {
                clip_columns::order_menu(ui, cx);
            }
        });
        if shows_verdicts(cx) {
            ui.horizontal(|ui| verdict_filter(ui, cx));
        }
    });
}

/// The clip of a row. For a heading, the next clip in the direction of the arrow key.
fn nearest_clip(rows: &[ClipRow], row: usize, from: usize) -> Option<ClipId> {
    match row >= from {
        true => rows[row..].iter().find_map(ClipRow::clip),
        false => rows[..=row].iter().rev().find_map(ClipRow::clip),
    }
}

/// The rows of the list.
pub fn rows(ui: &Ui, cx: &PanelCx<'_>) -> Arc<Listed<ClipRow>> {
    listed(ui, cx, "clips", Workspace::clip_rows, |row| match row {
        ClipRow::File { .. } => "",
        ClipRow::Clip { name, .. } | ClipRow::Rig { name, .. } => name,
    })
}

/// The field that filters the list by name.
pub fn filter(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut wanted = cx.view.filters.clips.clone();
    let has_menu = cx.shows_all() || cx.view.settings.main_tab != MainTab::Clip;
    let menu = if has_menu { clip_columns::MENU_WIDTH + ui.spacing().item_spacing.x } else { 0.0 };
    let width = ui.available_width() - menu;
    // Its own id: the list below it is laid out in another way when it gets short.
    let edit = TextEdit::singleline(&mut wanted).id(Id::unique("filter of clips"));
    let edit = edit.hint_text("Filter by name").desired_width(width);
    let response = ui.add(edit).on_hover_text("Show only clips whose name contains this text.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Filter clips by name"));
    if response.changed() {
        cx.push(ClipCommand::FilterClips(wanted));
    }
}

/// Numbers of clips that fail, warn and pass. A click shows only those.
pub fn verdict_filter(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let totals = cx.workspace.totals(cx.workspace.active_slot());
    let known = totals.known();
    ui.spacing_mut().item_spacing.x = 4.0;
    for (verdict, count, name) in [
        (Verdict::Fail, totals.failing, "failing"),
        (Verdict::Warn, totals.warning, "to look at"),
        (Verdict::Good, known - totals.failing - totals.warning, "passing"),
    ] {
        let on = cx.view.filters.verdict == Some(verdict);
        let (rect, response) = ui.allocate_exact_size(Vec2::new(54.0, 20.0), Sense::click());
        let spoken = format!("Show clips {name}");
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, &spoken));
        let theme = cx.theme;
        let (fill, line) = match (on, response.hovered()) {
            (true, _) => (theme.selection, theme.selection_line),
            (false, true) => (theme.hover, theme.strong),
            (false, false) => (theme.raised, theme.stroke),
        };
        ui.painter().rect(rect, 4.0, fill, Stroke::new(1.0, line), egui::StrokeKind::Inside);
        let icon = Rect::from_center_size(rect.left_center() + Vec2::new(13.0, 0.0), Vec2::splat(12.0));
        let color = if count == 0 { theme.text3 } else { theme.verdict(verdict) };
        paint_icon(ui.painter(), icon, 11.0, verdict_icon(verdict), color);
        let at = rect.left_center() + Vec2::new(25.0, 0.0);
        ui.painter().text(at, Align2::LEFT_CENTER, count.to_string(), font(size::SMALL), theme.text2);
        let help = if on { "Show all clips again." } else { "Show only these clips." };
        if response.on_hover_text(format!("{} {name}. {help}", text::count(count, "clip"))).clicked() {
            cx.push(ClipCommand::FilterVerdict((!on).then_some(verdict)));
        }
    }
}

/// The empty state: no open clip, or none that matches the filter.
pub fn nothing(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let library = cx.workspace.library();
    match library.clip_ids().chain(library.rig_ids()).next() {
        None => empty(ui, cx),
        Some(_) => no_hit(ui, cx),
    }
}

fn empty(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(16.0);
        if let Some(reading) = cx.reading() {
            label(ui, reading, size::BODY, cx.theme.text2);
            return;
        }
        label(ui, "No clips. Open or drop a file", size::BODY, cx.theme.text2);
        if cx.view.settings.main_tab == MainTab::Clip {
            return; // the pictures have the buttons
        }
        ui.add_space(8.0);
        for action in [&list::OPEN, &list::OPEN_SAMPLE] {
            cx.control(ui, action, |ui, _, help| ui.button(&*action.label).on_hover_text(help));
        }
    });
}

fn no_hit(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(16.0);
        let Filters { clips, verdict, .. } = &cx.view.filters;
        let text = match (clips.as_str(), verdict) {
            ("", _) => "No clip in this filter".to_owned(),
            (part, None) => format!("No clip matches '{part}'"),
            (part, Some(_)) => format!("No clip in this filter matches '{part}'"),
        };
        label(ui, text, size::BODY, cx.theme.text2);
        if ui.button("Clear").clicked() {
            cx.push(ClipCommand::FilterClips(String::new()));
            cx.push(ClipCommand::FilterVerdict(None));
            cx.push(ClipCommand::FilterReview(None));
        }
    });
}

/// True for the selected clip and those picked besides.
pub fn is_picked(cx: &PanelCx<'_>, id: ClipId) -> bool {
    cx.workspace.selected() == Some(id) || cx.view.selection.clips.contains(&id)
}

/// Handles a click on a clip of a list. A click selects it, with Ctrl picks it, with Shift picks all clips up to it.
pub fn pick(ui: &Ui, cx: &mut PanelCx<'_>, id: ClipId) {
    let keys = ui.input(|input| input.modifiers);
    cx.push(match (keys.command, keys.shift) {
        (true, _) => Command::Clip(ClipCommand::PickClip(id)),
        (false, true) => Command::Clip(ClipCommand::PickClipsTo(id)),
        (false, false) => Command::Clip(ClipCommand::SelectClip(id)),
    });
}

/// Draws the background of a row.
pub fn background(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, selected: bool, hovered: bool) {
    let (painter, theme) = (ui.painter(), cx.theme);
    if selected {
        painter.rect_filled(rect, 0.0, theme.selection);
        painter.rect_filled(Rect::from_min_size(rect.min, Vec2::new(3.0, rect.height())), 0.0, theme.selection_line);
    } else if hovered {
        painter.rect_filled(rect, 0.0, theme.hover);
    }
}

fn verdict_sign(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, verdict: Option<Verdict>) {
    let icon = Rect::from_min_size(pos2(rect.left() + 10.0, rect.top() + 6.0), Vec2::splat(12.0));
    match verdict {
        Some(verdict) => paint_icon(ui.painter(), icon, 12.0, verdict_icon(verdict), cx.theme.verdict(verdict)),
        None => paint_icon(ui.painter(), icon, 11.0, Icon::Working, cx.theme.text3),
    }
}

/// The heading of a file. A click hides or shows its clips.
fn file_row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    (source, name): (u32, &str),
    clips: usize,
    verdict: Option<Verdict>,
    folded: bool,
    (rect, response): (Rect, Response),
) {
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("File {name}")));
    ui.painter().rect_filled(rect, 0.0, if response.hovered() { cx.theme.hover } else { cx.theme.head });
    chevron(ui.painter(), pos2(rect.left() + 16.0, rect.center().y), !folded, cx.theme);
    let icon = rect.translate(Vec2::new(18.0, 0.0));
    verdict_sign(ui, cx, icon, verdict);
    let count = LayoutJob::simple_singleline(clips.to_string(), font(size::TICK), cx.theme.text3);
    text_right(ui.painter(), pos2(rect.right() - 12.0, rect.center().y), count);
    let left = pos2(icon.left() + NAME_LEFT - 2.0, rect.center().y);
    text_middle(ui.painter(), left, rect.right() - 40.0, name, size::SMALL, cx.theme.text2);
    let help = if folded { "Show its clips." } else { "Hide its clips." };
    let response = row_tooltip(response, format!("{name}, {}. {help}", text::count(clips, "clip")));
    response.context_menu(|ui| {
        let action = &list::RIG_OF_CLIPS;
        if ui.button(&*action.label).on_hover_text(&*action.help).clicked() {
            cx.push(ImportCommand::AskRig(Some(RigSheet::of(cx.workspace, source))));
            ui.close();
        }
    });
    if response.clicked() {
        cx.push(ClipCommand::ToggleFile(source));
    }
}

/// A file without clips. A click selects its rig, which is neither compressed nor judged.
fn rig_row(
    ui: &Ui,
    cx: &mut PanelCx<'_>,
    (id, name): (ClipId, &str),
    joints: usize,
    (rect, response): (Rect, Response),
) {
    let selected = cx.workspace.selected() == Some(id);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, format!("Rig {name}")));
    background(ui, cx, rect, selected, response.hovered());
    let icon = Rect::from_min_size(pos2(rect.left() + 10.0, rect.top() + 6.0), Vec2::splat(12.0));
    paint_icon(ui.painter(), icon, 12.0, Icon::Joint, cx.theme.text2);
    let y = rect.center().y;
    let kind = LayoutJob::simple_singleline("rig".into(), font(size::SMALL), cx.theme.text3);
    text_right(ui.painter(), pos2(rect.right() - 12.0, y), kind);
    text_middle(ui.painter(), pos2(rect.left() + NAME_LEFT, y), rect.right() - 40.0, name, size::BODY, cx.theme.text1);
    let words =
        format!("{name}\nA rig of {} without animation: there is no clip to compress.", text::count(joints, "joint"));
    if row_tooltip(response, words).clicked() {
        cx.push(ClipCommand::SelectClip(id));
    }
}

fn clip_row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    (id, name, written): (ClipId, &str, (&str, usize)),
    columns: &Columns,
    (rect, response): (Rect, Response),
) {
    let selected = cx.workspace.selected() == Some(id);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, name));
    background(ui, cx, rect, is_picked(cx, id), response.hovered());
    let slot = cx.workspace.active_slot();
    let answer = cx.workspace.answer(id, slot);
    verdict_sign(ui, cx, rect, cx.workspace.verdict(id, slot));
    let report = answer.and_then(|a| a.report.as_ref().ok());
    let left = pos2(rect.left() + NAME_LEFT, rect.center().y);
    let state = cx.workspace.review_state(id);
    let color = if state.is_approved() { cx.theme.text2 } else { cx.theme.text1 };
    let names_right = columns.names_right(rect) - if state == ReviewState::ToDo { 0.0 } else { REVIEW };
    text_distinct(ui.painter(), left, names_right, written, size::BODY, color);
    if state != ReviewState::ToDo {
        let (icon, color) = state_icon(cx, state);
        let at = pos2(names_right + REVIEW / 2.0, rect.center().y);
        paint_icon(ui.painter(), Rect::from_center_size(at, Vec2::splat(12.0)), 11.0, icon, color);
    }
    if let Some(report) = report {
        columns.numbers(ui, cx.theme, rect, report, cx.workspace.is_fresh(id, slot));
    }
    let error = answer.and_then(|a| a.report.as_ref().err());
    let response = row_tooltip(response, tooltip(cx, id, report.map(|r| &**r), error));
    row_menu(cx, &response, id);
    if response.clicked() {
        pick(ui, cx, id);
    }
}

fn row_menu(cx: &mut PanelCx<'_>, response: &Response, id: ClipId) {
    response.context_menu(|ui| {
        let decisions = DecisionKind::ALL.map(|kind| action_of(&Command::Review(ReviewCommand::Judge(kind))));
        for action in decisions.into_iter().flatten().chain([&list::GO_WORST, &list::GO_WORST_CONTACT]) {
            if ui.button(&*action.label).on_hover_text(action.tooltip(ui.ctx())).clicked() {
                // The action applies to the picked clips, so this clip is one of them.
                if !is_picked(cx, id) {
                    cx.push(ClipCommand::SelectClip(id));
                }
                cx.run(action);
                ui.close();
            }
        }
        compare_entry(ui, cx, id);
        ui.separator();
        for action in [
            &list::MARK_LOOPING,
            &list::MARK_NOT_LOOPING,
            &list::LOOP_AS_FOUND,
            &list::MARK_ADDITIVE,
            &list::MARK_NOT_ADDITIVE,
            &list::RIG_OF_CLIPS,
            &list::CLOSE_FILE,
        ] {
            if ui.button(&*action.label).on_hover_text(action.tooltip(ui.ctx())).clicked() {
                // The action applies to the selected clip, so this clip is selected first.
                cx.push(ClipCommand::SelectClip(id));
                cx.run(action);
                ui.close();
            }
        }
    });
}

/// Entry that makes a clip the reference of the selected one.
fn compare_entry(ui: &mut Ui, cx: &mut PanelCx<'_>, id: ClipId) {
    let is_on = cx.workspace.reference() == Reference::Clip(id);
    let (words, help, reference) = match is_on {
        true => ("Back to the original", "Compare with the original of the selected clip again.", Reference::Original),
        false => (
            "Compare with this clip",
            "Left side: this clip, such as an earlier take of the same move. Curves, contacts and errors are compared with it.",
            Reference::Clip(id),
        ),
    };
    let button = ui.add_enabled(cx.workspace.has_reference(Reference::Clip(id)), egui::Button::new(words));
    let button = button.on_disabled_hover_text("Select another clip first.");
    if button.on_hover_text(help).clicked() {
        cx.push(CompareCommand::CompareTo(reference));
        ui.close();
    }
}

fn tooltip(cx: &PanelCx<'_>, id: ClipId, report: Option<&ClipReport>, error: Option<&Arc<TaskError>>) -> String {
    let library = cx.workspace.library();
    let (Some((_, clip)), Some(source)) = (library.clip(id), library.source(id.source)) else { return String::new() };
    let mut out = format!(
        "{}\n{}, {} samples, {}, {}",
        clip.name(),
        source.name(),
        clip.samples(),
        text::rate(clip.grid().rate_hz()),
        text::duration(clip.duration_secs())
    );
    if clip.is_looping() {
        out.push_str(", loops");
    }
    if cx.workspace.loop_mark(id).is_some() {
        out.push_str(if clip.is_looping() { " as marked" } else { ", marked as not looping" });
    }
    if let Some(base) = clip.base() {
        out += &format!("\nadded to {}", base.of());
    }
    if let Some(report) = report {
        out += &format!(
            "\n{} bytes, {}\n{}",
            text::exact(report.bytes as u64),
            text::ratio(report.ratio),
            report.verdict_words()
        );
        for reason in report.reasons() {
            out += &format!("\n{}. {}", reason.words(), reason.advice_words());
        }
        out += &clip_columns::figures(report);
    }
    if let Some(error) = error {
        out += &format!("\n{error}");
    }
    out
}
