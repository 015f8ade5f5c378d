use super::PanelCx;
use crate::actions::{Action, actions};
use crate::commands::WindowCommand;
use crate::state::Palette;
use crate::theme::size;
use crate::widgets::label;
use egui::{Align2, Button, Key, Modifiers, RichText, ScrollArea, TextEdit, Ui, WidgetInfo, Window, vec2};

/// The command palette: type a part of a name, choose with the arrows, run with Enter.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(palette) = &cx.view.sheets.palette else { return };
    let found = matching(&palette.query);
    let at = palette.at.min(found.len().saturating_sub(1));
    let content = ui.ctx().content_rect();
    let window = Window::new("Commands").collapsible(false).resizable(false).title_bar(false);
    let top = egui::pos2(content.center().x, content.top() + 96.0);
    window.pivot(Align2::CENTER_TOP).fixed_pos(top).fixed_size(vec2(520.0, 360.0)).show(ui.ctx(), |ui| {
        field(ui, cx, palette, &found, at);
        if found.is_empty() {
            label(ui, format!("No command is called '{}'", palette.query), size::BODY, cx.theme.text2);
        }
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (index, action) in found.iter().enumerate() {
                entry(ui, cx, action, index == at);
            }
        });
    });
}

/// Actions that contain every word in their menu, name or help. Names that start with what was typed come first, then those that start with
/// its first word, then other names that contain all words, and last commands that other programs call so.
fn matching(query: &str) -> Vec<&'static Action> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let rank = |action: &Action| {
        let label = action.label.to_lowercase();
        let text = format!("{} {label} {}", action.menu.name().to_lowercase(), action.help.to_lowercase());
        let first = words.first().copied().unwrap_or("");
        let found = words.iter().all(|w| text.contains(w));
        let in_label = words.iter().all(|w| label.contains(w));
        let is_other = !found && words.iter().all(|w| text.contains(w) || action.also.contains(w));
        match (found, is_other) {
            (true, _) if label.starts_with(query.trim()) => Some(0),
            (true, _) if label.starts_with(first) => Some(1),
            (true, _) => Some(3 - usize::from(in_label)),
            (false, true) => Some(4),
            (false, false) => None,
        }
    };
    let mut found: Vec<_> = actions().iter().filter_map(|&action| Some((rank(action)?, action))).collect();
    found.sort_by_key(|(rank, _)| *rank); // stable: equals stay in the order of the menus
    found.into_iter().map(|(_, action)| action).collect()
}

fn field(ui: &mut Ui, cx: &mut PanelCx<'_>, palette: &Palette, found: &[&'static Action], at: usize) {
    let (down, up, enter) = ui.input_mut(|i| {
        let mut pressed = |key| i.consume_key(Modifiers::NONE, key);
        (pressed(Key::ArrowDown), pressed(Key::ArrowUp), pressed(Key::Enter))
    });
    let mut query = palette.query.clone();
    let edit = TextEdit::singleline(&mut query).hint_text("Type a command").desired_width(f32::INFINITY);
    let response = ui.add(edit);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Command"));
    response.request_focus();
    if response.changed() {
        cx.push(WindowCommand::SetPalette(Some(Palette { query, at: 0 })));
    } else if down || up {
        let last = found.len().saturating_sub(1);
        let at = if down { (at + 1).min(last) } else { at.saturating_sub(1) };
        cx.push(WindowCommand::SetPalette(Some(Palette { query, at })));
    }
    if let Some(action) = found.get(at).filter(|_| enter) {
        run(cx, action);
    }
}

fn run(cx: &mut PanelCx<'_>, action: &'static Action) {
    if action.can_run(&cx.state).is_ok() {
        cx.push(WindowCommand::SetPalette(None));
        cx.run(action);
    }
}

fn entry(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action, selected: bool) {
    let state = cx.state;
    let can_run = action.can_run(&state);
    let name = format!("{}: {}", action.menu.name(), action.label);
    let button = Button::new(RichText::new(&name).size(size::BODY)).selected(selected).frame_when_inactive(false);
    let button = button
        .shortcut_text(action.key_text_at(ui.ctx(), cx.view.settings.main_tab))
        .min_size(vec2(ui.available_width(), 24.0));
    let response = ui.add_enabled(can_run.is_ok(), button).on_hover_text(action.description(&state));
    let response = response.on_disabled_hover_text(can_run.err().unwrap_or_default());
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, can_run.is_ok(), selected, &name));
    if selected {
        response.scroll_to_me(None);
    }
    if response.clicked() {
        run(cx, action);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_find_commands_and_beginnings_come_first() {
        assert_eq!(matching("").len(), actions().len());
        assert_eq!(matching("worst contact")[0].label, "Worst contact");
        assert_eq!(matching("contact worst")[0].label, "Worst contact");
        assert_eq!(matching("UND")[0].label, "Undo");
        assert_eq!(matching("curves of recipe b")[0].label, "Curves of recipe B");
        assert!(matching("no such thing").is_empty());
        assert!(matching("export").len() >= 5);
        for (words, label) in [
            ("graph editor", "Curves"),
            ("onion skin", "Onion"),
            ("decimate", "Use codec linear-keys"),
            ("key reduction", "Use codec catmull-rom"),
            ("resample", "Import findings\u{2026}"),
            ("foot sliding", "Worst contact"),
            ("bone", "Blamed joint"),
            ("expert", "All settings"),
            ("playblast", "Save animation\u{2026}"),
        ] {
            assert!(matching(words).iter().any(|action| action.label == label), "{words}");
        }
    }
}
