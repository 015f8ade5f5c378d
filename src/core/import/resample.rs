use super::budget::clip_samples;
use super::keys::{KeyValue, Keys};
use super::rate::{COMMON_RATES_HZ, DEFAULT_RATE_HZ, detect_rate_hz, fits, sample_count};
use super::sampling;
use super::{Ask, Budget, Fault, Finding, ImportOptions, UpAxis};
use crate::math::Transform;
use crate::model::{Channel, Clip, ClipData, Hold, Skeleton, TimeGrid};
use glam::{Quat, Vec3};
use rayon::prelude::*;

/// A clip as its file has it: keys of its own times on each channel that moves.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyClip {
    pub name: String,
    /// Joint and its keys.
    pub rotations: Vec<(usize, Keys<Quat>)>,
    /// Joint and its keys, metres.
    pub translations: Vec<(usize, Keys<Vec3>)>,
    /// Joint and its keys.
    pub scales: Vec<(usize, Keys<Vec3>)>,
    /// Float track and its keys.
    pub floats: Vec<(usize, Keys<f32>)>,
    /// The format says what lies between the keys.
    pub has_curves: bool,
}

/// What stays where a clip has no keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest<'a> {
    pub skeleton: &'a Skeleton,
    /// Local transforms in the file's own up axis, one a joint.
    pub joints: &'a [Transform],
    /// Float tracks.
    pub floats: &'a [f32],
    /// The file's up axis: clips come out with Y up.
    pub up: UpAxis,
    /// How far out each joint is measured.
    pub shells_m: &'a [f32],
}

/// A time this close to a key, in samples, is that key.
const SNAP_SAMPLES: f64 = 1e-3;
/// A step further than this from the samples is reported.
const STEP_MOVED_SAMPLES: f64 = 0.05;

impl KeyClip {
    /// True when nothing moves.
    pub fn is_empty(&self) -> bool {
        self.tracks().next().is_none()
    }

    /// Every different key time, in order.
    pub fn times_secs(&self) -> Vec<f32> {
        let mut tracks: Vec<&[f32]> = self.tracks().collect();
        tracks.dedup_by_key(|times| times.as_ptr()); // shared ones
        let mut times = tracks.concat();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    fn tracks(&self) -> impl Iterator<Item = &[f32]> {
        let rotations = self.rotations.iter().map(|(_, k)| k.times_secs());
        let translations = self.translations.iter().map(|(_, k)| k.times_secs());
        let scales = self.scales.iter().map(|(_, k)| k.times_secs());
        let floats = self.floats.iter().map(|(_, k)| k.times_secs());
        rotations.chain(translations).chain(scales).chain(floats)
    }
}

/// How one clip will be sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    samples: usize,
    duration_secs: f32,
}

/// Turns keys into uniform samples, all clips in parallel.
///
/// Time starts at zero, as in glTF: a clip whose first key comes later holds that key until then. It ends with its last
/// key. Keys that all lie at one time make a pose of one sample.
pub(super) fn resample_all(
    clips: &[KeyClip],
    rest: Rest<'_>,
    options: &ImportOptions,
    budget: &Budget,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Clip>, Fault> {
    let times: Vec<Vec<f32>> = clips.iter().map(KeyClip::times_secs).collect();
    let plans = plan_all(clips, &times, options, findings)?;
    let width = (rest.joints.len() + rest.floats.len()) as u64;
    let chains: u64 = rest.skeleton.depths().iter().map(|&depth| depth as u64).sum();
    for (clip, plan) in clips.iter().zip(&plans) {
        let claim = |ask, a_sample| budget.claim(ask, a_sample * plan.samples as u64);
        let claimed = claim(Ask::Samples, width).and_then(|()| claim(Ask::Chains, chains));
        claimed.map_err(|over| Fault::from(over).at(format!("clip '{}'", clip.name)))?;
    }
    for (clip, times) in clips.iter().zip(&times) {
        findings.extend(late_start(clip, times));
        findings.extend(early_start(clip, times));
    }
    for (clip, plan) in clips.iter().zip(&plans) {
        findings.extend(moved_steps(clip, *plan));
    }
    clips.par_iter().zip(&plans).map(|(clip, plan)| resample(clip, *plan, rest)).collect()
}

fn plan_all(
    clips: &[KeyClip],
    times: &[Vec<f32>],
    options: &ImportOptions,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Plan>, Fault> {
    if let Some(rate) = options.rate_hz
        && !(1.0..=1000.0).contains(&rate)
    {
        let what = format!("a sample rate of {rate} Hz was asked for; expected 1 to 1000 Hz");
        return Err(Fault::new(what).advise("Leave the rate out to have it detected"));
    }
    let shared = file_rate_hz(times);
    let mut plans = Vec::with_capacity(clips.len());
    for (clip, times) in clips.iter().zip(times) {
        let rate_hz = match options.rate_hz {
            Some(rate) => f64::from(rate),
            None => clip_rate_hz(clip, times, shared, findings),
        };
        plans.push(plan(clip, times, rate_hz)?);
    }
    Ok(plans)
}

/// The slowest common rate that suits the clips which hold most of the keys.
///
/// A file is made at one rate: a clip with few keys alone could pass for a slower one, and one odd clip must not make
/// the others faster.
fn file_rate_hz(times: &[Vec<f32>]) -> Option<f64> {
    let moving = || times.iter().filter(|t| t.len() > 1);
    let keys = moving().map(Vec::len).sum::<usize>();
    COMMON_RATES_HZ.into_iter().find(|&rate| {
        let suited = moving().filter(|t| fits(t, rate)).map(Vec::len).sum::<usize>();
        suited * 2 > keys
    })
}

fn clip_rate_hz(clip: &KeyClip, times: &[f32], shared: Option<f64>, findings: &mut Vec<Finding>) -> f64 {
    if times.len() < 2 {
        return DEFAULT_RATE_HZ;
    }
    if let Some(rate) = shared.filter(|&rate| fits(times, rate)) {
        return rate;
    }
    let Some(rate) = detect_rate_hz(times) else {
        findings.push(Finding::warning(
            &clip.name,
            "its keys lie on no common sample rate",
            format!(
                "It was sampled at {DEFAULT_RATE_HZ} Hz. Choose another rate in the import options if that is too slow."
            ),
        ));
        return DEFAULT_RATE_HZ;
    };
    if let Some(shared) = shared {
        findings.push(Finding::note(
            &clip.name,
            format!("its keys fit {} Hz, while the file's rate is {} Hz", show_hz(rate), show_hz(shared)),
            "It was sampled at its own rate, so that no key falls between samples. Choose a sample rate to make all alike.",
        ));
    }
    rate
}

fn show_hz(rate_hz: f64) -> f64 {
    (rate_hz * 1000.0).round() / 1000.0
}

fn plan(clip: &KeyClip, times: &[f32], rate_hz: f64) -> Result<Plan, Fault> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
        return Ok(Plan { samples: 1, duration_secs: 0.0 });
    };
    if last <= first || last <= 0.0 {
        return Ok(Plan { samples: 1, duration_secs: 0.0 });
    }
    let samples = sample_count(last, rate_hz);
    if samples > clip_samples(times.len()) as f64 {
        let what =
            format!("clip '{}' lasts {last} s, which is {samples} samples for {} key times", clip.name, times.len());
        return Err(Fault::new(what).advise("Check the unit of its key times, or choose a lower sample rate"));
    }
    Ok(Plan { samples: samples as usize, duration_secs: last })
}

/// A clip that waits before its first key, which often was not meant.
fn late_start(clip: &KeyClip, times: &[f32]) -> Option<Finding> {
    let (&first, &last) = (times.first()?, times.last()?);
    (first > 0.1 && last > first).then(|| {
        let what = format!("its first key lies at {first:.3} s");
        Finding::note(&clip.name, what, "Time starts at zero, as glTF says, and the first key holds until then.")
    })
}

/// Keys before time zero, which glTF does not allow and players cut off.
fn early_start(clip: &KeyClip, times: &[f32]) -> Option<Finding> {
    let (&first, &last) = (times.first()?, times.last()?);
    (first < 0.0).then(|| {
        let meaning = match last > 0.0 {
            true => "Time starts at zero, as glTF says: what lies before is cut off. Move the keys in the source to keep it.",
            false => "Time starts at zero, as glTF says: only the pose of the last key is left. Move the keys in the source.",
        };
        Finding::warning(&clip.name, format!("its first key lies at {first:.3} s, before time zero"), meaning)
    })
}

/// Steps between two samples play at the next sample.
fn moved_steps(clip: &KeyClip, plan: Plan) -> Option<Finding> {
    let grid = TimeGrid::new(plan.samples, plan.duration_secs);
    let stepped = |steps: bool, times: &[f32]| if steps { times.to_vec() } else { Vec::new() };
    let mut times = Vec::new();
    clip.rotations.iter().for_each(|(_, k)| times.extend(stepped(k.is_stepped(), k.times_secs())));
    clip.translations.iter().for_each(|(_, k)| times.extend(stepped(k.is_stepped(), k.times_secs())));
    clip.scales.iter().for_each(|(_, k)| times.extend(stepped(k.is_stepped(), k.times_secs())));
    let late_samples = times.iter().map(|&t| {
        let sample = grid.sample_at(t);
        sample.ceil() - sample
    });
    let worst = late_samples.fold(0.0, f64::max);
    (worst > STEP_MOVED_SAMPLES && grid.rate_hz() > 0.0).then(|| {
        let what = format!("stepped keys lie up to {:.1} ms before a sample", worst / grid.rate_hz() * 1000.0);
        Finding::note(
            &clip.name,
            what,
            "They jump at that sample. Choose a sample rate that holds the keys to avoid it.",
        )
    })
}

fn resample(clip: &KeyClip, plan: Plan, rest: Rest<'_>) -> Result<Clip, Fault> {
    let grid = TimeGrid::new(plan.samples, plan.duration_secs);
    let joints = rest.joints.len();
    let float_tracks = rest.floats.len();
    let mut transforms = rest.joints.repeat(plan.samples);
    let mut holds = Vec::new();
    fill(&clip.rotations, grid, |sample, joint, value| transforms[sample * joints + joint].rotation = value);
    fill(&clip.translations, grid, |sample, joint, value| transforms[sample * joints + joint].translation = value);
    fill(&clip.scales, grid, |sample, joint, value| transforms[sample * joints + joint].scale = value);
    hold(&clip.rotations, Channel::Rotation, grid, &mut holds);
    hold(&clip.translations, Channel::Translation, grid, &mut holds);
    hold(&clip.scales, Channel::Scale, grid, &mut holds);
    raise_roots(&mut transforms, rest);
    let mut floats = rest.floats.repeat(plan.samples);
    fill(&clip.floats, grid, |sample, track, value| floats[sample * float_tracks + track] = value);
    let data = ClipData {
        name: clip.name.clone(),
        joints,
        duration_secs: grid.duration_secs(),
        transforms,
        float_tracks,
        floats,
        holds,
        looping: None,
    };
    let sampled = Clip::new(data).map_err(|e| Fault::new(e.to_string()))?;
    let error = sampling::measure(clip, &sampled, rest);
    Ok(sampled.with_sampling_error(error))
}

fn sample_times(grid: TimeGrid) -> impl Iterator<Item = f32> {
    (0..grid.samples()).map(move |i| grid.time_secs(i as f64))
}

pub(super) fn snap_secs(grid: TimeGrid) -> f32 {
    if grid.rate_hz() > 0.0 { (SNAP_SAMPLES / grid.rate_hz()) as f32 } else { 0.0 }
}

/// Writes each track's value at each sample. A pose of one sample shows the last key, wherever in time it lies.
fn fill<T: KeyValue>(tracks: &[(usize, Keys<T>)], grid: TimeGrid, mut put: impl FnMut(usize, usize, T)) {
    let snap = snap_secs(grid);
    for (track, keys) in tracks {
        if grid.samples() == 1 {
            put(0, *track, keys.at(f32::MAX, 0.0));
            continue;
        }
        for (sample, time) in sample_times(grid).enumerate() {
            put(sample, *track, keys.at(time, snap));
        }
    }
}

/// Marks the intervals of stepped tracks at whose end a key comes: there, and only there, blending would smear a jump.
fn hold<T: KeyValue>(tracks: &[(usize, Keys<T>)], channel: Channel, grid: TimeGrid, holds: &mut Vec<Hold>) {
    for (joint, keys) in tracks.iter().filter(|(_, keys)| keys.is_stepped()) {
        for &time in keys.times_secs().iter().skip(1) {
            // The key plays at the first sample not before it; snapping is the grid's own.
            let sample = grid.sample_at(time).ceil() as u32;
            if let (Some(sample), Ok(joint)) = (sample.checked_sub(1), u16::try_from(*joint)) {
                holds.push(Hold { sample, joint, channel });
            }
        }
    }
}

pub(super) fn raise_roots(transforms: &mut [Transform], rest: Rest<'_>) {
    let joints = rest.joints.len();
    let roots: Vec<usize> = (0..joints).filter(|&j| rest.skeleton.parent(j).is_none()).collect();
    for pose in transforms.chunks_exact_mut(joints) {
        for &root in &roots {
            pose[root] = rest.up.raise(pose[root]);
        }
    }
}
