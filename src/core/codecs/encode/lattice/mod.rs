//! Samples as integers on lattices. Each joint is encoded relative to the decoded pose of its parent, and corrects its error.

mod aim;
mod between;
mod coarsest;
mod four_aim;
mod level;
mod plan;
mod search;
mod solve;
mod track;

pub use coarsest::{Coarsest, Lattices, Packing};
pub use four_aim::{Target, steps_of_turns, targets};
pub use level::{LEVEL, Level};
pub use plan::{JointPlan, Plan, joint_plans};
pub use solve::Frame;
pub use track::{Centre, LatticeTrack, animated_tracks, code_below, eighths_of};
