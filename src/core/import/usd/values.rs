//! Converts values of a stage. Matrices of USD act on rows, and lie row by row: as columns they are the matrices of this program.

use glam::{DMat4, DQuat, DVec3, Quat, Vec2, Vec3};
use openusd::sdf::Value;

/// A type that attributes are read as.
pub(super) trait FromValue: Sized {
    /// Name of the type in USD, for messages.
    const KIND: &'static str;
    /// The value; `None` for values of other types.
    fn from_value(value: Value) -> Option<Self>;
    /// Bytes of a value.
    fn bytes(&self) -> u64;
}

macro_rules! list {
    ($item:ty, $kind:literal, $($variant:ident => $convert:expr),+) => {
        impl FromValue for Vec<$item> {
            const KIND: &'static str = $kind;

            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $(Value::$variant(values) => Some(values.into_iter().map($convert).collect()),)+
                    _ => None,
                }
            }

            fn bytes(&self) -> u64 {
                (self.len() * size_of::<$item>()) as u64
            }
        }
    };
}

list!(String, "token[]", TokenVec => |token| token.as_str().to_owned(), StringVec => |text| text);
list!(f32, "float[]", FloatVec => |v| v, HalfVec => |v| v.to_f32(), DoubleVec => |v| v as f32);
list!(i32, "int[]", IntVec => |v| v, UintVec => |v| i32::try_from(v).unwrap_or(-1));
list!(Vec2, "float2[]", Vec2fVec => |v| Vec2::new(v.x, v.y), Vec2hVec => |v| Vec2::new(v.x.to_f32(), v.y.to_f32()),
    Vec2dVec => |v| Vec2::new(v.x as f32, v.y as f32));
list!(Vec3, "float3[]", Vec3fVec => |v| Vec3::new(v.x, v.y, v.z),
    Vec3hVec => |v| Vec3::new(v.x.to_f32(), v.y.to_f32(), v.z.to_f32()),
    Vec3dVec => |v| Vec3::new(v.x as f32, v.y as f32, v.z as f32));
list!(Quat, "quatf[]", QuatfVec => |q| Quat::from_xyzw(q.x, q.y, q.z, q.w),
    QuathVec => |q| Quat::from_xyzw(q.x.to_f32(), q.y.to_f32(), q.z.to_f32(), q.w.to_f32()),
    QuatdVec => |q| Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32));
list!(DMat4, "matrix4d[]", Matrix4dVec => |m| DMat4::from_cols_array(&m.0));

macro_rules! single {
    ($item:ty, $kind:literal, $($variant:ident($name:ident) => $convert:expr),+) => {
        impl FromValue for $item {
            const KIND: &'static str = $kind;

            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $(Value::$variant($name) => Some($convert),)+
                    _ => None,
                }
            }

            fn bytes(&self) -> u64 {
                size_of::<$item>() as u64
            }
        }
    };
}

single!(f64, "double", Double(v) => v, Float(v) => v.into(), Half(v) => v.to_f32().into(), Int(v) => v.into(),
    Uint(v) => v.into(), Int64(v) => v as f64, Uint64(v) => v as f64);
single!(bool, "bool", Bool(v) => v);
single!(String, "token", Token(v) => v.as_str().to_owned(), String(v) => v);
single!(DVec3, "double3", Vec3d(v) => DVec3::new(v.x, v.y, v.z),
    Vec3f(v) => Vec3::new(v.x, v.y, v.z).as_dvec3(),
    Vec3h(v) => Vec3::new(v.x.to_f32(), v.y.to_f32(), v.z.to_f32()).as_dvec3());
single!(DQuat, "quatd", Quatd(q) => DQuat::from_xyzw(q.x, q.y, q.z, q.w),
    Quatf(q) => Quat::from_xyzw(q.x, q.y, q.z, q.w).as_dquat(),
    Quath(q) => Quat::from_xyzw(q.x.to_f32(), q.y.to_f32(), q.z.to_f32(), q.w.to_f32()).as_dquat());
single!(DMat4, "matrix4d", Matrix4d(m) => DMat4::from_cols_array(&m.0));

/// A value over time: its samples in order of time, or one value without a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Track<T> {
    /// Time codes of the samples; empty for a constant.
    pub codes: Vec<f64>,
    /// One per time code, or the constant.
    pub values: Vec<T>,
}

impl<T> Track<T> {
    /// A value that does not move.
    pub fn constant(value: T) -> Self {
        Self { codes: Vec::new(), values: vec![value] }
    }

    /// True if it has samples.
    pub fn moves(&self) -> bool {
        !self.codes.is_empty()
    }
}

/// A value that is interpolated between samples.
pub(super) trait Blend: Copy {
    /// Blends from `a` at 0 to `b` at 1, as USD does.
    fn blend(a: Self, b: Self, t: f64) -> Self;
}

impl Blend for f64 {
    fn blend(a: Self, b: Self, t: f64) -> Self {
        a + (b - a) * t
    }
}

impl Blend for DVec3 {
    fn blend(a: Self, b: Self, t: f64) -> Self {
        a.lerp(b, t)
    }
}

impl Blend for DQuat {
    fn blend(a: Self, b: Self, t: f64) -> Self {
        a.slerp(b, t)
    }
}

impl Blend for DMat4 {
    fn blend(a: Self, b: Self, t: f64) -> Self {
        a + (b - a) * t
    }
}

impl<T: Blend> Track<T> {
    /// The value at a time code. Outside of the samples the nearest one holds.
    pub fn at(&self, code: f64) -> T {
        let next = self.codes.partition_point(|&known| known <= code);
        match (next.checked_sub(1), self.codes.get(next)) {
            (None, _) => self.values[0],
            (Some(last), None) => self.values[last],
            (Some(key), Some(end)) => {
                let start = self.codes[key];
                T::blend(self.values[key], self.values[next], (code - start) / (end - start))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_blend_and_hold_outside() {
        let track = Track { codes: vec![1.0, 2.0, 4.0], values: vec![5.0, 6.0, 8.0] };
        assert_eq!([0.0, 1.0, 1.5, 3.0, 4.0, 9.0].map(|code| track.at(code)), [5.0, 5.0, 5.5, 7.0, 8.0, 8.0]);
        assert_eq!(Track::constant(3.0).at(7.0), 3.0);
    }

    #[test]
    fn half_floats_and_quaternions_with_w_first_are_read() {
        let [x, y, z] = [1.0, 0.5, 2.0].map(half::f16::from_f32);
        let half = openusd::gf::vec3h(x, y, z);
        assert_eq!(Vec::<Vec3>::from_value(Value::Vec3hVec(vec![half])), Some(vec![Vec3::new(1.0, 0.5, 2.0)]));
        let turn = openusd::gf::quatf(0.5, 0.1, 0.2, 0.3);
        assert_eq!(
            Vec::<Quat>::from_value(Value::QuatfVec(vec![turn])),
            Some(vec![Quat::from_xyzw(0.1, 0.2, 0.3, 0.5)])
        );
        assert_eq!(Vec::<Quat>::from_value(Value::IntVec(vec![1])), None);
    }
}
