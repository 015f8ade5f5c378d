//! The worker's side.

use super::message::{Disk, Found, Order, Reply, UNREADABLE, Unpacked, Work, packed, recipe, unpacked};
use super::parcel::Held;
use super::record::ExplanationRecord;
use crate::clock::Instant;
use crate::codecs::Progress;
use crate::files;
use crate::model::{Clip, Rig};
use crate::pipeline::{MeasuredRecord, OutcomeRecord};
use crate::report::Sides;
use crate::store::ResultKey;
use crate::study::Studied;
use crate::tasks::notes::Notes;
use crate::tasks::{
    ExplainTask, ExportTask, FitTask, FixTask, ImportTask, KeptResults, PairTask, PairWith, RawSides, SourceFile,
    StudyTask, Task, TaskAnswer,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A worker. It keeps rigs and clips from one order to the next.
pub struct Hand {
    send: Arc<dyn Fn(Vec<u8>) + Send + Sync>,
    between_parts: Duration,
    rigs: Held<Rig>,
    clips: Held<Clip>,
    raw_sides: RawSides,
    notes: Notes,
}

/// The order being worked on.
struct Desk {
    number: u64,
    send: Arc<dyn Fn(Vec<u8>) + Send + Sync>,
    between_parts: Duration,
}

impl Desk {
    fn say(&self, is_last: bool, found: Found) {
        (self.send)(packed(&Reply { number: self.number, is_last, found }));
    }

    /// Sends a task's progress.
    fn progress(self: &Arc<Self>) -> Progress {
        let (desk, said) = (self.clone(), Mutex::new(Instant::now()));
        Progress::watched(move |progress| {
            let Ok(mut said) = said.try_lock() else { return };
            if said.elapsed() >= desk.between_parts {
                *said = Instant::now();
                desk.say(false, Found::part(progress));
            }
        })
    }

    /// Numbers of compressions. Those that the order needs are sent.
    fn results(self: &Arc<Self>, notes: &Notes) -> KeptResults {
        let desk = self.clone();
        let send = move |key: &ResultKey, numbers: &[u8]| desk.say(false, Found::Number(key.clone(), numbers.to_vec()));
        KeptResults::noted(notes.reporting(send))
    }
}

impl Hand {
    /// A worker that sends its replies by `send`. `between_parts`: the time between two messages of progress.
    pub fn new(send: impl Fn(Vec<u8>) + Send + Sync + 'static, between_parts: Duration) -> Self {
        let (rigs, clips, raw_sides) = (Held::default(), Held::default(), RawSides::default());
        Self { send: Arc::new(send), between_parts, rigs, clips, raw_sides, notes: Notes::default() }
    }

    /// Works on an order. Replies are sent as soon as they are known.
    pub fn work(&mut self, order: &[u8]) {
        let order: Option<Order> = unpacked(order);
        let desk = |number| Arc::new(Desk { number, send: self.send.clone(), between_parts: self.between_parts });
        let Some(Order { number, rigs, clips, disk, work }) = order else {
            return desk(UNREADABLE).say(true, Found::Nothing);
        };
        let desk = desk(number);
        let found = match (self.rigs.unpack(rigs), self.clips.unpack(clips)) {
            (Some(rigs), Some(clips)) => with_files(disk, || self.found(work, &Unpacked { rigs, clips }, &desk)),
            _ => None,
        };
        desk.say(true, found.unwrap_or(Found::Nothing));
    }

    fn found(&mut self, work: Work, of: &Unpacked, desk: &Arc<Desk>) -> Option<Found> {
        let (progress, results) = (desk.progress(), desk.results(&self.notes));
        match work {
            Work::Compress { of: clip, skin, raw } => {
                self.compressed(&Task::Compress(of.compression(clip, skin)?), raw, &progress, desk)
            }
            Work::Explain { of: clip, question } => {
                let of = of.compression(clip, true)?.run(&mut self.raw_sides, &Progress::new()).ok()?;
                let explanation = ExplainTask { of, question }.run(&progress).ok()?;
                Some(Found::Explained(ExplanationRecord::of(&explanation)?))
            }
            Work::Pair { of: clip, with } => {
                let of = of.compression(clip, true)?.run(&mut self.raw_sides, &Progress::new()).ok()?;
                let with = match with {
                    Some(toml) => PairWith::Recipe(recipe(&toml)?),
                    None => PairWith::Original,
                };
                self.paired(&Task::Pair(Box::new(PairTask { of, with })), &progress, desk)
            }
            // The numbers are sent while they are found.
            Work::Study { clips, recipe: toml } => {
                let (clips, of) = (of.subjects(&clips)?, Studied { recipe: recipe(&toml)?, engine: None });
                StudyTask { clips, of }.run(&results, &progress).ok().map(|_| Found::Nothing)
            }
            Work::Fit { clips, limits, recipes } => {
                let (clips, sources) = of.shares(clips)?;
                FitTask { clips, sources, limits, recipes }.run(&results, &progress).ok().map(|_| Found::Nothing)
            }
            Work::Import { file, options, containers } => {
                let task = ImportTask { file: SourceFile::Path(file), options, containers };
                let mut read = task.run(&progress).ok()?;
                let images = std::mem::take(&mut read.imported.rig.images);
                Some(Found::Imported(Box::new(read), images))
            }
            Work::Fix { id, file, rig, clips, chosen } => {
                let task = FixTask { id, file, rig: of.rig(rig)?, clips: of.all_clips(clips)?.into(), chosen };
                Some(Found::Fixed(Box::new(task.run().ok()?)))
            }
            Work::Export { rig, images, clips, format, target, tiers, path } => {
                let (rig, clips) = (Rig { images, ..Rig::clone(&*of.rig(rig)?) }, of.recipes(clips)?);
                let task = ExportTask { rig: Arc::new(rig), clips, format, target, tiers, path, sources: Vec::new() };
                Some(Found::Exported(task.make(&progress).ok()?))
            }
        }
    }

    fn compressed(&mut self, task: &Task, raw: bool, progress: &Progress, desk: &Desk) -> Option<Found> {
        let sides = self.run(task, progress)?;
        let raw = raw.then(|| MeasuredRecord::of(&sides.source));
        let shell = Found::Shell(raw, Box::new(OutcomeRecord::of(&sides.outcome)?));
        self.skin(task, sides, shell, progress, desk)
    }

    fn paired(&mut self, task: &Task, progress: &Progress, desk: &Desk) -> Option<Found> {
        let sides = self.run(task, progress)?;
        let other = sides.reference.as_ref().and_then(|other| OutcomeRecord::of(other)).map(Box::new);
        let paired = Found::Paired(other, Box::new(OutcomeRecord::of(&sides.outcome)?));
        self.skin(task, sides, paired, progress, desk)
    }

    /// Sends the errors of joints, then finds those on the skin, if the task wants them.
    fn skin(&mut self, of: &Task, sides: Sides, joints: Found, progress: &Progress, desk: &Desk) -> Option<Found> {
        let Some(next) = of.next(&TaskAnswer::Compressed(sides)) else { return Some(joints) };
        desk.say(false, joints);
        Some(Found::Skin(self.run(&next, progress)?.outcome.report.vertex.clone()))
    }

    fn run(&mut self, task: &Task, progress: &Progress) -> Option<Sides> {
        match task.run(&mut self.raw_sides, &KeptResults::default(), progress) {
            Ok(TaskAnswer::Compressed(sides)) => Some(sides),
            _ => None,
        }
    }
}

/// Works with the files that the window sent, and asks for others that it wants. Where files are on a disk, the worker reads them itself.
fn with_files(given: Disk, work: impl FnOnce() -> Option<Found>) -> Option<Found> {
    let Some(disk) = files::in_memory() else { return work() };
    disk.replace(given.files.into_iter().map(|(path, bytes)| (path, bytes.0)));
    let found = work();
    let mut wanted = disk.take_missed();
    wanted.retain(|path| !given.missing.contains(path));
    if wanted.is_empty() { found } else { Some(Found::Wanted(wanted)) }
}
