use crate::Channel;
use crate::format::BindPose;
use crate::math::Transform;
use crate::memory::{NoMemory, TryPush, with_room};
use crate::parts::PoseSlice;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The pose of all tracks that do not move: the rig's bind pose, shared by all its clips, and the constant tracks.
#[derive(Debug)]
pub struct StillPose {
    bind: BindPose,
    rotations: Vec<StillRotation>,
    vectors: Vec<StillVector>,
}

#[derive(Debug)]
struct StillRotation {
    joint: u16,
    /// As numbers, which need no alignment.
    numbers: [f32; 4],
}

#[derive(Debug)]
struct StillVector {
    joint: u16,
    is_scale: bool,
    vector: Vec3,
}

impl StillPose {
    /// A bind pose.
    pub fn new(bind: &BindPose) -> Self {
        Self { bind: bind.clone(), rotations: Vec::new(), vectors: Vec::new() }
    }

    /// A bind pose, with room for constant tracks of these channels.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn with_room(bind: &BindPose, constant: impl Iterator<Item = Channel> + Clone) -> Result<Self, NoMemory> {
        let rotations = constant.clone().filter(|channel| *channel == Channel::Rotation).count();
        let (rotations, vectors) = (with_room(rotations)?, with_room(constant.count() - rotations)?);
        Ok(Self { bind: bind.clone(), rotations, vectors })
    }

    /// Sets a constant track to the value of its channel in `local`.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn set(&mut self, joint: usize, channel: Channel, local: &Transform) -> Result<(), NoMemory> {
        let (joint, numbers) = (joint as u16, local.rotation.to_array());
        match channel {
            Channel::Rotation => self.rotations.try_push(StillRotation { joint, numbers }),
            Channel::Translation => {
                self.vectors.try_push(StillVector { joint, is_scale: false, vector: local.translation })
            }
            Channel::Scale => self.vectors.try_push(StillVector { joint, is_scale: true, vector: local.scale }),
        }
    }

    /// Sets the wanted joints.
    pub fn put(&self, out: &mut PoseSlice<'_>) {
        out.copy_from(&self.bind);
        for StillRotation { joint, numbers } in &self.rotations {
            if let Some(out) = out.joint(usize::from(*joint)) {
                out.rotation = Quat::from_array(*numbers);
            }
        }
        for StillVector { joint, is_scale, vector } in &self.vectors {
            if let Some(out) = out.joint(usize::from(*joint)) {
                *(if *is_scale { &mut out.scale } else { &mut out.translation }) = *vector;
            }
        }
    }

    /// Bytes of memory besides those of the type itself and the shared bind pose.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.rotations[..]) + size_of_val(&self.vectors[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_with_constant_tracks_differ_from_the_bind_pose() {
        let at = |x: f32| Transform::from_translation(Vec3::new(x, 0.0, 0.0));
        let bind = BindPose::new((0..70).map(|joint| at(joint as f32))).unwrap();
        let constant = [Channel::Translation, Channel::Rotation, Channel::Translation];
        let mut still = StillPose::with_room(&bind, constant.into_iter()).unwrap();
        assert_eq!(still.bind.as_ptr(), bind.as_ptr(), "the rig's, not a copy");
        still.set(3, Channel::Translation, &at(-1.0)).unwrap();
        still.set(66, Channel::Rotation, &at(7.0)).unwrap();
        still.set(66, Channel::Translation, &at(-2.0)).unwrap();
        assert_eq!(still.heap_bytes(), 20 + 2 * 16);
        let x = |joint: usize| {
            if joint == 3 {
                -1.0
            } else if joint == 66 {
                -2.0
            } else {
                joint as f32
            }
        };
        let mut whole = [Transform::IDENTITY; 70];
        still.put(&mut PoseSlice::whole(&mut whole));
        assert!((0..70).all(|joint| whole[joint] == at(x(joint))));
        let mut part = [Transform::IDENTITY; 5];
        still.put(&mut PoseSlice::part(&mut part, 63));
        assert!((0..5).all(|joint| part[joint] == at(x(63 + joint))));
        let mut masked = [Transform::IDENTITY; 70];
        still.put(&mut PoseSlice::masked(&mut masked, 0, &[1 << 5, 1 << 2]));
        let wanted = |joint: usize| joint == 5 || joint == 66;
        assert!((0..70).all(|joint| masked[joint] == if wanted(joint) { at(x(joint)) } else { Transform::IDENTITY }));
    }
}
