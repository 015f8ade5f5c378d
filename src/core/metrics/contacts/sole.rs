use super::SolePoint;
use crate::model::{ModelPose, Rig, SkinnedMesh};
use glam::Vec3;

/// Sole vertices lie within this height above the lowest vertex, for a person.
const SOLE_BAND_M: f32 = 0.015;
/// Most vertices kept per sole: enough for an outline, few enough to measure at every step.
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

    /// The points that touch the ground: the joint's lowest vertices, else the tips below it, else its origin.
    pub(super) fn sole(&self, joint: usize, scale: f32) -> Vec<SolePoint> {
        let floor = self.lowest_m(joint) + SOLE_BAND_M * scale;
        let low: Vec<_> = self.positions(joint).filter(|(_, p)| p.y <= floor).collect();
        if !low.is_empty() {
            return spread(&low, SOLE_POINTS);
        }
        let tips = self.rig.tips.iter().filter(|tip| tip.joint == joint);
        let mut points: Vec<_> = tips.map(|tip| SolePoint::Offset(tip.offset)).collect();
        if points.is_empty() {
            points.push(SolePoint::Offset(Vec3::ZERO));
        }
        points
    }

    fn positions(&self, joint: usize) -> impl Iterator<Item = (SolePoint, Vec3)> + '_ {
        self.dominated[joint].iter().map(|&(mesh, vertex)| {
            let position = self.rig.meshes[mesh].skin_vertex(vertex, &self.bind.joints, &[]);
            (SolePoint::Vertex { mesh, vertex }, position)
        })
    }
}

/// The joint with the largest weight. Ties go to the first.
fn dominant_joint(mesh: &SkinnedMesh, vertex: usize) -> Option<usize> {
    let (slots, weights) = (mesh.influences[vertex], mesh.weights[vertex]);
    let best = (0..4).rev().max_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
    (weights[best] > 0.0).then(|| mesh.palette[usize::from(slots[best])].joint)
}

/// At most `count` points, spread out as seen from above. The lowest comes first; each next one is the farthest from those taken before.
fn spread(points: &[(SolePoint, Vec3)], count: usize) -> Vec<SolePoint> {
    let Some(mut next) = (0..points.len()).min_by(|&a, &b| points[a].1.y.total_cmp(&points[b].1.y)) else {
        return Vec::new();
    };
    let mut distance = vec![f32::INFINITY; points.len()];
    let mut taken = Vec::with_capacity(count);
    while taken.len() < count && distance[next] > 0.0 {
        taken.push(points[next].0);
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
    fn spread_takes_the_lowest_then_the_corners_and_no_point_twice() {
        let at = |vertex, x, y, z| (SolePoint::Vertex { mesh: 0, vertex }, Vec3::new(x, y, z));
        let points = [
            at(0, 0.5, 0.01, 0.5),
            at(1, 0.0, 0.0, 0.0),
            at(2, 1.0, 0.0, 0.9),
            at(3, 1.0, 0.0, 0.9),
            at(4, 0.0, 0.0, 1.0),
        ];
        let order: Vec<_> = spread(&points, 12).into_iter().collect();
        let vertex = |v| SolePoint::Vertex { mesh: 0, vertex: v };
        assert_eq!(order, [vertex(1), vertex(2), vertex(4), vertex(0)]);
        assert_eq!(spread(&points, 2), [vertex(1), vertex(2)]);
    }
}
