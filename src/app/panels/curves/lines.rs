use crate::panels::time_axis::TimeAxis;
use crate::state::{CurveKind, kept_keys};
use glam::EulerRot;
use posepress_core::codecs::FittedCurve;
use posepress_core::math::Transform;
use posepress_core::metrics::ModelTrack;
use posepress_core::model::Rig;
use posepress_core::report::Sides;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Largest number of lines per joint.
pub const LINES: usize = 4;
/// Largest number of points per line. More points than pixels only cost time.
const MAX_POINTS: usize = 4000;

/// (sample, value).
pub type Point = [f64; 2];

/// Up to four curves of one joint, raw and decoded, over the visible part of the clip.
#[derive(Default)]
pub struct JointCurves {
    /// Raw values.
    pub raw: [Vec<Point>; LINES],
    /// Decoded values; decoded minus raw in the residual view.
    pub decoded: [Vec<Point>; LINES],
    /// Kept keys on the decoded curves; empty when every sample is kept.
    pub keys: [Vec<Point>; LINES],
    /// Handles of the keys of a spline: the ends before and after each key, on the tangents of the decoded curve.
    pub handles: [Vec<[Point; 3]>; LINES],
}

/// Length of a handle, as a share of the section beside it: that of a Bezier curve through the same points.
const HANDLE: f64 = 1.0 / 3.0;

/// Visible curves.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The quantity.
    pub kind: CurveKind,
    /// Decoded minus raw.
    pub residual: bool,
    /// First float track that is shown.
    pub first_float: usize,
}

impl JointCurves {
    /// Reads the curves of one joint from both tracks. A replayed fit replaces the decoded curves and keys.
    pub fn of(
        rig: &Rig,
        shown: &Sides,
        axis: &TimeAxis,
        joint: usize,
        choice: Choice,
        fitted: Option<&FittedCurve>,
    ) -> Self {
        let (raw, lossy) = (&shown.source.raw, &shown.outcome.decoded);
        let bind = rig.skeleton.bind(joint);
        let value = |track: &ModelTrack, step: usize| match choice.kind {
            CurveKind::Floats => first_floats(&track.floats(step), choice.first_float),
            kind => values(track.local(step, joint), bind, kind),
        };
        let per_sample = raw.sub_frames();
        let from = ((axis.first * per_sample as f64) as usize).min(raw.steps() - 1);
        let to = ((axis.last * per_sample as f64).ceil() as usize).min(raw.steps() - 1);
        let stride = (to - from + 1).div_ceil(MAX_POINTS);
        let mut curves = Self::default();
        let point = |step: usize, value: f64| [step as f64 / per_sample as f64, value];
        let decoded_at = |step: usize| {
            let fit = fitted.and_then(|f| f.values.get(step));
            let lossy = fit.map_or_else(|| value(lossy, step), |local| values(*local, bind, choice.kind));
            let raw = value(raw, step);
            let offset = if choice.residual { 1.0 } else { 0.0 };
            std::array::from_fn::<_, LINES, _>(|i| Some(lossy[i]? - raw[i]? * offset))
        };
        for step in (from..=to).step_by(stride) {
            for (line, v) in curves.raw.iter_mut().zip(value(raw, step)) {
                line.extend(v.map(|v| point(step, v)));
            }
            for (line, v) in curves.decoded.iter_mut().zip(decoded_at(step)) {
                line.extend(v.map(|v| point(step, v)));
            }
        }
        let kept = kept_keys(shown, joint, choice.kind).map_or(&[][..], |k| &k.samples);
        let kept = fitted.map_or(kept, |f| &f.samples).iter().map(|sample| *sample as usize * per_sample).collect();
        let keys = Keys { steps: kept, in_sight: from..=to, per_sample };
        let has_tangents = shown.outcome.encoding().is_some_and(|encoding| encoding.codec.keys_have_tangents());
        curves.keys = keys.points(decoded_at);
        curves.handles = if has_tangents { keys.handles(decoded_at) } else { Default::default() };
        curves
    }

    /// Smallest and largest value of the drawn lines; `None` without any.
    pub fn range(&self, axes: [bool; 3], choice: Choice) -> Option<(f64, f64)> {
        let raw = if choice.residual { &[][..] } else { &self.raw[..] };
        let lines = raw.iter().enumerate().chain(self.decoded.iter().enumerate());
        let values = lines.filter(|(i, _)| is_shown(axes, choice.kind, *i)).flat_map(|(_, l)| l.iter().map(|p| p[1]));
        values.fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
        })
    }
}

/// Kept keys of a track, in steps of the curves.
struct Keys {
    steps: Vec<usize>,
    in_sight: RangeInclusive<usize>,
    per_sample: usize,
}

impl Keys {
    /// The keys in sight, on the curves that `at` gives.
    fn points(&self, at: impl Fn(usize) -> [Option<f64>; LINES]) -> [Vec<Point>; LINES] {
        let mut points: [Vec<_>; LINES] = Default::default();
        for step in self.steps.iter().filter(|step| self.in_sight.contains(step)) {
            for (line, value) in points.iter_mut().zip(at(*step)) {
                line.extend(value.map(|value| [self.sample(*step as f64), value]));
            }
        }
        points
    }

    /// The handles of the keys in sight. A tangent is that of the first step beside its key.
    fn handles(&self, at: impl Fn(usize) -> [Option<f64>; LINES]) -> [Vec<[Point; 3]>; LINES] {
        let end = |key: usize, neighbour: usize, line: usize| -> Option<Point> {
            let (reach, value) = ((neighbour as f64 - key as f64) * HANDLE, at(key)[line]?);
            let rise = match neighbour.cmp(&key) {
                Ordering::Less => value - at(key - 1)[line]?,
                Ordering::Equal => 0.0,
                Ordering::Greater => at(key + 1)[line]? - value,
            };
            Some([self.sample(key as f64 + reach), value + rise * reach])
        };
        let mut handles: [Vec<_>; LINES] = Default::default();
        for (place, key) in self.steps.iter().enumerate().filter(|(_, key)| self.in_sight.contains(key)) {
            let beside = [self.steps[place.saturating_sub(1)], *key, self.steps[(place + 1).min(self.steps.len() - 1)]];
            for (line, handles) in handles.iter_mut().enumerate() {
                let [before, at, after] = beside.map(|neighbour| end(*key, neighbour, line));
                handles.extend(before.zip(at).zip(after).map(|((before, at), after)| [before, at, after]));
            }
        }
        handles
    }

    fn sample(&self, step: f64) -> f64 {
        step / self.per_sample as f64
    }
}

/// True if a line is drawn. W of a quaternion is drawn with any axis, float tracks always.
pub fn is_shown(axes: [bool; 3], kind: CurveKind, line: usize) -> bool {
    kind == CurveKind::Floats || axes.get(line).copied().unwrap_or(axes.iter().any(|a| *a))
}

fn first_floats(floats: &[f32], first: usize) -> [Option<f64>; LINES] {
    std::array::from_fn(|i| floats.get(first + i).map(|v| f64::from(*v)))
}

fn values(local: Transform, bind: Transform, kind: CurveKind) -> [Option<f64>; LINES] {
    let three =
        |v: [f32; 3], factor: f32| [Some(v[0]), Some(v[1]), Some(v[2]), None].map(|n| Some(f64::from(n? * factor)));
    let degrees = 1f32.to_degrees();
    match kind {
        CurveKind::RotationDegrees => {
            let from_bind = bind.rotation.inverse() * local.rotation;
            let near = if from_bind.w < 0.0 { -from_bind } else { from_bind };
            three(near.to_scaled_axis().to_array(), degrees)
        }
        CurveKind::RotationEuler => three(local.rotation.to_euler(EulerRot::XYZ).into(), degrees),
        CurveKind::RotationComponents => local.rotation.to_array().map(|n| Some(f64::from(n))),
        CurveKind::Translation => three(local.translation.to_array(), 100.0),
        CurveKind::Scale => three(local.scale.to_array(), 1.0),
        CurveKind::Floats => [None; LINES],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parabola with keys at its ends and in the middle, ten steps apart.
    fn keys(in_sight: RangeInclusive<usize>) -> Keys {
        Keys { steps: vec![0, 10, 20], in_sight, per_sample: 10 }
    }

    #[test]
    fn handles_lie_on_the_tangents_and_reach_a_third_of_the_way() {
        let at = |step: usize| [Some(step as f64 * 0.5), None, None, None];
        let [line, ..] = keys(0..=20).handles(at);
        assert_eq!(line.len(), 3);
        for [before, key, after] in &line {
            for end in [before, after] {
                assert!((end[1] - key[1] - (end[0] - key[0]) * 5.0).abs() < 1e-9, "{end:?} from {key:?}");
            }
        }
        let reach = |from: Point, to: Point| to[0] - from[0];
        assert_eq!(reach(line[0][0], line[0][1]), 0.0, "there is nothing before the first key");
        assert!((reach(line[1][0], line[1][1]) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(reach(line[2][1], line[2][2]), 0.0, "there is nothing after the last key");
    }

    #[test]
    fn keys_out_of_sight_have_no_points() {
        let at = |step: usize| [Some(step as f64), Some(1.0), None, None];
        let [first, second, third, _] = keys(5..=12).points(at);
        assert_eq!((first, second, third.len()), (vec![[1.0, 10.0]], vec![[1.0, 1.0]], 0));
        assert_eq!(keys(5..=12).handles(at)[0].len(), 1);
    }
}
