use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use posepress_runtime::RigJoint;
use posepress_runtime::{CodecId, Container, DecodeError, Opened};
use thiserror::Error;

/// A container with its clips, checked and opened once and shared by all players.
#[derive(Asset, TypePath)]
pub struct ClipFile {
    joints: Vec<RigJoint>,
    clips: Vec<(String, Opened<Vec<u8>>)>,
}

/// The error of loading a `.posepress` file.
#[derive(Debug, Error)]
pub enum ClipFileError {
    /// The bytes could not be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The bytes are damaged or of an unknown version.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A clip is damaged or of an unknown version.
    #[error("clip '{clip}': {error}")]
    Clip {
        /// Name of the clip.
        clip: String,
        /// The cause.
        error: DecodeError,
    },
    /// The file has no rig: it was stripped.
    #[error("was written without its rig, whose joints are found by their names")]
    NoRig,
}

impl ClipFile {
    /// Reads a container; any bytes are safe to pass.
    ///
    /// # Errors
    /// See [`ClipFileError`].
    pub fn read(bytes: &[u8]) -> Result<Self, ClipFileError> {
        let Container { rig, clips, .. } = Container::read(bytes)?;
        let rig = rig.ok_or(ClipFileError::NoRig)?;
        let bind = rig.bind_pose().map_err(DecodeError::from)?;
        let mut opened = Vec::with_capacity(clips.len());
        for entry in clips {
            match Opened::owned(CodecId(entry.codec), &entry.bytes, &bind) {
                Ok(clip) => opened.push((entry.name, clip)),
                Err(error) => return Err(ClipFileError::Clip { clip: entry.name, error }),
            }
        }
        Ok(Self { joints: rig.joints, clips: opened })
    }

    /// Names of the clips.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.clips.iter().map(|(name, _)| name.as_str())
    }

    /// The clip with that name.
    pub fn clip(&self, name: &str) -> Option<&Opened<Vec<u8>>> {
        self.clips.iter().find(|(known, _)| known == name).map(|(_, clip)| clip)
    }

    /// The joints of the rig, parents first. A pose has one transform per joint.
    pub fn joints(&self) -> &[RigJoint] {
        &self.joints
    }
}

/// Loads a [`ClipFile`].
#[derive(Debug, Default, TypePath)]
pub struct ClipFileLoader;

impl AssetLoader for ClipFileLoader {
    type Asset = ClipFile;
    type Settings = ();
    type Error = ClipFileError;

    async fn load(&self, reader: &mut dyn Reader, (): &(), _: &mut LoadContext<'_>) -> Result<ClipFile, ClipFileError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        ClipFile::read(&bytes)
    }

    fn extensions(&self) -> &[&str] {
        &["posepress"]
    }
}
