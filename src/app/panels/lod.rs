//! Levels of detail of a platform: settings, and cost and error of each level.

use super::PanelCx;
use super::recipe_field::rows;
use crate::commands::{CompareCommand, LodCommand, RecipeCommand};
use crate::state::Panel;
use crate::theme::{font, size};
use crate::widgets::{
    COMBO_WIDTH, NumberLimits, Typed, check_box, draft_field, form_row, label, number, section, text_elided,
    text_right, tool_button,
};
use egui::text::LayoutJob;
use egui::{Align2, ComboBox, Rect, RichText, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::lod::{FARTHEST, LodBy, LodLevel, MAX_LEVELS, Platform};
use posepress_core::metrics::Verdict;
use posepress_core::report::{LodFigures, LodRow, lods_by};
use posepress_core::settings::{LENGTHS_M, Unit};
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Height of the row of a level.
const ROW: f32 = 20.0;
/// Distances from the right edge to the right ends of the numbers.
const ENDS: [f32; 4] = [146.0, 98.0, 46.0, 0.0];
/// Names for the first platforms.
const NAMES: [&str; 4] = ["Game", "Desktop", "Console", "Phone"];

/// The choice of the platform, its settings, and one row per level. A click shows the level beside the original.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.selected().is_none() || cx.workspace.is_external_active() {
        return;
    }
    let shown = cx.workspace.document().platform.clone().unwrap_or_else(|| "off".to_owned());
    let fact = LayoutJob::simple_singleline(shown, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, Panel::Lods.title(), fact, |ui| levels(ui, cx));
}

fn levels(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    choose(ui, cx);
    let Some(platform) = cx.workspace.document().shown_platform().cloned() else { return };
    name(ui, cx);
    let Some((rig, _)) = cx.selected() else { return };
    let screen = cx.workspace.document().screen;
    rows(ui, cx, &platform, |now| LodCommand::Set(Box::new(lods_by(&platform, now, rig, &screen))));
    by_camera(ui, cx);
    let Some(levels) = cx.workspace.lods().filter(|levels| levels.len() == platform.levels.len()) else {
        label(ui, "Measuring levels\u{2026}", size::SMALL, cx.theme.text3);
        return;
    };
    let measured = LodRow::of(&platform, rig, &screen, levels);
    heads(ui, cx);
    for row in &measured {
        ui.push_id(row.level, |ui| level(ui, cx, &platform, row));
    }
    label(ui, "\u{b5}s per frame, mm, pixels at its start", size::TICK, cx.theme.text3);
    add(ui, cx, &platform);
}

/// The platform whose levels are shown, or none.
fn choose(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let document = cx.workspace.document();
    let mut names: Vec<String> = document.platforms.keys().cloned().collect();
    let fresh = NAMES.iter().find(|name| !document.platforms.contains_key(**name)).map(|name| (*name).to_owned());
    let known = names.len();
    names.extend(fresh);
    let now = document.platform.clone();
    let shown = now.clone().unwrap_or_else(|| "off".to_owned());
    let help =
        "Levels of detail of a platform: fewer joints, updates and tiers at a distance. They are kept in the project.";
    let mut wanted = None;
    form_row(ui, cx.theme, "Platform", help, false, |ui| {
        let combo = ComboBox::from_id_salt("platform").width(COMBO_WIDTH).selected_text(shown).truncate();
        let response = combo.show_ui(ui, |ui| {
            if ui.selectable_label(now.is_none(), "off").clicked() {
                wanted = Some(None);
            }
            for (at, name) in names.iter().enumerate() {
                let words = if at < known { name.clone() } else { format!("New: {name}") };
                if ui.selectable_label(now.as_ref() == Some(name), words).clicked() {
                    wanted = Some(Some(name.clone()));
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Platform"));
        response.response
    });
    if let Some(platform) = wanted.filter(|platform| *platform != now) {
        cx.push(LodCommand::Show(platform));
    }
}

/// The platform's name, and what can be done with it.
fn name(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(name) = cx.workspace.document().platform.clone() else { return };
    let help = "Name of the platform. Its levels are kept in the project.";
    let width = ui.available_width() - 8.0;
    if let Some(Typed { text, .. }) = draft_field(ui, "Name of the platform", &name, "", width, help) {
        cx.push(LodCommand::Rename(text));
    }
    ui.horizontal_wrapped(|ui| {
        let theme = cx.theme;
        let save = "Write the levels in a file, for 'posepress lod --platform' and for the engine.";
        if tool_button(ui, theme, "Save\u{2026}", "", save).clicked() {
            cx.push(LodCommand::Save);
        }
        let copy = "Copy the levels as text. Ctrl+V takes them in another project.";
        if tool_button(ui, theme, "Copy", "", copy).clicked() {
            cx.push(LodCommand::Copy);
        }
        if tool_button(ui, theme, "Remove", "", "Remove this platform from the project. Undo brings it back.").clicked()
        {
            cx.push(LodCommand::Remove);
        }
    });
}

fn by_camera(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut on = cx.view.lod_by_camera;
    let help = "The compressed side shows the level of its camera's distance. Zoom out to see the next one.";
    if check_box(ui, cx.theme, &mut on, "Level by the camera's distance").on_hover_text(help).changed() {
        cx.push(LodCommand::ToggleCamera);
    }
}

fn heads(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 16.0), Sense::hover());
    for (end, head) in ENDS.into_iter().zip(["joints", "\u{b5}s", "max", "px"]) {
        let at = pos2(rect.right() - end, rect.center().y);
        ui.painter().text(at, Align2::RIGHT_CENTER, head, font(size::TICK), cx.theme.text3);
    }
}

/// A level: its numbers, and its settings while it is shown.
fn level(ui: &mut Ui, cx: &mut PanelCx<'_>, platform: &Platform, row: &LodRow) {
    let reference = Reference::Lod(row.level);
    let is_on = cx.workspace.reference() == reference;
    let theme = cx.theme;
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
    let words = words(row);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListItem, true, is_on, &words));
    if response.hovered() || is_on {
        ui.painter().rect_filled(rect, 0.0, theme.hover);
    }
    let first = numbers(ui, cx, rect, row);
    let start = match row.level {
        0 => "0: near".to_owned(),
        level => format!("{level}: {}", text::distance(row.from_m as f32)),
    };
    text_elided(ui.painter(), pos2(rect.left() + 2.0, rect.center().y), first - 6.0, &start, size::SMALL, theme.text2);
    if response.clicked() {
        cx.push(CompareCommand::CompareTo(if is_on { Reference::Original } else { reference }));
    }
    response.on_hover_text(format!("{words}\nClick: show it beside the original, and change it."));
    if let Some(fault) = &row.fault {
        let words = RichText::new(format!("The clip {fault}.")).size(size::TICK).color(theme.warn);
        ui.add(egui::Label::new(words).wrap());
    }
    over_limit(ui, cx, platform, row);
    if is_on {
        settings(ui, cx, platform, row);
    }
}

/// The numbers of a row. Returns their left edge.
fn numbers(ui: &Ui, cx: &PanelCx<'_>, rect: Rect, row: &LodRow) -> f32 {
    let Some(of) = &row.measured else { return rect.right() };
    let error_mm = worst_mm(of);
    let numbers = [
        of.joints.to_string(),
        if cx.view.timings { format!("{:.2}", of.decode_us_per_frame) } else { text::NOT_MEASURED.to_owned() },
        if error_mm < 10.0 { format!("{error_mm:.2}") } else { format!("{error_mm:.1}") },
        format!("{:.2}", of.max_px),
    ];
    let color = if of.verdict == Verdict::Good { cx.theme.text1 } else { cx.theme.verdict(of.verdict) };
    let mut left = rect.right();
    for (end, number) in ENDS.into_iter().zip(numbers) {
        let job = LayoutJob::simple_singleline(number, font(size::SMALL), color);
        left = left.min(text_right(ui.painter(), pos2(rect.right() - end, rect.center().y), job).left());
    }
    left
}

fn worst_mm(of: &LodFigures) -> f64 {
    of.max_mm.max(of.between_mm).max(of.worst_slide_mm.unwrap_or(0.0))
}

/// The figure of a level over the limit, and a button that helps: a start where it passes, or for the first level a lower tolerance.
fn over_limit(ui: &mut Ui, cx: &mut PanelCx<'_>, platform: &Platform, row: &LodRow) {
    let Some(of) = row.measured.as_ref().filter(|of| of.verdict > Verdict::Good) else { return };
    let words = format!("{}, limit {}", text::pixels(of.max_px as f32), text::pixels(of.limit_px as f32));
    let color = cx.theme.verdict(of.verdict);
    ui.horizontal(|ui| {
        ui.label(RichText::new(words).size(size::TICK).color(color));
        match row.level {
            0 => lower_tolerance(ui, cx, of),
            _ => start_farther(ui, cx, platform, (row, of)),
        }
    });
}

fn lower_tolerance(ui: &mut Ui, cx: &mut PanelCx<'_>, of: &LodFigures) {
    let tolerance_m = cx.workspace.active_recipe().tolerance_m * (of.limit_px / of.max_px) as f32;
    let tolerance_m = tolerance_m.max(LENGTHS_M.0 as f32);
    let name = format!("Tolerance {}", text::fine_length(tolerance_m));
    let help = "The tolerance of the recipe, lower by as much as this level is over its limit.";
    if tool_button(ui, cx.theme, &name, "", help).clicked() {
        cx.edit_recipe(name, move |recipe| recipe.tolerance_m = tolerance_m);
    }
}

fn start_farther(ui: &mut Ui, cx: &mut PanelCx<'_>, platform: &Platform, (row, of): (&LodRow, &LodFigures)) {
    let [nearest, farthest] = platform.room_of(row.level);
    let start = row.passing_start(platform.by).filter(|start| (nearest..=farthest).contains(start));
    let Some(start) = start else { return };
    let name = format!("Start at {}", text::distance(of.passes_from_m as f32));
    if tool_button(ui, cx.theme, &name, "", "Start this level where its error is within the limit.").clicked() {
        let mut changed = platform.clone();
        changed.levels[row.level].from = start;
        set(cx, changed);
    }
}

/// The settings of a level.
fn settings(ui: &mut Ui, cx: &mut PanelCx<'_>, platform: &Platform, row: &LodRow) {
    let with = |level: LodLevel| {
        let mut changed = platform.clone();
        changed.levels[row.level] = level;
        changed
    };
    let level = &platform.levels[row.level];
    if row.level > 0 {
        let (name, unit) = match platform.by {
            LodBy::Distance => ("From", Unit::CameraMetres),
            LodBy::Pixels => ("Below", Unit::Pixels),
        };
        let [least, most] = platform.room_of(row.level).map(f64::from);
        let limits =
            NumberLimits { unit, ends: (least, most.min(f64::from(FARTHEST))), whole: false, decimals: Some((0, 1)) };
        let mut value = f64::from(level.from);
        let help = "Where the level starts. Levels stay in their order.";
        let response = form_row(ui, cx.theme, name, help, false, |ui| {
            let response = number(ui, &limits, &mut value);
            response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, true, "Start of the level"));
            response
        });
        let response = response.response;
        if response.changed() {
            cx.push(LodCommand::Set(Box::new(with(LodLevel { from: value as f32, ..level.clone() }))));
        }
        if response.drag_stopped() || (response.changed() && !response.dragged()) {
            cx.push(RecipeCommand::Settle);
        }
    }
    rows(ui, cx, level, |level| LodCommand::Set(Box::new(with(level))));
    if platform.levels.len() > 1 && row.level > 0 {
        let help = "Remove this level. The one before it plays in its place.";
        if tool_button(ui, cx.theme, "Remove level", "", help).clicked() {
            let mut changed = platform.clone();
            changed.levels.remove(row.level);
            cx.push(CompareCommand::CompareTo(Reference::Original));
            set(cx, changed);
        }
    }
}

/// A button that adds a level behind the last one: twice as far, or half as large.
fn add(ui: &mut Ui, cx: &mut PanelCx<'_>, platform: &Platform) {
    let Some(last) = platform.levels.last().filter(|_| platform.levels.len() < MAX_LEVELS) else { return };
    let from = match (platform.by, platform.levels.len()) {
        (LodBy::Distance, 1) => 10.0,
        (LodBy::Distance, _) => last.from * 2.0,
        (LodBy::Pixels, 1) => 200.0,
        (LodBy::Pixels, _) => last.from / 2.0,
    };
    let help = "Adds a level behind the last one, with its settings.";
    if tool_button(ui, cx.theme, "Add level", "", help).clicked() {
        let mut changed = platform.clone();
        changed.levels.push(LodLevel { from, ..last.clone() });
        set(cx, changed);
    }
}

/// Changes the platform in one undo step.
fn set(cx: &mut PanelCx<'_>, platform: Platform) {
    cx.push(LodCommand::Set(Box::new(platform)));
    cx.push(RecipeCommand::Settle);
}

/// All figures of a level, as text.
fn words(row: &LodRow) -> String {
    let start = match row.from_px {
        None => "from the camera".to_owned(),
        Some(px) => format!("from {}, where the character takes {px:.0} px", text::distance(row.from_m as f32)),
    };
    let Some(of) = &row.measured else { return format!("level {} {start}: not measured", row.level) };
    let length = |mm: f64| text::length((mm / 1000.0) as f32);
    let slide = of.worst_slide_mm.map_or(String::new(), |mm| format!(", slide {}", length(mm)));
    format!(
        "level {} {start}: {}, {}, max {}, between {}{slide}: {}, limit {}",
        row.level,
        text::count(of.joints, "joint"),
        text::bytes(of.bytes as u64),
        length(of.max_mm),
        length(of.between_mm),
        text::pixels(of.max_px as f32),
        text::pixels(of.limit_px as f32),
    )
}
