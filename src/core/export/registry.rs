//! The list of exporters: one line each.

use super::{Csv, Exporter, Glb, Ozz, OzzSkeleton, Riot};

/// Every exporter.
pub static EXPORTERS: &[&dyn Exporter] = &[
    &Glb,
    &Csv,
    &Ozz,
    &OzzSkeleton,
    &Riot,
    #[cfg(feature = "usd")]
    &super::Usd,
];

/// The exporter of that key.
pub fn by_key(key: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|e| e.info().key == key)
}
