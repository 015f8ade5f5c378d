//! Variable bit rates (Animation Compression: Advanced Quantization): in every segment, each track takes as few bits a
//! number as the tolerance lets it.

use posepress_runtime::codecs::variable_rate as decode;
mod pack;
mod search;
mod tracks;

use super::encode::{
    CLOSE_AIM, Hierarchy, REMOVE_BIND, REMOVE_CONSTANTS, RawModel, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, Trial,
    TrivialSettings, all_animated, check_usable, classify,
};
use super::runtime::{Rate, Segments};
use super::{
    Cancelled, ChoiceOption, Codec, CodecId, CodecInfo, EncodeError, Encoded, Param, ParamKind, ParamValues, Preset,
    Progress, Source, Unit,
};
use crate::math::Transform;
use decode::{Granularity, Layout, RangeReduction};
use rayon::prelude::*;
use search::{Search, TrackOrder};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracks::{Dropped, SegmentTrack, Track, animated_tracks};

/// As few bits a track and segment as the tolerance lets.
#[derive(Debug)]
pub struct VariableRate;

const PARAMS: &[Param] = &[
    Param {
        key: "granularity",
        label: "Bit rates",
        help: "Who shares a bit rate. The fewer share one, the smaller the clip.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "track", label: "Per track", help: "Each track has its own in every segment." },
                ChoiceOption {
                    key: "channel",
                    label: "Per channel type",
                    help: "Rotations, translations and scales have one each in every segment.",
                },
                ChoiceOption { key: "clip", label: "Per clip", help: "One for everything." },
            ],
            default: "track",
        },
        only_if: None,
    },
    Param {
        key: "order",
        label: "Order",
        help: "Which tracks the second phase lowers first; they get the fewest bits.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "leaves",
                    label: "Leaves first",
                    help: "From joints without children to the root.",
                },
                ChoiceOption { key: "root", label: "Root first", help: "From the root to joints without children." },
            ],
            default: "leaves",
        },
        only_if: Some(("granularity", &["track"])),
    },
    Param {
        key: "segment_samples",
        label: "Segment length",
        help: "Samples that share bit rates and spans. Short segments fit the motion better, but each pays for its tables.",
        kind: ParamKind::Int { min: 4, max: 256, default: 16, unit: Unit::Samples },
        only_if: None,
    },
    Param {
        key: "range",
        label: "Range reduction",
        help: "What values are fractions of. The tighter it is, the fewer bits they need.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "clip-segment",
                    label: "Clip and segment",
                    help: "The track's range in the segment, in 48 bits of the one in the clip.",
                },
                ChoiceOption { key: "clip", label: "Clip", help: "The track's range in the clip." },
                ChoiceOption {
                    key: "none",
                    label: "None",
                    help: "Rotations of -1 to 1, the others of one range for all tracks of their type.",
                },
            ],
            default: "clip-segment",
        },
        only_if: None,
    },
    Param {
        key: "highest_rate",
        label: "Highest rate",
        help: "Bits a number at the highest rate; below it are 16 to 3 and 0. Where it is too coarse, samples are float32.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption { key: "23", label: "23 bits", help: "As many as the mantissa of a float32." },
                ChoiceOption {
                    key: "19",
                    label: "19 bits",
                    help: "All of them exact as a float32, with some to spare.",
                },
            ],
            default: "23",
        },
        only_if: None,
    },
    Param {
        key: "dropped",
        label: "Dropped component",
        help: "The part of a rotation that is not stored but restored from the others.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "farthest",
                    label: "Farthest from zero",
                    help: "For each track the one that never comes near zero: precise whatever the bind pose.",
                },
                ChoiceOption { key: "w", label: "w", help: "Coarse for joints that turn by half a circle." },
            ],
            default: "farthest",
        },
        only_if: None,
    },
    REMOVE_BIND,
    REMOVE_CONSTANTS,
];

/// The steps by which the article arrives at one rate a track, and what it weighs up.
const PRESETS: &[Preset] = &[
    Preset {
        name: "per-clip",
        summary: "One bit rate for the whole clip: the article's first step.",
        values: &[("granularity", "clip")],
    },
    Preset {
        name: "per-channel",
        summary: "One bit rate for rotations, translations and scales each in every segment: its second step.",
        values: &[("granularity", "channel")],
    },
    Preset {
        name: "root-first",
        summary: "One bit rate a track, lowered from the root on: the order that it advises against.",
        values: &[("order", "root")],
    },
    Preset {
        name: "19-bits",
        summary: "19 bits as the highest rate: what a float32 can restore exactly.",
        values: &[("highest_rate", "19")],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"VBR1"),
    name: "variable-rate",
    summary: "Every sample, each track with as few bits in every segment as the tolerance lets it.",
    source: "Animation Compression: Advanced Quantization",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for VariableRate {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let raw = RawModel::new(source);
        let settings = Settings::new(values);
        let mut trivial_share = SEARCHED_TRIVIAL_SHARE;
        let search = ToleranceLoop { codec: self, source, raw: &raw, stride: 1, aim: CLOSE_AIM };
        let found = search.run(|limit_m| {
            let found = attempt(source, &raw, &settings, limit_m, trivial_share, progress)?;
            if found.is_some() || trivial_share == 0.0 {
                return Ok(found);
            }
            // Left-out tracks alone are beyond the limit.
            trivial_share = 0.0;
            Ok(attempt(source, &raw, &settings, limit_m, trivial_share, progress)?)
        })?;
        Ok(found.unwrap_or_else(|| exact(source, &settings)))
    }
}

/// The parameters, read.
struct Settings {
    layout: Layout,
    order: TrackOrder,
    dropped: Dropped,
    trivial: TrivialSettings,
}

impl Settings {
    fn new(values: &ParamValues) -> Self {
        let choice = |key| values.choice(PARAMS, key);
        let granularity = match choice("granularity").as_str() {
            "clip" => Granularity::Clip,
            "channel" => Granularity::Channel,
            _ => Granularity::Track,
        };
        let range = match choice("range").as_str() {
            "none" => RangeReduction::None,
            "clip" => RangeReduction::Clip,
            _ => RangeReduction::ClipAndSegment,
        };
        let highest_bits = if choice("highest_rate") == "19" { 19 } else { 23 };
        let segment_samples = values.int(PARAMS, "segment_samples") as usize;
        Self {
            layout: Layout { granularity, range, highest_bits, segment_samples },
            order: if choice("order") == "root" { TrackOrder::Root } else { TrackOrder::Leaves },
            dropped: if choice("dropped") == "w" { Dropped::W } else { Dropped::Farthest },
            trivial: TrivialSettings::chosen(values, PARAMS),
        }
    }
}

/// One search over all segments; `None` when a segment has no rates within the limit.
fn attempt(
    source: &Source<'_>,
    raw: &RawModel,
    settings: &Settings,
    limit_m: f32,
    trivial_share: f32,
    progress: &Progress,
) -> Result<Option<Encoded>, Cancelled> {
    let trivial = settings.trivial.within(source.tolerance_m * trivial_share);
    let table = classify(source, raw, &trivial, progress)?;
    let tracks = animated_tracks(source.clip, &table, &settings.layout, settings.dropped);
    let segments = Segments::new(source.clip.samples(), settings.layout.segment_samples);
    let hierarchy = Hierarchy::new(source);
    let has_spans = settings.layout.has_segment_spans(segments);
    let done = AtomicUsize::new(0);
    let solve = |segment: usize| {
        let samples = segments.samples_of(segment);
        let tracks: Vec<_> = tracks.iter().map(|t| t.segment(samples.clone(), has_spans)).collect();
        let trial = Trial::new(source, &hierarchy, raw, samples.clone(), limit_m, &table.still);
        let rates = search(source, settings, &tracks, samples, trial, progress)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.set_fraction(done as f32 / segments.count() as f32);
        Ok(rates)
    };
    let rates: Vec<Option<Vec<Rate>>> = (0..segments.count()).into_par_iter().map(solve).collect::<Result<_, _>>()?;
    let Some(mut rates) = rates.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    if settings.layout.granularity == Granularity::Clip {
        share_highest(&mut rates);
    }
    Ok(Some(pack::pack(source.clip, &table, &settings.layout, &tracks, &rates)))
}

fn search(
    source: &Source<'_>,
    settings: &Settings,
    tracks: &[SegmentTrack<'_>],
    samples: Range<usize>,
    trial: Trial<'_>,
    progress: &Progress,
) -> Result<Option<Vec<Rate>>, Cancelled> {
    let clip = source.clip;
    let raw: Vec<Transform> =
        (0..clip.joints()).flat_map(|joint| samples.clone().map(move |s| clip.at(s, joint))).collect();
    Search::new(&settings.layout, settings.order, source.skeleton, tracks, &raw, trial, progress).run()
}

/// One rate for the clip: the highest that any segment needs. Float32 tracks stay what they are.
fn share_highest(rates: &mut [Vec<Rate>]) {
    let quantized = || rates.iter().flatten().filter(|r| **r != Rate::EXACT);
    let Some(highest) = quantized().copied().max() else { return };
    rates.iter_mut().flatten().filter(|r| **r != Rate::EXACT).for_each(|r| *r = highest);
}

/// Every sample of every track as float32: for matrices so large or so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>, settings: &Settings) -> Encoded {
    let table = all_animated(source);
    let tracks: Vec<Track> = animated_tracks(source.clip, &table, &settings.layout, settings.dropped);
    let segments = Segments::new(source.clip.samples(), settings.layout.segment_samples);
    let rates = vec![vec![Rate::EXACT; tracks.len()]; segments.count()];
    pack::pack(source.clip, &table, &settings.layout, &tracks, &rates)
}
