//! The codecs: one folder and one line in [`CODECS`] per codec.

mod automatic;
mod carried;
mod catmull_rom;
mod clip_bytes;
mod codec;
mod compensation;
mod encode;
mod every_second_key;
mod fitted_curve;
mod float_tracks;
mod groups;
#[doc(hidden)]
pub mod internal;
mod ledger;
mod linear_keys;
mod per_track;
mod preset;
mod press;
mod progress;
mod quantize;
mod raw;
mod registry;
mod touched;
mod variable_rate;
mod wavelet;
mod wrapped;

pub use crate::settings::{
    BoolParam, Choice, ChoiceOption, ChoiceParam, FloatParam, IntParam, LineRules, LinesParam, OFF, OnlyIf, Param,
    ParamError, ParamKind, ParamValue, ParamValues, Readable, Unit, is_on,
};
pub use automatic::{
    ACCEPT_TIMES, CANDIDATE_LINES, CANDIDATES, Candidate, CandidateError, CandidateFigures, CandidateRecord,
    CandidateRow, CandidateState, FALLBACKS, HOLD_FEET, IN_PLACE, MEASURE_ALL, SearchRules, default_candidates,
    fallbacks,
};
pub use clip_bytes::{
    BorrowingPlayer, ClipProbe, EncodedClip, clip_compensation, clip_holds, encode_clip, encode_compensated_clip, open,
    open_clip, open_owned, replay_fit, seen,
};
pub use codec::{Codec, CodecInfo, EncodeError, Encoded, Encoder, Source};
pub use compensation::{Compensation, CompensationMethod, CompensationResult, LeftOff};
pub(crate) use encode::unreadable;
pub use fitted_curve::{FittedCurve, Replay};
pub use groups::{GroupStorage, JointGroup, ParamChanges, with_changes};
pub use ledger::{KeptKeys, LATTICE_LEVELS, LatticeRow, Ledger, LedgerRow, Section, SegmentRate, Stage};
pub use linear_keys::LinearKeys;
pub use posepress_runtime::ClipHeader;
pub use posepress_runtime::{BindPose, CodecId, join_tier};
pub use preset::{ChoiceError, Preset};
pub use press::{Press, TakenOut, TierError, check_tierable, take_out_planes, take_out_tier};
pub use progress::{Cancelled, NoRoom, Progress};
pub use registry::{CODECS, LOSSLESS, by_id, by_name, by_name_and_preset, encoders, named};
pub use touched::{CACHE_LINE_BYTES, touched_bytes};
pub use variable_rate::VariableRate;

use posepress_runtime::internal::parts as runtime;
