//! Re-runs a track's curve fit up to a given key, for inspection.

use super::choose::{FitTargets, begun};
use super::decode::CatmullRomDecoder;
use super::fit::FitSettings;
use super::{CatmullRom, Choices, pinned_joints};
use crate::codecs::encode::keys::pin;
use crate::codecs::encode::write::{WriteCoding, WriteKey};
use crate::codecs::encode::{OwnPayload, play_own, raw_track};
use crate::codecs::runtime::{KeyCoding, Spline, ValueCoding};
use crate::codecs::{Codec, FittedCurve, Replay, Source};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::model::{Channel, ModelPose, Pose};
use posepress_runtime::internal::codecs::Decoder;

/// The curve of a track after the first keys of its fit. `None` for a track without keys, and for takes that were fitted in blocks.
///
/// # Errors
/// [`DecodeError`] if the payload does not come from the source.
pub fn replay(
    source: &Source<'_>,
    choices: &Choices,
    payload: &[u8],
    track: &Replay<'_>,
) -> Result<Option<FittedCurve>, DecodeError> {
    let (joint, channel) = (usize::from(track.kept.joint), track.kept.channel);
    let mut player = play_own(CatmullRom.id(), source, payload, None)?;
    let Decoder::CatmullRom(decoder) = player.clip().decoder() else { return Ok(None) };
    let coding_of = |decoder: &CatmullRomDecoder| decoder.coding_of((joint, channel));
    let Some(coding) = decoder.whole().and_then(coding_of) else { return Ok(None) };
    let bind = source.skeleton.bind_pose(0).joints;
    let targets = targets(source, choices, &mut player, joint);
    // With several fits, or with keys removed again, the payload does not say how the fit went.
    let ([settings], false) = (&choices.fits[..], choices.thins_out) else { return Ok(None) };
    let fit = (*settings, choices.spline);
    Ok(Some(match (coding, channel) {
        (ValueCoding::Rotation(coding), _) => {
            curve(fit, coding, track, &targets, |t| t.rotation, |q| Transform { rotation: q, ..bind[joint] })
        }
        (ValueCoding::Vector(coding), Channel::Scale) => {
            curve(fit, coding, track, &targets, |t| t.scale, |v| Transform { scale: v, ..bind[joint] })
        }
        (ValueCoding::Vector(coding), _) => {
            curve(fit, coding, track, &targets, |t| t.translation, |v| Transform { translation: v, ..bind[joint] })
        }
    }))
}

fn curve<F: WriteKey>(
    (settings, spline): (FitSettings, Spline),
    coding: KeyCoding<F>,
    track: &Replay<'_>,
    targets: &[Transform],
    part: impl Fn(&Transform) -> F::Key,
    whole: impl Fn(F::Key) -> Transform,
) -> FittedCurve {
    let keys: Vec<F::Key> = targets.iter().map(part).collect();
    let targets = FitTargets::new::<F>(&keys, &coding.round_trips(&keys));
    let mut fit = begun(settings, spline, coding, &targets, track.sub_frames.max(1));
    // A fit begins with the first and the last sample.
    let start = fit.samples().len();
    for sample in track.kept.inserted.iter().take(track.keys).skip(start) {
        fit.insert(*sample as usize);
    }
    FittedCurve { samples: fit.samples(), values: fit.curve().into_iter().map(|v| whole(F::key_of(v))).collect() }
}

/// The target of a joint's fit, one transform per sample.
fn targets(source: &Source<'_>, choices: &Choices, player: &mut OwnPayload<'_>, joint: usize) -> Vec<Transform> {
    let (skeleton, clip) = (source.skeleton, source.clip);
    let mut targets: Vec<Transform> = clip.track(joint).collect();
    let is_pinned = pinned_joints(skeleton, choices.pinning).is_some_and(|p| p[joint]);
    let Some(parent) = skeleton.parent(joint).filter(|_| is_pinned) else { return targets };
    let mut pose = Pose::with_size(clip.joints(), 0);
    let decoded: Vec<_> = (0..clip.samples())
        .map(|sample| {
            player.sample(sample as f64, &mut pose);
            ModelPose::new(skeleton, &pose.joints).joints[parent]
        })
        .collect();
    pin(&mut targets, &decoded, raw_track(source, joint, 0..clip.samples()));
    targets
}
