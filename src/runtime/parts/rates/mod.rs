//! Bit rates of segments, and integers on lattices.

pub(in crate::parts) mod eight_tracks;
pub(in crate::parts) mod lattice;
pub(in crate::parts) mod rate;
pub(in crate::parts) mod rate_lanes;
pub(in crate::parts) mod references;
pub(in crate::parts) mod row_places;
pub(in crate::parts) mod segments;

pub use eight_tracks::{ChannelEnds, put_rotations, put_vectors};
pub use lattice::{
    LATTICE_EXACT, LATTICE_REFERENCE, QUARTER, lattice_step, read_width, unzigzag32, width_difference, zigzag32,
};
pub use rate::{
    ROTATION_SPAN_BITS, ROTATION_STEPS, Rate, VECTOR_SPAN_BITS, ValueSpan, dequantize3, read_rotation_span,
    read_vector_span, rotation_span, rotation3, vector_extent,
};
pub use rate_lanes::{EXACT_BITS, PackingLanes, Slot, TrackPacking};
pub use references::{REFERENCE_BITS, References, packed_reference, references};
#[cfg(test)]
pub use row_places::integers_of;
pub use row_places::{ONES, RowPlaces, Three};
pub use segments::Segments;
