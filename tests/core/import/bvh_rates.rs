//! Frame times of BVH files, and rates that files of every format are read at.

use super::bvh_variants::{FRAMES, error, poses, read, read_with, rows, take};
use crate::import_support::{Doc, importer, small_rig};
use posepress_core::import::{Finding, ImportOptions, Imported, Severity};
use posepress_core::model::Clip;
use std::path::Path;

fn asked(imported: &Imported) -> Option<&Finding> {
    imported.findings.iter().find(|finding| !finding.readings.is_empty())
}

#[test]
fn odd_frame_times_are_asked_about_with_an_answer_that_keeps_every_frame() {
    let cases = [
        ("0.033", "Frame Time: 0.033", Some(30.0)),
        ("0.0083", "Frame Time: 0.0083", Some(120.0)),
        ("0.017", "Frame Time: 0,017", Some(60.0)),
        ("0.0333333", "Frame Time: 0.0333333", None),
        ("0.0138889", "Frame Time: 0.0138889", None),
        ("zero", "Frame Time: 0", Some(24.0)),
        ("none", "", Some(24.0)),
    ];
    for (what, line, expected) in cases {
        let text = take(&rows(FRAMES)).replace("Frame Time: 0.0333333", line);
        let imported = read(text.as_bytes());
        let Some(rate_hz) = expected else {
            assert_eq!(asked(&imported), None, "{what}");
            continue;
        };
        let finding = asked(&imported).unwrap_or_else(|| panic!("{what}: {:?}", imported.findings));
        assert_eq!(finding.severity, Severity::Decide, "{what}");
        assert!(finding.meaning.contains("--frames-are"), "{what}: {finding:?}");
        let options = finding.readings[0].of(ImportOptions::default());
        assert_eq!(options.frames_are_hz, Some(rate_hz), "{what}");
        let answered = read_with(text.as_bytes(), options);
        assert_eq!(asked(&answered), None, "{what}: what is decided is not asked again");
        let (clip, before) = (&answered.clips[0], &imported.clips[0]);
        assert_eq!(poses(clip), poses(before), "{what}");
        assert!((clip.grid().rate_hz() - f64::from(rate_hz)).abs() < 1e-3, "{what}: {}", clip.grid().rate_hz());
        assert!(clip.sampling_error().unwrap().error_m < 1e-6);
    }
}

#[test]
fn a_frame_time_that_can_be_none_is_refused_unless_the_rate_is_said() {
    for time in ["33.333", "30", "-0.04", "1e-9"] {
        let text = take(&rows(FRAMES)).replace("0.0333333", time);
        let message = error(&text);
        assert!(message.contains("--frames-are") && message.contains("line 18"), "{message}");
        let said = read_with(text.as_bytes(), ImportOptions { frames_are_hz: Some(60.0), ..Default::default() });
        assert!((said.clips[0].grid().rate_hz() - 60.0).abs() < 1e-3 && said.clips[0].samples() == FRAMES);
    }
}

/// Checks that two clips share samples and keys, but not their times.
fn assert_redeclared(before: &Clip, after: &Clip, rate_hz: f64) {
    assert_eq!((poses(before), before.holds(), before.keys()), (poses(after), after.holds(), after.keys()));
    assert!((after.grid().rate_hz() - rate_hz).abs() < 1e-2, "{} Hz", after.grid().rate_hz());
    assert_eq!(before.additive(), after.additive());
    let [error, stretched] = [before, after].map(|clip| clip.sampling_error().unwrap());
    assert_eq!((error.error_m, error.joint), (stretched.error_m, stretched.joint));
    let part = |clip: &Clip| clip.sampling_error().unwrap().time_secs / clip.duration_secs();
    assert!((part(before) - part(after)).abs() < 1e-4);
}

#[test]
fn frames_of_every_format_take_another_rate_without_another_sample() {
    let at = |frames_are_hz| ImportOptions { frames_are_hz: Some(frames_are_hz), ..Default::default() };
    let files = [
        ("bvh", take(&rows(FRAMES)).into_bytes()),
        ("glb", small_rig().glb()),
        ("fbx", crate::import::fbx::small_fbx()),
    ];
    for (kind, bytes) in files {
        let import =
            |options: &ImportOptions| importer(kind).import(Path::new("test"), (&bytes).into(), options).unwrap();
        let before = import(&ImportOptions::default());
        for rate_hz in [24.0, 29.97, 120.0, 1000.0] {
            let after = import(&at(rate_hz));
            assert_eq!(before.clips.len(), after.clips.len());
            for (before, after) in before.clips.iter().zip(&after.clips) {
                assert_redeclared(before, after, rate_hz.into());
            }
            assert_eq!(before.rig, after.rig);
        }
    }
}

#[test]
fn a_rate_that_is_asked_for_is_one_of_the_new_time() {
    let options = ImportOptions { frames_are_hz: Some(60.0), rate_hz: Some(120.0), ..Default::default() };
    let clip = &read_with(take(&rows(FRAMES)).as_bytes(), options).clips[0];
    assert_eq!(clip.samples(), 2 * FRAMES - 1, "a sample between two frames");
    assert!((clip.grid().rate_hz() - 120.0).abs() < 1e-3 && (clip.duration_secs() - 0.1).abs() < 1e-6);
    assert!(clip.sampling_error().unwrap().error_m < 1e-6, "no frame is lost");
    let mut doc = Doc::new(serde_json::json!([{ "name": "a" }]));
    let slide = doc.animation("slide");
    let times: Vec<f32> = (0..=25).map(|k| k as f32 / 25.0).collect();
    let values: Vec<f32> = (0..=25).flat_map(|k| [k as f32, 0.0, 0.0]).collect();
    doc.channel(slide, 0, "translation", "LINEAR", &times, &values);
    let options = ImportOptions { frames_are_hz: Some(24.0), rate_hz: Some(48.0), ..Default::default() };
    let clip = &doc.import_with(&options).unwrap().clips[0];
    assert_eq!(clip.samples(), 51);
    assert!((clip.grid().rate_hz() - 48.0).abs() < 1e-3);
    assert!((clip.at(3, 0).translation.x - 1.5).abs() < 1e-4, "{}", clip.at(3, 0).translation);
}
