//! Tours: their steps at their times, and the state before them when they end.

use super::clips::select_clip;
use super::framing::frame_all;
use super::model::Model;
use super::sample::open_sample;
use crate::actions::{TOUR_SECS, TOURS, TourStep, action_named};
use crate::commands::{Command, ReviewCommand, WindowCommand};
use crate::state::{MainTab, Touring, View};
use posepress_core::workspace::Workspace;

/// Starts a tour on the bundled character.
pub fn start_tour(model: &mut Model, tour: usize) {
    stop_tour(&mut model.workspace, &mut model.view);
    if model.workspace.library().sources().is_empty() {
        open_sample(model);
    }
    let Model { workspace, view, .. } = model;
    let first = workspace.library().clip_ids().next();
    view.settings.hint_seen = true;
    view.messages.status.clear();
    view.touring = Some(Touring {
        tour,
        begun: 0,
        time_secs: 0.0,
        settings: Box::new(view.settings.clone()),
        document: Box::new(workspace.document().clone()),
        moves: workspace.history().moves(),
        budget: Box::new(view.budget.clone()),
        clip: workspace.selected().or(first),
        slot: workspace.active_slot(),
    });
    first.into_iter().for_each(|clip| select_clip(workspace, view, clip));
}

/// Ends the tour, and restores settings, recipes and decisions. Returns true if one played.
pub fn stop_tour(workspace: &mut Workspace, view: &mut View) -> bool {
    let Some(before) = view.touring.take() else { return false };
    workspace.commit();
    // Never more steps than the tour made: those before it are a person's.
    for _ in before.moves..workspace.history().moves() {
        if workspace.document() == &*before.document || !workspace.undo() {
            break;
        }
    }
    workspace.activate_slot(before.slot);
    if let Some(clip) = before.clip.filter(|clip| workspace.library().clip(*clip).is_some()) {
        select_clip(workspace, view, clip);
    }
    view.settings = *before.settings;
    view.transport.playing = false;
    view.review.reason = None;
    view.budget = *before.budget;
    frame_all(workspace, view);
    true
}

/// The commands of the next step if its time has come. The clock waits for what the step before it shows.
pub fn advance_tour(model: &mut Model, elapsed_secs: f32) -> Vec<Command> {
    let is_ready = shows_results(&model.workspace, model.view.settings.main_tab);
    let Some(touring) = model.view.touring.as_mut().filter(|_| is_ready) else {
        return Vec::new();
    };
    touring.time_secs += elapsed_secs;
    if touring.time_secs >= TOUR_SECS {
        stop_tour(&mut model.workspace, &mut model.view);
        model.view.messages.say("The tour has ended, and nothing was changed. Open your own files, or try its steps");
        return Vec::new();
    }
    let next = TOURS[touring.tour].steps.get(touring.begun).filter(|step| step.at_secs <= touring.time_secs);
    touring.begun += usize::from(next.is_some());
    next.map_or(Vec::new(), TourStep::commands)
}

/// True if the selected clip has its verdict, in the queue of Review each clip, and if the study and the budget have ended. A decision about a
/// clip without a verdict would be lost.
fn shows_results(workspace: &Workspace, main_tab: MainTab) -> bool {
    let is_judged = |clip| workspace.verdict(clip, workspace.active_slot()).is_some();
    let is_complete = main_tab != MainTab::Review || workspace.library().clip_ids().all(is_judged);
    workspace.selected().is_some_and(is_judged)
        && is_complete
        && workspace.study_left() == 0
        && workspace.fitting().is_none()
}

/// Ends the tour if a person gives a command that it does not survive: any but those about pictures and cameras. Returns the commands that
/// are still to be carried out.
pub fn leave_tour(model: &mut Model, mut commands: Vec<Command>) -> Vec<Command> {
    if model.view.touring.is_none() || commands.iter().all(goes_on) {
        return commands;
    }
    stop_tour(&mut model.workspace, &mut model.view);
    model.view.messages.say("The tour has ended");
    commands.retain(|command| !matches!(command, Command::Window(WindowCommand::Escape | WindowCommand::StopTour)));
    commands
}

/// True for commands about pictures and cameras, and for those that panels give by themselves.
fn goes_on(command: &Command) -> bool {
    match command {
        Command::Run(name) => action_named(name).is_some_and(|action| goes_on(action.command())),
        Command::Camera(_) | Command::Draw(_) | Command::Review(ReviewCommand::NoteFocused) => true,
        Command::Window(command) => matches!(command, WindowCommand::PanelShown | WindowCommand::SizePanel(..)),
        _ => false,
    }
}
