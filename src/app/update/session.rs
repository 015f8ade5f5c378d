//! The last session, and its restoration.

use super::clips::select_clip;
use super::model::Model;
use super::pending::{expect_external, is_opening, sources};
use super::play::seek;
use super::project::bring_in;
use crate::state::{OpenClip, Session};
use posepress_core::model::{ClipId, ClipKey};
use posepress_core::project::ProjectSource;
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::collections::BTreeMap;

/// The session to save. While the last session is being restored, it is that session with newly opened files added.
pub fn session(model: &Model) -> Session {
    let files = sources(&model.workspace, &model.view);
    if let Some(session) = &model.reopening {
        let mut session = session.clone();
        let is_new = |file: &ProjectSource| session.files.iter().all(|known| known.path != file.path);
        let new: Vec<_> = files.into_iter().filter(is_new).collect();
        session.files.extend(new);
        return session;
    }
    let (library, cameras) = (model.workspace.library(), &model.view.cameras);
    let clip = model.workspace.selected().and_then(|id| {
        let path = library.source(id.source)?.project_source()?.path;
        let file = files.iter().position(|file| file.path == path)?;
        Some(OpenClip { file, name: library.clip(id)?.1.name().to_owned() })
    });
    Session {
        project: model.view.project.clone().filter(|path| path.to_str().is_some()),
        slot: model.workspace.active_slot(),
        time_secs: model.view.transport.rest_secs,
        clip,
        drafts: drafts(model),
        camera: Some(cameras.main),
        compressed_camera: cameras.compressed,
        files,
    }
}

/// Notes on undecided clips, with the reason that is being typed. Empty notes are left out.
fn drafts(model: &Model) -> BTreeMap<ClipKey, String> {
    let Model { workspace, view, .. } = model;
    let typed = workspace.selected().and_then(|id| workspace.library().clip_key(id)).zip(view.review.reason.clone());
    let mut drafts = view.review.drafts.clone();
    drafts.extend(typed);
    drafts.retain(|_, note| !note.trim().is_empty());
    drafts
}

/// Starts to restore a session: its recipe, project and files. Clip and time follow when the files are open.
pub fn reopen(model: &mut Model, session: Session) {
    model.workspace.activate_slot(session.slot);
    model.view.project.clone_from(&session.project);
    model.view.review.drafts.clone_from(&session.drafts);
    expect_external(&model.workspace, &mut model.view);
    bring_in(model, session.project.clone(), Some(session.clone()));
    model.reopening = Some(session);
}

/// The restored files, clips, marks and decisions in words: `Restored 2 files with 10 clips, 1 mark, 3 decisions`.
fn restored(workspace: &Workspace) -> String {
    let (library, document) = (workspace.library(), workspace.document());
    let marks = document.contacts.len() + document.loops.len() + document.additive.len() + document.notes.len();
    let (files, clips) = (library.sources().len(), library.clip_ids().count());
    let mut words = format!("Restored {} with {}", text::count(files, "file"), text::count(clips, "clip"));
    for (number, noun) in [(marks, "mark"), (document.decisions.len(), "decision")] {
        if number > 0 {
            words += &format!(", {}", text::count(number, noun));
        }
    }
    words
}

/// Restores clip, time and cameras of the last session, as soon as no file is being opened.
pub fn go_on_where_it_stopped(model: &mut Model) {
    if is_opening(&model.workspace, &model.view) {
        return;
    }
    let Some(session) = model.reopening.take() else { return };
    if !model.workspace.library().sources().is_empty() {
        model.view.messages.say(restored(&model.workspace));
    }
    let clip = session.clip.and_then(|clip| {
        let path = &session.files.get(clip.file)?.path;
        let source = model.workspace.library().sources().iter().find(|s| s.path.as_ref() == Some(path))?;
        let index = source.clips.iter().position(|c| c.name() == clip.name)?;
        Some(ClipId { source: source.id, clip: index as u32 })
    });
    let Some(clip) = clip else { return };
    select_clip(&mut model.workspace, &mut model.view, clip);
    seek(&model.workspace, &mut model.view, session.time_secs);
    if let Some(camera) = session.camera {
        model.view.cameras.restore(camera, session.compressed_camera);
    }
}
