//! Takes with the habits of other programs: variants that are read, questions about them, and errors with their line.

use crate::import_support::{import_bytes, importer};
use glam::{Quat, Vec3};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Severity};
use posepress_core::model::Clip;
use proptest::prelude::*;
use std::fmt::Write;
use std::path::Path;

const HIERARCHY: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0.0 0.9 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0.0 0.4 -0.5
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0.0 0.5 0.0
    }
  }
}
";
/// Channels of a frame.
const WIDTH: usize = 9;
pub(super) const FRAMES: usize = 7;

/// The values of a frame, of both signs.
fn frame(frame: usize) -> [f64; WIDTH] {
    let k = frame as f64;
    [0.125 * k, 0.9, -0.25 * k, k, -2.5, 30.0 - k, 0.0, -7.5 * k, 4.25]
}

fn row(of: usize) -> String {
    frame(of).map(|value| format!("{value:.4}")).join(" ")
}

pub(super) fn rows(frames: usize) -> String {
    (0..frames).map(|at| row(at) + "\n").collect()
}

fn header(frame_time: &str) -> String {
    format!("MOTION\nFrames: {FRAMES}\nFrame Time: {frame_time}\n")
}

pub(super) fn take(rows: &str) -> String {
    format!("{HIERARCHY}{}{rows}", header("0.0333333"))
}

pub(super) fn read(bytes: &[u8]) -> Imported {
    import_bytes("bvh", bytes).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(bytes)))
}

pub(super) fn read_with(bytes: &[u8], options: ImportOptions) -> Imported {
    importer("bvh").import(Path::new("test.bvh"), bytes.into(), &options).unwrap()
}

pub(super) fn error(text: &str) -> String {
    import_bytes("bvh", text.as_bytes()).unwrap_err().to_string()
}

/// The findings that are not notes.
fn said(imported: &Imported) -> Vec<&str> {
    let worth = imported.findings.iter().filter(|finding| finding.severity > Severity::Note);
    worth.map(|finding| finding.what.as_str()).collect()
}

pub(super) fn poses(clip: &Clip) -> Vec<&[posepress_core::math::Transform]> {
    (0..clip.samples()).map(|sample| clip.pose(sample)).collect()
}

/// Checks for the same rig and the same samples at the same times.
fn assert_same(found: &Imported, what: &str) {
    let good = read(take(&rows(FRAMES)).as_bytes());
    assert_eq!(found.rig, good.rig, "{what}");
    assert_eq!(
        (found.clips[0].grid(), poses(&found.clips[0])),
        (good.clips[0].grid(), poses(&good.clips[0])),
        "{what}"
    );
}

#[test]
fn a_take_is_the_same_however_it_is_written() {
    let good = take(&rows(FRAMES));
    let changed = |from: &str, to: &str| good.replace(from, to);
    let commas = |text: &str| text.replace('.', ",");
    let cases = [
        ("decimal commas", commas(&good)),
        ("decimal commas in the rows alone", format!("{HIERARCHY}{}{}", header("0.0333333"), commas(&rows(FRAMES)))),
        ("decimal commas and no space before a minus", commas(&good).replace(" -", "-")),
        ("no space before a minus", changed(" -", "-")),
        ("commas between", good.replace("0000 ", "0000, ").replace("5000 ", "5000,")),
        ("semicolons between", take(&rows(FRAMES).replace(' ', ";"))),
        ("space before colons", changed(":", " :")),
        ("no space after colons", changed(": ", ":")),
        ("no colons", changed(":", "")),
        ("another name of positions", changed("position", "translation")),
        ("upper case", changed("Frame", "FRAME").replace("rotation", "ROTATION").replace("position", "POSITION")),
        (
            "lower case",
            changed("HIERARCHY", "hierarchy")
                .replace("ROOT", "root")
                .replace("JOINT", "joint")
                .replace("MOTION", "motion"),
        ),
        ("lower case too", changed("OFFSET", "offset").replace("CHANNELS", "channels").replace("End Site", "end site")),
        ("End site in one word", changed("End Site", "EndSite")),
        ("End site with channels", changed("OFFSET 0.0 0.5 0.0", "OFFSET 0.0 0.5 0.0\nCHANNELS 0")),
        ("CR LF", changed("\n", "\r\n")),
        ("CR", changed("\n", "\r")),
        ("blank lines", changed("\n", "\n\n")),
        ("blank lines with spaces", changed("\n", "\r\n  \t\r\n")),
        ("tabs", good.replace("  ", "\t").replace(' ', "\t").replace("End\t", "End ").replace("Frame\t", "Frame ")),
        ("space at line ends", changed("\n", " \t\n")),
        ("no last line end", good.trim_end().to_owned()),
        ("an end mark", format!("{good}\u{1a}")),
        ("zeros at the end", format!("{good}\0\0\0\0")),
        ("a byte order mark", format!("\u{feff}{good}")),
        ("frames as a float", changed("Frames: 7", "Frames: 7.0")),
        ("braces on the lines of names", changed("\n{", " {").replace("\n  {", " {")),
        ("exponents", changed("0.0333333", "3.33333e-2")),
        ("plus signs", take(&rows(FRAMES).replace(" 4", " +4"))),
        ("times before frames", changed(&header("0.0333333"), "MOTION\nFrame Time: 0.0333333\nFrames: 7\n")),
    ];
    for (what, text) in cases {
        assert_ne!(text, good, "{what}: the case is none");
        let imported = read(text.as_bytes());
        assert_same(&imported, what);
        assert_eq!(said(&imported), [""; 0], "{what}");
    }
}

#[test]
fn what_was_tolerated_and_may_be_wrong_is_noted() {
    let noted = |text: &str, what: &str| {
        let imported = read(text.as_bytes());
        assert!(imported.findings.iter().any(|finding| finding.what.contains(what)), "{what}: {:?}", imported.findings);
        imported
    };
    assert_same(&noted(&take(&rows(FRAMES)).replace('.', ","), "decimal commas"), "commas");
    let halves =
        take(&(0..FRAMES).map(|at| row(at).replacen(" ", "\n", 4).replacen('\n', " ", 3) + "\n").collect::<String>());
    assert_same(&noted(&halves, "are not one per line"), "wrapped in two");
    let values: Vec<String> = (0..FRAMES).flat_map(frame).map(|value| format!("{value:.4}")).collect();
    for a_line in [1, 2, 4, 7, 8, 18, values.len()] {
        let wrapped: String = values.chunks(a_line).map(|line| line.join(" ") + "\n").collect();
        assert_same(&noted(&take(&wrapped), "are not one per line"), &format!("{a_line} values per line"));
    }
    let on_one_line = take(&rows(FRAMES)).replace('\n', " ");
    assert_same(&noted(&on_one_line, "are not one per line"), "one line");
}

#[test]
fn a_row_of_too_many_or_too_few_values_names_its_line() {
    let first = HIERARCHY.lines().count() + 4;
    let with = |change: &dyn Fn(usize, String) -> String| {
        take(&(0..FRAMES).map(|at| change(at, row(at)) + "\n").collect::<String>())
    };
    let at = |bad: usize, change: fn(String) -> String| with(&move |at, row| if at == bad { change(row) } else { row });
    let longer = |row: String| row + " 0.0";
    let shorter = |row: String| row.rsplit_once(' ').unwrap().0.to_owned();
    let cases = [
        (with(&|_, row| row + " 0.0"), 0, 10),
        (with(&|_, row| shorter(row)), 0, 8),
        (at(0, longer), 0, 10),
        (at(3, longer), 3, 10),
        (at(FRAMES - 1, longer), FRAMES - 1, 10),
        (at(0, shorter), 0, 8),
        (at(3, shorter), 3, 8),
        // The number of values is right, but some are on the wrong line.
        (
            with(&|at, row| {
                if at == 2 {
                    longer(row)
                } else if at == 5 {
                    shorter(row)
                } else {
                    row
                }
            }),
            2,
            10,
        ),
        (
            with(&|at, row| {
                if at == 2 {
                    shorter(row)
                } else if at == 5 {
                    longer(row)
                } else {
                    row
                }
            }),
            2,
            8,
        ),
        // Rows with 5 of their 9 values.
        (with(&|_, row| row.splitn(6, ' ').take(5).collect::<Vec<_>>().join(" ")), 0, 5),
    ];
    for (text, row, values) in cases {
        let message = error(&text);
        assert!(message.contains(&format!("a row has {values} values")), "{message}");
        assert!(message.contains("; expected 9, one per channel"), "{message}");
        assert!(message.contains(&format!("(at line {})", first + row)), "line {}: {message}", first + row);
        assert!(message.contains("CHANNELS"), "what to do: {message}");
    }
}

#[test]
fn a_file_that_is_cut_short_has_its_whole_frames() {
    let whole = take(&rows(FRAMES));
    let start = whole.find("0.0000 0.9").unwrap();
    for end in start..whole.len() - 1 {
        let imported = read(&whole.as_bytes()[..end]);
        let left = &whole[start..end];
        // A row without its line end may be complete.
        let frames =
            left.lines().filter(|line| line.split(' ').count() == WIDTH && !line.ends_with([' ', '-'])).count();
        assert_eq!(imported.clips.first().map_or(0, Clip::samples), frames, "{end}: {left}");
        assert_eq!(imported.rig.skeleton.len(), 2);
        let is_said = said(&imported).iter().any(|what| what.contains(&format!("after {frames} of {FRAMES} frames")));
        assert_eq!(is_said, frames < FRAMES, "{end}: {:?}", imported.findings);
    }
}

#[test]
fn a_hierarchy_alone_is_a_rig() {
    for text in [HIERARCHY, &format!("{HIERARCHY}MOTION\n"), &format!("{HIERARCHY}{}", header("0.04"))] {
        let imported = read(text.as_bytes());
        assert_eq!((imported.rig.skeleton.len(), imported.rig.tips.len(), imported.clips.len()), (2, 1, 0), "{text}");
    }
    let still =
        HIERARCHY.replace("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "CHANNELS 0");
    let still = still.replace("CHANNELS 3 Zrotation Xrotation Yrotation", "");
    let imported = read(format!("{still}{}\n\n\n", header("0.04")).as_bytes());
    assert_eq!((imported.rig.skeleton.len(), imported.clips.len()), (2, 0));
    assert_eq!(said(&imported), [""; 0]);
    let unread = read(format!("{still}{}{}", header("0.04"), rows(FRAMES)).as_bytes());
    assert_eq!(said(&unread), ["there are values, and no joint has a channel"]);
    for text in ["HIERARCHY", "HIERARCHY\nMOTION\n", &HIERARCHY[..HIERARCHY.len() - 2]] {
        assert!(error(text).contains("line "), "{text}");
    }
}

#[test]
fn scale_channels_scale_their_axes() {
    let text = HIERARCHY
        .replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 5 Zrotation Xscale yscale ZSCALE Xrotation");
    let values = "0 0 0 0 0 0 90 1 2 3 0\n0 0 0 0 0 0 90 1 2 4 0\n";
    let imported = read(format!("{text}MOTION\nFrames: 2\nFrame Time: 0.04\n{values}").as_bytes());
    let clip = &imported.clips[0];
    assert_eq!([clip.at(0, 1).scale, clip.at(1, 1).scale], [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 4.0)]);
    assert!(clip.at(0, 1).rotation.abs_diff_eq(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2), 1e-6));
    let one = text.replace("CHANNELS 5 Zrotation Xscale yscale ZSCALE Xrotation", "CHANNELS 1 Yscale");
    let imported = read(format!("{one}MOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0 0 0 0 0.5").as_bytes());
    assert_eq!(imported.clips[0].at(0, 1).scale, Vec3::new(1.0, 0.5, 1.0));
}

#[test]
fn names_are_kept_in_every_encoding() {
    let text = take(&rows(FRAMES)).replace("Spine", "R\u{fc}cken");
    let utf16 =
        |of: fn(u16) -> [u8; 2], mark: &[u8]| [mark, &text.encode_utf16().flat_map(of).collect::<Vec<_>>()].concat();
    let latin_1: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let files = [
        (text.as_bytes().to_vec(), false),
        (["\u{feff}", &text].concat().into_bytes(), false),
        (utf16(u16::to_le_bytes, b"\xff\xfe"), false),
        (utf16(u16::to_be_bytes, b"\xfe\xff"), false),
        (utf16(u16::to_le_bytes, b""), false),
        (utf16(u16::to_be_bytes, b""), false),
        (latin_1, true),
    ];
    for (bytes, is_guessed) in files {
        let imported = read(&bytes);
        assert!(imported.rig.skeleton.find("R\u{fc}cken").is_some(), "{:?}", &bytes[..4]);
        assert_eq!((imported.clips[0].samples(), imported.rig.tips.len()), (FRAMES, 1));
        let found = said(&imported).iter().any(|what| what.contains("Windows-1252: R\u{fc}cken"));
        assert_eq!(found, is_guessed, "{:?}", imported.findings);
        assert!((1..=bytes.len() as u64).contains(&imported.clip_bytes[0]), "{:?}", imported.clip_bytes);
    }
}

#[test]
fn a_person_of_cmu_is_asked_about_in_its_unit_and_others_are_not() {
    // The suggested unit for a height in the file's unit.
    let suggested = |size: f64| {
        let text = HIERARCHY.replace("0.0 0.9 0.0", "0 0 0").replace("0.0 0.4 -0.5", &format!("0 {} 0", size / 2.0));
        let text = text.replace("0.0 0.5 0.0", &format!("0 {} 0", size / 2.0));
        let imported = read(format!("{text}MOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0 0 0 0 0 0 0").as_bytes());
        let finding = imported.findings.into_iter().find(|finding| finding.suggested_unit.is_some());
        finding.map(|finding| (finding.suggested_unit.unwrap(), finding.meaning, finding.readings))
    };
    let (unit, meaning, _) = suggested(30.1).unwrap();
    assert!(unit == LengthUnit::Cmu && meaning.contains("1.70 m") && meaning.contains("5.644 cm"), "{meaning}");
    let (unit, meaning, readings) = suggested(33.0).unwrap();
    assert!(unit == LengthUnit::Cmu && meaning.contains("In centimetres it is 0.33 m"), "{meaning}");
    let [reading] = &readings[..] else { panic!("{readings:?}") };
    assert_eq!(reading.label, "as centimetres: 0.33 m long");
    assert_eq!(reading.of(ImportOptions::default()).unit, Some(LengthUnit::Centimetre));
    for (size, expected) in
        [(60.0, LengthUnit::Centimetre), (170.0, LengthUnit::Centimetre), (1700.0, LengthUnit::Millimetre)]
    {
        assert_eq!(suggested(size).map(|(unit, ..)| unit), Some(expected), "{size}");
    }
    assert!(suggested(1.7).is_none());
    let options = ImportOptions { unit: Some(LengthUnit::Cmu), ..Default::default() };
    let rig = read_with(HIERARCHY.as_bytes(), options).rig;
    assert!((rig.skeleton.bind(1).translation.length() - 0.056_444 * (0.4f32).hypot(0.5)).abs() < 1e-6);
}

#[test]
fn projects_keep_the_rate_of_frames_and_the_unit() {
    let options = ImportOptions { frames_are_hz: Some(120.0), unit: Some(LengthUnit::Cmu), ..Default::default() };
    let kept = serde_json::to_value(options).unwrap();
    assert_eq!((&kept["frames_are_hz"], &kept["unit"]), (&120.0.into(), &"5.644cm".into()));
    assert_eq!(serde_json::from_value::<ImportOptions>(kept).unwrap(), options);
    for unit in LengthUnit::ALL {
        let kept = serde_json::to_value(unit).unwrap();
        assert_eq!(serde_json::from_value::<LengthUnit>(kept).unwrap(), unit);
    }
}

/// A chain that stands at its root and turns above it: its size includes the first bone.
#[test]
fn the_size_of_a_chain_holds_its_root() {
    let text =
        HIERARCHY.replace("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "CHANNELS 0");
    let text = text.replace("0.0 0.4 -0.5", "0 2.0 0").replace("0.0 0.5 0.0", "0 4.0 0");
    let imported = read(format!("{text}MOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0\n0 0 10\n").as_bytes());
    let size = imported.findings.iter().find(|finding| finding.what.contains("longest side"));
    assert!(size.is_some_and(|finding| finding.what.contains("6.00 m")), "{:?}", imported.findings);
}

/// A way to write a file.
#[derive(Debug, Clone)]
struct Style {
    comma: bool,
    tight_minus: bool,
    separator: &'static str,
    line_end: &'static str,
    colon: &'static str,
    blank_lines: usize,
    a_line: usize,
    encoding: usize,
    exponents: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let one_of = |of: &[&'static str]| prop::sample::select(of.to_vec());
    let words = (one_of(&[" ", "\t", "  "]), one_of(&["\n", "\r\n", "\r"]), one_of(&[":", " :", ": ", " : ", " "]));
    let choices = (any::<bool>(), any::<bool>(), 0usize..3, 1usize..=WIDTH, 0usize..4, any::<bool>());
    (words, choices).prop_map(|((separator, line_end, colon), choices)| {
        let (comma, tight_minus, blank_lines, a_line, encoding, exponents) = choices;
        Style { comma, tight_minus, separator, line_end, colon, blank_lines, a_line, encoding, exponents }
    })
}

impl Style {
    fn write(&self) -> Vec<u8> {
        let mut text = HIERARCHY.to_owned();
        write!(text, "MOTION\nFrames{0}{FRAMES}\nFrame Time{0}0.0333333\n", self.colon).unwrap();
        let values: Vec<f64> = (0..FRAMES).flat_map(frame).collect();
        for line in values.chunks(self.a_line) {
            let words =
                line.iter().map(|value| if self.exponents { format!("{value:.6e}") } else { format!("{value:.4}") });
            let line = words.collect::<Vec<_>>().join(self.separator);
            text.push_str(&if self.tight_minus { line.replace(&format!("{}-", self.separator), "-") } else { line });
            text.push_str(&"\n".repeat(1 + self.blank_lines));
        }
        let text = if self.comma { text.replace('.', ",") } else { text };
        let text = text.replace('\n', self.line_end);
        match self.encoding {
            0 => text.into_bytes(),
            1 => ["\u{feff}", &text].concat().into_bytes(),
            2 => ["\u{feff}", &text].concat().encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => ["\u{feff}", &text].concat().encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_take_is_the_same_in_every_style(style in style()) {
        assert_same(&read(&style.write()), &format!("{style:?}"));
    }

    /// A missing or additional value is always reported.
    #[test]
    fn a_value_more_or_less_is_never_swallowed(at in 0usize..WIDTH * (FRAMES - 1), more in any::<bool>()) {
        let mut lines: Vec<Vec<String>> =
            (0..FRAMES).map(|at| row(at).split(' ').map(str::to_owned).collect()).collect();
        let line = &mut lines[at / WIDTH];
        match more {
            true => line.insert(at % WIDTH, "1.0".to_owned()),
            false => drop(line.remove(at % WIDTH)),
        }
        let rows: String = lines.iter().map(|line| line.join(" ") + "\n").collect();
        let place = format!("line {})", HIERARCHY.lines().count() + 4 + at / WIDTH);
        let message = error(&take(&rows));
        prop_assert!(message.contains(&place), "{}: {}", place, message);
    }
}
