//! Recipes: changes, files and clipboard. The text is in the format of `posepress --recipe`.

use super::naming;
use crate::commands::RecipeCommand;
use crate::files::{FileEvent, Files, RECIPE_EXTENSION, RecipeEvent, read_recipe, write_recipe};
use crate::state::{Problem, RecipeEdit, View, file_name};
use posepress_core::codecs::Codec;
use posepress_core::recipe::Recipe;
use posepress_core::workspace::Workspace;
use std::sync::Arc;

/// Title of the message about a recipe file that could not be written.
const NOT_WRITTEN: &str = "The recipe was not written";

/// Carries out commands about recipes.
pub fn carry_out(
    workspace: &mut Workspace,
    view: &mut View,
    files: &Files,
    ctx: &egui::Context,
    command: RecipeCommand,
) {
    match command {
        RecipeCommand::PreviewRecipe(edit) => preview_recipe(workspace, &edit),
        RecipeCommand::EditRecipe(edit) => edit_recipe(workspace, &edit),
        RecipeCommand::UseCodec(codec) => use_codec(workspace, codec),
        RecipeCommand::SetScreen(screen) => workspace.preview("Screen", |document| document.screen = screen),
        RecipeCommand::SetTiers(tiers) => workspace.preview("Tiers", |document| document.tiers = tiers),
        RecipeCommand::Settle => drop(workspace.commit()),
        RecipeCommand::CancelDrag => drop(workspace.cancel()),
        RecipeCommand::Naming(naming) => naming::carry_out(workspace, view, naming),
        RecipeCommand::TakeRecipe(label, recipe) => take_recipe(workspace, view, &label, Recipe::clone(&recipe)),
        RecipeCommand::Accept(remedy) => workspace.accept(&remedy),
        RecipeCommand::AcceptForClip(remedy) => workspace.accept_for_clip(&remedy),
        RecipeCommand::PreviewTolerance(tolerance_m) => workspace.preview_tolerance(Some(tolerance_m)),
        RecipeCommand::SetTolerance(tolerance_m) => {
            workspace.commit();
            workspace.preview_tolerance(tolerance_m);
            workspace.commit();
        }
        RecipeCommand::AskCommonFixes(is_open) => {
            view.sheets.common_fixes = is_open;
            workspace.open_common_fixes(is_open);
        }
        RecipeCommand::FixAll(fix) => workspace.fix_all(fix),
        RecipeCommand::CompressAll(slot) => workspace.compress_all(slot),
        RecipeCommand::ToggleTiers => workspace.edit("Tiers", |document| document.tiers.on ^= true),
        RecipeCommand::ActivateSlot(slot) => workspace.activate_slot(slot),
        RecipeCommand::MoveRecipe { from, to } => workspace.move_recipe(from, to),
        RecipeCommand::StopJob => workspace.stop(),
        RecipeCommand::ResumeJob => workspace.resume(),
        RecipeCommand::CopyRecipe => copy_recipe(workspace, view, ctx),
        RecipeCommand::OpenRecipe => open_recipe(files),
        RecipeCommand::SaveRecipe => save_recipe(workspace, files),
    }
}

/// Changes a recipe during a drag, as a preview.
fn preview_recipe(workspace: &mut Workspace, edit: &RecipeEdit) {
    workspace.preview(&edit.label, |document| {
        document.recipe_mut(&edit.of).into_iter().for_each(|recipe| edit.apply(recipe));
    });
}

/// Changes a recipe in one undo step.
fn edit_recipe(workspace: &mut Workspace, edit: &RecipeEdit) {
    workspace.commit();
    preview_recipe(workspace, edit);
    workspace.commit();
}

/// Changes the codec of the active recipe.
fn use_codec(workspace: &mut Workspace, codec: &'static dyn Codec) {
    let before = workspace.active_recipe().codec;
    let label = format!("Codec {} to {}", before.name(), codec.name());
    let of = workspace.active_place();
    edit_recipe(workspace, &RecipeEdit::new(of, label, move |recipe| recipe.use_codec(codec)));
}

/// Asks for a recipe file, which replaces the active recipe.
fn open_recipe(files: &Files) {
    let no_dialog = FileEvent::Recipe(RecipeEvent::NoDialog);
    files.ask_read_one(&[RECIPE_EXTENSION], no_dialog, |path| FileEvent::Recipe(read_recipe(path)));
}

/// Asks where to write the active recipe, and writes it.
fn save_recipe(workspace: &Workspace, files: &Files) {
    let recipe = workspace.active_recipe();
    let (name, text) = (format!("{}.{RECIPE_EXTENSION}", recipe.codec.name()), recipe.to_toml());
    let no_dialog = FileEvent::Recipe(RecipeEvent::NoDialog);
    files.ask_write((&name, RECIPE_EXTENSION), no_dialog, move |path| FileEvent::Recipe(write_recipe(path, &text)));
}

/// Copies the active recipe to the clipboard.
fn copy_recipe(workspace: &Workspace, view: &mut View, ctx: &egui::Context) {
    ctx.copy_text(workspace.active_recipe().to_toml());
    view.messages.say(format!("Copied recipe {}", active_name(workspace)));
}

/// Replaces the active recipe with text from the clipboard.
pub fn paste_recipe(workspace: &mut Workspace, view: &mut View, text: &str) {
    match Recipe::from_toml(text) {
        Ok(recipe) => take_recipe(workspace, view, "Paste recipe", recipe),
        Err(error) => refuse_recipe(workspace, view, "The clipboard does not contain a recipe", &error.to_string()),
    }
}

/// Handles the result of reading or writing a recipe file. Returns the command for a recipe that was read.
pub fn recipe_event(workspace: &Workspace, view: &mut View, event: RecipeEvent) -> Option<RecipeCommand> {
    match event {
        RecipeEvent::Read(path, recipe) => {
            return Some(RecipeCommand::TakeRecipe(format!("Open {}", file_name(&path)), Arc::from(recipe)));
        }
        RecipeEvent::NotRead(path, reason) => {
            refuse_recipe(
                workspace,
                view,
                &format!("{} cannot be used as a recipe", file_name(&path)),
                &reason.to_string(),
            );
        }
        RecipeEvent::Written(path) => {
            view.messages.close_titled(NOT_WRITTEN);
            view.messages.say(format!("Wrote {}", path.display()));
        }
        RecipeEvent::NotWritten(error) => {
            view.messages.report(Problem::error(NOT_WRITTEN, error.to_string()));
        }
        RecipeEvent::NoDialog => {
            let detail = "What to do: use 'Copy recipe' and 'Paste recipe' with a text editor.";
            view.messages.report_once(Problem::error("This system has no file dialog", detail));
        }
    }
    None
}

/// Replaces the active recipe in one undo step.
fn take_recipe(workspace: &mut Workspace, view: &mut View, label: &str, recipe: Recipe) {
    let of = workspace.active_place();
    view.messages.say(format!("Recipe {} is {}", active_name(workspace), recipe.title()));
    workspace.edit(label, |document| document.recipe_mut(&of).into_iter().for_each(|own| own.clone_from(&recipe)));
}

fn refuse_recipe(workspace: &Workspace, view: &mut View, title: &str, reason: &str) {
    let detail = format!(
        "{reason}\nRecipe {} did not change.\nWhat to do: use text from 'Copy recipe' or 'Save recipe'. 'posepress settings' \
         and 'posepress codecs' list the valid keys.",
        active_name(workspace)
    );
    view.messages.report(Problem::error(title, detail));
}

fn active_name(workspace: &Workspace) -> String {
    workspace.place_name(&workspace.active_place())
}
