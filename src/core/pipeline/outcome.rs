use crate::codecs::{
    self, CandidateRow, CompensationMethod, EncodedClip, Encoder, FittedCurve, KeptKeys, LOSSLESS, ParamValues, Replay,
};
use crate::metrics::{ErrorReport, ModelTrack, Open};
use crate::model::{Channel, Clip, Sampler};
use crate::pipeline::encoder_limits::encoder_limits;
use crate::pipeline::outcome_bytes::{OutcomeBytes, played};
use crate::pipeline::{CompressError, ContactLock, ForeignClip, MeasuredClip};
use crate::recipe::Recipe;
use posepress_runtime::Opened;
use std::sync::Arc;

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
        let limits = encoder_limits(source, &self.recipe);
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
