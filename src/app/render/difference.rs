use super::{Line3d, LineLayer, ViewTheme};
use glam::{Affine3A, Vec3};

/// Largest number of joints with a connector.
const MOST: usize = 4;
/// Errors below this share of the largest have no connector.
const LEAST_SHARE: f32 = 0.3;
/// Joints nearer to each other than this share of the character's size count as one place.
const APART: f32 = 0.12;

/// Connectors of the joints with the largest errors: a ring at the raw position, a line, and a dot at the drawn one.
/// `raw` and `drawn` have one matrix per joint.
pub fn connectors(raw: &[Affine3A], drawn: &[Affine3A], theme: &ViewTheme) -> Vec<Line3d> {
    let places: Vec<[Vec3; 2]> =
        raw.iter().zip(drawn).map(|(a, b)| [a.translation.into(), b.translation.into()]).collect();
    furthest(&places).into_iter().flat_map(|joint| connector(places[joint], theme)).collect()
}

/// Joints with the largest distances, largest first, no two at one place.
fn furthest(places: &[[Vec3; 2]]) -> Vec<usize> {
    let distance = |joint: &usize| places[*joint][0].distance(places[*joint][1]);
    let mut order: Vec<usize> = (0..places.len()).filter(|joint| distance(joint).is_finite()).collect();
    order.sort_by(|a, b| distance(b).total_cmp(&distance(a)).then(a.cmp(b)));
    let largest = order.first().map_or(0.0, distance);
    let centre = places.iter().map(|p| p[0]).sum::<Vec3>() / places.len().max(1) as f32;
    let size = places.iter().map(|p| p[0].distance(centre)).fold(0.0, f32::max);
    let mut chosen: Vec<usize> = Vec::new();
    for joint in order.into_iter().take_while(|joint| largest > 0.0 && distance(joint) >= largest * LEAST_SHARE) {
        let alone = chosen.iter().all(|other| places[*other][0].distance(places[joint][0]) > size * APART);
        if alone && chosen.len() < MOST {
            chosen.push(joint);
        }
    }
    chosen
}

fn connector([from, to]: [Vec3; 2], theme: &ViewTheme) -> [Line3d; 4] {
    let line = |a, b, color, width_pt| Line3d { a, b, color, width_pt, dashed: false, layer: LineLayer::Top };
    let (raw, apart) = (theme.original.with_alpha(255), theme.compressed.with_alpha(255));
    let hole = theme.background_bottom.with_alpha(255);
    [line(from, to, apart, 2.0), line(from, from, raw, 8.0), line(from, from, hole, 4.5), line(to, to, apart, 8.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(points: &[[f32; 2]]) -> Vec<[Vec3; 2]> {
        points.iter().map(|[height, off]| [Vec3::Y * *height, Vec3::new(*off, *height, 0.0)]).collect()
    }

    #[test]
    fn the_largest_of_each_place_is_pointed_out() {
        let places = at(&[[0.0, 0.5], [0.02, 0.6], [1.0, 0.1], [1.8, 0.3], [0.9, 0.0]]);
        assert_eq!(furthest(&places), [1, 3], "the neighbour of the largest and the small ones are left out");
        assert_eq!(furthest(&at(&[[0.0, 0.0], [1.0, 0.0]])), [0usize; 0], "nothing differs");
        assert_eq!(furthest(&[]), [0usize; 0]);
    }

    #[test]
    fn a_broken_joint_does_not_hide_the_others() {
        let mut places = at(&[[0.0, 0.5], [1.0, 0.4]]);
        places.push([Vec3::Y, Vec3::NAN]);
        assert_eq!(furthest(&places), [0, 1]);
    }
}
