//! Every kind of task that a worker does.

use super::{InThread, Log, Mad, Shared, answers, assert_same, compression, here, sample_clips};
use crate::import_support::small_rig;
use crate::project::sample;
use crate::until::until;
use posepress_core::codecs::Progress;
use posepress_core::export::ExportRecipes;
use posepress_core::import::{ChosenFixes, Fix, ImportOptions};
use posepress_core::lod::Platform;
use posepress_core::metrics::Complaint;
use posepress_core::model::{Clip, ClipId, Rig};
use posepress_core::pipeline::{BudgetClip, BudgetLimits, BudgetRig, CONTAINER, MeasuredLod, TierSettings};
use posepress_core::recipe::Recipe;
use posepress_core::report::Sides;
use posepress_core::study::{Studied, StudiedClips};
use posepress_core::tasks::{
    Crew, ExplainTask, Explanation, ExportTask, FitOf, FitTask, FixTask, Hand, Heard, ImportTask, KeptResults, Lane,
    Mate, MeasureTask, PairTask, PairWith, PriceTask, Question, RawSides, Request, Scheduler, SourceFile, StudyTask,
    Task, TaskAnswer,
};
use serde_json::json;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The answer of a worker, and what went through it.
fn by_a_worker(task: &Task) -> (TaskAnswer, Log) {
    let log = Shared::default();
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
    let answer = asked(&scheduler, task);
    scheduler.take_turns(Duration::from_millis(1));
    let log = log.lock().unwrap().clone();
    (answer, log)
}

fn asked(scheduler: &Scheduler<u32>, task: &Task) -> TaskAnswer {
    scheduler.submit(Request { key: 1, task: task.clone(), live: true });
    let found = answers(scheduler);
    let [(1, true, answer)] = &found[..] else { panic!("{found:?}") };
    answer.clone()
}

fn in_this_thread(task: &Task) -> TaskAnswer {
    task.run(&mut RawSides::default(), &KeptResults::default(), &Progress::new()).unwrap()
}

fn compressed(codec: &str) -> Sides {
    let (rig, clips) = sample_clips();
    let recipe = Recipe { tolerance_m: 0.005, ..Recipe::chosen(codec).unwrap() };
    here(&compression(&rig, &clips[0], recipe))[1].clone()
}

fn sample_subjects(count: usize) -> StudiedClips {
    let (rig, clips) = sample_clips();
    clips.iter().take(count).map(|clip| (rig.clone(), clip.clone())).collect()
}

#[test]
fn questions_are_answered_by_a_worker() {
    let curves = compressed("catmull-rom");
    let kept = curves.outcome.encoding().unwrap().encoded.kept.iter().max_by_key(|kept| kept.inserted.len()).unwrap();
    let fit = FitOf { joint: usize::from(kept.joint), channel: kept.channel, keys: 3 };
    let fits = [Question::Blame(Complaint::Contact(0)), Question::Fit(fit)].map(|question| (curves.clone(), question));
    let tiers = Question::Tiers(TierSettings { on: true, ..TierSettings::default() });
    let press = compressed("press");
    let far = "[[levels]]\n[[levels]]\nfrom = 8.0\njoints = 20\nevery = \"2\"\nleft_out = \"low\"\n";
    let on = TierSettings { on: true, ..TierSettings::default() };
    let levels = Question::Lods(Arc::new(Platform::from_toml(far).unwrap()), on);
    for (of, question) in fits.into_iter().chain([(press.clone(), tiers), (press, levels)]) {
        let task = Task::Explain(Box::new(ExplainTask { of, question: question.clone() }));
        let (found, log) = by_a_worker(&task);
        assert_eq!(log.came("Explained"), 1, "{question:?}");
        match (found, in_this_thread(&task)) {
            (TaskAnswer::Explained(found), TaskAnswer::Explained(expected)) => assert_same_words(&found, &expected),
            (found, _) => panic!("{found:?}"),
        }
    }
}

fn assert_same_words(found: &Explanation, expected: &Explanation) {
    match (found, expected) {
        (Explanation::Blame(found), Explanation::Blame(expected)) => {
            assert!(found.is_some() && found == expected, "{found:?} {expected:?}");
        }
        (Explanation::Fit(found), Explanation::Fit(expected)) => {
            assert!(found.is_some() && found == expected, "{found:?} {expected:?}");
        }
        (Explanation::Tiers(Ok(found)), Explanation::Tiers(Ok(expected))) => {
            assert!(found.len() == 3 && expected.len() == 3);
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(
                    (&found.name, found.limit_m, &found.tier),
                    (&expected.name, expected.limit_m, &expected.tier)
                );
                assert_eq!(found.outcome.recipe, expected.outcome.recipe, "{}", found.name);
                assert_eq!(found.outcome.report, expected.outcome.report, "{}", found.name);
                let bytes = [&found.outcome, &expected.outcome].map(|of| of.encoding().unwrap().encoded.bytes.clone());
                assert!(bytes[0] == bytes[1], "{}", found.name);
            }
        }
        (Explanation::Lods(found), Explanation::Lods(expected)) => {
            assert!(found.len() == 2 && expected.len() == 2);
            for (found, expected) in found.iter().zip(expected).map(|(a, b)| (a.as_ref().unwrap(), b.as_ref().unwrap()))
            {
                let numbers = |level: &MeasuredLod| (level.joints, level.max_m, level.between_m);
                assert_eq!(numbers(found), numbers(expected));
                assert_eq!(found.outcome.report, expected.outcome.report);
                assert_eq!(found.outcome.decoded.pose(7), expected.outcome.decoded.pose(7));
            }
        }
        _ => panic!("{found:?}"),
    }
}

#[test]
fn a_pair_is_measured_by_a_worker() {
    let of = compressed("press");
    let other = compressed("linear-keys").outcome;
    for with in [PairWith::Original, PairWith::Recipe(Arc::new(other.recipe.clone())), PairWith::Made(other)] {
        let task = PairTask { of: of.clone(), with };
        let log = Shared::default();
        let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
        scheduler.submit(Request { key: 1, task: Task::Pair(Box::new(task.clone())), live: true });
        let found = answers(&scheduler);
        assert_eq!(log.lock().unwrap().came("Paired"), 1);
        let [(_, false, TaskAnswer::Compressed(joints)), (_, true, TaskAnswer::Compressed(whole))] = &found[..] else {
            panic!("{found:?}")
        };
        let TaskAnswer::Compressed(expected) = in_this_thread(&Task::Pair(Box::new(task))) else { panic!() };
        assert_same(joints, &expected, "joints");
        let next = Task::Measure(MeasureTask { of: expected });
        let TaskAnswer::Compressed(expected) = in_this_thread(&next) else { panic!() };
        assert_same(whole, &expected, "and skin");
        let outcome = |sides: &Sides| sides.reference.as_ref().map(|other| other.report.clone());
        assert_eq!(outcome(whole), outcome(&expected));
    }
}

/// The sum of measured times tells one run of a study from another.
fn time_of(answer: &TaskAnswer) -> f64 {
    let TaskAnswer::Studied(point) = answer else { panic!("{answer:?}") };
    point.decode_secs_per_joint
}

#[test]
fn the_numbers_of_a_study_come_from_a_worker_and_are_not_computed_here() {
    let clips = sample_subjects(4);
    let of = Studied { recipe: Arc::new(Recipe::chosen("press").unwrap()), engine: None };
    let task = Task::Study(StudyTask { clips, of });
    let log = Shared::default();
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
    let found = asked(&scheduler, &task);
    assert_eq!(log.lock().unwrap().came("Number"), 4);
    let (TaskAnswer::Studied(point), TaskAnswer::Studied(expected)) = (&found, &in_this_thread(&task)) else {
        panic!("{found:?}")
    };
    assert_eq!((&point.clips, point.seam_pop_m), (&expected.clips, expected.seam_pop_m));
    assert_eq!(time_of(&asked(&scheduler, &task)), time_of(&found), "the window computed it itself");
    assert_eq!(log.lock().unwrap().came("Number"), 8, "numbers that are known to the worker are sent too");
}

/// A worker that has done its work when the order is sent.
struct AtOnce {
    hand: Mutex<Hand>,
    replies: Arc<Mutex<VecDeque<Vec<u8>>>>,
}

impl Mate for AtOnce {
    fn post(&self, order: Vec<u8>) {
        self.hand.lock().unwrap().work(&order);
    }

    fn hear(&self) -> Option<Heard> {
        self.replies.lock().unwrap().pop_front().map(Heard::Reply)
    }

    fn restart(&self) {}
}

#[test]
fn all_messages_that_have_come_are_taken_in_before_the_next_frame() {
    let crew: Crew = Box::new(|| {
        let replies = Arc::new(Mutex::new(VecDeque::new()));
        let sent = replies.clone();
        let hand = Hand::new(move |reply| sent.lock().unwrap().push_back(reply), Duration::ZERO);
        Box::new(AtOnce { hand: Mutex::new(hand), replies })
    });
    let scheduler = Scheduler::in_turns(|| {}, Some(crew));
    let of = Studied { recipe: Arc::new(Recipe::chosen("press").unwrap()), engine: None };
    let task = Task::Study(StudyTask { clips: sample_subjects(5), of });
    scheduler.submit(Request { key: 1, task, live: true });
    scheduler.take_turns(Duration::from_secs(60)); // sends the order
    scheduler.take_turns(Duration::from_secs(60));
    assert!(scheduler.is_idle() && scheduler.poll().is_some());
}

#[test]
fn a_price_and_a_budget_are_found_by_a_worker() {
    let clips = sample_subjects(3);
    let (rig, clip) = clips[0].clone();
    let recipe = Recipe::chosen("press").unwrap();
    let price = Task::Price(PriceTask::Recipe { rig: rig.clone(), clip, recipe: Arc::new(recipe.clone()) });
    let (found, log) = by_a_worker(&price);
    let (TaskAnswer::Priced(found), TaskAnswer::Priced(expected)) = (found, in_this_thread(&price)) else { panic!() };
    assert_eq!((found, log.came("Number")), (expected, 1));

    let share = |(at, (rig, clip)): (usize, &(Arc<Rig>, Arc<Clip>))| {
        let (name, rig) = (clip.name().to_owned(), BudgetRig::of(rig));
        BudgetClip { name, rig, recipe: recipe.clone(), is_fixed: at == 0, file: 0 }
    };
    let shares = clips.iter().enumerate().map(share).collect();
    let limits = BudgetLimits::of_file(16_000);
    let fit = Task::Fit(FitTask { clips: shares, sources: clips.clone(), limits, recipes: ExportRecipes::Kept });
    let (found, log) = by_a_worker(&fit);
    let (TaskAnswer::Fitted(found), TaskAnswer::Fitted(expected)) = (found, in_this_thread(&fit)) else { panic!() };
    assert_eq!(found, expected);
    assert!(log.came("Number") > 3, "{}", log.came("Number"));
}

#[test]
fn files_are_read_and_fixed_by_a_worker() {
    let import = ImportTask { file: SourceFile::Path(sample()), options: ImportOptions::default(), containers: false };
    let (found, log) = by_a_worker(&Task::Import(import.clone()));
    let TaskAnswer::Imported(found) = found else { panic!("{found:?}") };
    assert!(*found == import.run(&Progress::new()).unwrap());
    assert_eq!(log.came("Imported"), 1);
    assert_eq!(log.restarts, 1, "its memory is given back");

    let (rig, clips) = sample_clips();
    let chosen = ChosenFixes::new([Fix::Origin, Fix::Jumps].into(), &[]);
    let id = ClipId { source: 0, clip: 1 };
    let fix = Task::Fix(FixTask { id, file: None, rig, clips: clips.into(), chosen });
    let (found, log) = by_a_worker(&fix);
    let (TaskAnswer::Fixed(found), TaskAnswer::Fixed(expected)) = (found, in_this_thread(&fix)) else { panic!() };
    assert!(found == expected && log.came("Fixed") == 1);
}

/// A GLB file with a texture.
fn painted(path: &Path) {
    let mut doc = small_rig();
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(2, 1, image::Rgba([1, 2, 3, 4])).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let view = doc.view(&png.into_inner());
    doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    doc.json["textures"] = json!([{ "source": 0 }]);
    doc.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    std::fs::write(path, doc.glb()).unwrap();
}

#[test]
fn textures_go_to_a_worker_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("painted.glb");
    painted(&path);
    let import = ImportTask { file: SourceFile::Path(path), options: ImportOptions::default(), containers: false };
    let (TaskAnswer::Imported(read), _) = by_a_worker(&Task::Import(import.clone())) else { panic!() };
    assert_eq!(read.imported.rig.images[0].rgba, [1, 2, 3, 4, 1, 2, 3, 4]);
    assert!(*read == import.run(&Progress::new()).unwrap());

    let rig = Arc::new(read.imported.rig);
    let clips = vec![(Arc::new(read.imported.clips[0].clone()), Arc::new(Recipe::default()))];
    let export = |path: &Path| {
        let (rig, clips, path) = (rig.clone(), clips.clone(), path.to_owned());
        let (target, tiers) = (Default::default(), Default::default());
        Task::Export(ExportTask { rig, clips, format: "glb", target, tiers, path, sources: vec![] })
    };
    let [there, here] = ["there.glb", "here.glb"].map(|name| folder.path().join(name));
    assert_eq!(by_a_worker(&export(&there)).1.came("Exported"), 1);
    in_this_thread(&export(&here));
    let written = std::fs::read(&there).unwrap();
    assert!(written == std::fs::read(&here).unwrap() && written.windows(9).any(|bytes| bytes == b"image/png"));
}

#[test]
fn a_worker_makes_the_bytes_of_an_export_and_the_window_writes_them() {
    let (rig, clips) = sample_clips();
    let folder = tempfile::tempdir().unwrap();
    let recipe = Arc::new(Recipe::chosen("press").unwrap());
    let export = |format, on, path: &Path| {
        Task::Export(ExportTask {
            rig: rig.clone(),
            clips: clips.iter().take(2).map(|clip| (clip.clone(), recipe.clone())).collect(),
            format,
            target: Default::default(),
            tiers: TierSettings { on, ..Default::default() },
            path: path.to_owned(),
            sources: vec![],
        })
    };
    for (format, on, files) in [(CONTAINER, true, 3), (CONTAINER, false, 1), ("glb", false, 1)] {
        let [there, here] = ["there", "here"].map(|name| folder.path().join(format!("{name} {format} {on}")));
        std::fs::create_dir_all(&there).unwrap();
        std::fs::create_dir_all(&here).unwrap();
        let (found, log) = by_a_worker(&export(format, on, &there.join("a.out")));
        let expected = in_this_thread(&export(format, on, &here.join("a.out")));
        let (TaskAnswer::Exported(found), TaskAnswer::Exported(expected)) = (found, expected) else { panic!() };
        assert_eq!(found, expected, "{format}");
        assert_eq!(log.came("Exported"), 1, "{format}");
        let names: Vec<_> = std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), files);
        for name in names {
            assert!(std::fs::read(there.join(&name)).unwrap() == std::fs::read(here.join(&name)).unwrap(), "{name:?}");
        }
    }
}

/// The words of the next answer, which is an error.
fn failure(scheduler: &Scheduler<u32>) -> String {
    let take = || {
        scheduler.take_turns(Duration::from_millis(1));
        scheduler.poll()
    };
    until("the answer", take, Option::is_some).unwrap().result.unwrap_err().to_string()
}

#[test]
fn what_a_worker_cannot_do_is_done_here_with_its_reason() {
    let missing = Path::new("no such file.glb").to_owned();
    let import = ImportTask { file: SourceFile::Path(missing), options: ImportOptions::default(), containers: false };
    let mad: Crew = Box::new(|| Box::new(Mad));
    for crew in [InThread::crew(&Shared::default()), Some(mad)] {
        let scheduler = Scheduler::in_turns(|| {}, crew);
        scheduler.submit(Request { key: 1, task: Task::Import(import.clone()), live: true });
        assert_eq!(failure(&scheduler), import.run(&Progress::new()).unwrap_err().to_string());
    }
}

#[test]
fn an_order_that_a_worker_cannot_read_is_done_here() {
    let (rig, clips) = sample_clips();
    let clips = vec![(clips[0].clone(), Arc::new(Recipe::default()))];
    let (format, path, target) = ("of another version", "a.out".into(), Default::default());
    let export = ExportTask { rig, clips, format, target, tiers: Default::default(), path, sources: vec![] };
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&Shared::default()));
    scheduler.submit(Request { key: 1, task: Task::Export(export), live: true });
    assert!(failure(&scheduler).contains("of another version"));
}

#[test]
fn lanes_have_workers_of_their_own_which_tell_their_progress() {
    let (rig, clips) = sample_clips();
    let log = Shared::default();
    let scheduler = Scheduler::in_turns(|| {}, InThread::crew(&log));
    let slow = compression(&rig, &clips[0], Recipe::chosen("automatic").unwrap());
    scheduler.submit(Request { key: 1, task: Task::Compress(slow.clone()), live: true });
    let import = ImportTask { file: SourceFile::Path(sample()), options: ImportOptions::default(), containers: false };
    scheduler.submit(Request { key: 2, task: Task::Import(import), live: true });
    scheduler.take_turns(Duration::from_millis(1));
    assert_eq!(log.lock().unwrap().orders.len(), 2, "both have begun");
    let take = || {
        scheduler.take_turns(Duration::from_millis(1));
        let (_, rows) = scheduler.candidates().unwrap_or_default();
        scheduler.activity(Lane::Compress).is_some_and(|activity| activity.fraction > 0.0) && !rows.is_empty()
    };
    until("the search tells its candidates", take, |told| *told);
    let found = answers(&scheduler);
    let last = found.iter().rfind(|(key, ..)| *key == 1).unwrap();
    let TaskAnswer::Compressed(sides) = &last.2 else { panic!("{last:?}") };
    assert_same(sides, &here(&slow)[1], "automatic");
}
