//! The window's side.

use super::message::{Contents, Disk, Found, Order, Packed, Reply, UNREADABLE, Work, packed, unpacked};
use super::parcel::Sent;
use super::{Heard, Mate};
use crate::clock::Instant;
use crate::codecs::CandidateRow;
use crate::files;
use crate::model::{Clip, Rig};
use crate::pipeline::{MeasuredClip, MeasuredRecord};
use crate::recipe::Recipe;
use crate::report::{Remedied, Sides, Trial};
use crate::tasks::notes::Notes;
use crate::tasks::{CompressTask, RawSides, SourceFile, Task, TaskAnswer, TrialTask};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The result of an order so far.
pub(in crate::tasks) enum Came {
    /// An answer, and true if it is the last.
    Answer(Box<TaskAnswer>, bool),
    /// The part that is done, and the candidates.
    Part(f32, Vec<CandidateRow>),
    /// More will come.
    Waits,
    /// The window does the task itself.
    Nothing,
    /// The worker ended, with the system's words.
    Died(String),
}

/// The worker of a lane.
pub(in crate::tasks) struct Remote {
    mate: Box<dyn Mate + Send>,
    number: u64,
    rigs: Sent<Rig>,
    clips: Sent<Clip>,
    /// Numbers of compressions that came.
    notes: Notes,
    asked: Option<Asked>,
    /// The time since which the worker has an order, wanted or not.
    busy_since: Option<Instant>,
    /// True if the worker holds memory for an order that is done.
    is_full: bool,
}

/// The order that is wanted of the worker.
struct Asked {
    task: Task,
    /// The compression that answers it, and its first answer.
    of: Option<CompressTask>,
    first: Option<Sides>,
    /// The files that the worker was given.
    disk: Disk,
}

/// A worker that works longer than this on an order that is no longer wanted is ended.
const PATIENCE: Duration = Duration::from_millis(300);

impl Remote {
    pub fn new(mate: Box<dyn Mate + Send>, notes: Notes) -> Self {
        let (rigs, clips) = (Sent::default(), Sent::default());
        Self { mate, number: 0, rigs, clips, notes, asked: None, busy_since: None, is_full: false }
    }

    /// True for a task that a worker can do.
    pub fn takes(task: &Task) -> bool {
        compression_of(task).is_some() || Work::is_of(task)
    }

    /// True if the worker can take an order. Orders do not queue up: an order that is no longer wanted must be done, or its worker ended.
    pub fn is_ready(&mut self) -> bool {
        while self.busy_since.is_some()
            && let Some(heard) = self.mate.hear()
        {
            let is_last = |reply: Reply| [self.number, UNREADABLE].contains(&reply.number) && reply.is_last;
            match heard {
                Heard::Reply(reply) if !unpacked(&reply).is_none_or(is_last) => {}
                Heard::Reply(_) => self.busy_since = None,
                Heard::Absent | Heard::Died(_) => self.end(),
            }
        }
        if self.busy_since.is_some_and(|since| since.elapsed() > PATIENCE) {
            self.end();
        }
        self.busy_since.is_none()
    }

    /// Ends the worker, which has nothing to do, if it holds memory.
    pub fn rest(&mut self) {
        if self.is_full && self.busy_since.is_none() {
            self.end();
        }
    }

    fn end(&mut self) {
        self.mate.restart();
        self.rigs.forget();
        self.clips.forget();
        (self.busy_since, self.is_full) = (None, false);
    }

    /// Sends a task to the worker. `raw_sides` are the raw clips that the window has measured.
    pub fn ask(&mut self, task: &Task, raw_sides: &RawSides) {
        let mut asked = Asked { task: task.clone(), of: compression_of(task), first: None, disk: Disk::default() };
        if let Task::Import(task) = task {
            match &task.file {
                SourceFile::Path(path) => asked.give(path.clone()),
                SourceFile::Bundled { name, bytes } => asked.disk.files.push((name.into(), Contents(bytes.to_vec()))),
            }
        }
        self.order(asked, raw_sides);
    }

    fn order(&mut self, asked: Asked, raw_sides: &RawSides) {
        let mut of = Packed::default();
        let Some(work) = asked.work(&mut of, raw_sides) else { return };
        self.number += 1;
        let (rigs, clips) = (self.rigs.pack(of.rigs), self.clips.pack(of.clips));
        // Import and export take memory for a whole file.
        self.is_full |= matches!(work, Work::Import { .. } | Work::Export { .. });
        self.mate.post(packed(&Order { number: self.number, rigs, clips, disk: asked.disk.clone(), work }));
        (self.asked, self.busy_since) = (Some(asked), Some(Instant::now()));
    }

    /// True if the worker has an order that is still wanted.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes back the order.
    pub fn take_back(&mut self) {
        self.asked = None;
    }

    /// The next thing that came of the order.
    pub fn come(&mut self, raw_sides: &mut RawSides) -> Option<Came> {
        while let Some(heard) = self.mate.hear() {
            let reply = match heard {
                Heard::Reply(reply) => unpacked(&reply),
                Heard::Absent => {
                    self.end();
                    None
                }
                Heard::Died(words) => {
                    self.end();
                    return self.asked.take().map(|_| Came::Died(words));
                }
            };
            let Some(Reply { number, found, is_last }) = reply else { return Some(self.nothing()) };
            if number != self.number && number != UNREADABLE {
                continue;
            }
            if is_last {
                self.busy_since = None;
            }
            if let Some(asked) = self.asked.take() {
                return Some(self.take_in(asked, found, raw_sides).unwrap_or_else(|| self.nothing()));
            }
        }
        None
    }

    fn nothing(&mut self) -> Came {
        (self.asked, self.busy_since) = (None, None);
        Came::Nothing
    }

    fn take_in(&mut self, mut asked: Asked, found: Found, raw_sides: &mut RawSides) -> Option<Came> {
        match (found, &asked.task) {
            (Found::Part(fraction, rows), _) => {
                let rows = rows.into_iter().filter_map(CandidateRow::of_record).collect();
                self.asked = Some(asked);
                Some(Came::Part(fraction, rows))
            }
            (Found::Number(key, numbers), _) => {
                self.notes.put(key, numbers);
                self.asked = Some(asked);
                Some(Came::Waits)
            }
            (Found::Wanted(paths), _) => {
                paths.into_iter().for_each(|path| asked.give(path));
                self.order(asked, raw_sides);
                Some(Came::Waits)
            }
            (Found::Shell(raw, outcome), _) => {
                let of = asked.of.as_ref()?;
                let source = raw_side(of, raw, raw_sides)?;
                let outcome = outcome.outcome(&source, &of.recipe)?;
                let (sides, is_last) = (Sides::new(&of.file, source, outcome), !of.skin);
                Some(self.first(asked, sides, is_last))
            }
            (Found::Paired(other, outcome), Task::Pair(pair)) => {
                let sides = pair.paired(other, *outcome)?;
                Some(self.first(asked, sides, false))
            }
            (found, _) => Some(Came::Answer(Box::new(asked.whole(found)?), true)),
        }
    }

    /// Takes in the errors of joints. Those on the skin follow, unless this is the last answer.
    fn first(&mut self, mut asked: Asked, sides: Sides, is_last: bool) -> Came {
        let answer = asked.answer(sides.clone(), is_last);
        if !is_last {
            asked.first = Some(sides);
            self.asked = Some(asked);
        }
        answer.map_or(Came::Waits, |answer| Came::Answer(Box::new(answer), is_last))
    }
}

impl Asked {
    /// Adds a file to those of the order, or the word that it does not exist.
    fn give(&mut self, path: PathBuf) {
        match files::in_memory().and_then(|disk| disk.read(&path).ok()) {
            Some(bytes) => self.disk.files.push((path, Contents(bytes.to_vec()))),
            None => self.disk.missing.push(path),
        }
    }

    fn work(&self, of: &mut Packed, raw_sides: &RawSides) -> Option<Work> {
        let Some(compression) = &self.of else { return of.work(&self.task) };
        let (raw, skin) = (raw_sides.known(compression).is_none(), compression.skin);
        let compression = of.compression(compression);
        Some(match &self.task {
            Task::Explain(task) => Work::Explain { of: compression, question: task.question.clone() },
            Task::Pair(task) => Work::Pair { of: compression, with: task.recipe()?.map(Recipe::to_toml) },
            _ => Work::Compress { of: compression, skin, raw },
        })
    }

    /// The last answer to the task.
    fn whole(&self, found: Found) -> Option<TaskAnswer> {
        Some(match (found, &self.task) {
            (Found::Skin(vertex), _) => {
                let (of, first) = (self.of.as_ref()?, self.first.as_ref()?);
                let whole = Sides::new(&of.file, first.source.clone(), first.outcome.with_skin(vertex));
                self.answer(Sides { reference: first.reference.clone(), ..whole }, true)?
            }
            (Found::Explained(record), Task::Explain(task)) => TaskAnswer::Explained(record.explanation(task)?),
            (Found::Imported(mut read, images), Task::Import(task)) => {
                read.path = task.file.path().map(Path::to_path_buf);
                read.imported.rig.images = images;
                TaskAnswer::Imported(read)
            }
            (Found::Fixed(fixed), Task::Fix(_)) => TaskAnswer::Fixed(fixed),
            (Found::Exported(made), Task::Export(task)) => TaskAnswer::Exported(task.write(made).ok()?),
            _ => return None,
        })
    }

    /// The answer to the task once its compression is known. `None` before all is known that it needs.
    fn answer(&self, sides: Sides, is_last: bool) -> Option<TaskAnswer> {
        match &self.task {
            Task::Try(trial) => {
                let TrialTask { remedy, aspect, of } = &**trial;
                is_last
                    .then(|| TaskAnswer::Tried(Trial::new(remedy.clone(), *aspect, of, &Remedied::of(&sides.outcome))))
            }
            _ => Some(TaskAnswer::Compressed(sides)),
        }
    }
}

/// The compression that answers a task, or that a question is about.
fn compression_of(task: &Task) -> Option<CompressTask> {
    match task {
        Task::Compress(task) if task.external.is_none() => Some(task.clone()),
        Task::Try(trial) => compression(&trial.of, |recipe| Arc::new(trial.remedy.changed(recipe))),
        Task::Explain(task) => compression(&task.of, |recipe| Arc::new(recipe.clone())),
        Task::Pair(task) if task.recipe().is_some() => compression(&task.of, |recipe| Arc::new(recipe.clone())),
        _ => None,
    }
}

/// The compression that made an outcome, with another recipe. `None` for results of other tools, and for sides that were paired.
fn compression(of: &Sides, recipe: impl Fn(&Recipe) -> Arc<Recipe>) -> Option<CompressTask> {
    let Sides { source, reference: None, outcome, report } = of else { return None };
    if !outcome.is_by_recipe() {
        return None;
    }
    let (rig, clip, file) = (source.rig.clone(), source.clip.clone(), report.source.as_str().into());
    Some(CompressTask { file, rig, clip, recipe: recipe(&outcome.recipe), external: None, skin: true })
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
