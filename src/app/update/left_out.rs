//! Files that a start skipped because the last one ended while it opened them, and their return.

use super::files::open;
use super::model::Model;
use super::pending::{leave_out, open_left_out, sources};
use super::results::toggle_results;
use super::sample::open_sample;
use super::session::reopen;
use crate::state::{Again, LeftOut, Offer, Problem, View};
use posepress_core::project::Document;
use std::path::PathBuf;

/// Carries out the offer of a message.
pub fn take_offer(model: &mut Model, offer: Offer) {
    match offer {
        Offer::TakeDocument(label, document) => {
            model.view.messages.close_offers(|offer| matches!(offer, Offer::TakeDocument(..)));
            model.workspace.edit(label, |own| *own = *document);
        }
        Offer::KeepResults => toggle_results(&model.workspace, &mut model.view),
        Offer::OpenLeftOut(left, how) => try_left_out(model, *left, how),
    }
}

/// Skips what the last start failed to open, and offers to open it.
pub fn offer_left_out(view: &mut View, left: LeftOut) {
    leave_out(view, &left.opening.files);
    let names = left.opening.names();
    let (title, what) = match &left.state {
        Some(_) => (
            "The program ended while it restored the last session",
            "recipes, marks and files of the last session".to_owned(),
        ),
        None => ("The program ended while it opened a file", names.join("\n")),
    };
    let detail = format!(
        "{what}\nNot opened at this start. Nothing is lost.\nWhat to do: try again. If the program ends again, you get this \
         message again."
    );
    let again = |how| Offer::OpenLeftOut(Box::new(left.clone()), how);
    let mut offers = vec![("Try again".to_owned(), again(Again::Whole))];
    if left.state.is_none() && left.opening.project.is_none() {
        offers.push(("Without recipes and marks".to_owned(), again(Again::Bare)));
    }
    view.messages.report(Problem { offers, ..Problem::error(title, detail) });
}

/// Opens what was skipped.
fn try_left_out(model: &mut Model, LeftOut { opening, state }: LeftOut, how: Again) {
    model.view.messages.close_offers(|offer| matches!(offer, Offer::OpenLeftOut(..)));
    if how == Again::Bare {
        model.workspace.edit("Without recipes and marks", |document| *document = Document::default());
    }
    if let Some((document, session)) = state {
        model.marking.add(|_| {});
        model.workspace.edit("Recipes and marks of the last session", |own| *own = document);
        reopen(model, session);
    }
    open_left_out(model);
    // Files of the session or the project are pending. The others were opened by the user.
    let known = sources(&model.workspace, &model.view);
    let is_other = |path: &&PathBuf| known.iter().all(|source| source.path != **path);
    let others: Vec<PathBuf> = opening.files.iter().filter(is_other).cloned().collect();
    open(model, opening.project.into_iter().chain(others).collect());
    if opening.sample {
        open_sample(model);
    }
}
