//! The list of clips: filter, order, groups, and longer names for clips with equal names.

use crate::session::{imported, settle};
use posepress_core::import::ImportOptions;
use posepress_core::metrics::Verdict;
use posepress_core::model::SourceDigest;
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::report::ReportColumn;
use posepress_core::tasks::ImportedSource;
use posepress_core::workspace::{ClipListing, ClipRow, ClipSort, NAMES, Workspace};

/// Files of chains that swing. The clips of each are called `clip0`, `clip1` and so on.
fn workspace(files: &[(&str, usize)]) -> Workspace {
    let mut recipe = Recipe { tolerance_m: 1e-6, ..Recipe::chosen("quantize").unwrap() };
    recipe.values.set_text(recipe.codec.params(), "in_place", "false").unwrap(); // errors grow along a chain
    let mut workspace = Workspace::new(Document { recipes: vec![recipe], ..Document::default() }, || {});
    for (path, clips) in files {
        let imported = imported(2 + clips, 30, *clips);
        let (digest, path) = (SourceDigest::of(path.as_bytes()), Some(path.into()));
        workspace.add_source(ImportedSource { path, options: ImportOptions::default(), digest, imported });
    }
    workspace
}

/// Every line as text, headings in brackets.
fn lines(workspace: &Workspace, listing: &ClipListing) -> Vec<String> {
    let line = |row: ClipRow| match row {
        ClipRow::Rig { name, .. } => name,
        ClipRow::File { name, clips, folded, .. } => format!("[{name} {clips}{}]", if folded { " folded" } else { "" }),
        ClipRow::Clip { name, .. } => name,
    };
    workspace.clip_rows(0, listing).into_iter().map(line).collect()
}

#[test]
fn equal_names_are_told_apart_by_file_then_by_folder() {
    let plain = ClipListing::default();
    assert_eq!(lines(&workspace(&[("a/walk.glb", 2)]), &plain), ["clip0", "clip1"]);
    let two = workspace(&[("a/walk.glb", 2), ("a/run.glb", 1)]);
    assert_eq!(lines(&two, &plain), ["clip0 \u{b7} walk", "clip1", "clip0 \u{b7} run"]);
    let same = workspace(&[("a/walk.glb", 1), ("b/walk.glb", 1)]);
    assert_eq!(lines(&same, &plain), ["clip0 \u{b7} walk \u{b7} a", "clip0 \u{b7} walk \u{b7} b"]);
    let alike = workspace(&[("a/clip0.bvh", 1), ("b/clip0.bvh", 1)]);
    assert_eq!(lines(&alike, &plain), ["clip0 \u{b7} a", "clip0 \u{b7} b"], "takes that bear their file's name");
}

#[test]
fn files_of_several_clips_stand_below_their_name_and_fold() {
    let workspace = workspace(&[("a/walk.glb", 2), ("a/run.glb", 1), ("a/idle.glb", 2)]);
    let mut listing = ClipListing { by_file: true, ..ClipListing::default() };
    let wanted = ["[walk.glb 2]", "clip0", "clip1", "clip0 \u{b7} run", "[idle.glb 2]", "clip0", "clip1"];
    assert_eq!(lines(&workspace, &listing), wanted);
    let first = workspace.library().sources()[0].id;
    listing.folded.insert(first);
    assert_eq!(lines(&workspace, &listing)[..2], ["[walk.glb 2 folded]", "clip0 \u{b7} run"]);
    listing.name_part = "CLIP1".into();
    assert_eq!(lines(&workspace, &listing), ["[walk.glb 1 folded]", "[idle.glb 1]", "clip1"]);
}

#[test]
fn every_listed_column_sorts_both_ways_and_what_has_no_figure_comes_last() {
    let mut workspace = workspace(&[("a/walk.glb", 4), ("b/run.glb", 3)]);
    settle(&mut workspace);
    for (_, column) in ReportColumn::for_lists() {
        let key = column.key.expect("files know it by its key");
        for descending in [true, false] {
            let sort = Some(ClipSort { column: key.into(), descending });
            let rows = workspace.clip_rows(0, &ClipListing { sort, ..ClipListing::default() });
            let report = |row: &ClipRow| workspace.answer(row.clip().unwrap(), 0).unwrap().report.clone().unwrap();
            let figures: Vec<_> = rows.iter().map(|row| (column.figure)(&report(row))).collect();
            let known: Vec<_> = figures.iter().filter(|f| f.is_known()).collect();
            assert!(figures.iter().take(known.len()).all(|f| f.is_known()), "{key}: {figures:?}");
            let in_order = |pair: &[&_]| {
                let (a, b): (&posepress_core::report::Figure, _) = (pair[0], pair[1]);
                if descending { a.compare(b).is_ge() } else { a.compare(b).is_le() }
            };
            assert!(rows.len() == 7 && known.windows(2).all(in_order), "{key} {descending}: {figures:?}");
        }
    }
    let sort = Some(ClipSort { column: NAMES.into(), descending: true });
    let names = lines(&workspace, &ClipListing { sort, ..ClipListing::default() });
    assert!(names[0] == "clip3" && names[6].starts_with("clip0"), "{names:?}");
}

#[test]
fn clicks_on_a_head_go_from_worst_first_to_the_other_way_to_the_files_order() {
    let next = |current: Option<&ClipSort>, column: &str| ClipSort::next(current, column);
    let worst = next(None, "bytes").unwrap();
    assert!(worst.descending && worst.column == "bytes");
    let least = next(Some(&worst), "bytes").unwrap();
    assert!(!least.descending && next(Some(&least), "bytes").is_none());
    assert!(next(Some(&least), "ratio").unwrap().descending, "another column starts with its own order");
    assert!(!next(None, NAMES).unwrap().descending, "names begin with A");
}

#[test]
fn failing_clips_are_found_one_after_the_other_and_round_the_end() {
    let mut workspace = workspace(&[("a/walk.glb", 4)]);
    let none = workspace.clip_rows(0, &ClipListing::default());
    assert_eq!(workspace.failing_clip(&none, 0, true), None, "nothing is known yet");
    settle(&mut workspace);
    let ids: Vec<_> = workspace.library().clip_ids().collect();
    assert!(ids.iter().all(|id| workspace.verdict(*id, 0) == Some(Verdict::Fail)), "quantize is 10 tolerances off");
    let failing = ClipListing { verdict: Some(Verdict::Fail), ..ClipListing::default() };
    let rows = workspace.clip_rows(0, &failing);
    assert_eq!(rows.len(), 4);
    assert!(workspace.clip_rows(0, &ClipListing { verdict: Some(Verdict::Good), ..failing }).is_empty());
    let mut seen = Vec::new();
    for _ in 0..4 {
        let next = workspace.failing_clip(&rows, 0, true).unwrap();
        workspace.select(Some(next));
        seen.push(next);
    }
    assert_eq!(seen, [ids[1], ids[2], ids[3], ids[0]]);
    assert_eq!(workspace.failing_clip(&rows, 0, false), Some(ids[3]));
}
