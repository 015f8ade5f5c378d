//! Limits on memory and time that a file may ask for, in proportion to its length. Every limit of the readers is here.
//!
//! A few bytes can ask for any amount: accessors are shared, sparse accessors have no bytes, two keys are an hour apart, a picture with
//! one colour compresses to nothing. Readers claim amounts here before they allocate. Limits grow with the file, far beyond the files of
//! exporters, and start with a free amount for small files.

use super::Fault;
use crate::files::MAX_FILE_BYTES;
use crate::math::Transform;
use crate::text;
use glam::Vec3;
use std::cell::Cell;
use thiserror::Error;

/// Largest side of a picture. Larger ones are damaged or useless in a preview.
pub(super) const MAX_SIDE_PIXELS: u32 = 16_384;
/// Memory for decoding one picture, bytes.
pub(super) const MAX_IMAGE_BYTES: u64 = 512 << 20;
/// Samples of one clip: the free amount, and more per key time. Two keys an hour apart are an error of the file.
const CLIP_SAMPLES: (usize, usize) = (1 << 16, 64);

const MI: u64 = 1 << 20;

/// A resource that files ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Bytes of decoded accessors.
    Decoded,
    /// Vertices of all meshes; each part of a mesh counts at least one.
    Vertices,
    /// Offsets of morph targets, one per vertex and target.
    Offsets,
    /// Joints of skins, counted for each part of a mesh.
    Palette,
    /// Float tracks.
    FloatTracks,
    /// Bytes of named files and buffer views, counted per name.
    Named,
    /// Pixels of all textures in use.
    Pixels,
    /// Joint transforms and float values of all samples of a source.
    Samples,
    /// Pairs of a joint and an ancestor, at every sample: errors of a joint affect all descendants.
    Chains,
    /// Vertices times samples: the skin is measured at each.
    SkinSteps,
    /// Joint transforms and float values of a decoded container.
    Unpacked,
    /// Memory that a parser needs for a text, bytes.
    Parsed,
    /// Prims of a stage, each as often as it lies deep; instances are copies.
    Prims,
}

/// The limit on a resource.
struct Limit {
    /// Name of the counted things.
    noun: &'static str,
    /// The limit for a file length in bytes.
    allowed: fn(u64) -> u64,
    /// Advice to the user.
    advice: &'static str,
}

const EXPORT: &str = "Export the file again, with fewer of them";
const RATE: &str = "Choose a lower sample rate, or split the file";
const CHAINS: &str = "The chain of joints is too long: split it, or choose a lower sample rate";
const SKIN: &str = "Choose a lower sample rate, or export a lighter mesh";
const COMPRESS: &str = "The container is damaged, or made to exhaust memory: compress its source again";

impl Ask {
    /// All of them.
    const ALL: [Self; 13] = [
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
        Self::Parsed,
        Self::Prims,
    ];

    /// Least memory per unit, bytes; 0 for pure time, or if another resource counts it.
    fn bytes_each(self) -> u64 {
        match self {
            Self::Decoded | Self::Parsed => 1,
            Self::Vertices | Self::Offsets => size_of::<Vec3>() as u64,
            Self::Palette => size_of::<u32>() as u64,
            // As decoded, up to 16 bits per channel, and as 8 bits per channel.
            Self::Pixels => (size_of::<[u16; 4]>() + size_of::<[u8; 4]>()) as u64,
            Self::Samples | Self::Unpacked => size_of::<Transform>() as u64,
            Self::FloatTracks | Self::Named | Self::Chains | Self::SkinSteps | Self::Prims => 0,
        }
    }

    /// The comments give the reference values of the numbers.
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
            // Only memory limits the text of a file: an empty JSON object takes three bytes, and 720 while its list grows.
            Self::Parsed => limit("bytes of memory for its text", EXPORT, |b| MI + 1024 * b),
            // A prim takes some twenty bytes at least; instances repeat it. One counts as often as it lies deep.
            Self::Prims => limit("prims and their parts", EXPORT, |b| MI / 16 + b / 2),
        }
    }
}

/// A request over the limit, or over the free memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it asks for {} {}; {}", text::exact(*.asked), .ask.limit().noun, why(*.has_no_memory, *.file_bytes, *.allowed))]
pub struct OverBudget {
    /// The resource.
    pub ask: Ask,
    /// Amount asked for, with earlier grants.
    pub asked: u64,
    /// The limit.
    pub allowed: u64,
    /// Length of the file with its external files, bytes.
    pub file_bytes: u64,
    /// True if the limit allows it, but memory does not suffice.
    pub has_no_memory: bool,
}

impl OverBudget {
    /// Advice to the user.
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

/// The resources that one file has claimed.
#[derive(Debug)]
pub(crate) struct Budget {
    file_bytes: Cell<u64>,
    asked: [Cell<u64>; Ask::ALL.len()],
}

impl Budget {
    /// A budget for a file of that length.
    pub fn new(file_bytes: usize) -> Self {
        let budget = Self { file_bytes: Cell::new(0), asked: Default::default() };
        budget.bring(file_bytes);
        budget
    }

    /// Adds the length of an external file.
    pub fn bring(&self, bytes: usize) {
        self.file_bytes.set((self.file_bytes.get() + bytes as u64).min(MAX_FILE_BYTES));
    }

    /// The amount that is left.
    pub fn left(&self, ask: Ask) -> u64 {
        (ask.limit().allowed)(self.file_bytes.get()).saturating_sub(self.asked[ask as usize].get())
    }

    /// Grants an amount, or returns an error.
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

/// True if the system can allocate that much memory now. The caller allocates it right after, in many parts. A refusal is then an error
/// here, and not the end of the program later.
fn has_memory(amount: u64, bytes_each: u64) -> bool {
    /// Smaller amounts are not tested.
    const LEAST_BYTES: u64 = MI;
    let bytes = amount.saturating_mul(bytes_each);
    bytes < LEAST_BYTES || usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Limit on the samples of a clip with that many key times.
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
