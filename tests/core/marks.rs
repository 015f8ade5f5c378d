//! Marks of a clip: contacts drawn by hand, loops, and recipes of the sample.

use crate::session::{document, file, imported, settle, workspace};
use crate::written;
use posepress_core::math::Transform;
use posepress_core::model::{Clip, ClipData, ClipId, SourceDigest};
use posepress_core::pipeline::{Archive, CONTAINER};
use posepress_core::project::Document;
use posepress_core::tasks::ImportedSource;
use posepress_core::workspace::Workspace;

#[test]
fn contacts_drawn_by_hand_are_measured_for_their_clip_only_and_undone() {
    let (mut workspace, ids) = workspace(6, 40, 2);
    settle(&mut workspace);
    let recipe = |workspace: &Workspace, clip| workspace.answer(clip, 0).unwrap().recipe.clone();
    let before = recipe(&workspace, ids[0]);
    let key = workspace.library().clip_key(ids[0]).unwrap();
    assert_ne!(Some(&key), workspace.library().clip_key(ids[1]).as_ref());
    workspace.preview_contacts(ids[0], "Contact", "j2", Some(vec![[0.1, 0.5]]));
    workspace.commit();
    assert!(workspace.drawn_contacts(ids[0]).len() == 1 && workspace.drawn_contacts(ids[1]).is_empty());
    assert!(!workspace.is_fresh(ids[0], 0) && workspace.is_fresh(ids[1], 0), "only its own clip is measured again");
    settle(&mut workspace);
    assert_eq!(recipe(&workspace, ids[0]).contacts.by_hand[0].spans_secs, [[0.1, 0.5]]);
    assert!(recipe(&workspace, ids[1]).contacts.by_hand.is_empty());
    assert!(workspace.active_recipe().contacts.by_hand.is_empty(), "the recipe itself stays clean");
    let kept = workspace.document().to_toml();
    assert_eq!(&Document::from_toml(&kept).unwrap(), workspace.document(), "it survives a restart");
    workspace.undo();
    settle(&mut workspace);
    assert_eq!(recipe(&workspace, ids[0]), before);
    assert!(workspace.document().contacts.is_empty());
}

#[test]
fn own_files_take_the_place_of_the_sample_and_of_its_recipes_once() {
    let own = || ImportedSource { path: Some("walk.glb".into()), ..file(imported(3, 20, 1)) };
    let mut workspace = Workspace::new(Document::of_sample(), || {});
    workspace.add_source(file(imported(3, 20, 1)));
    workspace.edit("Tolerance", |d| d.recipes[1].tolerance_m = 0.002);
    let tuned = workspace.recipe(1).as_ref().clone();
    workspace.add_source(own());
    workspace.leave_sample();
    assert!(workspace.library().sources().iter().all(|s| s.path.is_some()));
    let usual = Document::default().recipes;
    assert_eq!(workspace.document().recipes, [usual[0].clone(), tuned, usual[2].clone()]);
    assert_eq!(workspace.active_recipe().as_ref(), &usual[0], "and they are what is compressed with");
    workspace.undo();
    assert_eq!(workspace.document().recipes, usual, "undo brings none of them back");
    // A user can take over such a recipe for other files.
    workspace.edit("Tolerance", |d| *d = Document::of_sample());
    workspace.add_source(own());
    workspace.leave_sample();
    assert_eq!(workspace.document(), &Document::of_sample());
    settle(&mut workspace);
}

#[test]
fn two_files_of_one_name_keep_their_marks_apart_and_a_moved_file_keeps_its_own() {
    let from = |folder: &str, bytes: &[u8]| ImportedSource {
        path: Some(format!("{folder}/walk.glb").into()),
        digest: SourceDigest::of(bytes),
        ..file(imported(3, 20, 1))
    };
    let mut workspace = Workspace::new(document(), || {});
    let [cat, dog] = [("cat", b"cat"), ("dog", b"dog")].map(|(folder, bytes)| {
        let source = workspace.add_source(from(folder, bytes));
        ClipId { source, clip: 0 }
    });
    workspace.mark_loop(cat, "Marked", Some(true));
    workspace.preview_contacts(dog, "Contact", "joint1", Some(vec![[0.0, 0.2]]));
    workspace.commit();
    let loops = |workspace: &Workspace, id| workspace.library().clip(id).unwrap().1.is_looping();
    assert!(loops(&workspace, cat) && !loops(&workspace, dog));
    assert!(workspace.drawn_contacts(cat).is_empty() && workspace.drawn_contacts(dog).len() == 1);
    let restored = Document::from_toml(&workspace.document().to_toml()).unwrap();
    let mut reopened = Workspace::new(restored, || {});
    let source = reopened.add_source(from("elsewhere", b"dog"));
    assert_eq!(reopened.drawn_contacts(ClipId { source, clip: 0 }), workspace.drawn_contacts(dog));
    settle(&mut workspace);
    settle(&mut reopened);
}

#[test]
fn a_clip_marked_as_looping_is_measured_across_its_seam_and_exported_so_until_it_is_undone() {
    let (mut workspace, ids) = workspace(6, 40, 2);
    workspace.select(Some(ids[1]));
    settle(&mut workspace);
    let loops = |workspace: &Workspace| workspace.library().clip(ids[1]).unwrap().1.is_looping();
    let motion = |workspace: &Workspace| workspace.shown().unwrap().outcome.report.motion;
    assert!(!loops(&workspace) && !motion(&workspace).looping, "its ends do not meet");
    workspace.mark_loop(ids[1], "Marked", Some(true));
    assert_eq!((workspace.loop_mark(ids[0]), workspace.loop_mark(ids[1])), (None, Some(true)));
    assert!(loops(&workspace) && workspace.shown().is_some(), "the last good result stays");
    for (id, fresh) in [(ids[0], true), (ids[1], false)] {
        assert_eq!(workspace.is_fresh(id, 0), fresh, "only its own clip is measured again");
    }
    settle(&mut workspace);
    assert!(motion(&workspace).looping && motion(&workspace).seam_pop_m > 0.0, "{:?}", motion(&workspace));
    let source = workspace.library().source(ids[1].source).unwrap();
    let bytes =
        written::export(&source.rig, &source.clips, workspace.recipe(0), CONTAINER, &Default::default()).unwrap();
    let archive = Archive::open(&bytes, None).unwrap();
    assert_eq!(archive.clips().iter().map(|c| c.header.looping).collect::<Vec<_>>(), [false, true]);
    let restored = Document::from_toml(&workspace.document().to_toml()).unwrap();
    assert_eq!(&restored, workspace.document(), "it survives a restart");
    let mut reopened = Workspace::new(restored, || {});
    reopened.add_source(file(imported(6, 40, 2)));
    assert!(reopened.library().clip(ids[1]).unwrap().1.is_looping(), "and marks the clip when its file is opened");
    workspace.undo();
    settle(&mut workspace);
    assert!(!loops(&workspace) && !motion(&workspace).looping && workspace.document().loops.is_empty());
}

#[test]
fn a_loop_can_be_marked_as_none_and_a_pose_never_loops() {
    let mut imported = imported(3, 20, 2);
    let pose = ClipData {
        name: "pose".into(),
        joints: 3,
        duration_secs: 0.1,
        transforms: vec![Transform::IDENTITY; 6],
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: None,
    };
    imported.clips = vec![imported.clips.swap_remove(0).with_looping(true), Clip::new(pose).unwrap()];
    let mut workspace = Workspace::new(document(), || {});
    workspace.add_source(file(imported));
    let ids: Vec<ClipId> = workspace.library().clip_ids().collect();
    workspace.mark_loop(ids[0], "Marked", Some(false));
    workspace.mark_loop(ids[1], "Marked", Some(true));
    let loops = |workspace: &Workspace| {
        ids.iter().map(|id| workspace.library().clip(*id).unwrap().1.is_looping()).collect::<Vec<_>>()
    };
    assert_eq!(loops(&workspace), [false, false]);
    assert_eq!(workspace.library().found_loop(ids[0]), Some(true));
    workspace.mark_loop(ids[0], "As found", None);
    assert_eq!(loops(&workspace), [true, false]);
    settle(&mut workspace);
}
