//! The virtual vertices of joints, kept from one attempt of a search to the next.

use crate::codecs::encode::VirtualVertices;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Most memory for the points of all joints. For a long take they are larger than the clip.
const MOST_BYTES: usize = 8 << 20;

/// The points of each joint of a clip, as far as there is room for them. They do not depend on the limit.
#[derive(Debug)]
pub struct KeptPoints {
    joints: Vec<OnceLock<Arc<VirtualVertices>>>,
    room_bytes: AtomicUsize,
}

impl KeptPoints {
    /// Room for the points of that many joints.
    pub fn new(joints: usize) -> Self {
        let joints = (0..joints).map(|_| OnceLock::new()).collect();
        Self { joints, room_bytes: AtomicUsize::new(MOST_BYTES) }
    }

    /// The points of a joint. They are kept if `make` always returns the same for it.
    pub fn of(&self, joint: usize, is_kept: bool, make: impl FnOnce() -> VirtualVertices) -> Arc<VirtualVertices> {
        if !is_kept {
            return Arc::new(make());
        }
        if let Some(kept) = self.joints[joint].get() {
            return kept.clone();
        }
        let made = Arc::new(make());
        let less = |room: usize| room.checked_sub(made.bytes());
        if self.room_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
            // Only one thread solves a joint, so nothing was kept meanwhile.
            let _ = self.joints[joint].set(made.clone());
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::Source;
    use crate::codecs::encode::VertexSet;
    use crate::math::Transform;
    use crate::model::{Clip, ClipData, Joint, Skeleton};

    fn clip(samples: usize) -> Clip {
        Clip::new(ClipData {
            name: "still".into(),
            joints: 1,
            duration_secs: samples as f32,
            transforms: vec![Transform::IDENTITY; samples],
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        })
        .unwrap()
    }

    #[test]
    fn points_are_made_once_while_there_is_room() {
        let joint = Joint { name: "root".into(), parent: None, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint]).unwrap();
        for (samples, is_kept, expected) in [(3, true, 1), (MOST_BYTES / 48, true, 2), (3, false, 2)] {
            let clip = clip(samples);
            let source = Source::new(&skeleton, &clip, 0.001, &[0.1]);
            let (kept, mut made) = (KeptPoints::new(1), 0);
            for _ in 0..2 {
                kept.of(0, is_kept, || {
                    made += 1;
                    VirtualVertices::new(&source, 0, VertexSet::All, 0..samples, |_, _| glam::Affine3A::IDENTITY)
                });
            }
            assert_eq!(made, expected, "{samples} samples");
        }
    }
}
