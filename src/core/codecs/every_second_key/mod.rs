//! Keeps every second key: a lower sample rate, with a fixed format for the remaining keys.

use posepress_runtime::internal::codecs::every_second_key as decode;

use super::encode::{
    FIXED_TRIVIAL_SHARE, PoseChannels, PoseFormats, REMOVE_BIND, REMOVE_CONSTANTS, ROTATION_FORMAT, SCALE_FORMAT,
    TRANSLATION_FORMAT, TrivialSettings, check_usable, classify, decoded_error_m,
};
use super::runtime::{TrackKind, TrackTable};
use super::{
    BoolParam, Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, IntParam, KeptKeys, Ledger, Param,
    ParamValues, Preset, Progress, Section, Source, Unit,
};
use crate::format::BitWriter;
use crate::model::Channel;
use decode::KeptSamples;

/// Keeps one of every two, three or more samples.
#[derive(Debug)]
pub struct EverySecondKey;

const KEEP_EVERY: IntParam = IntParam::new(
    "keep_every",
    "Keep one key in",
    "2 halves the frame rate, 3 keeps a third of it. Higher: smaller file, but fast motion is cut short and feet slide.",
    (1, 30),
    2,
    Unit::Samples,
);
const SEARCH_PHASE: BoolParam = BoolParam::new(
    "search_phase",
    "Search the first key",
    "Tries every frame as the first key and keeps the one with the smallest error. Ties go to the earliest. Takes one encoding per try.",
    true,
);
const PHASE: IntParam = IntParam::new(
    "phase",
    "First key at",
    "Frame at which the keys begin to be counted. The first and the last frame always stay. Choose it so that an impact or a foot strike is a key.",
    (0, 29),
    0,
    Unit::Samples,
)
.only_if(("search_phase", &["false"]));

const PARAMS: &[Param] = &[
    KEEP_EVERY.param,
    SEARCH_PHASE.param,
    PHASE.param,
    ROTATION_FORMAT.param,
    TRANSLATION_FORMAT.param,
    SCALE_FORMAT.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal",
        summary: "Unreal 4: every second key, rotations in Fixed 48, the other channels unchanged.",
        values: &[
            ("rotation_format", "fixed48"),
            ("translation_format", "float96"),
            ("scale_format", "float96"),
            ("remove_bind", "false"),
            ("search_phase", "false"),
        ],
    },
    Preset {
        name: "every-third",
        summary: "Every third key: 30 Hz becomes 10 Hz (Uncharted 2).",
        values: &[("keep_every", "3")],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"ESK1"),
    name: "every-second-key",
    summary: "Keeps every second, third or Nth frame, each channel in one fixed format.",
    source: "Unreal 4, remove every second key; Uncharted 2 as described in Animation Tech Intro 2",
    promises_tolerance: false,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for EverySecondKey {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for EverySecondKey {
    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let settings = TrivialSettings::chosen(values).within(source.tolerance_m * FIXED_TRIVIAL_SHARE);
        let table = classify(source, &settings, progress)?;
        let channels = PoseChannels::new(source.clip, &table, &PoseFormats::chosen(values));
        let (keep_every, samples) = (values.get(&KEEP_EVERY) as usize, source.clip.samples());
        let keys_from = |phase: usize, progress: &Progress| {
            pack(source, &table, &channels, KeptSamples::new(keep_every, phase, samples), progress)
        };
        if !values.get(&SEARCH_PHASE) {
            return keys_from(values.get(&PHASE) as usize, progress);
        }
        let phases = keep_every.min(samples);
        let mut best: Option<(f32, Encoded)> = None;
        for phase in 0..phases {
            let part = phase as f32 / phases as f32..(phase + 1) as f32 / phases as f32;
            let encoded = keys_from(phase, &progress.share(part))?;
            let error_m = decoded_error_m(self, source, source, 1, (&encoded.payload, None))?;
            if best.as_ref().is_none_or(|(least_m, _)| error_m < *least_m) {
                best = Some((error_m, encoded));
            }
        }
        Ok(best.expect("one key in at least one, of at least one sample").1)
    }
}

/// The payload with these samples as keys.
fn pack(
    source: &Source<'_>,
    table: &TrackTable,
    channels: &PoseChannels,
    kept: KeptSamples,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let samples: Vec<usize> = (0..kept.count()).map(|key| kept.sample(key)).collect();
    let (mut out, mut ledger) = (BitWriter::new(), Ledger::default());
    for number in [kept.keep_every(), kept.phase()] {
        out.push(number as u64, KeptSamples::NUMBER_BITS);
    }
    ledger.clip(Section::KeyTimes, u64::from(KeptSamples::BITS));
    channels.pack(source.clip, table, &samples, &mut out, &mut ledger, progress)?;
    Ok(Encoded { payload: out.finish(), ledger, kept: kept_keys(&table.kinds, &samples) })
}

/// The same samples for every animated track.
fn kept_keys(kinds: &[[TrackKind; 3]], samples: &[usize]) -> Vec<KeptKeys> {
    let samples: Vec<u32> = samples.iter().map(|s| *s as u32).collect();
    let mut out = Vec::new();
    for channel in Channel::ALL {
        for (joint, kinds) in kinds.iter().enumerate() {
            if kinds[channel as usize] == TrackKind::Animated {
                out.push(KeptKeys { joint: joint as u16, channel, samples: samples.clone(), inserted: Vec::new() });
            }
        }
    }
    out
}
