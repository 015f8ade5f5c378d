use super::load::{choose_clips, left_out, load_files};
use super::table::{Align, Table};
use super::work::{compress_all, conclude};
use super::{ClipArgs, Console, Exit, Failure, RecipeArgs, SourceArgs, candidates, html};
use clap::Args;
use posepress_core::codecs::Stage;
use posepress_core::export::write_atomically;
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipReport, REPORT_SCHEMA, Recipe};
use posepress_core::text;
use serde::Serialize;
use std::path::PathBuf;

/// `posepress report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
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
    pub format: FormatArgs,
}

/// How reports are printed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct FormatArgs {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV.
    #[arg(long)]
    pub csv: bool,
    /// Also write a page for a browser.
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
}

/// Compresses every clip and prints what was measured.
pub fn run(args: &ReportArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let recipes = [args.recipe.recipe()?];
    report_files(&args.files, &recipes, &args.source, &args.clips, &args.format, console)
}

/// Compresses every clip with every recipe and prints what was measured.
pub fn report_files(
    files: &[PathBuf],
    recipes: &[Recipe],
    source: &SourceArgs,
    clips: &ClipArgs,
    format: &FormatArgs,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    let (loaded, missing) = load_files(files, source, console);
    let chosen = choose_clips(&loaded, clips)?;
    let (reports, failed) = compress_all("measured", &chosen, recipes, console, |_, worked| worked.report);
    print_reports(&reports, format, console)?;
    conclude(&reports, failed, (missing > 0).then(|| left_out(missing, files.len())))
}

/// Prints reports as a table, JSON or CSV, and writes the page if one is wanted.
pub fn print_reports(reports: &[ClipReport], format: &FormatArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    if let Some(path) = &format.html {
        write_atomically(path, html::page(reports).as_bytes()).map_err(Failure::input)?;
    }
    candidates::print(reports, console)?;
    if format.json {
        #[derive(Serialize)]
        struct Document<'a> {
            schema: u32,
            clips: &'a [ClipReport],
        }
        console.json(&Document { schema: REPORT_SCHEMA, clips: reports })
    } else if format.csv {
        print_csv(reports, console)
    } else {
        print_table(reports, console)
    }
}

fn print_table(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    use Align::{Left, Right};
    if reports.is_empty() {
        return Ok(()); // the messages say why
    }
    let mut table = Table::new(&[
        ("clip", Left),
        ("codec", Left),
        ("size", Right),
        ("ratio", Right),
        ("max", Right),
        ("between", Right),
        ("skin", Right),
        ("slide", Right),
        ("worst at", Left),
        ("verdict", Left),
    ]);
    for report in reports {
        table.row(cells(report));
    }
    table.print(console.out)?;
    let (bytes, raw): (usize, usize) = reports.iter().fold((0, 0), |s, r| (s.0 + r.bytes, s.1 + r.raw_bytes));
    if bytes > 0 {
        let (size, ratio) = (text::bytes(bytes as u64), text::ratio(raw as f32 / bytes as f32));
        writeln!(console.out, "\n{} rows, {size}, {ratio}", reports.len())?;
        print_stages(reports, console)?;
        writeln!(console.out, "{}", how_measured(&reports[0]))?;
    }
    for report in reports {
        if let Some(why) = report.compensation.and_then(|c| c.left_off) {
            writeln!(console.out, "compensation left off, {} of {}: {}", report.clip, report.codec, why.text())?;
        }
    }
    Ok(())
}

/// What each step of encoders that have several left of all clips together, one line a codec.
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

fn cells(report: &ClipReport) -> [String; 10] {
    let mm = |v: f64| text::length((v / 1000.0) as f32);
    let optional = |v: Option<f64>| v.map_or(text::NOT_MEASURED.into(), mm);
    let worst = &report.error.worst;
    [
        report.clip.clone(),
        report.codec.clone(),
        text::bytes(report.bytes as u64),
        text::ratio(report.ratio),
        mm(report.error.max_mm),
        mm(report.sub_frame_error.max_mm),
        optional(report.vertex_error.as_ref().map(|v| v.max_mm)),
        optional(report.contacts.worst_slide_mm),
        format!("{} {}", worst.joint, text::clock(worst.time_secs)),
        verdict(report).into(),
    ]
}

/// The verdict in words that say what is wrong.
pub fn verdict(report: &ClipReport) -> &'static str {
    match (report.error.within, report.verdict) {
        (false, Verdict::Fail) => "over tolerance, feet slide",
        (false, _) => "over tolerance",
        (true, Verdict::Fail) => "feet slide",
        (true, Verdict::Warn) => "look at the feet",
        (true, Verdict::Good) => "good",
    }
}

/// One line that says how the numbers came about.
pub fn how_measured(report: &ClipReport) -> String {
    let (error, steps) = (&report.error, report.sub_frame_error.per_sample);
    let shell = text::length((error.shell_mm / 1000.0) as f32);
    let tolerance = text::length((error.tolerance_mm / 1000.0) as f32);
    let mesh = if error.shell_from_mesh { " or at the farthest vertex that it moves" } else { "" };
    format!(
        "max: shell error in object space at {shell} from each joint{mesh}, at every sample, tolerance {tolerance}\n\
         between: the same at {steps} steps a sample; skin: every vertex at every sample; slide: planted feet, beyond raw"
    )
}

const CSV_HEADER: &str = "source,clip,codec,joints,samples,rate_hz,duration_secs,raw_bytes,bytes,file_bytes,ratio,\
tolerance_mm,shell_mm,max_mm,p99_mm,rms_mm,mean_mm,worst_joint,worst_secs,within,sub_frame_max_mm,vertex_max_mm,\
plants,worst_slide_mm,looping,seam_pop_mm,encode_ms,decode_ns_per_pose,verdict";

fn print_csv(reports: &[ClipReport], console: &mut Console<'_>) -> Result<(), Failure> {
    writeln!(console.out, "{CSV_HEADER}")?;
    for r in reports {
        let optional = |v: Option<f64>| v.map(|v| v.to_string()).unwrap_or_default();
        let verdict = format!("{:?}", r.verdict).to_lowercase();
        let row = [
            csv_text(&r.source),
            csv_text(&r.clip),
            csv_text(&r.codec),
            r.joints.to_string(),
            r.samples.to_string(),
            r.rate_hz.to_string(),
            r.duration_secs.to_string(),
            r.raw_bytes.to_string(),
            r.bytes.to_string(),
            r.file_bytes.to_string(),
            r.ratio.to_string(),
            r.error.tolerance_mm.to_string(),
            r.error.shell_mm.to_string(),
            r.error.max_mm.to_string(),
            r.error.p99_mm.to_string(),
            r.error.rms_mm.to_string(),
            r.error.mean_mm.to_string(),
            csv_text(&r.error.worst.joint),
            r.error.worst.time_secs.to_string(),
            r.error.within.to_string(),
            r.sub_frame_error.max_mm.to_string(),
            optional(r.vertex_error.as_ref().map(|v| v.max_mm)),
            r.contacts.plants.len().to_string(),
            optional(r.contacts.worst_slide_mm),
            r.motion.looping.to_string(),
            r.motion.seam_pop_mm.to_string(),
            optional(r.encode_ms),
            r.decode_ns_per_pose.to_string(),
            verdict,
        ];
        writeln!(console.out, "{}", row.join(","))?;
    }
    Ok(())
}

/// Text as a CSV field: quoted where it must be (RFC 4180).
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
