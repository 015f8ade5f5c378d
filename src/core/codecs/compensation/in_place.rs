//! In-place correction: adjusts each joint to its decoded parent before it is encoded.

use super::LeftOff;
use super::correction_bytes::Corrections;
use super::job::{Attempt, Job};
use super::motion::{Motion, largest};
use super::retarget::{aimed_under_parent, under_parent};
use crate::codecs::encode::with_locals;
use crate::codecs::groups::encode_payload;
use crate::codecs::{Encoded, Progress, Source};
use crate::math::Transform;
use crate::metrics::shell_error_m;
use crate::model::{Channel, Clip};

/// Encodes the clip again for each depth of the hierarchy whose joints need a correction. First the joints below the roots are moved to
/// where their decoded parents need them, then the joints below these, down to the leaves. Keeps the pass with the smallest error, unless
/// that is the plain encoding.
///
/// A codec that stores each track separately decodes a parent equally in all later passes. Children are then corrected against exactly what
/// players decode. A codec that chooses across tracks may move a parent again in a later pass, so every pass is measured.
pub fn encode(job: &Job<'_>, plain: &Encoded, progress: &Progress) -> Attempt<Encoded> {
    let skeleton = job.source.skeleton;
    let mut decoded = job.decoded(plain, &Corrections::default())?;
    let movable = Movable::new(&decoded, job.settings.new_tracks);
    let mut best = (decoded.error_m(&job.raw, job.source), Err(LeftOff::NothingToCorrect));
    let mut wanted = locals(job.source.clip);
    // The memory of each pass's clip.
    let mut corrected_locals = Vec::new();
    let depth_of: Vec<usize> = skeleton.depths();
    let deepest = depth_of.iter().copied().max().unwrap_or(0);
    for depth in 1..=deepest {
        let joints = (0..skeleton.len()).filter(|&joint| depth_of[joint] == depth);
        let corrected = joints.filter(|&joint| correct(job, &decoded, &movable, joint, &mut wanted)).count();
        if corrected == 0 {
            continue;
        }
        corrected_locals.clone_from(&wanted);
        let clip = with_locals(job.source.clip, corrected_locals)?;
        let part = (depth - 1) as f32 / deepest as f32..depth as f32 / deepest as f32;
        let source = Source { clip: &clip, ..*job.source };
        let encoded = encode_payload(job.codec, &source, job.values, &progress.share(part))?;
        corrected_locals = clip.into_transforms();
        decoded.decode_again(job.codec, job.source, &encoded.payload)?;
        let error_m = decoded.error_m(&job.raw, job.source);
        if error_m < best.0 {
            best = (error_m, Ok(encoded));
        } else if best.1.is_err() {
            best.1 = Err(LeftOff::NotNearer);
        }
    }
    Ok(best.1)
}

/// Moves a joint to where its decoded parent needs it at every sample. False if the correction is not worth it.
fn correct(job: &Job<'_>, decoded: &Motion, movable: &Movable, joint: usize, wanted: &mut [Transform]) -> bool {
    let (skeleton, clip) = (job.source.skeleton, job.source.clip);
    let (turns, moves) = (movable.rotation(joint), movable.translation(joint));
    if job.source.is_grouped(joint) || !(turns || moves) || !parents_err_more(job, decoded, joint) {
        return false;
    }
    let corrected = |sample| {
        let raw = clip.at(sample, joint);
        match (turns, moves) {
            (true, false) => {
                let (translation, shell_m) = (decoded.local(sample, joint).translation, job.source.shells_m[joint]);
                let aimed = aimed_under_parent(skeleton, &job.raw, decoded, sample, joint, translation, shell_m);
                aimed.map(|local| Transform { translation: raw.translation, ..local })
            }
            (false, _) => under_parent(skeleton, &job.raw, decoded, sample, joint)
                .map(|local| Transform { rotation: raw.rotation, ..local }),
            (true, true) => under_parent(skeleton, &job.raw, decoded, sample, joint),
        }
    };
    let Some(corrected) = (0..clip.samples()).map(corrected).collect::<Option<Vec<_>>>() else { return false };
    for (sample, local) in corrected.into_iter().enumerate() {
        wanted[sample * clip.joints() + joint] = local;
    }
    true
}

/// True if a joint's parents contribute more to its error than its own tracks do. A smaller correction would be lost in the noise of the
/// tracks, but still cost bits.
fn parents_err_more(job: &Job<'_>, decoded: &Motion, joint: usize) -> bool {
    let (skeleton, shell_m) = (job.source.skeleton, job.source.shells_m[joint]);
    let (mut inherited_m, mut own_m) = (0.0f32, 0.0f32);
    for sample in 0..decoded.samples() {
        let raw = job.raw.model(sample, joint);
        let under = |motion: &Motion, local: Transform| motion.parent(skeleton, sample, joint).0 * local.to_affine();
        let error_m = |model| shell_error_m(&raw, &model, shell_m);
        inherited_m = largest(inherited_m, error_m(under(decoded, job.raw.local(sample, joint))));
        own_m = largest(own_m, error_m(under(&job.raw, decoded.local(sample, joint))));
    }
    inherited_m > own_m
}

/// The tracks that the plain encoding animates. Other tracks would become animated to hold a correction.
struct Movable {
    tracks: Vec<[bool; 2]>,
}

impl Movable {
    fn new(decoded: &Motion, new_tracks: bool) -> Self {
        let is_animated = |joint: usize, channel: Channel| {
            let first = decoded.local(0, joint);
            let differs = |t: Transform| match channel {
                Channel::Rotation => t.rotation != first.rotation,
                _ => t.translation != first.translation,
            };
            new_tracks || (1..decoded.samples()).any(|sample| differs(decoded.local(sample, joint)))
        };
        let joints = 0..decoded.joints();
        let of = |joint| [is_animated(joint, Channel::Rotation), is_animated(joint, Channel::Translation)];
        Self { tracks: joints.map(of).collect() }
    }

    fn rotation(&self, joint: usize) -> bool {
        self.tracks[joint][0]
    }

    fn translation(&self, joint: usize) -> bool {
        self.tracks[joint][1]
    }
}

fn locals(clip: &Clip) -> Vec<Transform> {
    (0..clip.samples()).flat_map(|sample| clip.pose(sample).iter().copied()).collect()
}
