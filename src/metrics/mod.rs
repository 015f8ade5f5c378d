//! How far the decoded animation is from the raw one, in the terms of the field.

mod contacts;
mod measure;
mod report;
mod track;

pub use contacts::{ContactPlan, ContactSettings, Foot, FootKind, Plant, SolePoint};
pub use measure::{measure, measure_vertices};
pub use report::{
    ContactReport, ErrorReport, JointError, LoopReport, PlantReport, ShellReport, Stats, Verdict, VertexReport,
    VertexWorst, Worst,
};
pub use track::ModelTrack;
