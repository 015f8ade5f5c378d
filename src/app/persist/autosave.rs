//! Saves the window's work while it is used. A thread writes changes, even if the window does not draw.

use super::saved::State;
use posepress_core::project::StateFile;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest delay from a change to its write, so that a drag is not written sixty times per second.
pub const DELAY: Duration = Duration::from_secs(1);
/// Longest wait for the disk at the end of the program.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// Writes to a window's state file. Dropping it writes pending changes.
pub struct Autosave {
    inbox: Arc<Inbox>,
    known: Option<State>,
}

/// Pending write, shared by the window's thread and the writing thread.
#[derive(Default)]
pub struct Inbox {
    mail: Mutex<Mail>,
    changed: Condvar,
}

#[derive(Default)]
struct Mail {
    /// Latest state that is not written yet. It replaces older ones.
    state: Option<State>,
    /// True while a state is being written.
    is_writing: bool,
    /// True while [`Inbox::flush`] waits for the write, which then skips the delay.
    hurry: bool,
    closed: bool,
    /// Why saving started to fail, until the window takes it.
    failure: Option<String>,
}

impl Autosave {
    /// Starts the thread. It calls `wake` when there is a new [`Self::failure`].
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(file: StateFile, delay: Duration, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let thread = inbox.clone();
        std::thread::Builder::new().name("autosave".into()).spawn(move || thread.keep_writing(&file, delay, wake))?;
        Ok(Self { inbox, known: None })
    }

    /// Takes the current state. An unchanged state only costs a comparison.
    pub fn hand_over(&mut self, state: State) {
        if self.known.as_ref() != Some(&state) {
            self.inbox.put(state.clone());
            self.known = Some(state);
        }
    }

    /// Why saving fails. Returned once each time that it starts to fail.
    pub fn failure(&self) -> Option<String> {
        self.inbox.lock().failure.take()
    }

    /// The inbox, for [`Inbox::flush`] on another thread.
    #[cfg(not(target_family = "wasm"))]
    pub fn inbox(&self) -> Arc<Inbox> {
        self.inbox.clone()
    }
}

impl Drop for Autosave {
    fn drop(&mut self) {
        self.inbox.lock().closed = true;
        self.inbox.flush();
    }
}

impl Inbox {
    /// Writes pending changes at once. Returns when they are written or the write fails, but after two seconds in any
    /// case.
    pub fn flush(&self) {
        let mut mail = self.lock();
        mail.hurry = mail.state.is_some() || mail.is_writing;
        self.changed.notify_all();
        let _ = self.changed.wait_timeout_while(mail, LAST_WRITE, |mail| mail.hurry);
    }

    fn put(&self, state: State) {
        self.lock().state = Some(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_writing(&self, file: &StateFile, delay: Duration, wake: impl Fn()) {
        let mut written = String::new();
        let mut is_failing = false;
        while let Some(state) = self.next(delay) {
            let result = state.to_toml().map_err(|error| error.to_string()).and_then(|text| {
                if text != written {
                    file.write(&text).map_err(|error| error.to_string())?;
                }
                Ok(text)
            });
            let failure = match result {
                Ok(text) => {
                    written = text;
                    None
                }
                Err(reason) => Some(reason),
            };
            let was_failing = std::mem::replace(&mut is_failing, failure.is_some());
            self.done(state, failure, was_failing);
            if is_failing && !was_failing {
                wake();
            }
        }
    }

    /// Waits for a change, then for the delay, to collect later changes. `None` once the window has closed and nothing
    /// is pending.
    fn next(&self, delay: Duration) -> Option<State> {
        let idle = |mail: &mut Mail| mail.state.is_none() && !mail.closed;
        let mail = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + delay;
        let more = |mail: &mut Mail| !mail.hurry && !mail.closed && Instant::now() < until;
        let waited = self.changed.wait_timeout_while(mail, delay, more).unwrap_or_else(PoisonError::into_inner);
        let mut mail = waited.0;
        mail.is_writing = mail.state.is_some();
        mail.state.take()
    }

    /// Ends a write. A failed one is retried later, unless a newer state replaces it or the window has closed.
    fn done(&self, state: State, failure: Option<String>, was_failing: bool) {
        let mut mail = self.lock();
        mail.is_writing = false;
        let failed = failure.is_some();
        if failed && !mail.closed {
            mail.state.get_or_insert(state);
        }
        if !was_failing {
            mail.failure = failure;
        }
        mail.hurry &= mail.state.is_some() && !failed;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::project::FoundState;
    use std::path::Path;
    use std::sync::mpsc::channel;

    const NEVER: Duration = Duration::from_secs(3600);

    fn start(folder: &Path, delay: Duration) -> Autosave {
        Autosave::start(StateFile::claim(folder).unwrap().0, delay, || {}).unwrap()
    }

    fn zoomed(zoom: f32) -> State {
        let mut state = State::default();
        state.settings.zoom = zoom;
        state
    }

    fn zoom_on_disk(folder: &Path) -> Option<f32> {
        let text = std::fs::read_to_string(folder.join("window-1.toml")).ok()?;
        let (state, unread) = State::read(&text);
        assert!(unread.is_empty(), "{text}");
        Some(state.settings.zoom)
    }

    /// Waits until nothing is pending and nothing is being written.
    fn wait_until_written(autosave: &Autosave) {
        let inbox = autosave.inbox();
        let is_busy = |mail: &mut Mail| mail.state.is_some() || mail.is_writing;
        let waited = inbox.changed.wait_timeout_while(inbox.lock(), Duration::from_secs(20), is_busy).unwrap();
        assert!(!waited.1.timed_out());
    }

    #[test]
    fn a_change_is_written_while_nobody_does_anything() {
        let folder = tempfile::tempdir().unwrap();
        let mut autosave = start(folder.path(), Duration::from_millis(5));
        for zoom in [1.1, 1.2] {
            autosave.hand_over(zoomed(zoom));
            wait_until_written(&autosave);
            assert_eq!(zoom_on_disk(folder.path()), Some(zoom));
        }
    }

    #[test]
    fn changes_without_end_do_not_keep_the_first_one_from_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut autosave = start(folder.path(), Duration::from_millis(20));
        let mut zoom = 1.0;
        let started = Instant::now();
        while zoom_on_disk(folder.path()).is_none() {
            assert!(started.elapsed() < Duration::from_secs(20));
            zoom += 1e-4;
            autosave.hand_over(zoomed(zoom));
            std::thread::yield_now();
        }
    }

    #[test]
    fn closing_and_hurrying_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut autosave = start(folder.path(), NEVER);
        autosave.hand_over(zoomed(1.3));
        autosave.inbox().flush();
        assert_eq!(zoom_on_disk(folder.path()), Some(1.3));
        autosave.hand_over(zoomed(1.4));
        autosave.hand_over(zoomed(1.5));
        drop(autosave);
        assert_eq!(zoom_on_disk(folder.path()), Some(1.5));
        // A claim waits for a window that is closing.
        let is_free = || StateFile::claim(folder.path()).unwrap().0.number() == 1;
        assert!((0..40).any(|_| is_free()), "the file is free again");
    }

    #[test]
    fn what_cannot_be_written_is_said_once_and_tried_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("posepress");
        let (said, heard) = channel();
        let file = StateFile::claim(&folder).unwrap().0;
        let mut autosave =
            Autosave::start(file, Duration::from_millis(5), move || said.send(()).unwrap_or_default()).unwrap();
        std::fs::rename(&folder, home.path().join("away")).unwrap();
        autosave.hand_over(zoomed(1.3));
        heard.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(autosave.failure().is_some_and(|reason| reason.contains("window-1.toml")));
        autosave.inbox().flush();
        assert!(heard.try_recv().is_err() && autosave.failure().is_none(), "said once");
        std::fs::rename(home.path().join("away"), &folder).unwrap();
        wait_until_written(&autosave);
        assert_eq!(zoom_on_disk(&folder), Some(1.3), "written after all");
        let FoundState::Text(_) = StateFile::claim(&folder).unwrap().0.read_other(1) else { panic!("no text") };
    }
}
