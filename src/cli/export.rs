use super::load::{NamedClip, choose_clips, left_out, load_file, load_files};
use super::output::{check_loaded, check_output, is_stdout, try_output, write_output};
use super::setting_args::{Export, SettingArgs};
use super::tiers::TierFileArgs;
use super::work::unfinished;
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::{Progress, seen};
use posepress_core::export::{
    self, EXPORTERS, ExportClip, ExportOptions, ExportTarget, Exported, Exporter, Holds, PlayedClip, export_measured,
};
use posepress_core::files;
use posepress_core::import::Origin;
use posepress_core::model::Clip;
use posepress_core::pipeline::{Archive, ArchiveClip, ArchiveError, ExportFailure, export_each};
use posepress_core::tasks::is_container;
use posepress_core::text;
use serde::Serialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `posepress export`.
#[derive(Debug, Args)]
#[command(after_help = "\
A container holds joints and no mesh. An export from it has joints only, unless --against names the source with the meshes and
materials. A source file is exported as it is, to 0.01 mm. With a recipe it is exported as the recipe's bytes decode, within the
recipe's tolerance. The written file is measured as a player plays it. Status 3: its error is over the tolerance of the recipe, or
without a recipe over 0.1 mm. From glTF to GLB only the animations of the source are replaced (--into). A GLB holds all clips; a CSV
table, an ozz animation and a Riot .anm hold one (--clip). ozz-skeleton writes the rig for ozz animations. ozz and .anm store keys
in few bits; the error from that is measured too.")]
pub struct ExportArgs {
    /// A container or a source file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub tiers: TierFileArgs,
    /// Format to write.
    #[arg(long, value_name = "FORMAT", value_parser = format_key())]
    pub to: String,
    /// The file to write; - is standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Source file with the meshes for a container's clips.
    #[arg(long, value_name = "SOURCE")]
    pub against: Option<PathBuf>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub options: SettingArgs<Export>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    /// Prints the error of each clip as the file plays, as JSON.
    #[arg(long)]
    pub json: bool,
}

fn format_key() -> clap::builder::PossibleValuesParser {
    EXPORTERS.iter().map(|e| e.info().key).collect::<Vec<_>>().into()
}

/// Writes clips in another format.
pub fn run(args: &ExportArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    check_output(&args.output, [&args.file].into_iter().chain(&args.against).map(PathBuf::as_path))?;
    try_output(&args.output)?;
    let exporter = export::by_key(&args.to).ok_or_else(|| Failure::usage(format!("no format '{}'", args.to)))?;
    if args.json && is_stdout(&args.output) {
        return Err(Failure::usage(
            "--json goes to standard output, and so would the file: name another output than -",
        ));
    }
    let mut missing = Missing::default();
    let exported = if is_container(&args.file) {
        export_container(args, exporter, &mut missing, console)?
    } else {
        export_source(args, exporter, &mut missing, console)?
    };
    let Some(exported) = exported else { return Err(missing.nothing_written()) };
    write_output(&args.output, &exported.bytes, console)?;
    say_result(args, exporter, &exported, console);
    if args.json {
        console.json(&Document::new(&args.output, &exported, &missing.clips))?;
    }
    if let Some(failure) = unfinished(&missing.clips, missing.file) {
        return Err(failure);
    }
    let unmet: Vec<String> = exported.clips.iter().filter_map(PlayedClip::complaint).collect();
    let gate = |complaint: &String| format!("gate: {}: {complaint}", args.output.display());
    match unmet.is_empty() {
        true => Ok(Exit::Done),
        false => Ok(Exit::GateNotMet(unmet.iter().map(gate).collect::<Vec<_>>().join("\n"))),
    }
}

/// The clips that could not be used. The others are written.
#[derive(Default)]
struct Missing {
    /// The error of the file, if some of its clips could not be read.
    file: Option<Failure>,
    /// Clips that could not be decoded or compressed.
    clips: Vec<String>,
}

impl Missing {
    /// Reports why a clip is missing.
    fn clip(&mut self, file: &Path, name: &str, error: impl Display, console: &mut Console<'_>) {
        console.say(format!("error: {}: clip '{name}': {error}", file.display()));
        self.clips.push(name.to_owned());
    }

    /// The failure of a run that has nothing left to write.
    fn nothing_written(self) -> Failure {
        let failure = unfinished(&self.clips, self.file).unwrap_or_else(|| Failure::input("no clip is left to write"));
        Failure::input(format!("{failure}; nothing was written"))
    }
}

/// Reports the written file and the clip with the largest error.
fn say_result(args: &ExportArgs, exporter: &dyn Exporter, exported: &Exported, console: &mut Console<'_>) {
    let size = text::bytes(exported.bytes.len() as u64);
    let what = match exporter.info().holds {
        Holds::Rig => "a rig".to_owned(),
        _ => text::count(exported.clips.len(), "clip"),
    };
    let worst = exported.clips.iter().max_by(|a, b| a.worst().error_m.total_cmp(&b.worst().error_m));
    let played = worst.map_or_else(String::new, |clip| format!("; in the file: {}", clip.summary()));
    console.say(format!("{}: {what}, {size}{played}", args.output.display()));
}

/// The JSON of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    file: String,
    bytes: usize,
    clips: Vec<Row<'a>>,
    /// Names of the clips that could not be decoded or compressed.
    missing: &'a [String],
}

/// The error of a clip as players of the file play it.
#[derive(Serialize)]
struct Row<'a> {
    clip: &'a str,
    tolerance_mm: f64,
    within: bool,
    /// At the samples.
    max_mm: f64,
    between_mm: f64,
    joint: &'a str,
    time_secs: f32,
    /// Error of that joint from the number format alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers_mm: Option<f64>,
}

impl<'a> Document<'a> {
    fn new(output: &Path, exported: &'a Exported, missing: &'a [String]) -> Self {
        let row = |clip: &'a PlayedClip| Row {
            clip: &clip.name,
            tolerance_mm: text::millimetres(clip.report.tolerance_m),
            within: clip.is_within(),
            max_mm: text::millimetres(clip.report.samples.worst.error_m),
            between_mm: text::millimetres(clip.report.between.worst.error_m),
            joint: &clip.joint,
            time_secs: clip.worst().time_secs,
            numbers_mm: clip.numbers.map(|numbers| text::millimetres(numbers.error_m)),
        };
        let clips = exported.clips.iter().map(row).collect();
        Self { schema: 1, file: output.display().to_string(), bytes: exported.bytes.len(), clips, missing }
    }
}

fn export_container(
    args: &ExportArgs,
    exporter: &dyn Exporter,
    missing: &mut Missing,
    console: &mut Console<'_>,
) -> Result<Option<Exported>, Failure> {
    if !args.recipe.is_empty() {
        return Err(Failure::usage("a container is already compressed: recipe options need a source file"));
    }
    let source = match &args.against {
        Some(path) => Some(load_file(path, &args.source.options())?.rig),
        None => None,
    };
    let bytes = files::read(&args.file).map_err(|e| Failure::file(&args.file, format!("cannot be read: {e}")))?;
    let archive = Archive::open_joined(&bytes, &args.tiers.read()?, source.as_deref())
        .map_err(|e| Failure::file(&args.file, e))?;
    let wanted = args.clips.filter();
    let of_rig = exporter.info().holds == Holds::Rig;
    let chosen: Vec<_> = archive.clips().iter().filter(|c| !of_rig && wanted(&c.name)).collect();
    if chosen.is_empty() && !of_rig {
        return Err(Failure::file(&args.file, format!("holds no clip that matches {}", args.clips.patterns())));
    }
    let mut decoded = Vec::with_capacity(chosen.len());
    for clip in chosen {
        match decode(&archive, clip) {
            Ok(clip_of) => decoded.push((clip, clip_of)),
            Err(error) => missing.clip(&args.file, &clip.name, error, console),
        }
    }
    if decoded.is_empty() && !of_rig {
        return Ok(None);
    }
    let mut clips = Vec::with_capacity(decoded.len());
    for (clip, decoded) in &decoded {
        let sampler = seen(archive.sampler(clip).map_err(|e| Failure::file(&args.file, e))?, decoded);
        clips.push(ExportClip { name: clip.name.clone(), ..ExportClip::decoded(decoded, sampler) });
    }
    let rig = match source {
        Some(rig) => rig.as_ref().clone(),
        None => archive.rig(&stem(&args.file)),
    };
    let target = ExportTarget { options: args.options.apply(ExportOptions::default()), origin: None };
    export_measured(exporter, &rig, &mut clips, &target).map(Some).map_err(Failure::input)
}

/// Decodes a clip of a container. An additive clip is written as differences from the bind pose.
fn decode(archive: &Archive, clip: &ArchiveClip) -> Result<Clip, ArchiveError> {
    let decoded = archive.decode(clip)?;
    Ok(decoded.on_base(archive.skeleton(), |_| None)?.unwrap_or(decoded))
}

fn export_source(
    args: &ExportArgs,
    exporter: &dyn Exporter,
    missing: &mut Missing,
    console: &mut Console<'_>,
) -> Result<Option<Exported>, Failure> {
    if args.against.is_some() {
        return Err(Failure::usage("--against goes with a container; a source file has its own meshes"));
    }
    let (files, lost) = load_files(std::slice::from_ref(&args.file), &args.source, console)?;
    missing.file = (!lost.is_empty()).then(|| left_out(&lost, 1));
    if files.iter().all(|file| file.clips.is_empty()) && !lost.is_empty() {
        return Ok(None);
    }
    check_loaded(&args.output, &files)?;
    let clips = if exporter.info().holds == Holds::Rig { Vec::new() } else { choose_clips(&files, &args.clips)? };
    let file = files.first().ok_or_else(|| Failure::file(&args.file, "holds nothing"))?;
    let origin = Origin { path: file.path.clone(), digest: file.digest.clone(), options: args.source.options() };
    let target = ExportTarget { options: args.options.apply(ExportOptions::default()), origin: Some(origin) };
    let rig = &file.rig;
    if args.recipe.is_empty() {
        let mut raw: Vec<_> = clips.iter().map(raw_clip).collect();
        return export_measured(exporter, rig, &mut raw, &target).map(Some).map_err(Failure::input);
    }
    // The same call as in the window, so that both write the same bytes.
    let recipe = Arc::new(args.recipe.recipe()?);
    let chosen: Vec<_> = clips.iter().map(|c| (c.clip.clone(), recipe.clone())).collect();
    let export = export_each(rig, &chosen, &args.to, &target, &Progress::new())
        .map_err(|error| Failure::file(&args.file, error))?;
    for failure in export.failed {
        match failure {
            ExportFailure::Compress { clip, error } => missing.clip(&args.file, &clip, error, console),
            other => return Err(Failure::file(&args.file, other)),
        }
    }
    Ok(export.file)
}

fn raw_clip(clip: &NamedClip) -> ExportClip<'_> {
    ExportClip { name: clip.name.clone(), ..ExportClip::raw(&clip.clip) }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
