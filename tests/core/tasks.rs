//! Tasks and their scheduler: results of tasks that end, fail, panic, are stopped, replaced or withdrawn.

use crate::codec_fixtures::{chain, clip_of};
use crate::project::{project, sample};
use crate::until::until;
use crate::written;
use glam::{Quat, Vec3};
use posepress_core::codecs::Progress;
use posepress_core::import::{ImportOptions, LengthUnit};
use posepress_core::math::Transform;
use posepress_core::metrics::Complaint;
use posepress_core::model::{Channel, Clip, ClipData, Rig, SourceDigest};
use posepress_core::pipeline::{CONTAINER, MeasuredClip, TierSettings, compress};
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::report::Sides;
use posepress_core::tasks::{
    CompressTask, ExplainTask, Explanation, ExportTask, FitOf, ImportTask, KeptResults, Lane, MeasureTask, Question,
    RawSides, Request, Scheduler, SourceFile, Task, TaskAnswer, TaskEvent, TaskFault, TaskSubject, WrittenFile,
};
use posepress_core::workspace::{ExportScope, Workspace, WorkspaceEvent};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A swinging chain. With many samples linear keys need some time.
fn swinging(joints: usize, samples: usize) -> (Arc<Rig>, Arc<Clip>) {
    let skeleton = chain(joints);
    let data = clip_of(&skeleton, samples, |sample, joint| {
        let swing = Quat::from_rotation_z((sample as f32 * 0.13 + joint as f32).sin() * 0.4);
        Transform { rotation: swing, ..skeleton.bind(joint) }
    });
    (Arc::new(Rig::from_skeleton("chain", skeleton)), Arc::new(Clip::new(data).unwrap()))
}

fn compression((rig, clip): &(Arc<Rig>, Arc<Clip>), codec: &str, skin: bool) -> CompressTask {
    let recipe = Arc::new(Recipe::chosen(codec).unwrap());
    CompressTask { file: "chain.glb".into(), rig: rig.clone(), clip: clip.clone(), recipe, external: None, skin }
}

/// Work that takes seconds unless it is stopped.
fn long() -> CompressTask {
    compression(&swinging(60, 6000), "linear-keys", false)
}

fn request(key: u32, task: Task, live: bool) -> Request<u32> {
    Request { key, task, live }
}

fn wait_for(what: &str, is_there: impl FnMut() -> bool) {
    until(what, is_there, |is_there| *is_there);
}

/// All events until all work is done.
fn events(scheduler: &Scheduler<u32>) -> Vec<TaskEvent<u32>> {
    wait_for("the tasks come to rest", || scheduler.is_idle());
    std::iter::from_fn(|| scheduler.poll()).collect()
}

fn wait_until_running(scheduler: &Scheduler<u32>, lane: Lane, key: u32) {
    wait_for("it begins", || scheduler.activity(lane).is_some_and(|a| a.key == key));
}

fn shown(task: &CompressTask) -> Sides {
    task.run(&mut RawSides::default(), &Progress::new()).unwrap()
}

#[test]
fn a_file_is_read_the_same_from_the_disk_and_from_the_program_and_known_by_its_bytes() {
    let bytes: &'static [u8] = std::fs::read(sample()).unwrap().leak();
    let read = |file: SourceFile| {
        let task = ImportTask { file, options: ImportOptions::default(), containers: false };
        task.run(&Progress::new())
    };
    let from_disk = read(SourceFile::Path(sample())).unwrap();
    let bundled = read(SourceFile::Bundled { name: "sample.glb", bytes }).unwrap();
    assert_eq!(from_disk.imported, bundled.imported);
    assert_eq!((&from_disk.digest, &bundled.digest), (&SourceDigest::of(bytes), &SourceDigest::of(bytes)));
    assert_ne!(from_disk.digest, SourceDigest::of(b"another"));
    assert_eq!((from_disk.path, bundled.path), (Some(sample()), None));
    let missing = PathBuf::from("no/such.glb");
    let error = read(SourceFile::Path(missing.clone())).unwrap_err();
    assert!(matches!(*error.fault, TaskFault::Import(_)) && error.place == TaskSubject::file(&missing), "{error:?}");
    assert!(error.to_string().starts_with("no/such.glb: cannot be read"), "{error}");
    let other = read(SourceFile::Path(project("Cargo.toml"))).unwrap_err().to_string();
    assert!(other.contains("files of kind '.toml' are not supported"), "{other}");
}

#[test]
fn a_task_gives_in_the_thread_that_asks_what_the_functions_give() {
    let task = compression(&swinging(6, 40), "linear-keys", true);
    let first = Task::Compress(task.clone());
    let Ok(answer) = first.run(&mut RawSides::default(), &KeptResults::default(), &Progress::new()) else {
        panic!("it compresses")
    };
    let next = first.next(&answer).expect("the skin is wanted");
    let Ok(TaskAnswer::Compressed(whole)) =
        next.run(&mut RawSides::default(), &KeptResults::default(), &Progress::new())
    else {
        panic!("it measures")
    };
    assert!(next.next(&answer).is_none());
    let source = MeasuredClip::new(task.rig.clone(), task.clip.clone(), &task.recipe);
    let direct = compress(&source, &task.recipe, &Progress::new()).unwrap();
    assert_eq!(whole.outcome.encoding().unwrap().encoded, direct.encoding().unwrap().encoded);
    assert_eq!(whole.outcome.report, direct.report);
    let without_skin = CompressTask { skin: false, ..task };
    assert!(Task::Compress(without_skin).next(&answer).is_none());
}

#[test]
fn a_container_with_tiers_says_how_far_its_clips_are_off() {
    let (rig, clip) = swinging(6, 40);
    let compress = compression(&(rig.clone(), clip.clone()), "press", false);
    let folder = tempfile::tempdir().unwrap();
    let task = |on: bool| ExportTask {
        rig: rig.clone(),
        clips: vec![(clip.clone(), compress.recipe.clone())],
        format: CONTAINER,
        target: Default::default(),
        tiers: TierSettings { on, ..Default::default() },
        path: folder.path().join("a.posepress"),
        sources: vec![],
    };
    let [plain, tiered] = [false, true].map(|on| task(on).run(&Progress::new()).unwrap().clips);
    let [whole] = tiered.as_slice() else { panic!("{tiered:?}") };
    assert!(whole.report.samples.stats.max_m > 0.0 && whole.is_within(), "{}", whole.summary());
    assert_eq!(whole.summary(), plain[0].summary(), "with all its tiers it is the clip that has none");
}

#[test]
fn a_stopped_task_says_so_whatever_it_did() {
    let progress = Progress::new();
    progress.cancel();
    let (rig, clip) = swinging(6, 40);
    let compress = compression(&(rig.clone(), clip.clone()), "linear-keys", false);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.posepress");
    let recipe = compress.recipe.clone();
    let measure = Task::Measure(MeasureTask { of: shown(&compress) });
    let import = ImportTask { file: SourceFile::Path(sample()), options: ImportOptions::default(), containers: false };
    let export = ExportTask {
        rig,
        clips: vec![(clip, recipe)],
        format: CONTAINER,
        target: Default::default(),
        tiers: Default::default(),
        path: path.clone(),
        sources: vec![],
    };
    for task in [Task::Compress(compress), measure, Task::Import(import), Task::Export(export)] {
        let error = task.run(&mut RawSides::default(), &KeptResults::default(), &progress).unwrap_err();
        assert!(error.is_stopped() && error.to_string() == "stopped before it finished", "{task:?}: {error}");
    }
    assert!(!path.exists());
}

#[test]
fn a_panic_is_an_answer_and_the_lane_goes_on() {
    let (short, longer) = (compression(&swinging(6, 20), "raw", false), compression(&swinging(6, 40), "raw", false));
    let torn = Sides { source: shown(&short).source, ..shown(&longer) };
    let question = Question::Blame(Complaint::Moment { joint: 5, step: 30 });
    let ask = |of| Task::Explain(Box::new(ExplainTask { of, question: question.clone() }));
    let scheduler = Scheduler::new(|| {});
    scheduler.submit(request(1, ask(torn), true));
    scheduler.submit(request(2, ask(shown(&longer)), true));
    let events = events(&scheduler);
    let error = events[0].result.as_ref().unwrap_err();
    assert!(matches!(*error.fault, TaskFault::Panicked(_)) && error.place == TaskSubject::clip("clip"), "{error:?}");
    assert!(matches!(&events[1].result, Ok(TaskAnswer::Explained(Explanation::Blame(Some(_))))), "{:?}", events[1].key);
}

#[test]
fn what_is_live_overtakes_and_what_was_overtaken_is_done_after_it() {
    let scheduler = Scheduler::new(|| {});
    let (slow, quick) = (long(), compression(&swinging(6, 40), "linear-keys", true));
    let slow = request(1, Task::Compress(slow), false);
    scheduler.set_wanted(Lane::Compress, vec![slow.clone()]);
    wait_until_running(&scheduler, Lane::Compress, 1);
    scheduler.set_wanted(Lane::Compress, vec![request(2, Task::Compress(quick), true), slow]);
    let order: Vec<_> = events(&scheduler).iter().map(|e| (e.key, e.done, e.result.is_ok())).collect();
    assert_eq!(order, [(2, false, true), (2, true, true), (1, true, true)]);
}

/// Gives the scheduler one step at a time, until nothing is left. Returns the events after each step.
fn turns(scheduler: &Scheduler<u32>) -> Vec<Vec<(u32, bool, bool)>> {
    let mut steps = Vec::new();
    while !scheduler.is_idle() {
        scheduler.take_turns(Duration::from_nanos(1));
        let events = std::iter::from_fn(|| scheduler.poll());
        steps.push(events.map(|event| (event.key, event.done, event.result.is_ok())).collect());
    }
    steps
}

#[test]
fn without_threads_a_task_runs_only_in_the_callers_time_and_first_numbers_come_before_the_skin() {
    let woken = Arc::new(AtomicUsize::new(0));
    let wake = woken.clone();
    let scheduler = Scheduler::in_turns(move || _ = wake.fetch_add(1, Ordering::Relaxed), None);
    let clip = swinging(6, 40);
    let [first, second] = ["linear-keys", "raw"].map(|codec| Task::Compress(compression(&clip, codec, true)));
    scheduler.set_wanted(Lane::Compress, vec![request(1, first.clone(), true), request(2, second, false)]);
    assert!(woken.load(Ordering::Relaxed) > 0 && scheduler.poll().is_none(), "the caller is woken, and nothing ran");
    let steps = turns(&scheduler);
    assert_eq!(steps, [vec![(1, false, true)], vec![(1, true, true)], vec![(2, false, true)], vec![(2, true, true)]]);
    scheduler.set_wanted(Lane::Compress, vec![request(3, first.clone(), true)]);
    scheduler.take_turns(Duration::from_nanos(1));
    scheduler.set_wanted(Lane::Compress, vec![request(4, first, true)]);
    assert_eq!(turns(&scheduler).concat(), [(3, false, true), (4, false, true), (4, true, true)], "3 was taken back");
}

#[test]
fn a_scheduler_with_threads_takes_no_turns() {
    let scheduler = Scheduler::<u32>::new(|| {});
    scheduler.take_turns(Duration::from_secs(1));
    assert!(scheduler.is_idle());
}

#[test]
fn a_wish_that_was_taken_back_is_not_heard_of_unless_it_is_wished_for_again() {
    let scheduler = Scheduler::new(|| {});
    let task = request(1, Task::Compress(long()), true);
    scheduler.set_wanted(Lane::Compress, vec![task.clone()]);
    wait_until_running(&scheduler, Lane::Compress, 1);
    scheduler.set_wanted(Lane::Compress, vec![]);
    scheduler.set_wanted(Lane::Compress, vec![task.clone()]);
    let answers = events(&scheduler);
    assert!(answers.len() == 1 && answers[0].done && answers[0].result.is_ok(), "started again");
    scheduler.set_wanted(Lane::Compress, vec![task]);
    wait_until_running(&scheduler, Lane::Compress, 1);
    scheduler.set_wanted(Lane::Compress, vec![]);
    assert!(events(&scheduler).is_empty());
}

#[test]
fn files_are_read_while_a_clip_is_compressed() {
    let scheduler = Scheduler::new(|| {});
    scheduler.submit(request(1, Task::Compress(long()), false));
    wait_until_running(&scheduler, Lane::Compress, 1);
    let import = ImportTask { file: SourceFile::Path(sample()), options: ImportOptions::default(), containers: false };
    scheduler.submit(request(2, Task::Import(import), true));
    wait_for("it is read", || scheduler.poll().is_some_and(|event| event.key == 2 && event.result.is_ok()));
    scheduler.stop(Lane::Compress);
    let rest = events(&scheduler);
    assert!(rest.len() == 1 && rest[0].result.as_ref().is_err_and(|e| e.is_stopped()), "stopping is answered");
}

#[test]
fn an_export_is_stopped_without_a_trace_and_the_next_one_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (slow, quick) = (long(), compression(&swinging(6, 40), "linear-keys", false));
    let to = |name: &str, of: &CompressTask| ExportTask {
        rig: of.rig.clone(),
        clips: vec![(of.clip.clone(), of.recipe.clone())],
        format: CONTAINER,
        target: Default::default(),
        tiers: Default::default(),
        path: folder.path().join(name),
        sources: vec![],
    };
    let scheduler = Scheduler::new(|| {});
    scheduler.submit(request(1, Task::Export(to("stopped", &slow)), true));
    scheduler.submit(request(2, Task::Export(to("written", &quick)), true));
    wait_until_running(&scheduler, Lane::Export, 1);
    scheduler.stop(Lane::Export);
    let events = events(&scheduler);
    assert!(events[0].result.as_ref().is_err_and(|e| e.is_stopped()));
    let wanted = written::export(&quick.rig, &[quick.clip], &quick.recipe, CONTAINER, &Default::default()).unwrap();
    assert!(matches!(events[1].result, Ok(TaskAnswer::Exported(WrittenFile { bytes, .. })) if bytes == wanted.len()));
    assert_eq!(std::fs::read(folder.path().join("written")).unwrap(), wanted);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no part of the other is left");
}

#[test]
fn an_export_leaves_out_a_clip_that_cannot_be_compressed_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (rig, swing) = swinging(4, 20);
    let named = |name: &str, root_x: f32| {
        let data = clip_of(&rig.skeleton, 20, |_, joint| Transform {
            translation: if joint == 0 { Vec3::X * root_x } else { rig.skeleton.bind(joint).translation },
            ..swing.at(0, joint).to_owned()
        });
        Arc::new(Clip::new(ClipData { name: name.into(), ..data }).unwrap())
    };
    let recipe = Arc::new(Recipe::chosen("press").unwrap());
    let clips = |names: [(&str, f32); 2]| names.map(|(name, x)| (named(name, x), recipe.clone())).to_vec();
    for (format, on) in [(CONTAINER, false), (CONTAINER, true), ("glb", false)] {
        let path = folder.path().join(format!("{format}-{on}"));
        let task = |names| ExportTask {
            rig: rig.clone(),
            clips: clips(names),
            format,
            target: Default::default(),
            tiers: TierSettings { on, ..Default::default() },
            path: path.clone(),
            sources: vec![],
        };
        let error = task([("far", 1e32), ("farther", 1e33)]).run(&Progress::new()).unwrap_err();
        assert!(matches!(&*error.fault, TaskFault::Export(_)) && error.to_string().contains("'far'"), "{error}");
        assert!(!path.exists());
        let file = task([("near", 1.0), ("far", 1e32)]).run(&Progress::new()).unwrap();
        assert_eq!(file.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["near"]);
        assert!(file.missing.len() == 1 && file.missing[0].starts_with("clip 'far': "), "{:?}", file.missing);
        assert!(path.exists());
    }
}

#[test]
fn an_export_onto_an_open_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("source.glb");
    std::fs::copy(sample(), &path).unwrap();
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(path.clone()), ImportOptions::default());
    settle(&mut workspace);
    workspace.export(
        workspace.selected().unwrap(),
        ExportScope::Clip,
        CONTAINER,
        folder.path().join(".").join("source.glb"),
    );
    let events = settle(&mut workspace);
    assert!(
        matches!(&events[..], [WorkspaceEvent::Failed(e)] if e.to_string().contains("would be lost")),
        "{events:?}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(sample()).unwrap());
}

/// Polls until all work is done. Returns the events.
fn settle(workspace: &mut Workspace) -> Vec<WorkspaceEvent> {
    let mut events = Vec::new();
    wait_for("the tasks come to rest", || {
        events.extend(workspace.poll());
        workspace.is_settled()
    });
    events
}

#[test]
fn a_workspace_opens_explains_and_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path("no/such.glb".into()), ImportOptions::default());
    workspace.open(SourceFile::Path(sample()), ImportOptions::default());
    assert_eq!(workspace.reading().count(), 2);
    let events = settle(&mut workspace);
    assert!(matches!(&events[0], WorkspaceEvent::Failed(e) if matches!(*e.fault, TaskFault::Import(_))));
    let WorkspaceEvent::Opened { source } = events[1] else { panic!("{:?}", events[1]) };
    assert!(workspace.library().source(source).is_some() && workspace.reading().next().is_none());

    let plan = &workspace.shown().unwrap().outcome.report.slide.plan;
    assert!(!plan.contacts.is_empty());
    workspace.explain(Some(Complaint::Contact(0)));
    assert!(workspace.blame().is_none() && !workspace.is_settled());
    assert!(settle(&mut workspace).is_empty());
    assert_eq!(workspace.blame().unwrap().complaint, Complaint::Contact(0));
    workspace.explain(None);
    assert!(workspace.blame().is_none() && workspace.is_settled());

    let path = folder.path().join("out.posepress");
    workspace.export(workspace.selected().unwrap(), ExportScope::Clip, CONTAINER, path.clone());
    assert_eq!(workspace.writing(), std::slice::from_ref(&path));
    let events = settle(&mut workspace);
    let length = std::fs::metadata(&path).unwrap().len() as usize;
    assert!(matches!(&events[..], [WorkspaceEvent::Written { file, .. }] if file.bytes == length));
    assert!(workspace.writing().is_empty());

    workspace.read_as("Read as millimetres", &[source], |options| ImportOptions {
        unit: Some(LengthUnit::Millimetre),
        ..options
    });
    assert!(workspace.reading().next().is_some());
    workspace.stop_reading();
    assert!(settle(&mut workspace).is_empty());
    assert_eq!(workspace.library().source(source).unwrap().options, ImportOptions::default(), "what is open stays");
}

#[test]
fn a_fit_is_replayed_in_the_background_and_the_last_one_stays_until_the_next_is_there() {
    let (rig, clip) = swinging(6, 60);
    let document = Document {
        recipes: vec![Recipe { tolerance_m: 0.001, ..Recipe::chosen("catmull-rom").unwrap() }],
        ..Document::default()
    };
    let mut workspace = Workspace::new(document, || {});
    let imported = posepress_core::import::Imported {
        rig: Rig::clone(&rig),
        clips: vec![Clip::clone(&clip)],
        clip_bytes: vec![0],
        findings: Vec::new(),
        beside: Vec::new(),
    };
    let digest = SourceDigest::of(b"chain");
    let options = ImportOptions::default();
    workspace.add_source(posepress_core::tasks::ImportedSource { path: None, options, digest, imported });
    settle(&mut workspace);
    let shown = workspace.shown().unwrap().clone();
    let kept = shown
        .outcome
        .encoding()
        .unwrap()
        .encoded
        .kept
        .iter()
        .find(|k| k.channel == Channel::Rotation && k.inserted.len() > 4);
    let kept = kept.expect("a fit with keys");
    let direct = |keys| shown.outcome.replay(&shown.source, kept, keys).unwrap().unwrap();
    let fit = |keys| FitOf { joint: usize::from(kept.joint), channel: kept.channel, keys };
    workspace.replay(Some(fit(3)));
    settle(&mut workspace);
    assert_eq!(workspace.fit(), Some(&direct(3)));
    workspace.replay(Some(fit(4)));
    assert_eq!(workspace.fit(), Some(&direct(3)), "late, but of the same fit");
    settle(&mut workspace);
    assert_eq!(workspace.fit(), Some(&direct(4)));
    workspace.replay(Some(FitOf { joint: usize::from(kept.joint) + 1, ..fit(4) }));
    assert_eq!(workspace.fit(), None, "that of another joint would mislead");
    settle(&mut workspace);
}
