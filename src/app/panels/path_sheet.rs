use super::PanelCx;
use crate::actions::list;
use crate::commands::{Command, FileCommand, RecipeCommand};
use crate::state::{FolderEntry, PathAnswer, PathPurpose, PathSheet, Seen, file_name};
use crate::theme::{Theme, size};
use crate::widgets::{check_box, label, tool_button};
use egui::{
    Align, Button, FontId, Frame, Id, Key, Layout, Margin, Modal, Modifiers, RichText, ScrollArea, TextEdit, Ui,
    WidgetInfo, vec2,
};
use posepress_core::export::Holds;
use posepress_core::pipeline::{CONTAINER, EXPORT_FORMATS};
use posepress_core::text;
use posepress_core::workspace::{CommandLine, ExportScope};

const WIDTH: f32 = 620.0;
const LIST_HEIGHT: f32 = 280.0;

/// The sheet: a path as text, and the contents of its folder.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(before) = &cx.view.sheets.path else { return };
    let mut sheet = before.clone();
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let modal = Modal::new(Id::unique("path sheet")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        label(ui, title(&sheet.purpose), size::TITLE, cx.theme.text1);
        ui.add_space(8.0);
        let mut taken = field(ui, &mut sheet);
        ui.add_space(4.0);
        rows(ui, cx.theme, &mut sheet, &mut taken);
        answer(ui, cx, &sheet);
        tiers(ui, cx, &sheet);
        line(ui, cx, &sheet);
        ui.add_space(8.0);
        buttons(ui, cx, &mut sheet, taken);
    });
    if modal.should_close() {
        cx.push(FileCommand::SetPathSheet(None));
    } else if sheet != *before {
        cx.commands.insert(0, Command::File(FileCommand::SetPathSheet(Some(sheet))));
    }
}

fn title(purpose: &PathPurpose) -> String {
    match purpose {
        PathPurpose::Open => "Open a file or a folder".into(),
        PathPurpose::Compare => "Compare with another tool's file".into(),
        PathPurpose::SaveProject => "Save the project".into(),
        PathPurpose::Locate(old) => format!("Where is {} now?", file_name(old)),
        PathPurpose::SaveSeen(Seen::Moment) => "Save a picture".into(),
        PathPurpose::SaveSeen(Seen::Film) => "Save an animation, as .gif or .apng".into(),
        PathPurpose::Export { exporter, scope } => {
            let format = EXPORT_FORMATS.iter().find(|format| format.key == *exporter);
            let what = match format.map(|format| format.holds) {
                Some(Holds::Rig) => "the rig",
                _ => match scope {
                    ExportScope::Clip => "the selected clip",
                    ExportScope::All => "all clips",
                    ExportScope::Approved => "the approved clips",
                },
            };
            format!("Export {what} as {}", format.map_or(*exporter, |format| format.name))
        }
    }
}

/// The text field. Returns true if Enter was pressed, unless a folder is chosen in the list.
fn field(ui: &mut Ui, sheet: &mut PathSheet) -> bool {
    let id = Id::unique("path");
    let (down, up, enter, tab) = ui.input_mut(|i| {
        let mut pressed = |key| i.consume_key(Modifiers::NONE, key);
        (pressed(Key::ArrowDown), pressed(Key::ArrowUp), pressed(Key::Enter), pressed(Key::Tab))
    });
    if !ui.memory(|memory| memory.has_focus(id)) {
        select_name(ui, id, &sheet.text);
    }
    let typed = sheet.text.clone();
    let edit = TextEdit::singleline(&mut sheet.text).id(id).lock_focus(true).desired_width(f32::INFINITY);
    let response = ui.add(edit.hint_text("Path; Tab completes it"));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Path"));
    response.request_focus();
    let by_hand = sheet.text.clone();
    if by_hand != typed {
        (sheet.at, sheet.answer) = (None, None);
        sheet.start_over();
    }
    if down || up {
        sheet.step(down);
    }
    let chosen = sheet.meant().filter(|_| enter);
    if tab {
        sheet.complete();
    } else if let Some(row) = &chosen {
        sheet.choose(row);
    }
    if sheet.text != by_hand {
        caret_to_end(ui, id, &sheet.text);
    }
    enter && chosen.is_none_or(|row| row.is_file)
}

/// Selects the file name, so that typing replaces it. Without a name the caret is after the folder.
fn select_name(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    let name = text.rfind(std::path::is_separator).map_or(0, |at| text[..=at].chars().count());
    let [from, to] = [name, text.chars().count()].map(egui::text::CCursor::new);
    state.cursor.set_char_range(Some(egui::text::CCursorRange::two(from, to)));
    state.store(ui.ctx(), id);
}

/// Moves the caret to the end.
fn caret_to_end(ui: &Ui, id: Id, text: &str) {
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    let end = egui::text::CCursor::new(text.chars().count());
    state.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
    state.store(ui.ctx(), id);
}

fn rows(ui: &mut Ui, theme: &Theme, sheet: &mut PathSheet, taken: &mut bool) {
    let rows = sheet.rows();
    let mut clicked = None;
    ScrollArea::vertical().max_height(LIST_HEIGHT).min_scrolled_height(LIST_HEIGHT).auto_shrink(false).show(ui, |ui| {
        match &sheet.listing.entries {
            Err(error) => _ = label(ui, format!("This folder cannot be listed: {error}"), size::BODY, theme.warn),
            Ok(_) if rows.is_empty() && sheet.answer.is_none() => {
                let words = if sheet.purpose.writes() { "A new file." } else { "No match." };
                label(ui, words, size::BODY, theme.text3);
            }
            Ok(_) => {}
        }
        for (index, row) in rows.iter().enumerate() {
            let response = entry(ui, theme, row, sheet.at == Some(index));
            if response.clicked() {
                clicked = Some((row.clone(), response.double_clicked()));
            }
        }
    });
    if let Some((row, twice)) = clicked {
        sheet.choose(&row);
        caret_to_end(ui, Id::unique("path"), &sheet.text);
        *taken |= row.is_file && twice;
    }
}

fn entry(ui: &mut Ui, theme: &Theme, row: &FolderEntry, chosen: bool) -> egui::Response {
    let name = if row.is_file { row.name.clone() } else { format!("{}{}", row.name, std::path::MAIN_SEPARATOR) };
    let color = if row.is_file { theme.text1 } else { theme.text2 };
    let button = Button::new(RichText::new(&name).color(color)).selected(chosen).frame_when_inactive(false);
    let response = ui.add(button.min_size(vec2(ui.available_width(), 22.0)));
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, chosen, &name));
    if chosen {
        response.scroll_to_me(None);
    }
    response
}

fn answer(ui: &mut Ui, cx: &PanelCx<'_>, sheet: &PathSheet) {
    let (words, color) = match &sheet.answer {
        None => return,
        Some(PathAnswer::Refused(words)) => (words.clone(), cx.theme.fail),
        Some(PathAnswer::Replace(path, there)) => {
            let there = there.as_ref().map_or(String::new(), |there| format!(" with {there}"));
            let coming = coming(cx, sheet).map_or(String::new(), |coming| format!(" by {coming}"));
            (format!("There is a file {}{there}. Replace it{coming}?", file_name(path)), cx.theme.warn)
        }
    };
    ui.add_space(4.0);
    ui.label(RichText::new(words).color(color));
}

/// Contents of the export that would replace a file, such as `3 clips`; `None` for other purposes.
fn coming(cx: &PanelCx<'_>, sheet: &PathSheet) -> Option<String> {
    let PathPurpose::Export { exporter, scope } = sheet.purpose else { return None };
    let holds = EXPORT_FORMATS.iter().find(|format| format.key == exporter)?.holds;
    let count = match (holds, scope) {
        (Holds::Rig, _) => return Some("the rig".into()),
        (_, ExportScope::Clip) => 1,
        (_, ExportScope::Approved) => cx.workspace.approved_count(),
        (_, ExportScope::All) => cx.workspace.library().source(cx.workspace.selected()?.source)?.clips.len(),
    };
    Some(text::count(count, "clip"))
}

/// The switch of tiers, for containers.
fn tiers(ui: &mut Ui, cx: &mut PanelCx<'_>, sheet: &PathSheet) {
    if !matches!(sheet.purpose, PathPurpose::Export { exporter, .. } if exporter == CONTAINER) {
        return;
    }
    ui.add_space(4.0);
    let mut on = cx.workspace.document().tiers.on;
    if check_box(ui, cx.theme, &mut on, &list::TIERS.label).on_hover_text(&*list::TIERS.help).clicked() {
        cx.push(RecipeCommand::ToggleTiers);
    }
}

/// The command line of the same export, with a button that copies it.
fn line(ui: &mut Ui, cx: &PanelCx<'_>, sheet: &PathSheet) {
    let Some(line) = export_line(cx, sheet) else { return };
    let text = line.text();
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        label(ui, "Command line", size::SMALL, cx.theme.text2);
        if tool_button(ui, cx.theme, "Copy command", "", "Copy the command line that writes this file.").clicked() {
            ui.ctx().copy_text(text.clone());
        }
    });
    ui.label(RichText::new(&text).font(FontId::monospace(size::TICK)).color(cx.theme.text2));
    if !line.is_whole {
        let note = "Options cannot express joint overrides, contacts drawn by hand, loop marks, or settings of single clips. The command omits them.";
        label(ui, note, size::TICK, cx.theme.warn);
    }
}

fn export_line(cx: &PanelCx<'_>, sheet: &PathSheet) -> Option<CommandLine> {
    let PathPurpose::Export { exporter, scope } = sheet.purpose else { return None };
    cx.workspace.export_line(cx.workspace.selected()?, scope, exporter, &sheet.path())
}

fn buttons(ui: &mut Ui, cx: &mut PanelCx<'_>, sheet: &mut PathSheet, mut taken: bool) {
    let is_asked = matches!(sheet.answer, Some(PathAnswer::Replace(..)));
    ui.horizontal(|ui| {
        if let Some(home) = std::env::home_dir()
            && tool_button(ui, cx.theme, "Home", "", "Go to the home folder.").clicked()
        {
            let name = sheet.path().file_name().map(|name| name.to_string_lossy().into_owned());
            let name = name.filter(|_| sheet.purpose.writes()).unwrap_or_default();
            *sheet = PathSheet { all_files: sheet.all_files, ..PathSheet::new(sheet.purpose.clone(), &home, &name) };
        }
        check_box(ui, cx.theme, &mut sheet.all_files, "All files").on_hover_text("List files of other kinds, too.");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let words = match (&sheet.purpose, is_asked) {
                (_, true) => "Replace",
                (PathPurpose::Open | PathPurpose::Locate(_), _) => "Open",
                (PathPurpose::Compare, _) => "Compare",
                (PathPurpose::Export { .. } | PathPurpose::SaveProject | PathPurpose::SaveSeen(_), _) => "Write",
            };
            let white = RichText::new(words).color(cx.theme.on_accent);
            let button = Button::new(white).fill(cx.theme.accent_fill).min_size(vec2(88.0, 28.0));
            taken |= ui.add(button).on_hover_text("Enter").clicked();
            if ui.add(Button::new("Cancel").min_size(vec2(88.0, 28.0))).on_hover_text("Esc").clicked() {
                cx.push(FileCommand::SetPathSheet(None));
                taken = false;
            }
        });
    });
    if taken {
        cx.push(FileCommand::TakePath { replace: is_asked });
    }
}
