use super::args::{size, view_text};
use super::{RecipeArgs, Size, SourceArgs};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use posepress_core::view::{CameraDirection, CameraPreset, SharedView, StillView, difference_gain_range};
use std::path::PathBuf;
use std::str::FromStr;

/// `posepress render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// A source file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The clip; needed if there are several.
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Time of the picture, seconds [default: the time of the largest shell error].
    #[arg(long, value_name = "T")]
    pub time: Option<f32>,
    /// Start of an animation, seconds [default: 0].
    #[arg(long, value_name = "T", conflicts_with = "time")]
    pub from: Option<f32>,
    /// End of an animation, seconds [default: the end of the clip].
    #[arg(long, value_name = "T", conflicts_with = "time")]
    pub to: Option<f32>,
    /// Frames per second of an animation, 1 to 50 [default: 25].
    #[arg(long, value_name = "HZ", value_parser = rate)]
    pub fps: Option<f32>,
    /// Arrangement of original and compressed [default: side]. For the window's blink, draw `original` and `compressed` and flip between
    /// them.
    #[arg(long, value_parser = views())]
    pub view: Option<StillView>,
    #[arg(long, value_name = "TEXT|FILE", help = VIEW_TEXT, value_parser = view_text)]
    pub view_text: Option<SharedView>,
    /// Enlarge the error N times, 2 to 500, with a ghost of the original. The picture shows the factor [default: 20 with
    /// `--view difference`, else off].
    #[arg(long, value_name = "N", value_parser = factor)]
    pub difference: Option<f32>,
    /// Colour the compressed mesh by its skinned error. The palest colour is the tolerance.
    #[arg(long)]
    pub heat: bool,
    /// Opacity of the compressed mesh over the original with `--view onion`, percent [default: 50].
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub onion_mix: Option<f32>,
    /// Position of the line of `--view wipe`, percent of the width [default: 50].
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub wipe: Option<f32>,
    #[arg(long, value_name = "DIRECTION", help = camera_help(), value_parser = CameraDirection::from_str, allow_hyphen_values = true)]
    pub camera: Option<CameraDirection>,
    /// Look at this joint instead of at the whole character.
    #[arg(long, value_name = "NAME")]
    pub joint: Option<String>,
    /// Zoom factor of the camera, 0.1 to 100.
    #[arg(long, value_name = "FACTOR", value_parser = zoom, default_value = "1")]
    pub zoom: f32,
    /// Size in pixels [default: 1280x720; 640x360 for an animation].
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<Size>,
    /// The picture to write. OUT.gif or OUT.apng is an animation of the clip, or of the range of --from and --to.
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,
    /// How the clip is compressed.
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Import options.
    #[command(flatten)]
    pub source: SourceArgs,
}

const VIEW_TEXT: &str = "View from the window's 'Copy view', or a file that holds one: clip, time, camera, layers. Other options override \
it. The recipe comes from the options";

/// Values of `--view`, from the list of still views.
fn views() -> impl TypedValueParser<Value = StillView> {
    let words =
        StillView::all().map(|view| PossibleValue::new(view.key()).help(view.help().trim_end_matches('.').to_owned()));
    PossibleValuesParser::new(words.collect::<Vec<_>>())
        .try_map(|word| StillView::all().find(|view| view.key() == word).ok_or("no such view"))
}

fn factor(text: &str) -> Result<f32, String> {
    let range = difference_gain_range();
    let number = text.parse().ok().filter(|n| range.contains(n));
    let (least, most) = range.into_inner();
    number.ok_or_else(|| format!("expected a factor from {least} to {most}"))
}

/// Help of `--camera`, from the list of directions.
fn camera_help() -> String {
    let names = CameraPreset::ALL.map(|preset| format!("{} ({})", preset.key(), preset.help().trim_end_matches('.')));
    format!("Camera direction: {}; or YAW,PITCH in degrees [default: front-3-4]", names.join(", "))
}

fn rate(text: &str) -> Result<f32, String> {
    let rate_hz = text.parse().ok().filter(|hz: &f32| (1.0..=50.0).contains(hz));
    rate_hz.ok_or_else(|| "expected 1 to 50 frames per second".into())
}

fn zoom(text: &str) -> Result<f32, String> {
    let factor = text.parse().ok().filter(|f: &f32| (0.1..=100.0).contains(f));
    factor.ok_or_else(|| "expected a factor from 0.1 to 100".into())
}

fn share(text: &str) -> Result<f32, String> {
    let percent = text.parse().ok().filter(|p: &f32| (0.0..=100.0).contains(p));
    percent.map(|p| p / 100.0).ok_or_else(|| "expected a number from 0 to 100".into())
}
