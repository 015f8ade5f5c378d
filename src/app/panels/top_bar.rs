use super::review::flag_name;
use super::{PanelCx, compare_to};
use crate::actions::{Action, Menu, action_of, actions, list};
use crate::commands::{Command, FileCommand, RecipeCommand, ReviewCommand, WindowCommand};
use crate::state::{MainTab, RecipeEdit};
use crate::theme::{font, size};
use crate::widgets::{Icon, icon_button, paint_icon, quantity, right_group, segment, text_elided, verdict_icon};
use egui::text::LayoutJob;
use egui::{
    Align, Align2, Button, ComboBox, Label, Layout, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2,
};
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::project::{DecisionKind, RecipePlace, SLOT_LETTERS};
use posepress_core::recipe::Recipe;
use posepress_core::report::Totals;
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Width of the menu bar.
const MENU_WIDTH: f32 = 236.0;

/// Width of a menu; the longest entry fits with its keys.
const MENU_ENTRY_WIDTH: f32 = 270.0;

/// Height that a menu leaves free in the window.
const MENU_MARGIN: f32 = 64.0;
/// Least width of a window with titles in four slots, and with number of clips and ratio among the totals.
const ROOM_FOR_FOUR: f32 = 1700.0;
/// Width of the menu of main tabs in a narrow window.
const MAIN_TABS_WIDTH: f32 = 60.0;
/// Least width of a window with the total of the skin.
const ROOM_FOR_SKIN: f32 = 1240.0;
/// Least width of the advice.
const ROOM_FOR_ADVICE: f32 = 160.0;
/// Width of the Export button.
const EXPORT_ROOM: f32 = 104.0;
/// Width of the Approve button.
const APPROVE_ROOM: f32 = 96.0;

/// Menus, main tabs, recipe slots, totals, advice, Approve and Export.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal_centered(|ui| {
        menus(ui, cx);
        main_tabs(ui, cx);
        ui.add_space(4.0);
        for slot in 0..cx.workspace.document().slots().count() {
            slot_chip(ui, cx, slot);
        }
        ui.add_space(8.0);
        totals(ui, cx);
        let room = Vec2::new(ui.available_width() - EXPORT_ROOM - APPROVE_ROOM, 36.0);
        let has_room = room.x >= 0.0;
        if !cx.narrow && room.x >= ROOM_FOR_ADVICE {
            ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Center), |ui| advice(ui, cx));
        }
        right_group(ui, "export", |ui| {
            if cx.view.settings.main_tab != MainTab::Review {
                approve_button(ui, cx, has_room);
            }
            export_button(ui, cx);
        });
    });
}

/// The Approve button, which is an icon if there is little room.
fn approve_button(ui: &mut Ui, cx: &mut PanelCx<'_>, has_room: bool) {
    let Some(action) = action_of(&Command::Review(ReviewCommand::Judge(DecisionKind::Approved))) else { return };
    let verdict = cx.workspace.selected().and_then(|id| cx.workspace.verdict(id, cx.workspace.active_slot()));
    let words = if verdict == Some(Verdict::Fail) { "Approve\u{2026}" } else { "Approve" };
    let (theme, can_run) = (cx.theme, action.can_run(&cx.state));
    let name = "Approve this clip";
    let draw = |ui: &mut Ui| match has_room {
        true => ui.add(Button::new(words).min_size(Vec2::new(80.0, 28.0))).on_hover_text(&*action.help),
        false => icon_button(ui, theme, Icon::Approved, false, name, &action.help),
    };
    let response = ui.add_enabled_ui(can_run.is_ok(), draw).inner;
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, can_run.is_ok(), name));
    let response = response.on_disabled_hover_text(can_run.err().unwrap_or_default());
    if response.clicked() {
        cx.run(action);
    }
}

fn menus(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    // A menu bar takes all the width that it is given.
    ui.allocate_ui_with_layout(Vec2::new(MENU_WIDTH, 36.0), Layout::left_to_right(Align::Center), |ui| {
        egui::MenuBar::new().ui(ui, |ui| {
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| {
                    ui.set_min_width(MENU_ENTRY_WIDTH);
                    let room = ui.ctx().content_rect().height() - MENU_MARGIN;
                    // By default a popup is at most 400 points high.
                    ui.set_max_height(room);
                    ScrollArea::vertical().max_height(room).show(ui, |ui| menu_entries(ui, cx, menu));
                });
            }
        });
    });
}

/// The main tabs Clip, Review and Budget; a menu in a narrow window.
fn main_tabs(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let now = cx.view.settings.main_tab;
    let mut choose = |ui: &mut Ui, main_tab: MainTab, narrow: bool| {
        let key = action_of(&Command::Window(WindowCommand::ShowMainTab(main_tab)))
            .map(|action| action.key_text(ui.ctx()))
            .unwrap_or_default();
        let help = format!("{} {key}", main_tab.help());
        let response = match narrow {
            true => ui.selectable_label(main_tab == now, main_tab.name()).on_hover_text(help),
            false => segment(ui, cx.theme, main_tab == now, "", main_tab.name(), &help),
        };
        if response.clicked() {
            cx.commands.push(Command::Window(WindowCommand::ShowMainTab(main_tab)));
        }
    };
    if cx.narrow {
        let combo = ComboBox::from_id_salt("main_tab").selected_text(now.name()).width(MAIN_TABS_WIDTH);
        let shown = combo.show_ui(ui, |ui| MainTab::ALL.into_iter().for_each(|main_tab| choose(ui, main_tab, true)));
        shown.response.on_hover_text("Workspace: Clip, Review or Budget.");
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        MainTab::ALL.into_iter().for_each(|main_tab| choose(ui, main_tab, false));
    });
}

fn menu_entries(ui: &mut Ui, cx: &mut PanelCx<'_>, menu: Menu) {
    let all: Vec<&'static Action> = actions().iter().copied().filter(|action| action.menu == menu).collect();
    for group in all.chunk_by(|a, b| a.submenu().is_some() && a.submenu() == b.submenu()) {
        match group[0].submenu() {
            Some(name) => cx.submenu(ui, name, |ui, cx| group.iter().for_each(|action| menu_entry(ui, cx, action))),
            None => menu_entry(ui, cx, group[0]),
        }
        if *group[0] == list::OPEN_SAMPLE {
            recent(ui, cx);
        }
    }
}

fn menu_entry(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action) {
    if cx.entry(ui, action).clicked() {
        ui.close();
    }
}

fn recent(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let settings = &cx.view.settings;
    for (name, paths) in [("Open recent", &settings.recent), ("Recent projects", &settings.recent_projects)] {
        ui.add_enabled_ui(!paths.is_empty(), |ui| {
            cx.submenu(ui, name, |ui, cx| {
                for path in paths {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                        cx.push(FileCommand::Open(vec![path.clone()]));
                        ui.close();
                    }
                }
            });
        });
    }
}

fn slot_chip(ui: &mut Ui, cx: &mut PanelCx<'_>, slot: usize) {
    // Four of them leave no room for whole titles beside the totals.
    let is_short =
        cx.narrow || cx.workspace.external_slot().is_some() && ui.ctx().content_rect().width() < ROOM_FOR_FOUR;
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(if is_short { 100.0 } else { 156.0 }, 36.0), Sense::click());
    let chip = SlotChip { slot, is_external: cx.workspace.external_slot() == Some(slot), is_short };
    let active = slot == cx.workspace.active_slot();
    let name = chip.name(cx);
    response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, active, name.clone()));
    let totals = cx.workspace.totals(slot);
    let badge = chip.frame(ui.painter(), cx, rect, response.hovered());
    chip.words(ui.painter(), cx, rect.with_min_x(badge.right() + 8.0), &totals);
    let activate = chip.activate();
    let key = activate.map(|action| action.key_text(ui.ctx())).unwrap_or_default();
    let does = if chip.is_external { "Click to show this file." } else { "Click to show and edit this recipe." };
    let tooltip = slot_tooltip(&cx.workspace.slot_title(slot), &totals, &format!("{does} {key}"));
    response.context_menu(|ui| chip.menu(ui, cx));
    if response.on_hover_text(tooltip).clicked() {
        cx.push(RecipeCommand::ActivateSlot(slot));
    }
}

/// A slot of the bar.
#[derive(Clone, Copy)]
struct SlotChip {
    slot: usize,
    is_external: bool,
    is_short: bool,
}

impl SlotChip {
    fn name(self, cx: &PanelCx<'_>) -> String {
        match self.is_external {
            true => "External file".to_owned(),
            false => format!("Recipe {}", cx.workspace.slot_letter(self.slot)),
        }
    }

    fn activate(self) -> Option<&'static Action> {
        match self.is_external {
            true => Some(&list::SHOW_EXTERNAL),
            false => action_of(&Command::Recipe(RecipeCommand::ActivateSlot(self.slot))),
        }
    }

    /// Draws fill, outline and a badge with the letter. Returns the rectangle of the badge.
    fn frame(self, painter: &egui::Painter, cx: &PanelCx<'_>, rect: egui::Rect, is_hovered: bool) -> egui::Rect {
        let theme = cx.theme;
        let active = self.slot == cx.workspace.active_slot();
        let (fill, line) = match (active, is_hovered) {
            (true, _) => (theme.selection, theme.selection_line),
            (false, true) => (theme.hover, theme.strong),
            (false, false) => (theme.raised, theme.stroke),
        };
        painter.rect(rect, 4.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
        let badge = egui::Rect::from_min_size(rect.min + Vec2::new(6.0, 7.0), Vec2::splat(22.0));
        painter.rect_filled(badge, 4.0, if active { theme.accent_fill } else { theme.head });
        let color = if active { theme.on_accent } else { theme.text2 };
        let letter = cx.workspace.slot_letter(self.slot);
        painter.text(badge.center(), Align2::CENTER_CENTER, letter, font(size::BODY), color);
        badge
    }

    /// Writes its title, size and verdict.
    fn words(self, painter: &egui::Painter, cx: &PanelCx<'_>, area: egui::Rect, totals: &Totals) {
        let theme = cx.theme;
        let title = cx.workspace.slot_title(self.slot);
        let sum = match totals.known() {
            0 => text::NOT_MEASURED.into(),
            _ => text::bytes(totals.file_size().bytes as u64),
        };
        let (left, right) = (area.left(), area.right() - 4.0);
        let (upper, lower) = (area.top() + 11.0, area.bottom() - 11.0);
        if totals.clips == 0 {
            let codec = cx.workspace.recipe(self.slot).codec.name();
            let title = if self.is_short && !self.is_external { codec } else { &title };
            text_elided(painter, pos2(left, area.center().y), right, title, size::SMALL, theme.text2);
        } else if self.is_short {
            let color = if totals.is_complete() { theme.text1 } else { theme.text3 };
            painter.text(pos2(left, upper), Align2::LEFT_CENTER, sum, font(size::SMALL), color);
            verdict(painter, cx, pos2(left, lower), totals, &short_verdict(cx, totals));
        } else {
            text_elided(painter, pos2(left, upper), right, &title, size::SMALL, theme.text1);
            verdict(painter, cx, pos2(left, lower), totals, &sum);
        }
    }

    fn menu(self, ui: &mut Ui, cx: &mut PanelCx<'_>) {
        self.activate().into_iter().for_each(|action| _ = cx.entry(ui, action));
        let reference = if self.is_external { Reference::External } else { Reference::Slot(self.slot) };
        compare_to(reference).into_iter().for_each(|action| _ = cx.entry(ui, action));
        ui.separator();
        if self.is_external {
            cx.entry(ui, &list::STOP_COMPARING);
            return;
        }
        for other in (0..cx.workspace.document().recipes.len()).filter(|other| *other != self.slot) {
            self.take_over_entry(ui, cx, other);
        }
    }

    fn take_over_entry(self, ui: &mut Ui, cx: &mut PanelCx<'_>, other: usize) {
        let (name, letter) = (self.name(cx), SLOT_LETTERS[other]);
        let help = format!("Makes {name} a copy of recipe {letter}.");
        if ui.button(format!("Copy from recipe {letter}")).on_hover_text(help).clicked() {
            let taken = Recipe::clone(cx.workspace.recipe(other));
            let label = format!("{name} as recipe {letter}");
            cx.push(RecipeCommand::EditRecipe(RecipeEdit::new(RecipePlace::Slot(self.slot), label, move |recipe| {
                recipe.clone_from(&taken)
            })));
        }
    }
}

fn verdict(painter: &egui::Painter, cx: &PanelCx<'_>, at: egui::Pos2, totals: &Totals, words: &str) {
    let icon = egui::Rect::from_min_size(at - Vec2::new(0.0, 6.0), Vec2::splat(12.0));
    let verdict = totals.verdict();
    let (sign, color) = match is_open(cx, totals) {
        true => (Icon::Working, cx.theme.text3),
        false => (verdict_icon(verdict), cx.theme.verdict(verdict)),
    };
    paint_icon(painter, icon, 11.0, sign, color);
    painter.text(at + Vec2::new(18.0, 0.0), Align2::LEFT_CENTER, words, font(size::SMALL), cx.theme.text2);
}

/// True if no clip warns or fails so far, but clips are still being measured.
fn is_open(cx: &PanelCx<'_>, totals: &Totals) -> bool {
    let is_good = totals.verdict() == Verdict::Good;
    is_good && totals.known() < totals.clips && cx.workspace.activity().is_some()
}

fn short_verdict(cx: &PanelCx<'_>, totals: &Totals) -> String {
    match (totals.failing, totals.warning) {
        (0, 0) if is_open(cx, totals) => text::percent(totals.known() as f32 / totals.clips as f32),
        (0, 0) => "pass".into(),
        (0, n) => format!("{n} warn"),
        (n, _) => format!("{n} fail"),
    }
}

fn slot_tooltip(title: &str, totals: &Totals, does: &str) -> String {
    let Totals { clips, measured, failing, warning, over_tolerance, .. } = totals;
    format!(
        "{title}\n{measured} of {clips} clips measured\n{failing} fail, {warning} warn, {over_tolerance} over tolerance\n\
         {does}"
    )
}

fn totals(ui: &mut Ui, cx: &PanelCx<'_>) {
    let totals = cx.workspace.totals(cx.workspace.active_slot());
    if totals.clips == 0 {
        return;
    }
    let fresh = totals.is_complete();
    let ratio = totals.raw_bytes as f32 / (totals.bytes as f32).max(1.0);
    let file = totals.file_size();
    let [clips, other, raw] = [file.clips_bytes, file.other_bytes, totals.raw_bytes].map(|n| text::exact(n as u64));
    let exact =
        format!("Size of the container: {clips} bytes of clips + {other} other (names, recipes, rig). {raw} raw.");
    if ui.ctx().content_rect().width() >= ROOM_FOR_FOUR {
        let clips = text::count(totals.clips, "clip");
        total(ui, cx, fresh, &clips, &text::bytes(file.bytes as u64), None, &exact);
        total(
            ui,
            cx,
            fresh,
            "ratio",
            &text::ratio(ratio),
            None,
            "Raw bytes (40 per joint and sample) to encoded bytes.",
        );
    }
    for (aspect, name, help) in [
        (Aspect::Shell, "max error", "Largest shell error at any sample, joint and clip."),
        (Aspect::Skin, "worst skin", "Largest error of any vertex over all clips."),
        (Aspect::Slide, "worst slide", "Largest slide of a foot in contact, over all clips."),
    ] {
        if aspect == Aspect::Skin && ui.ctx().content_rect().width() < ROOM_FOR_SKIN {
            continue;
        }
        let worst = totals.worst(aspect);
        let value = worst.map_or(text::NOT_MEASURED.to_owned(), |w| text::length((w.error_mm / 1000.0) as f32));
        total(ui, cx, fresh, name, &value, worst.map(|w| w.verdict), help);
    }
}

fn total(ui: &mut Ui, cx: &PanelCx<'_>, fresh: bool, name: &str, value: &str, verdict: Option<Verdict>, help: &str) {
    let theme = cx.theme;
    let color = if fresh { theme.text1 } else { theme.text3 };
    let color = match verdict {
        Some(Verdict::Fail) if fresh => theme.fail,
        _ => color,
    };
    let response = ui.vertical(|ui| {
        ui.set_width(84.0);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add_space(6.0);
        ui.label(RichText::new(name).size(size::TICK).color(theme.text3));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            if let Some(verdict) = verdict {
                let (rect, _) = ui.allocate_exact_size(Vec2::splat(13.0), Sense::hover());
                paint_icon(ui.painter(), rect, 12.0, verdict_icon(verdict), theme.verdict(verdict));
            }
            ui.label(quantity(theme, value, size::TOTAL, color));
        });
    });
    response.response.on_hover_text(help);
}

/// A line about the verdicts of all clips, and a link to a better recipe.
fn advice(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let active = cx.workspace.active_slot();
    let totals = cx.workspace.totals(active);
    if totals.clips == 0 {
        return;
    }
    let bad = totals.failing + totals.warning;
    ui.separator();
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add_space(6.0);
        let letter = cx.workspace.slot_letter(active);
        let line = match (totals.failing, bad) {
            (0, 0) if is_open(cx, &totals) => {
                format!("{} of {} clips measured with {letter}", totals.known(), totals.clips)
            }
            (0, 0) => format!("All {} clips pass with {letter}", totals.clips),
            (0, n) => format!("{n} of {} clips need a look with {letter}", totals.clips),
            (n, _) => format!("{n} of {} clips fail with {letter}", totals.clips),
        };
        let why: Vec<&str> = totals.flagged().into_iter().map(flag_name).collect();
        let line = match (bad, why.is_empty()) {
            (_, true) => line,
            (0, false) => format!("{line}. Sources: {}", why.join(", ")),
            _ => format!("{line}: {}", why.join(", ")),
        };
        ui.add(Label::new(RichText::new(line).size(size::SMALL).color(cx.theme.text1)).truncate());
        if let Some((slot, line)) = better_slot(cx, &totals) {
            let help = "Switch to that recipe.";
            if ui.link(RichText::new(line).size(size::SMALL)).on_hover_text(help).clicked() {
                cx.push(RecipeCommand::ActivateSlot(slot));
            }
        }
    });
}

/// A slot with a better recipe, and the text of its link.
fn better_slot(cx: &PanelCx<'_>, totals: &Totals) -> Option<(usize, String)> {
    let (slot, better) = cx.workspace.better_slot()?;
    let more = text::signed_bytes(better.bytes as i64 - totals.bytes as i64);
    let passing = match better.passing() {
        all if all == better.clips => format!("all {all}"),
        some => some.to_string(),
    };
    Some((slot, format!("{} passes {passing} for {more}", SLOT_LETTERS[slot])))
}

fn export_button(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let exports = || actions().iter().filter(|action| action.exports());
    let can_run = exports().next().map_or(Ok(()), |action| action.can_run(&cx.state));
    let key = exports().next().map(|action| action.key_text(ui.ctx())).unwrap_or_default();
    let button = Button::new(LayoutJob::simple_singleline("Export\u{2026}".into(), font(size::BODY), cx.theme.text1))
        .min_size(Vec2::new(88.0, 28.0));
    ui.add_enabled_ui(can_run.is_ok(), |ui| {
        let response = egui::containers::menu::MenuButton::from_button(button)
            .ui(ui, |ui| {
                ui.set_min_width(240.0);
                for action in exports() {
                    if cx.entry(ui, action).clicked() {
                        ui.close();
                    }
                }
            })
            .0;
        response
            .on_hover_text(format!("Write clips, encoded with the active recipe. {key}"))
            .on_disabled_hover_text(can_run.err().unwrap_or_default());
    });
}
