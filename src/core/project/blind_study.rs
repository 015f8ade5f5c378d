use super::BlindScore;
use crate::model::ClipKey;
use crate::project::{BlindTest, Document};
use std::collections::BTreeSet;

/// The blind tests of one clip with one recipe, by any number of people and from any number of projects.
#[derive(Debug, Clone, PartialEq)]
pub struct BlindStudy<'a> {
    /// The clip.
    pub clip: &'a ClipKey,
    /// The tests, in the order of the projects. Never empty. All have the same recipe.
    pub tests: Vec<&'a BlindTest>,
}

impl<'a> BlindStudy<'a> {
    /// All studies of these documents, ordered by file, clip and recipe. A test that several documents hold counts once: people pass on
    /// projects that hold the tests of others.
    pub fn all(documents: impl IntoIterator<Item = &'a Document>) -> Vec<Self> {
        let mut studies: Vec<Self> = Vec::new();
        let kept = documents.into_iter().flat_map(|document| &document.blind_tests);
        for (clip, test) in kept.flat_map(|(clip, tests)| tests.iter().map(move |test| (clip, test))) {
            let is_it =
                |study: &&mut Self| study.clip == clip && study.tests[0].recipe.is_same_for(&test.recipe, &test.clip);
            match studies.iter_mut().find(is_it) {
                Some(study) if study.tests.contains(&test) => {}
                Some(study) => study.tests.push(test),
                None => studies.push(Self { clip, tests: vec![test] }),
            }
        }
        let order = |study: &Self| (study.file().to_owned(), study.clip.clone(), study.recipe());
        studies.sort_by_cached_key(order);
        studies
    }

    /// Name of the clip's file.
    pub fn file(&self) -> &'a str {
        &self.tests[0].file
    }

    /// The recipe in one line.
    pub fn recipe(&self) -> String {
        self.tests[0].recipe.title()
    }

    /// Number of people by their names.
    pub fn people(&self) -> usize {
        self.tests.iter().map(|test| &test.author).collect::<BTreeSet<_>>().len()
    }

    /// The score of all people together.
    pub fn score(&self) -> BlindScore {
        self.tests.iter().map(|test| test.score()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceDigest;
    use crate::project::{Letter, Reviewer, Trial};
    use crate::recipe::Recipe;
    use std::time::UNIX_EPOCH;

    fn test_by(author: &str, right: usize, tolerance_m: f32) -> BlindTest {
        let trial = |at| {
            let answer = if at < right { Letter::A } else { Letter::B };
            Trial { original: Letter::A, x: Letter::A, answer, secs: 1.0 }
        };
        let by = Reviewer { author: author.into(), note: String::new(), time: UNIX_EPOCH };
        let recipe = Recipe { tolerance_m, ..Recipe::default() };
        BlindTest::new(("walk.glb", "walk"), recipe, (0..8).map(trial).collect(), &by)
    }

    #[test]
    fn tests_are_pooled_by_clip_and_recipe_and_count_once() {
        let key = |name: &str| ClipKey::new(&SourceDigest::of(b"walk"), name);
        let (mut ann, mut ben) = (Document::default(), Document::default());
        let from_ann = test_by("Ann", 7, 0.001);
        ann.blind_tests.insert(key("walk"), vec![from_ann.clone(), test_by("Ann", 4, 0.0001)]);
        ann.blind_tests.insert(key("idle"), vec![test_by("Ann", 5, 0.001)]);
        ben.blind_tests.insert(key("walk"), vec![from_ann, test_by("Ben", 8, 0.001)]);
        let studies = BlindStudy::all([&ann, &ben]);
        let rows: Vec<(&str, usize, BlindScore)> =
            studies.iter().map(|study| (study.clip.clip_name(), study.people(), study.score())).collect();
        let score = |right, trials| BlindScore { right, trials };
        assert_eq!(rows, [("idle", 1, score(5, 8)), ("walk", 1, score(4, 8)), ("walk", 2, score(15, 16))]);
        assert!(studies[1].recipe().contains("0.10 mm") && studies[2].recipe().contains("1.0 mm"));
        assert!(BlindStudy::all([&Document::default()]).is_empty());
    }
}
