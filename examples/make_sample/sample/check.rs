use super::motion::Take;
use glam::Vec3;
use posepress_core::model::{Clip, ModelPose, Rig, SkinnedMesh};

/// Vertices below this height in the bind pose belong to the sole, metres.
const SOLE_M: f32 = 0.004;

/// Largest distance that a vertex of a sole moves over the ground at samples in which that sole is at rest, metres.
///
/// Zero for a take without times at rest.
pub fn sole_drift_m(rig: &Rig, take: &Take, clip: &Clip) -> f32 {
    let sides = [("l", &take.flat_secs[0]), ("r", &take.flat_secs[1])];
    let drifts = sides.into_iter().flat_map(|(side, contacts)| {
        let sole = sole_vertices(rig, side);
        contacts.iter().map(move |&contact| contact_drift_m(rig, take, clip, &sole, contact))
    });
    drifts.fold(0.0, f32::max)
}

/// Vertices of the mesh that touch the ground in the bind pose and follow only the foot or toes of a side.
pub fn sole_vertices(rig: &Rig, side: &str) -> Vec<usize> {
    let mesh = &rig.meshes[0];
    let below = |v: &usize| mesh.positions[*v].y < SOLE_M;
    let of_side = |v: &usize| {
        mesh.influences[*v].iter().zip(&mesh.weights[*v]).all(|(j, w)| {
            let name = rig.skeleton.name(mesh.palette[usize::from(*j)].joint);
            *w == 0.0 || name == format!("foot_{side}") || name == format!("toes_{side}")
        })
    };
    (0..mesh.positions.len()).filter(below).filter(of_side).collect()
}

/// Samples of a clip within a time span, both ends included.
pub fn samples_within(clip: &Clip, (from, to): (f64, f64)) -> impl Iterator<Item = usize> + '_ {
    const SLACK_SECS: f64 = 1e-6;
    (0..clip.samples()).filter(move |&s| {
        let secs = f64::from(clip.grid().time_secs(s as f64));
        secs >= from - SLACK_SECS && secs <= to + SLACK_SECS
    })
}

fn contact_drift_m(rig: &Rig, take: &Take, clip: &Clip, sole: &[usize], contact: (f64, f64)) -> f32 {
    let mesh = &rig.meshes[0];
    let over_ground = |sample: usize| -> Vec<Vec3> {
        let secs = f64::from(clip.grid().time_secs(sample as f64));
        let ground = (take.ground_velocity_m_s * secs).as_vec3();
        skinned(rig, mesh, clip, sample, sole).into_iter().map(|p| p - ground).collect()
    };
    let mut samples = samples_within(clip, contact);
    let Some(start) = samples.next().map(over_ground) else { return 0.0 };
    let drift = |sample| {
        let now = over_ground(sample);
        now.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    samples.map(drift).fold(0.0, f32::max)
}

/// Positions of some vertices of a mesh at a sample, in model space.
pub fn skinned(rig: &Rig, mesh: &SkinnedMesh, clip: &Clip, sample: usize, vertices: &[usize]) -> Vec<Vec3> {
    let pose = ModelPose::new(&rig.skeleton, clip.pose(sample));
    vertices.iter().map(|&v| mesh.skin_vertex(v, &pose.joints, clip.floats(sample))).collect()
}
