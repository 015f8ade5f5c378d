use crate::format::{ClipEntry, Container, ContainerFile, DecodeError};
use std::collections::HashSet;
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
    /// A container without some of its tiers: its clips would look whole in the merged one.
    #[error("clip '{clip}' is stored without its tiers. Join its tier files first")]
    Tiers {
        /// The first clip of the container.
        clip: String,
    },
    /// Two clips have one name.
    #[error("two of the containers hold a clip '{clip}'. Give one of them another name")]
    SameName {
        /// The name.
        clip: String,
    },
}

/// Merges containers of one clip into one. Each part has the new name of its clip.
///
/// The bytes are those of a container that was written at once.
///
/// # Errors
/// See [`MergeError`].
pub fn merged_container(parts: &[(String, Vec<u8>)]) -> Result<Vec<u8>, MergeError> {
    merged(parts.iter().map(|(name, bytes)| {
        let mut part = Container::read_checked(bytes)?;
        part.clips.iter_mut().for_each(|clip: &mut ClipEntry| clip.name.clone_from(name));
        Ok(part)
    }))
}

/// Merges containers into one that holds all of their clips in order, with their names.
///
/// # Errors
/// See [`MergeError`].
pub fn merge_containers<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, MergeError> {
    let mut names = HashSet::new();
    merged(files.into_iter().map(|bytes| {
        let part = Container::read_checked(bytes)?;
        if !part.tiers.is_empty() {
            return Err(MergeError::Tiers { clip: first_name(&part) });
        }
        match part.clips.iter().find(|clip| !names.insert(clip.name.clone())) {
            Some(clip) => Err(MergeError::SameName { clip: clip.name.clone() }),
            None => Ok(part),
        }
    }))
}

fn merged(parts: impl Iterator<Item = Result<Container, MergeError>>) -> Result<Vec<u8>, MergeError> {
    let mut merged: Option<Container> = None;
    for part in parts {
        let mut part = part?;
        match &mut merged {
            None => merged = Some(part),
            Some(all) if all.rig_digest == part.rig_digest && all.float_names == part.float_names => {
                all.clips.append(&mut part.clips);
            }
            Some(all) => {
                return Err(MergeError::OtherRig { clip: first_name(&part), first: first_name(all) });
            }
        }
    }
    Ok(merged.map(|container| container.write()).unwrap_or_default())
}

fn first_name(of: &Container) -> String {
    of.clips.first().map_or(String::new(), |clip| clip.name.clone())
}
