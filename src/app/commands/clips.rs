//! Clips, joints, time and errors.

use posepress_core::metrics::{Complaint, Verdict};
use posepress_core::model::ClipId;
use posepress_core::project::ReviewFilter;
use posepress_core::report::JointSort;
use posepress_core::workspace::ClipSort;
use serde::{Deserialize, Serialize};

/// Selection and filter of clips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ClipCommand {
    /// Look at another clip.
    SelectClip(ClipId),
    /// Look at the clip so many rows below in the list.
    SelectBy(i32),
    /// Look at the next failing clip of the list, or the previous one.
    SelectFailing(bool),
    /// Pick a clip besides the one that is looked at, or no more.
    PickClip(ClipId),
    /// Pick all clips of the list from the one that is looked at to this one.
    PickClipsTo(ClipId),
    /// Pick every clip of the list.
    PickListed,
    /// Show only clips whose name contains this text.
    FilterClips(String),
    /// Show only clips that fare so; all of them without one.
    FilterVerdict(Option<Verdict>),
    /// Show only clips whose review is that far; all of them without one.
    FilterReview(Option<ReviewFilter>),
    /// Order of the list of clips; as in the files without one.
    SortClips(Option<ClipSort>),
    /// Clips of one file stand together, or not.
    GroupClips(bool),
    /// Hide the clips of a file in the list, or show them.
    ToggleFile(u32),
}

/// Selection and filter of joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum JointCommand {
    /// Pick a joint.
    SelectJoint(Option<usize>),
    /// Pick the joint that is to blame.
    SelectBlamed,
    /// Show only joints whose name contains this text.
    FilterJoints(String),
    /// Order of the joint list.
    SortJoints(JointSort),
    /// Fold or unfold the joints below one.
    ToggleJoint(usize),
    /// Draw a joint's curves besides those of the selected one, or no longer.
    CompareJoint(usize),
    /// The trail of the selected joint stays, or no longer.
    KeepTrail,
}

/// The playhead, and how time is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PlayCommand {
    /// Put the playhead.
    Seek(f32),
    /// Move the playhead by samples.
    Step(f64),
    /// Factor on real time.
    SetSpeed(f32),
    /// Play, or pause.
    TogglePlay,
    /// At the end go back to the start, or stop.
    ToggleLoop,
    /// Toggle playback around the seam.
    ToggleSeam,
    /// Start the played range at the playhead.
    MarkIn,
    /// End the played range at the playhead.
    MarkOut,
    /// Forget both points.
    PlayWhole,
    /// Part of the clip that the timeline shows, as shares of its length.
    ZoomTimeline(f32, f32),
    /// Frame number of the first sample.
    SetFirstFrame(i32),
    /// The ruler counts seconds, or frames again.
    ToggleRuler,
    /// Error between samples counts in the plot.
    ToggleBetween,
}

/// Navigation to errors and their causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FindCommand {
    /// A peak of the error, and who is to blame for it.
    ShowPeak(f32),
    /// The next peak of the error, or the previous one.
    GoToPeak(bool),
    /// The largest error of the clip.
    GoWorst,
    /// Show the worst frame of a contact from the side, and find its cause.
    ShowContact(usize),
    /// The next contact, or the previous one.
    GoToContact(bool),
    /// The contact that slides most.
    GoWorstContact,
    /// Find the joint that causes an error.
    Explain(Complaint),
}
