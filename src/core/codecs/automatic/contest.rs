use crate::codecs::clip_bytes::bytes_around;
use crate::codecs::encode::{RawModel, decoded_error_m};
use crate::codecs::raw::Raw;
use crate::codecs::{
    Candidate, CandidateFigures, CandidateRow, CandidateState, Codec, EncodeError, Encoded, ParamValues, Progress,
    Source,
};
use std::time::Instant;

/// One clip, and all candidates against each other.
///
/// They take turns, each with all cores for itself: on two cores that is as quick as all at once, and the time of each is
/// its own.
pub struct Contest<'a> {
    source: &'a Source<'a>,
    raw: RawModel,
    /// What a clip takes besides its payload.
    around_bytes: usize,
    progress: &'a Progress,
}

/// Who won, and with what.
type Won = (&'static dyn Codec, Encoded);

impl<'a> Contest<'a> {
    pub fn new(source: &'a Source<'a>, progress: &'a Progress) -> Self {
        Self { source, raw: RawModel::new(source), around_bytes: bytes_around(source.clip), progress }
    }

    /// Tries all candidates and returns the smallest within the tolerance, the first of equals; raw, where none is.
    pub fn run(&self, candidates: Vec<Candidate>) -> Result<Won, EncodeError> {
        let rows: Vec<CandidateRow> = candidates.into_iter().map(CandidateRow::waiting).collect();
        self.progress.set_candidates(rows.clone());
        let mut best: Option<(usize, CandidateRow, Encoded)> = None;
        let mut smallest_bytes = usize::MAX;
        for (index, row) in rows.iter().enumerate() {
            self.progress.set_fraction(index as f32 / rows.len() as f32);
            let Some((row, figures, encoded)) = self.turn(index, row)? else { continue };
            if figures.within && figures.bytes < smallest_bytes {
                smallest_bytes = figures.bytes;
                best = Some((index, row, encoded));
            }
        }
        match best {
            Some((index, row, encoded)) => Ok(self.crown(index, row, encoded)),
            None => self.fall_back(rows.len()),
        }
    }

    /// Float32 samples lose nothing: what is left when nothing else will do.
    fn fall_back(&self, index: usize) -> Result<Won, EncodeError> {
        let raw = CandidateRow::waiting(Candidate::of(&Raw, &ParamValues::new()));
        let mut rows = self.progress.candidates();
        rows.push(raw.clone());
        self.progress.set_candidates(rows);
        let (figures, encoded) = self.attempt(&raw.candidate)?;
        Ok(self.crown(index, CandidateRow { state: CandidateState::Measured(figures), ..raw }, encoded))
    }

    fn crown(&self, index: usize, row: CandidateRow, encoded: Encoded) -> Won {
        let codec = row.candidate.codec;
        self.progress.set_fraction(1.0);
        self.progress.set_candidate(index, CandidateRow { is_winner: true, ..row });
        (codec, encoded)
    }

    /// One candidate's turn, told while it lasts; `None` for one that gave no bytes, which is told too.
    fn turn(
        &self,
        index: usize,
        row: &CandidateRow,
    ) -> Result<Option<(CandidateRow, CandidateFigures, Encoded)>, EncodeError> {
        self.progress.check()?;
        let tell = |state| {
            let row = CandidateRow { state, ..row.clone() };
            self.progress.set_candidate(index, row.clone());
            row
        };
        tell(CandidateState::Running);
        match self.attempt(&row.candidate) {
            Ok((figures, encoded)) => Ok(Some((tell(CandidateState::Measured(figures)), figures, encoded))),
            Err(EncodeError::Cancelled) => Err(EncodeError::Cancelled),
            Err(error) => {
                tell(CandidateState::Failed(error.to_string()));
                Ok(None)
            }
        }
    }

    /// Encodes to bytes, and measures what they decode to.
    fn attempt(&self, candidate: &Candidate) -> Result<(CandidateFigures, Encoded), EncodeError> {
        let Candidate { codec, values, .. } = candidate;
        let started = Instant::now();
        let encoded = codec.encode(self.source, values, &self.progress.part())?;
        let encode_secs = started.elapsed().as_secs_f32();
        let max_error_m = decoded_error_m(*codec, self.source, &self.raw, 1, &encoded.payload)?;
        let bytes = self.around_bytes + encoded.payload.len();
        let within = max_error_m <= self.source.tolerance_m;
        Ok((CandidateFigures { bytes, max_error_m, within, encode_secs }, encoded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::{CodecId, CodecInfo};

    use crate::math::Transform;
    use crate::model::{Clip, ClipData, Joint, Skeleton};
    use glam::Vec3;

    /// Does to a contest what no codec of the list does to a sound clip.
    struct Odd {
        encode: fn(&Progress) -> Result<Encoded, EncodeError>,
    }

    static INFO: CodecInfo = CodecInfo {
        id: CodecId(*b"ODD0"),
        name: "odd",
        summary: "",
        source: "",
        promises_tolerance: false,
        params: &[],
        presets: &[],
    };

    impl Codec for Odd {
        fn info(&self) -> &'static CodecInfo {
            &INFO
        }

        fn encode(&self, _: &Source<'_>, _: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
            (self.encode)(progress)
        }
    }

    static REFUSES: Odd = Odd { encode: |_| Err(EncodeError::Unsupported("too odd".into())) };
    static UNREADABLE: Odd = Odd { encode: |_| Ok(Encoded::default()) };
    static CANCELS: Odd = Odd {
        encode: |progress| {
            progress.cancel();
            Err(EncodeError::Cancelled)
        },
    };

    /// Runs raw after an odd codec, on two joints that slide.
    fn run(odd: &'static Odd) -> (Result<Won, EncodeError>, Vec<CandidateRow>, Progress) {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint("root", None), joint("tip", Some(0))]).unwrap();
        let transforms = (0..10).map(|i| Transform::from_translation(Vec3::X * (i / 2) as f32)).collect();
        let (name, floats, holds) = ("slide".into(), Vec::new(), Vec::new());
        let data =
            ClipData { name, joints: 2, duration_secs: 0.2, transforms, float_tracks: 0, floats, holds, looping: None };
        let clip = Clip::new(data).unwrap();
        let source = Source { skeleton: &skeleton, clip: &clip, tolerance_m: 0.0001, shells_m: &[0.03; 2] };
        let progress = Progress::new();
        let candidates = [odd as &dyn Codec, &Raw].map(|codec| Candidate::of(codec, &ParamValues::new()));
        let won = Contest::new(&source, &progress).run(candidates.to_vec());
        (won, progress.candidates(), progress)
    }

    #[test]
    fn a_candidate_that_fails_is_a_row_with_its_reason_and_the_others_go_on() {
        for (odd, reason) in [(&REFUSES, "too odd"), (&UNREADABLE, "cannot read its own bytes")] {
            let (won, rows, progress) = run(odd);
            assert_eq!(won.unwrap().0.name(), "raw");
            let CandidateState::Failed(found) = &rows[0].state else { panic!("{rows:?}") };
            assert!(found.contains(reason), "{found}");
            assert!(rows[1].is_winner && rows[1].figures().is_some() && progress.fraction() == 1.0);
        }
    }

    #[test]
    fn a_candidate_that_is_cancelled_ends_the_contest() {
        let (won, rows, progress) = run(&CANCELS);
        assert_eq!(won.err(), Some(EncodeError::Cancelled));
        assert!(progress.is_cancelled() && rows.iter().all(|r| !r.is_winner));
    }
}
