use super::super::clip_columns::{self, Columns};
use super::super::listed::{Listed, listed, to_top};
use super::super::{PanelCx, clips};
use super::{flags, sign, state_icon};
use crate::commands::ClipCommand;
use crate::theme::{font, size};
use crate::widgets::{Icon, RowList, label, row_tooltip, segment, text_distinct, verdict_icon};
use egui::{Align2, Margin, Mesh, Rect, Response, ScrollArea, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::Verdict;
use posepress_core::model::ClipId;
use posepress_core::project::{DecisionKind, ReviewFilter, ReviewState};
use posepress_core::report::ClipReport;
use posepress_core::workspace::Workspace;

/// Height of a row.
const ROW: f32 = 28.0;
/// Left edge of names, after rank and verdict.
const NAME_LEFT: f32 = 64.0;
/// Width of flags, if there is room.
const FLAGS: f32 = 216.0;
/// A narrower table has no flags.
const ROOM_FOR_FLAGS: f32 = 700.0;
/// Width of the error line, if there is room.
const LINE: f32 = 150.0;
/// A narrower table has no error line.
const ROOM_FOR_LINE: f32 = 960.0;
/// Width of the icons of note and decision, at the right end.
const REVIEW: f32 = 46.0;

/// Progress and filters, then the clips, most urgent first.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    egui::Frame::new().inner_margin(Margin { left: 12, right: 12, top: 8, bottom: 4 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        ui.horizontal(|ui| progress(ui, cx));
        ui.horizontal(|ui| filters(ui, cx));
        ui.horizontal(|ui| {
            clips::filter(ui, cx);
            clip_columns::order_menu(ui, cx);
        });
    });
    let listed = listed(ui, cx, "queue", Workspace::queue, |(_, name)| name);
    let rows = &listed.rows;
    if rows.is_empty() {
        return clips::nothing(ui, cx);
    }
    let columns = heads(ui, cx, &listed.prefix);
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::vertical().id_salt("queue").auto_shrink(false);
    to_top(ui, "queue", &cx.view.settings.clip_sort, area).show_rows(ui, ROW, rows.len(), |ui, range| {
        let selected = rows.iter().position(|(id, _)| Some(*id) == cx.workspace.selected());
        let list = RowList::new(ui, "queue", selected, rows.len(), ROW).of(cx.workspace.selected());
        let list = list.in_order(&cx.view.settings.clip_sort);
        for index in range.clone() {
            let place = list.row(ui, index, &range);
            row(ui, cx, (index, &listed), &columns, place);
        }
        if let Some(to) = list.keys(ui, &range).moved {
            cx.push(ClipCommand::SelectClip(rows[to].0));
        }
    });
}

/// Number of undecided clips, and a bar of decisions.
fn progress(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let count = |of| cx.workspace.review_count(of);
    let total: usize = ReviewFilter::ALL.into_iter().map(count).sum();
    let left = count(ReviewFilter::ToDo) + count(ReviewFilter::Changed);
    label(ui, "Review", size::TITLE, cx.theme.text1);
    let words = match (total, left) {
        (0, _) => cx.reading().unwrap_or_else(|| "No clips".into()),
        (_, 0) => format!("All {total} reviewed"),
        _ => format!("{left} of {total} left"),
    };
    label(ui, words, size::BODY, cx.theme.text2);
    let room = (ui.available_width() - 12.0).clamp(0.0, 300.0);
    if room > 40.0 {
        let (rect, response) = ui.allocate_exact_size(Vec2::new(room, 8.0), Sense::hover());
        let spoken = format!("{} of {total} reviewed", total - left);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::ProgressIndicator, true, &spoken));
        ui.painter().rect_filled(rect, 2.0, cx.theme.track);
        let mut from = rect.left();
        for (of, color) in [
            (ReviewFilter::Approved, cx.theme.ok),
            (ReviewFilter::Rejected, cx.theme.fail),
            (ReviewFilter::Ignored, cx.theme.text3),
        ] {
            let to = from + rect.width() * count(of) as f32 / total.max(1) as f32;
            ui.painter().rect_filled(Rect::from_x_y_ranges(from..=to, rect.y_range()), 2.0, color);
            from = to;
        }
    }
}

/// Index of the selected clip in the queue, and the number of its clips.
pub fn place(ui: &Ui, cx: &PanelCx<'_>) -> Option<[usize; 2]> {
    let listed = listed(ui, cx, "queue", Workspace::queue, |(_, name)| name);
    let index = listed.rows.iter().position(|(id, _)| Some(*id) == cx.workspace.selected())?;
    Some([index, listed.rows.len()])
}

/// Filters by decision and verdict.
fn filters(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.spacing_mut().item_spacing.x = 4.0;
    let chosen = cx.view.filters.review;
    let all = segment(ui, cx.theme, chosen.is_none(), "", "all", "Show every clip.");
    if all.clicked() {
        cx.push(ClipCommand::FilterReview(None));
    }
    for of in ReviewFilter::ALL {
        let count = cx.workspace.review_count(of);
        if count == 0 && chosen != Some(of) {
            continue;
        }
        let help = format!("Show only {} clips.", of.name());
        if segment(ui, cx.theme, chosen == Some(of), "", &format!("{} {count}", of.name()), &help).clicked() {
            cx.push(ClipCommand::FilterReview((chosen != Some(of)).then_some(of)));
        }
    }
    ui.add_space(12.0);
    clips::verdict_filter(ui, cx);
}

fn flags_width(width: f32) -> f32 {
    if width > ROOM_FOR_FLAGS { FLAGS } else { 0.0 }
}

fn line_width(width: f32) -> f32 {
    if width > ROOM_FOR_LINE { LINE } else { 0.0 }
}

fn heads(ui: &mut Ui, cx: &mut PanelCx<'_>, prefix: &str) -> Columns {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), clip_columns::HEAD_HEIGHT), Sense::hover());
    let (theme, y) = (cx.theme, rect.top() + 9.0);
    let write = |x: f32, words: &str| {
        ui.painter().text(pos2(x, y), Align2::LEFT_CENTER, words, font(size::TICK), theme.text3);
    };
    write(rect.left() + 12.0, "rank");
    let (flags_width, line_width) = (flags_width(rect.width()), line_width(rect.width()));
    let place = rect.with_max_x(rect.right() - REVIEW);
    let beside = flags_width + line_width;
    let columns = Columns::that_fit(cx, place.width() - beside - NAME_LEFT);
    let numbers = columns.names_right(place);
    if flags_width > 0.0 {
        write(numbers - beside, "flags");
    }
    if line_width > 0.0 {
        write(numbers - line_width, "error over time");
    }
    let names = place.with_min_x(rect.left() + NAME_LEFT - 30.0);
    clip_columns::heads_in(ui, cx, &columns, place, (names.with_max_x(numbers - beside), prefix));
    columns
}

fn row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    (index, listed): (usize, &Listed<(ClipId, String)>),
    columns: &Columns,
    (rect, response): (Rect, Response),
) {
    let (id, name) = &listed.rows[index];
    let (selected, slot) = (cx.workspace.selected() == Some(*id), cx.workspace.active_slot());
    let (verdict, state) = (cx.workspace.verdict(*id, slot), cx.workspace.review_state(*id));
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, name));
    clips::background(ui, cx, rect, clips::is_picked(cx, *id), response.hovered());
    rank(ui, cx, rect, index, verdict);
    let place = rect.with_max_x(rect.right() - REVIEW);
    let end = columns.names_right(place);
    let line = Rect::from_x_y_ranges(end - line_width(rect.width())..=end, rect.y_range());
    let names_right = line.left() - flags_width(rect.width());
    let color = if state.is_approved() { cx.theme.text2 } else { cx.theme.text1 };
    let at = pos2(rect.left() + NAME_LEFT, rect.center().y);
    text_distinct(ui.painter(), at, names_right - 8.0, listed.short(index, name), size::BODY, color);
    if let Some(report) = cx.workspace.answer(*id, slot).and_then(|answer| answer.report.as_ref().ok()) {
        let is_fresh = cx.workspace.is_fresh(*id, slot);
        let flagged = Rect::from_x_y_ranges(names_right..=line.left() - 8.0, rect.y_range());
        if flagged.width() > 0.0 {
            flags(ui, cx, flagged, report.flags().map(|judged| (judged.by, judged.verdict)));
        }
        if line.width() > 0.0 {
            error_line(ui, cx, line.shrink2(Vec2::new(4.0, 5.0)), report, is_fresh);
        }
        columns.numbers(ui, cx.theme, place, report, is_fresh);
    }
    review_signs(ui, cx, rect, *id, state);
    if row_tooltip(response, words(cx, *id, name, state, verdict)).clicked() {
        clips::pick(ui, cx, *id);
    }
}

/// Draws rank and verdict.
fn rank(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, index: usize, verdict: Option<Verdict>) {
    let at = |x: f32| pos2(rect.left() + x, rect.center().y);
    let rank = (index + 1).to_string();
    ui.painter().text(at(32.0), Align2::RIGHT_CENTER, rank, font(size::SMALL), cx.theme.text3);
    let icon = Rect::from_center_size(at(48.0), Vec2::splat(12.0));
    match verdict {
        Some(verdict) => sign(ui, icon, (verdict_icon(verdict), cx.theme.verdict(verdict))),
        None => sign(ui, icon, (Icon::Working, cx.theme.text3)),
    }
}

/// Icons of decision and note.
fn review_signs(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, id: ClipId, state: ReviewState) {
    let at = |x: f32| Rect::from_center_size(pos2(rect.right() - x, rect.center().y), Vec2::splat(12.0));
    sign(ui, at(20.0), state_icon(cx, state));
    if cx.workspace.decision(id).is_some_and(|decision| !decision.note.is_empty()) {
        sign(ui, at(38.0), (Icon::Note, cx.theme.text3));
    }
}

/// Draws the largest shell error over time, scaled to the larger of tolerance and peak, filled above the tolerance. A dot marks the peak.
fn error_line(ui: &Ui, cx: &PanelCx<'_>, area: Rect, report: &ClipReport, fresh: bool) {
    let peaks = &report.peaks_mm;
    let Some((worst, peak)) = peaks.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let limit = report.error.tolerance_mm as f32;
    let top = peak.max(limit);
    if top <= 0.0 {
        return;
    }
    let color = match (fresh, report.verdict) {
        (false, _) => cx.theme.text3,
        (true, Verdict::Good) => cx.theme.text2,
        (true, verdict) => cx.theme.verdict(verdict),
    };
    let y = |mm: f32| area.bottom() - area.height() * mm / top;
    let last = (peaks.len() - 1).max(1) as f32;
    let at = |part: usize| pos2(area.left() + area.width() * part as f32 / last, y(peaks[part]));
    let allowed = [pos2(area.left(), y(limit)), pos2(area.right(), y(limit))];
    ui.painter().extend(Shape::dashed_line(&allowed, Stroke::new(1.0, cx.theme.strong), 3.0, 3.0));
    let mut over = Mesh::default();
    for part in 0..peaks.len() {
        let point = at(part);
        over.colored_vertex(pos2(point.x, point.y.min(y(limit))), color.gamma_multiply(0.35));
        over.colored_vertex(pos2(point.x, y(limit)), color.gamma_multiply(0.35));
    }
    for left in (0..2 * (peaks.len() as u32 - 1)).step_by(2) {
        over.add_triangle(left, left + 1, left + 2);
        over.add_triangle(left + 1, left + 2, left + 3);
    }
    ui.painter().add(over);
    ui.painter().add(Shape::line((0..peaks.len()).map(at).collect(), Stroke::new(1.2, color)));
    if peak > 0.0 {
        ui.painter().circle_filled(at(worst), 2.0, color);
    }
}

fn words(cx: &PanelCx<'_>, id: ClipId, name: &str, state: ReviewState, verdict: Option<Verdict>) -> String {
    let fares = verdict.map_or("being measured", Verdict::key);
    let decided = match state {
        ReviewState::ToDo => "undecided".to_owned(),
        ReviewState::Decided(kind) => kind.name().to_owned(),
        ReviewState::Changed(DecisionKind::Approved) => "changed since approval".to_owned(),
        ReviewState::Changed(kind) => format!("changed since it was {}", kind.name()),
    };
    let note = cx.workspace.decision(id).map(|decision| decision.note.as_str()).filter(|note| !note.is_empty());
    let note = note.map_or(String::new(), |note| format!("\n{note}"));
    format!("{name}\n{fares}, {decided}{note}")
}
