use crate::codecs::{self, ClipHeader, EncodedClip, Ledger, Progress};
use crate::export::ExportRecipes;
use crate::format::{
    ClipToWrite, Container, ContainerFile, ContainerToWrite, DecodeError, RigDigest, RigJoint, RigSection, TierFile,
    TierMark,
};
use crate::import::{Ask, Budget, OverBudget, readable};
use crate::math::Transform;
use crate::model::{self, Additive, BaseOf, Clip, ClipData, ClipError, Joint, Pose, Rig, Skeleton, SkeletonError};
use crate::pipeline::ArchiveClip;
use crate::pipeline::archive_clip::SharedRecipes;
use crate::pipeline::file_size::shared_recipe;
use crate::pipeline::measure::{Encoded, measure_encoded};
use crate::pipeline::{CompressError, MeasuredClip, Outcome, measure_vertices};
use crate::recipe::RecipeError;
use glam::{Quat, Vec3};
use posepress_runtime::{Opened, Player};
use thiserror::Error;

/// Why a container cannot be used.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ArchiveError {
    /// The container's bytes are damaged or not a container.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The bytes of a clip are damaged.
    #[error("clip '{clip}': {error}")]
    Clip { clip: String, error: DecodeError },
    /// The codec is unknown: the container was made by a newer version, or it is damaged.
    #[error(
        "clip '{clip}' needs codec '{found}', which this version does not have; expected one of: {expected}. Update \
         Posepress, or check that the file is whole"
    )]
    Codec { clip: String, found: String, expected: String },
    /// The recipe of a clip cannot be read.
    #[error("clip '{clip}': {error}")]
    Recipe { clip: String, error: RecipeError },
    /// The codec of the recipe is not that of the bytes.
    #[error("clip '{clip}' is stored by codec '{found}', but its recipe names '{expected}'")]
    OtherCodec { clip: String, found: &'static str, expected: &'static str },
    /// A tier file is damaged, or belongs to another container.
    #[error("tier file {number}: {error}")]
    Tier {
        /// Its position among the given tier files, from 1.
        number: usize,
        error: DecodeError,
    },
    /// A clip decodes to more data than a file of its size may hold.
    #[error("clip '{clip}': {over}. {}", over.advice())]
    TooMuch {
        clip: String,
        /// The size that was asked for, and the limit.
        over: OverBudget,
    },
    /// The rig section does not form a valid skeleton.
    #[error("the rig: {0}")]
    Rig(#[from] SkeletonError),
    /// The container has no rig, and none was given.
    #[error("was written without its rig. Give the source file that it was made from")]
    NoRig,
    /// The given rig is not the one that the clips were made for.
    #[error(
        "was made for another rig: its digest is {found}, the source's is {expected}. Give the file it was made from"
    )]
    OtherRig { found: String, expected: String },
    /// A clip or the source has another number of float tracks than the container.
    #[error("{subject} has {found} float tracks; expected {expected}")]
    FloatTracks { subject: String, found: usize, expected: usize },
    /// A decoded clip has invalid values.
    #[error(transparent)]
    Samples(#[from] ClipError),
    /// The container's clip is additive and its source is not, or the other way round.
    #[error(
        "clip '{clip}' holds {found}, but its source holds {expected}. Mark the source to match (--additive CLIP=BASE)"
    )]
    Additive {
        clip: String,
        /// Contents of the container's clip: differences or poses.
        found: &'static str,
        /// Contents of its source.
        expected: &'static str,
    },
    /// The source has another number of samples or another duration than the container.
    #[error(
        "has {found} samples over {found_secs} s, but the source has {expected} over {expected_secs} s; read it with the same --rate"
    )]
    Shape { found: usize, found_secs: f32, expected: usize, expected_secs: f32 },
    /// The decoded clip could not be measured.
    #[error(transparent)]
    Measure(#[from] CompressError),
}

/// The contents of a container, readable without a rig.
#[derive(Debug, Clone)]
pub struct ArchiveListing {
    /// Number of joints of the rig.
    pub joints: usize,
    /// Names of the float tracks.
    pub float_names: Vec<String>,
    /// Clips, in the order of the file.
    pub clips: Vec<ArchiveClip>,
    /// Tiers that are missing from the clips. The one to put back first comes first.
    pub tiers: Vec<TierMark>,
}

/// A container, and the rig on which its clips decode. Every clip was opened once, so its bytes are valid.
#[derive(Debug, Clone)]
pub struct Archive {
    listing: ArchiveListing,
    skeleton: Skeleton,
    bind: Vec<Transform>,
}

/// Digest of the parts of a rig that clips need: names, parents and bind pose of its joints.
pub fn rig_digest(rig: &Rig) -> [u8; 32] {
    rig_section(&rig.skeleton).digest()
}

/// True if clips of both rigs can be in one container as they are: joints, bind pose and float tracks are the same.
pub fn is_same_rig(a: &Rig, b: &Rig) -> bool {
    rig_digest(a) == rig_digest(b) && a.float_names == b.float_names
}

/// Size of a rig in a container, bytes.
pub(super) fn rig_bytes(rig: &Rig) -> usize {
    rig_section(&rig.skeleton).to_bytes().len()
}

/// The container of a rig and its compressed clips, ready to write. It borrows the bytes of the clips. External results are skipped,
/// because they have no encoded bytes.
///
/// ```
/// # use posepress_core::codecs::Progress;
/// # use posepress_core::import::{ImportOptions, import_bytes};
/// # use posepress_core::pipeline::{MeasuredClip, compress};
/// # use posepress_core::recipe::Recipe;
/// # use std::{path::Path, sync::Arc};
/// # let bvh = "HIERARCHY ROOT hip { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 -0.5 0 } }
/// # MOTION Frames: 4 Frame Time: 0.05 0 0 0 10 0 0 20 5 0 30 9 0";
/// # let mut file = import_bytes(Path::new("swing.bvh"), bvh.as_bytes(), &ImportOptions::default())?;
/// # let (rig, clip) = (Arc::new(file.rig), Arc::new(file.clips.remove(0)));
/// use posepress_core::export::ExportRecipes;
/// use posepress_core::pipeline::{Archive, archive_to_write};
///
/// let recipe = Recipe::default();
/// let outcome = compress(&MeasuredClip::new(rig.clone(), clip.clone(), &recipe), &recipe, &Progress::new())?;
/// let bytes = archive_to_write(&rig, &[("swing", &outcome)], ExportRecipes::Kept).to_bytes();
///
/// let archive = Archive::open(&bytes, None)?;
/// let stored = &archive.clips()[0];
/// assert_eq!(stored.name, "swing");
/// assert_eq!(archive.decode(stored)?.samples(), clip.samples());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn archive_to_write<'a>(
    rig: &'a Rig,
    clips: &[(&'a str, &'a Outcome)],
    recipes: ExportRecipes,
) -> ContainerToWrite<'a> {
    levels_to_write(rig, clips.iter().map(|(name, outcome)| (*name, *outcome, *outcome)), recipes)
}

/// Like [`archive_to_write`], for clips with tiers. The first outcome has the recipe of a clip, the second the bytes that remain in the
/// container.
pub(super) fn levels_to_write<'a>(
    rig: &'a Rig,
    clips: impl IntoIterator<Item = (&'a str, &'a Outcome, &'a Outcome)>,
    recipes: ExportRecipes,
) -> ContainerToWrite<'a> {
    let clip = |(name, made, left): (&'a str, &'a Outcome, &'a Outcome)| {
        let (encoding, tolerance_m) = (left.encoding()?, made.recipe.tolerance_m);
        let recipe = if recipes.are_kept() { shared_recipe(&made.recipe) } else { "".into() };
        Some(ClipToWrite { name, codec: encoding.codec.id().0, recipe, tolerance_m, bytes: &encoding.encoded.bytes })
    };
    let clips = clips.into_iter().filter_map(clip);
    ContainerToWrite::new(&rig_section(&rig.skeleton), &rig.float_names, clips.collect())
}

/// The rig section, without the rig's name. That name comes from the source file, and a renamed source must still fit its container.
fn rig_section(skeleton: &Skeleton) -> RigSection {
    let joint = |j: &Joint| {
        let Transform { rotation, translation, scale } = j.bind;
        let ([x, y, z, w], t, s) = (rotation.to_array(), translation.to_array(), scale.to_array());
        let bind = [x, y, z, w, t[0], t[1], t[2], s[0], s[1], s[2]];
        RigJoint { name: j.name.clone(), parent: j.parent.map(|p| p as u16), bind }
    };
    RigSection { name: String::new(), joints: skeleton.joints().iter().map(joint).collect() }
}

fn skeleton_of(section: RigSection) -> Result<Skeleton, SkeletonError> {
    let joint = |j: RigJoint| {
        let [x, y, z, w, tx, ty, tz, sx, sy, sz] = j.bind;
        let bind = Transform {
            rotation: Quat::from_xyzw(x, y, z, w),
            translation: Vec3::new(tx, ty, tz),
            scale: Vec3::new(sx, sy, sz),
        };
        Joint { name: readable(&j.name), parent: j.parent.map(usize::from), bind }
    };
    Skeleton::new(section.joints.into_iter().map(joint).collect())
}

/// Reads a container and puts tier files back.
fn joined(bytes: &[u8], tiers: &[Vec<u8>], rig: Option<&Rig>) -> Result<Container, ArchiveError> {
    let mut container = Container::read_checked(bytes)?;
    if tiers.is_empty() {
        return Ok(container);
    }
    let bind = match (&container.rig, rig) {
        (Some(section), _) => section.bind_pose(),
        (None, Some(rig)) => rig.skeleton.shared_bind(),
        (None, None) => return Err(ArchiveError::NoRig),
    };
    let bind = bind.map_err(DecodeError::from)?;
    let at = |number: usize| move |error| ArchiveError::Tier { number: number + 1, error };
    let read = |(number, bytes): (usize, &Vec<u8>)| Ok((number, TierFile::read(bytes).map_err(at(number))?));
    let mut files = tiers.iter().enumerate().map(read).collect::<Result<Vec<_>, ArchiveError>>()?;
    // Files that do not belong to the container come last and are refused there.
    let place = |file: &TierFile| container.tiers.iter().position(|mark| mark.checksum == file.checksum);
    files.sort_by_key(|(_, file)| place(file).unwrap_or(usize::MAX));
    for (number, file) in files {
        container.join(&file, &bind).map_err(at(number))?;
    }
    Ok(container)
}

impl ArchiveListing {
    /// Reads the contents of a container without decoding them. Any bytes are safe to pass.
    ///
    /// # Errors
    /// See [`ArchiveError`].
    pub fn read(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Self::read_joined(bytes, &[])
    }

    /// Like [`ArchiveListing::read`], with tier files put back. They may come in any order. The container must have its rig.
    ///
    /// # Errors
    /// See [`ArchiveError`].
    pub fn read_joined(bytes: &[u8], tiers: &[Vec<u8>]) -> Result<Self, ArchiveError> {
        Self::of(joined(bytes, tiers, None)?).map(|(listing, ..)| listing)
    }

    fn of(container: Container) -> Result<(Self, Option<RigSection>, [u8; 32]), ArchiveError> {
        let Container { rig, rig_digest, float_names, clips, tiers } = container;
        // Clips without their tiers are judged by the error limit of the first missing tier.
        let without_m = tiers.first().map_or(0.0, |mark| mark.tolerance_m);
        let mut recipes = SharedRecipes::default();
        let clip = |entry| ArchiveClip::new(entry, &mut recipes).map(|clip| clip.within(without_m));
        let clips = clips.into_iter().map(clip).collect::<Result<Vec<_>, _>>()?;
        let float_names = float_names.iter().map(|name| readable(name)).collect();
        let tiers = tiers.into_iter().map(|mark| TierMark { name: readable(&mark.name), ..mark }).collect();
        let joints = rig.as_ref().map(|r| r.joints.len()).or(clips.first().map(|c| c.header.joints)).unwrap_or(0);
        Ok((Self { joints, float_names, clips, tiers }, rig, rig_digest))
    }
}

impl Archive {
    /// Reads a container. Any bytes are safe to pass.
    ///
    /// `rig` is the rig to decode on. It is needed only if the container was written without a rig. A given rig must be the one that the
    /// clips were made for.
    ///
    /// # Errors
    /// See [`ArchiveError`].
    pub fn open(bytes: &[u8], rig: Option<&Rig>) -> Result<Self, ArchiveError> {
        Self::open_joined(bytes, &[], rig)
    }

    /// Like [`Archive::open`], with tier files put back. They may come in any order.
    ///
    /// # Errors
    /// See [`ArchiveError`].
    pub fn open_joined(bytes: &[u8], tiers: &[Vec<u8>], rig: Option<&Rig>) -> Result<Self, ArchiveError> {
        let (listing, section, found) = ArchiveListing::of(joined(bytes, tiers, rig)?)?;
        if let Some(expected) = rig.map(rig_digest).filter(|expected| *expected != found) {
            return Err(ArchiveError::OtherRig { found: hex(&found), expected: hex(&expected) });
        }
        check_float_tracks(&listing, rig)?;
        check_size(&listing, bytes.len() + tiers.iter().map(Vec::len).sum::<usize>())?;
        let skeleton = match (section, rig) {
            (Some(section), _) => skeleton_of(section)?,
            (None, Some(rig)) => rig.skeleton.clone(),
            (None, None) => return Err(ArchiveError::NoRig),
        };
        let bind = skeleton.bind_pose(0).joints;
        let archive = Self { listing, skeleton, bind };
        for clip in archive.clips() {
            archive.sampler(clip)?;
        }
        Ok(archive)
    }

    /// The joints on which the clips decode.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Names of the float tracks.
    pub fn float_names(&self) -> &[String] {
        &self.listing.float_names
    }

    /// Clips, in the order of the file.
    pub fn clips(&self) -> &[ArchiveClip] {
        &self.listing.clips
    }

    /// A rig without meshes, which is all that a container stores.
    pub fn rig(&self, name: &str) -> Rig {
        Rig { float_names: self.float_names().to_vec(), ..Rig::from_skeleton(name, self.skeleton.clone()) }
    }

    /// Opens a sampler of one of this archive's clips.
    ///
    /// # Errors
    /// Returns [`ArchiveError::Clip`] if the clip's bytes are damaged.
    pub fn sampler<'a>(&self, clip: &'a ArchiveClip) -> Result<Player<Box<Opened<&'a [u8]>>>, ArchiveError> {
        codecs::open_clip(clip.codec(), &clip.bytes, &self.bind)
            .map(|(_, sampler)| sampler)
            .map_err(|error| ArchiveError::Clip { clip: clip.name.clone(), error })
    }

    /// Decodes one of this archive's clips to uniform samples, with the stepped intervals of its source.
    ///
    /// An additive clip decodes to its differences, marked as differences from the bind pose. The container does not store another base.
    ///
    /// # Errors
    /// See [`ArchiveError`].
    pub fn decode(&self, clip: &ArchiveClip) -> Result<Clip, ArchiveError> {
        let header = &clip.header;
        let holds =
            codecs::clip_holds(&clip.bytes).map_err(|error| ArchiveError::Clip { clip: clip.name.clone(), error })?;
        let mut sampler = self.sampler(clip)?;
        let mut pose = Pose::with_size(header.joints, header.float_tracks);
        let mut data = ClipData {
            name: clip.name.clone(),
            joints: header.joints,
            duration_secs: header.grid.duration_secs(),
            transforms: Vec::with_capacity(header.joints * header.grid.samples()),
            float_tracks: header.float_tracks,
            floats: Vec::with_capacity(header.float_tracks * header.grid.samples()),
            holds: holds.joints,
            looping: Some(header.looping),
        };
        for at_sample in header.grid.steps(1) {
            sampler.sample(at_sample, &mut pose);
            data.transforms.extend_from_slice(&pose.joints);
            data.floats.extend_from_slice(&pose.floats);
        }
        let on_bind = || Additive { base: BaseOf::Bind, holds: model::Holds::Differences };
        Ok(Clip::new(data)?.with_float_holds(holds.floats).said_to_be(header.additive.then(on_bind)))
    }
}

const DIFFERENCES: &str = "differences";
const POSES: &str = "poses";

/// Measures a decoded clip of a container against its source, by the recipe in the container.
///
/// The outcome has no ledger, no kept keys and no encoding time, because the bytes do not store them.
///
/// # Errors
/// Returns [`ArchiveError::Shape`] if the source has another number of samples or another duration, [`ArchiveError::Additive`] if only
/// one of both is additive, or [`ArchiveError::Measure`].
pub fn measure_archived(source: &MeasuredClip, clip: &ArchiveClip) -> Result<Outcome, ArchiveError> {
    if clip.header.additive != source.clip.base().is_some() {
        let (found, expected) = if clip.header.additive { (DIFFERENCES, POSES) } else { (POSES, DIFFERENCES) };
        return Err(ArchiveError::Additive { clip: clip.name.clone(), found, expected });
    }
    let (found, expected) = (clip.header.grid, source.clip.grid());
    if found != expected {
        return Err(ArchiveError::Shape {
            found: found.samples(),
            found_secs: found.duration_secs(),
            expected: expected.samples(),
            expected_secs: expected.duration_secs(),
        });
    }
    let compensation = codecs::clip_compensation(&clip.bytes).map_err(CompressError::from)?;
    let encoded = EncodedClip { bytes: clip.bytes.clone(), ledger: Ledger::default(), kept: Vec::new(), compensation };
    let progress = Progress::new();
    let encoded = Encoded { codec: clip.codec(), encoded, encode_secs: None, candidates: Vec::new() };
    let mut outcome = measure_encoded(source, &clip.recipe(), encoded, &progress)?;
    measure_vertices(source, &mut outcome, &progress)?;
    Ok(outcome)
}

/// Limits the decoded size, so that clips of a few bytes cannot decode to gigabytes.
fn check_size(listing: &ArchiveListing, file_bytes: usize) -> Result<(), ArchiveError> {
    let budget = Budget::new(file_bytes);
    for clip in &listing.clips {
        let ClipHeader { joints, float_tracks, grid, .. } = clip.header;
        let samples = (joints + float_tracks) as u64 * grid.samples() as u64;
        let claimed = budget.claim(Ask::Unpacked, samples);
        claimed.map_err(|over| ArchiveError::TooMuch { clip: clip.name.clone(), over })?;
    }
    Ok(())
}

fn check_float_tracks(listing: &ArchiveListing, rig: Option<&Rig>) -> Result<(), ArchiveError> {
    let expected = listing.float_names.len();
    let source = rig.map(|r| ("the source".to_owned(), r.float_names.len()));
    let clips = listing.clips.iter().map(|c| (format!("clip '{}'", c.name), c.header.float_tracks));
    match clips.chain(source).find(|(_, found)| *found != expected) {
        None => Ok(()),
        Some((subject, found)) => Err(ArchiveError::FloatTracks { subject, found, expected }),
    }
}

fn hex(digest: &[u8; 32]) -> String {
    // Eight bytes are enough to distinguish two rigs. All 32 would make the message hard to read.
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}
