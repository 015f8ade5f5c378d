use crate::Channel;
use crate::format::BindPose;
use crate::math::Transform;
use crate::memory::{Boxed, NoMemory, TryPush, boxed, with_room};
use crate::parts::PoseSlice;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The pose of all tracks that do not move: the rig's bind pose, shared by all its clips, and the constant tracks.
#[derive(Debug)]
pub struct StillPose {
    bind: BindPose,
    constant: Option<Boxed<Constant>>,
}

/// Constant tracks.
#[derive(Debug)]
struct Constant {
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
        Self { bind: bind.clone(), constant: None }
    }

    /// A bind pose, with room for constant tracks of these channels.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn with_room(bind: &BindPose, channels: impl Iterator<Item = Channel>) -> Result<Self, NoMemory> {
        let (rotations, vectors) = channels.fold((0, 0), |(rotations, vectors), channel| match channel {
            Channel::Rotation => (rotations + 1, vectors),
            Channel::Translation | Channel::Scale => (rotations, vectors + 1),
        });
        if rotations + vectors == 0 {
            return Ok(Self::new(bind));
        }
        let constant = Constant { rotations: with_room(rotations)?, vectors: with_room(vectors)? };
        Ok(Self { bind: bind.clone(), constant: Some(boxed(constant)?) })
    }

    /// Appends a constant track: the channel of a transform.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn add(&mut self, joint: usize, channel: Channel, local: &Transform) -> Result<(), NoMemory> {
        self.constant.as_mut().map_or(Ok(()), |constant| constant.add(joint as u16, channel, local))
    }

    /// Sets the wanted joints.
    pub fn put(&self, out: &mut PoseSlice<'_>) {
        out.copy_from(&self.bind);
        if let Some(constant) = &self.constant {
            constant.put(out);
        }
    }

    /// Bytes of memory besides those of the type itself and the shared bind pose.
    pub fn heap_bytes(&self) -> usize {
        self.constant.as_deref().map_or(0, |constant| {
            size_of_val(constant) + size_of_val(&constant.rotations[..]) + size_of_val(&constant.vectors[..])
        })
    }
}

impl Constant {
    fn put(&self, out: &mut PoseSlice<'_>) {
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

    fn add(&mut self, joint: u16, channel: Channel, local: &Transform) -> Result<(), NoMemory> {
        let (vector, is_scale) = match channel {
            Channel::Rotation => {
                let numbers = local.rotation.to_array();
                return self.rotations.try_push(StillRotation { joint, numbers });
            }
            Channel::Translation => (local.translation, false),
            Channel::Scale => (local.scale, true),
        };
        self.vectors.try_push(StillVector { joint, is_scale, vector })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_with_constant_tracks_differ_from_the_bind_pose() {
        let at = |x: f32| Transform::from_translation(Vec3::new(x, 0.0, 0.0));
        let bind = BindPose::new((0..70).map(|joint| at(joint as f32))).unwrap();
        let tracks = [
            (3, Channel::Translation, at(-1.0)),
            (66, Channel::Rotation, at(7.0)),
            (66, Channel::Translation, at(-2.0)),
        ];
        let channels = tracks.iter().map(|(_, channel, _)| *channel);
        let mut still = StillPose::with_room(&bind, channels).unwrap();
        tracks.iter().for_each(|(joint, channel, local)| still.add(*joint, *channel, local).unwrap());
        assert_eq!(still.bind.as_ptr(), bind.as_ptr(), "the rig's, not a copy");
        assert_eq!(still.heap_bytes(), size_of::<Constant>() + 20 + 2 * 16);
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
