use super::{Bounds, FigurePose};
use glam::Vec3;
use posepress_core::model::Rig;
use std::ops::RangeInclusive;

/// Allowed number of characters; 1 is no crowd.
pub const CROWD_RANGE: RangeInclusive<u32> = 1..=1000;

/// Largest number of matrices of a crowd: 96 MiB on the graphics card, which every driver can bind.
const MOST_MATRICES: usize = 2 << 20;

/// Gap between two characters, as a share of the larger one of width and depth in the bind pose.
const GAP: f32 = 0.15;
/// Least distance of two characters, as a share of their height.
const LEAST_BY_HEIGHT: f32 = 0.6;

/// A square grid of characters around the first one.
#[derive(Debug, Clone, PartialEq)]
pub struct CrowdGrid {
    /// Places on the ground relative to the first character, metres, nearest first. The first is zero.
    pub places_m: Vec<Vec3>,
}

impl CrowdGrid {
    /// A grid for `count` characters, or as many as fit into the memory of a graphics card.
    pub fn new(rig: &Rig, count: u32) -> Self {
        let most = MOST_MATRICES / (2 * rig.skeleton.len().max(1));
        let count = (count as usize).clamp(1, most.max(1));
        let step_m = step_m(rig);
        let reach = ((count as f32).sqrt() / 2.0).ceil() as i32;
        let side = -reach..=reach;
        let mut cells: Vec<[i32; 2]> = side.clone().flat_map(|x| side.clone().map(move |z| [x, z])).collect();
        cells.sort_by_key(|[x, z]| (x * x + z * z, *z, *x));
        cells.truncate(count);
        Self { places_m: cells.into_iter().map(|[x, z]| Vec3::new(x as f32, 0.0, z as f32) * step_m).collect() }
    }

    /// The box around all characters, given that around the first.
    pub fn bounds(&self, first: Bounds) -> Bounds {
        let at = |place_m: &Vec3| Bounds { min: first.min + *place_m, max: first.max + *place_m };
        self.places_m.iter().map(at).fold(first, Bounds::union)
    }
}

/// Distance of neighbours, metres.
fn step_m(rig: &Rig) -> f32 {
    let joints = FigurePose::bind(rig).joints;
    let size =
        Bounds::of_points(joints.iter().map(|joint| joint.translation.into())).map_or(Vec3::ONE, |b| b.max - b.min);
    (size.x.max(size.z) * (1.0 + GAP)).max(size.y * LEAST_BY_HEIGHT).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::math::Transform;
    use posepress_core::model::{Joint, Skeleton};
    use std::collections::BTreeSet;

    fn rig(joints: usize) -> Rig {
        let joint = |index: usize| Joint {
            name: index.to_string(),
            parent: index.checked_sub(1),
            bind: Transform::from_translation(Vec3::new(if index == 1 { 1.0 } else { 0.0 }, 0.0, 0.0)),
        };
        Rig::from_skeleton("rig", Skeleton::new((0..joints).map(joint).collect()).unwrap())
    }

    #[test]
    fn everybody_has_a_place_and_the_first_stays_where_it_is() {
        for count in [1, 2, 9, 10, 100, 1000] {
            let CrowdGrid { places_m } = CrowdGrid::new(&rig(2), count);
            let cells: BTreeSet<_> = places_m.iter().map(|p| [p.x, p.z].map(|at| (at / 1.15).round() as i32)).collect();
            assert_eq!((places_m.len(), cells.len()), (count as usize, count as usize));
            assert_eq!(places_m[0], Vec3::ZERO);
            let far = places_m.iter().map(|place| place.length()).fold(0.0, f32::max);
            assert!(far <= 1.15 * (count as f32).sqrt() * 0.75 + 1.2, "{count} characters, the farthest at {far} m");
        }
    }

    #[test]
    fn a_crowd_of_a_large_rig_fits_into_the_memory_of_a_graphics_card() {
        let large = rig(5000);
        let crowd = CrowdGrid::new(&large, 1000).places_m.len();
        assert!(crowd > 100 && crowd * 2 * large.skeleton.len() <= MOST_MATRICES, "{crowd}");
    }

    #[test]
    fn the_box_of_a_crowd_holds_everybody() {
        let grid = CrowdGrid::new(&rig(2), 9);
        let all = grid.bounds(Bounds::PERSON);
        assert!((all.max.x - 1.65).abs() < 1e-5 && (all.min.z + 1.65).abs() < 1e-5, "{all:?}");
        assert_eq!(CrowdGrid::new(&rig(2), 1).bounds(Bounds::PERSON), Bounds::PERSON);
    }
}
