//! Curve fitting (Riot, Compressing Skeletal Animation Data). A Catmull-Rom spline starts with two keys and gets another where its error is
//! largest, until it fits everywhere. All keys are in one block, in the order of sequential playback.

mod choose;
use posepress_runtime::internal::codecs::catmull_rom as decode;
mod fit;
mod frames;
mod header;
mod params;
mod replay;
mod section_error;
mod squares;

use super::encode::keys::{
    JointKeys, KeptPoints, SolveSettings, block_size, exact_keys, pack_by_track, solve, track_table,
};
use super::encode::{AIM, SEARCHED_TRIVIAL_SHARE, Steps, ToleranceLoop, check_usable, classify, encode_stretches};
use super::runtime::{KeyCoding, RangeSource, RotationFormat, Spline, TrackTable};
use super::{
    Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, FittedCurve, ParamValues, Progress, Replay, Source,
};
use crate::format::{BitWriter, DecodeError};
use crate::math::{Range3, ReduceRange, Transform};
use crate::metrics::is_foot_name;
use crate::model::{Channel, Skeleton};
use choose::{CurveChooser, leaves_range, widened};
use decode::{CurveHeader, CurveLayout};
use frames::{FrameSettings, pack_frames};
use params::{Choices, PARAMS, PRESETS, Pinning};

/// Fits Catmull-Rom splines to every track.
#[derive(Debug)]
pub struct CatmullRom;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"CMR1"),
    name: "catmull-rom",
    summary: "Fits Catmull-Rom splines with as many keys as the tolerance needs, stored in one block in the order of playback.",
    source: "Riot, Compressing Skeletal Animation Data; Animation Compression: Curve Fitting",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for CatmullRom {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn promises_with(&self, values: &ParamValues) -> bool {
        Choices::new(values).promise()
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for CatmullRom {
    fn in_place(&self, values: &ParamValues) -> Option<ParamValues> {
        Choices::new(values).plays_in_place().then(|| values.clone())
    }

    /// A curve that is bounded only at samples can deviate too far between the last two: more than one saved sample is worth.
    fn leaves_out_last(&self, values: &ParamValues) -> bool {
        let choices = Choices::new(values);
        choices.promise() && choices.between
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let choices = Choices::new(values);
        encode_stretches(source, progress, |source, progress| self.encode_stretch(source, &choices, progress))
    }

    fn keys_have_tangents(&self) -> bool {
        true
    }

    fn can_replay(&self) -> bool {
        true
    }

    fn replay(
        &self,
        source: &Source<'_>,
        values: &ParamValues,
        payload: &[u8],
        track: &Replay<'_>,
    ) -> Result<Option<FittedCurve>, DecodeError> {
        replay::replay(source, &Choices::new(values), payload, track)
    }
}

impl CatmullRom {
    fn encode_stretch(
        &self,
        source: &Source<'_>,
        choices: &Choices,
        progress: &Progress,
    ) -> Result<Encoded, EncodeError> {
        // Where f32 cannot keep a tolerance this small between samples, only the samples are bounded.
        for between in [true, false].into_iter().filter(|between| choices.between || !between) {
            let steps = Steps::new(source.clip, between)?;
            let dense = steps.source(source);
            let (stride, choices) = (steps.stride, choices.clone());
            let points = KeptPoints::new(source.clip.joints());
            let search = Search { source, dense: &dense, stride, choices, points };
            if !search.choices.promise() {
                return search.attempt(source.tolerance_m, progress);
            }
            let keeper = ToleranceLoop { codec: self, source, dense: &dense, stride, aim: AIM };
            if let Some(found) = keeper.run(progress, |limit_m| Ok(Some(search.attempt(limit_m, progress)?)))? {
                return Ok(found);
            }
        }
        Ok(exact(source, choices))
    }
}

/// A clip with the settings for fitting curves to it.
struct Search<'a> {
    source: &'a Source<'a>,
    /// The clip with a sample at every step.
    dense: &'a Source<'a>,
    stride: usize,
    choices: Choices,
    points: KeptPoints,
}

impl Search<'_> {
    fn attempt(&self, limit_m: f32, progress: &Progress) -> Result<Encoded, EncodeError> {
        let Self { dense, choices, .. } = self;
        let trivial = choices.trivial.within(limit_m * SEARCHED_TRIVIAL_SHARE);
        let table = classify(dense, &trivial, progress)?;
        let pinned = pinned_joints(dense.skeleton, choices.pinning);
        let mut clip_ranges = self.clip_ranges(&table, pinned.as_deref());
        let mut joints = self.solve(limit_m, &table, pinned.as_deref(), &clip_ranges, progress)?;
        for _ in 0..RANGE_ROUNDS {
            let Some(wider) = with_keys_beyond(&clip_ranges, &joints) else { break };
            clip_ranges = wider;
            joints = self.solve(limit_m, &table, pinned.as_deref(), &clip_ranges, progress)?;
        }
        let samples = self.source.clip.samples();
        Ok(packed(&joints, samples, table.constant_format, choices, &clip_ranges))
    }

    fn solve(
        &self,
        limit_m: f32,
        table: &TrackTable,
        pinned: Option<&[bool]>,
        clip_ranges: &[Range3; 3],
        progress: &Progress,
    ) -> Result<Vec<JointKeys>, EncodeError> {
        let Self { dense, choices, .. } = self;
        let margins = margins(dense.skeleton, choices, pinned);
        let settings = SolveSettings {
            chooser: &CurveChooser {
                fits: &choices.fits,
                thins_out: choices.thins_out,
                spline: choices.spline,
                clip_ranges: *clip_ranges,
            },
            rotation_formats: choices.rotation_formats,
            vector_formats: choices.vector_formats,
            choice: choices.format_choice,
            metric: choices.metric,
            points: &self.points,
            limit_m,
            parent_key_scale: 1.0,
            margins: margins.as_deref(),
            pinned,
            retarget: false,
            stride: self.stride,
        };
        Ok(solve(dense, table, &settings, progress)?.joints)
    }

    /// The ranges that all animated tracks of a channel share, estimated from the clip. Corrections may lie outside.
    fn clip_ranges(&self, table: &TrackTable, pinned: Option<&[bool]>) -> [Range3; 3] {
        let range = |channel: Channel, of: fn(Transform) -> glam::Vec3| {
            let is_pinned = |joint: usize| pinned.is_some_and(|p| p[joint]) && channel == Channel::Translation;
            let joints = || table.animated(channel).chain((0..table.kinds.len()).filter(|j| is_pinned(*j)));
            let values = joints().flat_map(|joint| self.dense.clip.track(joint).map(of));
            let range = Range3::around(values);
            let may_leave = pinned.is_some() || leaves_range(&self.choices.fits);
            if may_leave && joints().next().is_some() { widened(range) } else { range }
        };
        [Range3::UNIT, range(Channel::Translation, |t| t.translation), range(Channel::Scale, |t| t.scale)]
    }
}

/// Every sample of every track as float32, with lines between them: exact between samples too.
fn exact(source: &Source<'_>, choices: &Choices) -> Encoded {
    let choices = Choices { spline: Spline { straight_steps: true, ..choices.spline }, ..choices.clone() };
    packed(&exact_keys(source), source.clip.samples(), RotationFormat::Full, &choices, &[Range3::UNIT; 3])
}

fn packed(
    joints: &[JointKeys],
    samples: usize,
    constant_format: RotationFormat,
    choices: &Choices,
    clip_ranges: &[Range3; 3],
) -> Encoded {
    let Choices { layout, jump_every, spline, block_samples, .. } = *choices;
    let blocks = block_size(block_samples, samples).filter(|_| layout == CurveLayout::ByTrack);
    let header = CurveHeader { layout, has_jumps: jump_every > 0, blocks, spline };
    match layout {
        CurveLayout::TimeNeeded => {
            let table = track_table(joints, constant_format);
            pack_frames(joints, &table, FrameSettings { header, samples, jump_every, clip_ranges })
        }
        CurveLayout::ByTrack => {
            let mut head = BitWriter::new();
            header::write_header(header, &mut head);
            pack_by_track(head, joints, constant_format, (samples, blocks))
        }
    }
}

/// Fits with growing ranges at most. A correction that was clamped to a range moves the descendants, and with them their corrections.
const RANGE_ROUNDS: usize = 4;

/// Ranges with room for keys outside them, or `None` if no key is outside. The keys are those of the fit, before clamping to a range.
fn with_keys_beyond(ranges: &[Range3; 3], joints: &[JointKeys]) -> Option<[Range3; 3]> {
    let mut wider = *ranges;
    for channel in [Channel::Translation, Channel::Scale] {
        let range = &mut wider[channel as usize];
        let tracks = joints.iter().filter_map(|keys| match channel {
            Channel::Scale => keys.scale.as_ref(),
            _ => keys.translation.as_ref(),
        });
        let shared = tracks
            .filter(|track| matches!(&track.coding, KeyCoding::Format(f, _) if f.range_source() == RangeSource::Clip));
        let corners = [range.min, range.min + range.extent];
        let all = Range3::around(corners.into_iter().chain(shared.flat_map(|track| track.keys.iter().copied())));
        if all != Range3::around(corners) {
            *range = widened(all);
        }
    }
    (wider != *ranges).then_some(wider)
}

/// The divisor of each joint's thresholds: adaptive margins, times the margin of pinned joints and their descendants.
fn margins(skeleton: &Skeleton, choices: &Choices, pinned: Option<&[bool]>) -> Option<Vec<f32>> {
    if !choices.adaptive_margins && pinned.is_none() {
        return None;
    }
    let adaptive = choices.adaptive_margins.then(|| adaptive_margins(skeleton));
    let mut margins = adaptive.unwrap_or_else(|| vec![1.0; skeleton.len()]);
    for (joint, margin) in margins.iter_mut().enumerate() {
        let is_held = |joint: usize| pinned.is_some_and(|pinned| pinned[joint]);
        if is_held(joint) || skeleton.ancestors(joint).any(is_held) {
            *margin /= choices.pinned_share;
        }
    }
    Some(margins)
}

/// Riot's margins: an end effector uses the thresholds as they are, its parent a half, its grandparent a third, and so on. The longest
/// chain below a joint decides.
fn adaptive_margins(skeleton: &Skeleton) -> Vec<f32> {
    let mut margins = vec![1.0f32; skeleton.len()];
    for joint in (0..skeleton.len()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            margins[parent] = margins[parent].max(margins[joint] + 1.0);
        }
    }
    margins
}

fn pinned_joints(skeleton: &Skeleton, pinning: Pinning) -> Option<Vec<bool>> {
    let is_foot = |joint: usize| is_foot_name(skeleton.name(joint));
    let is_pinned = |joint: usize| match pinning {
        Pinning::None => false,
        // A toe follows its foot.
        Pinning::Feet => is_foot(joint) && !skeleton.ancestors(joint).any(is_foot),
        Pinning::Ends => skeleton.children(joint).is_empty(),
        Pinning::All => true,
    };
    (pinning != Pinning::None).then(|| (0..skeleton.len()).map(is_pinned).collect())
}
