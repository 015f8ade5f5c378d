//! The panels, fields and recipes that the level of the window shows.

use super::{Level, Panel, State};
use posepress_core::codecs::ParamValues;
use posepress_core::project::Document;

/// Recipes that Essentials always shows: A and B.
const USUAL_SLOTS: usize = 2;

impl State<'_> {
    /// True if every setting and number is shown.
    pub fn shows_all(self) -> bool {
        self.view.settings.level == Level::All
    }

    /// True if all fields of a panel are shown, not only those that differ from their defaults.
    pub fn shows_fields(self, panel: Panel) -> bool {
        self.shows_all() || self.view.settings.asked_panels.contains(&panel)
    }

    /// True if a panel is shown: with all settings, after it was asked for, or because something in it is used.
    pub fn shows_panel(self, panel: Panel) -> bool {
        let recipe = self.workspace.active_recipe();
        let is_used = match panel {
            Panel::Parameters => recipe.values != ParamValues::new(),
            Panel::Compensation => !recipe.compensation.is_none(),
            Panel::Overrides => !recipe.overrides.is_empty(),
            Panel::NamedRecipes => !self.workspace.document().named.is_empty(),
            Panel::Seam => self.workspace.selected().is_some_and(|clip| {
                let is_marked =
                    self.workspace.loop_mark(clip).is_some() || self.workspace.additive_mark(clip).is_some();
                is_marked || self.selected().is_some_and(|(_, clip)| clip.additive().is_some())
            }),
            Panel::Lods => self.workspace.document().platform.is_some(),
            Panel::BytesByJoint => false,
            _ => true,
        };
        is_used || self.shows_fields(panel)
    }

    /// True if the top bar shows a slot: with all settings, for recipes A, B and external files, or because the recipe
    /// is active or was changed.
    pub fn shows_slot(self, slot: usize) -> bool {
        let workspace = self.workspace;
        let is_usual = slot < USUAL_SLOTS || workspace.external_slot() == Some(slot);
        let own = workspace.document().recipes.get(slot);
        let is_usual_recipe =
            || [Document::default(), Document::of_sample()].iter().any(|one| one.recipes.get(slot) == own);
        let is_used = || workspace.active_slot() == slot || !is_usual_recipe();
        self.shows_all() || is_usual || is_used()
    }
}
