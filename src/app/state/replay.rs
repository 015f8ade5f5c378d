//! The fit that the curve plot replays.

use super::{CurveKind, View};
use posepress_core::codecs::KeptKeys;
use posepress_core::model::Channel;
use posepress_core::report::Sides;
use posepress_core::tasks::FitOf;

/// A fit that is seen again: how many of its keys, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertions {
    /// Keys that are shown.
    pub shown: usize,
    /// Keys in the end.
    pub all: usize,
}

impl Insertions {
    /// Those of a joint; `None` where keys were not inserted one by one, and where compensation changed what the fit aimed
    /// at.
    pub fn of(view: &View, shown: &Sides, joint: usize) -> Option<Self> {
        let all = replayable(shown, joint, view.settings.curve)?.inserted.len();
        Some(Self { shown: view.selection.replay_keys.unwrap_or(all).clamp(2, all), all })
    }

    /// With all its keys the fit is the decoded curve.
    pub fn is_whole(self) -> bool {
        self.shown == self.all
    }
}

fn replayable(shown: &Sides, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let kept = kept_keys(shown, joint, kind)?;
    (kept.inserted.len() > 2 && shown.outcome.can_replay()).then_some(kept)
}

/// The fit that the slider asks for; `None` when all keys are there, because then the decoded curve is shown.
pub fn wanted_fit(view: &View, shown: &Sides) -> Option<FitOf> {
    let joint = view.selection.joint?;
    let channel = replayable(shown, joint, view.settings.curve)?.channel;
    let insertions = Insertions::of(view, shown, joint).filter(|i| !i.is_whole())?;
    Some(FitOf { joint, channel, keys: insertions.shown })
}

/// The channel whose keys and bits belong to a kind; float tracks have none.
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

/// The samples that are stored of a track, for codecs that drop some.
pub fn kept_keys(shown: &Sides, joint: usize, kind: CurveKind) -> Option<&KeptKeys> {
    let channel = curve_channel(kind)?;
    shown.outcome.kept(channel, joint)
}
