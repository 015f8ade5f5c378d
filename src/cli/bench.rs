mod resident;

use super::load::{NamedClip, choose_clips, left_out, load_files};
use super::stopwatch::{CacheFlush, warm_ns};
use super::table::{Align, Table};
use super::{ClipArgs, Console, Exit, Failure, LimitArgs, SourceArgs};
use clap::Args;
use posepress_core::codecs::{self, Encoder, Progress, encoders, touched_bytes};
use posepress_core::model::Pose;
use posepress_core::pipeline::guard;
use posepress_core::recipe::Recipe;
use posepress_core::text;
use serde::Serialize;
use serde_json::{Map, Value};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// `posepress bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Source files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only this codec, with a preset after a colon. Repeatable [default: every codec].
    #[arg(long, value_name = "ID[:PRESET]")]
    pub codec: Vec<String>,
    /// Print memory alone: of all clips opened together, and of 100 players.
    #[arg(long)]
    pub resident: bool,
    /// The measurement and the limits of errors.
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    /// The clips; without a choice the longest of all, and all with --resident.
    #[command(flatten)]
    pub clips: ClipArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The measurements of one clip and codec.
pub struct Row {
    pub clip: String,
    pub codec: String,
    joints: usize,
    samples: usize,
    raw_bytes: usize,
    bytes: usize,
    encode_secs: f64,
    /// Nanoseconds per pose.
    forward_ns: f64,
    random_ns: f64,
    cold_ns: f64,
    /// Nanoseconds for one joint alone.
    single_joint_ns: f64,
    /// Bytes that a whole pose touches, from [`touched_bytes`].
    touched_bytes: Option<f64>,
    resident_bytes: usize,
    cursor_bytes: usize,
}

/// A number in JSON, and in the table if it has a label.
struct Column {
    label: Option<&'static str>,
    key: &'static str,
    figure: Figure,
}

/// The source of a column's number.
enum Figure {
    Count(fn(&Row) -> usize),
    /// Shown with that many decimals.
    Measured(usize, fn(&Row) -> f64),
    /// A rounded number, if the clip has one.
    Mean(fn(&Row) -> Option<f64>),
}
use Figure::{Count, Mean, Measured};

const fn shown(label: &'static str, key: &'static str, figure: Figure) -> Column {
    Column { label: Some(label), key, figure }
}

const fn hidden(key: &'static str, figure: Figure) -> Column {
    Column { label: None, key, figure }
}

const COLUMNS: &[Column] = &[
    hidden("joints", Count(|row| row.joints)),
    hidden("samples", Count(|row| row.samples)),
    hidden("raw_bytes", Count(|row| row.raw_bytes)),
    shown("bytes", "bytes", Count(|row| row.bytes)),
    shown("encode MB/s", "encode_mb_per_s", Measured(1, |row| row.raw_bytes as f64 / 1e6 / row.encode_secs)),
    shown("forward", "forward_ns_per_joint", Measured(1, |row| row.forward_ns / row.joints as f64)),
    hidden("forward_ns_per_pose", Measured(0, |row| row.forward_ns)),
    shown("random", "random_ns_per_joint", Measured(1, |row| row.random_ns / row.joints as f64)),
    hidden("random_ns_per_pose", Measured(0, |row| row.random_ns)),
    shown("cold", "cold_ns_per_joint", Measured(1, |row| row.cold_ns / row.joints as f64)),
    hidden("cold_ns_per_pose", Measured(0, |row| row.cold_ns)),
    shown("one joint", "single_joint_ns", Measured(0, |row| row.single_joint_ns)),
    shown("touched", "touched_bytes", Mean(|row| row.touched_bytes)),
    shown("opened", "resident_bytes", Count(|row| row.resident_bytes)),
    shown("cursor", "cursor_bytes", Count(|row| row.cursor_bytes)),
];

impl Figure {
    fn text(&self, row: &Row) -> String {
        match self {
            Count(count) => count(row).to_string(),
            Measured(decimals, measured) => format!("{:.*}", decimals, measured(row)),
            Mean(mean) => mean(row).map_or_else(|| text::NOT_MEASURED.to_owned(), |mean| format!("{mean:.0}")),
        }
    }

    fn value(&self, row: &Row) -> Value {
        match self {
            Count(count) => count(row).into(),
            Measured(_, measured) => measured(row).into(),
            Mean(mean) => mean(row).into(),
        }
    }
}

/// Explains the numbers.
pub const HOW: &str = "encode: raw bytes per second, one run on all cores; forward, random, cold: ns per joint of whole poses \
between samples, one thread,\nplayed in order, at random times, and at random times with cold caches; one joint: ns for a single joint at \
random times;\ntouched: bytes of the clip that a pose reads, in cache lines of 64 bytes, without the tables of an opened clip; \
opened, cursor:\nbytes of memory of an opened clip and of one player";

/// Times every codec on the clips, one after another.
pub fn run(args: &BenchArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let recipes = recipes(args)?;
    let (loaded, missing) = load_files(&args.files, &args.source, console)?;
    let mut clips = choose_clips(&loaded, &args.clips)?;
    if args.clips.clip.is_empty() && !args.resident {
        clips = clips.into_iter().max_by_key(|clip| clip.clip.samples()).into_iter().collect();
    }
    let failed = match args.resident {
        true => resident::run(&clips, &recipes, args.json, console)?,
        false => print_times(&clips, &recipes, args.json, console)?,
    };
    match (missing.is_empty(), failed) {
        (true, 0) => Ok(Exit::Done),
        (true, _) => Err(Failure::input(format!("{failed} could not be measured"))),
        _ => Err(left_out(&missing, args.files.len())),
    }
}

/// Times the clips with each codec and prints the numbers. Returns the number of failures.
fn print_times(
    clips: &[NamedClip],
    recipes: &[(String, &'static dyn Encoder, Recipe)],
    is_json: bool,
    console: &mut Console<'_>,
) -> Result<usize, Failure> {
    let (mut flush, mut rows, mut failed) = (CacheFlush::new(), Vec::new(), 0);
    for clip in clips {
        for (name, encoder, recipe) in recipes {
            match guard(|| time(clip, (name, *encoder, recipe), &mut flush)) {
                Ok(row) => rows.push(row),
                Err(error) => {
                    failed += 1;
                    console.say(format!("error: {}: clip '{}', {name}: {error}", clip.source, clip.name));
                }
            }
        }
    }
    print(&rows, is_json, console)?;
    Ok(failed)
}

/// The chosen codecs under their given names, with the limits of the options.
fn recipes(args: &BenchArgs) -> Result<Vec<(String, &'static dyn Encoder, Recipe)>, Failure> {
    let named: Vec<String> = match args.codec.is_empty() {
        true => encoders().map(|codec| codec.name().to_owned()).collect(),
        false => args.codec.clone(),
    };
    let recipe = |name: String| {
        let recipe = Recipe::chosen(&name).map_err(Failure::usage)?;
        let encoder = encoders().find(|encoder| encoder.id() == recipe.codec.id());
        let encoder = encoder.ok_or_else(|| {
            Failure::usage(format!("'{name}' has no format of its own to time; name the codecs that it tries"))
        })?;
        Ok((name, encoder, args.limits.apply(recipe).validated().map_err(Failure::usage)?))
    };
    named.into_iter().map(recipe).collect()
}

impl Row {
    /// The clip and its size: `Walk: 42 joints, 33 samples`.
    pub fn title(&self) -> String {
        format!("{}: {} joints, {} samples", self.clip, self.joints, self.samples)
    }
}

/// Heads of the number columns.
pub fn heads() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().filter_map(|column| column.label)
}

/// The shown numbers of a row.
pub fn numbers(row: &Row) -> impl Iterator<Item = String> {
    COLUMNS.iter().filter(|column| column.label.is_some()).map(|column| column.figure.text(row))
}

/// Number of times at which the bytes that a pose touches are counted.
const TOUCHED_PLACES: usize = 16;

/// Golden ratio as a fraction of the clip: consecutive times are far apart.
const GOLDEN_SECTION: f64 = 0.618_033_988_749_895;

/// Encodes a clip and decodes it in each order.
pub fn time(
    clip: &NamedClip,
    (name, encoder, recipe): (&str, &dyn Encoder, &Recipe),
    flush: &mut CacheFlush,
) -> Result<Row, Failure> {
    let raw = &*clip.clip;
    let (bytes, encode_secs) = encode(clip, encoder, recipe)?;
    let bind = clip.rig.skeleton.bind_pose(0).joints;
    let opened = codecs::open_owned(encoder, &bytes, &bind).map_err(Failure::input)?;
    let mut cursor = opened.cursor().map_err(Failure::input)?;
    let mut pose = Pose::with_size(raw.joints(), raw.float_tracks());
    let last = (raw.samples() - 1) as f64;
    let anywhere = |number: usize| (number as f64 * GOLDEN_SECTION).fract() * last;
    let [forward_ns, random_ns, cold_ns] = pose_ns(last, anywhere, flush, |at_sample| {
        opened.sample(&mut cursor, at_sample, &mut pose);
        black_box(&pose);
    });
    let single_joint_ns = warm_ns(|number| {
        black_box(opened.sample_joint(&mut cursor, anywhere(number), number * 7 % raw.joints()));
    });
    let places: Vec<f64> = (1..=TOUCHED_PLACES).map(anywhere).collect();
    Ok(Row {
        clip: clip.name.clone(),
        codec: name.to_owned(),
        joints: raw.joints(),
        samples: raw.samples(),
        raw_bytes: raw.raw_bytes(),
        bytes: bytes.len(),
        encode_secs,
        forward_ns,
        random_ns,
        cold_ns,
        single_joint_ns,
        touched_bytes: touched_bytes(encoder, &bytes, &bind, &places).map_err(Failure::input)?,
        resident_bytes: opened.resident_bytes(),
        cursor_bytes: cursor.resident_bytes(),
    })
}

/// The bytes of a clip, and the time that encoding took.
fn encode(clip: &NamedClip, encoder: &dyn Encoder, recipe: &Recipe) -> Result<(Vec<u8>, f64), Failure> {
    let (skeleton, raw) = (&clip.rig.skeleton, &*clip.clip);
    let limits = recipe.limits_of(&clip.rig, raw);
    let source = limits.source(skeleton, raw, recipe.tolerance_m);
    if raw.joints() == 0 {
        return Err(Failure::input("it has no joints"));
    }
    let started = Instant::now();
    let encoded = codecs::encode_clip(encoder, &source, &recipe.values, &Progress::new()).map_err(Failure::input)?;
    Ok((encoded.bytes, started.elapsed().as_secs_f64()))
}

/// Nanoseconds per pose: in order, at random, and at random with cold caches.
fn pose_ns(
    last: f64,
    anywhere: impl Fn(usize) -> f64,
    flush: &mut CacheFlush,
    mut decode: impl FnMut(f64),
) -> [f64; 3] {
    // Steps of a third of a sample, as in playback at 90 Hz of a clip at 30 Hz.
    let forward = |number: usize| (number as f64 / 3.0 + 0.1) % last.max(1.0);
    let forward_ns = warm_ns(|number| decode(forward(number)));
    let random_ns = warm_ns(|number| decode(anywhere(number)));
    [forward_ns, random_ns, flush.cold_ns(|number| decode(anywhere(number)))]
}

fn print(rows: &[Row], is_json: bool, console: &mut Console<'_>) -> Result<(), Failure> {
    if is_json {
        #[derive(Serialize)]
        struct Document {
            schema: u32,
            rows: Vec<Map<String, Value>>,
        }
        return console.json(&Document { schema: 1, rows: rows.iter().map(json).collect() });
    }
    let heads = heads().map(|label| (label, Align::Right));
    let mut table =
        Table::new(&[("clip", Align::Left), ("codec", Align::Left)].into_iter().chain(heads).collect::<Vec<_>>());
    for row in rows {
        table.row([row.clip.clone(), row.codec.clone()].into_iter().chain(numbers(row)));
    }
    table.print(console.out)?;
    Ok(writeln!(console.out, "\n{HOW}")?)
}

fn json(row: &Row) -> Map<String, Value> {
    let names = [("clip", &row.clip), ("codec", &row.codec)].map(|(key, text)| (key.to_owned(), text.as_str().into()));
    names.into_iter().chain(COLUMNS.iter().map(|column| (column.key.to_owned(), column.figure.value(row)))).collect()
}
