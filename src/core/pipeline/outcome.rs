use crate::codecs::{
    self, CandidateRow, CompensationMethod, EncodedClip, Encoder, FittedCurve, KeptKeys, LOSSLESS, ParamValues, Replay,
};
use crate::lod::{LodPlay, LodSampler};
use crate::metrics::{ErrorReport, ModelTrack, Open};
use crate::model::{Channel, Clip, Sampler};
use crate::pipeline::encoder_limits::encoder_limits;
use crate::pipeline::outcome_bytes::{MaskedPlayer, OutcomeBytes, played};
use crate::pipeline::{CompressError, ContactLock, ExternalClip, MeasuredClip};
use crate::recipe::Recipe;
use posepress_runtime::Opened;
use std::sync::Arc;

/// The result of compressing a clip, with everything measured of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The recipe that made it. For an external result, the recipe that judges it.
    pub recipe: Recipe,
    /// Shell distance per joint, metres.
    pub shells_m: Arc<[f32]>,
    /// The origin of the result.
    pub made: Made,
    /// Object-space matrices at every step.
    pub decoded: Arc<ModelTrack>,
    /// Measured errors and contacts.
    pub report: ErrorReport,
}

/// The origin of a result.
#[derive(Debug, Clone)]
pub enum Made {
    /// Encoded by a codec of this crate, from the recipe.
    Here(Encoding),
    /// Made by another tool.
    Elsewhere(ExternalClip),
}

/// Encoded bytes, with the encoder's record of how they were made.
#[derive(Debug, Clone)]
pub struct Encoding {
    /// The codec of the bytes: the recipe's codec, or the winner of its search.
    pub codec: &'static dyn Encoder,
    /// The bytes, with a ledger of their use.
    pub encoded: Arc<EncodedClip>,
    /// The bytes, opened once. Each reader makes its own cursor.
    pub opened: Arc<Opened<OutcomeBytes>>,
    /// The clip that was encoded. If it is additive, its base is added to the decoded differences.
    pub of: Arc<Clip>,
    /// Encoding time. `None` if it was encoded at another time and kept.
    pub encode_secs: Option<f32>,
    /// Mean time to decode one pose during sequential playback.
    pub decode_secs_per_pose: f32,
    /// The candidates that were tried; `encoded` is the winner. Empty without a search.
    pub candidates: Vec<CandidateRow>,
    /// The result of locking contacts. `None` if they were not locked.
    pub lock: Option<ContactLock>,
    /// The level of detail at which it is played. `None`: every joint in every frame.
    pub lod: Option<Arc<LodPlay>>,
}

impl Encoding {
    /// A sampler whose positions are counted in samples of the clip that was encoded.
    fn sampler(&self) -> Box<dyn Sampler + Send> {
        let Some(lod) = &self.lod else { return codecs::seen(played(self.opened.clone()), &self.of) };
        let clip = codecs::seen(MaskedPlayer::new(self.opened.clone(), lod.mask()), &self.of);
        Box::new(LodSampler::new(clip, lod.clone(), self.of.grid()))
    }
}

impl Outcome {
    pub(super) fn set_lock(&mut self, lock: ContactLock) {
        if let Made::Here(encoding) = &mut self.made {
            encoding.lock = Some(lock);
        }
    }

    /// Total size of the clip, bytes.
    pub fn bytes(&self) -> usize {
        match &self.made {
            Made::Here(encoding) => encoding.encoded.bytes.len(),
            Made::Elsewhere(external) => external.bytes(),
        }
    }

    /// [`Clip::raw_bytes`] divided by the outcome's bytes.
    pub fn ratio(&self, clip: &Clip) -> f32 {
        clip.raw_bytes() as f32 / self.bytes().max(1) as f32
    }

    /// The encoding. `None` for an external result.
    pub fn encoding(&self) -> Option<&Encoding> {
        match &self.made {
            Made::Here(encoding) => Some(encoding),
            Made::Elsewhere(_) => None,
        }
    }

    /// True if its recipe gives it again: it is no external result, and no level of detail.
    pub(crate) fn is_by_recipe(&self) -> bool {
        self.encoding().is_some_and(|encoding| encoding.lod.is_none())
    }

    /// The candidates that were tried. Empty without a search.
    pub fn candidates(&self) -> &[CandidateRow] {
        self.encoding().map_or(&[], |encoding| &encoding.candidates)
    }

    /// The keys that a track keeps. `None` if its codec keeps no keys.
    pub fn kept(&self, channel: Channel, joint: usize) -> Option<&KeptKeys> {
        let mut kept = self.encoding()?.encoded.kept.iter();
        kept.find(|kept| usize::from(kept.joint) == joint && kept.channel == channel)
    }

    /// True if a lossy codec lost nothing. Usually it found nothing coarser within the tolerance and stored every sample as float32.
    pub fn is_stored_exactly(&self) -> bool {
        self.encoding().is_some() && self.recipe.codec.id() != LOSSLESS.id() && self.report.exact.is_all()
    }

    /// True if fits can be replayed. The codec must insert keys one by one. Compensation, groups of joints and an additive base change the
    /// target of a fit, so such clips cannot be replayed.
    pub fn can_replay(&self) -> bool {
        self.replayed().is_some()
    }

    /// The encoding to replay and its settings. `None` if it cannot be replayed, or if the settings of its codec are not known.
    fn replayed(&self) -> Option<(&Encoding, &ParamValues)> {
        let encoding = self.encoding()?;
        let is_plain = encoding.encoded.compensation.applied == CompensationMethod::None
            && !encoding.opened.has_groups()
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

    /// Replays the fit of a track with its first `keys` keys, at every step of the source.
    ///
    /// Returns `None` if the fit cannot be replayed: see [`Self::can_replay`].
    ///
    /// # Errors
    /// Returns a [`CompressError`] only if the outcome does not belong to the source.
    pub fn replay(
        &self,
        source: &MeasuredClip,
        kept: &KeptKeys,
        keys: usize,
    ) -> Result<Option<FittedCurve>, CompressError> {
        let Some((encoding, values)) = self.replayed() else { return Ok(None) };
        let (skeleton, clip) = (&source.rig.skeleton, source.clip.as_ref());
        let limits = encoder_limits(source, &self.recipe);
        let encoder_source = limits.source(skeleton, clip, self.recipe.tolerance_m);
        let track = Replay { kept, keys, sub_frames: source.raw.sub_frames() };
        Ok(codecs::replay_fit(encoding.codec, &encoder_source, values, &encoding.encoded.bytes, &track)?)
    }

    /// A sampler whose positions are counted in samples of the source.
    pub fn sampler(&self) -> Box<dyn Sampler + Send> {
        match &self.made {
            Made::Here(encoding) => encoding.sampler(),
            Made::Elsewhere(external) => external.sampler(self.decoded.grid()),
        }
    }

    /// Its matrices at every step of a source, even if it was measured at other steps.
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
