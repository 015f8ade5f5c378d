use super::super::PanelCx;
use super::points::{OF_COMPARISON, choose, error_mm, is_chosen, slot_of};
use crate::commands::RecipeCommand;
use crate::theme::{font, size};
use crate::widgets::{RowList, header, paint_icon, text_middle, verdict_icon};
use egui::text::LayoutJob;
use egui::{Align2, Color32, Rect, ScrollArea, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::study::{StudyLimit, StudyPoint};
use posepress_core::text;

const ROW: f32 = 22.0;
/// Left edge of names, after verdict and slot.
const NAME_LEFT: f32 = 56.0;
/// Width of a column of figures.
const COLUMN: f32 = 72.0;
/// Least width of names.
const NAMES: f32 = 180.0;

/// A column: its head, and text and colour of its cells. The most important columns come first.
type Column = (&'static str, fn(&PanelCx<'_>, &StudyPoint) -> (String, Color32));

const COLUMNS: [Column; 10] = [
    ("size", |cx, point| {
        let over = cx.view.budget.limits.is_over_size(point);
        (text::bytes(point.totals.file_size().bytes as u64), if over { cx.theme.warn } else { cx.theme.text1 })
    }),
    ("shell", |cx, point| error(cx, point, Aspect::Shell)),
    ("slide", |cx, point| error(cx, point, Aspect::Slide)),
    ("skin", |cx, point| error(cx, point, Aspect::Skin)),
    ("fail", |cx, point| count(cx, point.totals.failing, cx.theme.fail)),
    ("warn", |cx, point| count(cx, point.totals.warning, cx.theme.warn)),
    ("ratio", |cx, point| {
        (text::ratio(point.totals.raw_bytes as f32 / point.totals.bytes.max(1) as f32), cx.theme.text2)
    }),
    ("memory", |cx, point| limited(cx, point, StudyLimit::Memory)),
    ("seam", |cx, point| limited(cx, point, StudyLimit::Seam)),
    ("decode", |cx, point| limited(cx, point, StudyLimit::Decode)),
];

fn limited(cx: &PanelCx<'_>, point: &StudyPoint, limit: StudyLimit) -> (String, Color32) {
    let figure = limit.figure(point).filter(|_| cx.view.timings || !limit.is_time());
    let color = if cx.view.budget.limits.is_over(limit, point) { cx.theme.warn } else { cx.theme.text2 };
    figure.map_or((text::NOT_MEASURED.into(), cx.theme.text3), |figure| (limit.words(figure), color))
}

fn error(cx: &PanelCx<'_>, point: &StudyPoint, aspect: Aspect) -> (String, Color32) {
    let color = point.totals.worst(aspect).map_or(cx.theme.text3, |worst| match worst.verdict {
        Verdict::Good => cx.theme.text1,
        verdict => cx.theme.verdict(verdict),
    });
    let length = |mm: f64| text::length(mm as f32 / 1000.0);
    (error_mm(&point.totals, aspect).map_or(text::NOT_MEASURED.into(), length), color)
}

fn count(cx: &PanelCx<'_>, count: usize, color: Color32) -> (String, Color32) {
    (count.to_string(), if count == 0 { cx.theme.text3 } else { color })
}

/// Every recipe that was tried, smallest first.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let workspace = cx.workspace;
    let mut points: Vec<&StudyPoint> = workspace.study_points().iter().collect();
    points.sort_by_key(|point| point.totals.file_size().bytes);
    let fitting = points.iter().filter(|point| cx.view.budget.limits.fits(point)).count();
    let fact = format!("{} tried, {fitting} fit; double-click to use one as the active recipe", points.len());
    header(ui, cx.theme, None, "Recipes", LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3));
    let shown = ((ui.available_width() - NAME_LEFT - NAMES) / COLUMN).max(1.0) as usize;
    let columns = &COLUMNS[..shown.min(COLUMNS.len())];
    heads(ui, cx, columns);
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().id_salt("recipes").auto_shrink(false).show_rows(ui, ROW, points.len(), |ui, range| {
        let chosen = points.iter().position(|point| is_chosen(cx, point));
        let list = RowList::new(ui, "recipes", chosen, points.len(), ROW);
        for index in range.clone() {
            let (rect, response) = list.row(ui, index, &range);
            let point = points[index];
            let title = point.of.title();
            response.widget_info(|| {
                WidgetInfo::selected(egui::Role::ListBoxOption, true, chosen == Some(index), format!("Point {title}"))
            });
            row(ui, cx, columns, rect, point, response.hovered());
            let response = match point.of.engine {
                Some(engine) => response.on_hover_text(format!(
                    "The closest match to {} with {}. {}",
                    engine.name,
                    point.of.recipe.codec.name(),
                    engine.said()
                )),
                None => response,
            };
            if response.double_clicked() {
                cx.push(RecipeCommand::TakeRecipe(OF_COMPARISON.into(), point.of.recipe.clone()));
            } else if response.clicked() {
                choose(cx, point);
            }
        }
        if let Some(to) = list.keys(ui, &range).moved {
            choose(cx, points[to]);
        }
    });
}

fn heads(ui: &mut Ui, cx: &PanelCx<'_>, columns: &[Column]) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 20.0), Sense::hover());
    let rect = rect.with_max_x(rect.right() - ui.spacing().scroll.allocated_width());
    let (painter, y) = (ui.painter(), rect.center().y);
    let write = |x: f32, align, words: &str| painter.text(pos2(x, y), align, words, font(size::TICK), cx.theme.text3);
    write(rect.left() + NAME_LEFT, Align2::LEFT_CENTER, "codec and tolerance");
    for (index, (name, _)) in columns.iter().enumerate() {
        write(right_of(rect, columns.len(), index), Align2::RIGHT_CENTER, name);
    }
}

/// Right end of a column.
fn right_of(rect: Rect, columns: usize, index: usize) -> f32 {
    rect.right() - 16.0 - COLUMN * (columns - 1 - index) as f32
}

fn row(ui: &Ui, cx: &PanelCx<'_>, columns: &[Column], rect: Rect, point: &StudyPoint, hovered: bool) {
    let (painter, theme, y) = (ui.painter(), cx.theme, rect.center().y);
    super::super::clips::background(ui, cx, rect, is_chosen(cx, point), hovered);
    let verdict = point.totals.verdict();
    let icon = Rect::from_center_size(pos2(rect.left() + 18.0, y), Vec2::splat(12.0));
    paint_icon(painter, icon, 11.0, verdict_icon(verdict), theme.verdict(verdict));
    if let Some(slot) = slot_of(cx, point) {
        let at = pos2(rect.left() + 40.0, y);
        painter.text(at, Align2::CENTER_CENTER, cx.workspace.slot_letter(slot), font(size::SMALL), theme.accent);
    }
    let names_right = right_of(rect, columns.len(), 0) - COLUMN + 8.0;
    let color = if point.of.engine.is_some() { theme.text2 } else { theme.text1 };
    text_middle(painter, pos2(rect.left() + NAME_LEFT, y), names_right, &point.of.title(), size::SMALL, color);
    for (index, (_, of)) in columns.iter().enumerate() {
        let (words, color) = of(cx, point);
        let at = pos2(right_of(rect, columns.len(), index), y);
        painter.text(at, Align2::RIGHT_CENTER, words, font(size::SMALL), color);
    }
}
