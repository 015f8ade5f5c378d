use super::listed::to_top;
use super::{PanelCx, overrides, treemap};
use crate::actions::{command_key, list};
use crate::commands::{Command, JointCommand};
use crate::theme::{font, size};
use crate::widgets::{RowKeys, RowList, byte_bar, error_bar, header, label, row_tooltip, text_middle};
use egui::text::LayoutJob;
use egui::{
    Align2, ComboBox, Margin, Rect, Response, ScrollArea, Sense, Shape, Stroke, TextEdit, Ui, Vec2, WidgetInfo, pos2,
};
use posepress_core::model::Skeleton;
use posepress_core::report::{JointCosts, JointRow, JointSort, joint_rows};
use posepress_core::text;

/// Height of a row.
const ROW: f32 = 22.0;

/// The joint tree with each joint's error and bytes.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((rig, _)) = cx.selected() else {
        if !cx.tabs {
            header(ui, cx.theme, None, "Joints", LayoutJob::default());
        }
        return;
    };
    let costs = JointCosts::of(rig.skeleton.len(), cx.shown(), cx.workspace.blame());
    let allowed_m = cx.report().map_or(cx.workspace.active_recipe().largest_error_m(), |report| report.most_m());
    if !cx.tabs {
        let fact = format!("{}   {} bytes", rig.skeleton.len(), text::exact(costs.total_bytes));
        header(ui, cx.theme, None, "Joints", LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3));
    }
    egui::Frame::new().inner_margin(Margin { left: 8, right: 8, top: 6, bottom: 4 }).show(ui, |ui| tools(ui, cx));
    let rows = rows(cx, &rig.skeleton, &costs);
    if rows.is_empty() {
        label(ui, format!("  No joint matches '{}'", cx.view.filters.joints), size::BODY, cx.theme.text2);
        return;
    }
    column_heads(ui, cx);
    ui.spacing_mut().item_spacing.y = 0.0;
    let last = last_column(cx.view.settings.joint_sort);
    let largest = (0..rig.skeleton.len()).map(|j| costs.by(last, j)).fold(f32::MIN_POSITIVE, f32::max);
    let area = ScrollArea::vertical().id_salt("joints").auto_shrink(false);
    to_top(ui, "joints", &cx.view.settings.joint_sort, area).show_rows(ui, ROW, rows.len(), |ui, range| {
        let selected = rows.iter().position(|row| Some(row.joint) == cx.view.selection.joint);
        let list = RowList::new(ui, "joints", selected, rows.len(), ROW).of(cx.view.selection.joint);
        for index in range.clone() {
            let place = list.row(ui, index, &range);
            show_row(ui, cx, &rig.skeleton, (&rows[index], place), &costs, (largest, allowed_m));
        }
        keys(cx, &rows, list.keys(ui, &range));
    });
}

/// Up and down select, left folds, right unfolds.
fn keys(cx: &mut PanelCx<'_>, rows: &[JointRow], keys: RowKeys) {
    if let Some(row) = keys.moved {
        cx.push(JointCommand::SelectJoint(Some(rows[row].joint)));
    }
    let JointRow { joint, folded, .. } = rows[keys.stop];
    if keys.across < 0 && folded == Some(false) || keys.across > 0 && folded == Some(true) {
        cx.push(JointCommand::ToggleJoint(joint));
    }
}

/// Quantity of the last column. Error has its own column.
fn last_column(sort: JointSort) -> JointSort {
    if sort == JointSort::Error { JointSort::Bytes } else { sort }
}

fn rows(cx: &PanelCx<'_>, skeleton: &Skeleton, costs: &JointCosts) -> Vec<JointRow> {
    let view = cx.view;
    joint_rows(skeleton, costs, view.settings.joint_sort, &view.filters.joints, |joint| {
        view.selection.folded.contains(&joint)
    })
}

fn tools(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal(|ui| {
        let mut wanted = cx.view.filters.joints.clone();
        let width = (ui.available_width() - 100.0).max(60.0);
        let edit = TextEdit::singleline(&mut wanted).hint_text("Find joint").desired_width(width);
        let response = ui.add(edit).on_hover_text("Show only joints whose name contains this text.");
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Find joint"));
        if response.changed() {
            cx.push(JointCommand::FilterJoints(wanted));
        }
        choose_sort(ui, cx);
    });
}

const SORTS: [(JointSort, &str, &str); 5] = [
    (JointSort::Tree, "Tree", "Children below their parents."),
    (JointSort::Error, "Worst first", "A flat list, largest error first."),
    (JointSort::Bytes, "Most bytes", "A flat list, most bytes first."),
    (JointSort::Bits, "Most bits", "A flat list, most bits per sample first."),
    (JointSort::Blame, "Blame", "A flat list: the joint that causes most of the explained slide or error first."),
];

fn choose_sort(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let chosen = cx.view.settings.joint_sort;
    let name = SORTS.iter().find(|s| s.0 == chosen).map_or("", |s| s.1);
    let combo = ComboBox::from_id_salt("sort joints").width(84.0).selected_text(name).truncate();
    let response = combo.show_ui(ui, |ui| {
        for (sort, name, help) in SORTS {
            if ui.selectable_label(sort == chosen, name).on_hover_text(help).clicked() {
                cx.push(JointCommand::SortJoints(sort));
            }
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Order of joints"));
}

/// Horizontal positions of the columns. A narrow list has no bars, and one without all settings no bytes, to leave room for
/// names.
struct Columns {
    name: f32,
    error_bar: Option<(f32, f32)>,
    error: f32,
    byte_bar: Option<(f32, f32)>,
    /// Right edge of bytes, bits or blame.
    cost: Option<f32>,
}

/// Least width of a list with bars.
const ROOM_FOR_BARS: f32 = 280.0;

fn columns(cx: &PanelCx<'_>, rect: Rect) -> Columns {
    const BAR: f32 = 28.0;
    let sorts_by_cost = !matches!(cx.view.settings.joint_sort, JointSort::Tree | JointSort::Error);
    let has_bars = rect.width() >= ROOM_FOR_BARS;
    let right = rect.right() - 12.0;
    let cost = (cx.shows_all() || sorts_by_cost).then_some(right);
    let byte_bar = cost.filter(|_| has_bars).map(|cost| (cost - 40.0 - BAR, cost - 40.0));
    let error = byte_bar.map(|(left, _)| left - 10.0).or(cost.map(|cost| cost - 40.0)).unwrap_or(right);
    let error_bar = has_bars.then_some((error - 36.0 - BAR, error - 36.0));
    let name = error_bar.map_or(error - 34.0, |(left, _)| left - 6.0);
    Columns { name, error_bar, error, byte_bar, cost }
}

fn column_heads(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let at = columns(cx, rect);
    let y = rect.center().y;
    let head = |x, align, text| {
        ui.painter().text(pos2(x, y), align, text, font(size::TICK), cx.theme.text3);
    };
    head(rect.left() + 26.0, Align2::LEFT_CENTER, "joint");
    head(at.error, Align2::RIGHT_CENTER, if at.error_bar.is_some() { "error mm" } else { "mm" });
    let last = match last_column(cx.view.settings.joint_sort) {
        JointSort::Bits => "bits per sample",
        JointSort::Blame => "of the error",
        _ => "bytes",
    };
    at.cost.into_iter().for_each(|right| head(right, Align2::RIGHT_CENTER, last));
}

fn show_row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    skeleton: &Skeleton,
    (row, (rect, response)): (&JointRow, (Rect, Response)),
    costs: &JointCosts,
    (largest, allowed_m): (f32, f32),
) {
    let name = skeleton.name(row.joint);
    let selected = cx.view.selection.joint == Some(row.joint);
    response.widget_info(|| WidgetInfo::selected(egui::Role::TreeItem, true, selected, name));
    row_background(ui.painter(), cx, row.joint, rect, response.hovered());
    let at = columns(cx, rect);
    let fold = tree_line(ui.painter(), cx, row, rect);
    let color = if selected { cx.theme.text1 } else { cx.theme.text2 };
    text_middle(ui.painter(), pos2(fold.center().x + 11.0, rect.center().y), at.name, name, size::SMALL, color);
    if cx.shown().is_some() {
        error_cell(ui.painter(), cx, &at, rect, costs.error_m[row.joint], allowed_m);
        cost_cell(ui.painter(), cx, &at, rect, costs, (row.joint, largest));
    }
    let pointer = response.interact_pointer_pos();
    let response = row_tooltip(response, row_words(ui, cx, (row.joint, name), costs, allowed_m));
    menu(cx, &response, row.joint);
    if response.double_clicked() {
        cx.push(JointCommand::SelectJoint(Some(row.joint)));
        cx.run(&list::FRAME_SELECTION);
    } else if response.clicked() {
        let on_fold = row.folded.is_some() && pointer.is_some_and(|p| fold.contains(p));
        let compare = ui.input(|i| i.modifiers.command);
        cx.push(match (on_fold, compare) {
            (true, _) => Command::Joint(JointCommand::ToggleJoint(row.joint)),
            (_, true) => Command::Joint(JointCommand::CompareJoint(row.joint)),
            _ => Command::Joint(JointCommand::SelectJoint(Some(row.joint))),
        });
    }
}

fn row_background(painter: &egui::Painter, cx: &PanelCx<'_>, joint: usize, rect: Rect, is_hovered: bool) {
    if cx.view.selection.joint == Some(joint) {
        painter.rect_filled(rect, 0.0, cx.theme.selection);
        painter.rect_filled(Rect::from_min_size(rect.min, Vec2::new(3.0, ROW)), 0.0, cx.theme.selection_line);
    } else if is_hovered || cx.view.selection.compared.contains(&joint) {
        painter.rect_filled(rect, 0.0, cx.theme.hover);
    }
}

/// Draws a vertical line per ancestor, and the fold sign. Returns the area in which a click folds.
fn tree_line(painter: &egui::Painter, cx: &PanelCx<'_>, row: &JointRow, rect: Rect) -> Rect {
    // The indent is limited, so that names in deep rigs have room.
    let (step, most) = if rect.width() < ROOM_FOR_BARS { (4.0, 32.0) } else { (7.0, 56.0) };
    let indent = |depth: usize| rect.left() + (depth as f32 * step).min(most);
    for depth in 0..row.depth {
        painter.vline(indent(depth) + 15.0, rect.y_range(), Stroke::new(1.0, cx.theme.weak));
    }
    let fold = Rect::from_center_size(pos2(indent(row.depth) + 15.0, rect.center().y), Vec2::splat(16.0));
    match row.folded {
        Some(folded) => chevron(painter, fold, folded, cx.theme.text3),
        None => _ = painter.circle_filled(fold.center(), 1.5, cx.theme.text3),
    }
    fold
}

/// Position of a bar in a row.
fn bar_of(rect: Rect, (from, to): (f32, f32)) -> Rect {
    let y = rect.center().y;
    Rect::from_min_max(pos2(from, y - 3.0), pos2(to, y + 3.0))
}

fn error_cell(painter: &egui::Painter, cx: &PanelCx<'_>, at: &Columns, rect: Rect, error_m: f32, allowed_m: f32) {
    if let Some(place) = at.error_bar {
        error_bar(painter, cx.theme, bar_of(rect, place), error_m / allowed_m);
    }
    let color = if error_m > allowed_m { cx.theme.warn } else { cx.theme.text2 };
    let text = format!("{:.2}", error_m * 1000.0);
    painter.text(pos2(at.error, rect.center().y), Align2::RIGHT_CENTER, text, font(size::SMALL), color);
}

/// Draws the last column: the value, and a bar relative to the largest value.
fn cost_cell(
    painter: &egui::Painter,
    cx: &PanelCx<'_>,
    at: &Columns,
    rect: Rect,
    costs: &JointCosts,
    (joint, largest): (usize, f32),
) {
    let Some(right) = at.cost else { return };
    let last = last_column(cx.view.settings.joint_sort);
    let value = costs.by(last, joint);
    if let Some(place) = at.byte_bar {
        byte_bar(painter, cx.theme, bar_of(rect, place), (value / largest).max(0.0));
    }
    let text = match last {
        JointSort::Bits => format!("{value:.1}"),
        JointSort::Blame => text::percent(value),
        _ => format!("{value:.0}"),
    };
    painter.text(pos2(right, rect.center().y), Align2::RIGHT_CENTER, text, font(size::SMALL), cx.theme.text2);
}

fn row_words(ui: &Ui, cx: &PanelCx<'_>, (joint, name): (usize, &str), costs: &JointCosts, allowed_m: f32) -> String {
    let estimate = if treemap::is_estimate(cx) { format!("\n{}", treemap::ESTIMATE) } else { String::new() };
    format!(
        "{name}\nerror {}, allowed {}\n{:.1} bytes of {}, {:.1} bits per sample{estimate}\nDouble-click frames it, {}-click \
         draws its curves too.",
        text::length(costs.error_m[joint]),
        text::length(allowed_m),
        costs.bytes[joint],
        text::exact(costs.total_bytes),
        costs.bits_per_sample(joint),
        command_key(ui.ctx())
    )
}

/// Context menu of a joint.
pub fn menu(cx: &mut PanelCx<'_>, response: &Response, joint: usize) {
    if response.secondary_clicked() {
        cx.push(JointCommand::SelectJoint(Some(joint))); // the entries apply to the selected joint
    }
    response.context_menu(|ui| {
        for action in [&list::FRAME_SELECTION, &list::KEEP_TRAIL] {
            cx.entry(ui, action);
        }
        if ui.button("Draw its curves, too").on_hover_text("In addition to those of the selected joint.").clicked() {
            cx.push(JointCommand::CompareJoint(joint));
        }
        ui.separator();
        overrides::entries(ui, cx, joint);
        overrides::never_touch_entry(ui, cx, joint);
    });
}

fn chevron(painter: &egui::Painter, rect: Rect, folded: bool, color: egui::Color32) {
    let c = rect.center();
    let points = if folded {
        vec![pos2(c.x - 1.5, c.y - 3.5), pos2(c.x + 2.5, c.y), pos2(c.x - 1.5, c.y + 3.5)]
    } else {
        vec![pos2(c.x - 3.5, c.y - 1.5), pos2(c.x + 3.5, c.y - 1.5), pos2(c.x, c.y + 2.5)]
    };
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
}
