//! Marks of clips.

use crate::commands::MarkCommand;
use posepress_core::model::{Additive, BaseOf, ClipId};
use posepress_core::workspace::Workspace;

/// Carries out commands about marks.
pub fn carry_out(workspace: &mut Workspace, command: MarkCommand) {
    match command {
        MarkCommand::PreviewContacts(joint, spans) => {
            preview_contacts(workspace, &format!("Contact of {joint}"), &joint, Some(spans));
        }
        MarkCommand::EditContacts(label, joint, spans) => {
            workspace.commit();
            preview_contacts(workspace, &label, &joint, spans);
            workspace.commit();
        }
        MarkCommand::MarkLoop(mark) => mark_loop(workspace, mark),
        MarkCommand::MarkAdditive(mark) => {
            workspace.selected().into_iter().for_each(|clip| mark_additive(workspace, clip, mark.clone()));
        }
        MarkCommand::MarkClipAdditive(clip, mark) => mark_additive(workspace, clip, mark),
    }
}

/// Marks the selected clip as looping or not; `None` restores the detected state.
fn mark_loop(workspace: &mut Workspace, mark: Option<bool>) {
    let Some(id) = workspace.selected() else { return };
    let label = match mark {
        Some(true) => "Marked as looping",
        Some(false) => "Marked as not looping",
        None => "Looping detected",
    };
    workspace.mark_loop(id, label, mark);
}

/// Marks a clip as additive or not; `None` restores the file's mark.
fn mark_additive(workspace: &mut Workspace, id: ClipId, mark: Option<Additive>) {
    let label = match &mark {
        Some(Additive { base: BaseOf::Nothing, .. }) => "Marked as not additive",
        Some(_) => "Marked as additive",
        None => "Additive as in the file",
    };
    workspace.mark_additive(id, label, mark);
}

fn preview_contacts(workspace: &mut Workspace, label: &str, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
    if let Some(id) = workspace.selected() {
        workspace.preview_contacts(id, label, joint, spans_secs);
    }
}
