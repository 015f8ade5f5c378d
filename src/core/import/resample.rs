use super::budget::clip_samples;
use super::jumps;
use super::motion::{Keyed, Motion, StartingAt};
use super::rate::{DEFAULT_RATE_HZ, Phase, phase, sample_count};
use super::rest::{Rest, raise_roots, snap_secs};
use super::retime::redeclared;
use super::sample_rate::{NEXT_TO_NOTHING_M, Plan, guessed, missed_keys, plan_all, show_hz};
use super::sampling;
use super::{Ask, Budget, Fault, Finding, Fix, ImportOptions};
use crate::model::{Clip, ClipData, FloatHold, Hold, Rig, TimeGrid, TrackKeys};
use rayon::prelude::*;

/// Distance between a step and its sample, in samples, above which it is reported.
const STEP_MOVED_SAMPLES: f64 = 0.05;
/// Sampling error of a clip whose keys fit several rates, above which it is reported: that from which a verdict warns.
const SEEN_M: f32 = 1e-3;

/// Clips of uniform samples.
pub(super) struct Sampled {
    pub clips: Vec<Clip>,
    /// Stored bytes of each.
    pub clip_bytes: Vec<u64>,
}

/// Converts keys to uniform samples, all clips in parallel. A clip that cannot be sampled is skipped with a finding if there is another
/// one.
///
/// Time starts at zero, as in glTF: a clip with a later first key holds it until then. It ends with its last key. Keys at a single time
/// make a pose of one sample.
pub(super) fn resample_all<M: Motion>(
    clips: &[M],
    rest: Rest<'_>,
    options: &ImportOptions,
    budget: &Budget,
    findings: &mut Vec<Finding>,
) -> Result<Sampled, Fault> {
    let clips: Vec<StartingAt<'_, M>> =
        clips.iter().map(|motion| from_first_sample(motion, options, findings)).collect();
    let loss_m = |clip: &StartingAt<'_, M>, plan: Plan| {
        let sampled = resample(clip, plan, rest).ok();
        sampled.and_then(|clip| clip.sampling_error()).map_or(f32::INFINITY, |error| error.error_m)
    };
    let plans = plan_all(&clips, rest.joints.len(), options, loss_m, findings)?;
    let mut left_out = Vec::new();
    let mut planned = Vec::with_capacity(clips.len());
    for (clip, plan) in clips.iter().zip(plans) {
        let claimed = |plan: Plan| claim(clip, plan, rest, budget).map(|()| plan);
        match plan.and_then(claimed) {
            Ok(plan) => planned.push((clip, plan)),
            Err(fault) => left_out.push((clip.name(), fault)),
        }
    }
    for (clip, plan) in &planned {
        let times = clip.times_secs();
        findings.extend(late_start(*clip, &times));
        findings.extend(early_start(*clip, &times));
        findings.extend(moved_steps(*clip, *plan));
    }
    let sampled: Vec<_> = planned.par_iter().map(|(clip, plan)| resample(*clip, *plan, rest)).collect();
    let mut out = Sampled { clips: Vec::new(), clip_bytes: Vec::new() };
    for ((clip, plan), sampled) in planned.iter().zip(sampled) {
        match sampled {
            Ok(sampled) => {
                findings.extend(loss(&sampled, *plan, rest.rig));
                out.clips.push(redeclared(sampled, options)?);
                out.clip_bytes.push(clip.file_bytes());
            }
            Err(fault) => left_out.push((clip.name(), fault)),
        }
    }
    if out.clips.is_empty() && !left_out.is_empty() {
        return Err(left_out.swap_remove(0).1);
    }
    findings.extend(left_out.into_iter().map(|(clip, fault)| Finding::left_out(clip, &fault)));
    Ok(out)
}

/// Reports the sampling error of a clip whose keys fit no rate, or several and none well.
fn loss(clip: &Clip, plan: Plan, rig: &Rig) -> Option<Finding> {
    let rate_hz = TimeGrid::new(plan.samples, plan.duration_secs).rate_hz();
    let lost = clip.sampling_error().filter(|_| rate_hz > 0.0)?;
    let joint = rig.skeleton.name(lost.joint);
    if plan.misses_keys && lost.error_m > NEXT_TO_NOTHING_M {
        return Some(missed_keys(clip.name(), rate_hz, lost, joint));
    }
    (plan.is_guess && lost.error_m > SEEN_M).then(|| guessed(clip.name(), rate_hz, lost, joint))
}

/// Claims all resources of a clip, or none.
fn claim(clip: &impl Motion, plan: Plan, rest: Rest<'_>, budget: &Budget) -> Result<(), Fault> {
    let width = (rest.joints.len() + rest.floats.len()) as u64;
    let chains: u64 = rest.rig.skeleton.depths().iter().map(|&depth| depth as u64).sum();
    let asks = [
        (Ask::Samples, width.saturating_mul(clip.work())),
        (Ask::Chains, chains),
        (Ask::SkinSteps, rest.rig.vertex_count() as u64),
    ];
    let asks = asks.map(|(ask, a_sample)| (ask, a_sample.saturating_mul(plan.samples as u64)));
    // A refused claim is not counted. If one would be refused, the others are not made.
    let refused = asks.iter().find(|(ask, amount)| *amount > budget.left(*ask));
    let claimed = match refused {
        Some((ask, amount)) => budget.claim(*ask, *amount),
        None => asks.iter().try_for_each(|(ask, amount)| budget.claim(*ask, *amount)),
    };
    claimed.map_err(|over| Fault::from(over).at(format!("clip '{}'", clip.name())))
}

/// The grid of a motion's keys, if it starts after time zero and the options have no rate.
fn phase_of(motion: &impl Motion, options: &ImportOptions) -> Option<Phase> {
    if options.rate_hz.is_some() {
        return None;
    }
    match motion.declared() {
        Some(phase) => Some(phase).filter(|phase| phase.start_secs > 0.0),
        None if motion.rate_hz().is_some() => None,
        None => phase(&motion.key_times(), motion.is_straight()),
    }
}

/// Time that is cut off before the first sample of a motion.
pub(super) fn start_secs(motion: &impl Motion, options: &ImportOptions) -> f32 {
    let wait_secs = long_wait_secs(motion, options).map(|(start_secs, _)| start_secs);
    wait_secs.unwrap_or_else(|| phase_of(motion, options).map_or(0.0, |phase| phase.start_secs))
}

/// Time of the first key, and number of samples, for a clip that is too long only because it waits for that key.
fn long_wait_secs(motion: &impl Motion, options: &ImportOptions) -> Option<(f32, f64)> {
    let times = motion.times_secs();
    let (&first, &last) = (times.first()?, times.last()?);
    let rate_hz = options.rate_hz.map(f64::from).or_else(|| motion.rate_hz()).unwrap_or(DEFAULT_RATE_HZ);
    let is_too_long = |secs: f32| sample_count(secs, rate_hz) > clip_samples(times.len()) as f64;
    (first > 0.0 && is_too_long(last) && !is_too_long(last - first)).then(|| (first, sample_count(last, rate_hz)))
}

/// Cuts off the fraction of a sample before keys whose grid does not start at time zero.
fn from_first_sample<'a, M: Motion>(
    motion: &'a M,
    options: &ImportOptions,
    findings: &mut Vec<Finding>,
) -> StartingAt<'a, M> {
    if let Some((start_secs, samples)) = long_wait_secs(motion, options) {
        let what = format!("its first key lies at {start_secs:.3} s: the clip would have {samples} samples");
        let meaning =
            "The time before the first key was cut off. Check the unit of its key times, or the time of its first key.";
        findings.push(Finding::warning(motion.name(), what, meaning));
        return StartingAt { motion, start_secs };
    }
    let phase = phase_of(motion, options);
    if let Some(Phase { rate_hz, start_secs }) = phase {
        let what = format!("its keys lie on {} from {:.1} ms on, not from zero", show_hz(rate_hz), start_secs * 1e3);
        findings.push(Finding::note(
            motion.name(),
            what,
            "The time before that was cut off, so that every key is a sample. Choose a sample rate to keep it.",
        ));
    }
    StartingAt { motion, start_secs: phase.map_or(0.0, |phase| phase.start_secs) }
}

/// Finds a clip that waits before its first key, which is often unintended.
fn late_start(clip: &impl Motion, times: &[f32]) -> Option<Finding> {
    let (&first, &last) = (times.first()?, times.last()?);
    (first > 0.1 && last > first).then(|| {
        let what = format!("its first key lies at {first:.3} s");
        let meaning = "Time starts at zero, as in glTF, and the first key holds until then.";
        Finding::note(clip.name(), what, meaning).fixed_by(Fix::Holds)
    })
}

/// Finds keys before time zero, which glTF forbids and players cut off.
fn early_start(clip: &impl Motion, times: &[f32]) -> Option<Finding> {
    let (&first, &last) = (times.first()?, times.last()?);
    (first < 0.0).then(|| {
        let meaning = match last > 0.0 {
            true => {
                "Time starts at zero, as in glTF: earlier motion is cut off. Move the keys in the source to keep it."
            }
            false => {
                "Time starts at zero, as in glTF: only the pose of the last key is left. Move the keys in the source."
            }
        };
        Finding::warning(clip.name(), format!("its first key lies at {first:.3} s, before time zero"), meaning)
    })
}

/// Finds steps between two samples, which play at the next sample.
fn moved_steps(clip: &impl Motion, plan: Plan) -> Option<Finding> {
    let grid = TimeGrid::new(plan.samples, plan.duration_secs);
    let stepped: Vec<Keyed> = clip.keyed().into_iter().filter(|keyed| keyed.is_stepped).collect();
    let late_samples = stepped.iter().flat_map(|stepped| &stepped.times_secs).map(|&t| {
        let sample = grid.sample_at(t);
        sample.ceil() - sample
    });
    let late_jumps = clip.jumps().into_iter().map(|jump| jump.late_samples(grid));
    let worst = late_samples.chain(late_jumps).fold(0.0, f64::max);
    (worst > STEP_MOVED_SAMPLES && grid.rate_hz() > 0.0).then(|| {
        let what = format!("stepped keys lie up to {:.1} ms before a sample", worst / grid.rate_hz() * 1000.0);
        Finding::note(
            clip.name(),
            what,
            "They jump at that sample. Choose a sample rate that holds the keys to avoid it.",
        )
    })
}

fn resample(clip: &impl Motion, plan: Plan, rest: Rest<'_>) -> Result<Clip, Fault> {
    let grid = TimeGrid::new(plan.samples, plan.duration_secs);
    let (joints, float_tracks) = (rest.joints.len(), rest.floats.len());
    let mut transforms = rest.joints.repeat(plan.samples);
    let mut floats = rest.floats.repeat(plan.samples);
    let snap_secs = snap_secs(grid);
    for sample in 0..grid.samples() {
        // A clip of one sample has the pose of the last key, at any time.
        let time_secs = if grid.samples() == 1 { f32::MAX } else { grid.time_secs(sample as f64) };
        let joints = &mut transforms[sample * joints..][..joints];
        let floats = &mut floats[sample * float_tracks..][..float_tracks];
        clip.pose(time_secs, snap_secs, joints, floats);
    }
    let keyed = clip.keyed();
    let mut held = jumps::held(clip, grid, rest, (&transforms, &floats));
    held.joints.extend(holds(&keyed, grid));
    held.floats.extend(float_holds(&clip.stepped_floats(), grid));
    raise_roots(&mut transforms, rest);
    let data = ClipData {
        name: clip.name().to_owned(),
        joints,
        duration_secs: grid.duration_secs(),
        transforms,
        float_tracks,
        floats,
        holds: held.joints,
        looping: None,
    };
    let sampled = Clip::new(data)?.with_float_holds(held.floats);
    let sampling = sampling::measure(clip, &sampled, rest);
    let sampled = sampled.with_sampling(sampling).with_keys(keys(&keyed, grid));
    Ok(sampled.said_to_be(clip.additive()).tagged(clip.tags()))
}

/// The intervals of stepped tracks that end at a key. Only there would blending smear a jump.
fn holds(keyed: &[Keyed], grid: TimeGrid) -> Vec<Hold> {
    let stepped = keyed.iter().filter(|keyed| keyed.is_stepped);
    let hold = |stepped: &Keyed, sample: u32| {
        Some(Hold { sample, joint: u16::try_from(stepped.joint).ok()?, channel: stepped.channel })
    };
    stepped
        .flat_map(|stepped| held_samples(&stepped.times_secs, grid).filter_map(|sample| hold(stepped, sample)))
        .collect()
}

fn float_holds(stepped: &[(usize, Vec<f32>)], grid: TimeGrid) -> Vec<FloatHold> {
    let hold = |track: usize, sample: u32| Some(FloatHold { sample, track: u16::try_from(track).ok()? });
    let of_track = |(track, times_secs): &(usize, Vec<f32>)| {
        let held = held_samples(times_secs, grid).filter_map(|sample| hold(*track, sample));
        held.collect::<Vec<_>>()
    };
    stepped.iter().flat_map(of_track).collect()
}

/// The samples before those at which keys play. A key plays at the first sample that is not before it, with the grid's snapping.
fn held_samples(times_secs: &[f32], grid: TimeGrid) -> impl Iterator<Item = u32> {
    times_secs.iter().skip(1).filter_map(move |&time| (grid.sample_at(time).ceil() as u32).checked_sub(1))
}

/// The samples nearest to the keys.
fn keys(keyed: &[Keyed], grid: TimeGrid) -> Vec<TrackKeys> {
    let of_track = |keyed: &Keyed| {
        let samples = keyed.times_secs.iter().map(|&time| grid.sample_at(time).round() as u32).collect();
        Some(TrackKeys { joint: u16::try_from(keyed.joint).ok()?, channel: keyed.channel, samples })
    };
    keyed.iter().filter_map(of_track).collect()
}
