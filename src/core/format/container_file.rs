use super::{
    ByteWriter, CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, CONTAINER_VERSION, ClipEntry, Container, DecodeError,
    FileBytes, NO_PARENT, RigSection, TIERED_VERSION, TierMark, directory_crc,
};
use std::io::{self, Write};

/// What makes files of containers, and checks of them what a player need not.
pub trait ContainerFile: Sized {
    /// A container with its rig.
    fn new(rig: RigSection, float_names: Vec<String>, clips: Vec<ClipEntry>) -> Self;
    /// The bytes of the file.
    fn write(&self) -> Vec<u8>;
    /// As [`Container::read`]; checks the rig's digest too.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass.
    fn read_checked(bytes: &[u8]) -> Result<Self, DecodeError>;
}

/// Tells rigs apart, also where the rig itself was stripped from a file.
pub trait RigDigest {
    /// What a file keeps of the rig.
    fn to_bytes(&self) -> Vec<u8>;
    /// blake3 of those bytes.
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

/// A container whose clips lie elsewhere: long takes are not copied to be written.
#[derive(Debug)]
pub struct ContainerToWrite<'a> {
    rig: Vec<u8>,
    rig_digest: [u8; 32],
    float_names: &'a [String],
    clips: Vec<ClipToWrite<'a>>,
    tiers: Vec<TierMark>,
}

/// What a container says of a clip, and its bytes.
#[derive(Debug)]
pub struct ClipToWrite<'a> {
    /// Name of the clip.
    pub name: &'a str,
    /// Which codec reads its bytes.
    pub codec: [u8; 4],
    /// How it was made, as TOML.
    pub recipe: String,
    /// All that belongs to it.
    pub bytes: &'a [u8],
}

impl<'a> ContainerToWrite<'a> {
    /// A container with its rig.
    pub fn new(rig: &RigSection, float_names: &'a [String], clips: Vec<ClipToWrite<'a>>) -> Self {
        Self { rig: rig.to_bytes(), rig_digest: rig.digest(), float_names, clips, tiers: Vec::new() }
    }

    /// The same with what was taken out of its clips, in the order in which it is put back.
    pub fn with_tiers(self, tiers: Vec<TierMark>) -> Self {
        Self { tiers, ..self }
    }

    /// Bytes of the file.
    #[allow(clippy::len_without_is_empty)] // a file is never empty
    pub fn len(&self) -> usize {
        self.first_section() + self.rig.len() + self.clips.iter().map(|clip| clip.bytes.len()).sum::<usize>()
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        self.write_to(&mut out).expect("memory takes all that is written");
        out
    }

    /// Sections are of fixed size in the directory, so its length does not depend on the offsets in it.
    fn first_section(&self) -> usize {
        CONTAINER_HEADER_BYTES + self.directory(0).len()
    }

    fn directory(&self, first_section: usize) -> Vec<u8> {
        let mut offset = first_section as u64;
        let mut section = |out: &mut ByteWriter, bytes: &[u8]| {
            out.u64(offset);
            out.u64(bytes.len() as u64);
            out.u32(crc32fast::hash(bytes));
            offset += bytes.len() as u64;
        };
        let mut out = ByteWriter::new();
        out.bytes(&self.rig_digest);
        section(&mut out, &self.rig);
        out.u16(self.float_names.len() as u16);
        self.float_names.iter().for_each(|name| out.text(name));
        out.u32(self.clips.len() as u32);
        for clip in &self.clips {
            out.text(clip.name);
            out.bytes(&clip.codec);
            out.u32(clip.recipe.len() as u32);
            out.bytes(clip.recipe.as_bytes());
            section(&mut out, clip.bytes);
        }
        if !self.tiers.is_empty() {
            out.u8(self.tiers.len() as u8);
        }
        for TierMark { name, tolerance_m, checksum, bytes } in &self.tiers {
            out.text(name);
            out.f32(*tolerance_m);
            out.u32(*checksum);
            out.u64(*bytes);
        }
        out.finish()
    }
}

impl FileBytes for ContainerToWrite<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let directory = self.directory(self.first_section());
        let version = if self.tiers.is_empty() { CONTAINER_VERSION } else { TIERED_VERSION };
        out.write_all(&file_header(&CONTAINER_MAGIC, version, &directory))?;
        out.write_all(&directory)?;
        out.write_all(&self.rig)?;
        self.clips.iter().try_for_each(|clip| out.write_all(clip.bytes))
    }
}

/// What stands before the directory of a file.
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
        out.text(&self.name);
        out.u16(self.joints.len() as u16);
        for joint in &self.joints {
            out.text(&joint.name);
            out.u16(joint.parent.unwrap_or(NO_PARENT));
            joint.bind.iter().for_each(|x| out.f32(*x));
        }
        out.finish()
    }

    fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}
