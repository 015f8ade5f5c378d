//! Conditions of actions.

use super::Reason;
use crate::state::State;
use posepress_core::metrics::Blame;
use posepress_core::workspace::{Reference, Untestable};

const NO_FILE: Reason = "Open a file first.";
const NO_RECIPE: Reason = "This is an external file. Choose a recipe first.";
const NOT_COMPRESSED: Reason = "This clip is not compressed yet.";

pub fn always(_: &State<'_>) -> Result<(), Reason> {
    Ok(())
}

/// Not in a web page, which has no folders and cannot wait for a picture.
pub fn a_desktop(state: &State<'_>) -> Result<(), Reason> {
    if state.view.in_page { Err("A web page cannot do this. Use the program.") } else { Ok(()) }
}

pub fn a_clip_on_a_desktop(state: &State<'_>) -> Result<(), Reason> {
    a_desktop(state)?;
    a_clip(state)
}

pub fn a_clip(state: &State<'_>) -> Result<(), Reason> {
    state.selected().map(drop).ok_or(NO_FILE)
}

/// No open files but the bundled character.
pub fn only_the_sample(state: &State<'_>) -> Result<(), Reason> {
    let is_own = state.workspace.library().sources().iter().any(|source| source.path.is_some());
    let is_own = is_own || state.view.project.is_some();
    if is_own { Err("Close the open files first. A tour plays on the bundled character.") } else { Ok(()) }
}

/// A clip, and a recipe to encode it with.
pub fn a_clip_and_a_recipe(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    if state.workspace.selected().is_some_and(|id| state.workspace.library().is_rig(id)) {
        return Err("This file has a rig and no animation.");
    }
    a_recipe(state)
}

pub fn a_recipe(state: &State<'_>) -> Result<(), Reason> {
    let is_external = state.workspace.is_external_active();
    if is_external { Err(NO_RECIPE) } else { Ok(()) }
}

/// A clip that is measured with the active recipe, so that it can be judged.
pub fn a_measured_clip(state: &State<'_>) -> Result<(), Reason> {
    a_clip_and_a_recipe(state)?;
    let verdict = state.workspace.selected().and_then(|id| state.workspace.verdict(id, state.workspace.active_slot()));
    verdict.map(drop).ok_or("This clip is not measured yet.")
}

pub fn a_decision(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    let decision = state.workspace.selected().and_then(|id| state.workspace.decision(id));
    decision.map(drop).ok_or("This clip has no decision yet.")
}

pub fn passing_clips(state: &State<'_>) -> Result<(), Reason> {
    a_clip_and_a_recipe(state)?;
    if state.workspace.has_passing_to_do() { Ok(()) } else { Err("No undecided clip passes.") }
}

/// A clip whose approval does not hold any more.
pub fn a_changed_approval(state: &State<'_>) -> Result<(), Reason> {
    a_clip_and_a_recipe(state)?;
    if state.workspace.changed_approvals().is_empty() { Err("No clip changed since its approval.") } else { Ok(()) }
}

/// A fix that helps clips of the active slot.
pub fn a_common_fix(state: &State<'_>) -> Result<(), Reason> {
    a_clip_and_a_recipe(state)?;
    if state.workspace.has_common_fix() { Ok(()) } else { Err("No fix is known for the clips of this recipe.") }
}

pub fn an_approved_clip(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    if state.workspace.approved_count() > 0 { Ok(()) } else { Err("No clip of this file is approved.") }
}

pub fn a_external_file(state: &State<'_>) -> Result<(), Reason> {
    state.workspace.external_slot().map(drop).ok_or("Compare with an external file first.")
}

/// A recipe other than the active one.
pub fn another_recipe<const SLOT: usize>(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    match state.workspace.has_reference(Reference::Slot(SLOT)) {
        true => Ok(()),
        false => Err("The other side shows this already. Choose another recipe first."),
    }
}

pub fn a_external_reference(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    a_external_file(state)?;
    let has = state.workspace.has_reference(Reference::External);
    if has { Ok(()) } else { Err("The other side shows the external file. Choose a recipe first.") }
}

/// Results of the clip without `LEVEL` of its tiers.
pub fn a_level<const LEVEL: usize>(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    let has = state.workspace.has_reference(Reference::Level(LEVEL));
    if has { Ok(()) } else { Err("Turn on tiers in the report first. Only clips of press have tiers.") }
}

/// A decision with the recipe that it was made for.
pub fn a_decided_side(state: &State<'_>) -> Result<(), Reason> {
    a_decision(state)?;
    let has = state.workspace.has_reference(Reference::Decided);
    if has { Ok(()) } else { Err("This clip has no decision.") }
}

pub fn a_external_side(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    a_external_file(state)?;
    if state.workspace.is_external_active() { Ok(()) } else { Err("Show the external file first.") }
}

pub fn a_played_part(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    state.view.transport.range_secs.map(drop).ok_or("Set an in or an out point first.")
}

pub fn a_zoomed_timeline(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    let is_zoomed = state.view.range != (0.0, 1.0);
    if is_zoomed { Ok(()) } else { Err("The timeline shows the whole clip.") }
}

pub fn a_failing_clip(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    let failing = state.workspace.totals(state.workspace.active_slot()).failing;
    if failing > 0 { Ok(()) } else { Err("No clip fails.") }
}

/// A folder of results.
pub fn a_results_folder(state: &State<'_>) -> Result<(), Reason> {
    a_desktop(state)?;
    state.view.results_folder.as_ref().map(drop).ok_or("This window has no folder for results.")
}

/// A folder of results that only windows use.
pub fn own_results_folder(state: &State<'_>) -> Result<(), Reason> {
    a_results_folder(state)?;
    let is_own = state.view.results_folder.as_ref().is_some_and(|folder| folder.is_own);
    if is_own { Ok(()) } else { Err("These results are shared. Use 'posepress store gc'.") }
}

/// A file that this window wrote.
pub fn a_written_file(state: &State<'_>) -> Result<(), Reason> {
    a_desktop(state)?;
    state.view.messages.written.as_ref().map(drop).ok_or("Nothing was written yet.")
}

/// Something that a project can hold.
pub fn something_to_save(state: &State<'_>) -> Result<(), Reason> {
    if state.view.project.is_some() { Ok(()) } else { a_clip(state) }
}

pub fn a_joint(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    state.view.selection.joint.map(drop).ok_or("Select a joint first.")
}

pub fn a_report(state: &State<'_>) -> Result<(), Reason> {
    a_clip(state)?;
    state.report().map(drop).ok_or(NOT_COMPRESSED)
}

/// A clip with a finished result of the active recipe.
pub fn a_testable_clip(state: &State<'_>) -> Result<(), Reason> {
    a_clip_and_a_recipe(state)?;
    state.workspace.blind_sides().map(drop).map_err(|why| match why {
        Untestable::External => NO_RECIPE,
        Untestable::NotMade => NOT_COMPRESSED,
        Untestable::Failed => "This recipe cannot compress the clip. Change the recipe first.",
    })
}

pub fn a_contact(state: &State<'_>) -> Result<(), Reason> {
    a_report(state)?;
    let has_contacts = state.report().is_some_and(|report| !report.slide.contacts.is_empty());
    if has_contacts { Ok(()) } else { Err("This clip has no contacts.") }
}

pub fn a_blamed_joint(state: &State<'_>) -> Result<(), Reason> {
    a_report(state)?;
    let blamed = state.workspace.blame().and_then(Blame::joint);
    blamed.map(drop).ok_or("No single joint is the cause.")
}

pub fn a_clip_that_can_loop(state: &State<'_>) -> Result<(), Reason> {
    let (_, clip) = state.selected().ok_or(NO_FILE)?;
    if clip.can_loop() { Ok(()) } else { Err("A clip of one or two samples has no seam.") }
}

pub fn a_seam(state: &State<'_>) -> Result<(), Reason> {
    a_clip_that_can_loop(state)?;
    let loops = state.selected().is_some_and(|(_, clip)| clip.is_looping());
    if loops { Ok(()) } else { Err("This clip does not loop. Mark it as looping first.") }
}

pub fn a_closed_file(state: &State<'_>) -> Result<(), Reason> {
    if state.view.closed_files.is_empty() { Err("No file was closed.") } else { Ok(()) }
}

pub fn something_to_undo(state: &State<'_>) -> Result<(), Reason> {
    state.workspace.history().undo_label().map(drop).ok_or("Nothing to undo.")
}

pub fn something_to_redo(state: &State<'_>) -> Result<(), Reason> {
    state.workspace.history().redo_label().map(drop).ok_or("Nothing to redo.")
}
