use crate::panels::time_axis::TimeAxis;
use crate::state::{CurveKind, kept_keys};
use glam::EulerRot;
use posepress_core::codecs::FittedCurve;
use posepress_core::math::Transform;
use posepress_core::metrics::ModelTrack;
use posepress_core::model::Rig;
use posepress_core::report::Sides;

/// Largest number of lines per joint.
pub const LINES: usize = 4;
/// Largest number of points per line. More points than pixels only cost time.
const MAX_POINTS: usize = 4000;

/// (sample, value).
pub type Point = [f64; 2];

/// Up to four curves of one joint, raw and decoded, over the visible part of the clip.
pub struct JointCurves {
    /// Raw values.
    pub raw: [Vec<Point>; LINES],
    /// Decoded values; decoded minus raw in the residual view.
    pub decoded: [Vec<Point>; LINES],
    /// Kept keys on the decoded curves; empty when every sample is kept.
    pub keys: [Vec<Point>; LINES],
}

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
        let mut curves = Self { raw: Default::default(), decoded: Default::default(), keys: Default::default() };
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
        let kept = fitted.map_or(kept, |f| &f.samples);
        let in_sight = |s: &&u32| (from..=to).contains(&(**s as usize * per_sample));
        for sample in kept.iter().filter(in_sight) {
            let step = *sample as usize * per_sample;
            for (line, v) in curves.keys.iter_mut().zip(decoded_at(step)) {
                line.extend(v.map(|v| point(step, v)));
            }
        }
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
