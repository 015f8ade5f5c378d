//! Recipes as text: opened, saved, copied, pasted. It is the text that `posepress --recipe` takes.

use crate::App;
use crate::files::{FileEvent, file_name};
use crate::state::Problem;
use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::read_text;
use posepress_core::session::Recipe;
use std::path::PathBuf;

/// What became of a recipe's file.
#[derive(Debug)]
pub enum RecipeEvent {
    /// It was read.
    Read(PathBuf, Box<Recipe>),
    /// It was not; why, without its name.
    NotRead(PathBuf, String),
    /// It was written.
    Written(PathBuf),
    /// It was not.
    NotWritten(ExportError),
    /// The system has nothing to ask for a file with.
    NoDialog,
}

const EXTENSION: &str = "toml";

fn read_recipe(path: PathBuf) -> RecipeEvent {
    let text = read_text(&path).map_err(|error| error.to_string());
    match text.and_then(|text| Recipe::from_toml(&text).map_err(|error| error.to_string())) {
        Ok(recipe) => RecipeEvent::Read(path, Box::new(recipe)),
        Err(reason) => RecipeEvent::NotRead(path, reason),
    }
}

fn write_recipe(path: PathBuf, text: &str) -> RecipeEvent {
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => RecipeEvent::Written(path),
        Err(error) => RecipeEvent::NotWritten(error),
    }
}

impl App {
    /// Asks for a file and makes its recipe the active one.
    pub(crate) fn open_recipe(&self) {
        let no_dialog = FileEvent::Recipe(RecipeEvent::NoDialog);
        self.files.ask_read_one(&[EXTENSION], no_dialog, |path| FileEvent::Recipe(read_recipe(path)));
    }

    /// Asks where the active recipe is to be written.
    pub(crate) fn save_recipe(&self) {
        let recipe = self.workspace.active_recipe();
        let (name, text) = (format!("{}.{EXTENSION}", recipe.codec.name()), recipe.to_toml());
        let no_dialog = FileEvent::Recipe(RecipeEvent::NoDialog);
        self.files.ask_write((&name, EXTENSION), no_dialog, move |path| FileEvent::Recipe(write_recipe(path, &text)));
    }

    /// Puts the active recipe on the clipboard.
    pub(crate) fn copy_recipe(&mut self, ctx: &egui::Context) {
        ctx.copy_text(self.workspace.active_recipe().to_toml());
        self.view.messages.say(format!("Copied recipe {}", self.active_name()));
    }

    /// Makes what was on the clipboard the active recipe.
    pub(crate) fn paste_recipe(&mut self, text: &str) {
        match Recipe::from_toml(text) {
            Ok(recipe) => self.take_recipe("Paste recipe", recipe),
            Err(error) => self.refuse_recipe("The clipboard holds no recipe", &error.to_string()),
        }
    }

    /// Takes in what became of a recipe's file.
    pub(crate) fn recipe_event(&mut self, event: RecipeEvent) {
        match event {
            RecipeEvent::Read(path, recipe) => self.take_recipe(&format!("Open {}", file_name(&path)), *recipe),
            RecipeEvent::NotRead(path, reason) => {
                self.refuse_recipe(&format!("{} cannot be used as a recipe", file_name(&path)), &reason);
            }
            RecipeEvent::Written(path) => self.view.messages.say(format!("Wrote {}", path.display())),
            RecipeEvent::NotWritten(error) => {
                self.view.messages.report(Problem::error("The recipe was not written", error.to_string()));
            }
            RecipeEvent::NoDialog => {
                let detail = "What to do: 'Copy recipe' and 'Paste recipe' carry it to and from a text editor.";
                self.view.messages.report_once(Problem::error("This system has no file dialog", detail));
            }
        }
    }

    /// The active recipe becomes another one, in one step.
    pub(crate) fn take_recipe(&mut self, label: &str, recipe: Recipe) {
        let of = self.workspace.active_place();
        self.view.messages.say(format!("Recipe {} is {}", self.active_name(), recipe.title()));
        self.workspace
            .edit(label, |document| document.recipe_mut(&of).into_iter().for_each(|own| own.clone_from(&recipe)));
    }

    fn refuse_recipe(&mut self, title: &str, reason: &str) {
        let detail = format!(
            "{reason}\nRecipe {} stays as it was.\nWhat to do: take a text that 'Copy recipe' or 'Save recipe' has made; \
             'posepress settings' and 'posepress codecs' list what may stand in one.",
            self.active_name()
        );
        self.view.messages.report(Problem::error(title, detail));
    }

    fn active_name(&self) -> String {
        self.workspace.place_name(&self.workspace.active_place())
    }
}
