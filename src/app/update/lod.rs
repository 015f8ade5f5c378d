//! Platforms and their levels of detail.

use crate::commands::LodCommand;
use crate::files::{FileEvent, Files, RECIPE_EXTENSION, RecipeEvent, write_recipe};
use crate::state::{Panel, Problem, View};
use posepress_core::lod::Platform;
use posepress_core::project::{Document, wrong_name};
use posepress_core::report::{lod_at, lod_starts_m};
use posepress_core::workspace::{Reference, Workspace};
use std::sync::Arc;

/// Name of the first platform.
const FIRST: &str = "Game";

/// Carries out commands about platforms.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, files: &Files, ctx: &egui::Context, command: LodCommand) {
    match command {
        LodCommand::Show(name) => show(workspace, name),
        LodCommand::Toggle => {
            let document = workspace.document();
            let first = document.platforms.keys().next().cloned().unwrap_or_else(|| FIRST.to_owned());
            show(workspace, document.platform.is_none().then_some(first));
            if workspace.document().platform.is_some() {
                view.show_panel(Panel::Lods);
            }
        }
        LodCommand::Set(platform) => workspace.preview("Levels of detail", |document| set(document, &platform)),
        LodCommand::Rename(name) => rename(workspace, view, name.trim()),
        LodCommand::Remove => workspace.edit("Remove platform", |document| {
            document.platform.clone().into_iter().for_each(|name| document.remove_platform(&name));
        }),
        LodCommand::ToggleCamera => {
            view.lod_by_camera ^= true;
            if !view.lod_by_camera && matches!(workspace.reference(), Reference::Lod(_)) {
                workspace.compare_to(Reference::Original);
            }
        }
        LodCommand::Copy => {
            if let Some((name, platform)) = shown(workspace) {
                ctx.copy_text(platform.to_toml());
                view.messages.say(format!("Copied platform {name}"));
            }
        }
        LodCommand::Save => save(workspace, files),
    }
}

fn show(workspace: &mut Workspace, name: Option<String>) {
    let label = name.as_ref().map_or_else(|| "No levels of detail".to_owned(), |name| format!("Platform {name}"));
    workspace.edit(label, |document| match name {
        Some(name) => document.show_platform(&name),
        None => document.platform = None,
    });
}

fn set(document: &mut Document, platform: &Platform) {
    let name = document.platform.clone();
    let shown = name.and_then(|name| document.platforms.get_mut(&name));
    shown.into_iter().for_each(|shown| shown.clone_from(platform));
}

fn rename(workspace: &mut Workspace, view: &mut View, new: &str) {
    let Some((old, _)) = shown(workspace) else { return };
    let is_taken = workspace.document().platforms.contains_key(new);
    if let Some(why) = wrong_name(new).or(is_taken.then_some("another platform has this name")) {
        return view.messages.report(Problem::error("The platform was not renamed", format!("'{new}': {why}.")));
    }
    workspace.edit("Rename platform", |document| document.rename_platform(&old, new));
}

/// Name and levels of the shown platform.
fn shown(workspace: &Workspace) -> Option<(String, Platform)> {
    let document = workspace.document();
    Some((document.platform.clone()?, document.shown_platform()?.clone()))
}

/// Asks where to write the shown platform, and writes it.
fn save(workspace: &Workspace, files: &Files) {
    let Some((name, platform)) = shown(workspace) else { return };
    let (name, text) = (format!("{name}.{RECIPE_EXTENSION}"), platform.to_toml());
    let no_dialog = FileEvent::Recipe(RecipeEvent::NoDialog);
    files.ask_write((&name, RECIPE_EXTENSION), no_dialog, move |path| FileEvent::Recipe(write_recipe(path, &text)));
}

/// True for the text of a platform rather than that of a recipe.
pub fn is_platform(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[levels]]"))
}

/// Replaces the shown platform, or adds the first one, with text from the clipboard.
pub fn paste_platform(workspace: &mut Workspace, view: &mut View, text: &str) {
    match Platform::from_toml(text) {
        Ok(platform) => workspace.edit("Paste platform", |document| {
            let name = document.platform.clone().unwrap_or_else(|| FIRST.to_owned());
            document.show_platform(&name);
            set(document, &platform);
        }),
        Err(error) => {
            let detail = format!("{error}\nNo platform changed.\nWhat to do: use text from 'Copy platform'.");
            view.messages.report(Problem::error("The clipboard does not contain a platform", detail));
        }
    }
}

/// Requests the levels of the shown platform, and shows the one that the camera is far enough away for.
pub fn keep_lods(workspace: &mut Workspace, view: &View) {
    let platform = workspace.document().shown_platform().cloned();
    if view.lod_by_camera
        && let Some(platform) = &platform
        && let Some((rig, _)) = workspace.selected().and_then(|clip| workspace.library().clip(clip))
    {
        let starts_m = lod_starts_m(platform, rig, &workspace.document().screen);
        let wanted = Reference::Lod(lod_at(&starts_m, view.cameras.of(crate::render::Side::Compressed).distance_m));
        if workspace.has_reference(wanted) && workspace.reference() != wanted {
            workspace.compare_to(wanted);
        }
    }
    workspace.ask_lods(platform.map(Arc::new));
}
