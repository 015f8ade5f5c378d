//! The columns of the list of clips: choice, sorting and figures.

use super::PanelCx;
use crate::commands::ClipCommand;
use crate::theme::{Theme, font, size};
use crate::widgets::{text_elided, text_right};
use egui::text::LayoutJob;
use egui::{
    Align2, Button, Color32, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use posepress_core::metrics::Verdict;
use posepress_core::report::{ClipReport, Listed, ReportColumn};
use posepress_core::workspace::{ClipSort, NAMES};

/// Height of the heads: a name with its unit below.
pub const HEAD_HEIGHT: f32 = 30.0;
/// Width of a column of numbers.
const WIDTH: f32 = 44.0;
/// Least width of verdict and name beside the numbers.
const NAMES_WIDTH: f32 = 96.0;
/// Space right of the last column.
const MARGIN: f32 = 12.0;
/// Width of the button of the sort menu.
pub const MENU_WIDTH: f32 = 46.0;

/// Columns that fit, from left to right.
pub struct Columns(Vec<(&'static Listed, &'static ReportColumn)>);

impl Columns {
    /// The chosen columns that fit into a width, and the sorted one. The least important are dropped first, the sorted
    /// one never.
    pub fn that_fit(cx: &PanelCx<'_>, width: f32) -> Self {
        let settings = &cx.view.settings;
        let sort = settings.clip_sort.as_ref();
        let sorts = |column: &ReportColumn| sort.is_some_and(|sort| column.key == Some(&sort.column));
        let is_chosen = |column: &ReportColumn| column.key.is_some_and(|key| settings.clip_columns.contains(key));
        let shown = ReportColumn::for_lists().filter(|(_, column)| is_chosen(column) || sorts(column));
        let mut all: Vec<_> = shown.collect();
        all.sort_by_key(|(listed, column)| (!sorts(column), listed.rank));
        all.truncate(((width - NAMES_WIDTH - MARGIN) / WIDTH).max(1.0) as usize);
        all.sort_by_key(|(listed, _)| std::cmp::Reverse(listed.rank));
        Self(all)
    }

    /// The columns with their right edges in a row.
    fn placed(&self, row: Rect) -> impl Iterator<Item = (f32, &'static Listed, &'static ReportColumn)> + '_ {
        let right = move |index: usize| row.right() - MARGIN - WIDTH * (self.0.len() - 1 - index) as f32;
        self.0.iter().enumerate().map(move |(index, (listed, column))| (right(index), *listed, *column))
    }

    /// Right edge of names.
    pub fn names_right(&self, row: Rect) -> f32 {
        row.right() - MARGIN - WIDTH * self.0.len() as f32
    }

    /// Draws the figures of a clip, each in the colour of its verdict.
    pub fn numbers(&self, ui: &Ui, theme: &Theme, row: Rect, report: &ClipReport, fresh: bool) {
        for (right, listed, column) in self.placed(row) {
            let judged = listed.aspect.and_then(|aspect| report.judged.iter().find(|j| j.by == aspect));
            let color = match (fresh, judged.map_or(Verdict::Good, |j| j.verdict)) {
                (false, _) => theme.text3,
                (true, Verdict::Good) => theme.text2,
                (true, verdict) => theme.verdict(verdict),
            };
            let job = LayoutJob::simple_singleline((column.figure)(report).bare(), font(size::SMALL), color);
            text_right(ui.painter(), pos2(right, row.center().y), job);
        }
    }
}

/// The judged figures of a clip, one per line, with hidden columns.
pub fn figures(report: &ClipReport) -> String {
    let line = |(listed, column): (&Listed, &ReportColumn)| {
        listed.aspect.map(|_| format!("\n{} {}", listed.head, (column.figure)(report).shown()))
    };
    ReportColumn::for_lists().filter_map(line).collect()
}

/// Shows the heads, which sort on a click. Returns the columns.
pub fn heads(ui: &mut Ui, cx: &mut PanelCx<'_>, prefix: &str) -> Columns {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), HEAD_HEIGHT), Sense::hover());
    let columns = Columns::that_fit(cx, rect.width());
    heads_in(ui, cx, &columns, rect, (rect.with_max_x(columns.names_right(rect)), prefix));
    columns
}

/// Same as [`heads`] for given columns, with a separate place for the head of the names. `prefix` is what all names share.
pub fn heads_in(ui: &mut Ui, cx: &mut PanelCx<'_>, columns: &Columns, rect: Rect, (names, prefix): (Rect, &str)) {
    let help = match prefix {
        "" => "The clip's name.".to_owned(),
        _ => format!("The clip's name, without '{prefix}', with which all begin."),
    };
    let line = if prefix.is_empty() { names } else { names.with_max_y(names.top() + 18.0) };
    head(ui, cx, line, (NAMES, "name", ""), &help, Align2::LEFT_CENTER);
    if !prefix.is_empty() {
        let at = pos2(names.left() + 30.0, names.bottom() - 8.0);
        let words = format!("{prefix}\u{2026}");
        text_elided(ui.painter(), at, names.right() - 4.0, &words, size::TICK, cx.theme.text3);
    }
    for (right, listed, column) in columns.placed(rect) {
        let place = Rect::from_min_max(pos2(right - WIDTH + 2.0, rect.top()), pos2(right + 4.0, rect.bottom()));
        let key = column.key.unwrap_or_default();
        head(ui, cx, place, (key, listed.head, listed.unit), listed.help, Align2::RIGHT_CENTER);
    }
}

fn head(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    place: Rect,
    (key, name, unit): (&str, &str, &str),
    help: &str,
    align: Align2,
) {
    let sort = cx.view.settings.clip_sort.as_ref();
    let sorts = sort.filter(|sort| sort.column == key);
    let response = ui.interact(place, ui.scope_id().with(("head", key)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, sorts.is_some(), format!("Sort by {name}")));
    let color = match (sorts.is_some(), response.hovered()) {
        (true, _) => cx.theme.accent,
        (false, true) => cx.theme.text1,
        (false, false) => cx.theme.text3,
    };
    let (x, y) = match align {
        Align2::LEFT_CENTER => (place.left() + 30.0, place.center().y),
        _ => (place.right() - 4.0, place.top() + 9.0),
    };
    let painter = ui.painter();
    let words = painter.text(pos2(x, y), align, name, font(size::TICK), color);
    if let Some(sort) = sorts {
        let beside = if align == Align2::LEFT_CENTER { words.right() + 7.0 } else { words.left() - 7.0 };
        direction(painter, pos2(beside, y), sort.descending, color);
    }
    painter.text(pos2(x, place.bottom() - 8.0), align, unit, font(size::TICK), cx.theme.text3);
    let order = match (sorts, key == NAMES) {
        (None, _) => "Click to sort.",
        (Some(sort), true) if sort.descending => "From the end of the alphabet. Click for file order.",
        (Some(_), true) => "By the alphabet. Click to reverse.",
        (Some(sort), false) if sort.descending => "Largest first. Click for the smallest first.",
        (Some(_), false) => "Smallest first. Click for file order.",
    };
    response.context_menu(|ui| {
        column_choice(ui, cx);
        ui.separator();
        grouping(ui, cx);
    });
    let help = format!("{help} {order} Right-click to choose columns.");
    if response.on_hover_text(help).clicked() {
        cx.push(ClipCommand::SortClips(ClipSort::next(sort, key)));
    }
}

/// A check box for each column of numbers.
fn column_choice(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (listed, column) in ReportColumn::for_lists() {
        let Some(key) = column.key else { continue };
        let mut on = cx.view.settings.clip_columns.contains(key);
        if ui.checkbox(&mut on, format!("Column {}", listed.head)).on_hover_text(listed.help).changed() {
            cx.push(ClipCommand::ToggleColumn(key.to_owned()));
        }
    }
}

fn grouping(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut by_file = cx.view.settings.clips_by_file;
    if ui.checkbox(&mut by_file, "Group by file").clicked() {
        cx.push(ClipCommand::GroupClips(by_file));
    }
}

/// A triangle that points towards smaller values: down if the order is descending.
fn direction(painter: &Painter, at: Pos2, descending: bool, color: Color32) {
    let down = if descending { 1.0 } else { -1.0 };
    let points = [vec2(-3.0, -2.0), vec2(3.0, -2.0), vec2(0.0, 2.5)].map(|p| at + vec2(p.x, p.y * down));
    painter.add(Shape::convex_polygon(points.to_vec(), color, Stroke::NONE));
}

/// A menu of all sort orders, also those of hidden columns, and of grouping.
pub fn order_menu(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let button = Button::new(RichText::new("Sort").size(size::SMALL)).min_size(Vec2::new(MENU_WIDTH, 0.0));
    let menu = egui::containers::menu::MenuButton::from_button(button).ui(ui, |ui| {
        let sort = cx.view.settings.clip_sort.clone();
        if ui.selectable_label(sort.is_none(), "File order").clicked() {
            cx.push(ClipCommand::SortClips(None));
        }
        let names = std::iter::once((NAMES, "name"));
        let columns = ReportColumn::for_lists().filter_map(|(listed, column)| Some((column.key?, listed.head)));
        for (key, name) in names.chain(columns) {
            let current = sort.as_ref().filter(|sort| sort.column == key);
            if ui.selectable_label(current.is_some(), name).clicked() {
                cx.push(ClipCommand::SortClips(ClipSort::next(sort.as_ref(), key)));
            }
        }
        ui.separator();
        ui.menu_button("Columns", |ui| column_choice(ui, cx));
        grouping(ui, cx);
    });
    let response = menu.0.on_hover_text("Sort order, and grouping by file.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Sort clips"));
}
