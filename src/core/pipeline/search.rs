//! The search over codecs: candidates encode the same clip, and the smallest within the tolerance wins.

use crate::clock::Instant;
use crate::codecs::{
    self, Candidate, CandidateFigures, CandidateRow, CandidateState, ClipProbe, Compensation, EncodeError, EncodedClip,
    Encoder, NoRoom, Progress, SearchRules, Source,
};
use crate::metrics::{ContactSettings, Verdict, measure_contacts, measure_pins};
use crate::pipeline::MeasuredClip;
use crate::pipeline::measure::decoded_track;
use crate::pipeline::outcome_bytes::open_shared;
use std::sync::Arc;

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Found {
    /// The smallest bytes within the accepted error. Ties go to the first. With [`SearchRules::hold_feet`], candidates without contact
    /// warnings come first. If no candidate is within the accepted error, the bytes come from [`SearchRules::fallbacks`].
    pub encoded: EncodedClip,
    /// The candidate that made them.
    pub winner: Candidate,
    /// All candidates in the order of the list, then the fallbacks if they were needed. One of them is the winner.
    pub rows: Vec<CandidateRow>,
}

/// Tries candidates on a clip: encodes, compensates, decodes and measures each.
///
/// The error is always measured, contacts only if `feet` is given. A candidate that cannot become smaller than the current best is stopped
/// early, unless [`SearchRules::measure_all`] is on. The winner is the same in both cases.
///
/// Candidates run one at a time, each on all cores. On two cores that is as fast as all at once, and the time of each is known. A candidate
/// that gives no bytes becomes a row with the reason. `progress` shows the current rows.
///
/// # Errors
/// Returns [`EncodeError::Cancelled`] if the task was stopped, or [`EncodeError::Unsupported`] if no codec can blend the clip's
/// coordinates.
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

/// The contacts by which a search judges candidates.
pub struct Feet<'a> {
    /// The clip with its contacts.
    pub of: &'a MeasuredClip,
    /// The settings that judge them.
    pub settings: &'a ContactSettings,
}

impl Feet<'_> {
    /// The largest slide, and true if no contact and no marked pin warns. `None` without contacts and marked pins.
    fn judge(
        &self,
        codec: &dyn Encoder,
        encoded: &Arc<EncodedClip>,
    ) -> Result<Option<(Option<f32>, bool)>, EncodeError> {
        let MeasuredClip { rig, clip, raw, plan, pins, .. } = self.of;
        if plan.contacts.is_empty() && pins.marked().next().is_none() {
            return Ok(None);
        }
        let opened = open_shared(codec, encoded, rig).map_err(|e| codecs::unreadable(codec, &e))?;
        let decoded = decoded_track(self.of, &opened);
        let contacts = measure_contacts(rig, clip, raw, &decoded, plan, self.settings);
        let pins = measure_pins(raw, &decoded, pins, contacts.limits);
        let verdict = contacts.verdict().max(pins.verdict());
        Ok(Some((contacts.worst_slide_m(), verdict == Verdict::Good)))
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
    /// The index of the current best, its bytes, and true if its contacts do not warn or are not judged.
    best: Option<(usize, EncodedClip, bool)>,
}

impl Contest<'_> {
    /// Runs one candidate.
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

    /// Encodes to bytes, decodes them and measures the error.
    fn attempt(&self, candidate: &Candidate) -> Result<(CandidateFigures, EncodedClip), EncodeError> {
        let Candidate { codec, values, .. } = candidate;
        let started = Instant::now();
        let part = self.progress.part().with_room(self.room());
        let encoded = codecs::encode_compensated_clip(*codec, self.source, values, self.compensation, &part)?;
        part.check_room(encoded.bytes.len())?;
        let encode_secs = Some(started.elapsed().as_secs_f32());
        let max_error_m = self.probe.error_m(*codec, &encoded.bytes)?;
        let within = max_error_m <= self.source.tolerance_m * self.rules.accept_times;
        let encoded = Arc::new(encoded);
        let feet = self.feet.as_ref().map(|feet| feet.judge(*codec, &encoded)).transpose()?.flatten();
        let (slide_m, holds_feet) = (feet.and_then(|(slide_m, _)| slide_m), feet.is_none_or(|(_, holds)| holds));
        let bytes = encoded.bytes.len();
        Ok((
            CandidateFigures { bytes, max_error_m, within, slide_m, holds_feet, encode_secs },
            Arc::unwrap_or_clone(encoded),
        ))
    }

    /// The size from which a candidate cannot win, bytes.
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

    /// Chooses the best candidate. If there is none, the best fallback.
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

    /// Simulates a contest in which no codec of the list gives bytes within the tolerance.
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
