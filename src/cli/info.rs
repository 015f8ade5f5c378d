use super::info_tier::{self, TierFileRow};
use super::load::{LoadedFile, Loader, left_out, say_lost};
use super::table::{Align, Table};
use super::tiers::TierFileArgs;
use super::{Console, Exit, Failure, SourceArgs};
use clap::Args;
use posepress_core::files;
use posepress_core::format::TierMark;
use posepress_core::import::{Finding, Severity};
use posepress_core::model::{BaseOf, Channel, Clip, raw_bytes};
use posepress_core::pipeline::{ArchiveListing, is_tier_file};
use posepress_core::tasks::is_container;
use posepress_core::text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// `posepress info`.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Source files, containers and tier files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tiers: TierFileArgs,
    #[command(flatten)]
    pub source: SourceArgs,
}

/// Describes every file that can be read, and names those that cannot.
pub fn run(args: &InfoArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let loader = Loader::new(&args.source)?;
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for path in &args.files {
        match read(path, &loader, args, console) {
            Ok((row, is_whole)) => {
                rows.push(row);
                missing.extend((!is_whole).then(|| path.clone()));
            }
            Err(error) => {
                console.say(format!("error: {error}"));
                missing.push(path.clone());
            }
        }
    }
    if args.json {
        console.json(&Document::new(&rows))?;
    } else {
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                writeln!(console.out)?;
            }
            match row {
                Row::File(row) => print(row, console)?,
                Row::TierFile(row) => row.print(console)?,
            }
        }
    }
    match missing.is_empty() {
        true => Ok(Exit::Done),
        false => Err(left_out(&missing, args.files.len())),
    }
}

/// Reads a file. Returns its description, and true if no clip was lost.
fn read(path: &Path, loader: &Loader, args: &InfoArgs, console: &mut Console<'_>) -> Result<(Row, bool), Failure> {
    if is_tier_file(path) {
        return Ok((Row::TierFile(info_tier::read(path, &args.files)?), true));
    }
    if is_container(path) {
        let bytes = files::read(path).map_err(|e| Failure::file(path, format!("cannot be read: {e}")))?;
        let archive = ArchiveListing::read_joined(&bytes, &args.tiers.read()?).map_err(|e| Failure::file(path, e))?;
        return Ok((Row::File(FileRow::of_archive(path, &archive)), true));
    }
    let file = loader.look_at(path)?;
    Ok((Row::File(FileRow::of_source(&file)), say_lost(&file, console)))
}

enum Row {
    File(FileRow),
    TierFile(TierFileRow),
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    files: Vec<&'a FileRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tier_files: Vec<&'a TierFileRow>,
}

impl<'a> Document<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let (mut files, mut tier_files) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                Row::File(row) => files.push(row),
                Row::TierFile(row) => tier_files.push(row),
            }
        }
        Self { schema: 1, files, tier_files }
    }
}

#[derive(Serialize)]
struct FileRow {
    source: String,
    rig: RigRow,
    meshes: Vec<MeshRow>,
    clips: Vec<ClipRow>,
    findings: Vec<FindingRow>,
    /// Tiers that were split off a container and are not joined, the next first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tiers: Vec<TierMarkRow>,
}

#[derive(Serialize)]
struct TierMarkRow {
    name: String,
    /// Length of the file.
    bytes: u64,
    checksum: String,
    /// Tolerance of the clips without this tier and the later ones.
    tolerance_mm: f64,
}

#[derive(Serialize)]
struct RigRow {
    name: String,
    joints: usize,
    float_tracks: usize,
    materials: usize,
    images: usize,
}

#[derive(Serialize)]
struct MeshRow {
    name: String,
    vertices: usize,
    triangles: usize,
    joints: usize,
    targets: usize,
}

#[derive(Serialize)]
struct ClipRow {
    name: String,
    samples: usize,
    rate_hz: f64,
    duration_secs: f32,
    looping: bool,
    /// Base of an additive clip; `None` for containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    added_to: Option<String>,
    raw_bytes: usize,
    /// Joint channels and float tracks whose value changes; `None` for containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    moving_tracks: Option<usize>,
    /// Error of the samples against the curves of the file; `None` for containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_mm: Option<f64>,
    /// Stepped intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    stepped: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    codec: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

#[derive(Serialize)]
struct FindingRow {
    severity: &'static str,
    subject: String,
    what: String,
    meaning: String,
    /// Key of the fix for `--fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'static str>,
}

impl FileRow {
    fn of_source(file: &LoadedFile) -> Self {
        let rig = &file.rig;
        let meshes = rig.meshes.iter().map(|m| MeshRow {
            name: m.name.clone(),
            vertices: m.positions.len(),
            triangles: m.triangles.len(),
            joints: m.palette.len(),
            targets: m.targets.len(),
        });
        Self {
            source: file.path.display().to_string(),
            rig: RigRow {
                name: rig.name.clone(),
                joints: rig.skeleton.len(),
                float_tracks: rig.float_names.len(),
                materials: rig.materials.len(),
                images: rig.images.len(),
            },
            meshes: meshes.collect(),
            clips: file.clips.iter().map(|c| ClipRow::of_clip(c)).collect(),
            findings: file.findings.iter().map(FindingRow::new).collect(),
            tiers: Vec::new(),
        }
    }

    fn of_archive(path: &Path, archive: &ArchiveListing) -> Self {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (joints, float_tracks) = (archive.joints, archive.float_names.len());
        let clips = archive.clips.iter().map(|c| {
            let grid = c.header.grid;
            ClipRow {
                name: c.name.clone(),
                samples: grid.samples(),
                rate_hz: grid.rate_hz(),
                duration_secs: grid.duration_secs(),
                looping: c.header.looping,
                added_to: c.header.additive.then(|| "a base".into()),
                raw_bytes: raw_bytes(c.header.joints, c.header.float_tracks, grid.samples()),
                moving_tracks: None,
                sampling_mm: None,
                stepped: None,
                codec: Some(c.recipe().title()),
                bytes: Some(c.bytes.len()),
            }
        });
        Self {
            source: path.display().to_string(),
            rig: RigRow { name, joints, float_tracks, materials: 0, images: 0 },
            meshes: Vec::new(),
            clips: clips.collect(),
            findings: Vec::new(),
            tiers: archive.tiers.iter().map(TierMarkRow::new).collect(),
        }
    }
}

impl TierMarkRow {
    fn new(mark: &TierMark) -> Self {
        let (checksum, tolerance_mm) = (format!("{:08x}", mark.checksum), text::millimetres(mark.tolerance_m));
        Self { name: mark.name.clone(), bytes: mark.bytes, checksum, tolerance_mm }
    }
}

impl ClipRow {
    fn of_clip(clip: &Clip) -> Self {
        Self {
            name: clip.name().into(),
            samples: clip.samples(),
            rate_hz: clip.grid().rate_hz(),
            duration_secs: clip.duration_secs(),
            looping: clip.is_looping(),
            added_to: clip.additive().filter(|a| a.base != BaseOf::Nothing).map(|additive| additive.base.to_string()),
            raw_bytes: clip.raw_bytes(),
            moving_tracks: Some(moving_tracks(clip)),
            sampling_mm: clip.sampling_error().map(|e| text::millimetres(e.error_m)),
            stepped: Some(clip.holds().len() + clip.float_holds().len()),
            codec: None,
            bytes: None,
        }
    }
}

impl FindingRow {
    fn new(finding: &Finding) -> Self {
        let severity = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Decide => "decide",
        };
        let (subject, what) = (finding.subject.clone(), finding.what.clone());
        let fix = finding.fix.map(|fix| fix.option().key);
        Self { severity, subject, what, meaning: finding.meaning.clone(), fix }
    }
}

fn moving_tracks(clip: &Clip) -> usize {
    let moves = |joint: usize, channel: Channel| {
        let first = clip.at(0, joint);
        clip.track(joint).any(|t| match channel {
            Channel::Rotation => t.rotation != first.rotation,
            Channel::Translation => t.translation != first.translation,
            Channel::Scale => t.scale != first.scale,
        })
    };
    let joints: usize =
        (0..clip.joints()).map(|j| Channel::ALL.into_iter().filter(|&channel| moves(j, channel)).count()).sum();
    let float_moves = |track: &usize| (0..clip.samples()).any(|s| clip.floats(s)[*track] != clip.floats(0)[*track]);
    joints + (0..clip.float_tracks()).filter(float_moves).count()
}

fn print(row: &FileRow, console: &mut Console<'_>) -> Result<(), Failure> {
    let rig = &row.rig;
    writeln!(console.out, "{}", row.source)?;
    let (joints, clips) = (text::count(rig.joints, "joint"), text::count(row.clips.len(), "clip"));
    let (meshes, floats) = (text::count(row.meshes.len(), "mesh"), text::count(rig.float_tracks, "float track"));
    writeln!(console.out, "  rig {}: {joints}, {meshes}, {floats}; {clips}", rig.name)?;
    for mesh in &row.meshes {
        let (vertices, triangles) = (text::exact(mesh.vertices as u64), text::exact(mesh.triangles as u64));
        let (joints, targets) = (text::count(mesh.joints, "joint"), text::count(mesh.targets, "morph target"));
        writeln!(console.out, "  mesh {}: {vertices} vertices, {triangles} triangles, {joints}, {targets}", mesh.name)?;
    }
    for finding in &row.findings {
        write!(console.out, "  {}: {}: {}. {}", finding.severity, finding.subject, finding.what, finding.meaning)?;
        match finding.fix {
            Some(fix) => writeln!(console.out, " Fixed by --fix {fix}.")?,
            None => writeln!(console.out)?,
        }
    }
    for tier in &row.tiers {
        let (name, bytes, within) =
            (&tier.name, text::bytes(tier.bytes), text::length((tier.tolerance_mm / 1000.0) as f32));
        let checksum = &tier.checksum;
        writeln!(console.out, "  without tier {name} ({bytes}, checksum {checksum}): clips stay within {within}")?;
    }
    if row.clips.is_empty() {
        return Ok(());
    }
    writeln!(console.out)?;
    clip_table(&row.clips).print(console.out)?;
    Ok(())
}

fn clip_table(clips: &[ClipRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("  clip", Left),
        ("samples", Right),
        ("rate", Right),
        ("duration", Right),
        ("loop", Left),
        ("moving", Right),
        ("sampling", Right),
        ("raw", Right),
        ("size", Right),
        ("codec", Left),
    ]);
    let unknown = || text::NOT_MEASURED.to_owned();
    for clip in clips {
        table.row([
            format!("  {}", clip.name),
            clip.samples.to_string(),
            text::rate(clip.rate_hz),
            text::duration(clip.duration_secs),
            match (clip.looping, &clip.added_to) {
                (true, Some(base)) => format!("loop, added to {base}"),
                (false, Some(base)) => format!("added to {base}"),
                (true, None) => "loop".to_owned(),
                (false, None) => String::new(),
            },
            clip.moving_tracks.map_or_else(unknown, |n| n.to_string()),
            clip.sampling_mm.map_or_else(unknown, |mm| text::length((mm / 1000.0) as f32)),
            text::bytes(clip.raw_bytes as u64),
            clip.bytes.map_or_else(unknown, |n| text::bytes(n as u64)),
            clip.codec.clone().unwrap_or_else(unknown),
        ]);
    }
    table
}
