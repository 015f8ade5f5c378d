use super::fixture::plan;
use super::true_gaits::{Gait, WALK, all};
use super::true_motion::{Motion, body};
use posepress_core::metrics::{Contact, ContactPlan, FootPart};

/// Samples of the true contacts of one motion.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    true_samples: usize,
    found_samples: usize,
    invented_samples: usize,
    /// The largest distance of an end from the truth.
    end_secs: f32,
}

fn overlap(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[1].min(b[1]) - a[0].max(b[0])
}

/// Compares contacts at the samples of the clip. Between samples the motion is not known.
fn score(motion: &Motion, plan: &ContactPlan, rate_hz: f32) -> Score {
    let mut score = Score::default();
    let near_secs = 0.51 / 120.0;
    for leg in 0..motion.legs {
        let foot = plan.feet.iter().position(|f| f.joint == ankle(leg));
        let own = plan.contacts.iter().filter(|c| Some(c.foot) == foot);
        let found: Vec<_> = own.map(|c| [c.start_secs, c.end_secs]).collect();
        let truth = motion.truth(leg);
        let covers = |spans: &[[f32; 2]], secs: f32, slack: f32| {
            spans.iter().any(|s| (s[0] - slack..=s[1] + slack).contains(&secs))
        };
        for sample in 0..=(motion.duration_secs * rate_hz).round() as usize {
            let secs = sample as f32 / rate_hz;
            let stands = covers(&truth, secs, 0.0);
            score.true_samples += usize::from(stands);
            score.found_samples += usize::from(stands && covers(&found, secs, near_secs));
            score.invented_samples += usize::from(!covers(&truth, secs, near_secs) && covers(&found, secs, 0.0));
        }
        let off = |truth: &[f32; 2], end: usize| {
            let met = found.iter().filter(|f| overlap(**f, *truth) > 0.0);
            met.map(|f| (f[end] - truth[end]).abs()).reduce(f32::min).unwrap_or(f32::INFINITY)
        };
        let whole = truth.iter().filter(|t| t[1] - t[0] > SHORT_SECS);
        score.end_secs = whole.map(|t| off(t, 0).max(off(t, 1))).fold(score.end_secs, f32::max);
    }
    score
}

/// A contact that the clip cuts to less than this may be missed.
const SHORT_SECS: f32 = 0.1;

/// The ankle of a leg of the generated bodies.
fn ankle(leg: usize) -> usize {
    3 + 4 * leg
}

fn measure(motion: &Motion, rate_hz: f32, size: f32, skin: bool, noise_m: f32) -> Score {
    let rig = body(motion.legs, size, skin);
    let plan = plan(&rig, &motion.clip(&rig, rate_hz, size, noise_m));
    score(motion, &plan, rate_hz)
}

/// At least this share of the true contact is found.
const FOUND: f32 = 0.97;
/// Times of samples are rounded to this.
const ROUNDING_SECS: f32 = 1e-5;
/// At most this share is invented.
const INVENTED: f32 = 0.02;

fn check(motion: &Motion, rate_hz: f32, size: f32, skin: bool, noise_m: f32) {
    let what = format!("{}, {rate_hz} Hz, size {size}, skin {skin}, noise {noise_m} m", motion.name);
    let score = measure(motion, rate_hz, size, skin, noise_m);
    let share = |samples: usize| samples as f32 / score.true_samples as f32;
    println!(
        "{what}: found {:.3}, invented {:.3}, {score:?}",
        share(score.found_samples),
        share(score.invented_samples)
    );
    assert!(share(score.found_samples) >= FOUND, "{what}: {score:?}");
    // One sample may be on either side of an end.
    assert!(share(score.invented_samples.saturating_sub(1)) <= INVENTED, "{what}: {score:?}");
    assert!(score.end_secs <= 1.0 / rate_hz + ROUNDING_SECS, "{what}: {score:?}");
}

#[test]
fn contacts_of_every_kind_of_motion_are_those_it_was_made_from() {
    for motion in all() {
        for (rate_hz, skin) in [(24.0, true), (30.0, true), (30.0, false), (60.0, false), (120.0, true)] {
            check(&motion, rate_hz, 1.0, skin, 0.0);
        }
    }
}

#[test]
fn contacts_are_the_same_for_every_size_and_survive_capture_noise() {
    for motion in all() {
        for size in [0.1, 10.0] {
            check(&motion, 30.0, size, true, 0.0);
        }
    }
    for motion in all() {
        check(&motion, 60.0, 1.0, true, 0.002);
    }
}

#[test]
fn the_slide_of_the_source_is_that_it_was_made_with() {
    for slide_m in [0.0, 0.005, 0.02] {
        for (rate_hz, skin) in [(30.0, true), (60.0, false), (120.0, true)] {
            let motion = Gait { slide_m, ..WALK }.motion(7.0);
            let rig = body(2, 1.0, skin);
            let plan = plan(&rig, &motion.clip(&rig, rate_hz, 1.0, 0.0));
            let whole = |c: &&Contact| c.start_secs > 0.0 && c.end_secs < motion.duration_secs - 0.01;
            let slides: Vec<_> = plan.contacts.iter().filter(whole).map(|c| c.source.slide_m).collect();
            assert!(slides.len() >= 10);
            // An even slide of a stand is known as well as the stand's ends, and a sole without skin as well as it is guessed.
            let slack_m = if skin { 0.0003 } else { 0.0005 } + slide_m / (rate_hz * 0.674);
            assert!(slides.iter().all(|s| (s - slide_m).abs() <= slack_m), "{slide_m} m at {rate_hz} Hz: {slides:?}");
        }
    }
}

#[test]
fn feet_that_stand_still_have_no_slide_in_the_source() {
    // Where the ground speeds up or slows down, it looks like a foot that slides.
    let is_even = |motion: &Motion| !["start in place", "turn and stop in place"].contains(&motion.name);
    for motion in all().into_iter().filter(is_even) {
        for rate_hz in [30.0, 60.0, 120.0] {
            let rig = body(motion.legs, 1.0, true);
            let plan = plan(&rig, &motion.clip(&rig, rate_hz, 1.0, 0.0));
            let whole = |c: &&Contact| c.start_secs > 0.0 && c.end_secs < motion.duration_secs - 0.01;
            let largest_m = plan.contacts.iter().filter(whole).map(|c| c.source.slide_m).fold(0.0, f32::max);
            assert!(largest_m <= 0.0003, "{}, {rate_hz} Hz: {largest_m} m", motion.name);
        }
    }
}

#[test]
fn a_foot_that_walks_stands_on_its_heel_first_and_on_its_toes_last() {
    let motion = WALK.motion(7.0);
    for skin in [true, false] {
        let rig = body(2, 1.0, skin);
        let plan = plan(&rig, &motion.clip(&rig, 120.0, 1.0, 0.0));
        for contact in plan.contacts.iter().filter(|c| c.start_secs > 0.0 && c.end_secs < 6.9) {
            let sole = &plan.feet[contact.foot].sole;
            let of = |part: FootPart| contact.stands.iter().filter(move |s| sole[s.point].part == part);
            let (heel, toe) = (of(FootPart::Heel), of(FootPart::Toe));
            let lands =
                [heel.clone(), toe.clone()].map(|stands| stands.map(|s| s.start_secs).fold(f32::INFINITY, f32::min));
            let leaves = [heel, toe].map(|stands| stands.map(|s| s.end_secs).fold(0.0, f32::max));
            let length_secs = contact.end_secs - contact.start_secs;
            assert!(lands[1] - lands[0] > 0.08 * length_secs, "the toes come down later: {lands:?}");
            assert!(leaves[1] - leaves[0] > 0.2 * length_secs, "the heel rises first: {leaves:?}");
        }
    }
}
