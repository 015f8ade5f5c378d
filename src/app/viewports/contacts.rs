use super::scene::Figures;
use crate::render::{FigurePose, Line3d, LineLayer, Overlay, Polygon3d};
use crate::theme::Theme;
use egui::Color32;
use glam::{Vec2, Vec3};
use posepress_core::metrics::{ContactPlan, ContactSlide, Verdict};
use posepress_core::report::Sides;

/// Factor by which the drift of a sliding contact is drawn larger. A label shows it.
pub const DRIFT_GAIN: f32 = 20.0;

/// The sole of a contact at the playhead, seen from above.
pub struct Sole {
    /// Outline of the raw sole on the ground, metres in object space.
    pub raw: Vec<Vec3>,
    /// Horizontal drift of the decoded sole since touch-down, metres.
    pub drift: Vec3,
    /// Path of that drift from touch-down to the playhead.
    pub path: Vec<Vec3>,
}

/// Measures the sole of a contact at the playhead.
pub fn sole(figures: &Figures, shown: &Sides, index: usize) -> Option<Sole> {
    let plan = &shown.outcome.report.slide.plan;
    let contact = plan.contacts.get(index)?;
    let foot = &plan.feet[contact.foot];
    let positions = |pose: &FigurePose| foot.sole_positions(&figures.rig, &pose.joints, &pose.floats);
    let raw = hull(&positions(&figures.raw), contact.ground_m);
    let (source, decoded) = (&shown.source.raw, &shown.outcome.decoded);
    let path = posepress_core::metrics::drift_path(&figures.rig, plan, contact, source, decoded);
    let horizontal: Vec<Vec3> = path.iter().map(|d| Vec3::new(d.x, 0.0, d.z)).collect();
    let now = steps_since_touch_down(figures, shown, contact.start_secs);
    let path: Vec<Vec3> = horizontal.into_iter().take(now + 1).collect();
    Some(Sole { raw, drift: path.last().copied().unwrap_or_default(), path })
}

fn steps_since_touch_down(figures: &Figures, shown: &Sides, start_secs: f32) -> usize {
    let grid = shown.source.raw.grid();
    let since = figures.time_secs - start_secs;
    let since = if since < 0.0 { since + grid.duration_secs() } else { since };
    (f64::from(since) * grid.rate_hz() * shown.source.raw.sub_frames() as f64).round() as usize
}

/// Soles on the ground, for the original and the compressed side. On the compressed side, a sliding foot has its true
/// place dashed and its drifted place filled.
pub fn overlays(theme: &Theme, figures: &Figures, shown: &Sides) -> (Overlay, Overlay) {
    let (mut original, mut compressed) = (Overlay::default(), Overlay::default());
    for (index, contact) in &figures.standing {
        let Some(sole) = sole(figures, shown, *index) else { continue };
        let neutral = rgba(theme.original, 235);
        original.polygons.push(polygon(sole.raw.clone(), [0; 4], neutral, 1.5, false));
        let slides = contact.verdict != Verdict::Good;
        compressed.polygons.push(polygon(sole.raw.clone(), [0; 4], neutral, 1.5, slides));
        if slides {
            let color = theme.verdict(contact.verdict);
            let moved = sole.raw.iter().map(|p| *p + sole.drift * DRIFT_GAIN).collect();
            compressed.polygons.push(polygon(moved, rgba(color, 90), rgba(color, 255), 2.0, false));
            compressed.lines.extend(drift_line(&sole, rgba(color, 255)));
        }
    }
    (original, compressed)
}

fn drift_line(sole: &Sole, color: [u8; 4]) -> Vec<Line3d> {
    let start = centre(&sole.raw);
    let at = |d: &Vec3| start + *d * DRIFT_GAIN;
    let line = |a, b| Line3d { a, b, color, width_pt: 2.0, dashed: false, layer: LineLayer::Ground };
    sole.path.windows(2).map(|pair| line(at(&pair[0]), at(&pair[1]))).collect()
}

/// The middle of an outline.
pub fn centre(outline: &[Vec3]) -> Vec3 {
    outline.iter().sum::<Vec3>() / outline.len().max(1) as f32
}

/// The point that the label of a contact points to: the centre of its sole.
pub fn anchor(figures: &Figures, plan: &ContactPlan, contact: &ContactSlide) -> Vec3 {
    let pose = figures.decoded.as_ref().unwrap_or(&figures.raw);
    centre(&plan.feet[contact.foot].sole_positions(&figures.rig, &pose.joints, &pose.floats))
}

fn polygon(points: Vec<Vec3>, fill: [u8; 4], outline: [u8; 4], width_pt: f32, dashed: bool) -> Polygon3d {
    Polygon3d { points, fill, outline, width_pt, dashed }
}

fn rgba(color: Color32, alpha: u8) -> [u8; 4] {
    let [r, g, b, _] = color.to_array();
    [r, g, b, alpha]
}

/// Margin around a sole's vertices, so that the outline shows beside the shoe.
const MARGIN_M: f32 = 0.012;

/// Corners of an outline are rounded this far along their edges, because a sole is round.
const CORNER_M: f32 = 0.03;
/// Points of a rounded corner.
const CORNER_POINTS: usize = 7;
/// Shorter edges are dropped, because painting an area needs edges with a direction.
const LEAST_EDGE_M: f32 = 0.002;

/// Outline of points seen from above, laid on the ground, widened a little, with rounded corners.
fn hull(points: &[Vec3], ground_m: f32) -> Vec<Vec3> {
    let mut flat: Vec<Vec2> = points.iter().map(|p| Vec2::new(p.x, p.z)).collect();
    flat.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    flat.dedup();
    if flat.len() < 3 {
        return around(flat.first().copied().unwrap_or_default(), ground_m);
    }
    let corners = convex(&flat);
    let middle = corners.iter().sum::<Vec2>() / corners.len() as f32;
    let widened: Vec<Vec2> = corners.iter().map(|p| *p + (*p - middle).normalize_or_zero() * MARGIN_M).collect();
    rounded(&widened).into_iter().map(|p| Vec3::new(p.x, ground_m, p.y)).collect()
}

/// Replaces each corner with a parabola. It begins and ends on the edges, at most at their middles.
fn rounded(corners: &[Vec2]) -> Vec<Vec2> {
    let count = corners.len();
    let towards = |from: Vec2, to: Vec2| from + (to - from).clamp_length_max(CORNER_M.min(from.distance(to) * 0.5));
    let arc = |index: usize| {
        let corner = corners[index];
        let start = towards(corner, corners[(index + count - 1) % count]);
        let end = towards(corner, corners[(index + 1) % count]);
        (0..CORNER_POINTS).map(move |i| {
            let t = i as f32 / (CORNER_POINTS - 1) as f32;
            start.lerp(corner, t).lerp(corner.lerp(end, t), t)
        })
    };
    let mut outline: Vec<Vec2> = (0..count).flat_map(arc).collect();
    outline.dedup_by(|b, a| a.distance(*b) < LEAST_EDGE_M);
    while outline.len() > 3 && outline[0].distance(outline[outline.len() - 1]) < LEAST_EDGE_M {
        outline.pop();
    }
    outline
}

/// Corners of the convex hull of sorted points (monotone chain).
fn convex(flat: &[Vec2]) -> Vec<Vec2> {
    let half = |points: &mut dyn Iterator<Item = Vec2>| {
        let mut chain: Vec<Vec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut flat.iter().copied());
    outline.extend(half(&mut flat.iter().rev().copied()));
    outline
}

/// A small circle: the sole of a rig without a mesh is one point.
fn around(point: Vec2, ground_m: f32) -> Vec<Vec3> {
    const RADIUS_M: f32 = 0.05;
    let corner = |i: i32| {
        let angle = i as f32 / 16.0 * std::f32::consts::TAU;
        let p = point + Vec2::from_angle(angle) * RADIUS_M;
        Vec3::new(p.x, ground_m, p.y)
    };
    (0..16).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_of_a_square_with_points_inside_is_its_corners() {
        let points = [(0.0, 0.0), (0.0, 1.0), (0.5, 0.0), (0.5, 0.5), (1.0, 0.0), (1.0, 1.0)];
        let corners = convex(&points.map(Vec2::from));
        assert_eq!(corners.len(), 4);
        let outline = hull(&points.map(|(x, z)| Vec3::new(x, 0.3, z)), 0.1);
        assert!(outline.iter().all(|p| p.y == 0.1));
        assert!((centre(&outline) - Vec3::new(0.5, 0.1, 0.5)).length() < 1e-6);
    }

    #[test]
    fn the_outline_of_a_sole_has_no_kinks_and_stays_around_its_vertices() {
        // A heel of one vertex, two sides, a toe of two.
        let points = [(0.0, -0.12), (-0.04, 0.0), (0.045, 0.0), (-0.03, 0.13), (0.035, 0.13)];
        let outline = hull(&points.map(|(x, z)| Vec3::new(x, 0.0, z)), 0.0);
        let turns = (0..outline.len()).map(|i| {
            let at = |offset: usize| outline[(i + offset) % outline.len()];
            let [before, after] = [at(1) - at(0), at(2) - at(1)];
            before.angle_between(after).to_degrees()
        });
        let shortest = (1..outline.len()).map(|i| outline[i].distance(outline[i - 1])).fold(1.0, f32::min);
        assert!(shortest >= LEAST_EDGE_M, "{shortest} m between two points");
        let sharpest = turns.fold(0.0, f32::max);
        assert!(sharpest < 45.0, "{sharpest} degrees at one point");
        let inside = |p: (f32, f32)| {
            let p = Vec2::from(p);
            let flat = |v: Vec3| Vec2::new(v.x, v.z);
            (0..outline.len()).all(|i| {
                let (a, b) = (flat(outline[i]), flat(outline[(i + 1) % outline.len()]));
                (b - a).perp_dot(p - a) > -4e-4
            })
        };
        let inner = points.map(|(x, z)| (x * 0.9, z * 0.9));
        assert!(inner.into_iter().all(inside), "no vertex is cut off by more than a few millimetres");
    }

    #[test]
    fn one_point_gets_a_circle() {
        assert_eq!(hull(&[Vec3::X], 0.0).len(), 16);
    }
}
