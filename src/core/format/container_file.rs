use super::{
    ByteWriter, CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, CONTAINER_VERSION, ClipEntry, Container, DecodeError,
    FileBytes, RigSection, SharedText, TierMark, UNSTORED_BIND, directory_crc,
};
use std::io::{self, Write};

/// Writes containers, and checks more than a player needs.
pub trait ContainerFile: Sized {
    /// A container with its rig.
    fn new(rig: RigSection, float_names: Vec<String>, clips: Vec<ClipEntry>) -> Self;
    /// The bytes of the file.
    fn write(&self) -> Vec<u8>;
    /// Like [`Container::read`], and checks the digest of the rig.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass.
    fn read_checked(bytes: &[u8]) -> Result<Self, DecodeError>;
}

/// Identifies a rig, even if it was stripped from a file.
pub trait RigDigest {
    /// The stored form of the rig.
    fn to_bytes(&self) -> Vec<u8>;
    /// BLAKE3 of those bytes.
    fn digest(&self) -> [u8; 32];
}

impl ContainerFile for Container {
    fn new(rig: RigSection, float_names: Vec<String>, clips: Vec<ClipEntry>) -> Self {
        Self { rig_digest: rig.digest(), rig: Some(rig), float_names, clips, tiers: Vec::new() }
    }

    fn write(&self) -> Vec<u8> {
        let clips = self.clips.iter().map(|clip| ClipToWrite {
            name: &clip.name,
            codec: clip.codec,
            recipe: clip.recipe.clone(),
            tolerance_m: clip.tolerance_m,
            bytes: &clip.bytes,
        });
        let rig = self.rig.as_ref().map(RigSection::to_bytes).unwrap_or_default();
        let (rig_digest, float_names, tiers) = (self.rig_digest, &self.float_names[..], self.tiers.clone());
        ContainerToWrite { rig, rig_digest, float_names, clips: clips.collect(), tiers }.to_bytes()
    }

    fn read_checked(bytes: &[u8]) -> Result<Self, DecodeError> {
        let container = Self::read(bytes)?;
        match &container.rig {
            Some(rig) if rig.digest() != container.rig_digest => {
                let expected = "that of the rig section";
                Err(DecodeError::invalid("digest of the rig", CONTAINER_HEADER_BYTES, "another", expected))
            }
            _ => Ok(container),
        }
    }
}

/// A container to write. It borrows its clips, so that long takes are not copied.
#[derive(Debug)]
pub struct ContainerToWrite<'a> {
    rig: Vec<u8>,
    rig_digest: [u8; 32],
    float_names: &'a [String],
    clips: Vec<ClipToWrite<'a>>,
    tiers: Vec<TierMark>,
}

/// A clip of a container to write.
#[derive(Debug)]
pub struct ClipToWrite<'a> {
    /// Name of the clip.
    pub name: &'a str,
    /// Codec id.
    pub codec: [u8; 4],
    /// Its recipe without the tolerance, as TOML; empty to omit it.
    pub recipe: SharedText,
    /// Tolerance of its recipe, metres.
    pub tolerance_m: f32,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The directory entry of a clip, without its bytes.
#[derive(Debug, Clone, Copy)]
pub struct ListedClip<'a> {
    /// Name of the clip.
    pub name: &'a str,
    /// Codec id.
    pub codec: [u8; 4],
    /// See [`ClipToWrite::recipe`].
    pub recipe: &'a str,
    /// See [`ClipToWrite::tolerance_m`].
    pub tolerance_m: f32,
    /// Length of the clip, bytes.
    pub bytes: usize,
}

/// Bytes of a container without its clips: header, directory (names, recipes, checksums) and a rig of `rig_bytes`.
pub fn bytes_besides_clips(rig_bytes: usize, float_names: &[String], clips: &[ListedClip<'_>]) -> usize {
    let directory = Directory { rig_digest: [0; 32], rig: (rig_bytes, 0), float_names, clips, tiers: &[] };
    CONTAINER_HEADER_BYTES + directory.to_bytes(&vec![0; clips.len()]).len() + rig_bytes
}

impl<'a> ContainerToWrite<'a> {
    /// A container with its rig.
    pub fn new(rig: &RigSection, float_names: &'a [String], clips: Vec<ClipToWrite<'a>>) -> Self {
        Self { rig: rig.to_bytes(), rig_digest: rig.digest(), float_names, clips, tiers: Vec::new() }
    }

    /// The same container with tiers, in the order in which they are joined.
    pub fn with_tiers(self, tiers: Vec<TierMark>) -> Self {
        Self { tiers, ..self }
    }

    /// Length of the file, bytes.
    #[allow(clippy::len_without_is_empty)] // a file is never empty
    pub fn len(&self) -> usize {
        let directory = self.directory(&vec![0; self.clips.len()], 0);
        CONTAINER_HEADER_BYTES + directory.len() + self.rig.len() + self.clips_len()
    }

    /// Length of its clips, bytes.
    pub fn clips_len(&self) -> usize {
        self.clips.iter().map(|clip| clip.bytes.len()).sum()
    }

    /// Length of its rig, bytes.
    pub fn rig_len(&self) -> usize {
        self.rig.len()
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        self.write_to(&mut out).expect("writing to memory does not fail");
        out
    }

    fn directory(&self, checksums: &[u32], rig_checksum: u32) -> Vec<u8> {
        let listed = |clip: &ClipToWrite<'a>| (clip.name, clip.codec, clip.tolerance_m, clip.bytes.len());
        let listed = self.clips.iter().map(|clip| (listed(clip), &*clip.recipe));
        let clips: Vec<_> = listed
            .map(|((name, codec, tolerance_m, bytes), recipe)| ListedClip { name, codec, recipe, tolerance_m, bytes })
            .collect();
        let rig = (self.rig.len(), rig_checksum);
        let (rig_digest, float_names, tiers) = (self.rig_digest, self.float_names, &self.tiers[..]);
        Directory { rig_digest, rig, float_names, clips: &clips, tiers }.to_bytes(checksums)
    }
}

/// The directory of a container.
struct Directory<'a> {
    rig_digest: [u8; 32],
    /// Length and checksum of the rig.
    rig: (usize, u32),
    float_names: &'a [String],
    clips: &'a [ListedClip<'a>],
    tiers: &'a [TierMark],
}

impl Directory<'_> {
    /// `checksums` has one entry per clip.
    fn to_bytes(&self, checksums: &[u32]) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.bytes(&self.rig_digest);
        out.section(self.rig.0, self.rig.1);
        out.names(self.float_names.iter().map(String::as_str));
        let mut kinds: Vec<([u8; 4], &str)> = Vec::new();
        let of_clips: Vec<usize> =
            self.clips.iter().map(|clip| place_in(&mut kinds, (clip.codec, clip.recipe))).collect();
        out.varint(kinds.len() as u64);
        for (codec, recipe) in kinds {
            out.bytes(&codec);
            out.long_text(recipe);
        }
        out.varint(self.clips.len() as u64);
        let mut before = "";
        for ((clip, kind), checksum) in self.clips.iter().zip(of_clips).zip(checksums) {
            out.name(before, clip.name);
            out.varint(kind as u64);
            out.f32(clip.tolerance_m);
            out.section(clip.bytes, *checksum);
            before = clip.name;
        }
        out.u8(self.tiers.len() as u8);
        for TierMark { name, tolerance_m, checksum, bytes } in self.tiers {
            out.text(name);
            out.f32(*tolerance_m);
            out.u32(*checksum);
            out.u64(*bytes);
        }
        out.finish()
    }
}

/// Index of a kind in a list. Adds the kind if it is missing.
fn place_in<T: PartialEq>(kinds: &mut Vec<T>, kind: T) -> usize {
    // Searched from the end, because adjacent clips mostly have the same kind.
    let known = kinds.iter().rposition(|known| *known == kind);
    known.unwrap_or_else(|| {
        kinds.push(kind);
        kinds.len() - 1
    })
}

impl ByteWriter {
    fn section(&mut self, len: usize, checksum: u32) {
        self.varint(len as u64);
        self.u32(checksum);
    }

    /// The count, then each name coded against the one before.
    fn names<'n>(&mut self, names: impl ExactSizeIterator<Item = &'n str>) {
        self.varint(names.len() as u64);
        names.fold("", |before, name| {
            self.name(before, name);
            name
        });
    }
}

impl FileBytes for ContainerToWrite<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let checksums: Vec<u32> = self.clips.iter().map(|clip| crc32fast::hash(clip.bytes)).collect();
        let directory = self.directory(&checksums, crc32fast::hash(&self.rig));
        out.write_all(&file_header(&CONTAINER_MAGIC, CONTAINER_VERSION, &directory))?;
        out.write_all(&directory)?;
        out.write_all(&self.rig)?;
        self.clips.iter().try_for_each(|clip| out.write_all(clip.bytes))
    }
}

/// The header before the directory of a file.
pub(super) fn file_header(magic: &[u8; 8], version: u16, directory: &[u8]) -> Vec<u8> {
    let mut out = ByteWriter::with_capacity(CONTAINER_HEADER_BYTES);
    out.bytes(magic);
    out.u16(version);
    out.u16(0);
    out.u32(directory.len() as u32);
    let checked = out.clone().finish();
    out.u32(directory_crc(&checked, directory));
    out.finish()
}

impl RigDigest for RigSection {
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.long_text(&self.name);
        out.varint(self.joints.len() as u64);
        let mut before = "";
        for joint in &self.joints {
            out.name(before, &joint.name);
            out.varint(joint.parent.map_or(0, |parent| u64::from(parent) + 1));
            let numbers = joint.bind.iter().zip(UNSTORED_BIND).enumerate();
            let stored: Vec<_> = numbers.filter(|(_, (x, identity))| x.to_bits() != identity.to_bits()).collect();
            out.varint(stored.iter().map(|(bit, _)| 1 << bit).sum());
            stored.iter().for_each(|(_, (x, _))| out.f32(**x));
            before = &joint.name;
        }
        out.finish()
    }

    fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}
