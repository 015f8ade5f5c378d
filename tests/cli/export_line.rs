//! The command line that the window shows at an export writes the same files, byte for byte.

use crate::support::{Bench, settle};
use posepress_core::import::{Fix, ImportOptions, LengthUnit};
use posepress_core::model::{Additive, ClipId};
use posepress_core::pipeline::CONTAINER;
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::tasks::SourceFile;
use posepress_core::workspace::{ExportScope, Workspace};
use std::collections::BTreeMap;
use std::path::Path;

fn opened(path: &Path, import: ImportOptions) -> (Workspace, Vec<ClipId>) {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(path.to_path_buf()), import);
    settle(&mut workspace);
    let clips = workspace.library().clip_ids().collect();
    (workspace, clips)
}

/// Every file of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

fn fast(document: &mut Document) {
    document.recipes[0] = Recipe { tolerance_m: 0.0007, shell_from_mesh: true, ..Recipe::chosen("press").unwrap() };
}

type Said = fn(&mut Document, &mut Vec<(ClipId, Fix)>, &[ClipId]);

#[test]
fn the_line_writes_what_the_window_writes() {
    let centimetres = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    let cases: [(&str, ImportOptions, ExportScope, &str, Said); 7] = [
        ("as it is", ImportOptions::default(), ExportScope::All, CONTAINER, |_, _, _| {}),
        ("another unit", centimetres, ExportScope::All, CONTAINER, |_, _, _| {}),
        ("one clip", ImportOptions::default(), ExportScope::Clip, CONTAINER, |_, _, _| {}),
        ("tiers", ImportOptions::default(), ExportScope::All, CONTAINER, |document, _, _| document.tiers.on = true),
        ("one tier of one clip", ImportOptions::default(), ExportScope::Clip, CONTAINER, |document, _, _| {
            (document.tiers.on, document.tiers.low_m, document.tiers.medium_m) = (true, 0.001, 0.0);
        }),
        ("fixes of all clips", ImportOptions::default(), ExportScope::All, CONTAINER, |_, fixes, clips| {
            fixes.extend(clips.iter().flat_map(|clip| Fix::ALL.map(|fix| (*clip, fix))));
        }),
        ("keys of a glTF", ImportOptions::default(), ExportScope::All, "glb", |_, _, _| {}),
    ];
    for (what, import, scope, format, say) in cases {
        let bench = Bench::with_sources();
        let (mut workspace, clips) = opened(&bench.path("biped.gltf"), import);
        let mut fixes = Vec::new();
        workspace.edit("Said", |document| {
            fast(document);
            say(document, &mut fixes, &clips);
        });
        fixes.into_iter().for_each(|(clip, fix)| workspace.fix(clip, fix, true));
        settle(&mut workspace);
        check(&bench, &mut workspace, clips[0], (scope, format), what);
    }
}

#[test]
fn a_clip_that_is_marked_as_additive_is_so_in_the_line() {
    for mark in [Additive::TO_BIND, Additive::NOT] {
        let bench = Bench::with_sources();
        let (mut workspace, clips) = opened(&bench.path("biped.gltf"), ImportOptions::default());
        workspace.edit("Fast", fast);
        workspace.mark_additive(clips[1], "Additive", Some(mark));
        settle(&mut workspace);
        check(&bench, &mut workspace, clips[0], (ExportScope::All, CONTAINER), "additive");
    }
}

fn check(
    bench: &Bench,
    workspace: &mut Workspace,
    clip: ClipId,
    (scope, format): (ExportScope, &'static str),
    what: &str,
) {
    let name = if format == CONTAINER { "out.posepress" } else { "out.glb" };
    for folder in ["window", "line"] {
        std::fs::create_dir(bench.path(folder)).unwrap();
    }
    workspace.export(clip, scope, format, bench.path("window").join(name));
    settle(workspace);
    let line = workspace.export_line(clip, scope, format, &bench.path("line").join(name)).unwrap();
    assert!(line.is_whole, "{what}: {}", line.text());
    let mut command = bench.command("");
    let output = command.args(&line.words[1..]).output().unwrap();
    // A file is written even if its error is over the limit.
    let status = output.status.code();
    assert!([Some(0), Some(3)].contains(&status), "{what}: {}: {output:?}", line.text());
    let (window, line_files) = (files(&bench.path("window")), files(&bench.path("line")));
    assert_eq!(window.keys().collect::<Vec<_>>(), line_files.keys().collect::<Vec<_>>(), "{what}: {}", line.text());
    for (name, bytes) in &window {
        assert!(line_files[name] == *bytes, "{what}: {name} differs: {}", line.text());
    }
}

#[test]
fn what_no_option_says_is_said_to_be_left_out() {
    let bench = Bench::with_sources();
    let (mut workspace, clips) = opened(&bench.path("biped.gltf"), ImportOptions::default());
    let is_whole = |workspace: &Workspace| {
        workspace.export_line(clips[0], ExportScope::All, CONTAINER, Path::new("out.posepress")).unwrap().is_whole
    };
    assert!(is_whole(&workspace));
    let found = workspace.library().found_loop(clips[0]).unwrap();
    workspace.mark_loop(clips[0], "Loop", Some(!found));
    assert!(!is_whole(&workspace), "a loop mark");
    workspace.undo();
    workspace.fix(clips[0], Fix::ALL[0], true);
    assert!(!is_whole(&workspace), "one clip is fixed, the other not");
    workspace.undo();
    assert!(is_whole(&workspace));
    assert!(workspace.export_line(clips[0], ExportScope::Approved, CONTAINER, Path::new("x")).is_none());
}
