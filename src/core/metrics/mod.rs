//! Error metrics: how far a decoded animation is from the raw one, on the shell, on the skin and at the feet.

mod blame;
mod contacts;
mod error_weights;
mod exact;
mod farthest;
mod float_limits;
mod jitter;
mod judged;
mod late;
mod lift;
mod limits;
mod measure;
mod motion;
mod peaks;
mod pins;
mod promise;
mod report;
mod root;
mod shell;
mod shell_report;
mod slide;
mod spans;
mod stats;
mod track;
mod travel;
mod verdict;
mod vertex;
mod weights;

pub use blame::{Blame, Complaint, Gain};
pub use contacts::{
    Contact, ContactEdit, ContactEnd, ContactPlan, ContactSettings, Foot, FootContacts, FootPart, PinMark, PointSpan,
    SolePlace, SolePoint, SourceDrift, drift_path, is_foot_name, limb_ends,
};
pub use error_weights::{ErrorWeights, Weights};
pub use exact::ExactTracks;
pub use farthest::Farthest;
pub use float_limits::float_limits;
pub use judged::{Aspect, Judged};
pub use late::Late;
pub use lift::Lift;
pub use limits::ErrorLimits;
pub use measure::{measure, measure_contacts, measure_played, measure_vertices};
pub use peaks::{Peak, error_peaks, peak_steps};
pub use pins::{Pin, PinDrift, PinPlan, PinReport, PinSpace, measure_pins};
pub use promise::{MOST_TIMES_MEAN, Promise, PromisedError, USUAL_TIMES_MEAN};
pub use report::{ErrorReport, LoopReport, SlideReport, VertexReport, VertexWorst, Weighed, WorstMean};
pub use root::RootDrift;
pub use shell::{ShellErrors, shell_error_m, shell_error_sq, shell_errors};
pub use shell_report::{JointError, ShellReport, WeighedWorst, Worst};
pub(crate) use slide::RATE_COUNTS_FROM;
pub use slide::{ContactSlide, RATE_SECS, SlideLimit, SlideLimits};
pub use spans::Open;
pub use stats::Stats;
pub use track::{ModelTrack, StepTimes};
pub use travel::Travel;
pub use verdict::Verdict;
pub use vertex::vertex_errors;
pub use weights::{FloatError, JudgedWeight};
