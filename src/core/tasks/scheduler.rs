use super::crew::{Came, Crew, Remote};
use super::kept::KeptResults;
use super::notes::Notes;
use super::{Lane, RawSides, Task, TaskAnswer, TaskError, TaskFault};
use crate::clock::Instant;
use crate::codecs::{CandidateRow, Progress};
use crate::report::Sides;
use crate::store::Subjects;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

/// Runs tasks on one thread per [`Lane`]. No call waits for a task. Only dropping the scheduler waits for running tasks to stop. Where there
/// are no threads, the caller gives the tasks its own time ([`Self::in_turns`]).
///
/// The latest list of requests of a lane replaces the one before ([`Self::set_wanted`]). A task that is no longer in the list is cancelled
/// and sends no message. A task that the user stops ([`Self::stop`]) is answered with [`TaskFault::Stopped`](super::TaskFault::Stopped).
#[derive(Debug)]
pub struct Scheduler<K> {
    lanes: [Running<K>; Lane::ALL.len()],
    events: Receiver<TaskEvent<K>>,
    /// Without threads: the workers of the lanes, and what wakes the caller.
    turns: Option<Turns<K>>,
    results: KeptResults,
}

struct Turns<K> {
    workers: RefCell<Vec<Worker<K>>>,
    notify: Arc<dyn Fn() + Send + Sync>,
}

impl<K> std::fmt::Debug for Turns<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
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
        let (sender, events) = channel();
        let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(notify);
        let results = KeptResults::default();
        let start = |lane: Lane| {
            let (shared, worker) = Worker::new(lane, &sender, &notify);
            let worker = Worker { results: results.clone(), ..worker };
            let thread = std::thread::Builder::new().name(lane.name().into());
            let worker = thread.spawn(move || worker.run()).expect("the system gives a thread");
            Running { lane, shared, worker: Some(worker) }
        };
        Self { lanes: Lane::ALL.map(start), events, turns: None, results }
    }

    /// A scheduler without threads, for a web page. Tasks run in [`Self::take_turns`]. It calls `notify` also when there are new tasks.
    /// If there is a crew, each lane has a worker of it. Call `notify` too when a reply has come.
    pub fn in_turns(notify: impl Fn() + Send + Sync + 'static, crew: Option<Crew>) -> Self {
        let (sender, events) = channel();
        let notes = Notes::default();
        let results = KeptResults::noted(notes.clone());
        let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(notify);
        let mut workers = Vec::new();
        let lanes = Lane::ALL.map(|lane| {
            let (shared, worker) = Worker::new(lane, &sender, &notify);
            let remote = crew.as_ref().map(|hire| Remote::new(hire(), notes.clone()));
            workers.push(Worker { remote, results: results.clone(), ..worker });
            Running { lane, shared, worker: None }
        });
        let turns = Some(Turns { workers: RefCell::new(workers), notify });
        Self { lanes, events, turns, results }
    }

    /// The store of its results. Without threads there is none.
    pub fn results(&self) -> &KeptResults {
        &self.results
    }

    /// Runs tasks in the caller's thread, at least one step, until a step ends after this time. It does nothing if there are threads.
    pub fn take_turns(&self, time: Duration) {
        let Some(turns) = &self.turns else { return };
        let began = Instant::now();
        let mut workers = turns.workers.borrow_mut();
        // Lanes are in the order in which people wait for them.
        while workers.iter_mut().any(Worker::take_turn) && began.elapsed() < time {}
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
        self.wake(shared);
    }

    /// Adds a request after those of its lane.
    pub fn submit(&self, request: Request<K>) {
        let shared = self.shared(request.task.lane());
        shared.lock().waiting.push_back(request);
        self.wake(shared);
    }

    fn wake(&self, shared: &Shared<K>) {
        shared.wake.notify_one();
        if let Some(turns) = &self.turns {
            (turns.notify)();
        }
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

/// A thread that rests for this time keeps its last result.
const REST: Duration = Duration::from_millis(500);

struct Worker<K> {
    lane: Lane,
    shared: Arc<Shared<K>>,
    sender: Sender<TaskEvent<K>>,
    notify: Arc<dyn Fn() + Send + Sync>,
    raw_sides: RawSides,
    results: KeptResults,
    subjects: Subjects,
    /// The last complete result, which is kept once another key has one or the thread rests.
    unkept: Option<(Request<K>, Sides)>,
    job: Option<Job<K>>,
    remote: Option<Remote>,
}

/// A request being worked on.
struct Job<K> {
    request: Request<K>,
    progress: Progress,
    /// The next step: the task of the request, or one that completes its answer.
    task: Task,
    has_answered: bool,
    /// True if the crew cannot do it.
    runs_here: bool,
}

impl<K: Copy + PartialEq + Send + Sync> Worker<K> {
    fn new(lane: Lane, sender: &Sender<TaskEvent<K>>, notify: &Arc<dyn Fn() + Send + Sync>) -> (Arc<Shared<K>>, Self) {
        let shared = Arc::new(Shared::default());
        let (sender, notify) = (sender.clone(), notify.clone());
        let worker = Self {
            lane,
            shared: shared.clone(),
            sender,
            notify,
            raw_sides: RawSides::default(),
            results: KeptResults::default(),
            subjects: Subjects::default(),
            unkept: None,
            job: None,
            remote: None,
        };
        (shared, worker)
    }

    fn run(mut self) {
        while self.wait() {
            let computes = self.lane.only_computes();
            let mut work = || while self.step() {};
            match computes {
                true => rayon::scope(|_| work()),
                false => work(),
            }
        }
    }

    /// Runs one step. Returns false if there is nothing to do, or only to wait.
    fn take_turn(&mut self) -> bool {
        if self.job.is_none() {
            let mut queue = self.shared.lock();
            self.job = queue.begin();
        }
        let Some(job) = &self.job else {
            self.remote.iter_mut().for_each(Remote::rest);
            return false;
        };
        match &self.remote {
            Some(_) if !job.runs_here && Remote::takes(&job.task) => self.remote_turn(),
            _ => {
                self.step();
                true
            }
        }
    }

    /// Sends the job to the crew, or takes what came of it.
    fn remote_turn(&mut self) -> bool {
        let (Some(remote), Some(job)) = (&mut self.remote, &mut self.job) else { return false };
        if job.progress.is_cancelled() {
            remote.take_back();
            let stopped = TaskError { fault: Box::new(TaskFault::Stopped), place: job.task.place() };
            self.answer(Err(stopped), None);
            return true;
        }
        if !remote.is_asked() {
            if remote.is_ready() {
                remote.ask(&job.task, &self.raw_sides);
            }
            return false;
        }
        match remote.come(&mut self.raw_sides) {
            None => false,
            Some(Came::Waits) => true, // the next message may be there
            Some(Came::Part(fraction, candidates)) => {
                job.progress.set_fraction(fraction);
                job.progress.set_candidates(candidates);
                true
            }
            Some(Came::Nothing) => {
                job.runs_here = true;
                true
            }
            Some(Came::Died(words)) => {
                let fault = Box::new(TaskFault::Ended(words));
                let place = job.task.place();
                self.answer(Err(TaskError { fault, place }), None);
                true
            }
            Some(Came::Answer(answer, is_last)) => {
                let same = (!is_last).then(|| job.task.clone());
                self.answer(Ok(*answer), same);
                true
            }
        }
    }

    /// Waits for the next request. Returns false if the scheduler ends.
    fn wait(&mut self) -> bool {
        let shared = self.shared.clone();
        let mut queue = shared.lock();
        loop {
            if queue.closed {
                drop(queue);
                self.keep_last();
                return false;
            }
            self.job = queue.begin();
            if self.job.is_some() {
                return true;
            }
            if self.unkept.is_none() {
                queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (rested, time) = shared.wake.wait_timeout(queue, REST).unwrap_or_else(PoisonError::into_inner);
            queue = rested;
            if time.timed_out() {
                drop(queue);
                self.keep_last();
                queue = shared.lock();
            }
        }
    }

    /// Runs the next step of the job. Returns true if another follows. A cancelled task sends nothing, unless the user stopped it before its
    /// first answer.
    fn step(&mut self) -> bool {
        let Some(job) = &self.job else { return false };
        if let Some(sides) = self.results.find(&job.task, &mut self.subjects, &mut self.raw_sides) {
            if job.request.live {
                sides.outcome.report.shell.make(); // the window draws it
            }
            return self.answer(Ok(TaskAnswer::Compressed(sides)), None);
        }
        let result = job.task.run(&mut self.raw_sides, &self.results, &job.progress);
        let next = result.as_ref().ok().and_then(|answer| job.task.next(answer));
        let made = match (&result, &next) {
            (Ok(TaskAnswer::Compressed(sides)), None) => Some((job.request.clone(), sides.clone())),
            _ => None,
        };
        let goes_on = self.answer(result, next);
        if let Some(made) = made {
            // A dragged slider makes one result after the other for the same key. Only the last is kept.
            if self.unkept.as_ref().is_some_and(|(earlier, _)| earlier.key != made.0.key) {
                self.keep_last();
            }
            self.unkept = Some(made);
        }
        goes_on
    }

    /// Keeps the last result, if it is not kept yet.
    fn keep_last(&mut self) {
        if let Some((request, sides)) = self.unkept.take() {
            self.results.keep(&request.task, &sides, &mut self.subjects);
        }
    }

    /// Sends the result of a step, and goes on with the next one. Returns false if there is none.
    fn answer(&mut self, result: Result<TaskAnswer, TaskError>, next: Option<Task>) -> bool {
        let Some(mut job) = self.job.take() else { return false };
        let was_stopped = result.as_ref().is_err_and(TaskError::is_stopped);
        let is_silent = was_stopped && (job.has_answered || !self.shared.lock().stopped);
        let is_over = next.is_none();
        if !is_silent {
            self.send(&job.request, result, is_over);
            job.has_answered = true;
        }
        match next {
            Some(task) => self.job = Some(Job { task, ..job }),
            None => {
                self.shared.lock().running = None;
                (self.notify)();
            }
        }
        !is_over
    }

    fn send(&self, request: &Request<K>, result: Result<TaskAnswer, TaskError>, done: bool) {
        let event = TaskEvent { key: request.key, task: request.task.clone(), result, done };
        let _ = self.sender.send(event); // fails only while the window closes
        (self.notify)();
    }
}

impl<K: Copy> Queue<K> {
    /// Takes the next request, which runs from now on.
    fn begin(&mut self) -> Option<Job<K>> {
        let request = self.waiting.pop_front()?;
        let progress = Progress::new();
        let (shared, told) = (request.clone(), progress.clone());
        self.running = Some(Current { request: shared, progress: told, began: Instant::now() });
        self.stopped = false;
        let task = request.task.clone();
        Some(Job { request, progress, task, has_answered: false, runs_here: false })
    }
}
