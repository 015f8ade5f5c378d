//! Splines through keys, and their cursor.

pub(in crate::parts) mod curve_tracks;
pub(in crate::parts) mod section_cursor;
pub(in crate::parts) mod spline_section;

pub use curve_tracks::{CurveTracks, CurveTracksCursor};
pub use section_cursor::SectionCursor;
pub use spline_section::{Knots, Spline, SplineKey, SplineSection, SplineShape, points_and_steps};
