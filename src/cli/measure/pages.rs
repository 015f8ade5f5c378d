//! Pages of Markdown from measured rows.

use super::equal::EqualRows;
use super::shells::{FAR_SHELL_M, ShellFigures, ShellRows};
use super::{Row, SetRows, Verdicts, bench};
use posepress_core::text;
use std::fmt::Write;

/// A file of tables.
pub struct Page {
    /// Its name.
    pub file: String,
    pub text: String,
}

/// All measurements, by set.
#[derive(Default)]
pub struct Tables {
    pub sizes: Vec<SetRows>,
    pub shells: Vec<ShellRows>,
    /// Empty without a reference.
    pub equal: Vec<EqualRows>,
    /// Empty without mean errors in the reference.
    pub equal_means: Vec<EqualRows>,
    pub speed: Vec<bench::Row>,
}

/// Compares all sets.
const SIZES: &str = "sizes.md";
/// Results with other shells.
const SHELLS: &str = "shells.md";
/// Results at the errors of the reference.
const EQUAL: &str = "equal-error.md";
/// Results at the mean errors of the reference.
const EQUAL_MEANS: &str = "equal-mean.md";
/// Times of encoding and decoding.
const SPEED: &str = "speed.md";

const HOW: &str = "Bytes: all data of a clip in a container, without the rig. Errors: shell errors of the decoded clip in object space \
at every sample, 30 mm from each joint.";
const OF_SET: &str = "In memory: the bytes that the opened clips take, without the bind pose that they share. Mean: over all clips, \
samples and joints. Between samples: the largest error there. Verdicts: clips that pass, warn and fail, judged as a report judges them.";
const REFERENCE: &str = "In brackets: the bytes of the clips that the reference has, divided by those of ACL 2.1.0 with bind poses \
stripped, asked for the same tolerance; where some clips have none, their number stands beside.";

const HOW_EQUAL: &str = "The error of ACL may exceed the requested tolerance. Here the tolerance of each clip is the largest error that \
the reference measured for ACL 2.1.0 (bind poses stripped, asked for the tolerance of the title). So codecs that promise a tolerance have \
no larger error than ACL. In brackets: bytes divided by the bytes of ACL. Mean: over all clips, samples and joints; the reference has no \
mean for ACL.";

const HOW_EQUAL_MEANS: &str = "Each clip has the largest tolerance that was found, in up to eight encodings, at which neither its mean error \
nor the mean of any joint is above those of ACL 2.1.0 (bind poses stripped, asked for the tolerance of the title). No other error is held. In \
brackets: bytes divided by the bytes of ACL. Mean: over all clips, samples and joints. Over: clips with a larger mean than ACL at every \
tolerance that was tried.";

impl Page {
    /// File names that do not depend on the sets.
    pub fn fixed_names() -> impl Iterator<Item = String> {
        [SIZES, SHELLS, EQUAL, EQUAL_MEANS, SPEED].into_iter().map(str::to_owned)
    }
}

/// The file of a set.
pub fn file_name(set: &str) -> String {
    format!("set-{set}.md")
}

/// Writes the tables, with `command` at the top of each.
pub fn pages(tables: &Tables, command: &str) -> Vec<Page> {
    let head = |title: &str| format!("# {title}\n\n```sh\n{command}\n```\n");
    let page = |file: &str, title: &str, how: &str, table: String| Page {
        file: file.to_owned(),
        text: format!("{}\n{how}\n{table}", head(title)),
    };
    let of_set = |set: &SetRows| {
        let title = format!("Sizes and errors: {}, {}", set.name, text::count(set.clips, "clip"));
        page(&file_name(&set.name), &title, &format!("{HOW} {OF_SET}"), errors(set))
    };
    let all = page(SIZES, "Sizes", &format!("{HOW} {REFERENCE}"), sizes(&tables.sizes));
    let others = [
        page(SHELLS, "Other shells", &how_of_shells(), shells(&tables.shells)),
        page(SPEED, "Speed", &bench::HOW.replace('\n', " "), speed(&tables.speed)),
    ];
    let as_near = [
        (EQUAL, "At the error of ACL", HOW_EQUAL, &tables.equal),
        (EQUAL_MEANS, "At the mean errors of ACL", HOW_EQUAL_MEANS, &tables.equal_means),
    ];
    let as_near = as_near.into_iter().filter(|(.., sets)| !sets.is_empty());
    let as_near = as_near.map(|(file, title, how, sets)| page(file, title, how, equal(sets)));
    std::iter::once(all).chain(tables.sizes.iter().map(of_set)).chain(others).chain(as_near).collect()
}

fn how_of_shells() -> String {
    format!(
        "Bytes of codecs that promise the tolerance, with three kinds of shells: 30 mm for all joints, the farthest vertex of the mesh that a joint \
moves, and {FAR_SHELL_M} m on one joint in the middle of the rig. Over: clips over the tolerance. Float32: clips with every sample stored \
exactly. Verdicts: clips that pass, warn and fail with shells from the mesh, as in the default recipe."
    )
}

/// One table per set: a row per codec, a column per shell.
fn shells(sets: &[ShellRows]) -> String {
    let mut out = String::new();
    for set in sets {
        let title = format!("{}, {}, {} mm", set.set, text::count(set.clips, "clip"), set.tolerance_mm);
        let far = format!("{FAR_SHELL_M} m on `{}`", set.joint);
        let mut heads = vec!["codec".to_owned()];
        for shells in ["30 mm", "from the mesh", &far] {
            heads.extend([shells.to_owned(), "over".into(), "float32".into()]);
        }
        heads.push("verdicts, from the mesh".into());
        table(&mut out, &title, &heads);
        for row in &set.rows {
            let cells =
                |held: &ShellFigures| [text::exact(held.bytes as u64), held.over.to_string(), held.exact.to_string()];
            let held = [row.plain, row.from_mesh, row.far_joint];
            let cells = held.iter().flat_map(cells).chain([verdicts(row.from_mesh.verdicts)]);
            line(&mut out, std::iter::once(format!("`{}`", row.codec)).chain(cells));
        }
    }
    out
}

/// Clips that pass, warn and fail.
fn verdicts(of: Verdicts) -> String {
    format!("{} / {} / {}", of.pass, of.warn, of.fail)
}

/// One table per set and tolerance of ACL: a row per codec.
fn equal(sets: &[EqualRows]) -> String {
    let mut out = String::new();
    for set in sets {
        let title = format!("{}, {}, {} mm asked of ACL", set.set, text::count(set.clips, "clip"), set.asked_mm);
        table(&mut out, &title, &["codec", "bytes", "mean error", "clips over"].map(str::to_owned));
        for row in &set.rows {
            let ratio = row.bytes as f64 / set.reference_bytes as f64;
            let cells = [
                format!("`{}`", row.codec),
                format!("{} ({ratio:.2})", text::exact(row.bytes as u64)),
                format!("{} mm", round(row.mean_mm)),
                row.over.to_string(),
            ];
            line(&mut out, cells.into_iter());
        }
    }
    out
}

/// One table per clip: a row per codec.
fn speed(rows: &[bench::Row]) -> String {
    let mut out = String::new();
    for of_clip in rows.chunk_by(|a, b| a.clip == b.clip) {
        let heads = std::iter::once("codec").chain(bench::heads()).map(str::to_owned);
        table(&mut out, &of_clip[0].title(), &heads.collect::<Vec<_>>());
        for row in of_clip {
            line(&mut out, std::iter::once(format!("`{}`", row.codec)).chain(bench::numbers(row)));
        }
    }
    out
}

/// One table per tolerance: a row per codec, a column per set.
fn sizes(sets: &[SetRows]) -> String {
    let Some(first) = sets.first() else { return String::new() };
    let mut out = String::new();
    for tolerance_mm in tolerances(&first.rows) {
        let heads = sets.iter().map(|set| format!("{}, {}", set.name, text::count(set.clips, "clip")));
        let heads = std::iter::once("codec".to_owned()).chain(heads).chain([format!("clips over {tolerance_mm} mm")]);
        table(&mut out, &format!("{tolerance_mm} mm"), &heads.collect::<Vec<_>>());
        for (place, row) in first.rows.iter().enumerate().filter(|(_, row)| row.tolerance_mm == tolerance_mm) {
            let rows: Vec<&Row> = sets.iter().map(|set| &set.rows[place]).collect();
            let cells = rows.iter().map(|row| sized(row));
            line(&mut out, std::iter::once(format!("`{}`", row.codec)).chain(cells).chain([over(&rows)]));
        }
    }
    out
}

/// One table per tolerance: a row per codec.
fn errors(set: &SetRows) -> String {
    let mut out = String::new();
    for tolerance_mm in tolerances(&set.rows) {
        let rows = || set.rows.iter().filter(|row| row.tolerance_mm == tolerance_mm);
        let has_reference = rows().any(|row| row.reference.is_some());
        let mut heads = vec![
            "codec",
            "bytes",
            "raw / bytes",
            "in memory",
            "worst error",
            "of clip",
            "clips over",
            "mean error",
            "between samples",
            "verdicts",
        ];
        heads.extend(has_reference.then_some("bytes / ACL"));
        table(&mut out, &format!("{tolerance_mm} mm"), &heads.into_iter().map(str::to_owned).collect::<Vec<_>>());
        for row in rows() {
            let ratio = if row.bytes > 0 { row.raw_bytes as f64 / row.bytes as f64 } else { 0.0 };
            let cells = [
                format!("`{}`", row.codec),
                text::exact(row.bytes as u64),
                format!("{ratio:.2}"),
                text::exact(row.resident_bytes as u64),
                format!("{} mm", round(row.worst_mm)),
                row.worst_clip.replace('|', "\\|"),
                row.over.to_string(),
                format!("{} mm", round(row.mean_mm)),
                format!("{} mm", round(row.between_mm)),
                verdicts(row.verdicts),
            ];
            let reference = has_reference.then(|| against(row).unwrap_or_default());
            line(&mut out, cells.into_iter().chain(reference));
        }
    }
    out
}

fn tolerances(rows: &[Row]) -> Vec<f32> {
    let mut seen: Vec<f32> = Vec::new();
    for row in rows {
        if !seen.contains(&row.tolerance_mm) {
            seen.push(row.tolerance_mm);
        }
    }
    seen
}

fn table(out: &mut String, title: &str, heads: &[String]) {
    let _ = writeln!(out, "\n## {title}\n"); // a String takes everything
    line(out, heads.iter().cloned());
    line(out, heads.iter().map(|_| "---".to_owned()));
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | ")); // a String takes everything
}

/// Bytes, and their ratio to the reference.
fn sized(row: &Row) -> String {
    let bytes = text::exact(row.bytes as u64);
    against(row).map_or(bytes.clone(), |against| format!("{bytes} ({against})"))
}

/// Bytes divided by the reference's bytes, over clips that both have.
fn against(row: &Row) -> Option<String> {
    let (clips, own, theirs) = row.reference?;
    let ratio = own as f64 / theirs as f64;
    Some(if clips == row.clips {
        format!("{ratio:.2}")
    } else {
        format!("{ratio:.2} of {}", text::count(clips, "clip"))
    })
}

/// Number of clips over their tolerance in all sets, and the largest error.
fn over(rows: &[&Row]) -> String {
    let count: usize = rows.iter().map(|row| row.over).sum();
    let worst_mm = rows.iter().map(|row| row.worst_mm).fold(0.0, f64::max);
    if count == 0 { "0".into() } else { format!("{count}, up to {} mm", round(worst_mm)) }
}

/// Rounds to three digits.
fn round(mm: f64) -> String {
    let decimals = if mm > 0.0 { (2 - mm.log10().floor() as i32).clamp(0, 6) as usize } else { 0 };
    format!("{mm:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::super::equal::EqualRow;
    use super::super::shells::ShellRow;
    use super::*;

    fn row(codec: &str, bytes: usize, over: usize, reference: Option<(usize, usize, usize)>) -> Row {
        let (worst_mm, worst_clip) = (if over > 0 { 12.345 } else { 0.098_76 }, "a|b".to_owned());
        Row {
            codec: codec.into(),
            tolerance_mm: 0.1,
            clips: 2,
            raw_bytes: 10_000,
            bytes,
            over,
            worst_mm,
            worst_clip,
            between_mm: 0.5,
            mean_mm: 0.02,
            resident_bytes: 5000,
            verdicts: Verdicts { pass: 1, warn: 0, fail: 1 },
            reference,
        }
    }

    #[test]
    fn pages_say_bytes_errors_and_the_reference_where_there_is_one() {
        let some = SetRows { name: "a".into(), clips: 2, rows: vec![row("x", 4000, 0, Some((2, 4000, 5000)))] };
        let part = SetRows { name: "b".into(), clips: 2, rows: vec![row("x", 5000, 1, Some((1, 300, 100)))] };
        let none = SetRows { name: "c".into(), clips: 2, rows: vec![row("x", 6000, 0, None)] };
        let shells = ShellRows {
            set: "a".into(),
            clips: 2,
            tolerance_mm: 0.1,
            joint: "chest".into(),
            rows: vec![ShellRow {
                codec: "x".into(),
                plain: ShellFigures { bytes: 4000, ..ShellFigures::default() },
                from_mesh: ShellFigures {
                    bytes: 5000,
                    over: 1,
                    exact: 0,
                    verdicts: Verdicts { pass: 1, warn: 1, fail: 0 },
                },
                far_joint: ShellFigures { bytes: 6000, over: 0, exact: 2, ..ShellFigures::default() },
            }],
        };
        let equal = EqualRows {
            set: "a".into(),
            clips: 2,
            asked_mm: 0.1,
            reference_bytes: 5000,
            rows: vec![EqualRow { codec: "x".into(), bytes: 3000, mean_mm: 0.025, over: 0 }],
        };
        let means = EqualRows { reference_bytes: 4000, ..equal.clone() };
        let tables = Tables {
            sizes: vec![some, part, none],
            shells: vec![shells],
            equal: vec![equal],
            equal_means: vec![means],
            speed: Vec::new(),
        };
        let pages = pages(&tables, "posepress measure a");
        let names: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        let sets = ["set-a.md", "set-b.md", "set-c.md"];
        let others = ["shells.md", "speed.md", "equal-error.md", "equal-mean.md"];
        assert_eq!(names, [&["sizes.md"][..], &sets, &others].concat());
        assert!(pages[6].text.contains("| `x` | 3\u{2009}000 (0.60) | 0.0250 mm | 0 |"), "{}", pages[6].text);
        assert!(pages[7].text.contains("| `x` | 3\u{2009}000 (0.75) | 0.0250 mm | 0 |"), "{}", pages[7].text);
        let line = "| `x` | 4\u{2009}000 | 0 | 0 | 5\u{2009}000 | 1 | 0 | 6\u{2009}000 | 0 | 2 | 1 / 1 / 0 |";
        assert!(pages[4].text.contains(line) && pages[4].text.contains("1 m on `chest`"), "{}", pages[4].text);
        assert!(pages.iter().all(|page| page.text.contains("\nposepress measure a\n")));
        let line = "| `x` | 4\u{2009}000 (0.80) | 5\u{2009}000 (3.00 of 1 clip) | 6\u{2009}000 | 1, up to 12.3 mm |";
        assert!(pages[0].text.contains(line), "{}", pages[0].text);
        assert!(
            pages[1].text.contains(
                "| `x` | 4\u{2009}000 | 2.50 | 5\u{2009}000 | 0.0988 mm | a\\|b | 0 | 0.0200 mm | 0.500 mm | 1 / 0 / 1 | 0.80 |"
            ),
            "{}",
            pages[1].text
        );
        assert!(
            pages[3].text.contains("| between samples | verdicts |\n"),
            "no column of the reference: {}",
            pages[3].text
        );
    }
}
