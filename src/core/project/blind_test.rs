//! Blind tests: can a person see the difference between the original and the compressed clip, without knowing which is which?
//!
//! The method is ABX (Munson and Gardner, *Standardizing Auditory Tests*, 1950). In each trial, A and B are the original and the compressed
//! clip in a hidden order, and X is one of the two. The person says which one. Who sees no difference guesses, and is right in half of the
//! trials. The exact binomial test gives the chance of so many right answers by guessing.

use crate::math::{chance_of_at_least, mix};
use crate::project::Reviewer;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::iter::Sum;

/// Below this chance of guessing, a difference counts as seen: the usual limit of 5 %.
pub const GUESSING_LIMIT: f64 = 0.05;

/// Lengths of a blind test, in trials.
pub const BLIND_TEST_LENGTHS: [usize; 2] = [8, 16];

/// Largest number of trials that a document accepts in one test.
const MOST_TRIALS: usize = 1000;

/// One of the two clips of a trial that are shown under a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Letter {
    /// The first.
    A,
    /// The second.
    B,
}

impl Letter {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// The hidden order of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenOrder {
    /// The letter of the original.
    pub original: Letter,
    /// The letter that X repeats.
    pub x: Letter,
}

/// Fair coins for the orders of a test. Equal seeds give equal orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlindDraw {
    seed: u64,
    tosses: u64,
}

impl BlindDraw {
    /// Coins from a seed, such as the time.
    pub fn new(seed: u64) -> Self {
        Self { seed: mix(seed), tosses: 0 }
    }

    /// Draws the order of the next trial. Each trial is independent of the others, as the binomial test requires.
    pub fn next_order(&mut self) -> HiddenOrder {
        HiddenOrder { original: self.toss(), x: self.toss() }
    }

    fn toss(&mut self) -> Letter {
        self.tosses += 1;
        let is_heads = mix(self.seed ^ self.tosses) >> 63 == 1;
        if is_heads { Letter::A } else { Letter::B }
    }
}

/// A trial with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The letter of the original. The other letter was the compressed clip.
    pub original: Letter,
    /// The letter that X repeated.
    pub x: Letter,
    /// The letter that the person answered.
    pub answer: Letter,
    /// Seconds until the answer.
    pub secs: f32,
}

impl Trial {
    /// True if the answer is right.
    pub fn is_right(&self) -> bool {
        self.answer == self.x
    }
}

/// Right answers among trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlindScore {
    /// Number of right answers.
    pub right: usize,
    /// Number of trials.
    pub trials: usize,
}

impl BlindScore {
    /// The score of these trials.
    pub fn of(trials: &[Trial]) -> Self {
        Self { right: trials.iter().filter(|trial| trial.is_right()).count(), trials: trials.len() }
    }

    /// Chance of at least so many right answers by guessing: one-sided, exact.
    pub fn p_value(self) -> f64 {
        chance_of_at_least(self.right, self.trials)
    }

    /// True if guessing is less likely than [`GUESSING_LIMIT`].
    pub fn shows_difference(self) -> bool {
        self.p_value() < GUESSING_LIMIT
    }

    /// The least number of right answers with which a test of this length shows a difference. `None` for tests too short to show any.
    pub fn least_right(trials: usize) -> Option<usize> {
        (0..=trials).find(|&right| Self { right, trials }.shows_difference())
    }

    /// Score and p-value, such as `11 of 16 (p = 0.105)`.
    pub fn words(self) -> String {
        format!("{} of {} ({})", self.right, self.trials, self.p_words())
    }

    /// The p-value, such as `p = 0.105`.
    pub fn p_words(self) -> String {
        match self.p_value() {
            p if p < 0.001 => "p < 0.001".to_owned(),
            p => format!("p = {p:.3}"),
        }
    }

    /// The meaning in a few words.
    pub fn meaning(self) -> &'static str {
        if self.shows_difference() { "difference seen" } else { "no difference shown" }
    }
}

impl Sum for BlindScore {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::default(), |a, b| Self { right: a.right + b.right, trials: a.trials + b.trials })
    }
}

/// A blind test of a clip with a recipe, by one person.
///
/// As a decision, it is about one clip of one file with one recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlindTest {
    /// The person.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Time of the end, as RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// Name of the clip's file. By this name, the test is found after the file was saved with other bytes.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// The recipe that compressed the clip.
    pub recipe: Recipe,
    /// The trials, in order.
    pub trials: Vec<Trial>,
}

impl BlindTest {
    /// A test that a person has just finished. `names` are those of the clip's file and of the clip.
    pub fn new(names: (&str, &str), recipe: Recipe, trials: Vec<Trial>, by: &Reviewer) -> Self {
        let time = humantime::format_rfc3339_seconds(by.time).to_string();
        let (file, clip) = (names.0.to_owned(), names.1.to_owned());
        Self { author: by.author.clone(), time, file, clip, recipe, trials }
    }

    /// The score.
    pub fn score(&self) -> BlindScore {
        BlindScore::of(&self.trials)
    }

    /// Author and score, such as `Ann 11 of 16 (p = 0.105)`.
    pub fn words(&self) -> String {
        format!("{} {}", self.author, self.score().words()).trim_start().to_owned()
    }

    /// The first reason why its values are not valid, except the recipe, which is checked on its own.
    pub(super) fn fault(&self) -> Option<String> {
        let count = self.trials.len();
        if !(1..=MOST_TRIALS).contains(&count) {
            return Some(format!("{count} trials; expected 1 to {MOST_TRIALS}"));
        }
        let wrong = self.trials.iter().find(|trial| !(trial.secs.is_finite() && trial.secs >= 0.0))?;
        Some(format!("a trial of {} s; expected seconds from 0", wrong.secs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClipKey, SourceDigest};
    use crate::project::Document;
    use std::time::UNIX_EPOCH;

    fn score(right: usize, trials: usize) -> BlindScore {
        BlindScore { right, trials }
    }

    fn test_of(answers: &[(Letter, Letter)]) -> BlindTest {
        let trial = |(x, answer): &(Letter, Letter)| Trial { original: Letter::B, x: *x, answer: *answer, secs: 2.5 };
        let by = Reviewer { author: "Ann".into(), note: String::new(), time: UNIX_EPOCH };
        BlindTest::new(("walk.glb", "walk"), Recipe::default(), answers.iter().map(trial).collect(), &by)
    }

    #[test]
    fn p_values_are_those_of_the_exact_binomial_test() {
        for (of, p, words) in [
            (score(12, 16), 0.0384, "12 of 16 (p = 0.038)"),
            (score(11, 16), 0.1051, "11 of 16 (p = 0.105)"),
            (score(7, 8), 0.0352, "7 of 8 (p = 0.035)"),
            (score(6, 8), 0.1445, "6 of 8 (p = 0.145)"),
            (score(16, 16), 0.000_015, "16 of 16 (p < 0.001)"),
            (score(0, 8), 1.0, "0 of 8 (p = 1.000)"),
        ] {
            assert!((of.p_value() - p).abs() < 6e-5, "{of:?}: {}", of.p_value());
            assert_eq!(of.words(), words);
            assert_eq!(of.shows_difference(), p < 0.05, "{of:?}");
        }
        assert_eq!([4, 8, 16].map(BlindScore::least_right), [None, Some(7), Some(12)]);
        assert_eq!([score(7, 8), score(9, 16)].into_iter().sum::<BlindScore>(), score(16, 24));
    }

    #[test]
    fn orders_are_independent_fair_coins_and_equal_for_equal_seeds() {
        const TRIALS: usize = 40_000;
        let orders = |seed| {
            let mut draw = BlindDraw::new(seed);
            (0..TRIALS).map(|_| draw.next_order()).collect::<Vec<_>>()
        };
        let drawn = orders(7);
        assert!(drawn == orders(7) && drawn != orders(8));
        let share =
            |is: &dyn Fn(&HiddenOrder) -> bool| drawn.iter().filter(|order| is(order)).count() as f64 / TRIALS as f64;
        // Five standard deviations of a fair coin.
        let near_half = |share: f64| (share - 0.5).abs() < 2.5 / (TRIALS as f64).sqrt();
        assert!(near_half(share(&|order| order.original == Letter::A)));
        assert!(near_half(share(&|order| order.x == Letter::A)));
        assert!(near_half(share(&|order| order.x == order.original)));
        let repeats = drawn.windows(2).filter(|pair| pair[0].x == pair[1].x).count() as f64 / (TRIALS - 1) as f64;
        assert!(near_half(repeats), "{repeats}");
        // A test that a person starts a nanosecond later has other orders.
        let firsts: Vec<Letter> = (0..64).map(|seed| BlindDraw::new(seed).next_order().x).collect();
        let heads = firsts.iter().filter(|letter| **letter == Letter::A).count();
        assert!((16..=48).contains(&heads), "{heads} of 64");
    }

    #[test]
    fn tests_of_several_people_stand_side_by_side_and_survive_their_file() {
        use Letter::{A, B};
        let clip = ClipKey::new(&SourceDigest::of(b"walk"), "walk");
        let mut document = Document::default();
        assert!(!document.to_toml().contains("blind"), "a document without tests does not name them");
        let ann = test_of(&[(A, A), (B, B), (A, B)]);
        let ben = BlindTest { author: "Ben".into(), ..test_of(&[(B, B); 16]) };
        for test in [&ann, &ben, &ann] {
            document.blind_tests.entry(clip.clone()).or_default().push(test.clone());
        }
        assert_eq!(Document::from_toml(&document.to_toml()).unwrap(), document);
        let words: Vec<String> = document.blind_tests[&clip].iter().map(BlindTest::words).collect();
        assert_eq!(words, ["Ann 2 of 3 (p = 0.500)", "Ben 16 of 16 (p < 0.001)", "Ann 2 of 3 (p = 0.500)"]);
    }

    #[test]
    fn tests_that_are_not_valid_are_named() {
        let clip = ClipKey::new(&SourceDigest::of(b"walk"), "walk");
        let valid = test_of(&[(Letter::A, Letter::A)]);
        let trial = |secs| Trial { secs, ..valid.trials[0] };
        let wrong_recipe = Recipe { tolerance_m: -1.0, ..Recipe::default() };
        for (test, words) in [
            (BlindTest { trials: vec![], ..valid.clone() }, "0 trials"),
            (BlindTest { trials: vec![trial(f32::NAN)], ..valid.clone() }, "NaN s"),
            (BlindTest { trials: vec![trial(-1.0)], ..valid.clone() }, "-1 s"),
            (BlindTest { recipe: wrong_recipe, ..valid.clone() }, "tolerance_m"),
        ] {
            let document = Document { blind_tests: [(clip.clone(), vec![test])].into(), ..Document::default() };
            let error = Document::from_toml(&document.to_toml()).unwrap_err().to_string();
            assert!(error.contains("blind test of ") && error.contains("walk") && error.contains(words), "{error}");
        }
        let document = Document { blind_tests: [(clip, vec![valid])].into(), ..Document::default() };
        let unknown = document.to_toml().replace("answer = \"A\"", "answer = \"C\"");
        assert!(Document::from_toml(&unknown).unwrap_err().to_string().contains("expected `A` or `B`"));
    }
}
