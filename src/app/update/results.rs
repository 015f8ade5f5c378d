//! The store of results on disk.

use crate::files::{FileEvent, Files};
use crate::state::{Offer, Problem, ResultsFolder, View};
use posepress_core::store::{Store, StoreError, Sweep, Swept};
use posepress_core::text;
use posepress_core::workspace::Workspace;
use std::time::{Duration, SystemTime};

/// Results in the windows' own store that were used in this time stay.
const KEPT_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Largest size of the windows' own store, bytes. Those that were not used for longest are removed.
const MOST_BYTES: u64 = 4 << 30;

/// Title of the message about a store that cannot be used.
const NOT_KEPT: &str = "Results are not kept on disk";

/// Keeps results in the store and finds them there, if the settings say so.
pub fn use_results(workspace: &Workspace, view: &mut View) {
    view.messages.close_titled(NOT_KEPT);
    let folder = view.results_folder.clone().filter(|_| view.settings.keep_results);
    let store = folder.map(|folder| (Store::open(&folder.path), folder.is_own));
    let store = match store {
        Some((Ok(store), is_own)) => {
            if is_own {
                let store = store.clone();
                let sweep = Sweep { keep: Some(KEPT_FOR), max_bytes: Some(MOST_BYTES) };
                // What cannot be removed now is removed at a later start.
                std::thread::spawn(move || store.sweep(sweep, SystemTime::now()));
            }
            Some(store)
        }
        Some((Err(error), _)) => {
            view.messages.report_once(not_kept(error.to_string()));
            None
        }
        None => None,
    };
    workspace.results().set_store(store);
}

/// Starts or stops to keep results. After a fault it starts again.
pub fn toggle_results(workspace: &Workspace, view: &mut View) {
    view.settings.keep_results = workspace.results().store().is_none();
    use_results(workspace, view);
    let kept = view.results_folder.as_ref().filter(|_| workspace.results().store().is_some());
    view.messages.say(match kept {
        Some(ResultsFolder { path, .. }) => format!("Results are kept in {}", path.display()),
        None => "Results are no longer kept on disk".to_owned(),
    });
}

/// Removes all kept results in the background.
pub fn remove_results(view: &View, files: &Files) {
    let Some(folder) = view.results_folder.clone() else { return };
    files.in_background("results", move || {
        let all = Sweep { keep: None, max_bytes: Some(0) };
        let swept = Store::open_existing(&folder.path).and_then(|store| store.sweep(all, SystemTime::now()));
        FileEvent::ResultsRemoved(swept)
    });
}

/// Says what was removed.
pub fn results_removed(view: &mut View, swept: Result<Swept, StoreError>) {
    match swept {
        Ok(Swept { removed, removed_bytes, .. }) => {
            let (count, size) = (text::count(removed, "kept result"), text::bytes(removed_bytes));
            view.messages.say(format!("{count} removed, {size}"));
        }
        Err(error) => view.messages.report(Problem::error("Kept results cannot be removed", error.to_string())),
    }
}

/// Says why a result could not be kept, and keeps none until a person asks for it or the program starts again: on a full disk, every
/// result would fail.
pub fn report_fault(workspace: &Workspace, view: &mut View) {
    if let Some(fault) = workspace.results().take_fault() {
        workspace.results().set_store(None);
        view.messages.report_once(not_kept(fault));
    }
}

/// The message about a store that cannot be used, with the reason.
fn not_kept(reason: String) -> Problem {
    let offers = vec![("Try again".to_owned(), Offer::KeepResults)];
    Problem { offers, ..Problem::error(NOT_KEPT, reason) }
}
