//! Carries out commands in order, each noun in its own file.

use super::model::Model;
use super::recording::{self, Done, Line, digest, log};
use super::tour::start_tour;
use super::{
    blind, budget, clips, compare, curves, draw, exports, files, find, framing, imports, joints, left_out, lod, marks,
    play, project, recipes, review, share, window,
};
use crate::actions::action_named;
use crate::commands::{ActionId, Command, WindowCommand};
use crate::state::State;

/// Carries out commands in order.
pub fn dispatch(model: &mut Model, ctx: &egui::Context, commands: Vec<Command>) {
    let before = (model.workspace.history().moves(), model.view.messages.status.clone());
    for command in commands {
        do_one(model, ctx, command);
    }
    let Model { workspace, view, .. } = model;
    // After a change the old status may be wrong. Clear it, unless the change set a new one.
    if workspace.history().moves() != before.0 && view.messages.status == before.1 {
        view.messages.status.clear();
    }
    play::keep_to_seam(workspace, view);
    budget::keep_table(workspace, view);
    view.keep_curve_zoom(workspace.selected());
}

/// Carries a command out, and writes it to the log.
fn do_one(model: &mut Model, ctx: &egui::Context, command: Command) {
    let command = command.spelled_out(model.workspace.document());
    let asked = recording::is_on().then(|| recording::done(model, command.clone()));
    carry_out(model, ctx, command);
    if let Some(asked) = asked {
        log(|| Line::Done(Box::new(Done { digest: digest(model), ..asked })));
    }
}

fn carry_out(model: &mut Model, ctx: &egui::Context, command: Command) {
    let Model { workspace, view, files, .. } = model;
    match command {
        Command::Run(name) => run(model, ctx, &name),
        Command::TakeOffer(offer) => left_out::take_offer(model, offer),
        Command::File(command) => files::carry_out(model, command),
        Command::Project(command) => project::carry_out(model, ctx, command),
        Command::Import(command) => imports::carry_out(workspace, view, command),
        Command::Export(command) => exports::carry_out(workspace, view, files, command),
        Command::Recipe(command) => recipes::carry_out(workspace, view, files, ctx, command),
        Command::Lod(command) => lod::carry_out(workspace, view, files, ctx, command),
        Command::Compare(command) => compare::carry_out(model, command),
        Command::Mark(command) => marks::carry_out(workspace, command),
        Command::Review(command) => review::carry_out(workspace, view, command),
        Command::Blind(command) => blind::carry_out(workspace, view, ctx, command),
        Command::Budget(command) => budget::carry_out(workspace, view, command),
        Command::Clip(command) => clips::carry_out(workspace, view, command),
        Command::Joint(command) => joints::carry_out(workspace, view, command),
        Command::Play(command) => play::carry_out(workspace, view, command),
        Command::Find(command) => find::carry_out(workspace, view, command),
        Command::Draw(command) => draw::carry_out(workspace, view, command),
        Command::Camera(command) => framing::carry_out(workspace, view, command),
        Command::Curve(command) => curves::carry_out(workspace, view, command),
        Command::Window(WindowCommand::StartTour(tour)) => start_tour(model, tour),
        Command::Window(command) => window::carry_out(workspace, view, ctx, command),
        Command::Share(command) => share::carry_out(model, ctx, command),
    }
}

/// Runs the command of an action, or reports why it cannot run now.
fn run(model: &mut Model, ctx: &egui::Context, name: &ActionId) {
    let Some(action) = action_named(name) else { return };
    match action.can_run(&State { workspace: &model.workspace, view: &model.view }) {
        Ok(()) => carry_out(model, ctx, action.command().clone()),
        Err(reason) => model.view.messages.say(reason),
    }
}
