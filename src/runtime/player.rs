use crate::{Cursor, NoMemory, Opened, Pose, Sampler};
use core::ops::Deref;

/// An opened clip with its own cursor, as a [`Sampler`].
///
/// `O` is a reference, `Box` or `Arc` of the clip.
///
/// # Example
/// ```
/// # use posepress_runtime::{CodecId, Container, Opened, Transform};
/// use posepress_runtime::{Player, Pose};
///
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
/// # let container = Container::read(file)?;
/// # let rig = container.rig.as_ref().ok_or("the rig was stripped")?;
/// # let bind = rig.bind_pose()?;
/// # let entry = &container.clips[0];
/// # let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind)?;
/// let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
/// let mut player = Player::new(&clip)?;
/// player.sample(0.0, &mut pose);
/// assert_eq!(player.clip().header().joints, pose.joints.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Player<O> {
    clip: O,
    cursor: Cursor<'static>,
}

impl<O: Deref<Target = Opened<B>>, B: AsRef<[u8]>> Player<O> {
    /// A player at the clip's start.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(clip: O) -> Result<Self, NoMemory> {
        let cursor = clip.cursor()?;
        Ok(Self { clip, cursor })
    }

    /// The clip.
    pub fn clip(&self) -> &Opened<B> {
        &self.clip
    }

    /// The cursor.
    pub fn cursor(&mut self) -> &mut Cursor<'static> {
        &mut self.cursor
    }

    /// See [`Opened::sample`].
    pub fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        self.clip.sample(&mut self.cursor, at_sample, out);
    }
}

impl<O: Deref<Target = Opened<B>>, B: AsRef<[u8]>> Sampler for Player<O> {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        Player::sample(self, at_sample, out);
    }
}
