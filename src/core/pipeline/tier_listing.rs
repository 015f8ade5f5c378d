use crate::format::{DecodeError, TierFile};
use crate::import::readable;
use crate::pipeline::ArchiveListing;

/// What a tier file says of itself, readable without its container.
#[derive(Debug, Clone, PartialEq)]
pub struct TierListing {
    /// What it is called: `low`.
    pub name: String,
    /// By which its container knows it.
    pub checksum: u32,
    /// Bytes of what it has of each clip, in the order of the container; none of a clip that it has nothing of.
    pub clip_bytes: Vec<usize>,
}

/// What a container says of one of its tier files.
#[derive(Debug, Clone, PartialEq)]
pub struct TierPlace {
    /// Tiers that are put back before it.
    pub after: Vec<String>,
    /// What the clips stay within without it and those behind it, metres.
    pub tolerance_m: f32,
    /// Names of the clips.
    pub clips: Vec<String>,
}

impl TierListing {
    /// Reads a tier file and checks all its checksums.
    ///
    /// # Errors
    /// See [`DecodeError`]; any bytes are safe to pass.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let TierFile { name, checksum, clips } = TierFile::read(bytes)?;
        Ok(Self { name: readable(&name), checksum, clip_bytes: clips.iter().map(Vec::len).collect() })
    }

    /// Its place in a container; `None` in one that it was not taken out of.
    pub fn place_in(&self, container: &ArchiveListing) -> Option<TierPlace> {
        let place = container.tiers.iter().position(|mark| mark.checksum == self.checksum)?;
        Some(TierPlace {
            after: container.tiers[..place].iter().map(|mark| mark.name.clone()).collect(),
            tolerance_m: container.tiers[place].tolerance_m,
            clips: container.clips.iter().map(|clip| clip.name.clone()).collect(),
        })
    }
}
