use super::{ClipId, MeasuredClip, Outcome, Recipe, compress_shell, measure_vertices};
use crate::codecs::{CandidateRow, EncodeError, Progress};
use crate::metrics::ContactSettings;
use crate::model::{Clip, Rig};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What an outcome is of: a clip and a recipe slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobKey {
    /// The clip.
    pub clip: ClipId,
    /// Recipe slot: 0 = A.
    pub slot: usize,
}

/// One compression that somebody wants to see.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it is of.
    pub key: JobKey,
    /// The rig.
    pub rig: Arc<Rig>,
    /// The clip.
    pub clip: Arc<Clip>,
    /// How.
    pub recipe: Arc<Recipe>,
    /// Somebody looks at it now: it overtakes the rest, its skin is measured, its outcome is kept whole.
    pub live: bool,
}

/// What a job has to say.
#[derive(Debug)]
pub struct JobEvent {
    /// What it is of.
    pub key: JobKey,
    /// The clip as it was then.
    pub clip: Arc<Clip>,
    /// The recipe that was asked for.
    pub recipe: Arc<Recipe>,
    /// Numbers, or why there are none. A live request answers twice: before and after the skin is measured.
    pub result: Result<JobResult, String>,
    /// False while more will follow.
    pub done: bool,
}

/// A finished (or half-measured) compression.
#[derive(Debug, Clone)]
pub struct JobResult {
    /// The raw side.
    pub source: MeasuredClip,
    /// The compressed side.
    pub outcome: Arc<Outcome>,
}

/// Answer of a job that somebody stopped.
pub const STOPPED: &str = "stopped before it was done";

/// Runs compressions on a thread of its own. The latest list of wishes wins: what is no longer wished for is cancelled.
#[derive(Debug)]
pub struct Jobs {
    shared: Arc<Shared>,
    events: Receiver<JobEvent>,
    worker: Option<std::thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Request>,
    running: Option<(Request, Progress)>,
    /// Somebody asked to stop what runs, and wants to hear that it did.
    stopped: bool,
    closed: bool,
}

impl Jobs {
    /// Starts the worker. `notify` is called from it whenever there is something to [`Self::poll`].
    pub fn new(notify: impl Fn() + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let (sender, events) = channel();
        let worker = std::thread::Builder::new()
            .name("compress".into())
            .spawn({
                let shared = shared.clone();
                move || Worker { shared, sender, notify: Box::new(notify), measured: VecDeque::new() }.run()
            })
            .expect("the system gives a thread");
        Self { shared, events, worker: Some(worker) }
    }

    /// Replaces everything that is wished for, most urgent first.
    ///
    /// A running job goes on if it is still in the list and nothing live overtakes it; else it is cancelled.
    pub fn set_wanted(&self, mut wanted: Vec<Request>) {
        let mut queue = self.shared.lock();
        if let Some((running, progress)) = &queue.running {
            let place = wanted.iter().position(|r| r.is_same(running));
            let overtaken = !running.live && wanted.first().is_some_and(|r| r.live);
            match place {
                Some(place) if !overtaken => {
                    wanted.remove(place);
                }
                _ => progress.cancel(),
            }
        }
        queue.waiting = wanted.into();
        drop(queue);
        self.shared.wake.notify_one();
    }

    /// The next event, if any.
    pub fn poll(&self) -> Option<JobEvent> {
        self.events.try_recv().ok()
    }

    /// What runs now, how far it is, and how many wait.
    pub fn activity(&self) -> Option<(JobKey, f32, usize)> {
        let queue = self.shared.lock();
        queue.running.as_ref().map(|(request, progress)| (request.key, progress.fraction(), queue.waiting.len()))
    }

    /// What is known by now of the candidates that the running job tries; `None` where nothing runs, empty where it tries
    /// nothing.
    pub fn candidates(&self) -> Option<(JobKey, Vec<CandidateRow>)> {
        let queue = self.shared.lock();
        queue.running.as_ref().map(|(request, progress)| (request.key, progress.candidates()))
    }

    /// Stops what runs for good: it is answered with [`STOPPED`], and not done again until somebody asks.
    pub fn stop(&self) {
        let mut queue = self.shared.lock();
        if let Some((_, progress)) = &queue.running {
            progress.cancel();
            queue.stopped = true;
        }
    }

    /// Nothing runs and nothing waits.
    pub fn is_idle(&self) -> bool {
        let queue = self.shared.lock();
        queue.running.is_none() && queue.waiting.is_empty()
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.waiting.clear();
        if let Some((_, progress)) = &queue.running {
            progress.cancel();
        }
        drop(queue);
        self.shared.wake.notify_one();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join(); // a worker that panicked has nothing left to lose
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Request {
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key
            && self.live == other.live
            && self.recipe == other.recipe
            && Arc::ptr_eq(&self.clip, &other.clip)
    }
}

/// Raw sides that are kept ready: the clip that is looked at in each slot, and the one before.
const MEASURED_KEPT: usize = 4;

/// Whether a job has said something by itself; a cancelled one may not have.
struct Answered(bool);

struct Worker {
    shared: Arc<Shared>,
    sender: Sender<JobEvent>,
    notify: Box<dyn Fn() + Send>,
    measured: VecDeque<(ContactSettings, MeasuredClip)>,
}

impl Worker {
    fn run(mut self) {
        while let Some((request, progress)) = self.next() {
            // On rayon's threads from end to end: the window has put those behind its own.
            let work = || rayon::scope(|_| self.work(&request, &progress));
            let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            match answer {
                Err(_) => self.fail(&request, "the codec stopped by a fault of its own; please report it"),
                Ok(Answered(false)) if self.shared.lock().stopped => self.fail(&request, STOPPED),
                Ok(_) => {}
            }
            self.shared.lock().running = None;
            (self.notify)();
        }
    }

    fn next(&self) -> Option<(Request, Progress)> {
        let mut queue = self.shared.lock();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(request) = queue.waiting.pop_front() {
                let progress = Progress::new();
                queue.running = Some((request.clone(), progress.clone()));
                queue.stopped = false;
                return Some((request, progress));
            }
            queue = self.shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&mut self, request: &Request, progress: &Progress) -> Answered {
        let source = self.measured(request);
        let mut outcome = match compress_shell(&source, &request.recipe, progress) {
            Ok(outcome) => outcome,
            Err(super::CompressError::Encode(EncodeError::Cancelled)) => return Answered(false),
            Err(error) => {
                self.fail(request, &error.to_string());
                return Answered(true);
            }
        };
        let answer = |outcome: &Outcome| Ok(JobResult { source: source.clone(), outcome: Arc::new(outcome.clone()) });
        if !request.live {
            self.send(request, answer(&outcome), true);
            return Answered(true);
        }
        self.send(request, answer(&outcome), false);
        if measure_vertices(&source, &mut outcome, progress).is_ok() {
            self.send(request, answer(&outcome), true);
        }
        Answered(true)
    }

    fn fail(&self, request: &Request, reason: &str) {
        self.send(request, Err(reason.into()), true);
    }

    fn measured(&mut self, request: &Request) -> MeasuredClip {
        let recipe = &request.recipe;
        let fits = |(contacts, m): &(ContactSettings, MeasuredClip)| {
            Arc::ptr_eq(&m.clip, &request.clip)
                && m.raw.sub_frames() == recipe.sub_frames
                && contacts.same_plan(&recipe.contacts)
        };
        if let Some(known) = self.measured.iter().find(|m| fits(m)) {
            return known.1.clone();
        }
        let measured = MeasuredClip::new(request.rig.clone(), request.clip.clone(), recipe);
        if request.live {
            self.measured.push_front((recipe.contacts.clone(), measured.clone()));
            self.measured.truncate(MEASURED_KEPT);
        }
        measured
    }

    fn send(&self, request: &Request, result: Result<JobResult, String>, done: bool) {
        let (clip, recipe) = (request.clip.clone(), request.recipe.clone());
        let event = JobEvent { key: request.key, clip, recipe, result, done };
        let _ = self.sender.send(event); // nobody listens any more: the window is closing
        (self.notify)();
    }
}
