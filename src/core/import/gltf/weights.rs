use super::{Fault, Finding};

/// Who moves each vertex: palette indices and weights that add up to one.
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

/// Eight-bit weights of four joints add up to one within this; beyond it the file is off, and the user hears of it.
const SUM_TOLERANCE: f32 = 0.01;

/// How many vertices had to be changed, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WeightFixes {
    /// Vertices with more than four influences.
    pub trimmed: usize,
    /// Vertices whose weights did not add up to one.
    pub rescaled: usize,
    /// Vertices with negative or NaN weights.
    pub invalid: usize,
    /// Vertices without any weight.
    pub unweighted: usize,
}

impl WeightFixes {
    /// What the user should know, if anything.
    pub fn finding(&self, mesh: &str) -> Option<Finding> {
        let parts = [
            (self.trimmed, "have more than four influences (the four strongest are kept)"),
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

/// One `JOINTS_n` and `WEIGHTS_n`, four of each a vertex.
pub(super) type Set = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// Keeps the four strongest influences of each vertex, strongest first, and makes them add up to one.
///
/// # Errors
/// An index beyond the palette that carries weight. Without weight such an index is padding, and ignored.
pub(super) fn strongest_four(
    sets: &[Set],
    vertices: usize,
    palette: usize,
) -> Result<(Influences, WeightFixes), Fault> {
    let mut out = Influences { joints: Vec::with_capacity(vertices), weights: Vec::with_capacity(vertices) };
    let mut fixes = WeightFixes::default();
    let mut all = Vec::new();
    for vertex in 0..vertices {
        all.clear();
        let mut invalid = false;
        for (joints, weights) in sets {
            for (&joint, &weight) in joints[vertex].iter().zip(&weights[vertex]) {
                invalid |= !(weight >= 0.0 && weight.is_finite());
                if weight > 0.0 && weight.is_finite() {
                    all.push((joint_index(joint, palette, vertex)?, weight));
                }
            }
        }
        // Ties go to the smaller index, so that the order of the sets does not matter.
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f32 = all.iter().map(|(_, w)| w).sum();
        fixes.trimmed += usize::from(all.len() > 4);
        fixes.invalid += usize::from(invalid);
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
    fn the_four_strongest_of_two_sets_stay_and_add_up_to_one() {
        let sets =
            [(vec![[0, 1, 2, 3]], vec![[0.1, 0.3, 0.05, 0.2]]), (vec![[4, 5, 0, 0]], vec![[0.25, 0.1, 0.0, 0.0]])];
        let (out, fixes) = strongest_four(&sets, 1, 6).unwrap();
        assert_eq!(out.joints, [[1, 4, 3, 0]]);
        let total: f32 = out.weights[0].iter().sum();
        assert!((total - 1.0).abs() < 1e-6, "{total}");
        assert!((out.weights[0][0] / out.weights[0][1] - 1.2).abs() < 1e-5, "proportions stay");
        assert_eq!(fixes, WeightFixes { trimmed: 1, ..WeightFixes::default() });
    }

    #[test]
    fn bad_weights_are_fixed_and_counted() {
        let joints = vec![[0, 1, 0, 0]; 4];
        let weights = vec![[0.5, 0.5, 0.0, 0.0], [0.4, 0.4, 0.0, 0.0], [f32::NAN, 1.0, 0.0, 0.0], [0.0; 4]];
        let (out, fixes) = strongest_four(&[(joints, weights)], 4, 2).unwrap();
        assert_eq!(out.weights[1], [0.5, 0.5, 0.0, 0.0]);
        assert_eq!((out.joints[2], out.weights[2]), ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(out.weights[3], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(fixes, WeightFixes { trimmed: 0, rescaled: 1, invalid: 1, unweighted: 1 });
    }

    #[test]
    fn an_index_beyond_the_palette_counts_only_with_weight() {
        let with = |weight: f32| strongest_four(&[(vec![[0, 9, 0, 0]], vec![[1.0, weight, 0.0, 0.0]])], 1, 2);
        assert!(with(0.0).is_ok());
        assert!(with(0.5).unwrap_err().to_string().contains("joint 9 of a skin of 2"));
    }
}
