use super::PanelCx;
use crate::commands::ReviewCommand;
use crate::theme::{font, size};
use crate::widgets::{Icon, Typed, draft_field, draft_id, icon_button, label, right_group, section};
use egui::text::LayoutJob;
use egui::{RichText, Ui};
use posepress_core::model::{Clip, Rig};
use posepress_core::project::MomentNote;

const NEW: &str = "New note";

/// Notes on frames of the clip. A new one is about the playhead and the selected joint.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some(id), Some((rig, clip))) = (cx.workspace.selected(), cx.selected()) else { return };
    let notes = cx.workspace.notes(id);
    let fact = if notes.is_empty() { String::new() } else { notes.len().to_string() };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Notes", fact, |ui| {
        add(ui, cx, rig, clip);
        ui.add_space(4.0);
        for (index, note) in notes.iter().enumerate() {
            ui.push_id(index, |ui| one(ui, cx, clip, index, note));
        }
    });
}

/// Frame and joint of a note, such as `f37, foot_l`.
pub fn place(cx: &PanelCx<'_>, clip: &Clip, at_secs: f32, joint: Option<&str>) -> String {
    let frame = cx.frame_numbers().frame(clip.grid().sample_at(at_secs).round());
    joint.map_or(frame.clone(), |joint| format!("{frame}, {joint}"))
}

fn one(ui: &mut Ui, cx: &mut PanelCx<'_>, clip: &Clip, index: usize, note: &MomentNote) {
    let place = place(cx, clip, note.at_secs, note.joint.as_deref());
    ui.horizontal(|ui| {
        let go =
            ui.button(RichText::new(&place).size(size::SMALL)).on_hover_text("Jump to the frame and select the joint.");
        if go.clicked() {
            cx.push(ReviewCommand::ShowNote(index));
        }
        right_group(ui, "note", |ui| {
            if cx.view.timings {
                let day = note.time.split('T').next().unwrap_or_default();
                let said = [note.author.as_str(), day].into_iter().filter(|part| !part.is_empty());
                let said = said.collect::<Vec<_>>().join(", ");
                ui.label(RichText::new(said).size(size::TICK).color(cx.theme.text3));
            }
            let remove = format!("Remove note at {place}");
            if icon_button(ui, cx.theme, Icon::Cross, false, &remove, "This note is deleted.").clicked() {
                cx.push(ReviewCommand::ChangeNote(index, String::new()));
            }
        });
    });
    let width = ui.available_width() - 8.0;
    let name = format!("Note at {place}");
    if let Some(Typed { text, .. }) = draft_field(ui, &name, &note.text, "", width, "Text of the note. Edit it here.") {
        cx.push(ReviewCommand::ChangeNote(index, text));
    }
    ui.add_space(4.0);
}

fn add(ui: &mut Ui, cx: &mut PanelCx<'_>, rig: &Rig, clip: &Clip) {
    let joint = cx.view.selection.joint.filter(|joint| *joint < rig.skeleton.len());
    let place = place(cx, clip, cx.view.transport.time_secs, joint.map(|joint| rig.skeleton.name(joint)));
    label(ui, format!("About {place}"), size::SMALL, cx.theme.text3);
    let help = "A note about the frame at the playhead and the selected joint. The timeline shows it, and the project saves it.";
    let width = ui.available_width() - 8.0;
    if cx.view.review.wants_moment_note {
        ui.memory_mut(|memory| memory.request_focus(draft_id(ui, NEW)));
        cx.push(ReviewCommand::NoteFocused);
    }
    let typed = draft_field(ui, NEW, "", "Note about this frame", width, help);
    if let Some(Typed { text, entered: true }) = typed {
        cx.push(ReviewCommand::AddNote(text));
    }
}
