use crate::codecs::{
    self, CandidateRow, CompensationMethod, EncodeError, EncodedClip, Encoder, FittedCurve, KeptKeys, LOSSLESS,
    ParamValues, Progress, Replay, SearchRules, Source,
};
use crate::format::DecodeError;
use crate::metrics::{
    ContactPlan, ErrorReport, FloatError, ModelTrack, Open, Travel, measure, measure_vertices as vertex_report,
};
use crate::model::{Channel, Clip, ClipSampler, Pose, Rig, Sampler};
use crate::pipeline::{ContactLock, Feet, ForeignClip, Found, OwnFault, contact_lock, search};
use crate::recipe::{JointLimits, Recipe, RecipeError};
use posepress_runtime::{Opened, Player};
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

/// Why a clip gave no outcome.
#[derive(Debug, Error, PartialEq)]
pub enum CompressError {
    /// The recipe does not fit.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The encoder gave up or was stopped.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The bytes just written cannot be read: a fault of the codec.
    #[error("the encoder's own bytes do not decode: {0}")]
    Decode(#[from] DecodeError),
    /// A fault of the program itself.
    #[error(transparent)]
    Own(#[from] OwnFault),
}

/// What does not depend on a codec: a clip with its object-space track and contacts, made once and shared by recipes.
#[derive(Debug, Clone)]
pub struct MeasuredClip {
    /// The rig.
    pub rig: Arc<Rig>,
    /// The raw clip.
    pub clip: Arc<Clip>,
    /// Raw object-space matrices at every step.
    pub raw: Arc<ModelTrack>,
    /// Feet and plants of the raw clip.
    pub plan: Arc<ContactPlan>,
    /// Where it has its figure.
    pub travel: Arc<Travel>,
}

impl MeasuredClip {
    /// Samples the raw clip and finds its contacts by the recipe's settings.
    pub fn new(rig: Arc<Rig>, clip: Arc<Clip>, recipe: &Recipe) -> Self {
        let shared = clip.clone();
        let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
        let raw = ModelTrack::sampled_by(rig.clone(), open, clip.grid(), recipe.sub_frames, clip.float_tracks());
        let plan = ContactPlan::find(&rig, &clip, &raw, &recipe.contacts);
        let travel = Arc::new(Travel::of(&raw));
        Self { rig, clip, raw: Arc::new(raw), plan: Arc::new(plan), travel }
    }
}

/// The bytes of an outcome, shared with it.
#[derive(Debug, Clone)]
pub struct OutcomeBytes(Arc<EncodedClip>);

impl AsRef<[u8]> for OutcomeBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

/// What became of a clip, and everything measured of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it was made, or the limits by which it is judged.
    pub recipe: Recipe,
    /// Distance at which each joint was measured, metres.
    pub shells_m: Arc<[f32]>,
    /// Who made it.
    pub made: Made,
    /// Its object-space matrices at every step.
    pub decoded: Arc<ModelTrack>,
    /// Error and feet.
    pub report: ErrorReport,
}

/// Who made what stands beside a raw clip.
#[derive(Debug, Clone)]
pub enum Made {
    /// A codec of ours, from the recipe.
    Here(Encoding),
    /// Another tool.
    Elsewhere(ForeignClip),
}

/// Bytes of ours, and how they came about.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// Whose bytes they are: the recipe's codec, or the one that won its search.
    pub codec: &'static dyn Encoder,
    /// Bytes, and where they went.
    pub encoded: Arc<EncodedClip>,
    /// Those bytes, opened once: whoever plays them makes a cursor.
    pub opened: Arc<Opened<OutcomeBytes>>,
    /// The clip that was encoded, on whose base differences are seen.
    pub of: Arc<Clip>,
    /// Time of the encoder.
    pub encode_secs: f32,
    /// Time to decode one pose, mean over the clip, played forward.
    pub decode_secs_per_pose: f32,
    /// What was tried, of which `encoded` is the winner; empty where nothing was.
    pub candidates: Vec<CandidateRow>,
    /// What it took to hold the feet, where the recipe asks for that.
    pub lock: Option<ContactLock>,
}

impl Outcome {
    pub(super) fn set_lock(&mut self, lock: ContactLock) {
        if let Made::Here(encoding) = &mut self.made {
            encoding.lock = Some(lock);
        }
    }

    /// All that belongs to the clip, in bytes.
    pub fn bytes(&self) -> usize {
        match &self.made {
            Made::Here(encoding) => encoding.encoded.bytes.len(),
            Made::Elsewhere(foreign) => foreign.bytes(),
        }
    }

    /// Raw bytes by the field's count, divided by the outcome's.
    pub fn ratio(&self, clip: &Clip) -> f32 {
        clip.raw_bytes() as f32 / self.bytes().max(1) as f32
    }

    /// The bytes, where they are ours.
    pub fn encoding(&self) -> Option<&Encoding> {
        match &self.made {
            Made::Here(encoding) => Some(encoding),
            Made::Elsewhere(_) => None,
        }
    }

    /// What another tool made, where one did.
    pub fn foreign(&self) -> Option<&ForeignClip> {
        match &self.made {
            Made::Here(_) => None,
            Made::Elsewhere(foreign) => Some(foreign),
        }
    }

    /// What was tried to make it; nothing where nothing was.
    pub fn candidates(&self) -> &[CandidateRow] {
        self.encoding().map_or(&[], |encoding| &encoding.candidates)
    }

    /// The keys that a track keeps, where its codec keeps keys.
    pub fn kept(&self, channel: Channel, joint: usize) -> Option<&KeptKeys> {
        let mut kept = self.encoding()?.encoded.kept.iter();
        kept.find(|kept| usize::from(kept.joint) == joint && kept.channel == channel)
    }

    /// True when its codec, which is there to lose something, lost nothing: mostly one that found nothing coarser within the
    /// tolerance, and so stored every sample as float32.
    pub fn is_stored_exactly(&self) -> bool {
        self.encoding().is_some() && self.recipe.codec.id() != LOSSLESS.id() && self.report.exact.is_all()
    }

    /// True when fits can be seen again: by codecs that insert keys, without compensation and groups of joints, which change what they aim at.
    pub fn can_replay(&self) -> bool {
        self.replayed().is_some()
    }

    /// What can be seen again, and the values that it was made with; `None` where bytes are all that is known of a search.
    fn replayed(&self) -> Option<(&Encoding, &ParamValues)> {
        let encoding = self.encoding()?;
        let is_plain = encoding.encoded.compensation.applied == CompensationMethod::None
            && encoding.opened.groups().is_empty()
            && encoding.of.base().is_none();
        if !is_plain || !encoding.codec.can_replay() {
            return None;
        }
        let values = match encoding.candidates.iter().find(|row| row.is_winner) {
            Some(winner) => &winner.candidate.values,
            None => Some(&self.recipe.values).filter(|_| self.recipe.codec.id() == encoding.codec.id())?,
        };
        Some((encoding, values))
    }

    /// The fit of a track as it was with some of its keys, at every step of the source; `None` for codecs that do not insert
    /// keys one by one, and after compensation.
    ///
    /// # Errors
    /// [`CompressError`], only if the outcome is not that of the source.
    pub fn replay(
        &self,
        source: &MeasuredClip,
        kept: &KeptKeys,
        keys: usize,
    ) -> Result<Option<FittedCurve>, CompressError> {
        let Some((encoding, values)) = self.replayed() else { return Ok(None) };
        let (skeleton, clip) = (&source.rig.skeleton, source.clip.as_ref());
        let limits = contact_lock::encoder_limits(source, &self.recipe);
        let encoder_source = limits.source(skeleton, clip, self.recipe.tolerance_m);
        let track = Replay { kept, keys, sub_frames: source.raw.sub_frames() };
        Ok(codecs::replay_fit(encoding.codec, &encoder_source, values, &encoding.encoded.bytes, &track)?)
    }

    /// A reader at the places of the source's samples.
    pub fn sampler(&self) -> Box<dyn Sampler + Send> {
        match &self.made {
            Made::Here(encoding) => codecs::seen(played(encoding.opened.clone()), &encoding.of),
            Made::Elsewhere(foreign) => foreign.sampler(self.decoded.grid()),
        }
    }

    /// Its matrices at every step at which a source is known, whatever steps it was measured at itself.
    pub(crate) fn track_beside(&self, source: &MeasuredClip) -> Arc<ModelTrack> {
        if self.decoded.sub_frames() == source.raw.sub_frames() {
            return self.decoded.clone();
        }
        let (own, grid) = (self.clone(), self.decoded.grid());
        let open: Open = Box::new(move || own.sampler());
        let steps = source.raw.sub_frames();
        Arc::new(ModelTrack::sampled_by(source.rig.clone(), open, grid, steps, source.clip.float_tracks()))
    }
}

/// The one path from clip to numbers: encodes to bytes, decodes those bytes, measures what came out.
///
/// # Errors
/// See [`CompressError`].
pub fn compress(source: &MeasuredClip, recipe: &Recipe, progress: &Progress) -> Result<Outcome, CompressError> {
    let mut outcome = compress_shell(source, recipe, progress)?;
    measure_vertices(source, &mut outcome, progress)?;
    Ok(outcome)
}

/// The first, quick part of [`compress`]: everything but the error on the skin.
///
/// # Errors
/// See [`CompressError`].
pub fn compress_shell(source: &MeasuredClip, recipe: &Recipe, progress: &Progress) -> Result<Outcome, CompressError> {
    let alone = attempt(source, recipe, &contact_lock::encoder_limits(source, recipe), progress)?;
    let can_hold = recipe.contacts.lock && recipe.codec.promises_with(&recipe.values);
    if can_hold { contact_lock::hold(source, recipe, alone, progress) } else { Ok(alone) }
}

/// Encodes a clip under other limits than those by which the recipe judges it, decodes and measures it.
pub(super) fn attempt(
    source: &MeasuredClip,
    recipe: &Recipe,
    limits: &JointLimits,
    progress: &Progress,
) -> Result<Outcome, CompressError> {
    let MeasuredClip { rig, clip, .. } = source;
    let encoder_source = limits.source(&rig.skeleton, clip, recipe.tolerance_m);
    let encoded = encode(source, &encoder_source, recipe, progress)?;
    progress.check().map_err(EncodeError::from)?;
    measure_encoded(source, recipe, encoded, progress)
}

/// Bytes that are still to be opened and measured.
pub(super) struct Encoded {
    /// Whose bytes they are.
    pub codec: &'static dyn Encoder,
    pub encoded: EncodedClip,
    pub encode_secs: f32,
    /// What was tried to get them.
    pub candidates: Vec<CandidateRow>,
}

/// Encodes with the recipe's codec, or with the best of the candidates that it lists.
fn encode(
    measured: &MeasuredClip,
    source: &Source<'_>,
    recipe: &Recipe,
    progress: &Progress,
) -> Result<Encoded, CompressError> {
    let started = Instant::now();
    let (chosen, compensation) = (recipe.codec, &recipe.compensation);
    let values = recipe.values.validated(chosen.params()).map_err(EncodeError::from)?;
    if let Some(codec) = chosen.encoder() {
        let encoded = codecs::encode_compensated_clip(codec, source, &values, compensation, progress)?;
        let encode_secs = started.elapsed().as_secs_f32();
        return Ok(Encoded { codec, encoded, encode_secs, candidates: Vec::new() });
    }
    let rules = SearchRules::chosen(&values).map_err(EncodeError::from)?;
    let feet = Feet { of: measured, settings: &recipe.contacts };
    let Found { encoded, winner, rows } = search(source, compensation, &rules, Some(feet), progress)?;
    let encode_secs = started.elapsed().as_secs_f32();
    Ok(Encoded { codec: winner.codec, encoded, encode_secs, candidates: rows })
}

/// Decodes a clip's bytes, which must have the shape of the raw clip, and measures what came out.
///
/// # Errors
/// See [`CompressError`].
pub(super) fn measure_encoded(
    source: &MeasuredClip,
    recipe: &Recipe,
    encoded: Encoded,
    progress: &Progress,
) -> Result<Outcome, CompressError> {
    let Encoded { codec, encoded, encode_secs, candidates } = encoded;
    let encoded = Arc::new(encoded);
    let opened = open_shared(codec, &encoded, &source.rig)?;
    let (header, mut sampler) = (*opened.header(), played(opened.clone()));
    let started = Instant::now();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    for sample in 0..header.grid.samples() {
        sampler.sample(sample as f64, &mut pose);
    }
    let decode_secs_per_pose = started.elapsed().as_secs_f32() / header.grid.samples() as f32;
    let decoded = decoded_track(source, &opened);
    progress.check().map_err(EncodeError::from)?;
    let of = source.clip.clone();
    let encoding = Encoding { codec, encoded, opened, of, encode_secs, decode_secs_per_pose, candidates, lock: None };
    Ok(measured(source, recipe, Made::Here(encoding), Arc::new(decoded)))
}

/// Measures what stands beside a raw clip: everything but the error on the skin.
pub(crate) fn measured(source: &MeasuredClip, recipe: &Recipe, made: Made, decoded: Arc<ModelTrack>) -> Outcome {
    let MeasuredClip { rig, clip, raw, plan, .. } = source;
    let JointLimits { shells_m, weights, floats, .. } = recipe.limits_of(rig, clip);
    let report = measure(rig, clip, raw, &decoded, plan, &shells_m, recipe.tolerance_m, &recipe.contacts);
    let report = ErrorReport { limits: recipe.limits(), ..report }.weighed(weights, raw.times());
    let floats = FloatError::measure(raw, &decoded, &floats);
    Outcome {
        recipe: recipe.clone(),
        shells_m: shells_m.into(),
        made,
        decoded,
        report: ErrorReport { floats, ..report },
    }
}

/// Opens bytes that the reader shares with whoever encoded them.
pub(super) fn open_shared(
    codec: &dyn Encoder,
    encoded: &Arc<EncodedClip>,
    rig: &Rig,
) -> Result<Arc<Opened<OutcomeBytes>>, DecodeError> {
    let bind = rig.skeleton.bind_pose(0).joints;
    Ok(Arc::new(codecs::open(codec, OutcomeBytes(encoded.clone()), &bind)?))
}

/// A player of opened bytes.
fn played(opened: Arc<Opened<OutcomeBytes>>) -> Player<Arc<Opened<OutcomeBytes>>> {
    Player::new(opened).expect("memory for a cursor")
}

/// What opened bytes decode to at every step at which the raw clip is known.
pub(super) fn decoded_track(source: &MeasuredClip, opened: &Arc<Opened<OutcomeBytes>>) -> ModelTrack {
    let (header, shared, clip) = (*opened.header(), opened.clone(), source.clip.clone());
    let open: Open = Box::new(move || codecs::seen(played(shared.clone()), &clip));
    ModelTrack::sampled_by(source.rig.clone(), open, header.grid, source.raw.sub_frames(), header.float_tracks)
}

/// The second part of [`compress`]: error of every vertex, at every sample.
///
/// # Errors
/// [`EncodeError::Cancelled`].
pub fn measure_vertices(
    source: &MeasuredClip,
    outcome: &mut Outcome,
    progress: &Progress,
) -> Result<(), CompressError> {
    let stride = source.raw.sub_frames();
    outcome.report.vertex = vertex_report(&source.rig, &source.raw, &outcome.decoded, stride);
    progress.check().map_err(EncodeError::from)?;
    Ok(())
}
