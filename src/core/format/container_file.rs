use super::{
    ByteWriter, CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, CONTAINER_VERSION, ClipEntry, Container, DecodeError,
    NO_PARENT, RigSection, directory_crc,
};

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
        Self { rig_digest: rig.digest(), rig: Some(rig), float_names, clips }
    }

    fn write(&self) -> Vec<u8> {
        let rig = self.rig.as_ref().map(RigSection::to_bytes).unwrap_or_default();
        // Sections are of fixed size in the directory, so its length does not depend on the offsets in it.
        let directory_len = directory(self, &rig, 0).len();
        let directory = directory(self, &rig, CONTAINER_HEADER_BYTES + directory_len);
        let mut out = ByteWriter::new();
        out.bytes(&CONTAINER_MAGIC);
        out.u16(CONTAINER_VERSION);
        out.u16(0);
        out.u32(directory.len() as u32);
        let header = out.clone().finish();
        out.u32(directory_crc(&header, &directory));
        out.bytes(&directory);
        out.bytes(&rig);
        self.clips.iter().for_each(|clip| out.bytes(&clip.bytes));
        out.finish()
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

fn directory(container: &Container, rig: &[u8], first_section: usize) -> Vec<u8> {
    let mut offset = first_section as u64;
    let mut section = |out: &mut ByteWriter, bytes: &[u8]| {
        out.u64(offset);
        out.u64(bytes.len() as u64);
        out.u32(crc32fast::hash(bytes));
        offset += bytes.len() as u64;
    };
    let mut out = ByteWriter::new();
    out.bytes(&container.rig_digest);
    section(&mut out, rig);
    out.u16(container.float_names.len() as u16);
    container.float_names.iter().for_each(|name| out.text(name));
    out.u32(container.clips.len() as u32);
    for clip in &container.clips {
        out.text(&clip.name);
        out.bytes(&clip.codec);
        out.u32(clip.recipe.len() as u32);
        out.bytes(clip.recipe.as_bytes());
        section(&mut out, &clip.bytes);
    }
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
