//! The work of a run: as many files in memory as there are jobs, the largest first.

use super::args::BatchArgs;
use super::guarded::guarded;
use super::job::{FileJob, load};
use super::memory::{self, Memory};
use super::planner::{Library, Listed, PlannedClip, PlannedFile, Planner};
use super::share::Share;
use super::stop::Stop;
use crate::cli::load::NamedClip;
use crate::cli::{Failure, Ticker};
use posepress_core::batch::{ClipNumbers, FileRecord};
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
    pub clips: HashMap<usize, Listed>,
    /// Their records for the index.
    pub records: HashMap<usize, FileRecord>,
    /// Why files of unknown clips could not be read, by the file's index.
    pub errors: HashMap<usize, String>,
    /// Results by key.
    pub made: HashMap<ResultKey, Result<ClipNumbers, String>>,
}

impl Results {
    /// Moves the clips of files that were imported into the library.
    pub fn settle(&mut self, library: &mut Library) {
        for (at, file) in library.files.iter_mut().enumerate() {
            if let Some(listed) = self.clips.remove(&at) {
                file.listed = Some(listed);
            }
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

struct State {
    files: VecDeque<usize>,
    clips: VecDeque<ClipTask>,
    /// Number of files that are being imported.
    loading: usize,
    /// Number of files and clips in work.
    working: usize,
    memory: Memory,
    /// Keys of all clips that were put into the queue. Copies of a file have the same.
    started: HashSet<ResultKey>,
    results: Results,
}

impl State {
    fn new(files: Vec<usize>, memory: Memory) -> Self {
        let (files, clips, started) = (files.into(), VecDeque::new(), HashSet::new());
        Self { files, clips, loading: 0, working: 0, memory, started, results: Results::default() }
    }

    /// A clip for which there is memory, else such a file.
    fn take(&mut self, library: &Library) -> Option<Next> {
        let (memory, is_alone) = (&mut self.memory, self.working == 0);
        let clip = self.clips.iter().position(|task| memory.take(memory::of_clip(&task.clip), is_alone));
        if let Some(task) = clip.and_then(|at| self.clips.remove(at)) {
            self.working += 1;
            return Some(Next::Clip(Box::new(task)));
        }
        let has_room = |at: &usize| memory.take(memory::of_file(library.files[*at].input.bytes()), is_alone);
        let at = self.files.iter().position(has_room).and_then(|at| self.files.remove(at))?;
        (self.working, self.loading) = (self.working + 1, self.loading + 1);
        Some(Next::File(at))
    }

    fn is_at_end(&self) -> bool {
        self.clips.is_empty() && self.files.is_empty() && self.loading == 0
    }
}

/// Compresses a clip and adds it to the store.
pub type Work<'a> = dyn Fn(&Planner, &PlannedClip, &NamedClip) -> Result<ClipNumbers, String> + Sync + 'a;

struct Queue<'a> {
    planner: &'a Planner,
    library: &'a Library,
    share: &'a Share,
    leases: LeaseKeeper,
    ticker: Ticker,
    stop: &'a Stop,
    work: &'a Work<'a>,
    state: Mutex<State>,
    changed: Condvar,
}

/// Imports the files with missing results, and works on their clips, as far as they are of the share.
pub fn work(
    (planner, library): (&Planner, &Library),
    share: &Share,
    args: &BatchArgs,
    stop: &Stop,
    work: &Work<'_>,
) -> Result<Results, Failure> {
    let files = library.files.iter().enumerate().filter(|(at, file)| share.has_file(*at, file));
    let open = files.filter(|(at, file)| {
        let needs_work = |clip: &PlannedClip| clip.is_open() && share.has_clip(*at, file, clip);
        file.listed.is_none() || file.clips().iter().any(needs_work)
    });
    let mut open: Vec<usize> = open.map(|(at, _)| at).collect();
    if open.is_empty() {
        return Ok(Results::default());
    }
    // Large files first, so that the end does not wait for one of them.
    open.sort_by_key(|at| std::cmp::Reverse(library.files[*at].input.bytes()));
    let expected = open.iter().map(|at| steps_of(&library.files[*at], *at, share)).sum();
    let leases = LeaseKeeper::start(&planner.store).map_err(Failure::input)?;
    let state = Mutex::new(State::new(open, Memory::new(args.memory)));
    let (ticker, changed) = (Ticker::of("compressed", expected, args.progress), Condvar::new());
    let queue = Queue { planner, library, share, leases, ticker, stop, work, state, changed };
    std::thread::scope(|scope| (0..args.jobs()).for_each(|_| _ = scope.spawn(|| queue.run())));
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(state.results)
}

/// Number of clips of a file that need work. One, as long as they are not known.
fn steps_of(file: &PlannedFile, at: usize, share: &Share) -> usize {
    let needs_work = |clip: &&PlannedClip| clip.is_open() && share.has_clip(at, file, clip);
    file.listed.as_ref().map_or(1, |listed| listed.clips.iter().filter(needs_work).count())
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
            if let Some(next) = state.take(self.library) {
                return Some(next);
            }
            if state.is_at_end() {
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn load(&self, at: usize) {
        let file = &self.library.files[at];
        let is_possible = self.state().memory.check(memory::of_file(file.input.bytes()));
        let loaded = is_possible.and_then(|()| load(self.planner, file));
        let mut state = self.state();
        (state.loading, state.working) = (state.loading - 1, state.working - 1);
        state.memory.give_back(memory::of_file(file.input.bytes()));
        match loaded {
            Ok(FileJob { listed, record, mut tasks, .. }) => {
                let is_own = |clip: &PlannedClip| self.share.has_clip(at, file, clip);
                tasks.retain(|(planned, _)| is_own(planned) && state.started.insert(planned.key.clone()));
                self.ticker.expect(tasks.len());
                self.ticker.drop_steps(steps_of(file, at, self.share));
                self.put(tasks, &mut state);
                state.results.clips.insert(at, listed);
                state.results.records.extend(record.map(|record| (at, record)));
            }
            Err(error) => {
                self.ticker.expect(1);
                self.ticker.drop_steps(steps_of(file, at, self.share));
                self.ticker.fail(&file.input.label, &error);
                let needs_work = |clip: &&PlannedClip| clip.is_open() && self.share.has_clip(at, file, clip);
                match file.listed {
                    None => _ = state.results.errors.insert(at, error),
                    Some(_) => {
                        file.clips().iter().filter(needs_work).for_each(|clip| self.fail(clip, &error, &mut state))
                    }
                }
            }
        }
        self.changed.notify_all();
    }

    /// Puts the clips of a file into the queue, long ones first. A clip for which the whole memory is too little fails.
    fn put(&self, mut tasks: Vec<(PlannedClip, NamedClip)>, state: &mut State) {
        tasks.sort_by_key(|(_, clip)| std::cmp::Reverse(clip.clip.samples() * clip.clip.joints()));
        for (planned, clip) in tasks {
            let waiting = memory::of_waiting(&clip);
            match state.memory.check(waiting + memory::of_clip(&clip)) {
                Ok(()) => {
                    state.memory.hold(waiting);
                    state.clips.push_back(ClipTask { planned, clip, is_of_others: false });
                }
                Err(error) => {
                    self.ticker.fail(&format!("{}#{}", clip.source, clip.name), &error);
                    self.fail(&planned, &error, state);
                }
            }
        }
    }

    /// Notes why a clip has no result. A merge reads the reason from the store. Without it, it knows less.
    fn fail(&self, clip: &PlannedClip, reason: &str, state: &mut State) {
        let _ = self.planner.store.put_failure(&clip.key, reason);
        state.results.made.insert(clip.key.clone(), Err(reason.to_owned()));
    }

    fn compress(&self, task: ClipTask) {
        let key = &task.planned.key;
        let made = match self.leases.claim(key) {
            Err(error) => Err(error.to_string()),
            // Another program may have finished it since.
            Ok(Claim::Mine(_lease)) => match self.found(&task) {
                Some(numbers) => Ok(numbers),
                None => guarded(|| (self.work)(self.planner, &task.planned, &task.clip)),
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
        let mut state = self.state();
        state.results.made.insert(key.clone(), made);
        state.working -= 1;
        state.memory.give_back(memory::of_clip(&task.clip) + memory::of_waiting(&task.clip));
        self.changed.notify_all();
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
        let mut state = self.state();
        state.working -= 1;
        state.memory.give_back(memory::of_clip(&task.clip));
        state.clips.push_back(ClipTask { is_of_others: true, ..task });
        self.changed.notify_all();
    }
}
