//! The work of a run: as many files in memory as there are jobs, the largest first.

use super::job::{FileJob, compress, load};
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use super::share::Share;
use super::stop::Stop;
use crate::cli::load::NamedClip;
use crate::cli::{Failure, ProgressForm, Ticker};
use posepress_core::batch::{ClipNumbers, FileRecord};
use posepress_core::pipeline::{OwnFault, guard};
use posepress_core::store::{Claim, LeaseKeeper, ResultKey};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Pause before a clip that another program works on is looked at again.
const OTHERS_PAUSE: Duration = Duration::from_millis(50);

/// Results of the work.
#[derive(Debug, Default)]
pub struct Results {
    /// Clips of files that were imported, by the file's index.
    pub clips: HashMap<usize, Vec<PlannedClip>>,
    /// Their records for the index.
    pub records: HashMap<usize, FileRecord>,
    /// Files that could not be read, and clips that were lost when a file was read, by the file's index.
    pub errors: HashMap<usize, Vec<String>>,
    /// Results by key.
    pub made: HashMap<ResultKey, Result<ClipNumbers, String>>,
}

impl Results {
    /// Moves the clips of files that were imported into the library.
    pub fn settle(&mut self, library: &mut Library) {
        for (at, file) in library.files.iter_mut().enumerate() {
            file.clips = self.clips.remove(&at).or_else(|| file.clips.take());
            if let Some(record) = self.records.remove(&at) {
                library.records.insert(file.input.absolute.to_string_lossy().into_owned(), record);
            }
        }
    }

    /// The numbers of a clip, or why there are none.
    pub fn made_of(&self, clip: &PlannedClip) -> Result<ClipNumbers, String> {
        clip.recipe.as_ref().map_err(String::clone)?;
        match (&clip.numbers, self.made.get(&clip.key)) {
            (Some(numbers), _) => Ok(numbers.clone()),
            (None, Some(made)) => made.clone(),
            (None, None) => Err("it has no result in the store yet. Run the batch, or the part that has it".into()),
        }
    }
}

/// A clip to compress.
struct ClipTask {
    planned: PlannedClip,
    clip: NamedClip,
    /// True if another program had it when it was tried.
    is_of_others: bool,
}

/// The next thing to do.
enum Next {
    File(usize),
    Clip(Box<ClipTask>),
}

#[derive(Default)]
struct State {
    files: VecDeque<usize>,
    clips: VecDeque<ClipTask>,
    /// Number of files that are being imported.
    loading: usize,
    /// Keys of all clips that were put into the queue. Copies of a file have the same.
    started: HashSet<ResultKey>,
    results: Results,
}

struct Queue<'a> {
    planner: &'a Planner,
    library: &'a Library,
    share: &'a Share,
    leases: LeaseKeeper,
    ticker: Ticker,
    stop: &'a Stop,
    state: Mutex<State>,
    changed: Condvar,
}

/// Imports the files with missing results, and compresses their clips, as far as they are of the share.
pub fn work(
    planner: &Planner,
    library: &Library,
    share: &Share,
    (jobs, progress): (usize, ProgressForm),
    stop: &Stop,
) -> Result<Results, Failure> {
    let files = library.files.iter().enumerate().filter(|(at, file)| share.has_file(*at, file));
    let open = files.filter(|(at, file)| {
        let needs_work = |clip: &PlannedClip| clip.is_open() && share.has_clip(*at, file, clip);
        file.clips.as_ref().is_none_or(|clips| clips.iter().any(needs_work))
    });
    let mut open: Vec<usize> = open.map(|(at, _)| at).collect();
    if open.is_empty() {
        return Ok(Results::default());
    }
    // Large files first, so that the end does not wait for one of them.
    open.sort_by_key(|at| std::cmp::Reverse(library.files[*at].input.stamp.map_or(0, |stamp| stamp.bytes)));
    let expected = open.iter().map(|at| steps_of(&library.files[*at], *at, share)).sum();
    let leases = LeaseKeeper::start(&planner.store).map_err(Failure::input)?;
    let state = State { files: open.into(), ..State::default() };
    let (ticker, state, changed) = (Ticker::of("compressed", expected, progress), Mutex::new(state), Condvar::new());
    let queue = Queue { planner, library, share, leases, ticker, stop, state, changed };
    std::thread::scope(|scope| (0..jobs).for_each(|_| _ = scope.spawn(|| queue.run())));
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(state.results)
}

/// Number of clips of a file that need work. One, as long as they are not known.
fn steps_of(file: &PlannedFile, at: usize, share: &Share) -> usize {
    let needs_work = |clip: &&PlannedClip| clip.is_open() && share.has_clip(at, file, clip);
    file.clips.as_ref().map_or(1, |clips| clips.iter().filter(needs_work).count())
}

impl Queue<'_> {
    fn run(&self) {
        while let Some(next) = self.next() {
            match next {
                Next::File(at) => self.load(at),
                Next::Clip(task) => self.compress(*task),
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A clip of a file in memory, else a file. `None` at the end.
    fn next(&self) -> Option<Next> {
        let mut state = self.state();
        loop {
            if self.stop.is_asked() {
                self.changed.notify_all();
                return None;
            }
            if let Some(task) = state.clips.pop_front() {
                return Some(Next::Clip(Box::new(task)));
            }
            if let Some(at) = state.files.pop_front() {
                state.loading += 1;
                return Some(Next::File(at));
            }
            if state.loading == 0 {
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn load(&self, at: usize) {
        let file = &self.library.files[at];
        let loaded = load(self.planner, file);
        let mut state = self.state();
        state.loading -= 1;
        match loaded {
            Ok(FileJob { clips, record, lost, tasks }) => {
                let mut tasks: Vec<_> = tasks;
                // Long clips first.
                tasks.sort_by_key(|(_, clip)| std::cmp::Reverse(clip.clip.samples() * clip.clip.joints()));
                let is_own = |clip: &PlannedClip| self.share.has_clip(at, file, clip);
                tasks.retain(|(planned, _)| is_own(planned) && state.started.insert(planned.key.clone()));
                self.ticker.expect(tasks.len());
                self.ticker.drop_steps(steps_of(file, at, self.share));
                let task = |(planned, clip)| ClipTask { planned, clip, is_of_others: false };
                state.clips.extend(tasks.into_iter().map(task));
                state.results.clips.insert(at, clips);
                state.results.records.extend(record.map(|record| (at, record)));
                if !lost.is_empty() {
                    state.results.errors.insert(at, lost);
                }
            }
            Err(error) => {
                self.ticker.expect(1);
                self.ticker.drop_steps(steps_of(file, at, self.share));
                self.ticker.fail(&file.input.label, &error);
                state.results.errors.insert(at, vec![error]);
            }
        }
        self.changed.notify_all();
    }

    fn compress(&self, task: ClipTask) {
        let key = &task.planned.key;
        let made = match self.leases.claim(key) {
            Err(error) => Err(error.to_string()),
            // Another program may have finished it since.
            Ok(Claim::Mine(_lease)) => match self.found(&task) {
                Some(numbers) => Ok(numbers),
                None => guard(|| compress(self.planner, &task.planned, &task.clip).map_err(Fault)).map_err(|f| f.0),
            },
            Ok(Claim::Taken) => match self.found(&task) {
                Some(numbers) => Ok(numbers),
                None => return self.put_back(task),
            },
        };
        if let Err(reason) = &made {
            let _ = self.planner.store.put_failure(key, reason); // without it a merge knows less of the reason
        }
        let title = format!("{}#{}", task.clip.source, task.clip.name);
        match &made {
            Ok(_) => self.ticker.step(&title),
            Err(error) => self.ticker.fail(&title, error),
        }
        self.state().results.made.insert(key.clone(), made);
    }

    /// The result of a clip, if another program added it.
    fn found(&self, task: &ClipTask) -> Option<ClipNumbers> {
        let mut planned = task.planned.clone();
        self.planner.look_up_clip(&task.clip.source, &mut planned, false);
        planned.numbers
    }

    /// Puts a clip that another program works on behind the others.
    fn put_back(&self, task: ClipTask) {
        if task.is_of_others {
            std::thread::sleep(OTHERS_PAUSE);
        }
        self.state().clips.push_back(ClipTask { is_of_others: true, ..task });
        self.changed.notify_all();
    }
}

/// Why a clip has no result.
struct Fault(String);

impl From<OwnFault> for Fault {
    fn from(fault: OwnFault) -> Self {
        Self(fault.to_string())
    }
}
