use super::contacts::slide_of;
use super::shell::shell_error_m;
use super::track::assert_same_shape;
use super::vertex::vertex_error_m;
use super::{ContactPlan, ModelTrack};
use crate::model::{Clip, Rig, Skeleton};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The error to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Complaint {
    /// The slide of a foot's contact, by the contact's index in the plan.
    Contact(usize),
    /// The shell error of a joint at one step of the tracks.
    #[expect(missing_docs, reason = "the variant says it")]
    Moment { joint: usize, step: usize },
    /// The error of a vertex at one step of the tracks.
    Skin {
        /// Index of the mesh in the rig.
        mesh: usize,
        /// Index of the vertex in the mesh.
        vertex: usize,
        /// The joint that moves the vertex most. It names the place for the user.
        joint: usize,
        /// The step of the tracks.
        step: usize,
    },
}

impl Complaint {
    /// The joint and step of [`Self::Moment`] and [`Self::Skin`]. `None` for a contact, which covers many steps.
    pub fn moment(self) -> Option<(usize, usize)> {
        match self {
            Self::Contact(_) => None,
            Self::Moment { joint, step } | Self::Skin { joint, step, .. } => Some((joint, step)),
        }
    }
}

/// The error that remains when one joint moves as in the raw clip.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The joint that was restored.
    pub joint: usize,
    /// The remaining error, metres.
    pub left_m: f32,
}

/// The joints whose loss causes an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blame {
    /// The error that was explained.
    pub complaint: Complaint,
    /// The error as decoded, metres.
    pub error_m: f32,
    /// The result for every joint that was tried, from the smallest remaining error to the largest.
    pub gains: Vec<Gain>,
}

impl Blame {
    /// Restores one joint at a time to raw, leaves all others as decoded, and measures again.
    ///
    /// The joints tried depend on the complaint:
    ///
    /// - a contact: the joints from the root to the foot, and those below the foot, because toes may move the skin of the sole;
    /// - a moment: the joints from the root to the joint;
    /// - a vertex: the joints from the root to every joint that moves it.
    ///
    /// Gains need not add up, because losses of several joints can cancel each other.
    ///
    /// Returns `None` when the contact, joint, vertex or step does not exist.
    pub fn find(
        rig: &Rig,
        clip: &Clip,
        plan: &ContactPlan,
        raw: &ModelTrack,
        lossy: &ModelTrack,
        shells_m: &[f32],
        complaint: Complaint,
    ) -> Option<Self> {
        assert_same_shape(raw, lossy);
        let skeleton = &rig.skeleton;
        let chain = |joint: usize| std::iter::once(joint).chain(skeleton.ancestors(joint)).collect::<Vec<_>>();
        let (suspects, error_m): (_, Box<Measure<'_>>) = match complaint {
            Complaint::Contact(index) => {
                let contact = plan.contacts.get(index)?;
                let foot = plan.feet.get(contact.foot)?.joint;
                let mut suspects = chain(foot);
                suspects.extend(skeleton.subtree(foot).into_iter().filter(|j| *j != foot));
                (suspects, Box::new(move |track| slide_of(rig, clip.is_looping(), plan, contact, raw, track)))
            }
            Complaint::Moment { joint, step } => {
                let (shell_m, raw_pose) = (*shells_m.get(joint)?, (step < raw.steps()).then(|| raw.pose(step))?);
                (
                    chain(joint),
                    Box::new(move |track| shell_error_m(&raw_pose[joint], &track.pose(step)[joint], shell_m)),
                )
            }
            Complaint::Skin { mesh, vertex, step, .. } => {
                let mesh = rig.meshes.get(mesh).filter(|m| vertex < m.positions.len() && step < raw.steps())?;
                let moved_by = mesh.joints_of(vertex);
                let mut suspects: Vec<usize> = moved_by.flat_map(&chain).collect();
                suspects.sort_unstable();
                suspects.dedup();
                (suspects, Box::new(move |track| vertex_error_m(mesh, vertex, raw, track, step)))
            }
        };
        let restored = |joint: &usize| restore(skeleton, lossy, raw, *joint, &error_m);
        let mut gains: Vec<Gain> = suspects.par_iter().map(restored).collect();
        gains.sort_by(|a, b| a.left_m.total_cmp(&b.left_m).then(a.joint.cmp(&b.joint)));
        Some(Self { complaint, error_m: error_m(lossy), gains })
    }

    /// The joint whose restoring helps most. `None` when no single joint helps.
    pub fn joint(&self) -> Option<usize> {
        self.gains.first().filter(|g| g.left_m < self.error_m).map(|g| g.joint)
    }

    /// The share of the error that restoring a joint removes. 1 removes all of it; below 0 the error grows.
    pub fn share(&self, joint: usize) -> Option<f32> {
        let gain = self.gains.iter().find(|g| g.joint == joint)?;
        Some(if self.error_m > 0.0 { 1.0 - gain.left_m / self.error_m } else { 0.0 })
    }
}

/// Measures the error in question on a decoded track, metres.
type Measure<'a> = dyn Fn(&ModelTrack) -> f32 + Sync + 'a;

fn restore(skeleton: &Skeleton, lossy: &ModelTrack, raw: &ModelTrack, joint: usize, error_m: &Measure<'_>) -> Gain {
    Gain { joint, left_m: error_m(&lossy.with_joint_of(skeleton, raw, joint)) }
}
