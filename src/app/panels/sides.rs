//! Names of the two sides.

use super::PanelCx;
use crate::actions::{Action, action_of};
use crate::commands::{Command, CompareCommand};
use crate::render::{Side, other};
use crate::state::GhostOf;
use egui::Ui;
use posepress_core::model::Clip;
use posepress_core::project::DecisionKind;
use posepress_core::report::{Sides, lod_starts_m};
use posepress_core::settings::Choice;
use posepress_core::text;
use posepress_core::workspace::Reference;
use std::borrow::Cow;

/// Contents of a side.
pub struct Standing {
    /// True if the side shows the original.
    pub is_original: bool,
    /// Its kind: "original", "reference" or "compressed".
    pub word: &'static str,
    /// Its title.
    pub title: String,
}

impl PanelCx<'_> {
    /// Current contents of a side, even if something else is requested. While R is held, the reference is the original.
    pub fn standing(&self, side: Side) -> Standing {
        let is_beside = self.workspace.pair().is_some() && !self.view.held.original;
        self.standing_beside(side, if is_beside { self.workspace.reference() } else { Reference::Original })
    }

    fn standing_beside(&self, side: Side, reference: Reference) -> Standing {
        let (is_original, title) = match (side, reference) {
            (Side::Compressed, Reference::Level(_) | Reference::Lod(_)) => (false, self.title_of(reference)),
            (Side::Compressed, _) => (false, self.tuned()),
            (Side::Original, Reference::Original | Reference::Level(_) | Reference::Lod(_)) => {
                (true, self.title_of(Reference::Original))
            }
            (Side::Original, _) => (false, self.title_of(reference)),
        };
        let word = match (is_original, side) {
            (true, _) => "original",
            (false, Side::Original) => "reference",
            (false, Side::Compressed) => "compressed",
        };
        Standing { is_original, word, title }
    }

    /// The two sides that the numbers compare; `None` for the active recipe against the original. Held keys do not
    /// change it.
    pub fn pair_words(&self) -> Option<String> {
        self.workspace.pair()?;
        let left = self.left_side();
        let [left, right] = [left, other(left)].map(|side| {
            let Standing { is_original, title, .. } = self.standing_beside(side, self.workspace.reference());
            if is_original { "original".to_owned() } else { title }
        });
        Some(format!("{right}  compared with  {left}"))
    }

    /// True if the reference is not the original. Such a pair has differences, but no verdict.
    pub fn is_paired(&self) -> bool {
        self.workspace.pair().is_some() && !matches!(self.workspace.reference(), Reference::Level(_))
    }

    /// The result that faint curves show beside the current ones, and its name.
    pub fn ghost(&self) -> Option<(&Sides, Cow<'static, str>)> {
        match self.view.settings.ghost {
            GhostOf::Nothing => None,
            GhostOf::LastChange => Some((self.view.ghost.before()?, "before".into())),
            GhostOf::Recipe(slot) => {
                let is_shown =
                    slot == self.workspace.active_slot() || self.workspace.reference() == Reference::Slot(slot);
                let sides = self.workspace.compressed_with(slot).filter(|_| !is_shown)?;
                Some((sides, format!("recipe {}", self.workspace.slot_letter(slot)).into()))
            }
        }
    }

    fn tuned(&self) -> String {
        let slot = self.workspace.active_slot();
        let made = self.workspace.compressed().filter(|made| made.outcome.encoding().is_some());
        let title = made.map_or_else(|| self.workspace.slot_title(slot), |made| made.outcome.recipe.title());
        format!("{}  {title}", self.workspace.slot_letter(slot))
    }

    /// The level of detail of the shown platform: `LOD 2  20 m  12 joints  every 4th frame`.
    fn lod_title(&self, level: usize) -> String {
        let (document, rig) = (self.workspace.document(), self.selected().map(|(rig, _)| rig));
        let Some((platform, rig)) = document.shown_platform().zip(rig) else { return String::new() };
        let Some(settings) = platform.levels.get(level) else { return String::new() };
        let from = match level {
            0 => "near".to_owned(),
            _ => text::distance(lod_starts_m(platform, rig, &document.screen)[level]),
        };
        let joints = self.workspace.lod(level).map_or(0, |measured| measured.joints);
        let update = settings.every.option().label;
        format!("LOD {level}  {from}  {}  {update}", text::count(joints, "joint"))
    }

    /// Title of a reference.
    pub fn title_of(&self, reference: Reference) -> String {
        let of_slot = |slot| format!("{}  {}", self.workspace.slot_letter(slot), self.workspace.slot_title(slot));
        match reference {
            Reference::Original => self.selected().map_or(String::new(), |(_, clip)| raw(clip)),
            Reference::Slot(slot) => of_slot(slot),
            Reference::External => self.workspace.external_slot().map_or(String::new(), of_slot),
            Reference::Clip(clip) => {
                self.workspace.library().clip(clip).map_or(String::new(), |(_, clip)| clip.name().to_owned())
            }
            Reference::Level(level) => {
                self.workspace.tier_level(level).map_or(String::new(), |level| level.name.clone())
            }
            Reference::Lod(level) => self.lod_title(level),
            Reference::Decided => {
                let decision = self.workspace.selected().and_then(|clip| self.workspace.decision(clip));
                let words = decision.map(|decision| (decision.kind, decision.recipe.title()));
                words.map_or(String::new(), |(kind, title)| format!("{}  {title}", DecisionKind::name(kind)))
            }
        }
    }
}

/// Title of the original: number of samples and rate.
fn raw(clip: &Clip) -> String {
    let samples = text::count(clip.samples(), "sample");
    match clip.samples() {
        1 => format!("raw  {samples}"), // a pose has no rate
        _ => format!("raw  {samples}  {}", text::rate(clip.grid().rate_hz())),
    }
}

/// Menu entries that choose the reference, and one that swaps the sides.
pub fn reference_entries(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    cx.entries_of(ui, "Reference");
    ui.separator();
    cx.entry(ui, &crate::actions::list::SWAP_SIDES);
}

/// The action that chooses a reference.
pub fn compare_to(reference: Reference) -> Option<&'static Action> {
    action_of(&Command::Compare(CompareCommand::CompareTo(reference)))
}
