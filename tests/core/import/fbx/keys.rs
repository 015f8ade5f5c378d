//! Keys of FBX curves: jumps, and rates that differ from the file's own.

use super::ascii::{Ascii, LINEAR, STEP, Space, Y_UP_CM};
use crate::import_support::{import_bytes, importer};
use glam::Quat;
use posepress_core::import::{ImportOptions, Imported, ReadingPart, Severity};
use posepress_core::model::{Channel, Clip, Hold, Pose};
use std::path::Path;

/// FBX's number of 1,000 frames per second.
const THOUSAND: Space = Space { time_mode: 12, ..Y_UP_CM };
/// FBX's number of 24 frames per second.
const FILM: Space = Space { time_mode: 11, ..Y_UP_CM };

/// Two bones. `of` adds curves to the second one.
fn bones(of: impl Fn(&mut Ascii, u64, u64)) -> Ascii {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0, 90.0, 0.0], 1.0);
    let limb = doc.node("limb", "LimbNode", hips, [0.0, 50.0, 0.0], 1.0);
    let layer = doc.stack("take", 0.0, 1.0);
    let turns: Vec<(f64, f64)> = (0..31).map(|key| (f64::from(key) / 30.0, f64::from(key))).collect();
    doc.curves(layer, hips, "Lcl Rotation", LINEAR, &[("X", &turns)]);
    of(&mut doc, layer, limb);
    doc
}

fn at(clip: &Clip, place: f64) -> Pose {
    let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
    clip.sample(place, &mut pose);
    pose
}

#[test]
fn keys_at_one_time_or_nearly_so_are_a_step() {
    let jumps: [&[f64]; 6] =
        [&[0.5, 0.5], &[0.499_999_99, 0.5], &[0.4999, 0.5], &[0.499, 0.5], &[0.5, 0.501], &[0.5, 0.5, 0.5]];
    for (property, channel, from, to) in [
        ("Lcl Rotation", Channel::Rotation, 0.0, 80.0),
        ("Lcl Translation", Channel::Translation, 3.0, 60.0),
        ("Lcl Scaling", Channel::Scale, 1.0, 2.0),
    ] {
        for times in jumps {
            let mut keys = vec![(0.0, from)];
            keys.extend(times.iter().enumerate().map(|(key, &time)| match key {
                0 => (time, from),
                1 if times.len() > 2 => (time, 4.0 * to),
                _ => (time, to),
            }));
            keys.push((1.0, to));
            let doc = bones(|doc, layer, limb| doc.curves(layer, limb, property, LINEAR, &[("X", &keys)]));
            let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
            let (clip, what) = (&imported.clips[0], format!("{property}, {times:?}"));
            assert_eq!(clip.samples(), 31, "{what}");
            assert_eq!(clip.holds(), [Hold { sample: 14, joint: 1, channel }], "{what}");
            let value = |place: f64| {
                let local = at(clip, place).joints[1];
                match channel {
                    Channel::Rotation => f64::from(local.rotation.angle_between(Quat::IDENTITY)).to_degrees(),
                    Channel::Translation => f64::from(local.translation.x) * 100.0,
                    Channel::Scale => f64::from(local.scale.x),
                }
            };
            for (place, expected) in [(0.0, from), (14.0, from), (14.9, from), (15.0, to), (15.5, to), (30.0, to)] {
                assert!((value(place) - expected).abs() < 0.1, "{what} at {place}: {}, not {expected}", value(place));
            }
            let lost = clip.sampling_error().unwrap();
            assert!(lost.error_m < 1e-4, "{what}: {lost:?}");
        }
    }
}

#[test]
fn a_stepped_curve_beside_one_that_moves_is_a_step() {
    let doc = bones(|doc, layer, limb| {
        doc.curves(layer, limb, "Lcl Translation", STEP, &[("X", &[(0.0, 0.0), (0.5, 40.0), (1.0, 40.0)])]);
        doc.curves(layer, limb, "Lcl Rotation", LINEAR, &[("X", &[(0.0, 0.0), (1.0, 90.0)])]);
    });
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    let clip = &imported.clips[0];
    assert_eq!(clip.holds(), [Hold { sample: 14, joint: 1, channel: Channel::Translation }]);
    assert!(clip.sampling_error().unwrap().error_m < 1e-4, "{:?}", clip.sampling_error());
}

#[test]
fn blend_shapes_jump_too() {
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0, 90.0, 0.0], 1.0);
    let node = doc.node("face", "Mesh", hips, [0.0; 3], 1.0);
    let mesh = doc.square(node);
    let smile = doc.shape(mesh, "smile", 1, [0.0, 0.0, 1.0]);
    let layer = doc.stack("take", 0.0, 1.0);
    let keys = [(0.0, 0.0), (0.5, 0.0), (0.5, 100.0), (1.0, 100.0)];
    doc.curves(layer, smile, "DeformPercent", LINEAR, &[("DeformPercent", &keys)]);
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    let clip = &imported.clips[0];
    let held: Vec<u32> = clip.float_holds().iter().map(|hold| hold.sample).collect();
    assert_eq!((held, at(clip, 14.9).floats[0], at(clip, 15.0).floats[0]), (vec![14], 0.0, 1.0));
}

/// A limb with X turns keyed at a rate, up and down so that no key follows from its neighbours.
fn keyed_at(rate_hz: f64) -> Ascii {
    let keys: Vec<(f64, f64)> =
        (0..=rate_hz as i32).map(|key| (f64::from(key) / rate_hz, if key % 2 == 0 { 0.0 } else { 8.0 })).collect();
    let mut doc = Ascii::default();
    let hips = doc.node("hips", "LimbNode", 0, [0.0, 90.0, 0.0], 1.0);
    let limb = doc.node("limb", "LimbNode", hips, [0.0, 50.0, 0.0], 1.0);
    let layer = doc.stack("take", 0.0, 1.0);
    doc.curves(layer, limb, "Lcl Rotation", LINEAR, &[("X", &keys)]);
    doc
}

fn rate(imported: &Imported) -> f64 {
    (imported.clips[0].grid().rate_hz() * 1000.0).round() / 1000.0
}

#[test]
fn keys_that_are_denser_or_other_than_the_frame_rate_are_met_and_it_is_said() {
    for (space, rate_hz, said) in [
        (Y_UP_CM, 60.0, 30.0),
        (Y_UP_CM, 24.0, 30.0),
        (Y_UP_CM, 100.0, 30.0),
        (Y_UP_CM, 72.0, 30.0),
        (THOUSAND, 30.0, 1000.0),
        (FILM, 30.0, 24.0),
        (FILM, 48.0, 24.0),
    ] {
        let bytes = keyed_at(rate_hz).write(space);
        let imported = import_bytes("fbx", &bytes).unwrap();
        assert_eq!(rate(&imported), rate_hz, "the file says {said} Hz");
        assert!(imported.clips[0].sampling_error().unwrap().error_m < 1e-4);
        let finding = imported.findings.iter().find(|f| f.subject == "take").unwrap();
        assert!(
            finding.what.contains(&format!("{rate_hz} Hz")) && finding.what.contains(&format!("{said} Hz")),
            "{finding:?}"
        );
        let reading = &finding.readings[0];
        assert_eq!(reading.part, ReadingPart::Rate { millihertz: said as u32 * 1000 });
        let options = reading.of(ImportOptions::default());
        let as_said = importer("fbx").import(Path::new("a.fbx"), (&*bytes).into(), &options).unwrap();
        assert_eq!(rate(&as_said), said);
    }
}

#[test]
fn keys_on_frames_take_the_frame_rate_however_few_they_are() {
    for keys in [vec![(0.0, 0.0), (1.0, 50.0)], (0..11).map(|key| (f64::from(key) / 10.0, f64::from(key))).collect()] {
        let doc = bones(|doc, layer, limb| doc.curves(layer, limb, "Lcl Rotation", LINEAR, &[("X", &keys)]));
        let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
        assert_eq!(rate(&imported), 30.0);
        assert!(!imported.findings.iter().any(|f| f.subject == "take"), "{:?}", imported.findings);
    }
}

#[test]
fn keys_on_no_rate_are_said_with_what_is_lost_and_a_faster_rate() {
    let keys: Vec<(f64, f64)> = (0..40)
        .map(|key| (f64::from(key) * 0.025 + (f64::from(key) * 0.618).fract() * 0.017, f64::from(key % 3) * 9.0))
        .collect();
    let doc = bones(|doc, layer, limb| doc.curves(layer, limb, "Lcl Rotation", LINEAR, &[("X", &keys)]));
    let imported = import_bytes("fbx", &doc.write(Y_UP_CM)).unwrap();
    assert_eq!(rate(&imported), 30.0);
    let finding = imported.findings.iter().find(|f| f.subject == "take").unwrap();
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.meaning.contains("mm at limb") && finding.meaning.contains("--rate 60"), "{finding:?}");
    assert_eq!(finding.readings[0].part, ReadingPart::Rate { millihertz: 60_000 });
}
