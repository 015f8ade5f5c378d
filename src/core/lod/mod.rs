//! Levels of detail: what a game plays of a clip at a distance. Fewer joints, fewer updates, fewer tiers.

mod joint_order;
mod platform;
mod play;

pub use joint_order::joints_by_reach;
pub use platform::{
    BetweenUpdates, FARTHEST, LodBy, LodLevel, MAX_LEVELS, Platform, PlatformError, TiersLeftOut, UpdateRate,
};
pub use play::{LodPlay, LodSampler};
