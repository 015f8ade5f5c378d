//! Watches open files, so that they are read again when they change on disk, such as after a new export.
//!
//! A thread checks length and time of the files once per second. System events would be faster, but they do not work on
//! network drives, and they need special handling of programs that write a new file and rename it. Compared with an
//! export, a second is short.

use posepress_core::workspace::Workspace;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

/// Interval between checks of files.
pub const USUAL_INTERVAL: Duration = Duration::from_secs(1);

/// State of a file without its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

/// Role of a watched file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// An open file.
    Source(u32),
    /// The external file.
    External,
}

/// A file that is watched.
#[derive(Debug)]
struct Watched {
    of: Of,
    /// Stamp of the version that was read.
    known: Option<Stamp>,
    /// Stamp of the last check.
    seen: Option<Stamp>,
}

type List = Mutex<HashMap<PathBuf, Watched>>;

/// Watches the open files.
#[derive(Debug)]
pub struct Watch {
    list: Arc<List>,
    changes: Receiver<Of>,
    /// The open files that the list was made from.
    sources: Vec<(Of, Option<PathBuf>)>,
}

impl Watch {
    /// Starts the thread, which watches nothing yet. It ends when the watch is dropped.
    pub fn start(every: Duration, wake: egui::Context) -> Self {
        let (sender, changes) = channel();
        let list = Arc::new(List::default());
        let watched = Arc::downgrade(&list);
        let look = move || look(&watched, &sender, every, &wake);
        if let Err(error) = std::thread::Builder::new().name("watch".into()).spawn(look) {
            tracing::error!("files are not watched: {error}");
        }
        Self { list, changes, sources: Vec::new() }
    }

    /// Watches the open files and the files that they refer to; `None` watches nothing.
    pub fn keep_to(&mut self, workspace: Option<&Workspace>) {
        let open = workspace.map_or(&[][..], |workspace| workspace.library().sources());
        let external = workspace.and_then(|workspace| workspace.document().external.as_ref()).map(|file| &file.path);
        let sources = open.iter().map(|source| (Of::Source(source.id), source.path.as_ref()));
        let sources = sources.chain(external.map(|path| (Of::External, Some(path))));
        if sources.clone().eq(self.sources.iter().map(|(of, path)| (*of, path.as_ref()))) {
            return;
        }
        self.sources = sources.map(|(of, path)| (of, path.cloned())).collect();
        let beside = open.iter().flat_map(|source| source.beside.iter().map(|path| (Of::Source(source.id), path)));
        let own = self.sources.iter().filter_map(|(of, path)| Some((*of, path.as_ref()?)));
        let mut list = locked(&self.list);
        let mut known = std::mem::take(&mut *list);
        // An open file counts as open, even if it has another role, too.
        for (of, path) in beside.chain(own.rev()) {
            let watched = known.remove(path).or_else(|| list.remove(path)).filter(|watched| watched.of == of);
            list.insert(path.clone(), watched.unwrap_or_else(|| Watched::new(of, path)));
        }
    }
}

impl Watch {
    /// Files that changed since the last call, each once.
    pub fn changes(&self) -> Vec<Of> {
        let mut changed: Vec<Of> = self.changes.try_iter().collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Forgets which files are open, so that the next [`Self::keep_to`] also collects the files that they refer to now.
    pub fn look_again(&mut self) {
        self.sources.clear();
    }
}

impl Watched {
    fn new(of: Of, path: &Path) -> Self {
        let stamp = stamp(path);
        Self { of, known: stamp, seen: stamp }
    }

    /// True once for a file that has changed and is the same as at the last check. A missing file counts as unchanged,
    /// because it may come back.
    fn has_settled(&mut self, now: Option<Stamp>) -> bool {
        let before = std::mem::replace(&mut self.seen, now);
        let is_new = now.is_some() && now != self.known && now == before;
        if is_new {
            self.known = now;
        }
        is_new
    }
}

fn locked(list: &List) -> MutexGuard<'_, HashMap<PathBuf, Watched>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = std::fs::metadata(path).ok()?;
    Some(Stamp { bytes: meta.len(), modified: meta.modified().ok() })
}

/// Checks files until the list is dropped.
fn look(list: &Weak<List>, changes: &Sender<Of>, every: Duration, wake: &egui::Context) {
    loop {
        std::thread::sleep(every);
        let Some(list) = list.upgrade() else { return };
        // The lock is not held while a slow drive answers.
        let paths: Vec<PathBuf> = locked(&list).keys().cloned().collect();
        for path in paths {
            let now = stamp(&path);
            let mut list = locked(&list);
            if let Some(watched) = list.get_mut(&path)
                && watched.has_settled(now)
                && changes.send(watched.of).is_ok()
            {
                wake.request_repaint();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(bytes: u64) -> Option<Stamp> {
        Some(Stamp { bytes, modified: None })
    }

    #[test]
    fn a_file_that_grows_is_waited_for_and_one_that_is_gone_may_come_back() {
        let mut watched = Watched { of: Of::External, known: at(10), seen: at(10) };
        assert!(!watched.has_settled(at(10)), "nothing happened");
        assert!(!watched.has_settled(at(3)) && !watched.has_settled(at(8)), "it is being written");
        assert!(watched.has_settled(at(8)), "it is left alone");
        assert!(!watched.has_settled(at(8)), "once");
        assert!(!watched.has_settled(None) && !watched.has_settled(None), "gone");
        assert!(!watched.has_settled(at(9)));
        assert!(watched.has_settled(at(9)), "back, and another");
    }
}
