use crate::format::{DecodeError, TierFile};
use crate::import::readable;
use crate::pipeline::ArchiveListing;

/// The contents of a tier file, readable without its container.
#[derive(Debug, Clone, PartialEq)]
pub struct TierListing {
    /// Its name, such as `low`.
    pub name: String,
    /// The checksum by which its container recognises it.
    pub checksum: u32,
    /// Bytes per clip, in the order of the container. 0 if the tier has no data of a clip.
    pub clip_bytes: Vec<usize>,
}

/// The place of a tier file in its container.
#[derive(Debug, Clone, PartialEq)]
pub struct TierPlace {
    /// Names of the tiers that are put back before it.
    pub after: Vec<String>,
    /// Error limit of the clips without this tier and the later ones, metres.
    pub tolerance_m: f32,
    /// Names of the clips.
    pub clips: Vec<String>,
}

impl TierListing {
    /// Reads a tier file and checks all its checksums. Any bytes are safe to pass.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let TierFile { name, checksum, clips } = TierFile::read(bytes)?;
        Ok(Self { name: readable(&name), checksum, clip_bytes: clips.iter().map(Vec::len).collect() })
    }

    /// Its place in a container. `None` if it does not belong to it.
    pub fn place_in(&self, container: &ArchiveListing) -> Option<TierPlace> {
        let place = container.tiers.iter().position(|mark| mark.checksum == self.checksum)?;
        Some(TierPlace {
            after: container.tiers[..place].iter().map(|mark| mark.name.clone()).collect(),
            tolerance_m: container.tiers[place].tolerance_m,
            clips: container.clips.iter().map(|clip| clip.name.clone()).collect(),
        })
    }
}
