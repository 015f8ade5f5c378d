use super::args::size;
use super::load::{choose_clips, load_all};
use super::{Console, Failure, RecipeArgs, Size, SourceArgs};
use crate::codecs::Progress;
use crate::model::Pose;
use crate::session::{MeasuredClip, Outcome, compress};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `posepress render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// A source file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which clip; needed when there are several.
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Moment, seconds [default: where the shell error is largest].
    #[arg(long, value_name = "T")]
    pub time: Option<f32>,
    /// How original and compressed share the picture.
    #[arg(long, value_enum, default_value = "side")]
    pub view: ViewArg,
    /// Pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: Size,
    /// The picture to write.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// How the clip is compressed.
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// How the file is read.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// How original and compressed share a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Original left, compressed right.
    Side,
    /// One picture: original left of the middle, compressed right of it.
    Wipe,
    /// As side, with the compressed mesh coloured by its error.
    Heat,
    /// The original alone.
    Original,
    /// The compressed one alone.
    Compressed,
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
    pub view: ViewArg,
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
        let recipe = args.recipe.recipe()?;
        let files = load_all(std::slice::from_ref(&args.file), &args.source, console)?;
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
        let measured = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), &recipe);
        let outcome = compress(&measured, &recipe, &Progress::new()).map_err(|e| Failure::file(&args.file, e))?;
        let time_secs = args.time.unwrap_or(outcome.report.samples.worst.time_secs);
        Ok(Self { measured, outcome, time_secs, view: args.view, size: args.size, output: args.output.clone() })
    }

    /// The raw and the decoded pose of the moment.
    ///
    /// # Errors
    /// [`Failure`], only if the codec is at fault.
    pub fn poses(&self) -> Result<(Pose, Pose), Failure> {
        let (rig, clip) = (&self.measured.rig, &self.measured.clip);
        let mut raw = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut lossy = raw.clone();
        clip.sample(self.time_secs, &mut raw);
        let bind = Pose::bind(&rig.skeleton, 0).joints;
        self.outcome.sampler(&bind).map_err(Failure::input)?.sample(self.time_secs, &mut lossy);
        Ok((raw, lossy))
    }
}
