use crate::memory::{Floats, FloatsOut, Message, Out, boxed, give, room, values, write_text};
use crate::status::{Status, or};
use posepress_runtime::RigJoint;
use posepress_runtime::{BindPose, DecodeError, RigSection, TierFile, Transform};
use std::ffi::c_char;

/// A file: the rig, and clips before opening.
#[derive(Debug)]
pub struct Container {
    pub(crate) file: posepress_runtime::Container,
    /// Bind pose of its rig, shared by its clips.
    pub(crate) bind: Option<BindPose>,
}

impl Container {
    /// The bind pose of its rig; or a caller's, ten floats per joint, if there is one or the container has no rig.
    pub(crate) fn bind_or(&self, bind: Floats, joints: usize) -> Result<BindPose, Status> {
        let floats = joints.checked_mul(10).ok_or(Status::InvalidArgument)?;
        let own = values(bind, floats)?.as_chunks::<10>().0;
        Ok(match &self.bind {
            Some(bind) if own.is_empty() => bind.clone(),
            _ => BindPose::new(own.iter().map(|numbers| Transform::from_numbers(*numbers)))?,
        })
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_open(
    bytes: *const u8,
    length: usize,
    container: Out<'_, Option<Box<Container>>>,
    message: Message,
    message_room: usize,
) -> Status {
    Status::of(|| {
        let container = container.ok_or(Status::InvalidArgument)?.write(None);
        let read = posepress_runtime::Container::read(values(bytes, length)?);
        let file = or_message(read, message, message_room)?;
        let bind = file.rig.as_ref().map(RigSection::bind_pose).transpose()?;
        *container = Some(boxed(Container { file, bind })?);
        Ok(())
    })
}

/// Returns the value, or writes the error to the message and returns its status.
pub(crate) fn or_message<T>(read: Result<T, DecodeError>, message: Message, message_room: usize) -> Result<T, Status> {
    match read {
        Ok(read) => write_text("", message, message_room).map(|()| read),
        Err(error) => write_text(&error, message, message_room).and(Err(Status::from(&error))),
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_free(container: Option<Box<Container>>) {
    or((), || drop(container));
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_tiers(container: Option<&Container>) -> usize {
    container.map_or(0, |c| c.file.tiers.len())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_tier_name(
    container: Option<&Container>,
    tier: usize,
    length: Out<'_, usize>,
) -> *const c_char {
    name(container.and_then(|c| c.file.tiers.get(tier)).map(|mark| &mark.name), length)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_join(
    container: Option<&mut Container>,
    bytes: *const u8,
    length: usize,
    bind: Floats,
    bind_joints: usize,
    message: Message,
    message_room: usize,
) -> Status {
    Status::of(|| {
        let container = container.ok_or(Status::InvalidArgument)?;
        let bind = container.bind_or(bind, bind_joints)?;
        let read = TierFile::read(values(bytes, length)?);
        or_message(read.and_then(|tier| container.file.join(&tier, &bind)), message, message_room)
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_clips(container: Option<&Container>) -> usize {
    container.map_or(0, |c| c.file.clips.len())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_clip_name(
    container: Option<&Container>,
    clip: usize,
    length: Out<'_, usize>,
) -> *const c_char {
    name(container.and_then(|c| c.file.clips.get(clip)).map(|c| &c.name), length)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_floats(container: Option<&Container>) -> usize {
    container.map_or(0, |c| c.file.float_names.len())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_float_name(
    container: Option<&Container>,
    track: usize,
    length: Out<'_, usize>,
) -> *const c_char {
    name(container.and_then(|c| c.file.float_names.get(track)), length)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_joints(container: Option<&Container>) -> usize {
    container.map_or(0, |c| joints(c).len())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_joint_name(
    container: Option<&Container>,
    joint: usize,
    length: Out<'_, usize>,
) -> *const c_char {
    name(container.and_then(|c| joints(c).get(joint)).map(|j| &j.name), length)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_container_joint(
    container: Option<&Container>,
    joint: usize,
    parent: Out<'_, i32>,
    bind: FloatsOut,
) -> Status {
    Status::of(|| {
        let joint = container.and_then(|c| joints(c).get(joint)).ok_or(Status::InvalidArgument)?;
        let bind = room(bind, joint.bind.len())?;
        give(parent, joint.parent.map_or(-1, i32::from))?;
        bind.copy_from_slice(&joint.bind);
        Ok(())
    })
}

/// Joints of the rig; empty if the rig was stripped.
pub(crate) fn joints(container: &Container) -> &[RigJoint] {
    container.file.rig.as_ref().map_or(&[], |rig| &rig.joints)
}

/// The bytes of a name, with their number in `length`. Null and 0 for no name.
fn name(name: Option<&String>, length: Out<'_, usize>) -> *const c_char {
    length.into_iter().for_each(|length| _ = length.write(name.map_or(0, String::len)));
    name.map_or(std::ptr::null(), |name| name.as_ptr().cast())
}
