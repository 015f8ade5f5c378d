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
pub enum ArchiveError {
    /// The bytes are not what they claim to be.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A clip's bytes are not what they claim to be.
    #[error("clip '{clip}': {error}")]
    Clip {
        /// Name of the clip.
        clip: String,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// Made by a newer version, or damaged.
    #[error("clip '{clip}' needs codec '{found}', which this version does not have; expected one of: {expected}")]
    Codec {
        /// Name of the clip.
        clip: String,
        /// Id found.
        found: String,
        /// Ids there are.
        expected: String,
    },
    /// The recipe of a clip cannot be read.
    #[error("clip '{clip}': {error}")]
    Recipe {
        /// Name of the clip.
        clip: String,
        /// What is wrong with it.
        error: RecipeError,
    },
    /// Recipe and bytes do not belong together.
    #[error("clip '{clip}' is stored by codec '{found}', but its recipe names '{expected}'")]
    OtherCodec {
        /// Name of the clip.
        clip: String,
        /// Codec of the bytes.
        found: &'static str,
        /// Codec of the recipe.
        expected: &'static str,
    },
    /// A tier file is none, or not of this container.
    #[error("tier file {number}: {error}")]
    Tier {
        /// The how many-th it was.
        number: usize,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// A clip decodes to more than a file of its size may hold.
    #[error("clip '{clip}': {over}. {}", over.advice())]
    TooMuch {
        /// Name of the clip.
        clip: String,
        /// Asked and allowed.
        over: OverBudget,
    },
    /// The rig section does not make a skeleton.
    #[error("the rig: {0}")]
    Rig(#[from] SkeletonError),
    /// Stripped, and no rig was given.
    #[error("was written without its rig; give the source file that it was made from")]
    NoRig,
    /// The given rig is not the one that the clips were made for.
    #[error(
        "was made for another rig: its digest is {found}, the source's is {expected}. Give the file it was made from"
    )]
    OtherRig {
        /// Digest in the container.
        found: String,
        /// Digest of the rig given.
        expected: String,
    },
    /// Clips and rig differ in their float tracks.
    #[error("{subject} has {found} float tracks; expected {expected}")]
    FloatTracks {
        /// A clip, or the source.
        subject: String,
        /// Tracks found.
        found: usize,
        /// Tracks of the container.
        expected: usize,
    },
    /// A decoded clip holds numbers that no clip may hold.
    #[error(transparent)]
    Samples(#[from] ClipError),
    /// Of the container's clip and its source one is additive, and the other not.
    #[error("clip '{clip}' holds {found}, its source {expected}; say what the source is added to")]
    Additive {
        /// Its name.
        clip: String,
        /// What the container's clip holds.
        found: &'static str,
        /// What its source holds.
        expected: &'static str,
    },
    /// The source has other samples than the container.
    #[error(
        "has {found} samples over {found_secs} s, the source {expected} over {expected_secs} s; read it with the same --rate"
    )]
    Shape {
        /// Samples in the container.
        found: usize,
        /// Duration in the container.
        found_secs: f32,
        /// Samples of the source.
        expected: usize,
        /// Duration of the source.
        expected_secs: f32,
    },
    /// The decoded clip could not be measured.
    #[error(transparent)]
    Measure(#[from] CompressError),
}

/// What a container says of itself, readable without a rig.
#[derive(Debug, Clone)]
pub struct ArchiveListing {
    /// Joints of the rig.
    pub joints: usize,
    /// Names of the float tracks.
    pub float_names: Vec<String>,
    /// In the order of the file.
    pub clips: Vec<ArchiveClip>,
    /// What was taken out of the clips and is not put back, the next first.
    pub tiers: Vec<TierMark>,
}

/// A container with the rig that its clips decode on. Every clip has been opened once, so its bytes are sound.
#[derive(Debug, Clone)]
pub struct Archive {
    listing: ArchiveListing,
    skeleton: Skeleton,
    bind: Vec<Transform>,
}

/// Digest of what clips need of a rig: names, parents and bind pose of its joints.
pub fn rig_digest(rig: &Rig) -> [u8; 32] {
    rig_section(&rig.skeleton).digest()
}

/// Bytes of a rig in a container.
pub(super) fn rig_bytes(rig: &Rig) -> usize {
    rig_section(&rig.skeleton).to_bytes().len()
}

/// A container that holds a rig and clips that were compressed on it, to be written: it borrows the bytes of its clips. What
/// another tool made has no bytes of ours, and is left out.
pub fn archive_to_write<'a>(
    rig: &'a Rig,
    clips: &[(&'a str, &'a Outcome)],
    recipes: ExportRecipes,
) -> ContainerToWrite<'a> {
    levels_to_write(rig, clips.iter().map(|(name, outcome)| (*name, *outcome, *outcome)), recipes)
}

/// The same of clips of which the first outcome says how they were made, and the second has the bytes that are left.
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

/// Without the rig's name, which is its file's: a source that was renamed still fits its container.
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

/// A container with tier files put back.
fn joined(bytes: &[u8], tiers: &[Vec<u8>]) -> Result<Container, ArchiveError> {
    let mut container = Container::read_checked(bytes)?;
    let at = |number: usize| move |error| ArchiveError::Tier { number: number + 1, error };
    let read = |(number, bytes): (usize, &Vec<u8>)| Ok((number, TierFile::read(bytes).map_err(at(number))?));
    let mut files = tiers.iter().enumerate().map(read).collect::<Result<Vec<_>, ArchiveError>>()?;
    // Files that are none of the container's come last, and are refused there.
    let place = |file: &TierFile| container.tiers.iter().position(|mark| mark.checksum == file.checksum);
    files.sort_by_key(|(_, file)| place(file).unwrap_or(usize::MAX));
    for (number, file) in files {
        container.join(&file).map_err(at(number))?;
    }
    Ok(container)
}

impl ArchiveListing {
    /// Reads what a container holds without decoding it.
    ///
    /// # Errors
    /// See [`ArchiveError`]; any bytes are safe to pass.
    pub fn read(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Self::read_joined(bytes, &[])
    }

    /// The same with tier files put back, in whatever order they are given.
    ///
    /// # Errors
    /// See [`ArchiveError`]; any bytes are safe to pass.
    pub fn read_joined(bytes: &[u8], tiers: &[Vec<u8>]) -> Result<Self, ArchiveError> {
        Self::of(joined(bytes, tiers)?).map(|(listing, ..)| listing)
    }

    fn of(container: Container) -> Result<(Self, Option<RigSection>, [u8; 32]), ArchiveError> {
        let Container { rig, rig_digest, float_names, clips, tiers } = container;
        // What is left without tiers is judged by what it stays within.
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
    /// Reads a container. `rig` is the rig to decode on: needed when the container was written without one, and must be the
    /// one that the clips were made for.
    ///
    /// # Errors
    /// See [`ArchiveError`]; any bytes are safe to pass.
    pub fn open(bytes: &[u8], rig: Option<&Rig>) -> Result<Self, ArchiveError> {
        Self::open_joined(bytes, &[], rig)
    }

    /// As [`Archive::open`], with tier files put back, in whatever order they are given.
    ///
    /// # Errors
    /// See [`ArchiveError`]; any bytes are safe to pass.
    pub fn open_joined(bytes: &[u8], tiers: &[Vec<u8>], rig: Option<&Rig>) -> Result<Self, ArchiveError> {
        let (listing, section, found) = ArchiveListing::of(joined(bytes, tiers)?)?;
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

    /// The joints that the clips decode on.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// What was taken out of the clips and is not put back, the next first.
    pub fn tiers(&self) -> &[TierMark] {
        &self.listing.tiers
    }

    /// Names of the float tracks.
    pub fn float_names(&self) -> &[String] {
        &self.listing.float_names
    }

    /// In the order of the file.
    pub fn clips(&self) -> &[ArchiveClip] {
        &self.listing.clips
    }

    /// A rig without meshes: all that a container knows.
    pub fn rig(&self, name: &str) -> Rig {
        Rig { float_names: self.float_names().to_vec(), ..Rig::from_skeleton(name, self.skeleton.clone()) }
    }

    /// A reader of one of this archive's clips.
    ///
    /// # Errors
    /// [`ArchiveError::Clip`].
    pub fn sampler<'a>(&self, clip: &'a ArchiveClip) -> Result<Player<Box<Opened<&'a [u8]>>>, ArchiveError> {
        codecs::open_clip(clip.codec(), &clip.bytes, &self.bind)
            .map(|(_, sampler)| sampler)
            .map_err(|error| ArchiveError::Clip { clip: clip.name.clone(), error })
    }

    /// One of this archive's clips as uniform samples, with the stepped intervals of its source. Of an additive clip these are its
    /// differences; the container does not know more of its base than the bind pose.
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

/// Measures what a clip of a container decodes to against its source, by the recipe in the container.
///
/// The outcome has no ledger, no kept keys and no encoding time: bytes do not tell them.
///
/// # Errors
/// [`ArchiveError::Shape`] when the source has other samples, [`ArchiveError::Measure`].
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
    let encoded = Encoded { codec: clip.codec(), encoded, encode_secs: 0.0, candidates: Vec::new() };
    let mut outcome = measure_encoded(source, &clip.recipe(), encoded, &progress)?;
    measure_vertices(source, &mut outcome, &progress)?;
    Ok(outcome)
}

/// Clips of a few bytes must not decode to gigabytes.
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
    // Eight bytes tell two rigs apart; all 32 would hide the sentence around them.
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}
