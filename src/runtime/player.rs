use crate::{Cursor, NoMemory, Opened, Pose, Sampler};
use core::ops::Deref;

/// An opened clip with its own cursor, as a [`Sampler`].
///
/// `O` is a reference, `Box` or `Arc` of the clip.
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
