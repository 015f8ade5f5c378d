//! Pins: joints that keep still on another joint or in the world, where the motion shows it, and how far compression moves them.

mod drift;
mod evidence;
mod pairs;
mod pin;
mod plan;
mod resting;
mod touch;

pub use drift::{PinDrift, PinReport};
pub use pin::{Pin, PinSpace};
pub use plan::PinPlan;
