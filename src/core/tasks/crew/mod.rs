//! Compressions on a worker that shares no memory with the window, such as a web worker of a page. Both sides exchange messages of bytes.

use super::{CompressTask, KeptResults, RawSides, Task, TaskAnswer, TrialTask};
use crate::clock::Instant;
use crate::codecs::Progress;
use crate::metrics::VertexReport;
use crate::model::{Clip, Rig};
use crate::pipeline::{MeasuredClip, MeasuredRecord, OutcomeRecord};
use crate::recipe::Recipe;
use crate::report::{Remedied, Sides, Trial};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A worker in the hands of the window. It works on one order at a time and answers in the order of the orders.
pub trait Crew {
    /// Sends an order.
    fn post(&self, order: Vec<u8>);
    /// The next reply, if one has come.
    fn reply(&self) -> Option<Vec<u8>>;
    /// Ends the worker, also in the middle of an order, and starts another.
    fn restart(&self);
}

/// A compression. Rig and clip are left out if they are those of the order before.
#[derive(Serialize, Deserialize)]
struct Order {
    number: u64,
    rig: Option<Rig>,
    clip: Option<Clip>,
    file: String,
    recipe: String,
    /// True if the error on the skin is wanted too, in a second reply.
    skin: bool,
    /// True if the window lacks what is found in the raw clip.
    raw: bool,
}

#[derive(Serialize, Deserialize)]
struct Reply {
    number: u64,
    /// False if another reply to the same order follows.
    is_last: bool,
    found: Found,
}

#[derive(Serialize, Deserialize)]
enum Found {
    /// Everything but the error on the skin.
    Shell(Option<MeasuredRecord>, Box<OutcomeRecord>),
    /// The error on the skin.
    Skin(Option<VertexReport>),
    /// There is no outcome. The window finds the reason itself.
    Nothing,
}

fn packed(message: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec_named(message).expect("a message is plain data")
}

/// The worker's side.
#[derive(Default)]
pub struct Hand {
    rig: Option<Arc<Rig>>,
    clip: Option<Arc<Clip>>,
    raw_sides: RawSides,
    /// The number of the order and the step that follows.
    next: Option<(u64, Task)>,
}

impl Hand {
    /// Works on an order. Returns the reply. [`Self::rest`] returns those that follow.
    pub fn begin(&mut self, order: &[u8]) -> Vec<u8> {
        self.next = None;
        let Ok(order) = rmp_serde::from_slice::<Order>(order) else { return nothing(0) };
        let (number, wants_raw) = (order.number, order.raw);
        let Some(task) = self.task(order) else { return nothing(number) };
        let task = Task::Compress(task);
        let Ok(TaskAnswer::Compressed(sides)) =
            task.run(&mut self.raw_sides, &KeptResults::default(), &Progress::new())
        else {
            return nothing(number);
        };
        let Some(outcome) = OutcomeRecord::of(&sides.outcome) else { return nothing(number) };
        let raw = wants_raw.then(|| MeasuredRecord::of(&sides.source));
        self.next = task.next(&TaskAnswer::Compressed(sides)).map(|next| (number, next));
        let (is_last, found) = (self.next.is_none(), Found::Shell(raw, Box::new(outcome)));
        packed(&Reply { number, is_last, found })
    }

    /// The next reply to the same order, if one follows.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let (number, task) = self.next.take()?;
        let found = match task.run(&mut self.raw_sides, &KeptResults::default(), &Progress::new()) {
            Ok(TaskAnswer::Compressed(sides)) => Found::Skin(sides.outcome.report.vertex.clone()),
            _ => Found::Nothing,
        };
        Some(packed(&Reply { number, is_last: true, found }))
    }

    fn task(&mut self, order: Order) -> Option<CompressTask> {
        let Order { rig, clip, file, recipe, skin, .. } = order;
        self.rig = rig.map(Arc::new).or(self.rig.take());
        self.clip = clip.map(Arc::new).or(self.clip.take());
        let recipe = Arc::new(Recipe::from_toml(&recipe).ok()?);
        let (rig, clip) = (self.rig.clone()?, self.clip.clone()?);
        Some(CompressTask { file: file.into(), rig, clip, recipe, external: None, skin })
    }
}

fn nothing(number: u64) -> Vec<u8> {
    packed(&Reply { number, is_last: true, found: Found::Nothing })
}

/// The result of an order so far.
pub(super) enum Came {
    /// An answer, and true if it is the last.
    Answer(Box<TaskAnswer>, bool),
    /// More will come.
    Waits,
    /// The worker has none: the task must be run here.
    Nothing,
}

/// The window's side.
pub(super) struct Remote {
    crew: Box<dyn Crew + Send>,
    number: u64,
    sent: Option<(Arc<Rig>, Arc<Clip>)>,
    /// The compression that is wanted of the worker, and its first answer.
    asked: Option<(CompressTask, Option<Sides>)>,
    /// The time since which the worker has an order, wanted or not.
    busy_since: Option<Instant>,
}

/// A worker that works longer than this on an order that is no longer wanted is ended.
const PATIENCE: Duration = Duration::from_millis(300);

impl Remote {
    pub fn new(crew: Box<dyn Crew + Send>) -> Self {
        Self { crew, number: 0, sent: None, asked: None, busy_since: None }
    }

    /// The compression that answers a task. `None` for tasks that only the window can do.
    pub fn order_of(task: &Task) -> Option<CompressTask> {
        match task {
            Task::Compress(task) if task.external.is_none() => Some(task.clone()),
            Task::Try(trial) => {
                let Sides { source, outcome, report, .. } = &trial.of;
                outcome.encoding()?;
                let recipe = Arc::new(trial.remedy.changed(&outcome.recipe));
                let (rig, clip, file) = (source.rig.clone(), source.clip.clone(), report.source.as_str().into());
                Some(CompressTask { file, rig, clip, recipe, external: None, skin: true })
            }
            _ => None,
        }
    }

    /// True if the worker can take an order. Orders do not queue up: an order that is no longer wanted must be done, or its worker ended.
    pub fn is_ready(&mut self) -> bool {
        while self.busy_since.is_some()
            && let Some(reply) = self.crew.reply()
        {
            let reply = rmp_serde::from_slice::<Reply>(&reply);
            if reply.map_or(true, |reply| reply.number == self.number && reply.is_last) {
                self.busy_since = None;
            }
        }
        if self.busy_since.is_some_and(|since| since.elapsed() > PATIENCE) {
            self.crew.restart();
            (self.sent, self.busy_since) = (None, None);
        }
        self.busy_since.is_none()
    }

    /// Sends a compression to the worker. `knows_raw` if the window has the raw clip measured.
    pub fn ask(&mut self, task: CompressTask, knows_raw: bool) {
        self.number += 1;
        let sent = self.sent.as_ref();
        let has_rig = sent.is_some_and(|(rig, _)| Arc::ptr_eq(rig, &task.rig));
        let has_clip = sent.is_some_and(|(_, clip)| Arc::ptr_eq(clip, &task.clip));
        let order = Order {
            number: self.number,
            rig: (!has_rig).then(|| Rig::clone(&task.rig)),
            clip: (!has_clip).then(|| Clip::clone(&task.clip)),
            file: task.file.to_string(),
            recipe: task.recipe.to_toml(),
            skin: task.skin,
            raw: !knows_raw,
        };
        self.crew.post(packed(&order));
        self.sent = Some((task.rig.clone(), task.clip.clone()));
        (self.asked, self.busy_since) = (Some((task, None)), Some(Instant::now()));
    }

    /// True if the worker has an order that is still wanted.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes back the order.
    pub fn take_back(&mut self) {
        self.asked = None;
    }

    /// The next thing that came of the order for `task`.
    pub fn come(&mut self, task: &Task, raw_sides: &mut RawSides) -> Option<Came> {
        while let Some(reply) = self.crew.reply() {
            let Ok(Reply { number, found, .. }) = rmp_serde::from_slice::<Reply>(&reply) else {
                return Some(self.nothing());
            };
            if number == self.number && self.asked.is_some() {
                return Some(self.take_in(found, task, raw_sides).unwrap_or_else(|| self.nothing()));
            }
        }
        None
    }

    fn nothing(&mut self) -> Came {
        (self.asked, self.busy_since) = (None, None);
        Came::Nothing
    }

    fn take_in(&mut self, found: Found, task: &Task, raw_sides: &mut RawSides) -> Option<Came> {
        let (of, first) = self.asked.take()?;
        let (sides, is_last) = match (found, first) {
            (Found::Shell(raw, outcome), None) => {
                let source = raw_side(&of, raw, raw_sides)?;
                let outcome = outcome.outcome(&source, &of.recipe)?;
                (Sides::new(&of.file, source, outcome), !of.skin)
            }
            (Found::Skin(vertex), Some(first)) => {
                (Sides::new(&of.file, first.source.clone(), first.outcome.with_skin(vertex)), true)
            }
            _ => return None,
        };
        if is_last {
            self.busy_since = None;
        } else {
            self.asked = Some((of, Some(sides.clone())));
        }
        let answer = match task {
            Task::Try(trial) => {
                let TrialTask { remedy, aspect, of } = &**trial;
                is_last
                    .then(|| TaskAnswer::Tried(Trial::new(remedy.clone(), *aspect, of, &Remedied::of(&sides.outcome))))
            }
            _ => Some(TaskAnswer::Compressed(sides)),
        };
        Some(answer.map_or(Came::Waits, |answer| Came::Answer(Box::new(answer), is_last)))
    }
}

/// The raw clip as the worker measured it, or as it is known here.
fn raw_side(of: &CompressTask, raw: Option<MeasuredRecord>, raw_sides: &mut RawSides) -> Option<MeasuredClip> {
    match raw {
        Some(record) => {
            let measured = record.measured(of.rig.clone(), of.clip.clone());
            raw_sides.keep(of, measured.clone());
            Some(measured)
        }
        None => raw_sides.known(of),
    }
}
