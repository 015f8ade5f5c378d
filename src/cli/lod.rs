use super::load::{NamedClip, choose_clips, left_out, load_files};
use super::output::{check_output, try_output, write_output};
use super::setting_args::{OnScreen, SettingArgs, Tiers};
use super::table::{Align, Table};
use super::work::{Worked, compress_all, unfinished};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::Progress;
use posepress_core::files;
use posepress_core::lod::{LodBy, Platform, joints_by_reach};
use posepress_core::metrics::Verdict;
use posepress_core::pipeline::{TierSettings, measure_lods};
use posepress_core::report::{LodFigures, LodRow, Screen, fitted_lods};
use posepress_core::text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// `posepress lod`.
#[derive(Debug, Args)]
pub struct LodArgs {
    /// Source files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The levels of detail, as the window saves them [default: from 10 and 100 m, with every 2nd and 4th frame]
    #[arg(long, value_name = "FILE.toml")]
    pub platform: Option<PathBuf>,
    /// Move each level to the nearest start at which it is within its limit on every clip, and write the platform.
    #[arg(long, value_name = "OUT.toml")]
    pub fit: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub tiers: SettingArgs<Tiers>,
    #[command(flatten)]
    pub screen: SettingArgs<OnScreen>,
}

/// The levels of a clip.
#[derive(Debug, Serialize)]
struct ClipLods {
    source: String,
    clip: String,
    levels: Vec<LodRow>,
    /// Joints in the order in which levels keep them.
    joints: Vec<String>,
}

/// Compresses every clip and measures it at each level of a platform.
pub fn run(args: &LodArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let platform = args.platform.as_deref().map_or_else(|| Ok(Platform::default()), read_platform)?;
    let (screen, tiers) = (args.screen.apply(Screen::default()), args.tiers.apply(TierSettings::default()));
    let recipes = [args.recipe.recipe()?];
    if let Some(path) = &args.fit {
        let read = args.files.iter().chain(&args.platform);
        check_output(path, read.map(PathBuf::as_path))?;
        try_output(path)?;
    }
    let (loaded, missing) = load_files(&args.files, &args.source, console)?;
    let chosen = choose_clips(&loaded, &args.clips)?;
    let keep = |clip: &NamedClip, Worked { sides, .. }: Worked| {
        let measured = measure_lods(&sides.source, &sides.outcome, (&platform, &tiers), &Progress::new());
        let rig = &sides.source.rig;
        ClipLods {
            source: clip.source.clone(),
            clip: clip.name.clone(),
            levels: LodRow::of(&platform, rig, &screen, &measured),
            joints: joints_by_reach(rig).into_iter().map(|joint| rig.skeleton.name(joint).to_owned()).collect(),
        }
    };
    let (clips, failed) = compress_all("measured", &chosen, |_| &recipes, console, keep);
    if args.json {
        let json = serde_json::json!({ "platform": platform, "screen": screen, "clips": clips });
        writeln!(console.out, "{json:#}")?;
    } else {
        table(&clips).print(console.out)?;
        writeln!(console.out, "px: the largest of the errors where the level starts, {}", camera(&screen))?;
    }
    let missing = (!missing.is_empty()).then(|| left_out(&missing, args.files.len()));
    if let Some(failure) = unfinished(&failed, missing) {
        return Err(failure);
    }
    if let Some(path) = &args.fit {
        let fitted = fitted_lods(&platform, clips.iter().map(|clip| &clip.levels[..]));
        write_output(path, fitted.to_toml().as_bytes(), console)?;
        console.say(format!("{}: {}", path.display(), starts(&fitted)));
        return Ok(Exit::Done);
    }
    let unmet: Vec<String> = clips.iter().flat_map(unmet).collect();
    if unmet.is_empty() { Ok(Exit::Done) } else { Ok(Exit::GateNotMet(unmet.join("\n"))) }
}

/// The starts of a platform's levels, in words.
fn starts(platform: &Platform) -> String {
    let unit = if platform.by == LodBy::Distance { "m" } else { "px" };
    let starts = platform.levels.iter().skip(1).map(|level| format!("{} {unit}", level.from));
    format!("levels start at {}", starts.collect::<Vec<_>>().join(", "))
}

fn read_platform(path: &Path) -> Result<Platform, Failure> {
    let text = files::read_text(path).map_err(|error| Failure::file(path, error))?;
    Platform::from_toml(&text).map_err(|error| Failure::file(path, error))
}

fn camera(screen: &Screen) -> String {
    let near = text::distance(screen.distance_m);
    format!("{}\u{b0} and {} lines; the first level at {near}", screen.fov_deg, screen.lines)
}

fn table(clips: &[ClipLods]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("clip", Left),
        ("level", Right),
        ("from", Right),
        ("joints", Right),
        ("every", Right),
        ("tiers left out", Left),
        ("size", Right),
        ("decode", Right),
        ("max", Right),
        ("between", Right),
        ("slide", Right),
        ("px", Right),
        ("verdict", Left),
    ]);
    for clip in clips {
        clip.levels.iter().for_each(|row| table.row(cells(&clip.clip, row)));
    }
    table
}

fn cells(clip: &str, row: &LodRow) -> Vec<String> {
    let from = if row.level == 0 { "camera".to_owned() } else { text::distance(row.from_m as f32) };
    let joints = row.measured.as_ref().map_or_else(|| text::NOT_MEASURED.to_owned(), |of| of.joints.to_string());
    let start = [clip.to_owned(), row.level.to_string(), from, joints, row.every.to_string(), row.left_out.to_owned()];
    start.into_iter().chain(figures(row)).collect()
}

fn figures(row: &LodRow) -> Vec<String> {
    let length = |mm: f64| text::length((mm / 1000.0) as f32);
    let Some(of) = &row.measured else {
        let none = std::iter::repeat_n(text::NOT_MEASURED.to_owned(), 6);
        return none.chain(row.fault.iter().map(|fault| format!("the clip {fault}"))).collect();
    };
    vec![
        text::bytes(of.bytes as u64),
        format!("{:.2} \u{b5}s", of.decode_us_per_frame),
        length(of.max_mm),
        length(of.between_mm),
        of.worst_slide_mm.map_or_else(|| text::NOT_MEASURED.to_owned(), length),
        text::pixels(of.max_px as f32),
        verdict(of),
    ]
}

fn verdict(of: &LodFigures) -> String {
    match of.verdict {
        Verdict::Good => of.verdict.key().to_owned(),
        _ => format!("{}, passes from {}", of.verdict.key(), text::distance(of.passes_from_m as f32)),
    }
}

/// The levels of a clip that do not pass, in words.
fn unmet(clip: &ClipLods) -> impl Iterator<Item = String> {
    clip.levels.iter().filter_map(|row| match (&row.measured, &row.fault) {
        (Some(of), _) if of.verdict == Verdict::Good => None,
        (Some(of), _) => Some(format!(
            "{}: level {}: {} where it starts, limit {}; passes from {}",
            clip.clip,
            row.level,
            text::pixels(of.max_px as f32),
            text::pixels(of.limit_px as f32),
            text::distance(of.passes_from_m as f32),
        )),
        (None, fault) => {
            Some(format!("{}: level {}: the clip {}", clip.clip, row.level, fault.as_deref().unwrap_or("has none")))
        }
    })
}
