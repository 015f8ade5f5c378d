use clap::Args;
use posepress_core::codecs::{Compensation, CompensationMethod};
use posepress_core::text;

/// How the codec's error is compensated.
#[derive(Debug, Clone, PartialEq, Default, Args)]
#[command(next_help_heading = "Compensation")]
pub struct CompensationArgs {
    /// How the codec's error is made smaller: none, in-place, additive, ik [default: none].
    #[arg(long, value_name = "METHOD", value_parser = method)]
    pub compensation: Option<CompensationMethod>,
    /// Errors below this are not corrected, and corrections are stored as finely [default: the tolerance].
    #[arg(long, value_name = "MM", allow_negative_numbers = true, value_parser = super::args::positive_f64)]
    pub accuracy_mm: Option<f64>,
    /// The codec works at this many times the tolerance, and compensation wins it back [default: 1].
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    pub loosen: Option<f32>,
    /// In place: joints without an animated track may get one to hold their correction.
    #[arg(long)]
    pub new_tracks: bool,
    /// Inverse kinematics: joint at the end of a limb; may be given often [default: feet and hands by name].
    #[arg(long, value_name = "JOINT")]
    pub limb: Vec<String>,
}

impl CompensationArgs {
    /// Compensation with what was said over its own.
    pub fn apply(&self, mut compensation: Compensation) -> Compensation {
        compensation.method = self.compensation.unwrap_or(compensation.method);
        compensation.accuracy_m = self.accuracy_mm.map(text::metres_from_mm).or(compensation.accuracy_m);
        compensation.loosen = self.loosen.unwrap_or(compensation.loosen);
        compensation.new_tracks |= self.new_tracks;
        if !self.limb.is_empty() {
            compensation.limbs.clone_from(&self.limb);
        }
        compensation
    }
}

fn method(key: &str) -> Result<CompensationMethod, String> {
    let keys = || CompensationMethod::ALL.map(|method| method.option().key).join(", ");
    CompensationMethod::by_key(key).ok_or_else(|| format!("expected one of: {}", keys()))
}
