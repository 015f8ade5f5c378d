use crate::format::BindPose;
use crate::math::Transform;
use crate::memory::{NoMemory, TryPush, with_room};
use crate::parts::PoseSlice;
use alloc::vec::Vec;

/// The pose of all tracks that do not move: the rig's bind pose, shared by all its clips, and the joints with constant tracks.
#[derive(Debug)]
pub struct StillPose {
    bind: BindPose,
    /// Joints with constant tracks.
    joints: Vec<StillJoint>,
}

#[derive(Debug)]
struct StillJoint {
    joint: u16,
    /// Its transform as numbers, which need no alignment.
    local: [f32; 10],
}

impl StillPose {
    /// A bind pose, with room for `constant` joints with constant tracks.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(bind: &BindPose, constant: usize) -> Result<Self, NoMemory> {
        Ok(Self { bind: bind.clone(), joints: with_room(constant)? })
    }

    /// Sets a joint with constant tracks.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn set(&mut self, joint: usize, local: Transform) -> Result<(), NoMemory> {
        self.joints.try_push(StillJoint { joint: joint as u16, local: local.numbers() })
    }

    /// Sets the wanted joints.
    pub fn put(&self, out: &mut PoseSlice<'_>) {
        out.copy_from(&self.bind);
        for still in &self.joints {
            if let Some(out) = out.joint(usize::from(still.joint)) {
                *out = Transform::from_numbers(still.local);
            }
        }
    }

    /// Bytes of memory besides those of the type itself and the shared bind pose.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.joints[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn joints_with_constant_tracks_differ_from_the_bind_pose() {
        let at = |x: f32| Transform::from_translation(Vec3::new(x, 0.0, 0.0));
        let bind = BindPose::new((0..70).map(|joint| at(joint as f32))).unwrap();
        let mut still = StillPose::new(&bind, 2).unwrap();
        assert_eq!(still.bind.as_ptr(), bind.as_ptr(), "the rig's, not a copy");
        still.set(3, at(-1.0)).unwrap();
        still.set(66, at(-2.0)).unwrap();
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
