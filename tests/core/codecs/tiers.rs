//! Tiers: removed bits come back byte for byte, the rest plays within its tolerance, and wrong tiers are refused.

use crate::codec_fixtures::{
    Fixture, Noise, SHELL_M, clip_of, encoder, fixtures, leg, looping, noisy_chain, values_of,
};
use crate::codecs::long_takes::take;
use crate::project::project;
use crate::written;
use glam::Quat;
use posepress_core::codecs::{
    self, BindPose, CodecId, Compensation, CompensationMethod, GroupStorage, JointGroup, ParamValues, Progress, Source,
    TierError, check_tierable, join_tier, take_out_planes, take_out_tier,
};
use posepress_core::export::ExportRecipes;
use posepress_core::format::{Container, ContainerFile, DecodeError, TierFile, TierToWrite};
use posepress_core::math::Transform;
use posepress_core::metrics::{ModelTrack, Verdict};
use posepress_core::model::{Clip, ClipSampler, Rig};
use posepress_core::pipeline::{
    Archive, MeasuredClip, TierLevel, TierSettings, compress_shell, tier_levels, tiered_files,
};
use posepress_core::recipe::Recipe;
use posepress_core::report::TierRow;
use posepress_runtime::internal::TieredPayload;
use posepress_runtime::internal::codecs::press::Contents;
use std::sync::Arc;

const PRESS: CodecId = CodecId(*b"PRS1");
/// Times per sample at which errors are measured.
const STEPS: usize = 4;
/// More samples than a segment of the take has.
const LONG_SAMPLES: usize = 8300;

fn golden(name: &str) -> Container {
    Container::read(&std::fs::read(project(&format!("tests/golden/{name}.posepress"))).unwrap()).unwrap()
}

fn pressed(fixture: &Fixture, tolerance_m: f32, changes: &[(&str, &str)]) -> Vec<u8> {
    let codec = encoder("press");
    let shells_m = vec![SHELL_M; fixture.skeleton.len()];
    let source = Source::new(&fixture.skeleton, &fixture.clip, tolerance_m, &shells_m);
    codecs::encode_clip(codec, &source, &values_of(codec, changes), &Progress::new()).unwrap().bytes
}

fn bind_of(fixture: &Fixture) -> BindPose {
    BindPose::new(fixture.bind()).unwrap()
}

/// Clips of press with names and bind poses: golden ones, all fixtures at several tolerances, a long take, a loop, joint groups.
fn clips() -> Vec<(String, Vec<u8>, BindPose)> {
    let mut out = Vec::new();
    for name in ["press", "press-archive", "loops"] {
        let container = golden(name);
        let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
        let clips = container.clips.into_iter().filter(|clip| clip.codec == PRESS.0);
        let clips = clips.filter(|clip| check_tierable(encoder("press"), &clip.bytes).is_ok());
        out.extend(clips.map(|clip| (clip.name, clip.bytes, bind.clone())));
    }
    assert!(out.len() >= 3, "golden clips");
    for fixture in fixtures().into_iter().chain([noisy_chain(), looping(), leg(33)]) {
        for tolerance_m in [1e-5, 1e-4, 1e-2] {
            out.push((
                format!("{} at {tolerance_m} m", fixture.name),
                pressed(&fixture, tolerance_m, &[("level", "fast")]),
                bind_of(&fixture),
            ));
        }
    }
    let long = take(LONG_SAMPLES);
    out.push(("take".into(), pressed(&long, 1e-3, &[("level", "fast")]), bind_of(&long)));
    out.push(("groups".into(), grouped(), bind_of(&leg(33))));
    out
}

/// A leg with an exact shin.
fn grouped() -> Vec<u8> {
    let groups = [JointGroup { joints: vec![2], kept: GroupStorage::Exactly }];
    let encode = |source: &Source<'_>| {
        let source = Source { groups: &groups, ..*source };
        codecs::encode_clip(encoder("press"), &source, &ParamValues::new(), &Progress::new()).unwrap().bytes
    };
    leg(33).with_source(encode)
}

#[test]
fn what_leaves_comes_back_byte_for_byte_whatever_it_was() {
    let (mut noise, mut tiers) = (Noise(11), 0);
    for (name, clip, bind) in clips() {
        for choice in 0..5 {
            let taken = take_out_planes(PRESS, &clip, &bind, |_, _| match choice {
                0 => 0,
                1 => 1,
                2 => u8::MAX,
                _ => (noise.bits() % 6) as u8,
            });
            let taken = taken.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(
                join_tier(PRESS, &taken.clip, &taken.tier, &bind).as_ref(),
                Ok(&clip),
                "{name}, choice {choice}"
            );
            assert_eq!(taken.tier.is_empty(), taken.clip == clip, "{name}");
            // A second tier, from the rest of the first.
            let more = take_out_planes(PRESS, &taken.clip, &bind, |_, _| 2).unwrap();
            assert_eq!(
                join_tier(PRESS, &more.clip, &more.tier, &bind).as_ref(),
                Ok(&taken.clip),
                "{name}, choice {choice}"
            );
            tiers += usize::from(!taken.tier.is_empty());
        }
    }
    assert!(tiers > 80, "only {tiers} clips have a tier");
}

#[test]
fn without_planes_integers_are_the_nearest_and_bytes_fewer() {
    let fixture = noisy_chain();
    let (clip, bind) = (pressed(&fixture, 1e-4, &[]), bind_of(&fixture));
    let integers = |clip: &[u8]| {
        let payload = TieredPayload::find(PRESS, clip).unwrap();
        let [(header, range)] = payload.stretches() else { panic!("one stretch") };
        Contents::read(header, &clip[range.clone()], &bind, 0).unwrap()
    };
    let (whole, mut sizes) = (integers(&clip), vec![clip.len()]);
    assert!(whole.head.tracks.len() > 5 && whole.samples == fixture.clip.samples());
    for planes in 1..5u8 {
        let taken = take_out_planes(PRESS, &clip, &bind, |_, _| planes).unwrap();
        let coarse = integers(&taken.clip);
        for (track, whole) in coarse.head.tracks.iter().zip(&whole.head.tracks) {
            let codes = whole.codes.map(|code| code + 8 * planes);
            assert_eq!(track.codes, codes, "steps are twice as large for each plane");
        }
        for (value, whole) in coarse.values.iter().flatten().flatten().zip(whole.values.iter().flatten().flatten()) {
            assert!((f64::from(*whole) / f64::from(1 << planes) - f64::from(*value)).abs() <= 0.5);
        }
        let extra = (taken.clip.len() + taken.tier.len()) as f32 / clip.len() as f32;
        assert!(extra < 1.3, "{extra} times as many bytes without {planes} planes and with the tier");
        sizes.push(taken.clip.len());
    }
    assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
}

#[test]
fn what_is_left_is_within_its_tolerance_at_every_step() {
    let mut smaller = 0;
    for fixture in fixtures().into_iter().chain([noisy_chain(), looping(), leg(33), take(700)]) {
        let clip = pressed(&fixture, 1e-4, &[("level", "fast")]);
        let whole_m = error_m(&fixture, &clip);
        let shells_m = vec![SHELL_M; fixture.skeleton.len()];
        let mut sizes = vec![clip.len()];
        for limit_m in [5e-4, 5e-3, 5e-2] {
            let source = Source::new(&fixture.skeleton, &fixture.clip, limit_m, &shells_m);
            let taken = take_out_tier(&source, STEPS, PRESS, &clip, &Progress::new()).unwrap();
            let joined = join_tier(PRESS, &taken.clip, &taken.tier, &bind_of(&fixture));
            assert_eq!(joined.as_ref(), Ok(&clip), "'{}'", fixture.name);
            let error_m = error_m(&fixture, &taken.clip);
            assert!(error_m <= f64::from(limit_m).max(whole_m) * 1.000_1, "'{}': {error_m} m", fixture.name);
            sizes.push(taken.clip.len());
        }
        smaller += usize::from(sizes[3] < sizes[0]);
    }
    assert!(smaller > 5, "only {smaller} clips can do without something");
}

fn error_m(fixture: &Fixture, clip: &[u8]) -> f64 {
    let bytes = clip.to_vec();
    let encoded =
        codecs::EncodedClip { bytes, ledger: Default::default(), kept: Vec::new(), compensation: Default::default() };
    fixture.error_m(encoder("press"), &encoded, STEPS)
}

#[test]
fn a_joint_that_counts_more_is_nearer() {
    let fixture = noisy_chain();
    let clip = pressed(&fixture, 1e-4, &[]);
    let shells_m = vec![SHELL_M; fixture.skeleton.len()];
    let raw = &mut ClipSampler::new(&fixture.clip);
    let raw = ModelTrack::sample(&fixture.skeleton, raw, fixture.clip.grid(), STEPS, 0);
    let (limit_m, last) = (0.05, fixture.skeleton.len() - 1);
    let worst_m = |weight: f32| {
        let mut weights = posepress_core::metrics::ErrorWeights::even(fixture.skeleton.len(), fixture.clip.samples());
        weights.change(last, 0..fixture.clip.samples(), |of| of * weight);
        let source = Source {
            weights: weights.at_samples(),
            ..Source::new(&fixture.skeleton, &fixture.clip, limit_m, &shells_m)
        };
        let taken = take_out_tier(&source, STEPS, PRESS, &clip, &Progress::new()).unwrap();
        let bind = fixture.bind();
        let (_, mut player) = codecs::open_clip(encoder("press"), &taken.clip, &bind).unwrap();
        let left = ModelTrack::sample(&fixture.skeleton, &mut player, fixture.clip.grid(), STEPS, 0);
        let off = |step: usize| (raw.origin(step, last) - left.origin(step, last)).length();
        (0..raw.steps()).map(off).fold(0.0, f32::max)
    };
    let (even_m, held_m) = (worst_m(1.0), worst_m(50.0));
    assert!(held_m <= limit_m / 50.0 && held_m < even_m / 2.0, "{held_m} and {even_m} m");
}

#[test]
fn what_has_no_tiers_is_refused_with_what_to_do() {
    let fixture = noisy_chain();
    let archive = pressed(&fixture, 1e-4, &[("storage", "archive")]);
    assert_eq!(check_tierable(encoder("press"), &archive), Err(TierError::Archive));
    assert!(take_out_planes(PRESS, &archive, &bind_of(&fixture), |_, _| 1).is_err());
    let raw = fixture.encode(encoder("raw"), &ParamValues::new()).bytes;
    assert_eq!(check_tierable(encoder("raw"), &raw), Err(TierError::OtherCodec { codec: "raw" }));
    assert!(take_out_planes(CodecId(*b"RAW0"), &raw, &bind_of(&fixture), |_, _| 1).is_err());
    let method = Compensation::of(CompensationMethod::Additive);
    let (leg, codec) = (leg(33), encoder("press"));
    let of = |source: &Source<'_>| {
        codecs::encode_compensated_clip(codec, source, &ParamValues::new(), &method, &Progress::new()).unwrap()
    };
    let compensated = leg.with_source(of);
    if compensated.compensation.left_off.is_none() {
        assert_eq!(check_tierable(codec, &compensated.bytes), Err(TierError::Compensated));
    }
    for error in [TierError::Archive, TierError::OtherCodec { codec: "raw" }, TierError::Compensated] {
        assert!(error.to_string().contains("; use --") || error.to_string().contains(": use --"), "{error}");
    }
}

#[test]
fn damaged_tiers_and_those_of_other_clips_are_refused() {
    for fixture in [noisy_chain(), looping(), leg(33)] {
        let clip = pressed(&fixture, 1e-4, &[("level", "fast")]);
        let bind = bind_of(&fixture);
        let taken = take_out_planes(PRESS, &clip, &bind, |_, _| 2).unwrap();
        let join_tier = |codec, clip: &[u8], tier: &[u8]| join_tier(codec, clip, tier, &bind);
        for length in 1..taken.tier.len() {
            assert!(
                join_tier(PRESS, &taken.clip, &taken.tier[..length]).is_err(),
                "'{}': {length} bytes",
                fixture.name
            );
        }
        assert!(join_tier(PRESS, &taken.clip, &[&taken.tier[..], &[0]].concat()).is_err());
        for bit in 0..8 * taken.tier.len() {
            let mut tier = taken.tier.clone();
            tier[bit / 8] ^= 1 << (bit % 8);
            assert!(join_tier(PRESS, &taken.clip, &tier).is_err(), "'{}': bit {bit}", fixture.name);
        }
        let other_rig = BindPose::new([Transform::IDENTITY]).unwrap();
        let error = posepress_core::codecs::join_tier(PRESS, &taken.clip, &taken.tier, &other_rig).unwrap_err();
        assert!(error.to_string().contains("the rig's 1"), "{error}");
        // The whole clip already contains the tier, and another clip does not fit.
        for other in [&clip, &pressed(&fixture, 1e-3, &[])] {
            let error = join_tier(PRESS, other, &taken.tier).unwrap_err().to_string();
            assert!(error.contains("checksum of the clip") && error.contains("the tier belongs to"), "{error}");
        }
        // Damage that checksums do not detect gives errors or clips, not panics.
        let mut noise = Noise(5);
        for _ in 0..400 {
            let (mut tier, mut clip) = (taken.tier.clone(), taken.clip.clone());
            let at = 9 + noise.bits() as usize % (tier.len() - 9);
            tier[at] ^= 1 << (noise.bits() % 8);
            let at = noise.bits() as usize % clip.len();
            clip[at] ^= ((noise.bits() % 2) << (noise.bits() % 8)) as u8;
            tier[1..5].copy_from_slice(&crc32fast::hash(&clip).to_le_bytes());
            if let Err(DecodeError::Checksum { found, .. }) = join_tier(PRESS, &clip, &tier) {
                tier[5..9].copy_from_slice(&found.to_le_bytes());
                let joined = join_tier(PRESS, &clip, &tier).unwrap();
                if let Ok((_, mut player)) = codecs::open_clip(encoder("press"), &joined, &fixture.bind()) {
                    player.sample(
                        1.5,
                        &mut posepress_core::model::Pose::with_size(
                            fixture.skeleton.len(),
                            fixture.clip.float_tracks(),
                        ),
                    );
                }
            }
        }
    }
}

/// A clip compressed by press, and its levels.
fn levels_of(fixture: Fixture) -> (MeasuredClip, Vec<TierLevel>, TierSettings) {
    let rig = Arc::new(Rig::from_skeleton("rig", fixture.skeleton.clone()));
    let recipe = Recipe::chosen("press").unwrap();
    let source = MeasuredClip::new(rig, Arc::new(fixture.clip), &recipe);
    let outcome = compress_shell(&source, &recipe, &Progress::new()).unwrap();
    let settings = TierSettings { on: true, low_m: 0.001, medium_m: 0.01 };
    let levels = tier_levels(&source, &outcome, &settings, &Progress::new()).unwrap();
    (source, levels, settings)
}

/// A leg that stands and trembles.
fn trembling() -> Fixture {
    let (leg, mut noise) = (leg(65), Noise(7));
    let joints = leg.skeleton.len();
    let turns: Vec<Quat> = (0..65 * joints).map(|_| Quat::from_scaled_axis(noise.vec3() * 0.002)).collect();
    let data = clip_of(&leg.skeleton, 65, |sample, joint| {
        let local = leg.clip.at(sample, joint);
        Transform { rotation: local.rotation * turns[sample * joints + joint], ..local }
    });
    Fixture { clip: Clip::new(data).unwrap(), ..leg }
}

#[test]
fn feet_stand_on_what_is_left() {
    let (_, levels, _) = levels_of(trembling());
    let rows = TierRow::of(&levels);
    assert!(!levels[2].outcome.report.slide.contacts.is_empty(), "it stands");
    assert!(rows[2].bytes < rows[0].bytes && rows[2].tier_bytes > 0, "{rows:?}");
    // Errors may be a centimetre, but not under a foot.
    assert!(rows[2].worst_slide_mm.unwrap() <= 1.0, "{rows:?}");
}

#[test]
fn levels_are_measured_and_hold_their_tolerances() {
    let (source, levels, settings) = levels_of(noisy_chain());
    let bind = source.rig.skeleton.bind_pose(0).joints;
    let rows = TierRow::of(&levels);
    let names: Vec<&str> = rows.iter().map(|row| row.level.as_str()).collect();
    assert_eq!(names, ["all", "without low", "without low and medium"]);
    assert!(rows[0].bytes > rows[1].bytes && rows[1].bytes > rows[2].bytes, "{rows:?}");
    assert!(rows[0].max_mm <= 0.1 && rows[1].max_mm <= 1.0 && rows[2].max_mm <= 10.0, "{rows:?}");
    assert!(rows[1].between_mm <= 1.0 && rows[2].between_mm <= 10.0 && rows[2].max_mm > rows[0].max_mm, "{rows:?}");
    for (level, row) in levels.iter().zip(&rows) {
        assert_eq!(level.outcome.bytes(), row.bytes);
        // Decoded from those bytes, independent of the encoder's state.
        let made = level.outcome.encoding().unwrap();
        let again = codecs::open(made.codec, &made.encoded.bytes[..], &bind).unwrap();
        let (mut player, mut player_again) = (made.opened.cursor().unwrap(), again.cursor().unwrap());
        let joint = |sample: f64, player: &mut _| made.opened.sample_joint(player, sample, 2);
        assert_eq!(made.encoded.bytes.len(), row.bytes);
        assert_eq!(joint(7.3, &mut player), again.sample_joint(&mut player_again, 7.3, 2));
    }
    // The same rule for all levels: a larger error never has a better verdict.
    assert_eq!(rows[0].verdict, Verdict::Good, "{rows:?}");
    assert!(rows.windows(2).all(|pair| pair[0].verdict <= pair[1].verdict), "{rows:?}");
    assert!(rows[2].verdict > Verdict::Good && !rows[2].reasons.is_empty(), "a centimetre is seen: {rows:?}");
    let total = TierRow::total([&rows[..], &rows[..]]);
    assert_eq!(
        (total[2].bytes, total[2].tier_bytes, total[2].max_mm),
        (2 * rows[2].bytes, 2 * rows[2].tier_bytes, rows[2].max_mm)
    );
    assert_eq!(settings.tiers(), [("low", 0.001), ("medium", 0.01)]);
    assert_eq!(TierSettings { medium_m: 0.0, ..settings }.tiers(), [("low", 0.001)]);
}

fn file_bytes(file: &TierToWrite<'_>) -> Vec<u8> {
    let out = file.to_bytes();
    assert_eq!(out.len(), file.len());
    out
}

#[test]
fn a_container_with_all_its_tiers_back_is_the_one_without() {
    let (source, levels, settings) = levels_of(noisy_chain());
    let whole = written::archive(&source.rig, &[("walk", &levels[0].outcome)]);
    let clips = [("walk", &levels[..])];
    let files = tiered_files(&source.rig, &clips, &settings, ExportRecipes::Kept);
    let without = files.container.to_bytes();
    let [(_, medium), (_, low)] = &files.tiers[..] else { panic!("two tiers") };
    let (medium, low) = (file_bytes(medium), file_bytes(low));
    let mut container = Container::read_checked(&without).unwrap();
    assert_eq!(container.write(), without);
    assert!(container.missing_tiers().eq(["medium", "low"]));
    assert_eq!(container.tiers[0].bytes, medium.len() as u64);
    let marks: Vec<f32> = container.tiers.iter().map(|mark| mark.tolerance_m).collect();
    assert_eq!(marks, [0.01, 0.001]);

    let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
    let [medium_file, low_file] = [&medium, &low].map(|bytes| TierFile::read(bytes).unwrap());
    let early = container.join(&low_file, &bind).unwrap_err().to_string();
    assert!(early.contains("'low'") && early.contains("expected 'medium' before it"), "{early}");
    container.join(&medium_file, &bind).unwrap();
    let again = container.join(&medium_file, &bind).unwrap_err().to_string();
    assert!(again.contains("belongs to another file") && again.contains("'low' with checksum"), "{again}");
    container.join(&low_file, &bind).unwrap();
    assert_eq!(container.write(), whole, "byte for byte");
    assert!(container.join(&low_file, &bind).unwrap_err().to_string().contains("every clip is whole"));

    // In any order, judged by the tolerance of the rest.
    let open = |tiers: &[Vec<u8>]| Archive::open_joined(&without, tiers, None).unwrap();
    let tolerance = |archive: &Archive| archive.clips()[0].tolerance_m;
    assert_eq!(tolerance(&open(&[])), 0.01);
    assert_eq!(tolerance(&open(std::slice::from_ref(&medium))), 0.001);
    let joined = open(&[low.clone(), medium.clone()]);
    assert_eq!(tolerance(&joined), 1e-4);
    assert_eq!(joined.clips()[0].bytes, levels[0].outcome.encoding().unwrap().encoded.bytes);
    let error = Archive::open_joined(&without, std::slice::from_ref(&without), None).unwrap_err().to_string();
    assert!(error.contains("tier file 1") && error.contains("that of a .posepress-tier file"), "{error}");
}

#[test]
fn damaged_tier_files_are_rejected() {
    let (source, levels, settings) = levels_of(noisy_chain());
    let clips = [("walk", &levels[..])];
    let files = tiered_files(&source.rig, &clips, &settings, ExportRecipes::Kept);
    let without = files.container.to_bytes();
    let low = file_bytes(&files.tiers[1].1);
    for length in 0..low.len() {
        assert!(TierFile::read(&low[..length]).is_err(), "{length} bytes");
    }
    assert!(TierFile::read(&[&low[..], &[0]].concat()).is_err());
    for bit in 0..8 * low.len() {
        let mut damaged = low.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(TierFile::read(&damaged).is_err(), "bit {bit}");
    }
    for length in 0..without.len() {
        assert!(Container::read(&without[..length]).is_err(), "{length} bytes");
    }
    for bit in 0..8 * without.len() {
        let mut damaged = without.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Container::read_checked(&damaged).is_err(), "bit {bit}");
    }
}

/// Existing files stay readable, and the writer still makes the same bytes.
#[test]
fn golden_tiers_are_put_back() {
    let path = |name: &str| project(&format!("tests/golden/tiers.{name}"));
    if !path("posepress").exists() {
        let (source, levels, settings) = levels_of(noisy_chain());
        let clips = [("walk", &levels[..])];
        let files = tiered_files(&source.rig, &clips, &settings, ExportRecipes::Kept);
        std::fs::write(path("posepress"), files.container.to_bytes()).unwrap();
        for (name, file) in &files.tiers {
            std::fs::write(path(&format!("{name}.posepress-tier")), file_bytes(file)).unwrap();
        }
        panic!("wrote {}: look at it, then commit it", path("posepress").display());
    }
    let read = |name: &str| std::fs::read(path(name)).unwrap();
    let mut container = Container::read_checked(&read("posepress")).unwrap();
    assert_eq!(container.write(), read("posepress"));
    let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
    for name in ["medium", "low"] {
        let bytes = read(&format!("{name}.posepress-tier"));
        let file = TierFile::read(&bytes).unwrap();
        let clips = file.clips.iter().map(|clip| &clip[..]).collect();
        assert_eq!((file_bytes(&TierToWrite::new(name, clips)), file.name.as_str()), (bytes, name));
        container.join(&file, &bind).unwrap();
    }
    assert!(container.tiers.is_empty());
    assert!(codecs::open(encoder("press"), &container.clips[0].bytes[..], &bind).is_ok());
}
