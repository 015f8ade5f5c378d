use super::{Fault, Finding};
use crate::text;

/// Influences of each vertex: palette indices and weights with sum 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Influences {
    pub joints: Vec<[u16; 4]>,
    pub weights: Vec<[f32; 4]>,
}

impl Influences {
    /// Every vertex follows the first joint of the palette.
    pub fn rigid(vertices: usize) -> Self {
        Self { joints: vec![[0; 4]; vertices], weights: vec![[1.0, 0.0, 0.0, 0.0]; vertices] }
    }
}

/// Tolerance of the sum of weights, from rounding of four 8-bit weights. Larger deviations are reported.
const SUM_TOLERANCE: f32 = 0.01;

/// Number of changed vertices, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct WeightFixes {
    /// Vertices with more than four influences.
    pub trimmed: usize,
    /// Largest loss of weight of one of them, as a fraction.
    pub most_lost: f32,
    /// Vertices whose weights had another sum than 1.
    pub rescaled: usize,
    /// Vertices with negative or NaN weights.
    pub invalid: usize,
    /// Vertices without any weight.
    pub unweighted: usize,
}

impl WeightFixes {
    /// A finding about the changes, if there are any.
    pub fn finding(&self, mesh: &str) -> Option<Finding> {
        let lost = text::percent(self.most_lost);
        let trimmed = format!("have more than four influences (the four strongest are kept, at most {lost} is lost)");
        let parts = [
            (self.trimmed, trimmed.as_str()),
            (self.rescaled, "have weights that do not add up to one (rescaled)"),
            (self.invalid, "have negative or NaN weights (taken as zero)"),
            (self.unweighted, "have no weight at all (bound to the skin's first joint)"),
        ];
        let said: Vec<_> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, text)| format!("{n} vertices {text}")).collect();
        (!said.is_empty()).then(|| {
            Finding::warning(mesh, said.join("; "), "The mesh may deform a little differently than in its editor.")
        })
    }
}

/// Keeps the four strongest influences of each vertex, strongest first, with sum 1. `influences` writes palette indices and weights of a
/// vertex.
///
/// # Errors
/// An index beyond the palette with weight. Without weight such an index is padding and is ignored.
pub(super) fn strongest_four(
    vertices: usize,
    palette: usize,
    influences: impl Fn(usize, &mut Vec<(u32, f32)>),
) -> Result<(Influences, WeightFixes), Fault> {
    let mut out = Influences { joints: Vec::with_capacity(vertices), weights: Vec::with_capacity(vertices) };
    let mut fixes = WeightFixes::default();
    let (mut given, mut all) = (Vec::new(), Vec::new());
    for vertex in 0..vertices {
        given.clear();
        all.clear();
        influences(vertex, &mut given);
        let is_valid = |weight: f32| weight >= 0.0 && weight.is_finite();
        for &(joint, weight) in given.iter().filter(|(_, weight)| *weight > 0.0 && is_valid(*weight)) {
            all.push((joint_index(joint, palette, vertex)?, weight));
        }
        // Ties go to the smaller index, so that the order in the file does not matter.
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f32 = all.iter().map(|(_, w)| w).sum();
        if all.len() > 4 {
            fixes.trimmed += 1;
            fixes.most_lost = fixes.most_lost.max(all[4..].iter().map(|(_, w)| w).sum::<f32>() / total);
        }
        fixes.invalid += usize::from(given.iter().any(|(_, weight)| !is_valid(*weight)));
        fixes.unweighted += usize::from(all.is_empty());
        fixes.rescaled += usize::from(!all.is_empty() && (total - 1.0).abs() > SUM_TOLERANCE);
        let (joints, weights) = normalized(&all);
        out.joints.push(joints);
        out.weights.push(weights);
    }
    Ok((out, fixes))
}

fn joint_index(joint: u32, palette: usize, vertex: usize) -> Result<u16, Fault> {
    let index = u16::try_from(joint).ok().filter(|&j| usize::from(j) < palette);
    index.ok_or_else(|| Fault::new(format!("vertex {vertex} names joint {joint} of a skin of {palette} joints")))
}

fn normalized(strongest_first: &[(u16, f32)]) -> ([u16; 4], [f32; 4]) {
    let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
    let total: f32 = strongest_first.iter().take(4).map(|(_, w)| w).sum();
    for (slot, &(joint, weight)) in strongest_first.iter().take(4).enumerate() {
        joints[slot] = joint;
        // Weights that already add up are kept to the last bit.
        weights[slot] = if (total - 1.0).abs() <= f32::EPSILON { weight } else { weight / total };
    }
    if strongest_first.is_empty() {
        weights[0] = 1.0;
    }
    (joints, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_strongest_stay_and_add_up_to_one() {
        let given = [(0, 0.1), (1, 0.3), (2, 0.05), (3, 0.2), (4, 0.25), (5, 0.1), (0, 0.0), (0, 0.0)];
        let (out, fixes) = strongest_four(1, 6, |_, all| all.extend(given)).unwrap();
        assert_eq!(out.joints, [[1, 4, 3, 0]]);
        let total: f32 = out.weights[0].iter().sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
        assert!((out.weights[0][0] / out.weights[0][1] - 1.2).abs() < 1e-5, "proportions stay");
        assert!((fixes.most_lost - 0.15).abs() < 1e-6, "{fixes:?}");
        assert_eq!(fixes, WeightFixes { trimmed: 1, most_lost: fixes.most_lost, ..WeightFixes::default() });
        let said = fixes.finding("body").unwrap().what;
        assert!(said.starts_with("1 vertices have more than four") && said.contains("at most 15"), "{said}");
    }

    #[test]
    fn bad_weights_are_fixed_and_counted() {
        let weights = [[0.5, 0.5], [0.4, 0.4], [f32::NAN, 1.0], [0.0; 2]];
        let given = |vertex: usize, all: &mut Vec<(u32, f32)>| all.extend((0..).zip(weights[vertex]));
        let (out, fixes) = strongest_four(4, 2, given).unwrap();
        assert_eq!(out.weights[1], [0.5, 0.5, 0.0, 0.0]);
        assert_eq!((out.joints[2], out.weights[2]), ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(out.weights[3], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(fixes, WeightFixes { rescaled: 1, invalid: 1, unweighted: 1, ..WeightFixes::default() });
    }

    #[test]
    fn an_index_beyond_the_palette_counts_only_with_weight() {
        let with = |weight: f32| strongest_four(1, 2, |_, all| all.extend([(0, 1.0), (9, weight)]));
        assert!(with(0.0).is_ok());
        assert!(with(0.5).unwrap_err().to_string().contains("joint 9 of a skin of 2"));
    }
}
