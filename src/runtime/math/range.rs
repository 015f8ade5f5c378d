use glam::Vec3;

/// An axis-aligned box of numbers: range reduction stores values as fractions of it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Range3 {
    /// Smallest value of each component.
    pub min: Vec3,
    /// Largest minus smallest, zero or more.
    pub extent: Vec3,
}

impl Range3 {
    /// `0..=1` in every component: fractions are the values themselves.
    pub const UNIT: Self = Self { min: Vec3::ZERO, extent: Vec3::ONE };

    /// `-limit..=limit` in every component.
    pub fn symmetric(limit: f32) -> Self {
        Self { min: Vec3::splat(-limit), extent: Vec3::splat(2.0 * limit) }
    }

    /// The value at a fraction.
    pub fn value(&self, fraction: Vec3) -> Vec3 {
        self.min + self.extent * fraction
    }
}
