use crate::format::{ClipEntry, Container, ContainerFile, DecodeError};
use thiserror::Error;

/// Why containers cannot be merged.
#[derive(Debug, Error, PartialEq)]
pub enum MergeError {
    /// A container is damaged.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The clips are for different rigs.
    #[error(
        "clip '{clip}' is for another rig than '{first}'; a container holds one rig. Use --one-per file, or --rig FILE"
    )]
    OtherRig {
        /// The clip.
        clip: String,
        /// The first clip of the container.
        first: String,
    },
}

/// Merges containers of one clip into one. Each part has the new name of its clip.
///
/// The bytes are those of a container that was written at once.
///
/// # Errors
/// See [`MergeError`].
pub fn merged_container(parts: &[(String, Vec<u8>)]) -> Result<Vec<u8>, MergeError> {
    let mut merged: Option<Container> = None;
    for (name, bytes) in parts {
        let mut part = Container::read_checked(bytes)?;
        part.clips.iter_mut().for_each(|clip: &mut ClipEntry| clip.name.clone_from(name));
        match &mut merged {
            None => merged = Some(part),
            Some(all) if all.rig_digest == part.rig_digest && all.float_names == part.float_names => {
                all.clips.append(&mut part.clips);
            }
            Some(all) => {
                let first = all.clips.first().map_or(String::new(), |clip| clip.name.clone());
                return Err(MergeError::OtherRig { clip: name.clone(), first });
            }
        }
    }
    Ok(merged.map(|container| container.write()).unwrap_or_default())
}
