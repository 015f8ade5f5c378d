use super::feet::Leg;
use super::motion::{Clock, Path};
use super::{FootPart, SolePlace, SolePoint};
use crate::metrics::ModelTrack;
use crate::model::{ModelPose, Rig, SkinnedMesh};
use glam::Vec3;

/// Sole vertices lie within this height above the lowest vertex, for a person.
const SOLE_BAND_M: f32 = 0.015;
/// Vertices of a joint that are all higher than this above the foot's lowest vertex are no part of the sole, for a person.
const SOLE_RISE_M: f32 = 0.03;
/// In a foot of one joint, the toe begins at this share of the way from the ankle to the front of the sole.
const TOE_FROM: f32 = 0.4;
/// The heel ends behind the ankle by this share of the way from ankle to toe joint.
const HEEL_BEHIND: f32 = 0.5;
/// The foot ends ahead of the toe joint by this share of the way from ankle to toe joint.
const TIP_AHEAD: f32 = 0.55;
/// Height of a toe joint above the floor, as a share of the height of the ankle above the toe joint.
const TOE_OVER_DROP: f32 = 0.6;
/// A foot is low up to this height above its lowest 5 %, for a person.
const FLAT_BAND_M: f32 = 0.03;
/// The quietest share of the low moments, in which the foot is flat.
const FLAT_SHARE: f32 = 0.3;
/// Most steps that are looked at for a flat foot.
const FLAT_STEPS: usize = 1000;
/// Most vertices kept per joint of a sole: enough for an outline, few enough to measure at every step.
const SOLE_POINTS: usize = 12;

/// The vertices that each joint moves most, and their positions in the bind pose.
pub(super) struct BindSkin<'a> {
    rig: &'a Rig,
    bind: ModelPose,
    dominated: Vec<Vec<(usize, usize)>>,
}

impl<'a> BindSkin<'a> {
    pub(super) fn new(rig: &'a Rig) -> Self {
        let bind: Vec<_> = rig.skeleton.joints().iter().map(|j| j.bind).collect();
        let mut dominated = vec![Vec::new(); rig.skeleton.len()];
        for (index, mesh) in rig.meshes.iter().enumerate() {
            for vertex in 0..mesh.positions.len() {
                if let Some(joint) = dominant_joint(mesh, vertex) {
                    dominated[joint].push((index, vertex));
                }
            }
        }
        Self { rig, bind: ModelPose::new(&rig.skeleton, &bind), dominated }
    }

    /// True if a vertex of the rig follows a joint.
    pub(super) fn has_mesh(&self) -> bool {
        self.dominated.iter().any(|d| !d.is_empty())
    }

    /// Number of vertices that the joint moves most.
    pub(super) fn vertices(&self, joint: usize) -> usize {
        self.dominated[joint].len()
    }

    /// Origin of a joint in the bind pose, metres.
    pub(super) fn origin(&self, joint: usize) -> Vec3 {
        self.bind.origin(joint)
    }

    /// Height of a joint's lowest point in the bind pose: of its skin if it has any, else of its origin.
    pub(super) fn lowest_m(&self, joint: usize) -> f32 {
        self.positions(joint).map(|(_, p)| p.y).reduce(f32::min).unwrap_or(self.origin(joint).y)
    }

    /// The points of a foot that touch the ground: its lowest vertices, else points below ankle and toes, else the joint itself.
    pub(super) fn sole(&self, leg: Leg, scale: f32, raw: &ModelTrack, clock: Clock) -> Vec<SolePoint> {
        let mut points = self.skin_sole(leg, scale);
        if points.is_empty() {
            points = bare_sole(self.rig, leg, scale, raw, clock);
        }
        points
    }

    fn skin_sole(&self, leg: Leg, scale: f32) -> Vec<SolePoint> {
        let lowest_m = leg.joints().map(|joint| self.lowest_m(joint)).fold(f32::INFINITY, f32::min);
        let of_joint = |joint: usize| {
            let floor_m = (self.lowest_m(joint) + SOLE_BAND_M * scale).min(lowest_m + SOLE_RISE_M * scale);
            let low: Vec<_> = self.positions(joint).filter(|(_, p)| p.y <= floor_m).collect();
            let spread = spread(&low, SOLE_POINTS);
            let part = match (leg.heel, leg.toe) {
                (Some(heel), Some(_)) if heel == joint => Some(FootPart::Heel),
                (Some(_), None) => None,
                _ => Some(FootPart::Toe),
            };
            let ahead = self.ahead(joint, &spread);
            let of_place = |p: Vec3| match (p - self.origin(joint)).dot(ahead) > TOE_FROM * ahead.length_squared() {
                true => FootPart::Toe,
                false => FootPart::Heel,
            };
            let point = |(place, p)| SolePoint { joint, part: part.unwrap_or_else(|| of_place(p)), place };
            spread.into_iter().map(point).collect::<Vec<_>>()
        };
        leg.joints().flat_map(of_joint).collect()
    }

    /// From the ankle to the farthest point of its sole, horizontally.
    fn ahead(&self, joint: usize, sole: &[(SolePlace, Vec3)]) -> Vec3 {
        let from_ankle = sole.iter().map(|s| (s.1 - self.origin(joint)).with_y(0.0));
        from_ankle.max_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or_default()
    }

    fn positions(&self, joint: usize) -> impl Iterator<Item = (SolePlace, Vec3)> + '_ {
        self.dominated[joint].iter().map(|&(mesh, vertex)| {
            let position = self.rig.meshes[mesh].skin_vertex(vertex, &self.bind.joints, &[]);
            (SolePlace::Vertex { mesh, vertex }, position)
        })
    }
}

/// The sole of a foot without skin.
///
/// Where ankle and toe are known, three points lie on the floor while the foot is flat: behind the ankle, below the toe joint and ahead of
/// it. The flat foot is that of the clip's quietest moments, because the bind pose of captured rigs often does not stand.
fn bare_sole(rig: &Rig, leg: Leg, scale: f32, raw: &ModelTrack, clock: Clock) -> Vec<SolePoint> {
    let tips = |joint: usize| rig.tips.iter().filter(move |tip| tip.joint == joint).map(|tip| tip.offset);
    let at = |joint, part, offset| SolePoint { joint, part, place: SolePlace::Offset(offset) };
    let toe = leg.toe.map(|toe| (toe, Vec3::ZERO));
    let ends = leg.heel.zip(toe.or_else(|| Some((leg.heel?, tips(leg.heel?).next()?))));
    let Some((heel, (toe, offset))) = ends.filter(|_| !leg.marked) else {
        let part = if leg.toe.is_some() { FootPart::Toe } else { FootPart::Heel };
        let points: Vec<_> = tips(leg.joint()).map(|tip| at(leg.joint(), part, tip)).collect();
        return if points.is_empty() { vec![at(leg.joint(), part, Vec3::ZERO)] } else { points };
    };
    let flat = FlatFoot::find(raw, clock, scale, heel, (toe, offset));
    let ahead_m = flat.length_m;
    vec![
        at(heel, FootPart::Heel, flat.below(heel, flat.ankle, -HEEL_BEHIND * ahead_m)),
        at(toe, FootPart::Toe, flat.below(toe, flat.toe, 0.0)),
        at(toe, FootPart::Toe, flat.below(toe, flat.toe, TIP_AHEAD * ahead_m)),
    ]
}

/// A foot at the moments of a clip when it is flat on the ground.
struct FlatFoot<'a> {
    raw: &'a ModelTrack,
    /// The quietest steps of the track while the foot is low.
    steps: Vec<usize>,
    /// Joint and offset of ankle and toe.
    ankle: (usize, Vec3),
    toe: (usize, Vec3),
    /// From ankle to toe, horizontally.
    length_m: f32,
    /// From the toe to the floor.
    toe_height_m: f32,
}

impl<'a> FlatFoot<'a> {
    fn find(raw: &'a ModelTrack, clock: Clock, scale: f32, heel: usize, toe: (usize, Vec3)) -> Self {
        let ankle = (heel, Vec3::ZERO);
        let paths = Path::sample_all(raw, clock, |step| {
            let pose = raw.pose(step);
            [ankle, toe].map(|(joint, offset)| pose[joint].transform_point3(offset))
        });
        let speeds = paths.each_ref().map(|path| path.velocities(clock));
        // A flat foot neither turns nor rises. In a clip that stays in place it moves with the ground.
        let unrest = |moment: usize| {
            let [ankle, toe] = [speeds[0][moment], speeds[1][moment]];
            ankle.distance(toe) + ankle.y.abs() + toe.y.abs()
        };
        let height = |moment: usize| paths[0].at(moment as isize).y;
        let mut moments: Vec<_> = (0..clock.count).collect();
        moments.sort_by(|a, b| height(*a).total_cmp(&height(*b)));
        let low_m = height(moments[moments.len() / 20]) + FLAT_BAND_M * scale;
        moments.retain(|moment| height(*moment) <= low_m);
        moments.sort_by(|a, b| unrest(*a).total_cmp(&unrest(*b)));
        moments.truncate((moments.len() as f32 * FLAT_SHARE).ceil() as usize);
        let between = |moment: &usize| paths[1].at(*moment as isize) - paths[0].at(*moment as isize);
        let length_m = median(moments.iter().map(|m| between(m).with_y(0.0).length()).collect());
        let drop_m = median(moments.iter().map(|m| -between(m).y).collect());
        // In the order of time, because a long track is sampled as its steps are asked for.
        let mut steps: Vec<_> = moments.into_iter().map(|moment| clock.step(moment)).collect();
        steps.sort_unstable();
        let steps = steps.iter().step_by(steps.len().div_ceil(FLAT_STEPS).max(1)).copied().collect();
        Self { raw, steps, ankle, toe, length_m, toe_height_m: (drop_m * TOE_OVER_DROP).max(0.0) }
    }

    /// The point on the floor that lies `ahead_m` before a joint while the foot is flat, in the space of that joint.
    fn below(&self, joint: usize, (from, offset): (usize, Vec3), ahead_m: f32) -> Vec3 {
        let local = |step: &usize| {
            let pose = self.raw.pose(*step);
            let at = |(joint, offset): (usize, Vec3)| pose[joint].transform_point3(offset);
            let floor_m = at(self.toe).y - self.toe_height_m;
            let ahead = (at(self.toe) - at(self.ankle)).with_y(0.0).normalize_or_zero();
            let point = (pose[from].transform_point3(offset) + ahead * ahead_m).with_y(floor_m);
            pose[joint].inverse().transform_point3(point)
        };
        let points: Vec<_> = self.steps.iter().map(local).filter(|p| p.is_finite()).collect();
        let axis = |axis: usize| median(points.iter().map(|p| p[axis]).collect());
        Vec3::new(axis(0), axis(1), axis(2))
    }
}

/// The middle value. 0 without values.
pub(in crate::metrics) fn median(mut values: Vec<f32>) -> f32 {
    let half = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(half, f32::total_cmp).1 }
}

/// The joint with the largest weight. Ties go to the first.
fn dominant_joint(mesh: &SkinnedMesh, vertex: usize) -> Option<usize> {
    let (slots, weights) = (mesh.influences[vertex], mesh.weights[vertex]);
    let best = (0..4).rev().max_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
    (weights[best] > 0.0).then(|| mesh.palette[usize::from(slots[best])].joint)
}

/// At most `count` points, spread out as seen from above. The one farthest from their middle comes first. Each next one is the farthest from
/// those taken before.
fn spread(points: &[(SolePlace, Vec3)], count: usize) -> Vec<(SolePlace, Vec3)> {
    let middle = points.iter().map(|p| p.1).sum::<Vec3>() / points.len().max(1) as f32;
    let from_middle = |point: &usize| (points[*point].1 - middle).with_y(0.0).length();
    let Some(mut next) = (0..points.len()).max_by(|a, b| from_middle(a).total_cmp(&from_middle(b))) else {
        return Vec::new();
    };
    let mut distance = vec![f32::INFINITY; points.len()];
    let mut taken = Vec::with_capacity(count);
    while taken.len() < count && distance[next] > 0.0 {
        taken.push(points[next]);
        let from = points[next].1;
        let mut farthest = 0;
        for (i, (_, p)) in points.iter().enumerate() {
            distance[i] = distance[i].min((p.x - from.x).hypot(p.z - from.z));
            if distance[i] > distance[farthest] {
                farthest = i;
            }
        }
        next = farthest;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_takes_the_corners_first_and_no_point_twice() {
        let at = |vertex, x, y, z| (SolePlace::Vertex { mesh: 0, vertex }, Vec3::new(x, y, z));
        let points = [
            at(0, 0.5, 0.01, 0.5),
            at(1, -0.1, 0.0, -0.1),
            at(2, 1.0, 0.0, 0.9),
            at(3, 1.0, 0.0, 0.9),
            at(4, 0.0, 0.0, 1.0),
        ];
        let order = |count| spread(&points, count).into_iter().map(|p| p.0).collect::<Vec<_>>();
        let vertex = |v| SolePlace::Vertex { mesh: 0, vertex: v };
        assert_eq!(order(12), [vertex(1), vertex(2), vertex(4), vertex(0)]);
        assert_eq!(order(2), [vertex(1), vertex(2)]);
    }
}
