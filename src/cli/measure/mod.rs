//! `posepress measure`: tables of the results of every codec on sets of clips.

mod equal;
mod means;
mod pages;
mod reference;
mod shells;

use super::bench;
use super::load::{Loader, NamedClip, choose_clips, left_out};
use super::output::{check_output, try_output};
use super::stopwatch::CacheFlush;
use super::work::{compress_all, unfinished};
use super::{ClipArgs, Console, Exit, Failure, SourceArgs};
use clap::Args;
use pages::{Page, Tables, file_name, pages};
use posepress_core::codecs::{Candidate, CandidateError, encoders};
use posepress_core::export::write_atomically;
use posepress_core::files::canonical;
use posepress_core::import::{LengthUnit, find_files};
use posepress_core::metrics::Verdict;
use posepress_core::recipe::Recipe;
use posepress_core::text;
use reference::{Clip, Reference};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `posepress measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Folder whose subfolders are the sets. Files directly in it are a set with its name.
    #[arg(value_name = "CORPUS")]
    pub corpus: PathBuf,
    /// Folder for the tables: sizes.md, one file per set, shells.md and speed.md at the middle tolerance, and with a reference
    /// equal-error.md and equal-mean.md.
    #[arg(short, long, value_name = "OUTDIR")]
    pub output: PathBuf,
    /// Only these sets, in this order [default: all].
    #[arg(long, value_name = "SET,...", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Length unit of one set. Repeatable.
    #[arg(long, value_name = "SET=UNIT", value_parser = set_unit)]
    pub set_unit: Vec<(String, LengthUnit)>,
    /// Only this codec, written as a line of candidates: 'press level=full'. Repeatable [default: every codec but automatic].
    #[arg(long, value_name = "LINE")]
    pub codec: Vec<String>,
    /// One more codec, written as for --codec.
    #[arg(long, value_name = "LINE")]
    pub also: Vec<String>,
    /// Tolerances, mm.
    #[arg(long, value_name = "MM,...", value_delimiter = ',', default_values_t = [0.01, 0.1, 1.0])]
    pub tolerances_mm: Vec<f32>,
    /// Folder with acl_baseline.csv: bytes and largest errors of ACL by clip, with paths in the corpus. acl_mean_errors.csv, if it is
    /// there, has mean errors.
    #[arg(long, value_name = "FOLDER")]
    pub reference: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceArgs,
}

/// The result of one codec on one set at one tolerance.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name as given.
    pub codec: String,
    pub tolerance_mm: f32,
    pub clips: usize,
    pub raw_bytes: usize,
    pub bytes: usize,
    /// Clips whose shell error at a sample exceeds the tolerance.
    pub over: usize,
    /// Largest shell error at a sample, and its clip.
    pub worst_mm: f64,
    pub worst_clip: String,
    /// Largest shell error between samples.
    pub between_mm: f64,
    /// Mean of the shell errors of all clips, samples and joints.
    pub mean_mm: f64,
    /// Bytes in memory once the clips are opened.
    pub resident_bytes: usize,
    pub verdicts: Verdicts,
    /// Clips that the reference has: count, our bytes, its bytes.
    pub reference: Option<(usize, usize, usize)>,
}

/// Numbers of clips by their verdict on everything that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdicts {
    pub pass: usize,
    pub warn: usize,
    pub fail: usize,
}

impl Verdicts {
    /// The sum of two results.
    pub fn with(self, other: Self) -> Self {
        Self { pass: self.pass + other.pass, warn: self.warn + other.warn, fail: self.fail + other.fail }
    }

    /// One clip more.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Good => self.pass += 1,
            Verdict::Warn => self.warn += 1,
            Verdict::Fail => self.fail += 1,
        }
    }
}

/// The rows of one folder of clips.
#[derive(Debug, Clone, PartialEq)]
pub struct SetRows {
    pub name: String,
    pub clips: usize,
    pub rows: Vec<Row>,
}

/// The result of one clip and recipe.
struct Point {
    recipe: Recipe,
    of: Clip,
    clip: String,
    raw_bytes: usize,
    bytes: usize,
    max_mm: f64,
    between_mm: f64,
    mean_mm: f64,
    /// Number of errors in the mean.
    errors: usize,
    resident_bytes: usize,
    verdict: Verdict,
    within: bool,
}

/// Measures every codec on every set and writes the tables.
pub fn run(args: &MeasureArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let recipes = recipes(args)?;
    let reference = args.reference.as_deref().map(Reference::read).transpose()?;
    let sets = sets(args)?;
    let files: Vec<&Path> = sets.iter().flat_map(|(_, files)| files).map(PathBuf::as_path).collect();
    make_folder(&args.output, &sets, &files)?;
    let measurement = Measurement { args, middle: middle(args, &recipes), recipes, reference };
    let mut found = Found::default();
    let mut flush = CacheFlush::new();
    for (name, files) in &sets {
        measurement.measure_set(name, files, &mut found, &mut flush, console)?;
        // Written after each set, so that an aborted run keeps its results.
        for Page { file, text } in pages(&found.tables, &said()) {
            write_atomically(&args.output.join(file), text.as_bytes()).map_err(Failure::input)?;
        }
    }
    let Found { missing, mut failed, .. } = found;
    failed.sort();
    failed.dedup();
    let missing = (!missing.is_empty()).then(|| left_out(&missing, files.len()));
    match unfinished(&failed, missing) {
        None => Ok(Exit::Done),
        Some(failure) => Err(Failure::input(format!("{failure}; the tables skip them"))),
    }
}

/// Creates the folder of the tables. No table may replace a measured file.
fn make_folder(output: &Path, sets: &[(String, Vec<PathBuf>)], files: &[&Path]) -> Result<(), Failure> {
    let names = sets.iter().map(|(name, _)| file_name(name));
    for name in Page::fixed_names().chain(names) {
        check_output(&output.join(name), files.iter().copied())?;
    }
    std::fs::create_dir_all(output).map_err(|e| Failure::file(output, e))?;
    Page::fixed_names().try_for_each(|name| try_output(&output.join(name)))
}

/// The recipes to measure on every set.
struct Measurement<'a> {
    args: &'a MeasureArgs,
    recipes: Vec<(String, Recipe)>,
    /// The middle tolerance, and its recipes.
    middle: (f32, Vec<(String, Recipe)>),
    reference: Option<Reference>,
}

/// The tables, and the clips that failed.
#[derive(Default)]
struct Found {
    tables: Tables,
    missing: Vec<PathBuf>,
    failed: Vec<String>,
}

impl Measurement<'_> {
    fn measure_set(
        &self,
        name: &str,
        files: &[PathBuf],
        found: &mut Found,
        flush: &mut CacheFlush,
        console: &mut Console<'_>,
    ) -> Result<(), Failure> {
        let Some(clips) = self.clips_of(name, files, &mut found.missing, console)? else { return Ok(()) };
        let (tolerance_mm, at_middle) = &self.middle;
        let corpus = &self.args.corpus;
        let (rows, failed) = measure(corpus, &clips, &self.recipes, self.reference.as_ref(), console);
        found.tables.sizes.push(SetRows { name: name.to_owned(), clips: clips.len(), rows });
        found.failed.extend(failed);
        let (shells, failed) = shells::measure((name, &clips), at_middle, *tolerance_mm, console);
        found.tables.shells.push(shells);
        found.failed.extend(failed);
        if let Some(reference) = &self.reference {
            let (equal, failed) = equal::measure((name, &clips), (corpus, reference), at_middle, console);
            found.tables.equal.extend(equal);
            found.failed.extend(failed);
            let (equal, failed) = means::measure((name, &clips), (corpus, reference), at_middle, console);
            found.tables.equal_means.extend(equal);
            found.failed.extend(failed);
        }
        found.tables.speed.extend(timed(&clips, at_middle, flush));
        Ok(())
    }

    /// The clips of a set; none, with a message, if they cannot be chosen.
    fn clips_of(
        &self,
        name: &str,
        files: &[PathBuf],
        missing: &mut Vec<PathBuf>,
        console: &mut Console<'_>,
    ) -> Result<Option<Vec<NamedClip>>, Failure> {
        let mut loader = Loader::new(&self.args.source)?;
        if let Some((_, unit)) = self.args.set_unit.iter().rev().find(|(set, _)| set == name) {
            loader = loader.with_unit(*unit);
        }
        console.say(format!("{name}: {}", text::count(files.len(), "file")));
        let (loaded, left) = loader.load_files(files, console);
        missing.extend(left);
        match choose_clips(&loaded, &ClipArgs::default()) {
            Ok(clips) => Ok(Some(clips)),
            Err(error) => {
                console.say(format!("error: {name}: {error}"));
                missing.extend(loaded.into_iter().map(|file| file.path));
                Ok(None)
            }
        }
    }
}

/// The middle tolerance and its recipes: all tables but sizes use it.
fn middle(args: &MeasureArgs, recipes: &[(String, Recipe)]) -> (f32, Vec<(String, Recipe)>) {
    let mut tolerances_mm = args.tolerances_mm.clone();
    tolerances_mm.sort_by(f32::total_cmp);
    let tolerance_mm = tolerances_mm.get(tolerances_mm.len() / 2).copied().unwrap_or_default();
    let is_of_it = |recipe: &Recipe| recipe.tolerance_m == metres(tolerance_mm);
    (tolerance_mm, recipes.iter().filter(|(_, recipe)| is_of_it(recipe)).cloned().collect())
}

/// Times every codec on the longest clip.
fn timed(clips: &[NamedClip], recipes: &[(String, Recipe)], flush: &mut CacheFlush) -> Vec<bench::Row> {
    let longest = clips.iter().filter(|clip| clip.clip.joints() > 0).max_by_key(|clip| clip.clip.samples());
    let Some(clip) = longest else { return Vec::new() };
    let encoder_of = |recipe: &Recipe| encoders().find(|encoder| encoder.id() == recipe.codec.id());
    let encoded = recipes.iter().filter_map(|(name, recipe)| Some((name, encoder_of(recipe)?, recipe)));
    // Encoding errors were already reported when the bytes were measured.
    encoded.filter_map(|(name, encoder, recipe)| bench::time(clip, (name, encoder, recipe), flush).ok()).collect()
}

/// The command line, so that readers can repeat the measurement.
fn said() -> String {
    let quoted = |word: String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word };
    std::iter::once("posepress".to_owned()).chain(std::env::args().skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

/// Every codec at every tolerance, codec by codec.
fn recipes(args: &MeasureArgs) -> Result<Vec<(String, Recipe)>, Failure> {
    let every = || encoders().map(|codec| codec.name().to_owned());
    let named: Vec<String> = if args.codec.is_empty() { every().collect() } else { args.codec.clone() };
    let mut out = Vec::new();
    for line in named.iter().chain(&args.also) {
        let recipe = match Candidate::parse(line) {
            Ok(Candidate { codec, values, .. }) => Recipe { values, ..Recipe::of(codec) },
            Err(CandidateError::Recursive(_)) => Recipe::chosen(line).map_err(Failure::usage)?,
            Err(error) => return Err(Failure::usage(error)),
        };
        for tolerance_mm in &args.tolerances_mm {
            // The reference was measured with the same shell for every joint. shells.md also has shells from the mesh.
            let tolerance_m = metres(*tolerance_mm);
            let recipe = Recipe { tolerance_m, shell_from_mesh: false, ..recipe.clone() };
            out.push((line.clone(), recipe.validated().map_err(Failure::usage)?));
        }
    }
    Ok(out)
}

fn metres(mm: f32) -> f32 {
    (f64::from(mm) / 1000.0) as f32
}

/// Files by set, in the order of the options.
fn sets(args: &MeasureArgs) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let corpus = &args.corpus;
    let found = find_files(corpus).map_err(|e| Failure::file(corpus, e))?;
    let whole = canonical(corpus).map_err(|e| Failure::file(corpus, e))?;
    let own = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned();
    let mut sets: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in found.files {
        let mut inside = file.strip_prefix(corpus).unwrap_or(&file).components();
        let first = inside.next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let name = first.filter(|_| inside.next().is_some()).unwrap_or_else(|| own.clone());
        sets.entry(name).or_default().push(file);
    }
    let names: Vec<String> = sets.keys().cloned().collect();
    let asked = args.sets.iter().chain(args.set_unit.iter().map(|(set, _)| set));
    if let Some(unknown) = asked.into_iter().find(|name| !sets.contains_key(*name)) {
        return Err(Failure::usage(format!(
            "'{unknown}' is no set of {}; there are: {}",
            corpus.display(),
            names.join(", ")
        )));
    }
    if sets.is_empty() {
        return Err(Failure::file(corpus, "holds no file that can be read"));
    }
    let order = if args.sets.is_empty() { names } else { args.sets.clone() };
    Ok(order.into_iter().filter_map(|name| sets.remove_entry(&name)).collect())
}

/// The rows of a set. Also returns the clips that could not be compressed.
fn measure(
    corpus: &Path,
    clips: &[NamedClip],
    recipes: &[(String, Recipe)],
    reference: Option<&Reference>,
    console: &mut Console<'_>,
) -> (Vec<Row>, Vec<String>) {
    let of_clip: Vec<Recipe> = recipes.iter().map(|(_, recipe)| recipe.clone()).collect();
    let (points, failed) = compress_all(
        "measured",
        clips,
        |_| &of_clip,
        console,
        |clip, worked| Point {
            recipe: worked.sides.outcome.recipe.clone(),
            of: Clip::in_corpus(corpus, clip),
            clip: clip.name.clone(),
            raw_bytes: worked.report.raw_bytes,
            bytes: worked.report.bytes,
            max_mm: worked.report.error.max_mm,
            between_mm: worked.report.sub_frame_error.max_mm,
            mean_mm: worked.report.error.mean_mm,
            errors: clip.clip.samples() * clip.clip.joints(),
            resident_bytes: worked.report.resident_bytes,
            verdict: worked.report.verdict,
            within: worked.report.error.within,
        },
    );
    let row = |(codec, recipe): &(String, Recipe)| {
        let points: Vec<&Point> = points.iter().filter(|point| point.recipe == *recipe).collect();
        row(codec, recipe, &points, reference)
    };
    (recipes.iter().map(row).collect(), failed)
}

fn row(codec: &str, recipe: &Recipe, points: &[&Point], reference: Option<&Reference>) -> Row {
    let tolerance_mm = text::millimetres(recipe.tolerance_m) as f32;
    let worst = points.iter().max_by(|a, b| a.max_mm.total_cmp(&b.max_mm));
    let theirs = |point: &&Point| Some((point.bytes, reference?.at(&point.of, tolerance_mm)?.bytes));
    let shared: Vec<(usize, usize)> = points.iter().filter_map(theirs).collect();
    let errors: usize = points.iter().map(|point| point.errors).sum();
    let mut verdicts = Verdicts::default();
    points.iter().for_each(|point| verdicts.add(point.verdict));
    Row {
        codec: codec.to_owned(),
        tolerance_mm,
        clips: points.len(),
        raw_bytes: points.iter().map(|point| point.raw_bytes).sum(),
        bytes: points.iter().map(|point| point.bytes).sum(),
        over: points.iter().filter(|point| !point.within).count(),
        worst_mm: worst.map_or(0.0, |point| point.max_mm),
        worst_clip: worst.map(|point| point.clip.clone()).unwrap_or_default(),
        between_mm: points.iter().map(|point| point.between_mm).fold(0.0, f64::max),
        mean_mm: points.iter().map(|point| point.mean_mm * point.errors as f64).sum::<f64>() / errors.max(1) as f64,
        resident_bytes: points.iter().map(|point| point.resident_bytes).sum(),
        verdicts,
        reference: (!shared.is_empty())
            .then(|| shared.iter().fold((0, 0, 0), |s, (own, their)| (s.0 + 1, s.1 + own, s.2 + their))),
    }
}

fn set_unit(text: &str) -> Result<(String, LengthUnit), String> {
    let keys = LengthUnit::ALL.map(|unit| unit.option().key).join(", ");
    let expected = || format!("expected SET=UNIT, the unit one of {keys}");
    let (set, key) = text.split_once('=').ok_or_else(expected)?;
    let unit = LengthUnit::ALL.into_iter().find(|unit| unit.option().key == key).ok_or_else(expected)?;
    Ok((set.to_owned(), unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_said_of_a_set() {
        assert_eq!(set_unit("fox=cm"), Ok(("fox".into(), LengthUnit::Centimetre)));
        assert!(set_unit("fox=ells").unwrap_err().contains("cm") && set_unit("cm").is_err());
    }
}
