//! Outcomes as plain data, for a process that shares no memory with the one that made them.

use crate::codecs::{self, CandidateRecord, CandidateRow, CandidateState, EncodedClip};
use crate::metrics::{ContactPlan, ErrorReport, ModelTrack, Open, PinPlan, Travel, VertexReport};
use crate::model::{Clip, ClipSampler, Rig};
use crate::pipeline::measure::{asked_track, decode_secs_per_pose};
use crate::pipeline::outcome_bytes::open_shared;
use crate::pipeline::{ContactLock, Encoding, Made, MeasuredClip, Outcome};
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything of a [`MeasuredClip`] that takes long to find again.
#[derive(Debug, Serialize, Deserialize)]
pub struct MeasuredRecord {
    sub_frames: usize,
    plan: ContactPlan,
    pins: PinPlan,
    travel: Travel,
}

/// An [`Outcome`] of a codec of this crate, without what its bytes give again.
#[derive(Debug, Serialize, Deserialize)]
pub struct OutcomeRecord {
    codec: String,
    encoded: EncodedClip,
    encode_secs: Option<f32>,
    candidates: Vec<CandidateRecord>,
    lock: Option<ContactLock>,
    shells_m: Vec<f32>,
    report: ErrorReport,
}

impl MeasuredRecord {
    /// The record of a measured clip.
    pub fn of(measured: &MeasuredClip) -> Self {
        Self {
            sub_frames: measured.raw.sub_frames(),
            plan: ContactPlan::clone(&measured.plan),
            pins: PinPlan::clone(&measured.pins),
            travel: Travel::clone(&measured.travel),
        }
    }

    /// The measured clip. Its matrices are sampled when they are asked for.
    pub fn measured(self, rig: Arc<Rig>, clip: Arc<Clip>) -> MeasuredClip {
        let shared = clip.clone();
        let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
        let raw = ModelTrack::asked(rig.clone(), open, clip.grid(), self.sub_frames, clip.float_tracks());
        let (plan, pins, travel) = (Arc::new(self.plan), Arc::new(self.pins), Arc::new(self.travel));
        MeasuredClip { rig, clip, raw: Arc::new(raw), plan, pins, travel }
    }
}

impl OutcomeRecord {
    /// The record of an outcome. `None` for an external result, and for a level of detail.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let encoding = outcome.encoding().filter(|_| outcome.is_by_recipe())?;
        Some(Self {
            codec: encoding.codec.name().to_owned(),
            encoded: EncodedClip::clone(&encoding.encoded),
            encode_secs: encoding.encode_secs,
            candidates: encoding.candidates.iter().map(CandidateRow::record).collect(),
            lock: encoding.lock,
            shells_m: outcome.shells_m.to_vec(),
            report: outcome.report.clone(),
        })
    }

    /// The record for a store: without times, which differ from run to run, and the encoded bytes, which are in a container; and without the
    /// errors of every joint and step, which take more room than all the rest.
    pub fn to_store(mut self) -> Self {
        self.encoded.bytes = Vec::new();
        self.report = self.report.without_shell();
        self.encode_secs = None;
        for (_, state, _) in &mut self.candidates {
            if let CandidateState::Measured(figures) = state {
                figures.encode_secs = None;
            }
        }
        self
    }

    /// The record with its encoded bytes.
    pub fn with_bytes(mut self, bytes: Vec<u8>) -> Self {
        self.encoded.bytes = bytes;
        self
    }

    /// The outcome of a clip and its recipe. Its matrices are decoded when they are asked for. `None` if the record is of another clip or
    /// of another version of the program.
    pub fn outcome(self, source: &MeasuredClip, recipe: &Recipe) -> Option<Outcome> {
        let codec = codecs::by_name(&self.codec)?.encoder()?;
        if self.report.per_step.len() != source.raw.steps() || self.shells_m.len() != source.clip.joints() {
            return None;
        }
        let encoded = Arc::new(self.encoded);
        let opened = open_shared(codec, &encoded, &source.rig).ok()?;
        let candidates = self.candidates.into_iter().map(CandidateRow::of_record).collect::<Option<_>>()?;
        let decoded = Arc::new(asked_track(source, &opened));
        let decode_secs_per_pose = decode_secs_per_pose(&opened);
        let encoding = Encoding {
            codec,
            encoded,
            opened,
            of: source.clip.clone(),
            encode_secs: self.encode_secs,
            decode_secs_per_pose,
            candidates,
            lock: self.lock,
            lod: None,
        };
        let (recipe, shells_m) = (recipe.clone(), self.shells_m.into());
        let mut report = self.report.with_shell(&source.rig, [&source.raw, &decoded], &shells_m);
        (report.slide.plan, report.pins.plan) = (source.plan.clone(), source.pins.clone());
        Some(Outcome { recipe, shells_m, made: Made::Here(encoding), decoded, report })
    }
}

impl Outcome {
    /// The same outcome with the error on the skin that was measured elsewhere.
    pub(crate) fn with_skin(&self, vertex: Option<VertexReport>) -> Self {
        let mut outcome = self.clone();
        outcome.report.vertex = vertex;
        outcome
    }
}
