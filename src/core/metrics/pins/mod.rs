//! Pins: joints that keep still on another joint or in the world, where the motion shows it, and how far compression moves them.

mod drift;
mod evidence;
mod pairs;
mod pin;
mod plan;
mod report;
mod resting;
mod touch;

pub use drift::measure_pins;
pub use pin::{Pin, PinSpace};
pub use plan::PinPlan;
pub use report::{PinDrift, PinReport};
