//! Automatic: the smallest candidate within the tolerance, for any list.

use crate::codec_fixtures::{Fixture, TOLERANCE_M, arm, chain, clip_of, fixtures, leg, noisy_chain};
use crate::project::sample;
use crate::written;
use glam::{Quat, Vec3};
use posepress_core::codecs::{
    ACCEPT_TIMES, CANDIDATES, Candidate, CandidateRow, CandidateState, Codec, Compensation, CompensationMethod,
    EncodeError, HOLD_FEET, IN_PLACE, LOSSLESS, MEASURE_ALL, ParamValue, ParamValues, Progress, SearchRules, by_name,
    default_candidates, encoders, fallbacks, open_clip,
};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::Verdict;
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{Archive, Found, MeasuredClip, Outcome, compress, measure_archived, search};
use posepress_core::recipe::Recipe;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

fn automatic() -> &'static dyn Codec {
    by_name("automatic").unwrap()
}

/// A list of candidates that are all measured.
fn list(lines: &[&str]) -> ParamValues {
    let lines = lines.iter().map(|l| (*l).to_owned()).collect();
    let mut values = whole_table();
    values.set(automatic().params(), CANDIDATES.param.key, ParamValue::Lines(lines)).unwrap();
    values
}

/// The defaults, with all candidates measured.
fn whole_table() -> ParamValues {
    with(ParamValues::new(), MEASURE_ALL.param.key, "true")
}

fn with(mut values: ParamValues, key: &str, value: &str) -> ParamValues {
    values.set_text(automatic().params(), key, value).unwrap();
    values
}

fn try_search(fixture: &Fixture, values: &ParamValues, progress: &Progress) -> Result<Found, EncodeError> {
    let rules = SearchRules::chosen(values).unwrap();
    fixture.with_source(|source| search(source, &Compensation::default(), &rules, None, progress))
}

/// Bytes of the clip, and the tried candidates.
fn compete(fixture: &Fixture, values: &ParamValues) -> (Vec<u8>, Vec<CandidateRow>) {
    let progress = Progress::new();
    let found = try_search(fixture, values, &progress).unwrap();
    assert_eq!((progress.fraction(), progress.candidates()), (1.0, found.rows.clone()));
    assert_eq!(winner(&found.rows).candidate, found.winner);
    (found.encoded.bytes, found.rows)
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
    "variable-rate:advanced-quantization",
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
        assert_eq!(bytes.len(), smallest, "'{}'", fixture.name);
        assert!(
            rows.iter().any(|r| r.figures().is_some_and(|f| !f.within && f.bytes < smallest)),
            "nothing was refused"
        );
    }
}

#[test]
fn what_is_kept_is_what_the_winner_makes_alone() {
    for fixture in [arm(), noisy_chain()] {
        let (bytes, rows) = compete(&fixture, &list(MIX));
        let Candidate { codec, values, .. } = &winner(&rows).candidate;
        assert_eq!(bytes, fixture.encode(*codec, values).bytes, "'{}'", fixture.name);
        assert!(open_clip(*codec, &bytes, &fixture.bind()).is_ok());
    }
}

/// Result of a recipe of `automatic` for a clip, with its rig.
fn outcome_of(fixture: &Fixture, recipe: &Recipe) -> (MeasuredClip, Outcome) {
    let rig = Arc::new(Rig::from_skeleton("rig", fixture.skeleton.clone()));
    let source = MeasuredClip::new(rig, Arc::new(fixture.clip.clone()), recipe);
    let outcome = compress(&source, recipe, &Progress::new()).unwrap();
    (source, outcome)
}

#[test]
fn an_outcome_keeps_the_recipe_of_automatic_and_the_codec_of_the_winner() {
    let values = list(&["raw", "catmull-rom insertion=worst-sample"]);
    let recipe = Recipe { values, ..Recipe::of(automatic()) };
    let (source, outcome) = outcome_of(&arm(), &recipe);
    let won = winner(outcome.candidates());
    assert_eq!((&outcome.recipe, outcome.encoding().unwrap().codec.name()), (&recipe, "catmull-rom"));
    assert_eq!(outcome.bytes(), won.figures().unwrap().bytes);
    // The replay of its fits is that of the winner.
    let Candidate { codec, values, .. } = won.candidate.clone();
    let alone = Recipe { values, ..Recipe::of(codec) };
    let (_, alone) = outcome_of(&arm(), &alone);
    let kept = outcome.encoding().unwrap().encoded.kept.iter().max_by_key(|kept| kept.inserted.len()).unwrap();
    assert!(outcome.can_replay() && kept.inserted.len() > 2, "{kept:?}");
    let fit = |outcome: &Outcome| outcome.replay(&source, kept, kept.inserted.len()).unwrap().unwrap();
    assert_eq!(fit(&outcome).samples, kept.samples);
    assert_eq!(fit(&outcome).values, fit(&alone).values);
    // The container names the codec of the bytes, and the recipe that was chosen.
    let bytes = written::archive(&source.rig, &[("clip", &outcome)]);
    let archive = Archive::open(&bytes, None).unwrap();
    assert_eq!(archive.clips()[0].recipe(), recipe);
    let read = measure_archived(&source, &archive.clips()[0]).unwrap();
    assert_eq!(
        (read.encoding().unwrap().codec.name(), read.report.samples.clone()),
        ("catmull-rom", outcome.report.samples.clone())
    );
    assert!(!read.can_replay(), "which values won is not in the file");
}

#[test]
fn candidates_are_compared_as_they_are_compensated() {
    let leg = leg(61);
    let lines = ["quantize rotation_format=fixed32 remove_constants=false", "raw"];
    let rules = SearchRules::of(Candidate::parse_list(lines).unwrap());
    let rows = |compensation: &Compensation| {
        leg.with_source(|source| search(source, compensation, &rules, None, &Progress::new())).unwrap().rows
    };
    let (plain, compensated) = (rows(&Compensation::default()), rows(&Compensation::of(CompensationMethod::Additive)));
    let figures = |rows: &[CandidateRow]| *rows[0].figures().unwrap();
    let (without, with) = (figures(&plain), figures(&compensated));
    assert!(with.max_error_m < without.max_error_m && with.bytes > without.bytes, "{with:?} for {without:?}");
    assert_eq!(plain[1].figures(), compensated[1].figures(), "there is nothing to correct");
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

/// A clip of one sample with joints turned a little: a constant takes 62 or 96 bits, a key 48.
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
fn where_nothing_listed_is_within_the_tolerance_the_smallest_of_what_promises_it_is_kept() {
    for lines in [&["every-second-key keep_every=30", "quantize rotation_format=identity"][..], &["#press"], &[]] {
        let fixture = arm();
        let (bytes, rows) = compete(&fixture, &list(lines));
        let listed = lines.iter().filter(|line| !line.starts_with('#')).count();
        let fallbacks = fallbacks();
        assert!(rows[listed..].iter().map(|row| &row.candidate).eq(&fallbacks));
        let smallest = rows.iter().filter_map(|row| row.figures()).filter(|f| f.within).map(|f| f.bytes).min().unwrap();
        let winner = winner(&rows);
        assert_eq!((bytes.len(), winner.figures().unwrap().bytes), (smallest, smallest));
        let raw = fixture.encode(by_name("raw").unwrap(), &ParamValues::new());
        assert!(fallbacks.contains(&winner.candidate) && 2 * smallest < raw.bytes.len(), "{rows:?}");
    }
}

#[test]
fn the_last_fallback_loses_nothing() {
    let last = fallbacks().pop().unwrap();
    assert_eq!((last.codec.id(), last.line.as_str()), (LOSSLESS.id(), "raw"));
    // Listed candidates are not tried again.
    let (_, rows) = compete(&arm(), &list(&["raw", "quantize rotation_format=identity"]));
    assert_eq!((rows.len(), winner(&rows).candidate.line.as_str()), (2, "raw"));
}

#[test]
fn the_built_in_list_tries_every_codec_and_beats_each_of_its_candidates() {
    let lines = default_candidates();
    assert!(lines.len() >= 35, "{} candidates", lines.len());
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len(), "a line twice");
    let tried = Candidate::parse_list(lines.iter().map(String::as_str)).unwrap();
    for codec in encoders() {
        assert!(tried.iter().any(|c| c.codec.id() == codec.id()), "{} is not tried", codec.name());
    }
    let (bytes, rows) = compete(&arm(), &whole_table());
    assert_eq!(rows.len(), lines.len());
    for row in &rows {
        let CandidateState::Measured(figures) = &row.state else { panic!("{}: {:?}", row.candidate.line, row.state) };
        assert!(!figures.within || bytes.len() <= figures.bytes, "{}", row.candidate.line);
    }
}

#[test]
fn what_cannot_be_smaller_is_given_up_and_the_winner_is_the_same() {
    for fixture in [arm(), noisy_chain()] {
        let (bytes, all) = compete(&fixture, &whole_table());
        let (same, rows) = compete(&fixture, &ParamValues::new());
        assert_eq!((&bytes, &winner(&all).candidate), (&same, &winner(&rows).candidate), "'{}'", fixture.name);
        let mut given_up = 0;
        for (row, whole) in rows.iter().zip(&all) {
            match (&row.state, &whole.state) {
                (CandidateState::Larger(at_least), CandidateState::Measured(figures)) => {
                    assert!(*at_least >= bytes.len() && figures.bytes >= bytes.len(), "{row:?} {whole:?}");
                    given_up += 1;
                }
                (quick, slow) => assert_eq!(quick, slow, "{}", row.candidate.line),
            }
        }
        assert!(2 * given_up > rows.len(), "{given_up} of {}", rows.len());
    }
}

#[test]
fn a_larger_candidate_on_which_feet_hold_is_not_given_up_for_a_smaller_one_on_which_they_slide() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let (rig, clip) = (Arc::new(imported.rig), Arc::new(imported.clips.into_iter().next().unwrap()));
    let values = with(list(&["linear-keys:riot-order", "linear-keys", "quantize"]), HOLD_FEET.param.key, "true");
    let won = |values| {
        let recipe = Recipe { values, tolerance_m: 0.006, ..Recipe::of(automatic()) };
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&source, &recipe, &Progress::new()).unwrap();
        winner(outcome.candidates()).clone()
    };
    let quick = won(with(values.clone(), MEASURE_ALL.param.key, "false"));
    assert_eq!(quick, won(values));
    assert!(quick.figures().unwrap().holds_feet);
}

#[test]
fn only_what_plays_in_place_is_tried_where_that_is_asked_for() {
    let expands = [
        "wavelet",
        "catmull-rom",
        "linear-keys:riot-order",
        "linear-keys search=linear",
        "linear-keys:key-frames search=linear",
    ];
    let plays = ["raw", "press", "catmull-rom layout=by-track", "linear-keys", "linear-keys:riot-order jump_every=8"];
    let tried = |lines: &[&str]| {
        let rules = SearchRules::chosen(&with(list(lines), IN_PLACE.param.key, "true")).unwrap();
        assert_eq!(rules.fallbacks, fallbacks(), "all of them do");
        rules.candidates.into_iter().map(|c| c.line).collect::<Vec<_>>()
    };
    assert_eq!(tried(&expands), Vec::<String>::new());
    assert_eq!(tried(&plays), plays);
    assert_eq!(tried(&[&expands[..], &plays].concat()), plays);
    // Press stays, in the storage that needs no expanding.
    let archives = ["press storage=archive level=full", "press storage=archive", "press"];
    assert_eq!(tried(&archives), ["press level=full", "press"]);
}

#[test]
fn unreals_switches_leave_lines_of_their_codec_out() {
    let lines = ["quantize:riot", "every-second-key", "linear-keys", "per-track", "press", "variable-rate"];
    for (key, left_out) in [("try_fixed", 0), ("try_interval", 1), ("try_linear", 2), ("try_per_track", 3)] {
        let rules = SearchRules::chosen(&with(list(&lines), key, "false")).unwrap();
        let mut kept = lines.to_vec();
        kept.remove(left_out);
        assert_eq!(rules.candidates.iter().map(|c| c.line.as_str()).collect::<Vec<_>>(), kept, "{key}");
    }
}

#[test]
fn a_candidate_beyond_the_tolerance_wins_within_the_error_bound_that_is_apart_from_it() {
    let fixture = arm();
    let of = |times: &str| with(list(&["quantize rotation_format=fixed32", "raw"]), ACCEPT_TIMES.param.key, times);
    let figures = |rows: &[CandidateRow]| [0, 1].map(|place| *rows[place].figures().unwrap());
    let (_, rows) = compete(&fixture, &of("1"));
    let [coarse, exact] = figures(&rows);
    assert!(rows[1].is_winner && !coarse.within && coarse.bytes < exact.bytes);
    let times = f64::from(coarse.max_error_m / TOLERANCE_M);
    for (times, wins) in [(0.99 * times, false), (1.01 * times, true)] {
        let (_, rows) = compete(&fixture, &of(&times.to_string()));
        assert_eq!((rows[0].is_winner, figures(&rows)[0].within), (wins, wins), "{times}");
    }
    assert!(automatic().promises_with(&of("1")) && !automatic().promises_with(&of("1.5")));
}

/// The rules of the preset `unreal`.
fn unreals() -> SearchRules {
    let preset = automatic().info().presets.iter().find(|preset| preset.name == "unreal").unwrap();
    SearchRules::chosen(&preset.values(automatic().params()).unwrap()).unwrap()
}

#[test]
fn unreals_list_has_its_35_combinations_and_no_two_are_the_same() {
    let rules = unreals();
    assert_eq!(rules.candidates.len(), 35);
    let clips = [leg(61), noisy_chain(), swing()];
    let mut seen: HashMap<[Vec<u8>; 3], &str> = HashMap::new();
    for Candidate { line, codec, values } in &rules.candidates {
        let bytes = clips.each_ref().map(|clip| clip.encode(*codec, values).bytes);
        if let Some(other) = seen.insert(bytes, line) {
            panic!("{line} gives the bytes of {other} on all clips");
        }
    }
}

/// An arm that swings slowly and walks half a metre: some of Unreal's limits are just above the rounding of its formats, some just below.
fn swing() -> Fixture {
    let skeleton = chain(4);
    let data = clip_of(&skeleton, 61, |sample, joint| {
        let angle = 0.02 * (1 + joint) as f32 * (sample as f32 / 60.0 - 0.5);
        let far = [0.5, 0.2, 0.08, 0.0][joint];
        let walked = far * (sample as f32 / 30.0).sin() + 0.002 * angle;
        let moved = Vec3::new(walked, 0.3, 0.0);
        // Near half a turn, a dropped w is known less well.
        let turned = if joint == 2 { 3.06 + 0.3 * angle } else { angle };
        Transform { rotation: Quat::from_rotation_z(turned), ..Transform::from_translation(moved) }
    });
    Fixture { name: "swing", clip: Clip::new(data).unwrap(), skeleton }
}

#[test]
fn unreals_list_falls_back_to_what_unreal_stores() {
    let rules = unreals();
    let all = rules.candidates.iter().chain(&rules.fallbacks);
    let others: Vec<&str> = all.map(|c| c.line.as_str()).filter(|line| !line.contains(":unreal")).collect();
    assert_eq!(others, ["raw"]);
    let coarse = Candidate::parse_list(["every-second-key:unreal rotation_format=fixed32"]).unwrap();
    let rules = SearchRules { candidates: coarse, ..rules };
    let found = noisy_chain()
        .with_source(|source| search(source, &Compensation::default(), &rules, None, &Progress::new()).unwrap());
    assert_eq!(found.winner.line, "quantize:unreal-float96");
}

#[test]
fn any_fallbacks_end_with_a_codec_without_loss() {
    let values =
        with(list(&["quantize rotation_format=fixed32"]), "fallbacks", "every-second-key rotation_format=fixed32");
    let (_, rows) = compete(&noisy_chain(), &values);
    assert_eq!(winner(&rows).candidate.line, "raw");
    let rules = SearchRules::chosen(&with(list(&["raw"]), "fallbacks", "raw\npress")).unwrap();
    assert_eq!(rules.fallbacks.iter().map(|c| c.line.as_str()).collect::<Vec<_>>(), ["press", "raw"]);
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
fn a_search_is_cancelled_and_refuses_what_no_codec_can_blend() {
    let progress = Progress::new();
    progress.cancel();
    assert_eq!(try_search(&arm(), &list(MIX), &progress).err(), Some(EncodeError::Cancelled));
    let rig = chain(2);
    let data = clip_of(&rig, 3, |s, _| Transform::from_translation(Vec3::splat(if s == 1 { -3e38 } else { 3e38 })));
    let fixture = Fixture { name: "too large", clip: Clip::new(data).unwrap(), skeleton: rig };
    let error = try_search(&fixture, &list(MIX), &Progress::new()).unwrap_err().to_string();
    assert!(error.contains("sample 0, joint 0"), "{error}");
}

#[test]
fn a_list_that_does_not_read_is_an_error_and_not_the_list_that_comes_with_posepress() {
    let recipe: Recipe = toml::from_str("codec = \"automatic\"\n[values]\ncandidates = [\"quantise\"]\n").unwrap();
    let rig = Arc::new(Rig::from_skeleton("rig", arm().skeleton));
    let source = MeasuredClip::new(rig, Arc::new(arm().clip), &recipe);
    let error = compress(&source, &recipe, &Progress::new()).unwrap_err().to_string();
    assert!(error.contains("line 1") && error.contains("'quantise'"), "{error}");
}

#[test]
fn clips_of_every_kind_are_within_the_tolerance() {
    // Several samples at the same time: no codec holds them all, so all fall back to exact storage.
    for fixture in fixtures().into_iter().filter(|f| f.clip.samples() == 1 || f.clip.duration_secs() > 0.0) {
        let (_, rows) = compete(&fixture, &list(&["quantize", "linear-keys"]));
        assert!(winner(&rows).figures().unwrap().within, "'{}'", fixture.name);
    }
}

#[test]
fn feet_that_are_to_be_held_go_before_bytes_and_every_row_says_its_slide() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let (rig, clip) = (Arc::new(imported.rig), Arc::new(imported.clips.into_iter().next().unwrap()));
    let won = |hold: &str| {
        let values = with(list(&["linear-keys", "linear-keys:riot-order", "quantize"]), HOLD_FEET.param.key, hold);
        let recipe = Recipe { values, tolerance_m: 0.006, ..Recipe::of(automatic()) };
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&source, &recipe, &Progress::new()).unwrap();
        let figures = *winner(outcome.candidates()).figures().unwrap();
        assert_eq!(figures.slide_m, outcome.report.slide.worst_slide_m());
        assert_eq!(figures.holds_feet, outcome.report.slide.verdict() == Verdict::Good);
        assert!(outcome.candidates().iter().all(|row| row.figures().is_some_and(|f| f.slide_m.is_some())));
        figures
    };
    let (smallest, holding) = (won("false"), won("true"));
    assert!(!smallest.holds_feet && holding.holds_feet && holding.bytes > smallest.bytes, "{smallest:?} {holding:?}");
}
