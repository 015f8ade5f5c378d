//! Camera directions: one list for the menus and keys of the window and for options of the command line.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The direction of a camera, seen from its target. Characters face +Z.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CameraDirection {
    /// Angle around the up axis. At 0 the camera is in front of the character; at 90 it is on the character's left.
    pub yaw_deg: f32,
    /// Angle above the horizon.
    pub pitch_deg: f32,
}

/// Named directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CameraPreset {
    /// From the front, turned so that the character walks to the right.
    FrontThreeQuarter,
    /// From the front.
    Front,
    /// From the character's right side, so that it walks to the right.
    Side,
    /// From above, with the character's front at the bottom of the picture.
    Top,
    /// From behind.
    Back,
    /// From the character's left side, so that it walks to the left.
    Left,
    /// From below. It shows the soles.
    Bottom,
}

impl CameraPreset {
    /// In menu order. The window assigns keys by index, so new presets go at the end.
    pub const ALL: [Self; 7] =
        [Self::FrontThreeQuarter, Self::Front, Self::Side, Self::Top, Self::Back, Self::Left, Self::Bottom];

    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FrontThreeQuarter => "Front 3/4",
            Self::Front => "Front",
            Self::Side => "Side",
            Self::Top => "Top",
            Self::Back => "Back",
            Self::Left => "Left",
            Self::Bottom => "Bottom",
        }
    }

    /// Key in options and actions.
    pub fn key(self) -> String {
        self.name().to_lowercase().replace([' ', '/'], "-")
    }

    /// Help, in a sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::FrontThreeQuarter => "From the front, a little from the side and above.",
            Self::Front => "Face to face.",
            Self::Side => "From the character's right side, so that it walks to the right.",
            Self::Top => "From above.",
            Self::Back => "From behind.",
            Self::Left => "From the character's left side, so that it walks to the left.",
            Self::Bottom => "From below: the soles.",
        }
    }

    /// Its angles.
    pub const fn direction(self) -> CameraDirection {
        let (yaw_deg, pitch_deg) = match self {
            Self::FrontThreeQuarter => (-38.0, 13.0),
            Self::Front => (0.0, 8.0),
            Self::Side => (-90.0, 8.0),
            Self::Top => (0.0, 89.0),
            Self::Back => (180.0, 8.0),
            Self::Left => (90.0, 8.0),
            Self::Bottom => (0.0, -89.0),
        };
        CameraDirection { yaw_deg, pitch_deg }
    }
}

/// The key of a preset, or two angles in degrees: `front`, `-30,15`.
impl FromStr for CameraDirection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(preset) = CameraPreset::ALL.into_iter().find(|preset| preset.key() == text) {
            return Ok(preset.direction());
        }
        let angles = text.split_once(',').and_then(|(yaw, pitch)| {
            let angle = |text: &str, most: f32| text.trim().parse().ok().filter(|deg: &f32| deg.abs() <= most);
            Some(Self { yaw_deg: angle(yaw, 360.0)?, pitch_deg: angle(pitch, 89.0)? })
        });
        let names = || CameraPreset::ALL.map(CameraPreset::key).join(", ");
        angles.ok_or_else(|| format!("expected one of {}, or YAW,PITCH in degrees, such as -30,15", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_a_name_or_two_angles() {
        for preset in CameraPreset::ALL {
            assert_eq!(preset.key().parse(), Ok(preset.direction()));
        }
        assert_eq!("-30, 15.5".parse(), Ok(CameraDirection { yaw_deg: -30.0, pitch_deg: 15.5 }));
        for wrong in ["", "up", "Front", "30", "30,90", "nan,0", "0,inf", "1,2,3"] {
            let said = wrong.parse::<CameraDirection>().unwrap_err();
            assert!(said.contains("front-3-4") && said.contains("YAW,PITCH"), "{wrong}: {said}");
        }
    }
}
