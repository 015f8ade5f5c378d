//! What is seen, as a line of text for another person: copied, pasted, given at the start.

use crate::App;
use crate::commands::Command;
use crate::files::file_name;
use crate::render::Camera;
use crate::state::Desk;
use crate::state::Problem;
use posepress_core::import::ImportOptions;
use posepress_core::session::{ClipId, LoadedSource, Reference, SLOT_LETTERS, SharedView, SourceFile};

/// Names, in a view, what was judged.
const DECIDED: &str = "decided";
/// What texts call what is left without tiers, with a number behind it.
const LEVEL: &str = "level ";

/// A view that is shown as soon as its file is open.
#[derive(Debug)]
pub struct AwaitedView {
    view: SharedView,
    /// Its file was opened for it.
    is_opened: bool,
}

impl App {
    /// What is seen now.
    pub(crate) fn shared_view(&self) -> SharedView {
        let (library, view) = (self.workspace.library(), &self.view);
        let selected = self.workspace.selected();
        let (rig, clip) = selected.and_then(|id| library.clip(id)).unzip();
        let source = selected.and_then(|id| library.source(id.source));
        let joint = rig.zip(view.selection.joint).filter(|(rig, joint)| *joint < rig.skeleton.len());
        SharedView {
            file: source.and_then(|source| source.path.as_deref()).map(file_name),
            clip: clip.map(|clip| clip.name().to_owned()),
            time_secs: (view.transport.time_secs * 1e4).round() / 1e4,
            recipe: Some(self.workspace.slot_letter(self.workspace.active_slot()).to_owned()),
            reference: self.reference_name(),
            swapped: self.workspace.is_swapped(),
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

    /// Puts it on the clipboard.
    pub(crate) fn copy_view(&mut self, ctx: &egui::Context) {
        ctx.copy_text(self.shared_view().to_string());
        self.view.messages.say("Copied the view");
    }

    /// Takes what was on the clipboard for what it says that it is.
    pub(crate) fn paste(&mut self, text: &str) {
        if !SharedView::is_one(text) {
            return self.paste_recipe(text);
        }
        match text.parse() {
            Ok(view) => self.take_view(view),
            Err(error) => {
                let detail = format!("{error}\nEverything is as it was.\nWhat to do: copy the whole line once more.");
                self.view.messages.report(Problem::error("The clipboard holds no view", detail));
            }
        }
    }

    /// Shows what somebody else saw, as soon as its file is open.
    pub(crate) fn take_view(&mut self, view: SharedView) {
        self.first_look = false;
        self.awaited_view = Some(AwaitedView { view, is_opened: false });
        self.show_awaited_view();
    }

    /// As soon as every file is there, or is known not to come; a file that is not is opened first.
    pub(crate) fn show_awaited_view(&mut self) {
        let Some(AwaitedView { view, .. }) = &self.awaited_view else { return };
        // What is bundled has no path that is being read.
        let sample_may_come = view.file.is_none() && self.source_of(view).is_none() && !self.workspace.is_settled();
        if sample_may_come || self.is_opening() {
            return;
        }
        if let Some(AwaitedView { view, is_opened }) = self.awaited_view.take() {
            if !is_opened && self.open_source_of(&view) {
                self.awaited_view = Some(AwaitedView { view, is_opened: true });
                return;
            }
            let missing = self.show_view(&view);
            if missing.is_empty() {
                self.view.messages.say("Showing the view");
            } else {
                let title = "Not everything of the view is here";
                self.view.messages.report(Problem::error(title, missing.join("\n")));
            }
        }
    }

    /// Opens the file of a view, the sample or a recent one, unless it is open. True when it is being read now.
    fn open_source_of(&mut self, view: &SharedView) -> bool {
        if self.source_of(view).is_some() {
            return false;
        }
        let Some(name) = &view.file else {
            self.open_sample();
            return true;
        };
        let recent = self.view.settings.recent.iter().find(|path| file_name(path) == *name && path.is_file());
        let recent = recent.cloned();
        self.mark_opening(|opening| opening.files.extend(recent.clone()));
        recent.iter().for_each(|path| self.workspace.open(SourceFile::Path(path.clone()), ImportOptions::default()));
        recent.is_some()
    }

    /// The open file that a view is of.
    fn source_of(&self, view: &SharedView) -> Option<&LoadedSource> {
        let is_it = |source: &&LoadedSource| source.path.as_deref().map(file_name) == view.file;
        self.workspace.library().sources().iter().find(is_it)
    }

    /// Restores what is here of a view, and says what is not.
    fn show_view(&mut self, view: &SharedView) -> Vec<String> {
        self.show_desk(Desk::Clip);
        let settings = &mut self.view.settings;
        (settings.mode, settings.layers) = (view.mode, view.layers);
        (settings.wipe, settings.onion_mix) = (view.wipe, view.onion_mix);
        settings.difference_gain = view.difference;
        let mut missing: Vec<String> = self.show_slot_of(view).into_iter().collect();
        match self.clip_of(view) {
            Ok(id) => {
                self.select_clip(id);
                missing.extend(self.show_reference_of(view));
                missing.extend(self.show_moment_of(view));
            }
            Err(reason) => missing.push(reason),
        }
        missing
    }

    /// The recipe by its letter.
    fn show_slot_of(&mut self, view: &SharedView) -> Option<String> {
        let letter = view.recipe.as_deref()?;
        let slots = self.workspace.document().recipes.len() + self.workspace.foreign_slot().iter().count();
        match (0..slots).find(|slot| self.workspace.slot_letter(*slot) == letter) {
            Some(slot) => {
                self.workspace.activate_slot(slot);
                None
            }
            None => Some(format!("There is no recipe {letter}.")),
        }
    }

    /// What is shown in the original's place, as texts name it.
    fn reference_name(&self) -> Option<String> {
        let letter = |slot| self.workspace.slot_letter(slot).to_owned();
        match self.workspace.reference() {
            Reference::Original => None,
            Reference::Slot(slot) => Some(letter(slot)),
            Reference::Foreign => self.workspace.foreign_slot().map(letter),
            Reference::Decided => Some(DECIDED.to_owned()),
            Reference::Level(level) => Some(format!("{LEVEL}{level}")),
        }
    }

    /// What the view has in the original's place, for the clip that is selected by now.
    fn show_reference_of(&mut self, view: &SharedView) -> Option<String> {
        let name = view.reference.as_deref();
        let is_foreign =
            |name| self.workspace.foreign_slot().is_some_and(|slot| self.workspace.slot_letter(slot) == name);
        let reference = match name {
            None => Some(Reference::Original),
            Some(DECIDED) => Some(Reference::Decided),
            Some(name) if name.starts_with(LEVEL) => name[LEVEL.len()..].parse().ok().map(Reference::Level),
            Some(name) if is_foreign(name) => Some(Reference::Foreign),
            Some(name) => SLOT_LETTERS.iter().position(|letter| *letter == name).map(Reference::Slot),
        };
        let reference = reference.filter(|reference| self.workspace.has_reference(*reference));
        self.workspace.compare_to(reference.unwrap_or_default());
        self.workspace.swap_sides(view.swapped);
        reference.is_none().then(|| format!("There is nothing here to compare with as '{}'.", name.unwrap_or_default()))
    }

    /// The clip by its name.
    fn clip_of(&self, view: &SharedView) -> Result<ClipId, String> {
        let name = view.file.as_deref().unwrap_or("the sample");
        let source = self
            .source_of(view)
            .ok_or_else(|| format!("{name} is not open.\nWhat to do: open it, then paste the view again."))?;
        let clip = view.clip.as_deref().unwrap_or_default();
        let index = source.clips.iter().position(|known| known.name() == clip);
        let index = index.ok_or_else(|| format!("{name} has no clip '{clip}'."))?;
        Ok(ClipId { source: source.id, clip: index as u32 })
    }

    /// Joint, moment and cameras, in the clip that is selected by now.
    fn show_moment_of(&mut self, view: &SharedView) -> Vec<String> {
        let mut missing = Vec::new();
        let duration_secs = self.duration_secs();
        if view.time_secs > duration_secs + ROUNDING_SECS {
            missing.push(format!("The clip ends at {duration_secs:.3} s, before {:.3} s.", view.time_secs));
        }
        self.seek(view.time_secs);
        let rig = self.workspace.selected().and_then(|id| Some(self.workspace.library().clip(id)?.0));
        self.view.selection.joint = view.joint.as_deref().and_then(|name| {
            let joint = rig.and_then(|rig| rig.skeleton.find(name));
            if joint.is_none() {
                missing.push(format!("The rig has no joint '{name}'."));
            }
            joint
        });
        match view.camera {
            Some(camera) => self.view.cameras.restore(Camera::at(camera), view.compressed_camera.map(Camera::at)),
            None => self.frame_all(),
        }
        missing
    }
}

/// Times of a view are rounded to a tenth of a millisecond.
const ROUNDING_SECS: f32 = 1e-4;

/// What was copied or pasted where nothing takes text, as commands.
pub fn from_clipboard(ctx: &egui::Context) -> Vec<Command> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let command = |event: &egui::Event| match event {
        egui::Event::Paste(text) => Some(Command::Paste(text.clone())),
        // The system's key for copying comes as this, not as a key.
        egui::Event::Copy => Some(Command::Run(&crate::actions::list::COPY_VIEW)),
        _ => None,
    };
    ctx.input(|input| input.events.iter().filter_map(command).collect())
}
