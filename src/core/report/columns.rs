use crate::metrics::{Aspect, Verdict};
use crate::report::{ClipReport, PixelRow, Reason, WorstRow};
use crate::text;
use std::cmp::Ordering;

/// The value in a column of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Names and words.
    Text(String),
    /// A count.
    Count(usize),
    /// A size, bytes.
    Bytes(usize),
    /// Raw bytes divided by bytes.
    Ratio(f32),
    /// A length in millimetres. `None` if it was not measured.
    Millimetres(Option<f64>),
    /// A length in pixels. `None` if it was not asked for or not measured.
    Pixels(Option<f64>),
    /// Seconds of the clip.
    Seconds(f32),
    /// A plain number. `None` if it was not measured.
    Number(Option<f64>),
    /// True or false.
    Flag(bool),
    /// A verdict and its words.
    Verdict(Verdict, String),
}

/// A column of a report. It appears in each kind of table for which it has a head.
#[derive(Debug)]
pub struct ReportColumn {
    /// Head in tables for programs (CSV), with the unit.
    pub key: Option<&'static str>,
    /// Path of the same value in the JSON of [`ClipReport`], such as `error.max_mm`.
    pub json_path: Option<&'static str>,
    /// Head in tables for people.
    pub label: Option<&'static str>,
    /// Reads the value.
    pub figure: fn(&ClipReport) -> Figure,
    /// Reads extra detail that a page shows.
    pub detail: Option<fn(&ClipReport) -> String>,
    /// Its form in the window's list of clips.
    pub listed: Option<Listed>,
    /// True if tables for people show it only when a report has its value.
    pub is_optional: bool,
}

/// A column of the window's list of clips.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// Its head.
    pub head: &'static str,
    /// Unit of the numbers, shown once in the head.
    pub unit: &'static str,
    /// Tooltip, a sentence.
    pub help: &'static str,
    /// Order of importance. A narrow list keeps the columns with the lowest ranks.
    pub rank: usize,
    /// The aspect of the verdict that colours it.
    pub aspect: Option<Aspect>,
}

/// All columns, in the order of the tables.
pub static REPORT_COLUMNS: &[ReportColumn] = &[
    column("source", "source", |r| Figure::Text(r.source.clone())),
    column("clip", "clip", |r| Figure::Text(r.clip.clone())).labelled("clip").detailed(|r| r.source.clone()),
    column("codec", "codec", |r| Figure::Text(r.codec.clone())).labelled("codec"),
    column("joints", "joints", |r| Figure::Count(r.joints)),
    column("samples", "samples", |r| Figure::Count(r.samples)),
    column("rate_hz", "rate_hz", |r| Figure::Number(Some(r.rate_hz))),
    column("duration_secs", "duration_secs", |r| Figure::Seconds(r.duration_secs)),
    column("raw_bytes", "raw_bytes", |r| Figure::Bytes(r.raw_bytes)),
    column("bytes", "bytes", |r| Figure::Bytes(r.bytes))
        .labelled("size")
        .detailed(|r| format!("{} bytes", r.bytes))
        .listed("size", "KB", 1, None, "Size of the clip: all its bytes."),
    column("file_bytes", "file_bytes", |r| Figure::Bytes(r.file_bytes)),
    column("resident_bytes", "resident_bytes", |r| Figure::Bytes(r.resident_bytes)),
    column("ratio", "ratio", |r| Figure::Ratio(r.ratio)).labelled("ratio").listed(
        "ratio",
        ": 1",
        5,
        None,
        "Raw bytes divided by bytes.",
    ),
    column("tolerance_mm", "error.tolerance_mm", |r| Figure::Millimetres(Some(r.error.tolerance_mm))),
    column("shell_mm", "error.shell_mm", |r| Figure::Millimetres(Some(r.error.shell_mm))),
    column("max_mm", "error.max_mm", |r| Figure::Millimetres(Some(r.error.max_mm))).labelled("max").listed(
        "error",
        "mm",
        4,
        Some(Aspect::Shell),
        "Largest shell error at any sample and joint.",
    ),
    column("p99_mm", "error.p99_mm", |r| Figure::Millimetres(Some(r.error.p99_mm))),
    column("rms_mm", "error.rms_mm", |r| Figure::Millimetres(Some(r.error.rms_mm))),
    column("mean_mm", "error.mean_mm", |r| Figure::Millimetres(Some(r.error.mean_mm))),
    column("worst_joint", "error.worst.joint", |r| Figure::Text(r.error.worst.joint.clone())),
    column("worst_secs", "error.worst.time_secs", |r| Figure::Seconds(r.error.worst.time_secs)),
    column("within", "error.within", |r| Figure::Flag(r.error.within)),
    column("sub_frame_max_mm", "sub_frame_error.max_mm", |r| Figure::Millimetres(Some(r.sub_frame_error.max_mm)))
        .labelled("between"),
    column("vertex_max_mm", "vertex_error.max_mm", |r| Figure::Millimetres(r.vertex_error.as_ref().map(|v| v.max_mm)))
        .labelled("skin")
        .listed("skin", "mm", 3, Some(Aspect::Skin), "Largest error of any vertex."),
    column("jitter_mm", "jitter.max_mm", |r| Figure::Millimetres(r.jitter.as_ref().map(|j| j.max_mm))),
    column("sampling_mm", "sampling.max_mm", |r| Figure::Millimetres(r.sampling.as_ref().map(|s| s.max_mm))).listed(
        "source",
        "mm",
        6,
        Some(Aspect::Sampling),
        "Error from sampling the file's curves, before compression.",
    ),
    column("float_max", "float_error.max", |r| Figure::Number(r.float_error.as_ref().map(|f| f64::from(f.max)))),
    ReportColumn { json_path: None, ..column("contacts", "", |r| Figure::Count(r.slide.contacts.len())) },
    column("worst_slide_mm", "slide.worst_slide_mm", |r| Figure::Millimetres(r.slide.worst_slide_mm))
        .labelled("slide")
        .listed("slide", "mm", 2, Some(Aspect::Slide), "Largest slide of a foot during contact."),
    ReportColumn { key: None, json_path: None, ..column("", "", worst_at) }.labelled("worst at"),
    column("max_px", "pixels.max_px", |r| pixels(r, |p| Some(p.max_px))).labelled("max px").if_asked(),
    column("skin_px", "pixels.skin_px", |r| pixels(r, |p| p.skin_px)).labelled("skin px").if_asked(),
    column("slide_px", "pixels.slide_px", |r| pixels(r, |p| p.slide_px)).labelled("slide px").if_asked(),
    column("looping", "loop.looping", |r| Figure::Flag(r.motion.looping)),
    column("seam_pop_mm", "loop.seam_pop_mm", |r| Figure::Millimetres(Some(r.motion.seam_pop_mm))),
    column("animated_tracks", "exact_tracks.animated", |r| Figure::Count(r.exact_tracks.animated)),
    column("exact_tracks", "exact_tracks.exact", |r| Figure::Count(r.exact_tracks.exact)),
    column("exact_secs", "exact_tracks.exact_secs", |r| Figure::Number(Some(r.exact_tracks.exact_secs))),
    column("encode_ms", "encode_ms", |r| Figure::Number(r.encode_ms)),
    column("decode_ns_per_pose", "decode_ns_per_pose", |r| Figure::Number(Some(r.decode_ns_per_pose))),
    column("verdict", "verdict", |r| Figure::Verdict(r.verdict, r.verdict_words()))
        .labelled("verdict")
        .detailed(advice),
    column("source_verdict", "source_verdict", |r| Figure::Verdict(r.source_verdict, r.source_words()))
        .labelled("source")
        .detailed(source_advice)
        .if_asked(),
];

const fn column(key: &'static str, json_path: &'static str, figure: fn(&ClipReport) -> Figure) -> ReportColumn {
    let (key, json_path) = (Some(key), Some(json_path));
    ReportColumn { key, json_path, label: None, figure, detail: None, listed: None, is_optional: false }
}

fn pixels(report: &ClipReport, of: fn(&PixelRow) -> Option<f64>) -> Figure {
    Figure::Pixels(report.pixels.as_ref().and_then(of))
}

fn advice(report: &ClipReport) -> String {
    advice_of(report, |aspect| !aspect.is_of_source())
}

fn source_advice(report: &ClipReport) -> String {
    advice_of(report, Aspect::is_of_source)
}

/// Advice for each error that is not good.
fn advice_of(report: &ClipReport, counts: fn(Aspect) -> bool) -> String {
    let reasons = report.flags().filter(|judged| counts(judged.by)).filter_map(|judged| judged.reason.as_ref());
    reasons.map(Reason::advice_words).collect::<Vec<_>>().join(" ")
}

fn worst_at(report: &ClipReport) -> Figure {
    let at = |worst: &WorstRow| format!("{} {}", worst.joint, text::clock(worst.time_secs));
    Figure::Text(report.worst_moment.as_ref().map_or(text::NOT_MEASURED.into(), at))
}

impl ReportColumn {
    const fn labelled(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    const fn if_asked(self) -> Self {
        Self { is_optional: true, ..self }
    }

    const fn detailed(self, detail: fn(&ClipReport) -> String) -> Self {
        Self { detail: Some(detail), ..self }
    }

    const fn listed(
        self,
        head: &'static str,
        unit: &'static str,
        rank: usize,
        aspect: Option<Aspect>,
        help: &'static str,
    ) -> Self {
        Self { listed: Some(Listed { head, unit, help, rank, aspect }), ..self }
    }

    /// Columns of the window's list of clips, from left to right.
    pub fn for_lists() -> impl Iterator<Item = (&'static Listed, &'static Self)> {
        REPORT_COLUMNS.iter().filter_map(|c| Some((c.listed.as_ref()?, c)))
    }

    /// The column with that key.
    pub fn of_key(key: &str) -> Option<&'static Self> {
        REPORT_COLUMNS.iter().find(|c| c.key == Some(key))
    }

    /// Columns of a table for people of these reports, each with its head.
    pub fn for_people(reports: &[ClipReport]) -> impl Iterator<Item = (&'static str, &'static Self)> {
        let has = |c: &Self| !c.is_optional || reports.iter().any(|report| (c.figure)(report).is_known());
        REPORT_COLUMNS.iter().filter(move |c| has(c)).filter_map(|c| Some((c.label?, c)))
    }

    /// Columns of the table for programs, each with its head.
    pub fn for_programs() -> impl Iterator<Item = (&'static str, &'static Self)> {
        REPORT_COLUMNS.iter().filter_map(|c| Some((c.key?, c)))
    }
}

impl Figure {
    /// True for values that are aligned to the right.
    pub fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Flag(_) | Self::Verdict(..))
    }

    /// The number for sorting. `None` if it was not measured, and for words.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Count(count) | Self::Bytes(count) => Some(*count as f64),
            Self::Ratio(number) | Self::Seconds(number) => Some(f64::from(*number)),
            Self::Millimetres(number) | Self::Pixels(number) | Self::Number(number) => *number,
            Self::Text(_) | Self::Flag(_) | Self::Verdict(..) => None,
        }
    }

    /// False if it was not measured, or if a verdict has no words.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Millimetres(None) | Self::Pixels(None) | Self::Number(None) => false,
            Self::Verdict(_, words) => !words.is_empty(),
            _ => true,
        }
    }

    /// Compares two values: smaller first, words by the alphabet, values that were not measured before all numbers.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            _ => {
                let [a, b] = [self, other].map(|figure| figure.number().unwrap_or(f64::NEG_INFINITY));
                a.total_cmp(&b)
            }
        }
    }

    /// The value without its unit, for a column whose head has the unit: millimetres, kilobytes.
    pub fn bare(&self) -> String {
        match self {
            Self::Bytes(bytes) => format!("{:.1}", *bytes as f64 / 1024.0),
            Self::Ratio(ratio) => format!("{ratio:.1}"),
            Self::Millimetres(Some(mm)) if *mm < 1.0 => format!("{mm:.2}"),
            Self::Millimetres(Some(mm)) if *mm < 100.0 => format!("{mm:.1}"),
            Self::Millimetres(Some(mm)) => format!("{mm:.0}"),
            _ => self.shown(),
        }
    }

    /// The value with its unit, for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Bytes(bytes) => text::bytes(*bytes as u64),
            Self::Ratio(ratio) => text::ratio(*ratio),
            Self::Millimetres(Some(mm)) => text::length((mm / 1000.0) as f32),
            Self::Seconds(secs) => text::clock(*secs),
            Self::Number(Some(number)) => number.to_string(),
            Self::Pixels(Some(pixels)) => text::pixels(*pixels as f32),
            Self::Millimetres(None) | Self::Pixels(None) | Self::Number(None) => text::NOT_MEASURED.into(),
            Self::Flag(on) => on.to_string(),
            Self::Verdict(_, words) => words.clone(),
        }
    }

    /// The value for programs: all digits, in the column's unit. Empty if it was not measured.
    pub fn exact(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) | Self::Bytes(count) => count.to_string(),
            Self::Ratio(number) | Self::Seconds(number) => number.to_string(),
            Self::Millimetres(number) | Self::Pixels(number) | Self::Number(number) => {
                number.map(|n| n.to_string()).unwrap_or_default()
            }
            Self::Flag(on) => on.to_string(),
            Self::Verdict(verdict, _) => verdict.key().into(),
        }
    }
}
