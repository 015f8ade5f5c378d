//! The place of a prim in the world: the transforms of it and of all prims above it.

use super::prims::Prims;
use super::values::{FromValue, Track};
use super::{Fault, Finding};
use glam::{DMat4, DQuat, DVec3, EulerRot};
use openusd::usd::Prim;

/// Takes the transforms of all prims above away.
const RESET: &str = "!resetXformStack!";
/// Inverts a transform.
const INVERT: &str = "!invert!";

/// A transform of a prim over time.
#[derive(Debug, Clone, PartialEq)]
struct Op {
    kind: OpKind,
    is_inverse: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum OpKind {
    Translate(Track<DVec3>),
    Scale(Track<DVec3>),
    /// Degrees about an axis.
    Axis(DVec3, Track<f64>),
    /// Degrees about three axes.
    Euler(EulerRot, Track<DVec3>),
    Orient(Track<DQuat>),
    Matrix(Track<DMat4>),
}

/// The place of a prim in the world over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Placement {
    /// The outermost first.
    ops: Vec<Op>,
}

impl Placement {
    /// Reads the transforms of a prim and of all above it.
    pub fn read(prims: &Prims<'_>, prim: &Prim, findings: &mut Vec<Finding>) -> Result<Self, Fault> {
        let mut levels = Vec::new();
        for prim in prims.upwards(prim) {
            let order: Vec<String> = prims.value(&prim, "xformOpOrder")?.unwrap_or_default();
            let first = order.iter().rposition(|name| name == RESET).map_or(0, |reset| reset + 1);
            let mut level = Vec::new();
            for name in &order[first..] {
                level.extend(read_op(prims, &prim, name, findings)?);
            }
            levels.push(level);
            if first > 0 {
                break;
            }
        }
        Ok(Self { ops: levels.into_iter().rev().flatten().collect() })
    }

    /// Time codes of all samples, in order.
    pub fn codes(&self) -> Vec<f64> {
        let mut codes: Vec<f64> = self.ops.iter().flat_map(|op| op.codes().iter().copied()).collect();
        codes.sort_by(f64::total_cmp);
        codes.dedup();
        codes
    }

    /// True if no transform turns between its samples, so that lines between them are exact.
    pub fn is_straight(&self) -> bool {
        let moving = self.ops.iter().filter(|op| !op.codes().is_empty());
        let mut moving =
            moving.map(|op| matches!(op.kind, OpKind::Translate(_) | OpKind::Scale(_) | OpKind::Orient(_)));
        moving.all(|is_straight| is_straight)
    }

    /// The map from the prim to the world at a time code.
    pub fn at(&self, code: f64) -> DMat4 {
        self.ops.iter().fold(DMat4::IDENTITY, |world, op| world * op.at(code))
    }

    /// True if the prim lies at the origin of the world, at all times.
    pub fn is_identity(&self) -> bool {
        self.codes().is_empty() && self.at(0.0) == DMat4::IDENTITY
    }

    /// Bytes of all samples.
    pub fn bytes(&self) -> u64 {
        self.ops.iter().map(Op::bytes).sum()
    }
}

fn read_op(prims: &Prims<'_>, prim: &Prim, name: &str, findings: &mut Vec<Finding>) -> Result<Option<Op>, Fault> {
    let (is_inverse, attribute) = match name.strip_prefix(INVERT) {
        Some(attribute) => (true, attribute),
        None => (false, name),
    };
    if prims.has_spline(prim, attribute)? {
        let what = format!("its transform '{}' is a spline, which is not read", super::readable(attribute));
        let meaning = "Its value without a time was taken. Bake it to samples to read its motion.";
        findings.push(Finding::warning(super::prims::name(prim), what, meaning));
    }
    let kind = attribute.strip_prefix("xformOp:").unwrap_or_default().split(':').next().unwrap_or_default();
    let kind = match kind {
        "translate" => track(prims, prim, attribute)?.map(OpKind::Translate),
        "scale" => track(prims, prim, attribute)?.map(OpKind::Scale),
        "orient" => track(prims, prim, attribute)?.map(OpKind::Orient),
        "transform" => track(prims, prim, attribute)?.map(OpKind::Matrix),
        "rotateX" => track(prims, prim, attribute)?.map(|angle| OpKind::Axis(DVec3::X, angle)),
        "rotateY" => track(prims, prim, attribute)?.map(|angle| OpKind::Axis(DVec3::Y, angle)),
        "rotateZ" => track(prims, prim, attribute)?.map(|angle| OpKind::Axis(DVec3::Z, angle)),
        _ => match euler(kind) {
            Some(order) => track(prims, prim, attribute)?.map(|angles| OpKind::Euler(order, angles)),
            None => {
                let what = format!("its transform '{}' is not known", super::readable(name));
                findings.push(Finding::warning(super::prims::name(prim), what, "It was left out: check the place."));
                None
            }
        },
    };
    Ok(kind.map(|kind| Op { kind, is_inverse }))
}

fn track<T: FromValue>(prims: &Prims<'_>, prim: &Prim, name: &str) -> Result<Option<Track<T>>, Fault> {
    prims.track(prim, name).map_err(super::prims::at(prim))
}

/// The order of axes of a rotation. USD turns about the first axis first; glam names the axis that turns last first.
fn euler(kind: &str) -> Option<EulerRot> {
    Some(match kind {
        "rotateXYZ" => EulerRot::ZYX,
        "rotateXZY" => EulerRot::YZX,
        "rotateYXZ" => EulerRot::ZXY,
        "rotateYZX" => EulerRot::XZY,
        "rotateZXY" => EulerRot::YXZ,
        "rotateZYX" => EulerRot::XYZ,
        _ => return None,
    })
}

impl Op {
    fn codes(&self) -> &[f64] {
        match &self.kind {
            OpKind::Translate(track) | OpKind::Scale(track) | OpKind::Euler(_, track) => &track.codes,
            OpKind::Axis(_, track) => &track.codes,
            OpKind::Orient(track) => &track.codes,
            OpKind::Matrix(track) => &track.codes,
        }
    }

    fn bytes(&self) -> u64 {
        let each = match &self.kind {
            OpKind::Translate(_) | OpKind::Scale(_) | OpKind::Euler(..) => size_of::<DVec3>(),
            OpKind::Axis(..) => size_of::<f64>(),
            OpKind::Orient(_) => size_of::<DQuat>(),
            OpKind::Matrix(_) => size_of::<DMat4>(),
        };
        (self.codes().len() * each) as u64
    }

    fn at(&self, code: f64) -> DMat4 {
        let matrix = match &self.kind {
            OpKind::Translate(track) => DMat4::from_translation(track.at(code)),
            OpKind::Scale(track) => DMat4::from_scale(track.at(code)),
            OpKind::Axis(axis, track) => DMat4::from_axis_angle(*axis, track.at(code).to_radians()),
            OpKind::Euler(order, track) => turned(*order, track.at(code)),
            OpKind::Orient(track) => DMat4::from_quat(track.at(code).normalize()),
            OpKind::Matrix(track) => track.at(code),
        };
        if self.is_inverse { matrix.inverse() } else { matrix }
    }
}

/// Turns by an angle in degrees about each axis, in an order.
fn turned(order: EulerRot, degrees: DVec3) -> DMat4 {
    let DVec3 { x, y, z } = DVec3::new(degrees.x.to_radians(), degrees.y.to_radians(), degrees.z.to_radians());
    let angles = match order {
        EulerRot::ZYX => [z, y, x],
        EulerRot::YZX => [y, z, x],
        EulerRot::ZXY => [z, x, y],
        EulerRot::XZY => [x, z, y],
        EulerRot::YXZ => [y, x, z],
        _ => [x, y, z],
    };
    DMat4::from_euler(order, angles[0], angles[1], angles[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_axis_turns_first() {
        let degrees = DVec3::new(20.0, -50.0, 130.0);
        let about = |axis: DVec3, angle: f64| DMat4::from_axis_angle(axis, angle.to_radians());
        let [x, y, z] = [about(DVec3::X, 20.0), about(DVec3::Y, -50.0), about(DVec3::Z, 130.0)];
        for (name, expected) in [
            ("rotateXYZ", z * y * x),
            ("rotateXZY", y * z * x),
            ("rotateYXZ", z * x * y),
            ("rotateYZX", x * z * y),
            ("rotateZXY", y * x * z),
            ("rotateZYX", x * y * z),
        ] {
            let found = turned(euler(name).unwrap(), degrees);
            assert!(found.abs_diff_eq(expected, 1e-12), "{name}");
        }
        assert_eq!(euler("rotateXXX"), None);
    }
}
