use super::bit_window::BitWindow;
use super::lanes::{FourKeys, KeyBits, OneKey, RangeLanes};
use super::rotation_format::{float3, split3};
use crate::math::{Number, Range3, unorm_decode};
use crate::parts::Tail;
use glam::{Vec3, Vec4};

/// Storage format of one translation (metres) or scale. The discriminant is its code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum VectorFormat {
    /// Three float32 (Unreal's None and Float 96 alike).
    Float96 = 0,
    /// 16 + 16 + 16 bits over the range of all tracks of the clip (Riot).
    ClipRange48 = 1,
    /// 16 + 16 + 16 bits over plus or minus 20 (Animation Tech Intro 2).
    Fixed48 = 2,
    /// 11 + 11 + 10 bits over the track's range (Unreal).
    IntervalFixed32 = 3,
    /// 16 + 16 + 16 bits over the track's range.
    TrackRange48 = 4,
}

/// Source of the range of keys that are fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeSource {
    /// No stored range.
    None,
    /// Stored once for all tracks.
    Clip,
    /// Stored once per track.
    Track,
}

impl VectorFormat {
    /// All formats, ordered by code.
    pub const ALL: [Self; 5] =
        [Self::Float96, Self::ClipRange48, Self::Fixed48, Self::IntervalFixed32, Self::TrackRange48];

    /// "I know my animations are no more than -20 to 20 meters away from the centre." (Animation Tech Intro 2)
    pub const FIXED_LIMIT: f32 = 20.0;

    /// Limit of usable numbers. Differences of larger ones overflow when squared.
    pub const LARGEST: f32 = 1e18;

    /// Name in recipes.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Float96 => "float96",
            Self::ClipRange48 => "clip-range48",
            Self::Fixed48 => "fixed48",
            Self::IntervalFixed32 => "interval-fixed32",
            Self::TrackRange48 => "track-range48",
        }
    }

    /// Bits per key.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Float96 => 96,
            Self::ClipRange48 | Self::Fixed48 | Self::TrackRange48 => 48,
            Self::IntervalFixed32 => 32,
        }
    }

    /// Source of the range of its keys.
    pub const fn range_source(self) -> RangeSource {
        match self {
            Self::Float96 | Self::Fixed48 => RangeSource::None,
            Self::ClipRange48 => RangeSource::Clip,
            Self::IntervalFixed32 | Self::TrackRange48 => RangeSource::Track,
        }
    }

    /// Reads the key at bit `at`. Any bits give finite numbers, except in float32: check its keys with
    /// [`VectorFormat::is_valid`] first.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Vec3 {
        Vec3::from_array(self.decode(&OneKey { bytes, at, range }))
    }

    /// Reads four consecutive keys, as separate x, y and z; see [`VectorFormat::read`].
    #[inline(always)]
    pub fn read_lanes(self, bytes: &[u8], at: usize, ranges: &RangeLanes) -> [Vec4; 3] {
        let mut tail = Tail::default();
        self.decode(&FourKeys { window: BitWindow::at(bytes, at, &mut tail), ranges })
    }

    /// x, y, z of a key; see [`crate::parts::RotationFormat`].
    #[inline(always)]
    fn decode<K: KeyBits>(self, key: &K) -> [K::Real; 3] {
        match self {
            Self::Float96 => float3(key),
            Self::Fixed48 => {
                let limit = Range3::symmetric(Self::FIXED_LIMIT);
                let (min, extent) = (K::Real::splat(limit.min.x), K::Real::splat(limit.extent.x));
                split3(key.bits(48, 0, 48), [16; 3], unorm_decode).map(|fraction: K::Real| min + extent * fraction)
            }
            Self::IntervalFixed32 => key.in_range(split3(key.bits(32, 0, 32), [11, 11, 10], unorm_decode)),
            Self::ClipRange48 | Self::TrackRange48 => key.in_range(split3(key.bits(48, 0, 48), [16; 3], unorm_decode)),
        }
    }

    /// True if the key at bit `at` is usable. Only float32 can fail.
    pub fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        self != Self::Float96 || is_usable(floats3_at(bytes, at))
    }
}

/// Three float32 at bit `at`.
pub(in crate::parts) fn floats3_at(bytes: &[u8], at: usize) -> Vec3 {
    Vec3::from_array(float3(&OneKey { bytes, at, range: &Range3::UNIT }))
}

/// True if all numbers can be blended and multiplied without overflow; false for NaN.
pub fn is_usable(v: Vec3) -> bool {
    v.abs().cmple(Vec3::splat(VectorFormat::LARGEST)).all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_on_disk_and_what_overflows_is_not_usable() {
        for (code, format) in VectorFormat::ALL.into_iter().enumerate() {
            assert_eq!(format as usize, code);
        }
        assert!(!is_usable(Vec3::new(0.0, f32::NAN, 0.0)) && !is_usable(Vec3::splat(1e19)));
    }
}
