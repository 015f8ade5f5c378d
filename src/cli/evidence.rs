use super::player::PlayedClip;
use posepress_core::model::{Pose, Rig};
use posepress_core::pipeline::{MeasuredClip, Outcome};
use posepress_core::report::worst_moment;
use std::sync::Arc;

/// The pictures and curve of a clip on a page.
pub struct Evidence {
    /// Largest shell error over all joints at every measured time, metres.
    pub error_m: Vec<f32>,
    /// Time of the last measured error, seconds.
    pub duration_secs: f32,
    /// Tolerance of the recipe, metres.
    pub tolerance_m: f32,
    /// The worst frame; `None` without error.
    pub moment: Option<Moment>,
    /// Both sides for the player; `None` on pages without a player.
    pub played: Option<PlayedClip>,
}

/// A frame of a clip with its original and compressed pose, and all data for drawing.
#[cfg_attr(not(feature = "gui"), expect(dead_code, reason = "this build does not draw"))]
pub struct Moment {
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// The source pose.
    pub raw: Pose,
    /// The decoded pose.
    pub lossy: Pose,
    /// The joint with the largest error.
    pub joint: usize,
    /// Time of the frame.
    pub time_secs: f32,
    /// Height of the ground, metres.
    pub ground_m: f32,
    /// Tolerance of the recipe, metres: the palest colour of the heat map.
    pub tolerance_m: f32,
}

/// A picture of a frame.
pub struct Thumbnail {
    /// Its subject, for people.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Form of a picture of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureForm {
    /// Width and height.
    pub size_px: [u32; 2],
    /// The file format.
    pub format: PictureFormat,
}

/// File format of a picture of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// Every colour as it was drawn.
    Png,
    /// 256 colours: a third of the bytes.
    Gif,
}

impl PictureFormat {
    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Gif => "image/gif",
        }
    }
}

/// Draws frames, in builds that can.
pub trait Painter {
    /// Draws the original, the decoded pose and the error in this form.
    ///
    /// # Errors
    /// The message of the graphics driver.
    fn paint(&mut self, moment: &Moment, form: PictureForm) -> Result<Vec<Thumbnail>, String>;
}

impl Evidence {
    /// The evidence of a measured clip.
    pub fn of(source: &MeasuredClip, outcome: &Outcome) -> Self {
        let report = &outcome.report;
        let moment = worst_moment(report).and_then(|worst| worst.moment());
        Self {
            error_m: report.per_step.clone(),
            duration_secs: source.clip.duration_secs(),
            tolerance_m: report.tolerance_m,
            moment: moment.map(|(joint, step)| Moment::of(source, outcome, joint, source.raw.time_secs(step))),
            played: None,
        }
    }

    /// The evidence of a measured clip, with both sides for the player.
    pub fn playing(source: &MeasuredClip, outcome: &Outcome) -> Self {
        Self { played: Some(PlayedClip::of(source, outcome)), ..Self::of(source, outcome) }
    }
}

impl Moment {
    /// A frame of a clip. The camera looks at `joint`.
    fn of(source: &MeasuredClip, outcome: &Outcome, joint: usize, time_secs: f32) -> Self {
        let clip = &source.clip;
        let mut raw = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut lossy = raw.clone();
        let at_sample = clip.grid().sample_at(time_secs);
        clip.sample(at_sample, &mut raw);
        outcome.sampler().sample(at_sample, &mut lossy);
        let (rig, ground_m, tolerance_m) = (source.rig.clone(), source.plan.ground_m, outcome.report.tolerance_m);
        Self { rig, raw, lossy, joint, time_secs, ground_m, tolerance_m }
    }
}
