use super::{Lane, RawSides, Task, TaskAnswer, TaskError};
use crate::codecs::{CandidateRow, Progress};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request for a task.
#[derive(Debug, Clone)]
pub struct Request<K> {
    /// The caller's key.
    pub key: K,
    /// The work.
    pub task: Task,
    /// True if the result is on display. It overtakes tasks that are not.
    pub live: bool,
}

/// A message about a task.
#[derive(Debug)]
pub struct TaskEvent<K> {
    /// The caller's key.
    pub key: K,
    /// The task as requested.
    pub task: Task,
    /// The result.
    pub result: Result<TaskAnswer, TaskError>,
    /// False if more messages follow: see [`Task::next`].
    pub done: bool,
}

/// The current task of a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activity<K> {
    /// The caller's key.
    pub key: K,
    /// Its progress, `0..=1`.
    pub fraction: f32,
    /// Time since it began.
    pub elapsed: Duration,
    /// Number of waiting tasks.
    pub waiting: usize,
}

/// Runs tasks on one thread per [`Lane`]. No call waits for a task. Only dropping the scheduler waits for running tasks to stop.
///
/// The latest list of requests of a lane replaces the one before ([`Self::set_wanted`]). A task that is no longer in the list is cancelled
/// and sends no message. A task that the user stops ([`Self::stop`]) is answered with [`TaskFault::Stopped`](super::TaskFault::Stopped).
#[derive(Debug)]
pub struct Scheduler<K> {
    lanes: [Running<K>; Lane::ALL.len()],
    events: Receiver<TaskEvent<K>>,
}

#[derive(Debug)]
struct Running<K> {
    lane: Lane,
    shared: Arc<Shared<K>>,
    worker: Option<std::thread::JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared<K> {
    queue: Mutex<Queue<K>>,
    wake: Condvar,
}

/// The running task of a lane.
#[derive(Debug)]
struct Current<K> {
    request: Request<K>,
    progress: Progress,
    began: Instant,
}

#[derive(Debug)]
struct Queue<K> {
    waiting: VecDeque<Request<K>>,
    running: Option<Current<K>>,
    /// True if the running task was stopped on request and must send an answer.
    stopped: bool,
    closed: bool,
}

impl<K: Copy + PartialEq + Send + Sync + 'static> Scheduler<K> {
    /// Starts the threads. They call `notify` whenever [`Self::poll`] has a message and whenever a task ends.
    ///
    /// # Panics
    ///
    /// Panics if the system cannot create a thread.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(notify);
        let (sender, events) = channel();
        let start = |lane: Lane| {
            let shared = Arc::new(Shared::default());
            let worker = Worker { lane, shared: shared.clone(), sender: sender.clone(), notify: notify.clone() };
            let thread = std::thread::Builder::new().name(lane.name().into());
            let worker = thread.spawn(move || worker.run()).expect("the system gives a thread");
            Running { lane, shared, worker: Some(worker) }
        };
        Self { lanes: Lane::ALL.map(start), events }
    }

    /// Replaces all requests of a lane, most urgent first.
    ///
    /// A running task continues if it is still in the list and no live task overtakes it. Otherwise it is cancelled.
    pub fn set_wanted(&self, lane: Lane, mut wanted: Vec<Request<K>>) {
        let shared = self.shared(lane);
        let mut queue = shared.lock();
        if let Some(Current { request, progress, .. }) = &queue.running {
            let place = wanted.iter().position(|r| r.is_same(request));
            let overtaken = !request.live && wanted.first().is_some_and(|r| r.live);
            // A task that an older list cancelled gives no answer and must start again.
            let will_answer = queue.stopped || !progress.is_cancelled();
            match place {
                Some(place) if !overtaken && will_answer => {
                    wanted.remove(place);
                }
                _ => progress.cancel(),
            }
        }
        queue.waiting = wanted.into();
        drop(queue);
        shared.wake.notify_one();
    }

    /// Adds a request after those of its lane.
    pub fn submit(&self, request: Request<K>) {
        let shared = self.shared(request.task.lane());
        shared.lock().waiting.push_back(request);
        shared.wake.notify_one();
    }

    /// The next message, if any.
    pub fn poll(&self) -> Option<TaskEvent<K>> {
        self.events.try_recv().ok()
    }

    /// The current task of a lane, its progress and the number of waiting tasks.
    pub fn activity(&self, lane: Lane) -> Option<Activity<K>> {
        let queue = self.shared(lane).lock();
        let Current { request, progress, began } = queue.running.as_ref()?;
        let (fraction, waiting) = (progress.fraction(), queue.waiting.len());
        Some(Activity { key: request.key, fraction, elapsed: began.elapsed(), waiting })
    }

    /// The candidates of the running compression so far. `None` if nothing runs, empty without a search.
    pub fn candidates(&self) -> Option<(K, Vec<CandidateRow>)> {
        let queue = self.shared(Lane::Compress).lock();
        queue.running.as_ref().map(|running| (running.request.key, running.progress.candidates()))
    }

    /// Stops the running task of a lane. Its answer is [`TaskFault::Stopped`](super::TaskFault::Stopped), unless it has answered already.
    /// Waiting tasks continue.
    pub fn stop(&self, lane: Lane) {
        let mut queue = self.shared(lane).lock();
        if let Some(Current { progress, .. }) = &queue.running {
            progress.cancel();
            queue.stopped = true;
        }
    }

    /// True if nothing runs and nothing waits in any lane.
    pub fn is_idle(&self) -> bool {
        self.lanes.iter().all(|lane| {
            let queue = lane.shared.lock();
            queue.running.is_none() && queue.waiting.is_empty()
        })
    }

    fn shared(&self, lane: Lane) -> &Shared<K> {
        &self.lanes[lane as usize].shared
    }
}

/// Ends all lanes and waits for their running tasks. It does not wait for importers and fixes, which cannot be stopped and end on their
/// own.
impl<K> Drop for Scheduler<K> {
    fn drop(&mut self) {
        for lane in &self.lanes {
            let mut queue = lane.shared.lock();
            queue.closed = true;
            queue.waiting.clear();
            if let Some(Current { progress, .. }) = &queue.running {
                progress.cancel();
            }
            drop(queue);
            lane.shared.wake.notify_one();
        }
        for lane in self.lanes.iter_mut().filter(|lane| lane.lane.stops_soon()) {
            if let Some(worker) = lane.worker.take() {
                let _ = worker.join(); // a panic of a worker does not matter any more
            }
        }
    }
}

impl<K> Default for Shared<K> {
    fn default() -> Self {
        let queue = Queue { waiting: VecDeque::new(), running: None, stopped: false, closed: false };
        Self { queue: Mutex::new(queue), wake: Condvar::new() }
    }
}

impl<K> Shared<K> {
    fn lock(&self) -> MutexGuard<'_, Queue<K>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: PartialEq> Request<K> {
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self.live == other.live && self.task.is_same(&other.task)
    }
}

struct Worker<K> {
    lane: Lane,
    shared: Arc<Shared<K>>,
    sender: Sender<TaskEvent<K>>,
    notify: Arc<dyn Fn() + Send + Sync>,
}

impl<K: Copy + Send + Sync> Worker<K> {
    fn run(self) {
        let mut raw_sides = RawSides::default();
        while let Some((request, progress)) = self.next() {
            let mut work = || self.work(&request, &mut raw_sides, &progress);
            match self.lane.only_computes() {
                true => rayon::scope(|_| work()),
                false => work(),
            }
            self.shared.lock().running = None;
            (self.notify)();
        }
    }

    fn next(&self) -> Option<(Request<K>, Progress)> {
        let mut queue = self.shared.lock();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(request) = queue.waiting.pop_front() {
                let progress = Progress::new();
                let (shared, told) = (request.clone(), progress.clone());
                queue.running = Some(Current { request: shared, progress: told, began: Instant::now() });
                queue.stopped = false;
                return Some((request, progress));
            }
            queue = self.shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs the task and the tasks that complete its answer. A cancelled task sends nothing, unless the user stopped it before its first
    /// answer.
    fn work(&self, request: &Request<K>, raw_sides: &mut RawSides, progress: &Progress) {
        let mut task = request.task.clone();
        let mut has_answered = false;
        loop {
            let result = task.run(raw_sides, progress);
            let was_stopped = result.as_ref().is_err_and(TaskError::is_stopped);
            if was_stopped && (has_answered || !self.shared.lock().stopped) {
                return;
            }
            let next = result.as_ref().ok().and_then(|answer| task.next(answer));
            self.send(request, result, next.is_none());
            has_answered = true;
            let Some(next) = next else { return };
            task = next;
        }
    }

    fn send(&self, request: &Request<K>, result: Result<TaskAnswer, TaskError>, done: bool) {
        let event = TaskEvent { key: request.key, task: request.task.clone(), result, done };
        let _ = self.sender.send(event); // fails only while the window closes
        (self.notify)();
    }
}
