use super::evidence::{Evidence, Painter};
use super::html::PlayingPage;
use super::load::{NamedClip, choose_clips, left_out, load_files};
use super::output::{check_loaded, check_output, try_output};
use super::report_diff::ReportCommand;
use super::setting_args::{OnScreen, SettingArgs, Tiers};
use super::table::{Align, Table};
use super::tiers::{levels_of, print_tiers};
use super::work::{Worked, compress_all, conclude};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs, candidates, report_page};
use clap::Args;
use posepress_core::codecs::Stage;
use posepress_core::export::{ExportRecipes, write_atomically};
use posepress_core::metrics::Promise;
use posepress_core::pipeline::{FileSize, MeasuredClip, Outcome, TierSettings};
use posepress_core::recipe::Recipe;
use posepress_core::report::{ClipReport, OverrideRow, REPORT_SCHEMA, ReportColumn, Screen, TierRow};
use posepress_core::settings::Choice;
use posepress_core::text;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// `posepress report`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ReportArgs {
    #[command(subcommand)]
    pub what: Option<ReportCommand>,
    /// Source files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub clips: ClipArgs,
    #[command(flatten)]
    pub tiers: SettingArgs<Tiers>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Output options of reports.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct FormatArgs {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV.
    #[arg(long)]
    pub csv: bool,
    /// Also write a web page that plays both sides of every clip, with table, error over time, contacts, settings, and pictures of the
    /// worst frames.
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    pub screen: SettingArgs<OnScreen>,
}

/// Limits of a page that plays.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct PageArgs {
    /// Largest page, MB of 1024 KB. Colours of pictures and textures are left out first, then morph targets, meshes, motion and pictures
    /// [default: 20]
    #[arg(long, value_name = "MB", requires = "html")]
    pub html_max_mb: Option<f64>,
}

impl PageArgs {
    /// Largest size of a page without the option.
    const DEFAULT_MB: f64 = 20.0;

    /// Largest size of the page.
    pub fn most_bytes(self) -> usize {
        (self.html_max_mb.unwrap_or(Self::DEFAULT_MB) * f64::from(1 << 20)) as usize
    }
}

impl FormatArgs {
    /// The motion, pictures and curve of a clip for the page; `None` without a page.
    pub fn evidence(&self, source: &MeasuredClip, outcome: &Outcome) -> Option<Evidence> {
        self.html.is_some().then(|| Evidence::playing(source, outcome))
    }
}

/// Compresses every clip and prints the measurements.
pub fn run(args: &ReportArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let recipes = [args.recipe.recipe()?];
    report_files(
        &args.files,
        &recipes,
        &args.source,
        &args.clips,
        (&args.format, args.tiers.apply(TierSettings::default())),
        console,
    )
}

/// Compresses every clip with every recipe and prints the measurements.
pub fn report_files(
    files: &[PathBuf],
    recipes: &[Recipe],
    source: &SourceArgs,
    clips: &ClipArgs,
    (format, tiers): (&FormatArgs, TierSettings),
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let (loaded, missing) = load_files(files, source, console)?;
    if let Some(path) = &format.html {
        check_loaded(path, &loaded)?;
        try_output(path)?;
    }
    let chosen = choose_clips(&loaded, clips)?;
    let full = |clip: &NamedClip, worked: Worked| {
        let failed = |error: String| (clip.name.clone(), error);
        let (source, outcome) = (worked.sides.source.clone(), worked.sides.outcome.clone());
        let evidence = format.evidence(&source, &outcome);
        let report = worked.full_report().map_err(|e| format!("the cost of an override could not be measured: {e}"));
        let report = report.map_err(failed)?;
        let levels = levels_of(&tiers, &clip.name, &source, &outcome).map_err(failed)?;
        Ok((ClipReport { tiers: TierRow::of(&levels), ..report }, evidence))
    };
    let (worked, mut failed) = compress_all("measured", &chosen, |_| recipes, console, full);
    let (mut reports, mut all_evidence) = (Vec::new(), Vec::new());
    for one in worked {
        match one {
            Ok((report, evidence)) => {
                reports.push(report);
                all_evidence.push(evidence);
            }
            Err::<_, (String, String)>((clip, error)) => {
                console.say(format!("error: {error}"));
                failed.push(clip);
            }
        }
    }
    print_reports(&reports, &all_evidence, None, format, console)?;
    conclude(&reports, &failed, (!missing.is_empty()).then(|| left_out(&missing, files.len())))
}

/// Prints reports as a table, JSON or CSV, and writes the page if the options name one.
///
/// `evidence` has one entry per report, from [`FormatArgs::evidence`]. `file` is the written container, if any.
pub fn print_reports(
    reports: &[ClipReport],
    evidence: &[Option<Evidence>],
    file: Option<FileSize>,
    format: &FormatArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let screen = format.screen.apply(Screen::default());
    let reports = &*reports.iter().map(|report| report.clone().on_screen(&screen)).collect::<Vec<_>>();
    if let Some(path) = &format.html {
        check_output(path, reports.iter().map(|r| Path::new(&r.source)))?;
        let painter = console.painter.as_mut().map(|painter| &mut **painter as &mut dyn Painter);
        let PlayingPage { html, over } = report_page::report_page(reports, evidence, painter, format.page.most_bytes());
        write_atomically(path, html.as_bytes()).map_err(Failure::input)?;
        over.into_iter().for_each(|over| console.say(format!("{}: {over}", path.display())));
    }
    candidates::print(reports, console)?;
    if format.json {
        #[derive(Serialize)]
        struct Document<'a> {
            schema: u32,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<FileSize>,
            clips: &'a [ClipReport],
        }
        console.json(&Document { schema: REPORT_SCHEMA, file, clips: reports })
    } else if format.csv {
        print_csv(reports, console)
    } else {
        print_table(reports, file, console)?;
        print_tiers(reports, console)
    }
}

fn print_table(reports: &[ClipReport], file: Option<FileSize>, console: &mut Console<'_>) -> Result<(), Failure> {
    use Align::{Left, Right};
    if reports.is_empty() {
        return Ok(()); // the messages give the reason
    }
    let heads =
        ReportColumn::for_people(reports).map(|(label, column)| match (column.figure)(&reports[0]).is_number() {
            true => (label, Right),
            false => (label, Left),
        });
    let mut table = Table::new(&heads.collect::<Vec<_>>());
    for report in reports {
        table.row(ReportColumn::for_people(reports).map(|(_, column)| (column.figure)(report).shown()));
    }
    table.print(console.out)?;
    let (bytes, raw): (usize, usize) = reports.iter().fold((0, 0), |s, r| (s.0 + r.bytes, s.1 + r.raw_bytes));
    if bytes > 0 {
        let (size, ratio) = (text::bytes(bytes as u64), text::ratio(raw as f32 / bytes as f32));
        writeln!(console.out, "\n{} rows, {size}, {ratio}", reports.len())?;
        match file {
            Some(file) => writeln!(console.out, "file: {} (names, recipes, checksums, rig)", file.words())?,
            None => print_containers(reports, console)?,
        }
        print_stages(reports, console)?;
        writeln!(console.out, "{}", how_measured(&reports[0]))?;
    }
    print_advice(reports, console)?;
    print_pins(reports, console)?;
    for report in reports {
        if let Some(why) = report.compensation.and_then(|c| c.left_off) {
            let what = report.compensation.map_or("", |c| c.missing().option().key);
            writeln!(console.out, "compensation {what} skipped, {} of {}: {}", report.clip, report.codec, why.text())?;
        }
        for OverrideRow { joint, span_secs, extra_bytes, .. } in &report.overrides {
            let when = span_secs.map_or(String::new(), |[start, end]| format!(" from {start} to {end} s"));
            let (clip, codec, cost) = (&report.clip, &report.codec, text::signed_bytes(*extra_bytes));
            writeln!(console.out, "override of {joint}{when} in {clip}, {codec}: {cost}")?;
        }
        if let Some(words) = report.stored_exactly_words() {
            writeln!(console.out, "{words}")?;
        }
    }
    Ok(())
}

/// Prints advice for verdicts that are not good, once per kind of problem.
fn print_advice(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    let mut all: Vec<(&str, String, usize)> = Vec::new();
    for reason in reports.iter().flat_map(ClipReport::reasons) {
        let advice = reason.advice_words();
        match all.iter_mut().find(|(complaint, known, _)| *complaint == reason.complaint && *known == advice) {
            Some((.., count)) => *count += 1,
            None => all.push((reason.complaint, advice, 1)),
        }
    }
    for (complaint, advice, count) in all {
        writeln!(console.out, "{complaint}, {}: {advice}", text::count(count, "row"))?;
    }
    Ok(())
}

/// Prints the marked pins, one line each.
fn print_pins(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    for report in reports {
        for pin in report.pins.iter().filter(|pin| pin.marked) {
            let (clip, codec) = (&report.clip, &report.codec);
            let (start, end) = (pin.start_secs, pin.end_secs);
            writeln!(console.out, "pin in {clip}, {codec}, from {start:.2} to {end:.2} s: {}", pin.words())?;
        }
    }
    Ok(())
}

/// Prints the size of one container per source, if each clip was compressed once.
fn print_containers(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    let mut sources: Vec<&str> = Vec::new();
    let mut clips = HashSet::new();
    let parts = reports.iter().map(|report| {
        let file = sources.iter().position(|source| *source == report.source).unwrap_or_else(|| {
            sources.push(&report.source);
            sources.len() - 1
        });
        clips.insert((file, &report.clip)).then(|| report.file_part(file, &[], ExportRecipes::Kept)).flatten()
    });
    let Some(parts) = parts.collect::<Option<Vec<_>>>() else { return Ok(()) };
    let containers = text::count(sources.len(), "container");
    Ok(writeln!(console.out, "in {containers}: {} (names, recipes, checksums, rig)", FileSize::of(&parts).words())?)
}

/// Prints the bytes after each stage of a codec with several stages, one line per codec.
fn print_stages(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    let mut codecs: Vec<&str> = reports.iter().filter(|r| !r.stages.is_empty()).map(|r| r.codec.as_str()).collect();
    codecs.dedup();
    for codec in codecs {
        let mut sums: Vec<Stage> = Vec::new();
        for stage in reports.iter().filter(|r| r.codec == codec).flat_map(|r| &r.stages) {
            match sums.iter_mut().find(|s| s.name == stage.name) {
                Some(sum) => sum.bytes += stage.bytes,
                None => sums.push(stage.clone()),
            }
        }
        let steps: Vec<String> = sums.iter().map(|s| format!("{} {}", s.name, text::bytes(s.bytes))).collect();
        writeln!(console.out, "{codec}, step by step: {}", steps.join("; "))?;
    }
    Ok(())
}

/// One line about how the numbers were measured.
pub fn how_measured(report: &ClipReport) -> String {
    let (error, steps) = (&report.error, report.sub_frame_error.per_sample);
    let shell = text::length((error.shell_mm / 1000.0) as f32);
    let tolerance = text::length((error.tolerance_mm / 1000.0) as f32);
    let mesh = if error.shell_from_mesh { ", or at its farthest vertex" } else { "" };
    let of_mean = if error.promise == Promise::Mean.option().key { " for the mean of each joint" } else { "" };
    format!(
        "max: shell error in object space {shell} from each joint{mesh}, at every sample; tolerance {tolerance}{of_mean}\n\
         between: the same at {steps} times per sample; skin: every vertex at every sample; slide: feet in contact, beyond the source's own"
    )
}

fn print_csv(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    let heads: Vec<&str> = ReportColumn::for_programs().map(|(key, _)| key).collect();
    writeln!(console.out, "{}", heads.join(","))?;
    for report in reports {
        let row = ReportColumn::for_programs().map(|(_, column)| csv_text(&(column.figure)(report).exact()));
        writeln!(console.out, "{}", row.collect::<Vec<_>>().join(","))?;
    }
    Ok(())
}

/// Text as a CSV field, quoted if RFC 4180 requires it.
pub fn csv_text(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_fields_are_quoted_only_where_they_must_be() {
        assert_eq!(csv_text("a b"), "a b");
        assert_eq!(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
