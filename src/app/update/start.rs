//! Files that a window opens at its start.

use super::files::open;
use super::model::Model;
use super::recording::{Line, log};
use super::sample::open_sample;
use super::session::reopen;
use super::share::take_view;
use crate::state::{Opens, Start};

/// Opens the files of the start state, then its view.
pub fn begin(model: &mut Model, start: Start) {
    log(|| Line::start(start.clone()));
    let version = env!("CARGO_PKG_VERSION");
    if model.view.settings.note_version(version) {
        model.view.messages.say(format!("This is Posepress {version} now. Help, What changed lists the changes"));
    }
    match start.opens {
        Opens::Nothing => {}
        Opens::Files(files) => open(model, files),
        Opens::Sample => {
            model.first_look = true;
            model.sample_at_start = true;
            open_sample(model);
        }
        Opens::Session(session) => reopen(model, *session),
    }
    let view = start.view.and_then(|view| view.parse().ok());
    view.into_iter().for_each(|view| take_view(model, view));
}
