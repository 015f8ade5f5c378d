//! What a file may ask for, against what it brings: every limit of the readers, said once.
//!
//! A few bytes can ask for any amount of memory or time: accessors are shared, sparse ones have no bytes, two keys lie an
//! hour apart, a picture of one colour packs to nothing. So amounts are claimed here before they are made. What a file may
//! have grows with its bytes, far beyond what exporters write; a small file may have what is free in any case.

use super::Fault;
use crate::files::MAX_FILE_BYTES;
use crate::math::Transform;
use crate::text;
use glam::Vec3;
use std::cell::Cell;
use thiserror::Error;

/// Larger pictures than this are damaged or useless in a preview.
pub(super) const MAX_SIDE_PIXELS: u32 = 16_384;
/// Memory for decoding one picture, bytes.
pub(super) const MAX_IMAGE_BYTES: u64 = 512 << 20;
/// Samples that one clip may have for free, and further ones for each key time: two keys an hour apart are a fault of the
/// file.
const CLIP_SAMPLES: (usize, usize) = (1 << 16, 64);

const MI: u64 = 1 << 20;

/// Something that files ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Bytes of accessors as they are decoded.
    Decoded,
    /// Vertices of all meshes; each part of a mesh counts as one at least.
    Vertices,
    /// Offsets of morph targets, one a vertex.
    Offsets,
    /// Joints that skins name, anew for each part of a mesh.
    Palette,
    /// Float tracks.
    FloatTracks,
    /// Bytes of files and buffer views that it names, once for each name.
    Named,
    /// Pixels of all textures in use.
    Pixels,
    /// Joint transforms and float values of all samples of a source.
    Samples,
    /// Pairs of a joint and one above it, at every sample: each joint is judged by all that hangs on it.
    Chains,
    /// Vertices at every sample: the skin is measured at each.
    SkinSteps,
    /// Joint transforms and float values that a container decodes to.
    Unpacked,
}

/// How much of it is allowed.
struct Limit {
    /// What is counted.
    noun: &'static str,
    /// For a file of so many bytes.
    allowed: fn(u64) -> u64,
    /// What to do.
    advice: &'static str,
}

const EXPORT: &str = "Export the file again, with fewer of them";
const RATE: &str = "Choose a lower sample rate, or split the file";
const CHAINS: &str = "The chain of joints is too long: split it, or choose a lower sample rate";
const SKIN: &str = "Choose a lower sample rate, or export a lighter mesh";
const COMPRESS: &str = "The container is damaged, or made to exhaust memory: compress its source again";

impl Ask {
    /// All of them.
    const ALL: [Self; 11] = [
        Self::Decoded,
        Self::Vertices,
        Self::Offsets,
        Self::Palette,
        Self::FloatTracks,
        Self::Named,
        Self::Pixels,
        Self::Samples,
        Self::Chains,
        Self::SkinSteps,
        Self::Unpacked,
    ];

    /// Memory that one of them takes at least, bytes; nothing where it is only time, or is taken elsewhere.
    fn bytes_each(self) -> u64 {
        match self {
            Self::Decoded => 1,
            Self::Vertices | Self::Offsets => size_of::<Vec3>() as u64,
            Self::Palette => size_of::<u32>() as u64,
            Self::Pixels => size_of::<[u8; 4]>() as u64,
            Self::Samples | Self::Unpacked => size_of::<Transform>() as u64,
            Self::FloatTracks | Self::Named | Self::Chains | Self::SkinSteps => 0,
        }
    }

    /// The comments say what the number is measured against.
    fn limit(self) -> Limit {
        let limit = |noun, advice, allowed| Limit { noun, advice, allowed };
        match self {
            // A number takes a byte at least, four once decoded, and is shared by a few tens of parts.
            Self::Decoded => limit("bytes of numbers", EXPORT, |b| 64 * MI + 256 * b),
            // A position takes three bytes at least, twelve as a rule.
            Self::Vertices => limit("vertices", EXPORT, |b| MI / 16 + b),
            // Sparse targets: a face of 60 000 vertices and 190 shapes comes in 1.5 MB.
            Self::Offsets => limit("morph target offsets", EXPORT, |b| MI + 16 * b),
            // A thousand parts of a rig of 200 joints in a small file.
            Self::Palette => limit("joints of skins", EXPORT, |b| MI / 4 + b),
            // Faces have a few hundred.
            Self::FloatTracks => limit("morph targets", EXPORT, |_| MI / 64),
            // Buffers are named once as a rule, textures once for each image; views may overlap, and names repeat.
            Self::Named => limit("bytes of buffers and textures", EXPORT, |b| 64 * MI + 4 * b),
            // Two textures of 4096 x 4096; JPEG takes a byte for about ten pixels.
            Self::Pixels => limit("pixels of textures", "Use smaller textures", |b| 32 * MI + 64 * b),
            // A rotation key takes eight bytes at least and may stand for some tens of samples. The most is 1.6 GB of memory.
            Self::Samples => limit("samples of joints and float tracks", RATE, |b| (MI / 4 + 16 * b).min(32 * MI)),
            // Joints lie about ten deep; this is sixteen at every sample that the file may have.
            Self::Chains => limit("pairs of a joint and one above it over all samples", CHAINS, |b| 16 * MI + 256 * b),
            // Vertices and samples each grow with the file, so their product grows with its square.
            Self::SkinSteps => limit("vertices over all samples", SKIN, |b| 4 * MI + 256 * b + b * b / 8192),
            // Constant tracks take no bytes: 60 joints for ten minutes at 30 Hz are free.
            Self::Unpacked => limit("samples of joints and float tracks", COMPRESS, |b| (MI + 64 * b).min(32 * MI)),
        }
    }
}

/// More than a file of its size may ask for, or than there is memory for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it asks for {} {}; {}", text::exact(*.asked), .ask.limit().noun, why(*.has_no_memory, *.file_bytes, *.allowed))]
pub struct OverBudget {
    /// What of.
    pub ask: Ask,
    /// How much, with what was granted before.
    pub asked: u64,
    /// How much is allowed.
    pub allowed: u64,
    /// Bytes that the file brings, with those beside it.
    pub file_bytes: u64,
    /// It is allowed, but the system has no memory for it.
    pub has_no_memory: bool,
}

impl OverBudget {
    /// What to do.
    pub fn advice(&self) -> &'static str {
        if self.has_no_memory { "Close other programs, or split the file" } else { self.ask.limit().advice }
    }
}

fn why(has_no_memory: bool, file_bytes: u64, allowed: u64) -> String {
    match has_no_memory {
        true => "memory does not suffice".to_owned(),
        false => format!("a file of {} may have {} in all", text::bytes(file_bytes), text::exact(allowed)),
    }
}

impl From<OverBudget> for Fault {
    fn from(over: OverBudget) -> Self {
        Self::new(over.to_string()).advise(over.advice())
    }
}

/// What one file has asked for so far.
#[derive(Debug)]
pub(crate) struct Budget {
    file_bytes: Cell<u64>,
    asked: [Cell<u64>; Ask::ALL.len()],
}

impl Budget {
    /// Of a file of so many bytes.
    pub fn new(file_bytes: usize) -> Self {
        let budget = Self { file_bytes: Cell::new(0), asked: Default::default() };
        budget.bring(file_bytes);
        budget
    }

    /// Counts the bytes of a file that belongs to it.
    pub fn bring(&self, bytes: usize) {
        self.file_bytes.set((self.file_bytes.get() + bytes as u64).min(MAX_FILE_BYTES));
    }

    /// What may still be asked for.
    pub fn left(&self, ask: Ask) -> u64 {
        (ask.limit().allowed)(self.file_bytes.get()).saturating_sub(self.asked[ask as usize].get())
    }

    /// Grants an amount, or says that it is too much.
    ///
    /// # Errors
    /// [`OverBudget`].
    pub fn claim(&self, ask: Ask, amount: u64) -> Result<(), OverBudget> {
        let used = &self.asked[ask as usize];
        let (asked, file_bytes) = (used.get().saturating_add(amount), self.file_bytes.get());
        let allowed = (ask.limit().allowed)(file_bytes);
        let has_no_memory = asked <= allowed && !has_memory(amount, ask.bytes_each());
        if asked > allowed || has_no_memory {
            return Err(OverBudget { ask, asked, allowed, file_bytes, has_no_memory });
        }
        used.set(asked);
        Ok(())
    }
}

/// True when the system gives as much memory at this moment. What is claimed is taken right afterwards, in many parts; so a refusal is
/// heard where it still is an error, and not where it ends the program.
fn has_memory(amount: u64, bytes_each: u64) -> bool {
    /// Less is not asked for: it is there, or the program ends for any file.
    const LEAST_BYTES: u64 = MI;
    let bytes = amount.saturating_mul(bytes_each);
    bytes < LEAST_BYTES || usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Samples that a clip of so many key times may have.
pub(super) fn clip_samples(key_times: usize) -> usize {
    let (free, a_key) = CLIP_SAMPLES;
    free.saturating_add(key_times.saturating_mul(a_key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_stands_in_its_place_and_grows_with_the_file() {
        for (index, ask) in Ask::ALL.into_iter().enumerate() {
            assert_eq!(ask as usize, index);
            let allowed = ask.limit().allowed;
            let (small, large, largest) = (allowed(0), allowed(1 << 20), allowed(MAX_FILE_BYTES));
            assert!(0 < small && small <= large && large <= largest, "{ask:?}: {small}, {large}, {largest}");
        }
    }

    #[test]
    fn claims_add_up_and_what_is_refused_is_not_counted() {
        let budget = Budget::new(1000);
        let allowed = MI / 16 + 1000;
        assert_eq!(budget.claim(Ask::Vertices, allowed - 10), Ok(()));
        let over = budget.claim(Ask::Vertices, 11).unwrap_err();
        assert_eq!((over.asked, over.allowed, over.file_bytes), (allowed + 1, allowed, 1000));
        assert_eq!(budget.claim(Ask::Vertices, 10), Ok(()));
        assert!(budget.claim(Ask::Vertices, 1).is_err());
        assert_eq!(budget.left(Ask::Vertices), 0);
        budget.bring(1);
        assert_eq!(budget.claim(Ask::Vertices, 1), Ok(()), "a file beside counts");
        assert!(budget.claim(Ask::Pixels, u64::MAX).is_err());
    }
}
