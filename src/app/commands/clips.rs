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
    /// Select a clip.
    SelectClip(ClipId),
    /// Select the clip this many rows below in the list.
    SelectBy(i32),
    /// Select the next failing clip of the list if true, else the previous one.
    SelectFailing(bool),
    /// Pick a clip besides the selected one, or unpick it.
    PickClip(ClipId),
    /// Pick all clips of the list from the selected one to this one.
    PickClipsTo(ClipId),
    /// Pick every clip of the list.
    PickListed,
    /// Show only clips whose name contains this text.
    FilterClips(String),
    /// Show only clips with this verdict; `None` for all.
    FilterVerdict(Option<Verdict>),
    /// Show only clips with this state of review; `None` for all.
    FilterReview(Option<ReviewFilter>),
    /// Order of the list of clips; `None` for the order of the files.
    SortClips(Option<ClipSort>),
    /// Show or hide a column of numbers, by its key.
    ToggleColumn(String),
    /// Group clips by file, or not.
    GroupClips(bool),
    /// Hide the clips of a file in the list, or show them.
    ToggleFile(u32),
}

/// Selection and filter of joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum JointCommand {
    /// Select a joint, or none.
    SelectJoint(Option<usize>),
    /// Select the joint that causes the error.
    SelectBlamed,
    /// Show only joints whose name contains this text.
    FilterJoints(String),
    /// Order of the joint list.
    SortJoints(JointSort),
    /// Fold or unfold the joints below one.
    ToggleJoint(usize),
    /// Draw a joint's curves besides those of the selected one, or no longer.
    CompareJoint(usize),
    /// Keep the trail of the selected joint, or stop keeping it.
    KeepTrail,
}

/// The playhead, and how time is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PlayCommand {
    /// Move the playhead to this time, seconds.
    Seek(f32),
    /// Move the playhead by samples.
    Step(f64),
    /// Set the playback speed; 1 is real time.
    SetSpeed(f32),
    /// Play, or pause.
    TogglePlay,
    /// Play forward if true, else backward. Again: twice as fast.
    Shuttle(bool),
    /// Stop playing.
    Pause,
    /// Toggle between looping and stopping at the end.
    ToggleLoop,
    /// Toggle playback around the seam.
    ToggleSeam,
    /// Start the played range at the playhead.
    MarkIn,
    /// End the played range at the playhead.
    MarkOut,
    /// Clear the played range.
    PlayWhole,
    /// Part of the clip that the timeline shows, as shares of its length.
    ZoomTimeline(f32, f32),
    /// Frame number of the first sample.
    SetFirstFrame(i32),
    /// Toggle the ruler between frames and seconds.
    ToggleRuler,
    /// Include errors between samples in the plot, or not.
    ToggleBetween,
}

/// Navigation to errors and their causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FindCommand {
    /// Go to the error peak at this time, and find its cause.
    ShowPeak(f32),
    /// Go to the next error peak if true, else to the previous one.
    GoToPeak(bool),
    /// Go to the largest error of the clip.
    GoWorst,
    /// Show the worst frame of a contact from the side, and find its cause.
    ShowContact(usize),
    /// Show the frame of a pin's largest drift.
    ShowPin(usize),
    /// Go to the next contact if true, else to the previous one.
    GoToContact(bool),
    /// Go to the contact that slides most.
    GoWorstContact,
    /// Find the joint that causes an error.
    Explain(Complaint),
}
