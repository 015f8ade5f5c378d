//! Tracks on lattices, each joint aimed against what its parent decodes to.

mod aim;
mod plan;
mod track;

pub use aim::steps_of_turn;
pub use plan::{JointPlan, Plan, Point, joint_plans};
pub use track::{Centre, LatticeTrack, animated_tracks, code_below, eighths_of};
