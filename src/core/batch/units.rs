/// Units of sizes, with their bytes.
pub(super) const SIZES: [(&str, f64); 4] = [("KB", 1024.0), ("MB", 1_048_576.0), ("GB", 1_073_741_824.0), ("B", 1.0)];

/// Reads a size such as `80MB`, bytes.
pub(super) fn size_bytes(text: &str) -> Option<f64> {
    in_units(text, &SIZES)
}

/// Reads a number with one of the units.
pub(super) fn in_units(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let in_unit = |(unit, factor): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * factor).filter(|limit| limit.is_finite() && *limit >= 0.0)
    };
    units.iter().find_map(in_unit)
}
