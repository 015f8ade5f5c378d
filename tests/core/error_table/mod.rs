//! The table of errors: every error variant of readers, decoders, projects and recipes, and the smallest input that reaches
//! it. A variant without an input fails the test.

mod bvh;
mod enums;
mod fbx;
mod files;
mod gltf;
mod importers;
mod models;
mod ozz;
mod riot;
mod sites;
#[cfg(feature = "usd")]
mod usd;

use crate::archive::{clip, outcome, rig};
use crate::project::project;
use enums::error_enums;
use posepress_core::codecs::{Candidate, CandidateError, ChoiceError, ParamError, ParamValue, by_name_and_preset};
use posepress_core::files::{MAX_TEXT_BYTES, read, read_text};
use posepress_core::format::{Container, ContainerFile, DecodeError, RigSection};
use posepress_core::lod::Platform;
use posepress_core::metrics::FootContacts;
use posepress_core::model::{Additive, ClipKey, SourceDigest};
use posepress_core::pipeline::{Archive, ArchiveError, MeasuredClip, measure_archived};
use posepress_core::project::{BlindTest, Decision, DecisionKind, Document, MomentNote, NotesFile, Project, Reviewer};
use posepress_core::recipe::{JointOverride, Recipe, RecipeError};
use posepress_core::view::{SharedView, SharedViewError};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// Error enums of reading, and of the use of what was read.
const ENUMS: [&str; 17] = [
    "ReadError",
    "DecodeError",
    "ArchiveError",
    "ProjectError",
    "DocumentError",
    "RecipeError",
    "ParamError",
    "ChoiceError",
    "CandidateError",
    "SharedViewError",
    "SkeletonError",
    "ClipError",
    "RigMismatch",
    "TierError",
    "StateFileError",
    "NotesFileError",
    "PlatformError",
];

/// Error enums that no file or text can cause, with the reason.
const EXCUSED: &[(&str, &str)] = &[
    ("EncodeError", "of an encoder: tests/core/codecs/codec_contract.rs"),
    ("CompressError", "of an encoder, passed on"),
    ("TierFault", "a TierError or a CompressError, passed on"),
    ("LodFault", "of levels of detail: tests/core/lod.rs"),
    ("BudgetError", "of a size that clips do not fit into: tests/core/budget.rs"),
    ("ExportError", "of writing: tests/core/export/written.rs"),
    ("ExportFailure", "of writing, passed on"),
    ("NoCounterpart", "of an external result beside a clip: tests/core/external.rs"),
    ("TaskFault", "the errors of tasks, passed on: tests/core/tasks.rs"),
    ("ClipFault", "a TaskFault, passed on"),
    ("Failure", "what the command line ends with: tests/cli"),
    ("RenderError", "of the graphics driver: src/app/render"),
    ("GpuRefusal", "of the graphics memory: src/app/render"),
    ("FilmError", "a RenderError or an ExportError, passed on"),
    ("ReplayError", "of recordings: tests/cli/recordings.rs reaches each"),
    ("UnreadProject", "a ReadError or a ProjectError, passed on"),
    ("UnreadRecipe", "a ReadError or a RecipeError, passed on"),
    ("StoreError", "of a store: src/core/store/folder.rs"),
    ("EntryFault", "of a store: src/core/store/entry.rs"),
    ("ConfigError", "of rules: src/core/batch/config.rs"),
    ("GateError", "of gates: src/core/batch/gate.rs"),
    ("ManifestError", "of manifests: src/core/batch/manifest.rs"),
    ("MergeError", "of rigs that differ: tests/cli/batch.rs"),
    ("NoneChosen", "of patterns of clip names: src/core/batch/choose.rs"),
    ("NoClip", "of a view that is pasted: tests/app/window/sharing.rs"),
    ("WindowError", "of displays and graphics drivers: src/app/shell/native.rs"),
];

/// Variants that no input reaches, with their reason.
const UNREACHED: &[(&str, &str)] = &[
    ("ReadError::NoMemory", "needs a process without memory: tests/cli/bad_files.rs starts one"),
    ("DecodeError::NoMemory", "needs an allocation that fails: tests/core/codecs/no_memory.rs lets each of them fail"),
    (
        "ArchiveError::Samples",
        "decoders give finite poses of any bytes, as the fuzz targets check; behind them stands a clip's own check",
    ),
];

/// An error in the table: the name of its enum, and the error.
struct Reached(&'static str, String);

fn case<T, E: Debug>(of: &'static str, refused: Result<T, E>) -> Reached {
    let error = refused.err().unwrap_or_else(|| panic!("{of}: the input was taken"));
    Reached(of, format!("{error:?}"))
}

impl Reached {
    /// `Enum::Variant`.
    fn variant(&self) -> String {
        let name: String = self.1.chars().take_while(|c| c.is_alphanumeric()).collect();
        format!("{}::{name}", self.0)
    }
}

#[test]
fn every_variant_of_an_error_has_an_input_that_reaches_it() {
    let enums = error_enums();
    let all: BTreeSet<String> = ENUMS.iter().flat_map(|name| enums[*name].clone()).collect();
    let of_files = [files(), decoders(), archives(), projects(), documents(), notes(), recipes(), views(), platforms()];
    let of_models = [models::skeletons(), models::clips(), models::rigs(), models::tiers(), models::windows()];
    let cases = of_files.into_iter().chain(of_models).collect::<Vec<_>>();
    let reached: BTreeSet<String> = cases.iter().flatten().map(Reached::variant).collect();
    let argued: BTreeSet<String> = UNREACHED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let missing: Vec<_> = all.difference(&reached).filter(|name| !argued.contains(*name)).collect();
    assert!(missing.is_empty(), "no input reaches {missing:?}: add it to this table");
    let unknown: Vec<_> = reached.union(&argued).filter(|name| !all.contains(*name)).collect();
    assert!(unknown.is_empty(), "there is no {unknown:?}");
    let both: Vec<_> = argued.intersection(&reached).collect();
    assert!(both.is_empty(), "{both:?} is reached after all");
}

#[test]
fn every_error_of_the_sources_stands_in_the_table_or_has_an_excuse() {
    let all: BTreeSet<String> = error_enums().into_keys().collect();
    let known = ENUMS.into_iter().chain(EXCUSED.iter().map(|(name, _)| *name));
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    let forgotten: Vec<_> = all.difference(&known).collect();
    assert!(forgotten.is_empty(), "{forgotten:?} are not in the table");
    let gone: Vec<_> = known.difference(&all).collect();
    assert!(gone.is_empty(), "there is no {gone:?}");
}

fn files() -> Vec<Reached> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let long = file("long", b"");
    std::fs::File::options().write(true).open(&long).unwrap().set_len(MAX_TEXT_BYTES + 1).unwrap();
    vec![
        case("ReadError", read(&folder.path().join("none"))),
        case("ReadError", read(folder.path())),
        case("ReadError", read_text(&long)),
        case("ReadError", read(&file("pointer", b"version https://git-lfs.github.com/spec/v1"))),
        case("ReadError", read_text(&file("latin", b"\xE9"))),
    ]
}

fn golden(name: &str) -> Container {
    Container::read(&std::fs::read(project(&format!("tests/golden/{name}.posepress"))).unwrap()).unwrap()
}

fn decoders() -> Vec<Reached> {
    let bytes = golden("codecs").write();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let refused: [Result<_, DecodeError>; 3] = [
        Container::read(&bytes[..3]),
        Container::read(b"no container at all, and long enough"),
        Container::read(&flipped),
    ];
    refused.into_iter().map(|refused| case("DecodeError", refused)).collect()
}

fn archives() -> Vec<Reached> {
    let cat = rig("cat", 0.3);
    let (mut measured, made) = outcome(&cat, "raw");
    let whole = crate::written::archive(&cat, &[("swing", &made)]);
    let container = Container::read(&whole).unwrap();
    let changed = |change: &dyn Fn(&mut Container)| {
        let mut container = container.clone();
        change(&mut container);
        Archive::open(&container.write(), None).and_then(|archive| archive.decode(&archive.clips()[0]))
    };
    let without_joints = |c: &Container| {
        let rig = RigSection { joints: Vec::new(), ..c.rig.clone().unwrap() };
        Container::new(rig, c.float_names.clone(), c.clips.clone())
    };
    let mut endless = golden("codecs");
    endless.clips.iter_mut().for_each(|clip| clip.bytes[4..8].copy_from_slice(&(1u32 << 20).to_le_bytes()));
    let refused: Vec<Result<_, ArchiveError>> = vec![
        Archive::open(&whole[..3], None).map(drop),
        changed(&|c| c.clips[0].bytes.truncate(5)).map(drop),
        changed(&|c| c.clips[0].codec = *b"NEW9").map(drop),
        changed(&|c| c.clips[0].recipe = "codec = 3".into()).map(drop),
        changed(&|c| c.clips[0].recipe = Recipe::chosen("quantize").unwrap().to_toml().into()).map(drop),
        Archive::open_joined(&whole, &[b"no tier".to_vec()], None).map(drop),
        Archive::open(&endless.write(), None).map(drop),
        changed(&|c| *c = without_joints(c)).map(drop),
        changed(&|c| c.rig = None).map(drop),
        Archive::open(&whole, Some(&rig("cat", 0.31))).map(drop),
        changed(&|c| c.float_names.clear()).map(drop),
    ];
    let archive = Archive::open(&whole, None).unwrap();
    let made_of = measured.clip.clone();
    let measure = |measured: &MeasuredClip| measure_archived(measured, &archive.clips()[0]).map(drop);
    let additive = clip("swing").said_to_be(Some(Additive::TO_BIND)).on_base(&cat.skeleton, |_| None).unwrap().unwrap();
    measured.clip = Arc::new(additive);
    let of_differences = measure(&measured);
    let shorter = clip("swing").edited(|data| {
        data.transforms.truncate(4 * data.joints);
        data.floats.truncate(4);
        data.holds.clear();
    });
    measured.clip = Arc::new(shorter.unwrap());
    let of_other_samples = measure(&measured);
    let mut torn = archive.clips()[0].clone();
    torn.bytes.truncate(9);
    measured.clip = made_of.clone();
    let of_torn = measure_archived(&measured, &torn).map(drop);
    let sources = [of_differences, of_other_samples, of_torn];
    refused.into_iter().chain(sources).map(|refused| case("ArchiveError", refused)).collect()
}

fn projects() -> Vec<Reached> {
    let project = |text: &str| Project::from_toml(text, "/".as_ref()).map(drop);
    let document = "[document]\nrecipes = []\n";
    let import = "[[sources]]\npath = \"a.glb\"\ndigest = \"0\"\nimport = { rate_hz = -1.0 }\n";
    let slot = "[[document.recipes]]\n";
    [
        project("version = 'one'"),
        project("version = 4000000000"),
        project(&format!("version = 1\n{document}")),
        project(&format!("version = 1\n{import}{slot}")),
    ]
    .into_iter()
    .map(|refused| case("ProjectError", refused))
    .collect()
}

/// Changes a document, writes it and reads it.
fn reread(change: impl FnOnce(&mut Document, ClipKey, Recipe)) -> Reached {
    let mut document = Document::default();
    let key = ClipKey::new(&SourceDigest::of(b"walk.glb"), "walk");
    change(&mut document, key, Recipe { tolerance_m: -1.0, ..Recipe::default() });
    case("DocumentError", Document::from_toml(&document.to_toml()).map(drop))
}

fn documents() -> Vec<Reached> {
    let decision = |recipe| Decision {
        kind: DecisionKind::Approved,
        note: String::new(),
        author: String::new(),
        time: String::new(),
        file: "walk.glb".into(),
        clip: "walk".into(),
        figures: None,
        fixes: Default::default(),
        worst: None,
        earlier: Vec::new(),
        recipe,
    };
    let note =
        MomentNote { at_secs: -1.0, joint: None, text: "here".into(), author: String::new(), time: String::new() };
    let by = Reviewer { author: String::new(), note: String::new(), time: UNIX_EPOCH };
    let blind = |recipe| BlindTest::new(("walk.glb", "walk"), recipe, Vec::new(), &by);
    let contacts = FootContacts { joint: "foot".into(), spans_secs: vec![[2.0, 1.0]] };
    let external = "[external]\npath = \"a.glb\"\nalignment = { offset_secs = 1e9 }\n[external.limits]\n";
    vec![
        case("DocumentError", Document::from_toml("recipes = 3").map(drop)),
        reread(|document, _, wrong| document.recipes[0] = wrong),
        reread(|document, key, wrong| drop(document.decisions.insert(key, decision(wrong)))),
        reread(|document, key, _| drop(document.tolerances.insert("A".into(), BTreeMap::from([(key, -1.0)])))),
        reread(|document, _, wrong| drop(document.named.insert("mine".into(), wrong))),
        reread(|document, _, _| drop(document.named.insert(" mine".into(), Recipe::default()))),
        reread(|document, key, _| {
            document.assigned.entry("A".into()).or_default().clips.insert(key, "none".into());
        }),
        reread(|document, _, _| document.recipes.clear()),
        case("DocumentError", Document::from_toml(&format!("{}\n{external}", Document::default().to_toml())).map(drop)),
        reread(|document, _, _| document.tiers.low_m = -1.0),
        reread(|document, _, _| document.screen.lines = 1),
        reread(|document, _, _| {
            document.show_platform("phone");
            document.platforms.values_mut().for_each(|platform| platform.limit_px = -1.0);
        }),
        reread(|document, _, _| document.platform = Some("none".into())),
        reread(|document, key, wrong| drop(document.blind_tests.insert(key, vec![blind(wrong)]))),
        reread(|document, key, _| drop(document.notes.insert(key, vec![note]))),
        reread(|document, key, _| drop(document.contacts.insert(key, vec![contacts]))),
    ]
}

fn notes() -> Vec<Reached> {
    let at_no_time =
        r#"{"kind":"posepress-notes","schema":1,"notes":[{"file":"a.glb","clip":"a","at_secs":-1,"text":"here"}]}"#;
    let of_signoff = r#"{"kind":"posepress-signoff","schema":1,"notes":[]}"#;
    let texts = [
        "{",
        r#"{"kind":"posepress-notes","schema":9,"notes":[]}"#,
        r#"{"schema":1,"notes":[]}"#,
        of_signoff,
        at_no_time,
    ];
    texts.map(|text| case("NotesFileError", NotesFile::from_json(text).map(drop))).into()
}

fn recipes() -> Vec<Reached> {
    let recipe = |text: &str| case("RecipeError", Recipe::from_toml(text).map(drop));
    let overridden = Recipe { overrides: vec![JointOverride::of("")], ..Recipe::default() };
    let params = posepress_core::codecs::by_name("linear-keys").unwrap().params();
    let mut values = posepress_core::codecs::ParamValues::new();
    let mut set = |key: &str, text: &str| case("ParamError", values.set_text(params, key, text));
    let param = [set("speed", "1"), set("between", "maybe")];
    let candidates: [Result<Candidate, CandidateError>; 4] = [
        Candidate::parse("zip"),
        Candidate::parse("raw speed=1"),
        Candidate::parse("raw speed"),
        Candidate::parse("automatic"),
    ];
    let choices: [Result<_, ChoiceError>; 2] = [by_name_and_preset("zip"), by_name_and_preset("press:none")];
    let mut lines = posepress_core::codecs::ParamValues::new();
    let automatic = posepress_core::codecs::by_name("automatic").unwrap().params();
    let line: Result<(), ParamError> = lines.set(automatic, "candidates", ParamValue::Lines(vec!["zip".into()]));
    let cases = [
        recipe("codec = 3"),
        recipe("codec = 'linear-keys'\n[values]\nbetween = 3"),
        recipe("tolerance_m = -1"),
        case("RecipeError", overridden.validated().map(drop)),
        case("ParamError", line),
    ];
    let chosen = choices.into_iter().map(|refused| case("ChoiceError", refused.map(drop)));
    let tried = candidates.into_iter().map(|refused| case("CandidateError", refused));
    let of_codec = match Recipe::from_toml("codec = 'linear-keys'\n[values]\nbetween = 3") {
        Err(RecipeError::Choice(error)) => case("ChoiceError", Err::<(), _>(error)),
        other => panic!("{other:?}"),
    };
    cases.into_iter().chain(param).chain(chosen).chain(tried).chain([of_codec]).collect()
}

fn platforms() -> Vec<Reached> {
    let texts = [
        "levels = 3",
        "limit_px = -1.0",
        "levels = [{ from = -1.0 }]",
        "levels = []",
        "levels = [{}, { from = 2.0 }, { from = 1.0 }]",
    ];
    texts.into_iter().map(|text| case("PlatformError", Platform::from_toml(text).map(drop))).collect()
}

fn views() -> Vec<Reached> {
    let texts = ["", "posepress-view:2 {}", "posepress-view:1", "posepress-view:1 { wipe = 7.0 }"];
    let refused = |text: &str| text.parse::<SharedView>() as Result<_, SharedViewError>;
    texts.into_iter().map(|text| case("SharedViewError", refused(text))).collect()
}
