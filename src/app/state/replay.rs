//! The fit that the curve plot replays.

use super::{CurveKind, View};
use posepress_core::codecs::KeptKeys;
use posepress_core::model::Channel;
use posepress_core::report::Sides;
use posepress_core::tasks::FitOf;

/// Progress of a replayed fit: how many of its keys are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertions {
    /// Number of keys that are shown.
    pub shown: usize,
    /// Number of all keys.
    pub all: usize,
}

impl Insertions {
    /// Progress for a joint. `None` if keys were not inserted one by one, or if compensation changed the target of the
    /// fit.
    pub fn of(view: &View, shown: &Sides, joint: usize) -> Option<Self> {
        let all = replayable(shown, joint, view.settings.curve)?.inserted.len();
        Some(Self { shown: view.selection.replay_keys.unwrap_or(all).clamp(2, all), all })
    }

    /// True if all keys are shown: then the fit is the decoded curve.
    pub fn is_whole(self) -> bool {
        self.shown == self.all
    }
}

fn replayable(shown: &Sides, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let kept = kept_keys(shown, joint, kind)?;
    (kept.inserted.len() > 2 && shown.outcome.can_replay()).then_some(kept)
}

/// The partial fit to compute for the slider. `None` if all keys are shown, because that is the decoded curve.
pub fn wanted_fit(view: &View, shown: &Sides) -> Option<FitOf> {
    let joint = view.selection.joint?;
    let channel = replayable(shown, joint, view.settings.curve)?.channel;
    let insertions = Insertions::of(view, shown, joint).filter(|i| !i.is_whole())?;
    Some(FitOf { joint, channel, keys: insertions.shown })
}

/// The channel of a curve kind; `None` for float tracks.
pub fn curve_channel(kind: CurveKind) -> Option<Channel> {
    match kind {
        CurveKind::RotationDegrees | CurveKind::RotationEuler | CurveKind::RotationComponents => {
            Some(Channel::Rotation)
        }
        CurveKind::Translation => Some(Channel::Translation),
        CurveKind::Scale => Some(Channel::Scale),
        CurveKind::Floats => None,
    }
}

/// The kept keys of a joint's track, for codecs that drop samples.
pub fn kept_keys(shown: &Sides, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let channel = curve_channel(kind)?;
    shown.outcome.kept(channel, joint)
}
