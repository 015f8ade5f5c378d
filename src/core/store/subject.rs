use crate::model::{Clip, Rig};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Digest of a clip and its rig as they were imported: of everything in them that is compressed and measured. Two files with the same
/// motion on the same rig have the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Subject(String);

/// Digest of a rig, which its clips share.
#[derive(Debug, Clone, Copy)]
struct RigDigest(blake3::Hash);

impl RigDigest {
    /// The digest of a rig with its meshes, without its textures.
    fn of(rig: &Rig) -> Self {
        Self(digest(blake3::Hasher::new(), rig))
    }
}

impl Subject {
    /// The subject of a clip. Its base, if it is additive, is part of it.
    fn of(rig: RigDigest, clip: &Clip) -> Self {
        let mut start = blake3::Hasher::new();
        start.update(rig.0.as_bytes());
        Self(digest(start, clip).to_hex().to_string())
    }
}

/// Subjects of clips. Those of the last rig and of a few clips are kept: a dragged slider asks for the same clip again and again.
#[derive(Debug, Default)]
pub struct Subjects {
    rig: Option<(Arc<Rig>, RigDigest)>,
    /// Latest first.
    clips: VecDeque<(Arc<Rig>, Arc<Clip>, Subject)>,
}

/// Number of clips that are kept.
const KEPT: usize = 4;

impl Subjects {
    /// The subject of a clip.
    pub fn of(&mut self, rig: &Arc<Rig>, clip: &Arc<Clip>) -> Subject {
        let known = self.clips.iter().find(|(of, one, _)| Arc::ptr_eq(of, rig) && Arc::ptr_eq(one, clip));
        if let Some((.., subject)) = known {
            return subject.clone();
        }
        let digest = match &self.rig {
            Some((known, digest)) if Arc::ptr_eq(known, rig) => *digest,
            _ => RigDigest::of(rig),
        };
        self.rig = Some((rig.clone(), digest));
        let subject = Subject::of(digest, clip);
        self.clips.push_front((rig.clone(), clip.clone(), subject.clone()));
        self.clips.truncate(KEPT);
        subject
    }
}

/// The subjects of many clips, in their order.
pub fn subjects_of(clips: &[(Arc<Rig>, Arc<Clip>)]) -> Vec<Subject> {
    /// Clips whose rig is digested once, as long as they share it.
    const AT_ONCE: usize = 16;
    let of_some = |clips: &[(Arc<Rig>, Arc<Clip>)]| {
        let mut subjects = Subjects::default();
        clips.iter().map(|(rig, clip)| subjects.of(rig, clip)).collect::<Vec<_>>()
    };
    clips.par_chunks(AT_ONCE).flat_map_iter(of_some).collect()
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn digest(mut hasher: blake3::Hasher, value: &impl Serialize) -> blake3::Hash {
    // Small writes are gathered: the digest works on whole blocks.
    let mut gathered = std::io::BufWriter::with_capacity(1 << 16, &mut hasher);
    rmp_serde::encode::write(&mut gathered, value).expect("a digest takes any plain data");
    drop(gathered);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{ClipData, Joint, Skeleton};

    fn rig(name: &str) -> Rig {
        let bind = Transform::default();
        Rig::from_skeleton("rig", Skeleton::new(vec![Joint { name: name.into(), parent: None, bind }]).unwrap())
    }

    fn clip(x: f32) -> Clip {
        let at = |x| Transform { translation: glam::Vec3::new(x, 0.0, 0.0), ..Transform::default() };
        Clip::new(ClipData {
            name: "walk".into(),
            joints: 1,
            duration_secs: 1.0,
            transforms: vec![at(0.0), at(x)],
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        })
        .unwrap()
    }

    #[test]
    fn any_change_of_clip_or_rig_gives_another_subject() {
        let of = |joint, x| Subject::of(RigDigest::of(&rig(joint)), &clip(x));
        let first = of("hips", 1.0);
        assert_eq!(first, of("hips", 1.0));
        assert_ne!(first, of("hip", 1.0));
        assert_ne!(first, of("hips", 1.0 + f32::EPSILON));
        let looping = clip(1.0).with_looping(!clip(1.0).is_looping());
        assert_ne!(first, Subject::of(RigDigest::of(&rig("hips")), &looping));
    }
}
