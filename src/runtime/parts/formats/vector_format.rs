use super::bit_window::{BitWindow, Tail};
use super::lanes::{FourKeys, KeyBits, OneKey, RangeLanes};
use super::rotation_format::{float3, split3};
use crate::math::{Number, Range3, unorm_decode};
use glam::{Vec3, Vec4};

/// How one translation (metres) or scale is stored. The number is the format's code on disk.
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

/// Where the range comes from that keys are fractions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeSource {
    /// None is stored.
    None,
    /// Stored once for all tracks.
    Clip,
    /// Stored once a track.
    Track,
}

impl VectorFormat {
    /// In the order of their codes.
    pub const ALL: [Self; 5] =
        [Self::Float96, Self::ClipRange48, Self::Fixed48, Self::IntervalFixed32, Self::TrackRange48];

    /// "I know my animations are no more than -20 to 20 meters away from the centre." (Animation Tech Intro 2)
    pub const FIXED_LIMIT: f32 = 20.0;

    /// Numbers beyond this overflow when two of them are subtracted and squared on the way to the screen.
    pub const LARGEST: f32 = 1e18;

    /// As recipes say it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Float96 => "float96",
            Self::ClipRange48 => "clip-range48",
            Self::Fixed48 => "fixed48",
            Self::IntervalFixed32 => "interval-fixed32",
            Self::TrackRange48 => "track-range48",
        }
    }

    /// Bits a key.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Float96 => 96,
            Self::ClipRange48 | Self::Fixed48 | Self::TrackRange48 => 48,
            Self::IntervalFixed32 => 32,
        }
    }

    /// Which range its keys are fractions of.
    pub const fn range_source(self) -> RangeSource {
        match self {
            Self::Float96 | Self::Fixed48 => RangeSource::None,
            Self::ClipRange48 => RangeSource::Clip,
            Self::IntervalFixed32 | Self::TrackRange48 => RangeSource::Track,
        }
    }

    /// Reads the key at bit `at`. Finite for any bits, but for float32, whose keys [`VectorFormat::is_valid`] must have
    /// seen.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Vec3 {
        Vec3::from_array(self.decode(&OneKey { bytes, at, range }))
    }

    /// Reads four keys that follow each other, x, y and z apart; see [`VectorFormat::read`].
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

    /// False when the key at bit `at` is no usable number, which only float32 can hold.
    pub fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        self != Self::Float96 || is_usable(floats3_at(bytes, at))
    }
}

/// Three float32 at bit `at`.
pub(in crate::parts) fn floats3_at(bytes: &[u8], at: usize) -> Vec3 {
    Vec3::from_array(float3(&OneKey { bytes, at, range: &Range3::UNIT }))
}

/// True for numbers that can be blended and multiplied without overflow. False for NaN.
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
