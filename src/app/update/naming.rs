//! Recipes with a name, and which clips have them.

use crate::App;
use crate::state::Desk;
use crate::state::Problem;
use crate::update::picked;
use posepress_core::session::{ClipId, RecipePlace, wrong_name};
use posepress_core::text;

/// What is done with named recipes, in the active slot.
#[derive(Debug, Clone, PartialEq)]
pub enum Naming {
    /// Keep the active recipe under this name; the picked clips have it from then on.
    Keep(String),
    /// Another name for one.
    Rename(String, String),
    /// It goes; its clips have their slots' own again.
    Remove(String),
    /// Clips of this pattern have a recipe of this name.
    Pattern(String, String),
    /// Clips of this pattern have it no more.
    DropPattern(String),
    /// The picked clips have a recipe of the table.
    Assign(RecipePlace),
    /// This clip has a recipe of the table.
    Give(ClipId, RecipePlace),
    /// Each clip has the one that makes it smallest of those with which it passes.
    GiveSmallest,
}

impl App {
    pub(crate) fn carry_out_naming(&mut self, naming: Naming) {
        let slot = self.workspace.active_slot();
        match naming {
            Naming::Keep(name) => self.keep_under(name.trim()),
            Naming::Rename(old, new) => self.rename_recipe(&old, new.trim()),
            Naming::Remove(name) => {
                self.workspace.edit(format!("Remove recipe '{name}'"), |document| document.remove_recipe(&name));
            }
            Naming::Pattern(clips, name) => {
                let clips = clips.trim();
                self.workspace
                    .edit(format!("{clips} with '{name}'"), |document| document.assign_pattern(slot, clips, &name));
            }
            Naming::DropPattern(clips) => {
                let letter = self.workspace.slot_letter(slot);
                self.workspace
                    .edit(format!("{clips} with recipe {letter}"), |document| document.drop_pattern(slot, &clips));
            }
            Naming::Assign(place) => {
                let clips = picked(&self.workspace, &self.view);
                self.workspace.give(&clips, &place);
            }
            Naming::Give(clip, place) => self.workspace.give(&[clip], &place),
            Naming::GiveSmallest => self.give_smallest(),
        }
    }

    fn keep_under(&mut self, name: &str) {
        if let Some(why) = self.refused(name) {
            return self.view.messages.report(Problem::error("The recipe got no name", why));
        }
        let clips = picked(&self.workspace, &self.view);
        self.workspace.name_recipe(name, &clips);
        self.view.messages.say(format!("{} with recipe '{name}'", text::count(clips.len(), "clip")));
    }

    fn rename_recipe(&mut self, old: &str, new: &str) {
        if old == new {
            return;
        }
        if let Some(why) = self.refused(new) {
            return self.view.messages.report(Problem::error(format!("Recipe '{old}' keeps its name"), why));
        }
        self.workspace.edit(format!("Rename '{old}' to '{new}'"), |document| _ = document.rename_recipe(old, new));
    }

    /// Why a recipe cannot get that name.
    fn refused(&self, name: &str) -> Option<String> {
        let is_taken = self.workspace.named_recipe(name).is_some();
        let taken = || is_taken.then(|| format!("Another recipe is called '{name}'. Give it another name."));
        wrong_name(name).map(|why| format!("'{name}' is none: {why}.")).or_else(taken)
    }

    /// Brings the table of clips and recipes.
    pub(crate) fn show_table(&mut self) {
        self.view.budget.by_clip = true;
        self.show_desk(Desk::Budget);
    }

    /// The table is worked out as long as it is seen.
    pub(crate) fn keep_table(&mut self) {
        self.workspace.open_table(self.view.budget.by_clip && self.view.settings.desk == Desk::Budget);
    }

    /// Each clip gets the recipe that makes it smallest of those with which it passes.
    pub(crate) fn give_smallest(&mut self) {
        let words = match self.workspace.give_smallest() {
            0 => "Every clip has its smallest recipe that passes, as far as they are measured".to_owned(),
            count => format!("{} got a smaller recipe that passes", text::count(count, "clip")),
        };
        self.view.messages.say(words);
    }
}
