use super::{PanelCx, approve, compare_to, headline, menus, slot_name};
use crate::actions::{Action, action_of, actions, list};
use crate::commands::{Command, RecipeCommand, WindowCommand};
use crate::state::{MainTab, RecipeEdit, picked};
use crate::theme::{font, size};
use crate::widgets::{Icon, icon_button, paint_icon, right_group, segment, text_elided, verdict_icon};
use egui::text::LayoutJob;
use egui::{Align, Align2, Button, ComboBox, Layout, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::project::{RecipePlace, SLOT_LETTERS};
use posepress_core::recipe::Recipe;
use posepress_core::report::Totals;
use posepress_core::text;
use posepress_core::workspace::Reference;

/// Least width of a window with titles in four slots.
const ROOM_FOR_FOUR: f32 = 1700.0;
/// Width of the menu of main tabs in a narrow window.
const MAIN_TABS_WIDTH: f32 = 60.0;
/// Width of the Export button.
const EXPORT_ROOM: f32 = 104.0;
/// Width of the Approve button and its menu.
const APPROVE_ROOM: f32 = 126.0;
/// Width of the Approve button as an icon. A right-click shows its menu.
const APPROVE_ICON_ROOM: f32 = 34.0;

/// Menus, main tabs, recipe slots, headline, Approve and Export.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal_centered(|ui| {
        menus::show(ui, cx);
        main_tabs(ui, cx);
        ui.add_space(4.0);
        let (slots, state) = (0..cx.workspace.document().slots().count(), cx.state);
        slots.filter(|slot| state.shows_slot(*slot)).for_each(|slot| slot_chip(ui, cx, slot));
        ui.add_space(8.0);
        let has_room = ui.available_width() >= headline::LEAST_WIDTH + EXPORT_ROOM + APPROVE_ROOM;
        let buttons = EXPORT_ROOM + if has_room { APPROVE_ROOM } else { APPROVE_ICON_ROOM };
        let room = Vec2::new((ui.available_width() - buttons).max(0.0), 36.0);
        ui.allocate_ui_with_layout(room, Layout::left_to_right(Align::Center), |ui| headline::show(ui, cx));
        right_group(ui, "export", |ui| {
            if cx.view.settings.main_tab != MainTab::Review {
                approve_button(ui, cx, has_room);
            }
            export_button(ui, cx);
        });
    });
}

/// The Approve button, which is an icon if there is little room, and the menu of what to approve.
fn approve_button(ui: &mut Ui, cx: &mut PanelCx<'_>, has_room: bool) {
    let Some(action) = approve::action() else { return };
    let (words, count) = (approve::words(cx), picked(cx.workspace, cx.view).len());
    let name = if count > 1 { format!("Approve {count} clips") } else { "Approve this clip".to_owned() };
    let (theme, can_run) = (cx.theme, action.can_run(&cx.state));
    let draw = |ui: &mut Ui| match has_room {
        true => ui.add(Button::new(words).min_size(Vec2::new(80.0, 28.0))).on_hover_text(&*action.help),
        false => icon_button(ui, theme, Icon::Approved, false, &name, &action.help),
    };
    let response = ui.add_enabled_ui(can_run.is_ok(), draw).inner;
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, can_run.is_ok(), &name));
    let response = response.on_disabled_hover_text(can_run.err().unwrap_or_default());
    response.context_menu(|ui| approve::entries(ui, cx));
    if response.clicked() {
        cx.run(action);
    }
    if has_room && cx.shows_all() {
        approve::choice(ui, cx);
    }
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

fn slot_chip(ui: &mut Ui, cx: &mut PanelCx<'_>, slot: usize) {
    // Four of them leave no room for whole titles beside the totals.
    let is_short =
        cx.narrow || cx.workspace.external_slot().is_some() && ui.ctx().content_rect().width() < ROOM_FOR_FOUR;
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(if is_short { 90.0 } else { 156.0 }, 36.0), Sense::click_and_drag());
    let chip = SlotChip { slot, is_external: cx.workspace.external_slot() == Some(slot), is_short };
    let active = slot == cx.workspace.active_slot();
    let name = chip.name(cx);
    response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, active, name.clone()));
    let totals = cx.workspace.totals(slot);
    let badge = chip.frame(ui.painter(), cx, rect, response.hovered());
    let area = rect.with_min_x(badge.right() + 8.0);
    if !slot_name::edit(ui, cx, area, slot) {
        chip.words(ui.painter(), cx, area, &totals);
    }
    let activate = chip.activate();
    let key = activate.map(|action| action.key_text(ui.ctx())).unwrap_or_default();
    let does = if chip.is_external { "Click to show this file." } else { "Click to show and edit this recipe." };
    let all = if cx.workspace.compresses_all(slot) { "" } else { "Right-click to measure all clips. " };
    let all = if chip.is_external {
        String::new()
    } else {
        format!("{all}Drag it to change the order, double-click to name it.")
    };
    let tooltip = slot_tooltip(&chip.title(cx), &totals, &format!("{does} {key}\n{all}"));
    response.context_menu(|ui| chip.menu(ui, cx));
    chip.take_drop(ui, cx, &response);
    if response.double_clicked() && !chip.is_external {
        slot_name::begin(ui, slot);
    }
    if response.on_hover_text(tooltip).clicked() {
        cx.push(RecipeCommand::ActivateSlot(slot));
    }
}

/// The slot whose chip is dragged.
struct Dragged(usize);

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

    /// Its name or recipe; the selected clip may have another one.
    fn title(self, cx: &PanelCx<'_>) -> String {
        match self.is_external {
            true => cx.workspace.slot_title(self.slot),
            false => cx.workspace.own_title(self.slot),
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
        let title = self.title(cx);
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
            self.verdict(
                painter,
                cx,
                (pos2(left, lower), right),
                totals,
                &short_verdict([totals.failing, totals.warning, totals.known(), totals.clips]),
            );
        } else {
            text_elided(painter, pos2(left, upper), right, &title, size::SMALL, theme.text1);
            self.verdict(painter, cx, (pos2(left, lower), right), totals, &sum);
        }
    }

    /// Icon of the verdict, and words. Without room for them, their first word, a number.
    fn verdict(
        self,
        painter: &egui::Painter,
        cx: &PanelCx<'_>,
        (at, right): (egui::Pos2, f32),
        totals: &Totals,
        words: &str,
    ) {
        let icon = egui::Rect::from_min_size(at - Vec2::new(0.0, 6.0), Vec2::splat(12.0));
        let (sign, color) = match (totals.is_open(), cx.workspace.compresses_all(self.slot)) {
            (true, true) => (Icon::Working, cx.theme.text3),
            (true, false) => (Icon::ToDo, cx.theme.text3),
            (false, _) => (verdict_icon(totals.verdict()), cx.theme.verdict(totals.verdict())),
        };
        paint_icon(painter, icon, 11.0, sign, color);
        let left = at + Vec2::new(18.0, 0.0);
        let whole = painter.layout_no_wrap(words.to_owned(), font(size::SMALL), cx.theme.text2);
        let first = words.split(' ').next().unwrap_or_default();
        let shown = if left.x + whole.size().x <= right { words } else { first };
        painter.text(left, Align2::LEFT_CENTER, shown, font(size::SMALL), cx.theme.text2);
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
        if !cx.workspace.compresses_all(self.slot) {
            let help = "Compresses every clip with this recipe, for its size and verdict. Until then only the selected clip is.";
            if ui.button("Measure all clips").on_hover_text(help).clicked() {
                cx.push(RecipeCommand::CompressAll(self.slot));
            }
        }
        slot_name::entries(ui, cx, self.slot);
        self.move_entries(ui, cx);
        for other in (0..cx.workspace.document().recipes.len()).filter(|other| *other != self.slot) {
            self.take_over_entry(ui, cx, other);
        }
    }

    /// Moves a recipe whose chip is dropped here.
    fn take_drop(self, ui: &Ui, cx: &mut PanelCx<'_>, response: &egui::Response) {
        if self.is_external {
            return;
        }
        response.dnd_set_drag_payload(Dragged(self.slot));
        if response.dnd_hover_payload::<Dragged>().is_some_and(|dragged| dragged.0 != self.slot) {
            ui.painter().rect_stroke(response.rect, 4.0, Stroke::new(2.0, cx.theme.accent), StrokeKind::Inside);
        }
        if let Some(dragged) = response.dnd_release_payload::<Dragged>().filter(|dragged| dragged.0 != self.slot) {
            cx.push(RecipeCommand::MoveRecipe { from: dragged.0, to: self.slot });
        }
    }

    /// Entries that move the recipe without a drag.
    fn move_entries(self, ui: &mut Ui, cx: &mut PanelCx<'_>) {
        let last = cx.workspace.document().recipes.len() - 1;
        let left = self.slot.checked_sub(1).map(|to| ("Move left", to));
        let right = (self.slot < last).then(|| ("Move right", self.slot + 1));
        for (words, to) in left.into_iter().chain(right) {
            let help = "Changes the order of the recipes. Dragging it there does the same.";
            if ui.button(words).on_hover_text(help).clicked() {
                cx.push(RecipeCommand::MoveRecipe { from: self.slot, to });
            }
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

/// The verdict of a slot in a narrow chip: clips that fail, that warn, with numbers, and all.
fn short_verdict([failing, warning, known, clips]: [usize; 4]) -> String {
    match (failing, warning) {
        (0, 0) if known < clips => format!("{} %", 100 * known / clips),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_chip_says_how_many_clips_fail_or_warn_or_how_many_are_measured() {
        assert_eq!(short_verdict([0, 0, 10, 10]), "pass");
        assert_eq!(short_verdict([0, 2, 10, 10]), "2 warn");
        assert_eq!(short_verdict([3, 2, 10, 10]), "3 fail");
        assert_eq!(short_verdict([0, 0, 4, 10]), "40 %");
        assert_eq!(short_verdict([1, 0, 4, 10]), "1 fail", "known before the rest is measured");
    }
}
