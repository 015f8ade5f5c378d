use crate::metrics::Blame;
use crate::model::Skeleton;
use crate::report::{Sides, joint_bits};
use serde::{Deserialize, Serialize};

/// Order of a list of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum JointSort {
    /// As a tree.
    #[default]
    Tree,
    /// Largest error first.
    Error,
    /// Most bytes first.
    Bytes,
    /// Most bits per sample first.
    Bits,
    /// Largest share of the explained error first.
    Blame,
}

/// Size and error of each joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointCosts {
    /// Largest shell error at the samples, metres.
    pub error_m: Vec<f32>,
    /// Bytes, with fractions.
    pub bytes: Vec<f32>,
    /// Share of the explained error, by [`Blame::share`].
    pub share: Vec<f32>,
    /// Number of samples of the clip.
    pub samples: usize,
    /// Size of the clip.
    pub total_bytes: u64,
}

impl JointCosts {
    /// The costs of a rig's joints in a compressed clip. Bytes and errors are zero while there is none.
    pub fn of(joints: usize, shown: Option<&Sides>, blame: Option<&Blame>) -> Self {
        let share_of = |joint| blame.and_then(|b| b.share(joint)).unwrap_or(0.0);
        let share = (0..joints).map(share_of).collect();
        let mut costs =
            Self { error_m: vec![0.0; joints], bytes: vec![0.0; joints], share, samples: 1, total_bytes: 0 };
        if let Some(Sides { source, outcome, .. }) = shown {
            costs.samples = source.clip.samples();
            costs.total_bytes = outcome.bytes() as u64;
            let ledger = outcome.encoding().map(|encoding| &encoding.encoded.ledger);
            for owned in ledger.map_or(Vec::new(), |ledger| joint_bits(ledger, joints)) {
                costs.bytes[owned.joint] = owned.total() as f32 / 8.0;
            }
            for (out, joint) in costs.error_m.iter_mut().zip(&outcome.report.samples.per_joint) {
                *out = joint.max_m;
            }
        }
        costs
    }

    /// Bits per sample of a joint.
    pub fn bits_per_sample(&self, joint: usize) -> f32 {
        self.bytes[joint] * 8.0 / self.samples as f32
    }

    /// The value that orders the list. For [`JointSort::Tree`], the bytes, which the tree shows beside the joint.
    pub fn by(&self, sort: JointSort, joint: usize) -> f32 {
        match sort {
            JointSort::Error => self.error_m[joint],
            JointSort::Tree | JointSort::Bytes => self.bytes[joint],
            JointSort::Bits => self.bits_per_sample(joint),
            JointSort::Blame => self.share[joint],
        }
    }
}

/// A row of a list of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointRow {
    /// Index of the joint.
    pub joint: usize,
    /// Depth in the tree. 0 in a flat list.
    pub depth: usize,
    /// True if its children are hidden. `None` without children and in a flat list.
    pub folded: Option<bool>,
}

/// The joints whose name contains a text, ignoring case. They form a tree if all joints are listed in tree order, else a flat list. Ties go
/// to the joint nearer to the root.
pub fn joint_rows(
    skeleton: &Skeleton,
    costs: &JointCosts,
    sort: JointSort,
    part_of_name: &str,
    is_folded: impl Fn(usize) -> bool,
) -> Vec<JointRow> {
    let wanted = part_of_name.to_lowercase();
    if sort == JointSort::Tree && wanted.is_empty() {
        return tree(skeleton, is_folded);
    }
    let matches = |j: &usize| skeleton.name(*j).to_lowercase().contains(&wanted);
    let mut joints: Vec<usize> = (0..skeleton.len()).filter(matches).collect();
    if sort != JointSort::Tree {
        joints.sort_by(|a, b| costs.by(sort, *b).total_cmp(&costs.by(sort, *a)).then(a.cmp(b)));
    }
    joints.into_iter().map(|joint| JointRow { joint, depth: 0, folded: None }).collect()
}

fn tree(skeleton: &Skeleton, is_folded: impl Fn(usize) -> bool) -> Vec<JointRow> {
    let mut rows = Vec::new();
    let roots = (0..skeleton.len()).rev().filter(|j| skeleton.parent(*j).is_none());
    let mut stack: Vec<(usize, usize)> = roots.map(|j| (j, 0)).collect();
    while let Some((joint, depth)) = stack.pop() {
        let children = skeleton.children(joint);
        let folded = (!children.is_empty()).then(|| is_folded(joint));
        rows.push(JointRow { joint, depth, folded });
        if folded == Some(false) {
            stack.extend(children.iter().rev().map(|c| (*c, depth + 1)));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::Joint;

    /// Hips with a left and a right leg, each with a foot.
    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        Skeleton::new(vec![
            joint("hips", None),
            joint("leg.L", Some(0)),
            joint("foot.L", Some(1)),
            joint("leg.R", Some(0)),
            joint("foot.R", Some(3)),
        ])
        .unwrap()
    }

    fn costs() -> JointCosts {
        JointCosts {
            error_m: vec![0.1, 0.3, 0.2, 0.3, 0.0],
            bytes: vec![8.0, 1.0, 2.0, 3.0, 4.0],
            share: vec![0.0, -0.5, 0.9, 0.0, 0.1],
            samples: 2,
            total_bytes: 18,
        }
    }

    fn listed(sort: JointSort, name: &str) -> Vec<usize> {
        joint_rows(&skeleton(), &costs(), sort, name, |_| false).iter().map(|r| r.joint).collect()
    }

    #[test]
    fn lists_are_ordered_by_what_they_show_and_filtered_by_name() {
        assert_eq!(listed(JointSort::Error, ""), [1, 3, 2, 0, 4], "of equals the first");
        assert_eq!(listed(JointSort::Bytes, ""), [0, 4, 3, 2, 1]);
        assert_eq!(listed(JointSort::Bits, "FOOT"), [4, 2]);
        assert_eq!(listed(JointSort::Blame, ""), [2, 4, 0, 3, 1]);
        assert_eq!(listed(JointSort::Tree, "leg"), [1, 3]);
        assert!(listed(JointSort::Error, "wing").is_empty());
        assert_eq!(costs().bits_per_sample(4), 16.0);
    }

    #[test]
    fn a_tree_hides_the_children_of_folded_joints() {
        let rows = joint_rows(&skeleton(), &costs(), JointSort::Tree, "", |joint| joint == 1);
        let rows: Vec<_> = rows.iter().map(|r| (r.joint, r.depth, r.folded)).collect();
        assert_eq!(rows, [(0, 0, Some(false)), (1, 1, Some(true)), (3, 1, Some(false)), (4, 2, None)]);
    }

    #[test]
    fn nothing_costs_anything_before_there_is_an_outcome() {
        let costs = JointCosts::of(3, None, None);
        assert_eq!((costs.by(JointSort::Bits, 2), costs.total_bytes), (0.0, 0));
    }
}
