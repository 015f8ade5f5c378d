//! Shared views: one line of text, copied, pasted, or given at the start.

use super::clips::{duration_secs, select_clip};
use super::framing::frame_all;
use super::lod::{is_platform, paste_platform};
use super::main_tab::show_main_tab;
use super::model::Model;
use super::pending::is_opening;
use super::play::seek;
use super::recipes::paste_recipe;
use super::sample::open_sample;
use crate::commands::ShareCommand;
use crate::render::Camera;
use crate::state::{AwaitedView, MainTab, Problem, View, file_name};
use posepress_core::import::ImportOptions;
use posepress_core::model::ClipId;
use posepress_core::project::SLOT_LETTERS;
use posepress_core::tasks::{LoadedSource, SourceFile};
use posepress_core::view::SharedView;
use posepress_core::workspace::{Reference, Workspace};
use thiserror::Error;

/// Name of the decided side as the reference, in the text of a view.
const DECIDED: &str = "decided";
/// Prefix of the number of left out tiers, in the text of a view.
const LEVEL: &str = "level ";
/// Prefix of the number of a level of detail, in the text of a view.
const LOD: &str = "lod ";
/// Times of a view are rounded to a tenth of a millisecond.
const ROUNDING_SECS: f32 = 1e-4;

/// Carries out commands about the clipboard.
pub fn carry_out(model: &mut Model, ctx: &egui::Context, command: ShareCommand) {
    match command {
        ShareCommand::CopyView => copy_view(&model.workspace, &mut model.view, ctx),
        ShareCommand::AskPaste => ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste),
        ShareCommand::Paste(text) => paste(model, &text),
    }
}

/// The current view.
fn shared_view(workspace: &Workspace, view: &View) -> SharedView {
    let library = workspace.library();
    let selected = workspace.selected();
    let (rig, clip) = selected.and_then(|id| library.clip(id)).unzip();
    let source = selected.and_then(|id| library.source(id.source));
    let joint = rig.zip(view.selection.joint).filter(|(rig, joint)| *joint < rig.skeleton.len());
    SharedView {
        file: source.and_then(|source| source.path.as_deref()).map(file_name),
        clip: clip.map(|clip| clip.name().to_owned()),
        time_secs: (view.transport.time_secs * 1e4).round() / 1e4,
        recipe: Some(workspace.slot_letter(workspace.active_slot()).to_owned()),
        reference: reference_name(workspace),
        swapped: workspace.is_swapped(),
        joint: joint.map(|(rig, joint)| rig.skeleton.name(joint).to_owned()),
        mode: view.settings.mode,
        layers: view.settings.layers,
        wipe: view.settings.wipe,
        onion_mix: view.settings.onion_mix,
        difference: view.settings.difference_gain,
        camera: Some(view.cameras.main.place()),
        compressed_camera: view.cameras.compressed.as_ref().map(Camera::place),
    }
}

/// Copies the current view to the clipboard.
fn copy_view(workspace: &Workspace, view: &mut View, ctx: &egui::Context) {
    ctx.copy_text(shared_view(workspace, view).to_string());
    view.messages.say("Copied the view");
}

/// Applies text from the clipboard: as a view or a platform if it looks like one, else as a recipe.
fn paste(model: &mut Model, text: &str) {
    if is_platform(text) {
        return paste_platform(&mut model.workspace, &mut model.view, text);
    }
    if !SharedView::is_one(text) {
        return paste_recipe(&mut model.workspace, &mut model.view, text);
    }
    match text.parse() {
        Ok(view) => take_view(model, view),
        Err(error) => {
            let detail = format!("{error}\nNothing changed.\nWhat to do: copy the whole line again.");
            model.view.messages.report(Problem::error("The clipboard does not contain a view", detail));
        }
    }
}

/// Shows a shared view when its file is open.
pub fn take_view(model: &mut Model, shared: SharedView) {
    model.first_look = false;
    model.awaited_view = Some(AwaitedView { view: shared, is_opened: false });
    show_awaited_view(model);
}

/// Shows the awaited view as soon as no file is being opened. If its file is not open, opens it first.
pub fn show_awaited_view(model: &mut Model) {
    let Some(AwaitedView { view: shared, .. }) = &model.awaited_view else { return };
    // The bundled sample has no path, so it is not among the files that are being read.
    let sample_may_come =
        shared.file.is_none() && source_of(&model.workspace, shared).is_none() && !model.workspace.is_settled();
    if sample_may_come || is_opening(&model.workspace, &model.view) {
        return;
    }
    if let Some(AwaitedView { view: shared, is_opened }) = model.awaited_view.take() {
        if !is_opened && open_source_of(model, &shared) {
            model.awaited_view = Some(AwaitedView { view: shared, is_opened: true });
            return;
        }
        let missing = show_view(&mut model.workspace, &mut model.view, &shared);
        if missing.is_empty() {
            model.view.messages.say("Showing the view");
        } else {
            let title = "Parts of the view are missing";
            model.view.messages.report(Problem::error(title, missing.join("\n")));
        }
    }
}

/// Opens the file of a view, the sample or a recent file, unless it is open. Returns true if it is being read now.
fn open_source_of(model: &mut Model, shared: &SharedView) -> bool {
    if source_of(&model.workspace, shared).is_some() {
        return false;
    }
    let Some(name) = &shared.file else {
        open_sample(model);
        return true;
    };
    let recent = model.view.settings.recent.iter().find(|path| file_name(path) == *name && path.is_file());
    let recent = recent.cloned();
    model.marking.add(|opening| opening.files.extend(recent.clone()));
    recent.iter().for_each(|path| model.workspace.open(SourceFile::Path(path.clone()), ImportOptions::default()));
    recent.is_some()
}

/// The open file of a view.
fn source_of<'a>(workspace: &'a Workspace, shared: &SharedView) -> Option<&'a LoadedSource> {
    let is_it = |source: &&LoadedSource| source.path.as_deref().map(file_name) == shared.file;
    workspace.library().sources().iter().find(is_it)
}

/// Restores a view as far as possible. Returns what is missing, as sentences.
fn show_view(workspace: &mut Workspace, view: &mut View, shared: &SharedView) -> Vec<String> {
    show_main_tab(workspace, view, MainTab::Clip);
    let settings = &mut view.settings;
    (settings.mode, settings.layers) = (shared.mode, shared.layers);
    (settings.wipe, settings.onion_mix) = (shared.wipe, shared.onion_mix);
    settings.difference_gain = shared.difference;
    let mut missing: Vec<String> = show_slot_of(workspace, shared).into_iter().collect();
    match clip_of(workspace, shared) {
        Ok(id) => {
            select_clip(workspace, view, id);
            missing.extend(show_reference_of(workspace, shared));
            missing.extend(show_moment_of(workspace, view, shared));
        }
        Err(reason) => missing.push(reason.to_string()),
    }
    missing
}

/// Activates the recipe of a view by its letter. Returns a message if it is missing.
fn show_slot_of(workspace: &mut Workspace, shared: &SharedView) -> Option<String> {
    let letter = shared.recipe.as_deref()?;
    let slots = workspace.document().recipes.len() + workspace.external_slot().iter().count();
    match (0..slots).find(|slot| workspace.slot_letter(*slot) == letter) {
        Some(slot) => {
            workspace.activate_slot(slot);
            None
        }
        None => Some(format!("There is no recipe {letter}.")),
    }
}

/// Name of the reference in the text.
fn reference_name(workspace: &Workspace) -> Option<String> {
    let letter = |slot| workspace.slot_letter(slot).to_owned();
    match workspace.reference() {
        Reference::Original => None,
        Reference::Slot(slot) => Some(letter(slot)),
        Reference::External => workspace.external_slot().map(letter),
        Reference::Decided => Some(DECIDED.to_owned()),
        Reference::Level(level) => Some(format!("{LEVEL}{level}")),
        Reference::Lod(level) => Some(format!("{LOD}{level}")),
        Reference::Clip(clip) => clip_reference(workspace, clip),
    }
}

/// Text of another clip as the reference: its name and file.
fn clip_reference(workspace: &Workspace, clip: ClipId) -> Option<String> {
    let library = workspace.library();
    Some(format!("clip {} of {}", library.clip(clip)?.1.name(), library.source(clip.source)?.name()))
}

/// Restores the reference of a view for the selected clip. Returns a message if it is missing.
fn show_reference_of(workspace: &mut Workspace, shared: &SharedView) -> Option<String> {
    let name = shared.reference.as_deref();
    let is_external = |name| workspace.external_slot().is_some_and(|slot| workspace.slot_letter(slot) == name);
    let reference = match name {
        None => Some(Reference::Original),
        Some(DECIDED) => Some(Reference::Decided),
        Some(name) if name.starts_with(LEVEL) => name[LEVEL.len()..].parse().ok().map(Reference::Level),
        Some(name) if name.starts_with(LOD) => name[LOD.len()..].parse().ok().map(Reference::Lod),
        Some(name) if is_external(name) => Some(Reference::External),
        Some(name) => {
            let slot = SLOT_LETTERS.iter().position(|letter| *letter == name).map(Reference::Slot);
            let is_it = |clip: &ClipId| clip_reference(workspace, *clip).as_deref() == Some(name);
            slot.or_else(|| workspace.library().clip_ids().find(is_it).map(Reference::Clip))
        }
    };
    let reference = reference.filter(|reference| workspace.has_reference(*reference));
    workspace.compare_to(reference.unwrap_or_default());
    workspace.swap_sides(shared.swapped);
    reference
        .is_none()
        .then(|| format!("The view compares with '{}', which is missing here.", name.unwrap_or_default()))
}

/// Why the clip of a view cannot be shown.
#[derive(Debug, Error)]
enum NoClip<'a> {
    #[error("{file} is not open.\nWhat to do: open it, then paste the view again.")]
    NotOpen { file: &'a str },
    #[error("{file} has no clip '{clip}'.")]
    NotInFile { file: &'a str, clip: &'a str },
}

/// The clip of a view, by the names of file and clip.
fn clip_of<'a>(workspace: &Workspace, shared: &'a SharedView) -> Result<ClipId, NoClip<'a>> {
    let file = shared.file.as_deref().unwrap_or("the sample");
    let source = source_of(workspace, shared).ok_or(NoClip::NotOpen { file })?;
    let clip = shared.clip.as_deref().unwrap_or_default();
    let index = source.clips.iter().position(|known| known.name() == clip);
    let index = index.ok_or(NoClip::NotInFile { file, clip })?;
    Ok(ClipId { source: source.id, clip: index as u32 })
}

/// Restores joint, time and cameras of a view in the selected clip. Returns what is missing, as sentences.
fn show_moment_of(workspace: &Workspace, view: &mut View, shared: &SharedView) -> Vec<String> {
    let mut missing = Vec::new();
    let duration_secs = duration_secs(workspace);
    if shared.time_secs > duration_secs + ROUNDING_SECS {
        missing.push(format!("The clip ends at {duration_secs:.3} s, before {:.3} s.", shared.time_secs));
    }
    seek(workspace, view, shared.time_secs);
    let rig = workspace.selected().and_then(|id| Some(workspace.library().clip(id)?.0));
    view.selection.joint = shared.joint.as_deref().and_then(|name| {
        let joint = rig.and_then(|rig| rig.skeleton.find(name));
        if joint.is_none() {
            missing.push(format!("The rig has no joint '{name}'."));
        }
        joint
    });
    match shared.camera {
        Some(camera) => view.cameras.restore(Camera::at(camera), shared.compressed_camera.map(Camera::at)),
        None => frame_all(workspace, view),
    }
    missing
}
