use super::load::load_file;
use super::tiers::TierFileArgs;
use super::{Console, Exit, Failure, SpaceArgs};
use clap::Args;
use posepress_core::export::csv_table;
use posepress_core::files;
use posepress_core::import::ImportOptions;
use posepress_core::model::{Pose, Sampler, TimeGrid};
use posepress_core::pipeline::{Archive, ArchiveClip};
use serde::Serialize;
use std::path::PathBuf;

/// Largest number of times: ten hours at 1000 Hz. More is a typing error.
const MAX_TIMES: f64 = 36e6;

/// `posepress decode`.
#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// A container.
    #[arg(value_name = "FILE.posepress")]
    pub file: PathBuf,
    #[command(flatten)]
    pub tiers: TierFileArgs,
    /// The clip; needed if there are several.
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// Samples per second; the clip's end is added [default: the clip's own samples].
    #[arg(long, value_name = "HZ", conflicts_with = "times")]
    pub rate: Option<f64>,
    /// Times, seconds.
    #[arg(long, value_name = "T,T,..", value_delimiter = ',')]
    pub times: Vec<f32>,
    /// Print CSV (the default).
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Source file with the rig of the clips, if the container was written without it.
    #[arg(long, value_name = "SOURCE")]
    pub against: Option<PathBuf>,
    /// Import options of that source.
    #[command(flatten)]
    pub space: SpaceArgs,
}

/// Prints the local transforms of every joint and all morph weights at every time.
pub fn run(args: &DecodeArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let archive = open(args)?;
    let clip = choose(&archive, args)?;
    let grid = clip.header.grid;
    let places = places(args, grid)?;
    let mut sampler = archive.sampler(clip).map_err(|e| Failure::file(&args.file, e))?;
    if args.json {
        return print_json(&archive, clip, &mut sampler, &places, console);
    }
    let table = csv_table(archive.skeleton(), archive.float_names(), &mut sampler, (grid, places));
    console.out.write_all(table.as_bytes())?;
    Ok(Exit::Done)
}

fn open(args: &DecodeArgs) -> Result<Archive, Failure> {
    let options = args.space.apply(ImportOptions::default());
    let rig = match &args.against {
        Some(path) => Some(load_file(path, &options)?.rig),
        None => None,
    };
    let bytes = files::read(&args.file).map_err(|e| Failure::file(&args.file, format!("cannot be read: {e}")))?;
    Archive::open_joined(&bytes, &args.tiers.read()?, rig.as_deref()).map_err(|e| Failure::file(&args.file, e))
}

fn choose<'a>(archive: &'a Archive, args: &DecodeArgs) -> Result<&'a ArchiveClip, Failure> {
    let names: Vec<_> = archive.clips().iter().map(|c| c.name.as_str()).collect();
    let names = names.join(", ");
    match (&args.clip, archive.clips()) {
        (Some(name), clips) => clips
            .iter()
            .find(|c| c.name == *name)
            .ok_or_else(|| Failure::file(&args.file, format!("has no clip '{name}'; it has: {names}"))),
        (None, [only]) => Ok(only),
        (None, []) => Err(Failure::file(&args.file, "holds no clip")),
        (None, _) => Err(Failure::usage(format!("which clip? Give --clip NAME, one of: {names}"))),
    }
}

/// Times to print, in samples.
fn places(args: &DecodeArgs, grid: TimeGrid) -> Result<Vec<f64>, Failure> {
    if !args.times.is_empty() {
        return Ok(args.times.iter().map(|time_secs| grid.sample_at(*time_secs)).collect());
    }
    let Some(rate) = args.rate else { return Ok(grid.steps(1).collect()) };
    let end = grid.duration_secs();
    let steps = f64::from(end) * rate;
    if !(rate > 0.0 && steps < MAX_TIMES) {
        return Err(Failure::usage(format!(
            "--rate is {rate}; expected more than zero and less than {MAX_TIMES} times"
        )));
    }
    let last = (grid.samples() - 1) as f64;
    let inside = (0..=steps as u64).map(|i| grid.sample_at((i as f64 / rate) as f32)).filter(|at| *at < last);
    Ok(inside.chain([last]).collect())
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    clip: &'a str,
    codec: &'a str,
    joints: Vec<JointRow<'a>>,
    float_names: &'a [String],
    poses: Vec<PoseRow>,
}

#[derive(Serialize)]
struct JointRow<'a> {
    name: &'a str,
    parent: Option<usize>,
}

#[derive(Serialize)]
struct PoseRow {
    time_secs: f32,
    joints: Vec<TransformRow>,
    floats: Vec<f32>,
}

#[derive(Serialize)]
struct TransformRow {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

fn print_json(
    archive: &Archive,
    clip: &ArchiveClip,
    sampler: &mut dyn Sampler,
    places: &[f64],
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let mut pose = Pose::with_size(clip.header.joints, clip.header.float_tracks);
    let mut row = |&at_sample: &f64| {
        sampler.sample(at_sample, &mut pose);
        let joints = pose.joints.iter().map(|t| TransformRow {
            translation: t.translation.to_array(),
            rotation: t.rotation.to_array(),
            scale: t.scale.to_array(),
        });
        PoseRow {
            time_secs: clip.header.grid.time_secs(at_sample),
            joints: joints.collect(),
            floats: pose.floats.clone(),
        }
    };
    let joints = archive.skeleton().joints().iter().map(|j| JointRow { name: &j.name, parent: j.parent });
    console.json(&Document {
        schema: 1,
        clip: &clip.name,
        codec: clip.recipe().codec.name(),
        joints: joints.collect(),
        float_names: archive.float_names(),
        poses: places.iter().map(&mut row).collect(),
    })?;
    Ok(Exit::Done)
}
