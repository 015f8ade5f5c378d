//! What `posepress render` draws, for builds that can draw.

use super::load::{choose_clips, load_all};
use super::output::{check_loaded, is_stdout};
use super::{Console, Failure, RenderArgs, Size};
use posepress_core::codecs::Progress;
use posepress_core::model::{Pose, Rig};
use posepress_core::session::{
    CameraDirection, Layer, MeasuredClip, Outcome, Side, StillView, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE,
    ViewMode, compress,
};
use posepress_core::text;
use std::path::PathBuf;

impl RenderArgs {
    /// A setting of another view would change nothing, silently; a picture of another format would be a PNG under a wrong name.
    fn check(&self) -> Result<(), Failure> {
        let is_png = self.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
        let is_device = is_stdout(&self.output) || (self.output.exists() && !self.output.is_file());
        if !is_png && !is_device {
            let output = self.output.display();
            return Err(Failure::usage(format!(
                "{output}: pictures are PNG; name the output OUT.png, or - for standard output"
            )));
        }
        let only = |given: bool, option: &str, view: &str| match given {
            true => Err(Failure::usage(format!("{option} is of use with --view {view} only"))),
            false => Ok(()),
        };
        only(self.onion_mix.is_some() && self.view != StillView::Mode(ViewMode::Onion), "--onion-mix", "onion")?;
        only(self.wipe.is_some() && self.view != StillView::Mode(ViewMode::Wipe), "--wipe", "wipe")?;
        let drawn = self.heat || self.difference.is_some();
        match self.view == StillView::Only(Side::Original) && drawn {
            true => Err(Failure::usage(
                "--heat and --difference are drawn on the compressed side; --view original has none",
            )),
            false => Ok(()),
        }
    }
}

/// The time, if the clip has it: one outside would be drawn as the nearest moment inside, under a wrong name.
fn inside(time_secs: f32, duration_secs: f32, clip: &str) -> Result<f32, Failure> {
    // A time that was read from a printed duration may be a rounding above it.
    const ROUNDING_SECS: f32 = 5e-4;
    match (0.0..=duration_secs + ROUNDING_SECS).contains(&time_secs) {
        true => Ok(time_secs.min(duration_secs)),
        false => Err(Failure::usage(format!(
            "--time {time_secs} is outside of '{clip}', which lasts from 0 to {duration_secs} s"
        ))),
    }
}

/// The joint of that name.
fn joint_named(rig: &Rig, name: &str) -> Result<usize, Failure> {
    rig.skeleton.find(name).ok_or_else(|| {
        let names = (0..rig.skeleton.len()).map(|joint| rig.skeleton.name(joint)).collect::<Vec<_>>();
        Failure::usage(format!("no joint '{name}'; there are: {}", names.join(", ")))
    })
}

/// What is to be drawn: everything but the drawing.
pub struct RenderScene {
    /// Rig and raw clip.
    pub measured: MeasuredClip,
    /// Compressed and measured.
    pub outcome: Outcome,
    /// Moment.
    pub time_secs: f32,
    /// Arrangement.
    pub view: StillView,
    /// Colour the compressed figure by its error.
    pub heat: bool,
    /// Factor on the difference; 1 = as it is.
    pub difference: f32,
    /// Opacity of the compressed figure over the original, 0 to 1.
    pub onion_mix: f32,
    /// Where the wipe's line stands, 0 to 1.
    pub wipe: f32,
    /// Where it is looked at from.
    pub camera: CameraDirection,
    /// The joint that is looked at from near.
    pub joint: Option<usize>,
    /// How many times nearer the camera stands.
    pub zoom: f32,
    /// Pixels.
    pub size: Size,
    /// The file to write.
    pub output: PathBuf,
}

impl RenderScene {
    /// Reads the file, compresses the clip and finds the moment.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn prepare(args: &RenderArgs, console: &mut Console<'_>) -> Result<Self, Failure> {
        args.check()?;
        let recipe = args.recipe.recipe()?;
        let files = load_all(std::slice::from_ref(&args.file), &args.source, console)?;
        check_loaded(&args.output, &files)?;
        let clips = choose_clips(&files, &Default::default())?;
        let names = || clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
        let clip = match (&args.clip, clips.as_slice()) {
            (Some(name), _) => clips
                .iter()
                .find(|c| c.name == *name)
                .ok_or_else(|| Failure::file(&args.file, format!("has no clip '{name}'; it has: {}", names())))?,
            (None, [only]) => only,
            (None, _) => return Err(Failure::usage(format!("which clip? Say --clip NAME, one of: {}", names()))),
        };
        let joint = args.joint.as_deref().map(|name| joint_named(&clip.rig, name)).transpose()?;
        let measured = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), &recipe);
        let outcome = compress(&measured, &recipe, &Progress::new()).map_err(|e| Failure::file(&args.file, e))?;
        let time_secs = match args.time {
            Some(time_secs) => inside(time_secs, measured.clip.duration_secs(), &clip.name)?,
            None => outcome.report.samples.worst.time_secs,
        };
        let usual = if args.view == StillView::Over(Layer::Difference) { USUAL_DIFFERENCE_GAIN } else { 1.0 };
        Ok(Self {
            measured,
            outcome,
            time_secs,
            view: args.view,
            heat: args.heat || args.view == StillView::Over(Layer::Heat),
            difference: args.difference.unwrap_or(usual),
            onion_mix: args.onion_mix.unwrap_or(USUAL_ONION_MIX),
            wipe: args.wipe.unwrap_or(USUAL_WIPE),
            camera: args.camera,
            joint,
            zoom: args.zoom,
            size: args.size,
            output: args.output.clone(),
        })
    }

    /// How the clip was compressed, as the picture says it.
    pub fn recipe_words(&self) -> String {
        let recipe = &self.outcome.recipe;
        format!("{} {}", recipe.codec.name(), text::length(recipe.tolerance_m))
    }

    /// The raw and the decoded pose of the moment.
    pub fn poses(&self) -> (Pose, Pose) {
        let clip = &self.measured.clip;
        let mut raw = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut lossy = raw.clone();
        let at_sample = clip.grid().sample_at(self.time_secs);
        clip.sample(at_sample, &mut raw);
        self.outcome.sampler().sample(at_sample, &mut lossy);
        (raw, lossy)
    }
}
