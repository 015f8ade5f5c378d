//! The table of every clip with every recipe: results, and the assigned recipe.

use super::super::{PanelCx, clip_columns, clips};
use crate::actions::list;
use crate::commands::{BudgetCommand, ClipCommand, Command, Naming, RecipeCommand};
use crate::state::{Budgeting, TableFigure, clip_listing, picked};
use crate::theme::{Theme, font, size};
use crate::widgets::{
    Icon, RowList, chevron, icon_button, label, paint_icon, right_group, text_distinct, verdict_icon,
};
use egui::{Align2, Color32, Margin, Painter, Rect, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::model::ClipId;
use posepress_core::project::RecipePlace;
use posepress_core::study::ClipFigures;
use posepress_core::text;
use posepress_core::workspace::{ClipListing, ClipRow};
use std::sync::Arc;

const ROW: f32 = 24.0;
const HEADS: f32 = 40.0;
/// Left edge and least width of names.
const NAME_LEFT: f32 = 12.0;
const NAMES: f32 = 190.0;
/// Width of a recipe's column: icon, size, error and slide.
const RECIPE: f32 = 192.0;

impl TableFigure {
    const ALL: [Self; 3] = [Self::Size, Self::Error, Self::Slide];

    const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Error => "error mm",
            Self::Slide => "slide mm",
        }
    }

    /// Right end within a recipe's column.
    const fn right(self) -> f32 {
        match self {
            Self::Size => 72.0,
            Self::Error => 128.0,
            Self::Slide => 184.0,
        }
    }

    fn of(self, figures: &ClipFigures) -> Option<f64> {
        match self {
            Self::Size => Some(figures.figures.bytes as f64),
            Self::Error => Some(figures.figures.error_mm),
            Self::Slide => figures.figures.slide_mm,
        }
    }

    fn shown(self, figures: &ClipFigures) -> String {
        match self {
            Self::Size => text::bytes(figures.figures.bytes),
            Self::Error | Self::Slide => {
                let millimetres = |mm: f64| text::length(mm as f32 / 1000.0);
                let with_unit = self.of(figures).map_or(text::NOT_MEASURED.into(), millimetres);
                with_unit.trim_end_matches(" mm").to_owned()
            }
        }
    }
}

/// The table. If not all recipes fit, buttons scroll them while the names stay.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    egui::Frame::new().inner_margin(Margin { left: 12, right: 12, top: 0, bottom: 4 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            clips::filter(ui, cx);
            clip_columns::order_menu(ui, cx);
        });
    });
    let all = cx.workspace.table_places();
    let kept = ordered(ui, cx, &all);
    let rows = &kept.clips;
    if rows.is_empty() {
        return clips::nothing(ui, cx);
    }
    let room = ((ui.available_width() - NAME_LEFT - NAMES) / RECIPE).max(1.0) as usize;
    let first = cx.view.budget.first_recipe.min(all.len().saturating_sub(room));
    let seen = &all[first..(first + room).min(all.len())];
    tools(ui, cx, (first, room, all.len()));
    ui.spacing_mut().item_spacing.y = 0.0;
    heads(ui, cx, seen);
    all_together(ui, cx, &kept.sums[first..first + seen.len()], rows.len());
    ScrollArea::vertical().id_salt("clips and recipes").auto_shrink(false).show_rows(
        ui,
        ROW,
        rows.len(),
        |ui, range| {
            let selected = rows.iter().position(|(id, ..)| Some(*id) == cx.workspace.selected());
            let list = RowList::new(ui, "clips and recipes", selected, rows.len(), ROW);
            for index in range.clone() {
                let (rect, response) = list.row(ui, index, &range);
                row(ui, cx, seen, rect, &rows[index], &response);
            }
            if let Some(to) = list.keys(ui, &range).moved {
                cx.push(ClipCommand::SelectClip(rows[to].0));
            }
        },
    );
}

/// The rows of the table.
struct Lines {
    /// Listed clips: id, name, and number of letters at the start that the name shares with another one.
    clips: Vec<(ClipId, String, usize)>,
    /// Totals per recipe: the sum of sizes, and the worst of other quantities.
    sums: Vec<Option<ClipFigures>>,
}

/// State that the rows were made from. They are rebuilt only if it changes.
type MadeFrom = (u64, usize, ClipListing, Option<(RecipePlace, TableFigure)>);

/// The rows in the chosen order, largest first.
fn ordered(ui: &Ui, cx: &PanelCx<'_>, places: &[RecipePlace]) -> Arc<Lines> {
    let (workspace, order) = (cx.workspace, cx.view.budget.order.clone());
    let made_from: MadeFrom = (workspace.revision(), workspace.active_slot(), clip_listing(cx.view), order);
    let id = ui.scope_id().with("lines");
    if let Some((known, lines)) = ui.data(|d| d.get_temp::<(MadeFrom, Arc<Lines>)>(id))
        && known == made_from
    {
        return lines;
    }
    let listed = clips::rows(ui, cx);
    let clips = listed.rows.iter().zip(&listed.shared).filter_map(|(row, shared)| match row {
        ClipRow::Clip { id, name } => Some((*id, name.clone(), *shared)),
        ClipRow::File { .. } | ClipRow::Rig { .. } => None,
    });
    let mut clips: Vec<_> = clips.collect();
    if let Some((place, figure)) = &made_from.3 {
        let value = |id: ClipId| workspace.table_figures(place, id).and_then(|figures| figure.of(&figures));
        clips.sort_by_cached_key(|(id, ..)| std::cmp::Reverse(value(*id).map(|v| (v * 1e6) as u64)));
    }
    let sum = |place: &RecipePlace| {
        let known: Option<Vec<ClipFigures>> =
            clips.iter().map(|(id, ..)| workspace.table_figures(place, *id)).collect();
        known?.into_iter().reduce(ClipFigures::with)
    };
    let sums = places.iter().map(sum).collect();
    let lines = Arc::new(Lines { clips, sums });
    ui.data_mut(|d| d.insert_temp(id, (made_from, lines.clone())));
    lines
}

fn tools(ui: &mut Ui, cx: &mut PanelCx<'_>, (first, room, all): (usize, usize, usize)) {
    egui::Frame::new().inner_margin(Margin { left: 12, right: 12, top: 2, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            cx.control(ui, &list::GIVE_SMALLEST, |ui, _, help| ui.button("Best per clip").on_hover_text(help));
            let letter = cx.workspace.slot_letter(cx.workspace.active_slot());
            let words = match picked(cx.workspace, cx.view).len() {
                0 | 1 => format!("Click a cell to give the clip that recipe in slot {letter}."),
                many => format!("Click a cell to give the {many} picked clips that recipe in slot {letter}."),
            };
            label(ui, words, size::SMALL, cx.theme.text3);
            legend(ui, cx);
            right_group(ui, "turn over", |ui| {
                let now = cx.view.budget.clone();
                let turned = |to: usize| {
                    Command::Budget(BudgetCommand::SetBudget(Budgeting { first_recipe: to, ..now.clone() }))
                };
                if all > room {
                    let last = all - room;
                    let (left, right) = (first.saturating_sub(1), (first + 1).min(last));
                    if icon_button(
                        ui,
                        cx.theme,
                        Icon::StepBack,
                        false,
                        "Recipes before",
                        "Show the recipes to the left.",
                    )
                    .clicked()
                    {
                        cx.push(turned(left));
                    }
                    label(ui, format!("{} of {all}", first + room), size::SMALL, cx.theme.text2);
                    let help = "Show the recipes to the right.";
                    if icon_button(ui, cx.theme, Icon::StepForward, false, "Recipes after", help).clicked() {
                        cx.push(turned(right));
                    }
                }
            });
        });
    });
}

/// The meaning of fill and outline of a cell.
fn legend(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (good, own) = (cx.theme.verdict_fill(posepress_core::metrics::Verdict::Good), cx.theme.selection_line);
    for (fill, line, words) in
        [(good, Color32::TRANSPARENT, "smallest that passes"), (Color32::TRANSPARENT, own, "has it now")]
    {
        ui.add_space(6.0);
        let (rect, _) = ui.allocate_exact_size(Vec2::new(14.0, 12.0), Sense::hover());
        ui.painter().rect(rect, 3.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
        label(ui, words, size::TICK, cx.theme.text3);
    }
}

fn column(rect: Rect, index: usize) -> Rect {
    let left = rect.left() + NAME_LEFT + NAMES + RECIPE * index as f32;
    Rect::from_x_y_ranges(left..=left + RECIPE, rect.y_range())
}

fn heads(ui: &mut Ui, cx: &mut PanelCx<'_>, seen: &[RecipePlace]) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), HEADS), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, cx.theme.head);
    let at = pos2(rect.left() + NAME_LEFT, rect.bottom() - 10.0);
    ui.painter().text(at, Align2::LEFT_CENTER, "clip", font(size::TICK), cx.theme.text3);
    for (index, place) in seen.iter().enumerate() {
        let column = column(rect, index);
        head(ui, cx, column, place);
        for figure in TableFigure::ALL {
            order(ui, cx, column, place, figure);
        }
    }
}

/// Name and title of a recipe.
fn head(ui: &Ui, cx: &PanelCx<'_>, column: Rect, place: &RecipePlace) {
    let name = cx.workspace.place_name(place);
    let title = match place {
        RecipePlace::Slot(slot) if *slot < cx.workspace.document().recipes.len() => cx.workspace.own_title(*slot),
        place => cx.workspace.document().recipe_at(place).map(|recipe| recipe.title()).unwrap_or_default(),
    };
    let (painter, theme) = (ui.painter(), cx.theme);
    let failed = cx.workspace.table_failure(place);
    let color = if failed.is_some() { theme.fail } else { theme.text1 };
    let at = pos2(column.left() + 6.0, column.top() + 11.0);
    let words = if name == title { name.clone() } else { format!("{name}  {title}") };
    crate::widgets::text_elided(painter, at, column.right() - 4.0, &words, size::SMALL, color);
    let upper = Rect::from_x_y_ranges(column.x_range(), column.top()..=column.top() + 22.0);
    let response = ui.interact(upper, ui.scope_id().with(("recipe", &name)), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("Recipe {words}")));
    response.on_hover_text(failed.map_or_else(|| words.clone(), |why| format!("{words}\n{why}")));
}

/// Head of a figure. A click orders the clips by it, a second click restores the file order.
fn order(ui: &Ui, cx: &mut PanelCx<'_>, column: Rect, place: &RecipePlace, figure: TableFigure) {
    let key = Some((place.clone(), figure));
    let on = cx.view.budget.order == key;
    let right = column.left() + figure.right();
    let rect = Rect::from_min_max(pos2(right - 48.0, column.bottom() - 19.0), pos2(right, column.bottom() - 1.0));
    let color = if on { cx.theme.accent } else { cx.theme.text3 };
    let words = ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, figure.name(), font(size::TICK), color);
    if on {
        chevron(ui.painter(), pos2(words.left() - 7.0, words.center().y), true, cx.theme);
    }
    let name = format!("Order by {} of {}", figure.name(), cx.workspace.place_name(place));
    let response = ui.interact(rect, ui.scope_id().with(&name), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, &name));
    if response.on_hover_text("Largest first. Again: in file order.").clicked() {
        let order = key.filter(|_| !on);
        cx.push(BudgetCommand::SetBudget(Budgeting { order, ..cx.view.budget.clone() }));
    }
}

/// Totals of the listed clips.
fn all_together(ui: &mut Ui, cx: &PanelCx<'_>, sums: &[Option<ClipFigures>], clips: usize) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::hover());
    let at = pos2(rect.left() + NAME_LEFT, rect.center().y);
    let words = format!("all {}", text::count(clips, "clip"));
    ui.painter().text(at, Align2::LEFT_CENTER, words, font(size::BODY), cx.theme.text2);
    for (index, sum) in sums.iter().enumerate() {
        figures(ui.painter(), cx.theme, column(rect, index), sum.as_ref());
    }
    ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, cx.theme.stroke));
}

fn row(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    seen: &[RecipePlace],
    rect: Rect,
    (id, name, shared): &(ClipId, String, usize),
    response: &egui::Response,
) {
    let selected = cx.workspace.selected() == Some(*id);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, name));
    clips::background(ui, cx, rect, clips::is_picked(cx, *id), response.hovered());
    let at = pos2(rect.left() + NAME_LEFT, rect.center().y);
    text_distinct(ui.painter(), at, at.x + NAMES - 10.0, (name, *shared), size::BODY, cx.theme.text1);
    if response.clicked() {
        clips::pick(ui, cx, *id);
    }
    let has = cx.workspace.place_in(cx.workspace.active_slot(), *id);
    let best = cx.workspace.smallest_in_table(*id);
    for (index, place) in seen.iter().enumerate() {
        let is_best = best.as_ref() == Some(place);
        cell(ui, cx, column(rect, index), (*id, name), place, (has == *place, is_best));
    }
}

/// Result of a clip with a recipe. A click assigns the recipe to the clip, or to all picked clips if it is one of them.
fn cell(
    ui: &Ui,
    cx: &mut PanelCx<'_>,
    place_of_cell: Rect,
    (id, name): (ClipId, &str),
    place: &RecipePlace,
    (has, is_best): (bool, bool),
) {
    let rect = place_of_cell.shrink2(Vec2::new(2.0, 1.0));
    let of = cx.workspace.place_name(place);
    let spoken = format!("{name} with {of}");
    let response = ui.interact(rect, ui.scope_id().with(("cell", id, &of)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, has, &spoken));
    let (painter, theme) = (ui.painter(), cx.theme);
    let line = match (has, response.hovered()) {
        (true, _) => theme.selection_line,
        (false, true) => theme.strong,
        (false, false) => Color32::TRANSPARENT,
    };
    let fill = if is_best { theme.verdict_fill(posepress_core::metrics::Verdict::Good) } else { Color32::TRANSPARENT };
    painter.rect(rect, 3.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let known = cx.workspace.table_figures(place, id);
    figures(painter, theme, place_of_cell, known.as_ref());
    let words = told(&spoken, known.as_ref(), (has, is_best));
    if response.on_hover_text(words).clicked() && !has {
        let among = picked(cx.workspace, cx.view);
        let naming = match among.contains(&id) {
            true => Naming::Assign(place.clone()),
            false => Naming::Give(id, place.clone()),
        };
        cx.push(RecipeCommand::Naming(naming));
    }
}

/// Draws verdict, size, error and slide in their columns.
fn figures(painter: &Painter, theme: &Theme, column: Rect, known: Option<&ClipFigures>) {
    let icon = Rect::from_center_size(pos2(column.left() + 12.0, column.center().y), Vec2::splat(12.0));
    let Some(figures) = known else { return paint_icon(painter, icon, 11.0, Icon::Working, theme.text3) };
    paint_icon(painter, icon, 11.0, verdict_icon(figures.verdict), theme.verdict(figures.verdict));
    for figure in TableFigure::ALL {
        let at = pos2(column.left() + figure.right(), column.center().y);
        let color = if figure == TableFigure::Size { theme.text1 } else { theme.text2 };
        painter.text(at, Align2::RIGHT_CENTER, figure.shown(figures), font(size::SMALL), color);
    }
}

fn told(spoken: &str, figures: Option<&ClipFigures>, (has, is_best): (bool, bool)) -> String {
    let Some(figures) = figures else { return format!("{spoken}: being measured") };
    let slide = match figures.figures.slide_mm {
        Some(_) => format!(", slide {} mm", TableFigure::Slide.shown(figures)),
        None => String::new(),
    };
    let (size, error) = (TableFigure::Size.shown(figures), TableFigure::Error.shown(figures));
    let best = if is_best { "\nThe smallest passing recipe." } else { "" };
    let does = if has { "The clip has this recipe." } else { "Click to give this recipe to the clip." };
    format!("{spoken}: {size}, error {error} mm{slide}; {}{best}\n{does}", figures.verdict.key())
}
