//! Named recipes, and the clips that have them.

use crate::commands::Naming;
use crate::state::{Problem, View, picked};
use posepress_core::project::wrong_name;
use posepress_core::text;
use posepress_core::workspace::Workspace;

/// Carries out commands about named recipes.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, naming: Naming) {
    let slot = workspace.active_slot();
    match naming {
        Naming::Keep(name) => keep_under(workspace, view, name.trim()),
        Naming::Rename(old, new) => rename_recipe(workspace, view, &old, new.trim()),
        Naming::Slot(slot, name) => name_slot(workspace, view, slot, name),
        Naming::Remove(name) => {
            workspace.edit(format!("Remove recipe '{name}'"), |document| document.remove_recipe(&name));
        }
        Naming::Pattern(clips, name) => {
            let clips = clips.trim();
            workspace.edit(format!("{clips} with '{name}'"), |document| document.assign_pattern(slot, clips, &name));
        }
        Naming::DropPattern(clips) => {
            let letter = workspace.slot_letter(slot);
            workspace.edit(format!("{clips} with recipe {letter}"), |document| document.drop_pattern(slot, &clips));
        }
        Naming::Assign(place) => {
            let clips = picked(workspace, view);
            workspace.give(&clips, &place);
        }
        Naming::Give(clip, place) => workspace.give(&[clip], &place),
        Naming::GiveSmallest => give_smallest(workspace, view),
    }
}

fn keep_under(workspace: &mut Workspace, view: &mut View, name: &str) {
    if let Some(why) = refused(workspace, name) {
        return view.messages.report(Problem::error("The recipe was not saved under this name", why));
    }
    let clips = picked(workspace, view);
    workspace.name_recipe(name, &clips);
    view.messages.say(format!("{} with recipe '{name}'", text::count(clips.len(), "clip")));
}

fn rename_recipe(workspace: &mut Workspace, view: &mut View, old: &str, new: &str) {
    if old == new {
        return;
    }
    if let Some(why) = refused(workspace, new) {
        return view.messages.report(Problem::error(format!("Recipe '{old}' was not renamed"), why));
    }
    workspace.edit(format!("Rename '{old}' to '{new}'"), |document| _ = document.rename_recipe(old, new));
}

fn name_slot(workspace: &mut Workspace, view: &mut View, slot: usize, name: Option<String>) {
    let letter = workspace.slot_letter(slot);
    if let Some(why) = name.as_deref().and_then(not_a_name) {
        return view.messages.report(Problem::error(format!("Recipe {letter} was not named"), why));
    }
    let label = name
        .as_ref()
        .map_or_else(|| format!("Recipe {letter} without a name"), |name| format!("Recipe {letter} is '{name}'"));
    workspace.edit(label, |document| match &name {
        Some(name) => _ = document.slot_names.insert(letter.to_owned(), name.clone()),
        None => _ = document.slot_names.remove(letter),
    });
}

/// Why a recipe cannot get that name.
fn refused(workspace: &Workspace, name: &str) -> Option<String> {
    let is_taken = workspace.named_recipe(name).is_some();
    let taken = || is_taken.then(|| format!("Another recipe is called '{name}'. Give it another name."));
    not_a_name(name).or_else(taken)
}

fn not_a_name(name: &str) -> Option<String> {
    wrong_name(name).map(|why| format!("'{name}' cannot be a name: {why}."))
}

/// Assigns to each clip its smallest recipe that passes.
fn give_smallest(workspace: &mut Workspace, view: &mut View) {
    let words = match workspace.give_smallest() {
        0 => "Every measured clip already has its smallest passing recipe".to_owned(),
        count => format!("{} got a smaller passing recipe", text::count(count, "clip")),
    };
    view.messages.say(words);
}
