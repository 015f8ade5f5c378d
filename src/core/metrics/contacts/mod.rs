//! Contacts of feet: which joints are feet, where the ground is, when they touch it, and how far compression makes them slide.
//!
//! A contact is called a `Plant` in code.

mod feet;
mod foot;
mod ground;
mod limbs;
mod names;
mod plan;
mod plant_edit;
mod plants;
mod settings;
mod slide;
mod sole;

pub use foot::{Foot, FootKind, SolePoint};
pub use limbs::limb_ends;
pub use names::is_foot_name;
pub use plan::{ContactPlan, Plant};
pub use plant_edit::{PlantEdit, PlantEnd};
pub use settings::{ContactSettings, FootPlants};
pub use slide::drift_path;
pub(super) use slide::{measure_plants, slide_of};
