//! Contacts of feet: which joints are feet, where the ground is, when they touch it, and how far compression makes them slide.

mod edit;
mod feet;
mod flags;
mod foot;
mod ground;
mod limbs;
mod motion;
mod names;
mod pin_mark;
mod plan;
mod settings;
mod slide;
mod sole;
mod source;
mod stillness;
mod surfaces;
mod turn;

pub use edit::{ContactEdit, ContactEnd};
pub use foot::{Foot, FootPart, SolePlace, SolePoint};
pub use limbs::limb_ends;
pub(super) use names::JointName;
pub use names::is_foot_name;
pub use pin_mark::PinMark;
pub(super) use pin_mark::WORLD;
pub use plan::{Contact, ContactPlan, PointSpan};
pub(super) use plan::{span_steps, wrapped};
pub use settings::{ContactSettings, FootContacts};
pub use slide::drift_path;
pub(super) use slide::{bounded, measure_slide, slide_of};
pub(super) use sole::median;
pub use source::SourceDrift;
