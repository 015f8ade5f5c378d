//! Tasks on workers that share no memory: the same results as here, also if a worker fails.

mod kinds;

use crate::project::sample;
use crate::until::until;
use posepress_core::codecs::Progress;
use posepress_core::import::ImportOptions;
use posepress_core::metrics::Aspect;
use posepress_core::model::{Clip, Rig};
use posepress_core::recipe::Recipe;
use posepress_core::report::{Remedy, Sides};
use posepress_core::tasks::{
    CompressTask, Crew, Hand, Heard, ImportTask, KeptResults, Lane, Mate, RawSides, Request, Scheduler, SourceFile,
    Task, TaskAnswer, TrialTask,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A worker in a thread of its own, to which only bytes go.
struct InThread {
    orders: Mutex<Sender<Vec<u8>>>,
    replies: Mutex<Receiver<Vec<u8>>>,
    log: Shared,
}

/// The messages of a worker.
#[derive(Debug, Clone, Default)]
struct Log {
    /// Lengths of the orders.
    orders: Vec<usize>,
    replies: Vec<Vec<u8>>,
    restarts: usize,
}

type Shared = Arc<Mutex<Log>>;

/// Kinds of replies, in the order of their variants. The number of an order, whether the reply is the last, and its kind take a byte each.
const KINDS: [&str; 11] =
    ["Part", "Number", "Shell", "Paired", "Skin", "Explained", "Imported", "Wanted", "Fixed", "Exported", "Nothing"];

impl Log {
    /// Number of replies of that kind.
    fn came(&self, kind: &str) -> usize {
        let kind = KINDS.iter().position(|known| *known == kind).unwrap();
        self.replies.iter().filter(|reply| usize::from(reply[2]) == kind).count()
    }
}

impl InThread {
    fn start(log: Shared) -> Self {
        let ((orders, taken), (send, replies)) = (channel::<Vec<u8>>(), channel());
        std::thread::spawn(move || {
            let mut hand = Hand::new(move |reply| _ = send.send(reply), Duration::ZERO);
            for order in taken {
                hand.work(&order);
            }
        });
        Self { orders: Mutex::new(orders), replies: Mutex::new(replies), log }
    }

    /// A crew of such workers, which share a log.
    fn crew(log: &Shared) -> Option<Crew> {
        let log = log.clone();
        Some(Box::new(move || Box::new(Self::start(log.clone()))))
    }
}

impl Mate for InThread {
    fn post(&self, order: Vec<u8>) {
        self.log.lock().unwrap().orders.push(order.len());
        self.orders.lock().unwrap().send(order).unwrap();
    }

    fn hear(&self) -> Option<Heard> {
        let reply = self.replies.lock().unwrap().try_recv().ok()?;
        self.log.lock().unwrap().replies.push(reply.clone());
        Some(Heard::Reply(reply))
    }

    fn restart(&self) {
        self.log.lock().unwrap().restarts += 1;
        let new = Self::start(self.log.clone());
        *self.orders.lock().unwrap() = new.orders.into_inner().unwrap();
        *self.replies.lock().unwrap() = new.replies.into_inner().unwrap();
    }
}

/// A worker that answers with anything but replies.
struct Mad;

impl Mate for Mad {
    fn post(&self, _: Vec<u8>) {}

    fn hear(&self) -> Option<Heard> {
        Some(Heard::Reply(b"no reply".to_vec()))
    }

    fn restart(&self) {}
}

/// A worker that says the same word at every order, and is silent before it starts again.
#[derive(Clone)]
struct Mortal {
    word: Heard,
    is_asked: Arc<AtomicBool>,
    restarts: Arc<AtomicUsize>,
}

impl Mortal {
    fn new(word: Heard) -> Self {
        Self { word, is_asked: Arc::default(), restarts: Arc::default() }
    }

    fn crew(&self) -> Option<Crew> {
        let mortal = self.clone();
        Some(Box::new(move || Box::new(mortal.clone())))
    }
}

impl Mate for Mortal {
    fn post(&self, _: Vec<u8>) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    fn hear(&self) -> Option<Heard> {
        self.is_asked.swap(false, Ordering::Relaxed).then(|| self.word.clone())
    }

    fn restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }
}

fn sample_clips() -> (Arc<Rig>, Vec<Arc<Clip>>) {
    let file = SourceFile::Path(sample());
    let task = ImportTask { file, options: ImportOptions::default(), containers: false };
    let read = task.run(&Progress::new()).unwrap().imported;
    (Arc::new(read.rig), read.clips.into_iter().map(Arc::new).collect())
}

fn compression(rig: &Arc<Rig>, clip: &Arc<Clip>, recipe: Recipe) -> CompressTask {
    let (rig, clip, recipe) = (rig.clone(), clip.clone(), Arc::new(recipe));
    CompressTask { file: "sample.glb".into(), rig, clip, recipe, external: None, skin: true }
}

fn answers(scheduler: &Scheduler<u32>) -> Vec<(u32, bool, TaskAnswer)> {
    let take = || {
        scheduler.take_turns(Duration::from_millis(1));
        scheduler.is_idle()
    };
    until("the crew comes to rest", take, |is_idle| *is_idle);
    std::iter::from_fn(|| scheduler.poll()).map(|event| (event.key, event.done, event.result.unwrap())).collect()
}

fn sides(answer: &TaskAnswer) -> &Sides {
    let TaskAnswer::Compressed(sides) = answer else { panic!("{answer:?}") };
    sides
}

/// Results of the task in this thread: before and with the error on the skin.
fn here(task: &CompressTask) -> [Sides; 2] {
    let (mut raw_sides, progress) = (RawSides::default(), Progress::new());
    let first = Task::Compress(task.clone());
    let answer = first.run(&mut raw_sides, &KeptResults::default(), &progress).unwrap();
    let whole = first.next(&answer).unwrap().run(&mut raw_sides, &KeptResults::default(), &progress).unwrap();
    [answer, whole].map(|answer| sides(&answer).clone())
}

/// Times differ from run to run.
fn drop_timings(report: &mut serde_json::Value) {
    match report {
        serde_json::Value::Object(fields) => {
            fields.retain(|key, _| !["encode_ms", "decode_ns_per_pose"].contains(&key.as_str()));
            fields.values_mut().for_each(drop_timings);
        }
        serde_json::Value::Array(values) => values.iter_mut().for_each(drop_timings),
        _ => {}
    }
}

fn assert_same(found: &Sides, expected: &Sides, what: &str) {
    assert_eq!(found.outcome.report, expected.outcome.report, "{what}");
    assert_eq!(found.outcome.encoding().unwrap().encoded, expected.outcome.encoding().unwrap().encoded, "{what}");
    assert_eq!(found.outcome.candidates(), expected.outcome.candidates(), "{what}");
    assert_eq!(found.outcome.shells_m, expected.outcome.shells_m, "{what}");
    let report = |sides: &Sides| {
        let mut report = serde_json::to_value(&*sides.report).unwrap();
        drop_timings(&mut report);
        report
    };
    assert_eq!(report(found), report(expected), "{what}");
    let raw = &found.source.raw;
    for step in [0, raw.steps() / 2, raw.steps() - 1] {
        assert_eq!(raw.pose(step), expected.source.raw.pose(step), "{what}");
        assert_eq!(found.outcome.decoded.pose(step), expected.outcome.decoded.pose(step), "{what}");
    }
}

#[test]
fn a_worker_gives_what_is_computed_here_and_gets_rig_and_clip_once() {
    let (rig, clips) = sample_clips();
    let (log, walk) = (Shared::default(), &clips[0]);
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
    let locked = {
        let mut recipe = Recipe::chosen("linear-keys").unwrap();
        (recipe.tolerance_m, recipe.contacts.lock) = (0.005, true);
        recipe
    };
    let recipes = [Recipe::chosen("press").unwrap(), Recipe::chosen("automatic").unwrap(), locked];
    let tasks: Vec<_> = recipes.into_iter().map(|recipe| compression(&rig, walk, recipe)).collect();
    for (key, task) in tasks.iter().enumerate() {
        scheduler.submit(Request { key: key as u32, task: Task::Compress(task.clone()), live: true });
    }
    let found = answers(&scheduler);
    let order: Vec<_> = found.iter().map(|(key, done, _)| (*key, *done)).collect();
    assert_eq!(order, [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)]);
    for (key, task) in tasks.iter().enumerate() {
        for (expected, (.., answer)) in here(task).iter().zip(&found[2 * key..]) {
            assert_same(sides(answer), expected, &task.recipe.to_toml());
        }
    }
    let orders = log.lock().unwrap().orders.clone();
    assert!(orders[0] > walk.raw_bytes() && orders[1] < 2000 && orders[2] < 2000, "{orders:?}");
}

#[test]
fn a_remedy_is_tried_by_the_worker() {
    let (rig, clips) = sample_clips();
    let recipe = Recipe { tolerance_m: 0.005, ..Recipe::chosen("linear-keys").unwrap() };
    let of = here(&compression(&rig, &clips[0], recipe))[1].clone();
    let task = TrialTask { of, remedy: Remedy::ContactLock, aspect: Aspect::Slide };
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&Shared::default()));
    scheduler.submit(Request { key: 1, task: Task::Try(Box::new(task.clone())), live: true });
    let found = answers(&scheduler);
    let [(1, true, TaskAnswer::Tried(trial))] = &found[..] else { panic!("{found:?}") };
    assert_eq!(*trial, task.run(&KeptResults::default(), &Progress::new()).unwrap());
}

#[test]
fn a_worker_that_goes_mad_costs_nothing_but_time() {
    let (rig, clips) = sample_clips();
    let task = compression(&rig, &clips[0], Recipe::chosen("press").unwrap());
    let scheduler = Scheduler::in_turns(|| {}, Some(Box::new(|| Box::new(Mad))));
    scheduler.submit(Request { key: 1, task: Task::Compress(task.clone()), live: true });
    let found = answers(&scheduler);
    assert_same(sides(&found[1].2), &here(&task)[1], "made here");
}

#[test]
fn a_worker_that_ends_is_an_error_of_its_work_alone() {
    let (rig, clips) = sample_clips();
    let mortal = Mortal::new(Heard::Died("unreachable".into()));
    let scheduler = Scheduler::in_turns(|| {}, mortal.crew());
    for (key, clip) in clips.iter().take(2).enumerate() {
        let task = Task::Compress(compression(&rig, clip, Recipe::default()));
        scheduler.submit(Request { key: key as u32, task, live: true });
    }
    let take = || {
        scheduler.take_turns(Duration::from_millis(1));
        scheduler.is_idle()
    };
    until("both have an answer", take, |is_idle| *is_idle);
    let failures = std::iter::from_fn(|| scheduler.poll()).map(|event| event.result.unwrap_err());
    let failures: Vec<_> = failures.map(|error| (error.place.clip.clone().unwrap(), error.to_string())).collect();
    assert!(failures.iter().all(|(_, words)| words.contains("(unreachable)")), "{failures:?}");
    let names: Vec<_> = failures.iter().map(|(clip, _)| clip.as_str()).collect();
    assert_eq!(names, [clips[0].name(), clips[1].name()]);
    assert_eq!(mortal.restarts.load(Ordering::Relaxed), 2);
}

#[test]
fn without_a_worker_all_is_done_here() {
    let (rig, clips) = sample_clips();
    let absent = Mortal::new(Heard::Absent);
    let scheduler = Scheduler::in_turns(|| {}, absent.crew());
    for (key, clip) in clips.iter().take(2).enumerate() {
        let task = compression(&rig, clip, Recipe::chosen("press").unwrap());
        scheduler.submit(Request { key: key as u32, task: Task::Compress(task.clone()), live: true });
        assert_same(sides(&answers(&scheduler)[1].2), &here(&task)[1], "made here");
    }
    assert_eq!(absent.restarts.load(Ordering::Relaxed), 2, "one that has failed to start is not asked again");
}

#[test]
fn orders_that_are_no_longer_wanted_never_queue_up() {
    let (rig, clips) = sample_clips();
    let log = Shared::default();
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
    let begin = |key: u32, codec: &str| {
        let task = Task::Compress(compression(&rig, &clips[0], Recipe::chosen(codec).unwrap()));
        scheduler.set_wanted(Lane::Compress, vec![Request { key, task, live: true }]);
        scheduler.take_turns(Duration::from_millis(1));
    };
    begin(0, "automatic");
    for key in 1..50 {
        begin(key, "press");
    }
    let Log { orders: posted, restarts, .. } = log.lock().unwrap().clone();
    assert!(posted.len() <= 1 + restarts, "one order at a time: {posted:?}");
    assert_eq!(answers(&scheduler).iter().map(|answer| answer.0).collect::<Vec<_>>(), [49, 49], "the last wish counts");
    let Log { orders: posted, restarts, .. } = log.lock().unwrap().clone();
    assert!(restarts <= 1 && posted.len() <= 2 + restarts, "{posted:?}, {restarts} restarts");
}
