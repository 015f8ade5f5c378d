use crate::failure::Failure;
use crate::state::{State, with};
#[cfg(feature = "tiers")]
use posepress_runtime::TierFile;
use posepress_runtime::{BindPose, Container, RigJoint, RigSection};

/// A file: the rig, and clips before opening.
#[derive(Debug)]
pub struct OpenContainer {
    pub file: Container,
    /// Bind pose of its rig, shared by its clips.
    pub bind: Option<BindPose>,
}

/// Opens the bytes of the input. Returns the container's number.
#[unsafe(no_mangle)]
pub extern "C" fn container_open() -> usize {
    with(|state| {
        let file = Container::read(&core::mem::take(&mut state.input))?;
        let bind = file.rig.as_ref().map(RigSection::bind_pose).transpose()?;
        state.containers.keep(OpenContainer { file, bind })
    })
}

/// Frees a container. Its clips stay open.
#[unsafe(no_mangle)]
pub extern "C" fn container_free(container: usize) {
    with(|state| {
        state.containers.remove(container);
        Ok(1)
    });
}

/// Joins the tier of the input to a container.
#[cfg(feature = "tiers")]
#[unsafe(no_mangle)]
pub extern "C" fn container_join(container: usize) -> usize {
    with(|state| {
        let tier = TierFile::read(&core::mem::take(&mut state.input))?;
        let OpenContainer { file, bind } = state.containers.get(container)?;
        let bind = bind.as_ref().ok_or_else(|| Failure::argument("the container has no rig, which tiers need"))?;
        file.join(&tier, bind)?;
        Ok(1)
    })
}

/// Describes a container: joints, clips, float tracks, tiers that are not joined, 1 if it has a rig; then per joint its parent or -1,
/// and the ten numbers of its bind pose.
#[unsafe(no_mangle)]
pub extern "C" fn container_describe(container: usize) -> usize {
    with(|State { containers, numbers, .. }| {
        let container = &containers.get(container)?.file;
        let joints = joints(container);
        let counts = [joints.len(), container.clips.len(), container.float_names.len(), container.tiers.len()];
        let counts = counts.into_iter().map(|count| count as f64).chain([f64::from(container.rig.is_some())]);
        let of_joint = |joint: &RigJoint| {
            let parent = joint.parent.map_or(-1.0, f64::from);
            core::iter::once(parent).chain(joint.bind.map(f64::from))
        };
        State::describe(numbers, counts.chain(joints.iter().flat_map(of_joint)))
    })
}

/// Sets the text to a name: of a joint (0), a clip (1), a float track (2) or a tier (3), or to a clip's codec (4).
#[unsafe(no_mangle)]
pub extern "C" fn container_name(container: usize, list: usize, index: usize) -> usize {
    with(|State { containers, text, .. }| {
        let container = &containers.get(container)?.file;
        let codec = || container.clips.get(index).and_then(|clip| str::from_utf8(&clip.codec).ok());
        let name = match list {
            0 => joints(container).get(index).map(|joint| &*joint.name),
            1 => container.clips.get(index).map(|clip| &*clip.name),
            2 => container.float_names.get(index).map(|name| &**name),
            3 => container.tiers.get(index).map(|tier| &*tier.name),
            _ => codec(),
        };
        State::say(text, name.ok_or_else(|| Failure::argument("there is no such name"))?)
    })
}

/// Joints of the rig; none if the rig was stripped.
fn joints(container: &Container) -> &[RigJoint] {
    container.rig.as_ref().map_or(&[], |rig| &rig.joints)
}
