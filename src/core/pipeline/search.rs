//! One clip, and many ways to encode it against each other: the smallest within the tolerance wins.

use crate::codecs::{
    self, Candidate, CandidateFigures, CandidateRow, CandidateState, ClipProbe, Compensation, EncodeError, EncodedClip,
    Encoder, NoRoom, Progress, SearchRules, Source,
};
use crate::metrics::{ContactSettings, Verdict, measure_contacts};
use crate::pipeline::MeasuredClip;
use crate::pipeline::measure::decoded_track;
use crate::pipeline::outcome_bytes::open_shared;
use std::sync::Arc;
use std::time::Instant;

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The smallest bytes within the tolerance, the first of equals, as far as feet have nothing to say; of
    /// [`SearchRules::fallbacks`], where no candidate is within.
    pub encoded: EncodedClip,
    /// What made them.
    pub winner: Candidate,
    /// Every candidate in the order of the list, and the fallbacks after them where they were needed; one is the winner.
    pub rows: Vec<CandidateRow>,
}

/// Tries candidates on a clip: encodes each, compensates it as asked, decodes it and measures it.
///
/// Feet are measured where they are given; the error is always. What cannot be smaller than the best by then is given up
/// unless the rules want all measured: the winner is the same.
///
/// They take turns, each with all cores for itself: on two cores that is as quick as all at once, and the time of each is
/// its own. A candidate that gives no bytes is a row with the reason. While it lasts, `progress` tells the rows as they are
/// by then.
///
/// # Errors
/// [`EncodeError::Cancelled`]; [`EncodeError::Unsupported`], where the clip's coordinates are none that a codec can blend.
pub fn search(
    source: &Source<'_>,
    compensation: &Compensation,
    rules: &SearchRules,
    feet: Option<Feet<'_>>,
    progress: &Progress,
) -> Result<Found, EncodeError> {
    let rows = rules.candidates.iter().cloned().map(CandidateRow::waiting).collect();
    let probe = ClipProbe::new(source)?;
    let mut contest = Contest { source, compensation, rules, probe, feet, progress, rows, best: None };
    contest.progress.set_candidates(contest.rows.clone());
    for place in 0..contest.rows.len() {
        progress.set_fraction(place as f32 / contest.rows.len() as f32);
        contest.turn(place)?;
    }
    contest.finish()
}

/// The feet of the clip that is searched for.
pub struct Feet<'a> {
    /// The clip with its plants.
    pub of: &'a MeasuredClip,
    /// What they are judged by.
    pub settings: &'a ContactSettings,
}

impl Feet<'_> {
    /// The largest slide, and whether no plant warns; `None` without plants.
    fn judge(&self, codec: &dyn Encoder, encoded: &Arc<EncodedClip>) -> Result<Option<(f32, bool)>, EncodeError> {
        let MeasuredClip { rig, clip, raw, plan, .. } = self.of;
        if plan.plants.is_empty() {
            return Ok(None);
        }
        let opened = open_shared(codec, encoded, rig).map_err(|e| codecs::unreadable(codec, &e))?;
        let decoded = decoded_track(self.of, &opened);
        let contacts = measure_contacts(rig, clip, raw, &decoded, plan, self.settings);
        Ok(contacts.worst_slide_m().map(|slide_m| (slide_m, contacts.verdict() == Verdict::Good)))
    }
}

struct Contest<'a> {
    source: &'a Source<'a>,
    compensation: &'a Compensation,
    rules: &'a SearchRules,
    probe: ClipProbe<'a>,
    feet: Option<Feet<'a>>,
    progress: &'a Progress,
    rows: Vec<CandidateRow>,
    /// The place of the best by now, its bytes, and whether it holds what feet it has to hold.
    best: Option<(usize, EncodedClip, bool)>,
}

impl Contest<'_> {
    /// One candidate's turn.
    fn turn(&mut self, place: usize) -> Result<(), EncodeError> {
        self.progress.check()?;
        self.tell(place, CandidateState::Running);
        match self.attempt(&self.rows[place].candidate) {
            Ok((figures, encoded)) => {
                self.tell(place, CandidateState::Measured(figures));
                let holds = figures.holds_feet || !self.rules.hold_feet;
                let is_better = self.best.as_ref().is_none_or(|(_, best, best_holds)| match (holds, best_holds) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => figures.bytes < best.bytes.len(),
                });
                if figures.within && is_better {
                    self.best = Some((place, encoded, holds));
                }
            }
            Err(EncodeError::Cancelled) => return Err(EncodeError::Cancelled),
            Err(EncodeError::NoRoom(NoRoom { at_least })) => self.tell(place, CandidateState::Larger(at_least)),
            Err(error) => self.tell(place, CandidateState::Failed(error.to_string())),
        }
        Ok(())
    }

    /// Encodes to bytes, and measures what they decode to.
    fn attempt(&self, candidate: &Candidate) -> Result<(CandidateFigures, EncodedClip), EncodeError> {
        let Candidate { codec, values, .. } = candidate;
        let started = Instant::now();
        let part = self.progress.part().with_room(self.room());
        let encoded = codecs::encode_compensated_clip(*codec, self.source, values, self.compensation, &part)?;
        part.check_room(encoded.bytes.len())?;
        let encode_secs = started.elapsed().as_secs_f32();
        let max_error_m = self.probe.error_m(*codec, &encoded.bytes)?;
        let within = max_error_m <= self.source.tolerance_m * self.rules.accept_times;
        let encoded = Arc::new(encoded);
        let feet = self.feet.as_ref().map(|feet| feet.judge(*codec, &encoded)).transpose()?.flatten();
        let (slide_m, holds_feet) = (feet.map(|(slide_m, _)| slide_m), feet.is_none_or(|(_, holds)| holds));
        let bytes = encoded.bytes.len();
        Ok((
            CandidateFigures { bytes, max_error_m, within, slide_m, holds_feet, encode_secs },
            Arc::unwrap_or_clone(encoded),
        ))
    }

    /// Bytes from which on a candidate cannot win.
    fn room(&self) -> usize {
        match &self.best {
            Some((_, best, true)) if !self.rules.measure_all => best.bytes.len(),
            _ => usize::MAX,
        }
    }

    fn tell(&mut self, place: usize, state: CandidateState) {
        self.rows[place].state = state;
        self.progress.set_candidate(place, self.rows[place].clone());
    }

    /// Crowns the best; where there is none, the best of what keeps the tolerance by itself.
    fn finish(mut self) -> Result<Found, EncodeError> {
        if self.best.is_none() {
            self.fall_back()?;
        }
        let (place, encoded, _) = self.best.take().expect("the last fallback loses nothing");
        self.rows[place].is_winner = true;
        self.progress.set_fraction(1.0);
        self.progress.set_candidates(self.rows.clone());
        Ok(Found { encoded, winner: self.rows[place].candidate.clone(), rows: self.rows })
    }

    fn fall_back(&mut self) -> Result<(), EncodeError> {
        let listed = self.rows.len();
        let is_new = |fallback: &Candidate| !self.rows.iter().any(|row| row.candidate == *fallback);
        let fallbacks = self.rules.fallbacks.iter().cloned();
        let new: Vec<_> = fallbacks.filter(is_new).map(CandidateRow::waiting).collect();
        self.rows.extend(new);
        self.progress.set_candidates(self.rows.clone());
        (listed..self.rows.len()).try_for_each(|place| self.turn(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::{Codec, CodecId, CodecInfo, Encoded, LOSSLESS, ParamValues};
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

        fn encoder(&self) -> Option<&dyn Encoder> {
            Some(self)
        }
    }

    impl Encoder for Odd {
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

    /// Runs a lossless codec after an odd one, on two joints that slide.
    fn run(odd: &'static Odd) -> (Result<Found, EncodeError>, Progress) {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint("root", None), joint("tip", Some(0))]).unwrap();
        let transforms = (0..10).map(|i| Transform::from_translation(Vec3::X * (i / 2) as f32)).collect();
        let (name, floats, holds) = ("slide".into(), Vec::new(), Vec::new());
        let data =
            ClipData { name, joints: 2, duration_secs: 0.2, transforms, float_tracks: 0, floats, holds, looping: None };
        let clip = Clip::new(data).unwrap();
        let source = Source::new(&skeleton, &clip, 0.0001, &[0.03; 2]);
        let progress = Progress::new();
        let candidates = [odd as &dyn Encoder, LOSSLESS].map(|codec| Candidate::of(codec, &ParamValues::new()));
        let rules = SearchRules::of(candidates.to_vec());
        (search(&source, &Compensation::default(), &rules, None, &progress), progress)
    }

    #[test]
    fn a_candidate_that_fails_is_a_row_with_its_reason_and_the_others_go_on() {
        for (odd, reason) in [(&REFUSES, "too odd"), (&UNREADABLE, "cannot read its own bytes")] {
            let (found, progress) = run(odd);
            let Found { encoded, winner, rows } = found.unwrap();
            assert_eq!(winner.codec.name(), LOSSLESS.name());
            let CandidateState::Failed(found) = &rows[0].state else { panic!("{rows:?}") };
            assert!(found.contains(reason), "{found}");
            assert!(rows[1].is_winner && rows[1].figures().is_some_and(|f| f.bytes == encoded.bytes.len()));
            assert!(progress.fraction() == 1.0 && progress.candidates() == rows);
        }
    }

    #[test]
    fn a_candidate_that_is_cancelled_ends_the_search() {
        let (found, progress) = run(&CANCELS);
        assert_eq!(found.err(), Some(EncodeError::Cancelled));
        assert!(progress.is_cancelled() && progress.candidates().iter().all(|r| !r.is_winner));
    }
}
