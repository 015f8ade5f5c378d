//! The scene of `posepress render`, for builds that can draw.

use super::load::{NamedClip, choose_clips, load_all};
use super::output::{check_loaded, is_stdout};
use super::{Console, Failure, RenderArgs, Size};
use posepress_app::render::{FilmFormat, USUAL_FILM_HZ, film_times};
use posepress_core::codecs::Progress;
use posepress_core::model::{Clip, Pose, Rig};
use posepress_core::pipeline::{CompressError, MeasuredClip, Outcome, compress, guard};
use posepress_core::recipe::Recipe;
use posepress_core::text;
use posepress_core::view::{
    CameraDirection, CameraPlace, CameraPreset, Layer, Layers, SharedView, Side, StillView, USUAL_DIFFERENCE_GAIN,
    USUAL_ONION_MIX, USUAL_WIPE, ViewMode,
};
use std::path::PathBuf;

const USUAL_SIZE: Size = Size { width: 1280, height: 720 };
/// Default size of an animation, which has many frames.
const USUAL_FILM_SIZE: Size = Size { width: 640, height: 360 };

impl RenderArgs {
    /// Refuses an option that the chosen view ignores, and an output with an unknown extension.
    fn check(&self) -> Result<(), Failure> {
        let is_png = self.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
        let is_device = is_stdout(&self.output) || (self.output.exists() && !self.output.is_file());
        let format = FilmFormat::of(&self.output);
        if !is_png && !is_device && format.is_none() {
            let output = self.output.display();
            return Err(Failure::usage(format!(
                "{output}: a picture is PNG, an animation GIF or APNG; name the output OUT.png, OUT.gif, OUT.apng, or - for a picture to \
                 standard output"
            )));
        }
        if format.is_none() && (self.from.is_some() || self.to.is_some() || self.fps.is_some()) {
            return Err(Failure::usage(
                "--from, --to and --fps need an animation: name the output OUT.gif or OUT.apng",
            ));
        }
        if format.is_some() && self.time.is_some() {
            return Err(Failure::usage("--time is for pictures; an animation takes --from and --to"));
        }
        let view = self.still_view();
        let only = |given: bool, option: &str, view: &str| match given {
            true => Err(Failure::usage(format!("{option} needs --view {view}"))),
            false => Ok(()),
        };
        only(self.onion_mix.is_some() && view != StillView::Mode(ViewMode::Onion), "--onion-mix", "onion")?;
        only(self.wipe.is_some() && view != StillView::Mode(ViewMode::Wipe), "--wipe", "wipe")?;
        let drawn = self.heat || self.difference.is_some();
        match view == StillView::Only(Side::Original) && drawn {
            true => Err(Failure::usage(
                "--heat and --difference are drawn on the compressed side; --view original has none",
            )),
            false => Ok(()),
        }
    }

    /// Arrangement of both sides: from the option, from the shared view, or side by side. Blink becomes side by side.
    fn still_view(&self) -> StillView {
        let of_text = self.view_text.as_ref().map(|text| text.mode).filter(|mode| mode.is_still());
        self.view.unwrap_or(StillView::Mode(of_text.unwrap_or_default()))
    }

    /// Factor on the error. 1 draws it unchanged.
    fn gain(&self) -> f32 {
        let of_text = self.view_text.as_ref().filter(|text| text.layers.is_on(Layer::Difference));
        let usual = if self.view == Some(StillView::Over(Layer::Difference)) { USUAL_DIFFERENCE_GAIN } else { 1.0 };
        self.difference.or(of_text.map(|text| text.difference)).unwrap_or(usual)
    }

    /// True if the compressed mesh is coloured by its error.
    fn is_heat(&self) -> bool {
        let of_text = self.view_text.as_ref().is_some_and(|text| text.layers.is_on(Layer::Heat));
        self.heat
            || self.view == Some(StillView::Over(Layer::Heat))
            || of_text && self.still_view() != StillView::Only(Side::Original)
    }

    /// The shared view's camera of a side, unless options replace it.
    fn place(&self, of: impl Fn(&SharedView) -> Option<CameraPlace>) -> Option<CameraPlace> {
        let is_said = self.camera.is_some() || self.joint.is_some();
        self.view_text.as_ref().filter(|_| !is_said).and_then(of)
    }
}

/// An animation to draw.
pub struct Film {
    /// File format.
    pub format: FilmFormat,
    /// Times of its frames, seconds.
    pub times_secs: Vec<f32>,
    /// Frames per second.
    pub rate_hz: f32,
}

impl Film {
    fn of(args: &RenderArgs, clip: &Clip, name: &str) -> Result<Option<Self>, Failure> {
        let Some(format) = FilmFormat::of(&args.output) else { return Ok(None) };
        let duration_secs = clip.duration_secs();
        let end = |time_secs: Option<f32>, option, usual| {
            time_secs.map_or(Ok(usual), |t| inside(option, t, duration_secs, name))
        };
        let span = [end(args.from, "--from", 0.0)?, end(args.to, "--to", duration_secs)?];
        if span[0] > span[1] {
            return Err(Failure::usage(format!("--from {} comes after --to {}", span[0], span[1])));
        }
        let (rate_hz, is_whole) = (args.fps.unwrap_or(USUAL_FILM_HZ), span == [0.0, duration_secs]);
        let times_secs =
            film_times(span, rate_hz, clip.is_looping() && is_whole).map_err(|e| Failure::usage(e.to_string()))?;
        Ok(Some(Self { format, times_secs, rate_hz }))
    }
}

/// Refuses a time outside the clip.
fn inside(option: &str, time_secs: f32, duration_secs: f32, clip: &str) -> Result<f32, Failure> {
    // A time that was copied from a printed duration may be rounded up.
    const ROUNDING_SECS: f32 = 5e-4;
    match (0.0..=duration_secs + ROUNDING_SECS).contains(&time_secs) {
        true => Ok(time_secs.min(duration_secs)),
        false => Err(Failure::usage(format!(
            "{option} {time_secs} is outside of '{clip}', which lasts from 0 to {duration_secs} s"
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

/// The selected joint of a shared view. A joint that the rig lacks is reported and ignored.
fn selected(rig: &Rig, view: &SharedView, console: &mut Console<'_>) -> Option<usize> {
    let name = view.joint.as_deref()?;
    let joint = rig.skeleton.find(name);
    if joint.is_none() {
        console.say(format!("the rig has no joint '{name}', the selected joint of the view"));
    }
    joint
}

/// All that a picture or animation shows.
pub struct RenderScene {
    /// Rig and raw clip.
    pub measured: MeasuredClip,
    /// The compressed clip and its measurements.
    pub outcome: Outcome,
    /// Time of the picture, seconds.
    pub time_secs: f32,
    /// Arrangement of both sides.
    pub view: StillView,
    /// True to colour the compressed mesh by its error.
    pub heat: bool,
    /// Factor on the error; 1 for no change.
    pub difference: f32,
    /// Opacity of the compressed mesh over the original, 0 to 1.
    pub onion_mix: f32,
    /// Position of the wipe line, 0 to 1.
    pub wipe: f32,
    /// Direction of the camera.
    pub camera: CameraDirection,
    /// The joint at the centre; `None` for the whole character.
    pub joint: Option<usize>,
    /// The joint that is drawn in the accent colour.
    pub selected_joint: Option<usize>,
    /// Visible layers.
    pub layers: Layers,
    /// A camera that replaces direction and joint.
    pub place: Option<CameraPlace>,
    /// The compressed side's own camera.
    pub compressed_place: Option<CameraPlace>,
    /// Zoom factor of the camera.
    pub zoom: f32,
    /// Pixels.
    pub size: Size,
    /// The animation; `None` for a picture.
    pub film: Option<Film>,
    /// The file to write.
    pub output: PathBuf,
}

/// The clip of the option, else of the shared view, else the only one.
fn clip_to_draw<'a>(args: &RenderArgs, clips: &'a [NamedClip]) -> Result<&'a NamedClip, Failure> {
    let names = || clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ");
    let of_view = args.view_text.as_ref().and_then(|text| text.clip.as_ref());
    match (args.clip.as_ref().or(of_view), clips) {
        (Some(name), _) => {
            let missing = || Failure::file(&args.file, format!("has no clip '{name}'; it has: {}", names()));
            clips.iter().find(|c| c.name == **name).ok_or_else(missing)
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(Failure::usage(format!("which clip? Give --clip NAME, one of: {}", names()))),
    }
}

fn compressed(args: &RenderArgs, clip: &NamedClip, recipe: &Recipe) -> Result<(MeasuredClip, Outcome), Failure> {
    let compressed = guard(|| {
        let measured = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), recipe);
        let outcome = compress(&measured, recipe, &Progress::new())?;
        Ok::<_, CompressError>((measured, outcome))
    });
    compressed.map_err(|e| Failure::file(&args.file, format!("clip '{}': {e}", clip.name)))
}

impl RenderScene {
    /// Reads the file, compresses the clip and finds the time to draw.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn prepare(args: &RenderArgs, console: &mut Console<'_>) -> Result<Self, Failure> {
        args.check()?;
        let recipe = args.recipe.recipe()?;
        let files = load_all(std::slice::from_ref(&args.file), &args.source, console)?;
        check_loaded(&args.output, &files)?;
        let clips = choose_clips(&files, &Default::default())?;
        let text = args.view_text.as_ref();
        if text.is_some_and(|text| text.reference.is_some() || text.swapped) {
            console
                .say("the view compares with something other than the original; the command line draws the original");
        }
        let clip = clip_to_draw(args, &clips)?;
        let joint = args.joint.as_deref().map(|name| joint_named(&clip.rig, name)).transpose()?;
        let (measured, outcome) = compressed(args, clip, &recipe)?;
        let film = Film::of(args, &clip.clip, &clip.name)?;
        let selected_joint = text.and_then(|text| selected(&clip.rig, text, console));
        let time_secs = match args.time.or(text.map(|text| text.time_secs)) {
            Some(time_secs) => inside("--time", time_secs, measured.clip.duration_secs(), &clip.name)?,
            None => outcome.report.samples.worst.time_secs,
        };
        Ok(Self {
            measured,
            outcome,
            time_secs,
            view: args.still_view(),
            heat: args.is_heat(),
            difference: args.gain(),
            onion_mix: args.onion_mix.or(text.map(|text| text.onion_mix)).unwrap_or(USUAL_ONION_MIX),
            wipe: args.wipe.or(text.map(|text| text.wipe)).unwrap_or(USUAL_WIPE),
            camera: args.camera.unwrap_or(CameraPreset::FrontThreeQuarter.direction()),
            joint,
            selected_joint,
            layers: text.map_or(Layers::default(), |text| text.layers),
            place: args.place(|text| text.camera),
            compressed_place: args.place(|text| text.compressed_camera),
            zoom: args.zoom,
            size: args.size.unwrap_or(if film.is_some() { USUAL_FILM_SIZE } else { USUAL_SIZE }),
            film,
            output: args.output.clone(),
        })
    }

    /// The recipe in words, for the picture.
    pub fn recipe_words(&self) -> String {
        let recipe = &self.outcome.recipe;
        format!("{} {}", recipe.codec.name(), text::length(recipe.tolerance_m))
    }

    /// The raw and the decoded pose at a time.
    pub fn poses(&self, time_secs: f32) -> (Pose, Pose) {
        let clip = &self.measured.clip;
        let mut raw = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut lossy = raw.clone();
        let at_sample = clip.grid().sample_at(time_secs);
        clip.sample(at_sample, &mut raw);
        self.outcome.sampler().sample(at_sample, &mut lossy);
        (raw, lossy)
    }
}
