use crate::codecs::clip_bytes::bytes_around;
use crate::codecs::levers::RawModel;
use crate::codecs::raw::Raw;
use crate::codecs::verify::decoded_error_at_steps_m;
use crate::codecs::{
    Cancelled, Candidate, CandidateFigures, CandidateRow, CandidateState, Codec, EncodeError, Encoded, ParamValues,
    Progress, Source,
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// One clip, and all candidates against each other.
pub struct Contest<'a> {
    source: &'a Source<'a>,
    raw: RawModel,
    /// What a clip takes besides its payload.
    around_bytes: usize,
    progress: &'a Progress,
    done: AtomicUsize,
}

/// A candidate after its turn; the payload only where it may win.
type Tried = (CandidateRow, Option<Encoded>);
/// Who won, and with what.
type Won = (&'static dyn Codec, Encoded);

impl<'a> Contest<'a> {
    pub fn new(source: &'a Source<'a>, progress: &'a Progress) -> Self {
        let (raw, around_bytes) = (RawModel::new(source), bytes_around(source.clip));
        Self { source, raw, around_bytes, progress, done: AtomicUsize::new(0) }
    }

    /// Tries all candidates and returns the smallest within the tolerance, the first of equals; raw, where none is.
    pub fn run(&self, candidates: Vec<Candidate>) -> Result<Won, EncodeError> {
        let rows: Vec<CandidateRow> = candidates.into_iter().map(CandidateRow::waiting).collect();
        self.progress.set_candidates(rows.clone());
        let smallest = AtomicUsize::new(usize::MAX);
        let turn = |(index, row): (usize, &CandidateRow)| self.turn(index, row, rows.len(), &smallest);
        let tried: Vec<Tried> = if std::env::var_os("SEQ").is_some() {
            rows.iter().enumerate().map(turn).collect::<Result<_, Cancelled>>()?
        } else {
            rows.par_iter().enumerate().with_max_len(1).map(turn).collect::<Result<_, Cancelled>>()?
        };
        let within = tried.into_iter().enumerate().filter_map(|(index, (row, encoded))| Some((index, row, encoded?)));
        match within.min_by_key(|(index, row, _)| (row.figures().map(|f| f.bytes), *index)) {
            Some((index, row, encoded)) => Ok(self.crown(index, row, encoded)),
            None => self.fall_back(),
        }
    }

    /// Float32 samples lose nothing: what is left when nothing else will do.
    fn fall_back(&self) -> Result<Won, EncodeError> {
        let raw = Candidate::of(&Raw, &ParamValues::new());
        let (row, encoded) = self.attempt(&CandidateRow::waiting(raw))?;
        let mut rows = self.progress.candidates();
        let index = rows.len();
        rows.push(row.clone());
        self.progress.set_candidates(rows);
        Ok(self.crown(index, row, encoded))
    }

    fn crown(&self, index: usize, row: CandidateRow, encoded: Encoded) -> Won {
        let codec = row.candidate.codec;
        self.progress.set_fraction(1.0);
        self.progress.set_candidate(index, CandidateRow { is_winner: true, ..row });
        (codec, encoded)
    }

    /// One candidate's turn, told while it lasts. Keeps no payload that is over the tolerance or larger than another's.
    fn turn(&self, index: usize, row: &CandidateRow, of: usize, smallest: &AtomicUsize) -> Result<Tried, Cancelled> {
        self.progress.check()?;
        self.progress.set_candidate(index, CandidateRow { state: CandidateState::Running, ..row.clone() });
        let (row, encoded) = match self.attempt(row) {
            Ok((row, encoded)) => (row, Some(encoded)),
            Err(EncodeError::Cancelled) => return Err(Cancelled),
            Err(error) => (CandidateRow { state: CandidateState::Failed(error.to_string()), ..row.clone() }, None),
        };
        self.progress.set_candidate(index, row.clone());
        self.progress.set_fraction((self.done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / of as f32);
        let may_win =
            row.figures().is_some_and(|f| f.within && f.bytes <= smallest.fetch_min(f.bytes, Ordering::Relaxed));
        Ok((row, encoded.filter(|_| may_win)))
    }

    /// Encodes to bytes, and measures what they decode to.
    fn attempt(&self, row: &CandidateRow) -> Result<(CandidateRow, Encoded), EncodeError> {
        let Candidate { codec, values, .. } = &row.candidate;
        let started = Instant::now();
        let encoded = codec.encode(self.source, values, &self.progress.part())?;
        let encode_secs = started.elapsed().as_secs_f32();
        let max_error_m = decoded_error_at_steps_m(*codec, self.source, &self.raw, 1, &encoded.payload)
            .map_err(|e| EncodeError::Unsupported(format!("{} cannot read its own bytes: {e}", codec.name())))?;
        let figures = CandidateFigures {
            bytes: self.around_bytes + encoded.payload.len(),
            max_error_m,
            within: max_error_m <= self.source.tolerance_m,
            encode_secs,
        };
        Ok((CandidateRow { state: CandidateState::Measured(figures), ..row.clone() }, encoded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::{ClipHeader, CodecId, CodecInfo};
    use crate::format::DecodeError;
    use crate::math::Transform;
    use crate::model::{Clip, ClipData, Joint, Sampler, Skeleton};
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

        fn decoder<'a>(
            &self,
            _: &ClipHeader,
            payload: &'a [u8],
            _: &'a [Transform],
        ) -> Result<Box<dyn Sampler + Send + 'a>, DecodeError> {
            Err(DecodeError::invalid("odd payload", 0, payload.len(), "another codec"))
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
