//! Automatic: the smallest candidate within the tolerance, whatever the list.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, arm, chain, clip_of, fixtures, noisy_chain};
use posepress_core::codecs::{
    AUTOMATIC, CODECS, Candidate, CandidateRow, CandidateState, Codec, ParamValue, ParamValues, Progress, Source,
    by_name, default_candidates, encode_clip, open_clip,
};
use posepress_core::math::Transform;
use posepress_core::model::Clip;
use std::collections::HashSet;

/// The id of the winner in front of its payload.
const ID_BYTES: usize = 4;

fn automatic() -> &'static dyn Codec {
    by_name("automatic").unwrap()
}

fn list(lines: &[&str]) -> ParamValues {
    let mut values = ParamValues::new();
    let lines = lines.iter().map(|l| (*l).to_owned()).collect();
    values.set(automatic().params(), "candidates", ParamValue::Lines(lines)).unwrap();
    values
}

/// Bytes of the clip, and what was tried.
fn compete(fixture: &Fixture, values: &ParamValues) -> (Vec<u8>, Vec<CandidateRow>) {
    let shells_m = vec![0.03; fixture.skeleton.len()];
    let (skeleton, clip) = (&fixture.skeleton, &fixture.clip);
    let source = Source { skeleton, clip, tolerance_m: TOLERANCE_M, shells_m: &shells_m };
    let progress = Progress::new();
    let encoded = encode_clip(automatic(), &source, values, &progress).unwrap();
    assert_eq!(progress.fraction(), 1.0);
    (encoded.bytes, progress.candidates())
}

fn winner(rows: &[CandidateRow]) -> &CandidateRow {
    let winners: Vec<_> = rows.iter().filter(|r| r.is_winner).collect();
    assert_eq!(winners.len(), 1);
    winners[0]
}

const MIX: &[&str] = &[
    "raw",
    "quantize:unreal-fixed48",
    "every-second-key",
    "linear-keys order=smallest-error",
    "linear-keys:tech-intro",
    "per-track",
    "variable-rate",
];

#[test]
fn the_smallest_within_the_tolerance_wins_and_every_row_is_what_its_codec_makes_alone() {
    for fixture in [arm(), noisy_chain()] {
        let (bytes, rows) = compete(&fixture, &list(MIX));
        assert_eq!(rows.iter().map(|r| r.candidate.line.as_str()).collect::<Vec<_>>(), MIX);
        let mut smallest = usize::MAX;
        for row in &rows {
            let Candidate { line, codec, values } = &row.candidate;
            let alone = fixture.encode(*codec, values);
            let figures = row.figures().unwrap_or_else(|| panic!("{line}: {:?}", row.state));
            assert_eq!(figures.bytes, alone.bytes.len(), "{line} on '{}'", fixture.name);
            let error_m = fixture.error_m(*codec, &alone, 1);
            assert!((error_m - f64::from(figures.max_error_m)).abs() <= fixture.float_slack_m(), "{line}: {error_m} m");
            if figures.within {
                smallest = smallest.min(figures.bytes);
            }
        }
        let winner = winner(&rows).figures().unwrap();
        assert!(winner.within && winner.bytes == smallest);
        assert_eq!(bytes.len(), smallest + ID_BYTES, "'{}'", fixture.name);
        assert!(
            rows.iter().any(|r| r.figures().is_some_and(|f| !f.within && f.bytes < smallest)),
            "nothing was refused"
        );
    }
}

#[test]
fn a_winner_plays_as_its_codec_alone_does() {
    let fixture = arm();
    let (bytes, rows) = compete(&fixture, &list(MIX));
    let Candidate { codec, values, .. } = &winner(&rows).candidate;
    let alone = fixture.encode(*codec, values);
    let bind = fixture.bind();
    let (header, mut a) = open_clip(automatic(), &bytes, &bind).unwrap();
    let (_, mut b) = open_clip(*codec, &alone.bytes, &bind).unwrap();
    let size = || posepress_core::model::Pose::with_size(header.joints, header.float_tracks);
    for time_secs in header.grid.times(3) {
        let (mut x, mut y) = (size(), size());
        a.sample(time_secs, &mut x);
        b.sample(time_secs, &mut y);
        assert_eq!(x, y);
    }
}

#[test]
fn of_equals_the_first_wins_and_what_is_off_is_not_tried() {
    let lines = ["#raw", "variable-rate order=leaves", "variable-rate"];
    let (_, rows) = compete(&noisy_chain(), &list(&lines));
    assert_eq!(rows.len(), 2);
    assert!(rows[0].is_winner && rows[0].figures() == rows[1].figures());
    let swapped: Vec<&str> = lines.into_iter().rev().collect();
    let (_, rows) = compete(&noisy_chain(), &list(&swapped));
    assert_eq!(winner(&rows).candidate.line, "variable-rate");
}

/// A pose, and so one sample, of joints turned a little: a constant takes 62 or 96 bits, a key takes 48.
#[test]
fn where_removing_trivial_tracks_makes_a_clip_larger_it_is_kept_whole() {
    let rig = chain(6);
    let turn = |j: usize| glam::Quat::from_rotation_z(0.0003 * (j + 1) as f32);
    let data = clip_of(&rig, 1, |_, j| Transform { rotation: turn(j), ..rig.bind(j) });
    let fixture = Fixture { name: "pose", clip: Clip::new(data).unwrap(), skeleton: rig };
    let removed = "quantize rotation_format=fixed48 remove_bind=false";
    let kept = format!("{removed} remove_constants=false");
    for lines in [[removed, &kept], [&kept, removed]] {
        let (_, rows) = compete(&fixture, &list(&lines));
        assert_eq!(winner(&rows).candidate.line, kept, "{rows:?}");
    }
}

#[test]
fn raw_is_what_is_left_when_nothing_is_within_the_tolerance() {
    for lines in [&["every-second-key keep_every=30", "quantize rotation_format=identity"][..], &[]] {
        let fixture = arm();
        let (bytes, rows) = compete(&fixture, &list(lines));
        assert_eq!(rows.len(), lines.len() + 1);
        let winner = winner(&rows);
        assert_eq!((winner.candidate.line.as_str(), winner.figures().unwrap().max_error_m), ("raw", 0.0));
        assert_eq!(bytes.len(), fixture.encode(by_name("raw").unwrap(), &ParamValues::new()).bytes.len() + ID_BYTES);
    }
}

#[test]
fn the_built_in_list_tries_every_codec_and_beats_each_of_its_candidates() {
    let lines = default_candidates();
    assert!(lines.len() >= 35, "{} candidates", lines.len());
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len(), "a line twice");
    let tried = Candidate::parse_list(lines.iter().map(String::as_str)).unwrap();
    for codec in CODECS.iter().filter(|c| c.id() != AUTOMATIC) {
        assert!(tried.iter().any(|c| c.codec.id() == codec.id()), "{} is not tried", codec.name());
    }
    let (bytes, rows) = compete(&arm(), &ParamValues::new());
    assert_eq!(rows.len(), lines.len());
    for row in &rows {
        let CandidateState::Measured(figures) = &row.state else { panic!("{}: {:?}", row.candidate.line, row.state) };
        assert!(!figures.within || bytes.len() <= figures.bytes + ID_BYTES, "{}", row.candidate.line);
    }
}

#[test]
fn presets_of_automatic_are_lists_that_keep_the_tolerance() {
    let fixture = arm();
    for preset in automatic().info().presets {
        let values = preset.values(automatic().params()).unwrap();
        let (_, rows) = compete(&fixture, &values);
        assert!(rows.len() > 3 && winner(&rows).figures().unwrap().within, "{}", preset.name);
    }
}

#[test]
fn bytes_and_figures_do_not_depend_on_the_number_of_threads() {
    let fixture = noisy_chain();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compete(&fixture, &list(MIX)))
    };
    let one = on(1);
    assert!(one == on(2) && one == on(7));
}

#[test]
fn payloads_that_name_no_codec_or_automatic_itself_are_refused() {
    let fixture = arm();
    let bind = fixture.bind();
    let (mut bytes, _) = compete(&fixture, &list(&["quantize"]));
    let at = bytes.windows(ID_BYTES).position(|w| w == by_name("quantize").unwrap().id().0).unwrap();
    for id in [AUTOMATIC.0, *b"NONE"] {
        bytes[at..at + ID_BYTES].copy_from_slice(&id);
        let error = open_clip(automatic(), &bytes, &bind).err().expect("no such payload").to_string();
        assert!(error.contains(&id.escape_ascii().to_string()), "{error}");
    }
}

#[test]
fn clips_of_every_kind_are_within_the_tolerance() {
    // Several samples at one time: no codec holds them all, and all fall back to what is exact.
    for fixture in fixtures().into_iter().filter(|f| f.clip.samples() == 1 || f.clip.duration_secs() > 0.0) {
        let (_, rows) = compete(&fixture, &list(&["quantize", "linear-keys"]));
        assert!(winner(&rows).figures().unwrap().within, "'{}'", fixture.name);
    }
}
