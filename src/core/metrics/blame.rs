use super::contacts::slide_of;
use super::measure::assert_same_shape;
use super::shell::shell_error_m;
use super::vertex::vertex_error_m;
use super::{ContactPlan, ModelTrack};
use crate::model::{Clip, Rig, Skeleton};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What somebody wants explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Complaint {
    /// The slide of a plant, by its index in the plan.
    Plant(usize),
    /// The shell error of a joint at a step of the tracks.
    Moment {
        /// The joint.
        joint: usize,
        /// The step.
        step: usize,
    },
    /// The error of a vertex at a step of the tracks.
    Skin {
        /// Mesh of the rig.
        mesh: usize,
        /// Vertex of the mesh.
        vertex: usize,
        /// The joint that moves it most; it names the place.
        joint: usize,
        /// The step.
        step: usize,
    },
}

impl Complaint {
    /// The joint and step of a moment; a plant is longer than that.
    pub fn moment(self) -> Option<(usize, usize)> {
        match self {
            Self::Plant(_) => None,
            Self::Moment { joint, step } | Self::Skin { joint, step, .. } => Some((joint, step)),
        }
    }
}

/// What is left of an error when one joint alone moves as in the raw clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The joint that was restored.
    pub joint: usize,
    /// What is left, metres.
    pub left_m: f32,
}

/// Which joint's loss causes an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Blame {
    /// What was explained.
    pub complaint: Complaint,
    /// Slide or shell error as it is, metres.
    pub error_m: f32,
    /// Every joint that could matter, the one whose restoring leaves least first.
    pub gains: Vec<Gain>,
}

impl Blame {
    /// Restores one joint after the other to raw, on top of everything else as it was decoded, and measures again. Of a
    /// plant the joints from the root to the foot and those below it are tried (the sole's skin may hang on toes), of a
    /// moment those from the root to the joint, of a vertex those from the root to the joints that move it. Gains need not add up: losses of several joints can cancel each other.
    ///
    /// `None` when there is no such plant, joint, vertex or step.
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
            Complaint::Plant(index) => {
                let plant = plan.plants.get(index)?;
                let foot = plan.feet.get(plant.foot)?.joint;
                let mut suspects = chain(foot);
                suspects.extend(skeleton.subtree(foot).into_iter().filter(|j| *j != foot));
                (suspects, Box::new(move |track| slide_of(rig, clip.is_looping(), plan, plant, raw, track)))
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

    /// The joint whose restoring helps most; `None` when restoring no joint alone helps.
    pub fn joint(&self) -> Option<usize> {
        self.gains.first().filter(|g| g.left_m < self.error_m).map(|g| g.joint)
    }

    /// Share of the error that goes when that joint is restored: 1 = all of it, negative = it gets worse.
    pub fn share(&self, joint: usize) -> Option<f32> {
        let gain = self.gains.iter().find(|g| g.joint == joint)?;
        Some(if self.error_m > 0.0 { 1.0 - gain.left_m / self.error_m } else { 0.0 })
    }
}

/// The error of a decoded track that is to be explained, metres.
type Measure<'a> = dyn Fn(&ModelTrack) -> f32 + Sync + 'a;

fn restore(skeleton: &Skeleton, lossy: &ModelTrack, raw: &ModelTrack, joint: usize, error_m: &Measure<'_>) -> Gain {
    Gain { joint, left_m: error_m(&lossy.with_joint_of(skeleton, raw, joint)) }
}
