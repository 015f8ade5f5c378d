use crate::settings::{Choice, Field, ParamError, Range, Setting, Settings, Unit, at, choices};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The levels of detail of a platform, such as a console or a phone: a recipe for its playback.
///
/// ```
/// use posepress_core::lod::Platform;
///
/// let phone = Platform::from_toml("frame_rate_hz = 30.0\n[[levels]]\n[[levels]]\nfrom = 8.0\njoints = 20\nevery = \"2\"\n")?;
/// assert_eq!((phone.levels.len(), phone.levels[1].joints), (2, 20));
/// assert!(Platform::from_toml("[[levels]]\n[[levels]]\nfrom = 8.0\n[[levels]]\nfrom = 4.0\n").is_err());
/// # Ok::<(), posepress_core::lod::PlatformError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Platform {
    /// Frames per second of the game. Default 60.
    pub frame_rate_hz: f32,
    /// Unit of the starts of levels. Default: distance.
    pub by: LodBy,
    /// Poses between two updates. Default: blend.
    pub between: BetweenUpdates,
    /// Largest error of a level where it starts, pixels. Default 1.
    pub limit_px: f32,
    /// The levels, the nearest one first.
    pub levels: Vec<LodLevel>,
}

/// A level of detail.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LodLevel {
    /// Metres from the camera at which it starts, or size of the character in pixels: see [`LodBy`]. The first level always starts at the
    /// camera.
    pub from: f32,
    /// Number of joints that move, those that reach farthest: see [`super::joints_by_reach`]. 0: all joints. The others keep their bind
    /// pose on their parents.
    pub joints: usize,
    /// Updates of the pose.
    pub every: UpdateRate,
    /// Tiers that the platform leaves out.
    pub left_out: TiersLeftOut,
}

/// Unit of the starts of levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LodBy {
    /// Metres from the camera.
    #[default]
    Distance,
    /// Largest size of the character on the screen, pixels.
    Pixels,
}

choices!(LodBy {
    Distance => ("distance", "distance", "A level starts at a distance from the camera."),
    Pixels => ("pixels", "size in pixels", "A level starts where the character is smaller than so many pixels. Large characters keep detail longer."),
});

/// Poses between two updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BetweenUpdates {
    /// Blended from the last update to the next.
    #[default]
    Blend,
    /// The pose of the last update.
    Hold,
}

choices!(BetweenUpdates {
    Blend => ("blend", "blend", "Frames between updates blend the last pose and the next one. Smooth; each character keeps two poses."),
    Hold => ("hold", "hold", "Frames between updates keep the last pose. Cheapest; motion stutters."),
});

/// Frames from one update of the pose to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum UpdateRate {
    /// Each frame.
    #[default]
    #[serde(rename = "1")]
    Each,
    /// Each second frame.
    #[serde(rename = "2")]
    Second,
    /// Each fourth frame.
    #[serde(rename = "4")]
    Fourth,
    /// Each sixth frame.
    #[serde(rename = "6")]
    Sixth,
}

choices!(UpdateRate {
    Each => ("1", "every frame", "The pose is decoded for every frame of the game."),
    Second => ("2", "every 2nd frame", "Half of the decoding."),
    Fourth => ("4", "every 4th frame", "A quarter of the decoding."),
    Sixth => ("6", "every 6th frame", "A sixth of the decoding."),
});

impl UpdateRate {
    /// Frames from one update to the next.
    pub fn frames(self) -> usize {
        match self {
            Self::Each => 1,
            Self::Second => 2,
            Self::Fourth => 4,
            Self::Sixth => 6,
        }
    }
}

/// Tiers that a level leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TiersLeftOut {
    /// None: the whole clip.
    #[default]
    None,
    /// The tier `low`.
    Low,
    /// Both tiers.
    Both,
}

choices!(TiersLeftOut {
    None => ("none", "none", "The whole clip."),
    Low => ("low", "low", "Without the tier low."),
    Both => ("both", "low and medium", "Without both tiers: the fewest bytes in memory."),
});

impl TiersLeftOut {
    /// Number of tiers that are left out.
    pub fn count(self) -> usize {
        self as usize
    }
}

/// Most levels of a platform.
pub const MAX_LEVELS: usize = 8;

/// Largest start of a level, metres or pixels.
pub const FARTHEST: f32 = 100_000.0;

/// Most joints that a level can name: joints are counted in 16 bits.
const MAX_JOINTS: usize = u16::MAX as usize;

impl Default for Platform {
    fn default() -> Self {
        let far = |from, every| LodLevel { from, every, ..LodLevel::default() };
        Self {
            frame_rate_hz: 60.0,
            by: LodBy::default(),
            between: BetweenUpdates::default(),
            limit_px: 1.0,
            levels: vec![LodLevel::default(), far(10.0, UpdateRate::Second), far(100.0, UpdateRate::Fourth)],
        }
    }
}

const fn setting<S>(key: &'static str, label: &'static str, help: &'static str, field: Field<S>) -> Setting<S> {
    Setting { key, option: key, label, help, field, unset: None, in_form: true, only_if: None }
}

impl Settings for Platform {
    const ALL: &'static [Setting<Self>] = &[
        setting(
            "frame_rate_hz",
            "Frames",
            "Frames per second of the game. Levels update the pose every so many of them.",
            Field::Number(
                at!(frame_rate_hz),
                Range { min: 1.0, max: 1000.0, unit: Unit::Hertz, decimals: (0, 2), slider: None },
            ),
        ),
        setting(
            "by",
            "Levels by",
            "Distance from the camera, or size of the character on the screen.",
            Field::Choice {
                options: LodBy::OPTIONS,
                get: |platform| Some(platform.by.option().key),
                set: |platform, key| platform.by = LodBy::by_key(key).unwrap_or_default(),
            },
        ),
        setting(
            "between",
            "Between updates",
            "Poses of the frames between two updates.",
            Field::Choice {
                options: BetweenUpdates::OPTIONS,
                get: |platform| Some(platform.between.option().key),
                set: |platform, key| platform.between = BetweenUpdates::by_key(key).unwrap_or_default(),
            },
        ),
        setting(
            "limit_px",
            "Limit",
            "Largest error of a level where it starts, in pixels.",
            Field::Number(
                at!(limit_px),
                Range { min: 0.01, max: 100.0, unit: Unit::Pixels, decimals: (0, 2), slider: None },
            ),
        ),
    ];
}

impl Settings for LodLevel {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            in_form: false, // its unit is that of the platform
            ..setting(
                "from",
                "From",
                "Distance or size at which the level starts.",
                Field::Number(
                    at!(from),
                    Range { min: 0.0, max: FARTHEST as f64, unit: Unit::None, decimals: (0, 2), slider: None },
                ),
            )
        },
        setting(
            "joints",
            "Joints",
            "Number of joints that move, those that reach farthest. 0: all. The others keep their bind pose.",
            Field::Count(at!(joints), 0, MAX_JOINTS),
        ),
        setting(
            "every",
            "Update",
            "Frames from one update of the pose to the next.",
            Field::Choice {
                options: UpdateRate::OPTIONS,
                get: |level| Some(level.every.option().key),
                set: |level, key| level.every = UpdateRate::by_key(key).unwrap_or_default(),
            },
        ),
        setting(
            "left_out",
            "Tiers left out",
            "Tiers that the platform does not load. Needs tiers.",
            Field::Choice {
                options: TiersLeftOut::OPTIONS,
                get: |level| Some(level.left_out.option().key),
                set: |level, key| level.left_out = TiersLeftOut::by_key(key).unwrap_or_default(),
            },
        ),
    ];
}

/// Why a platform cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum PlatformError {
    /// The text is not a platform.
    #[error("not a platform: {0}")]
    Toml(#[from] toml::de::Error),
    /// A setting is not valid.
    #[error(transparent)]
    Setting(#[from] ParamError),
    /// A setting of a level is not valid.
    #[error("level {level}: {error}")]
    Level { level: usize, error: ParamError },
    /// There are no levels, or too many.
    #[error("found {found} levels (`[[levels]]`); expected 1 to {MAX_LEVELS}")]
    Count { found: usize },
    /// A level starts nearer than the one before it.
    #[error("level {level} starts from {from}; expected {expected}")]
    Order { level: usize, from: f32, expected: String },
}

impl Platform {
    /// Reads the text that [`Self::to_toml`] wrote.
    ///
    /// # Errors
    /// See [`PlatformError`].
    pub fn from_toml(text: &str) -> Result<Self, PlatformError> {
        toml::from_str::<Self>(text)?.validated()
    }

    /// The platform as text.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a platform is plain data")
    }

    /// Checks all values.
    ///
    /// # Errors
    /// See [`PlatformError`].
    pub fn validated(self) -> Result<Self, PlatformError> {
        self.check()?;
        let found = self.levels.len();
        if !(1..=MAX_LEVELS).contains(&found) {
            return Err(PlatformError::Count { found });
        }
        for (level, settings) in self.levels.iter().enumerate() {
            settings.check().map_err(|error| PlatformError::Level { level, error })?;
            let [nearest, farthest] = self.room_of(level);
            if !(nearest..=farthest).contains(&settings.from) {
                let expected = match self.by {
                    LodBy::Distance => format!("metres from {nearest} on, as levels start farther and farther away"),
                    LodBy::Pixels => format!("up to {farthest} pixels, as the character gets smaller and smaller"),
                };
                return Err(PlatformError::Order { level, from: settings.from, expected });
            }
        }
        Ok(self)
    }

    /// Smallest and largest start of a level between its neighbours.
    pub fn room_of(&self, level: usize) -> [f32; 2] {
        let start = |level: usize| self.levels.get(level).map(|level| level.from);
        let before = level.checked_sub(1).filter(|before| *before > 0).and_then(start);
        let after = start(level + 1).filter(|_| level > 0);
        let [least, most] = match self.by {
            LodBy::Distance => [before, after],
            LodBy::Pixels => [after, before],
        };
        [least.unwrap_or(0.0), most.unwrap_or(f32::MAX)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_the_same_again_and_refuses_what_is_none() {
        let usual = Platform::default();
        assert_eq!(Platform::from_toml(&usual.to_toml()).unwrap(), usual);
        let error = |text: &str| Platform::from_toml(text).unwrap_err().to_string();
        assert!(error("levels = []").contains("found 0 levels"));
        assert!(error("levels = [{}, { every = \"3\" }]").contains('3'));
        assert!(error("levels = [{}, { from = -1.0 }]").starts_with("level 1: "));
        let order = "levels = [{}, { from = 9.0 }, { from = 4.0 }]";
        assert!(error(order).contains("level 1 starts from 9; expected metres"), "{}", error(order));
        assert!(Platform::from_toml(&format!("by = \"pixels\"\n{order}")).is_ok());
        let order = "by = \"pixels\"\nlevels = [{}, { from = 4.0 }, { from = 9.0 }]";
        assert!(error(order).contains("pixels"), "{}", error(order));
    }
}
