use glam::{Quat, Vec3};

/// Length unit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Metres.
    Metre,
    /// Centimetres.
    Centimetre,
    /// Millimetres.
    Millimetre,
    /// Inches.
    Inch,
}

impl LengthUnit {
    /// From the largest to the smallest.
    pub const ALL: [Self; 4] = [Self::Metre, Self::Inch, Self::Centimetre, Self::Millimetre];

    /// Metres in one.
    pub fn metres(self) -> f32 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => 0.0254,
        }
    }

    /// As people say it, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metre => "metres",
            Self::Centimetre => "centimetres",
            Self::Millimetre => "millimetres",
            Self::Inch => "inches",
        }
    }
}

/// Axis that points up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpAxis {
    /// As everything inside.
    Y,
    /// Turned by -90 degrees about X on the way in.
    Z,
}

impl UpAxis {
    /// A root's local transform with Y up; exact for translations, which only trade places.
    pub(super) fn raise(self, root: crate::math::Transform) -> crate::math::Transform {
        match self {
            Self::Y => root,
            Self::Z => crate::math::Transform {
                rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * root.rotation,
                translation: Vec3::new(root.translation.x, root.translation.z, -root.translation.y),
                scale: root.scale,
            },
        }
    }
}

/// What the user may say about a file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImportOptions {
    /// Samples per second; `None` detects it from the keys.
    pub rate_hz: Option<f32>,
    /// Unit of lengths; `None` takes the file's own.
    pub unit: Option<LengthUnit>,
    /// Up axis; `None` takes the file's own.
    pub up: Option<UpAxis>,
}

impl ImportOptions {
    /// Metres in one length unit of the file; a file that does not say, and a user who does not either, means metres.
    pub(super) fn metres(&self) -> f32 {
        self.unit.unwrap_or(LengthUnit::Metre).metres()
    }

    /// The axis that points up.
    pub(super) fn up(&self) -> UpAxis {
        self.up.unwrap_or(UpAxis::Y)
    }
}
