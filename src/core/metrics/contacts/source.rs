use super::{Contact, Foot};
use crate::metrics::ModelTrack;
use crate::model::Rig;
use glam::Vec3;

/// The slide of a foot over the ground during a contact of the raw clip, metres. No codec is to blame for it.
///
/// From each step to the next, the point of the sole that is lowest in both carries the foot, so that a foot may roll from heel to toe. Its
/// horizontal motion is added up. The result is the largest distance of the sum from the start of the contact.
///
/// If the clip runs on the spot (`on_the_spot`), the speed of the ground is known only from the feet. It is then the mean speed of this foot
/// in this contact, and only what differs from an even motion is a slide.
pub(super) fn source_slide(rig: &Rig, foot: &Foot, contact: &Contact, raw: &ModelTrack, on_the_spot: bool) -> f32 {
    let way = carried_way(rig, foot, contact, raw);
    let ground_m = if on_the_spot { mean_step(&way) } else { Vec3::ZERO };
    let slid = way.iter().enumerate().map(|(step, moved)| (*moved - ground_m * step as f32).length());
    slid.fold(0.0, f32::max)
}

/// The sum of the horizontal motions of the points that carry the foot, per step of a contact. It begins with zero.
fn carried_way(rig: &Rig, foot: &Foot, contact: &Contact, raw: &ModelTrack) -> Vec<Vec3> {
    let positions = |step: usize| foot.sole_positions(rig, &raw.pose(step), &raw.floats(step));
    let (mut before, mut moved, mut way) = (None, Vec3::ZERO, vec![Vec3::ZERO]);
    for step in contact.steps(raw) {
        let now = positions(step);
        // At the seam of a loop, the last step and the first are the same pose.
        if let Some((last, points)) = before.replace((step, now.clone()))
            && step == last + 1
        {
            moved += carried(&points, &now).with_y(0.0);
            way.push(moved);
        }
    }
    way
}

/// Mean motion per step.
fn mean_step(way: &[Vec3]) -> Vec3 {
    way.last().map_or(Vec3::ZERO, |last| *last / (way.len() - 1).max(1) as f32)
}

/// Motion of the point that is lowest before and after it.
fn carried(before: &[Vec3], after: &[Vec3]) -> Vec3 {
    let pairs = before.iter().zip(after);
    let lowest = pairs.min_by(|(a, b), (c, d)| (a.y + b.y).total_cmp(&(c.y + d.y)));
    lowest.map_or(Vec3::ZERO, |(a, b)| *b - *a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_point_carries() {
        // Rolls from heel to toe: the heel stands in the first step, the toe in the second.
        let at = |heel: [f32; 2], toe: [f32; 2]| [heel, toe].map(|[x, y]| Vec3::new(x, y, 0.0));
        let poses = [at([0.0, 0.0], [0.2, 0.1]), at([0.0, 0.0], [0.25, 0.01]), at([0.05, 0.1], [0.25, 0.0])];
        assert_eq!(carried(&poses[0], &poses[1]), Vec3::ZERO);
        assert_eq!(carried(&poses[1], &poses[2]).x, 0.0);
        assert_eq!(carried(&poses[0], &poses[0].map(|p| p + Vec3::X)), Vec3::X, "the whole foot slides");
        assert_eq!(carried(&[], &[]), Vec3::ZERO);
    }
}
