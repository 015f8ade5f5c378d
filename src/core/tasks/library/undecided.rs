use super::Library;
use crate::model::ClipKey;
use crate::project::{BlindResult, NamedClip, Project, ProjectSource};
use serde::Serialize;
use std::collections::HashSet;

/// A clip of a project without a decision, or a file whose clips are unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Undecided {
    /// Name of the file.
    pub file: String,
    /// Name of the clip. Empty if the file cannot be read, so that its clips are unknown.
    pub clip: String,
    /// Its blind tests with recipes that a slot still has.
    pub blind_tests: Vec<BlindResult>,
}

impl Undecided {
    /// The undecided clips of a project, ordered by file and clip. `library` has the files of the same project.
    pub fn all(project: &Project, library: &Library) -> Vec<Self> {
        let decisions = &project.document.decisions;
        // A decision about an older version of a file does not hold. It is listed as a decision.
        let digests: Vec<String> = library.sources().iter().map(|read| read.digest.to_string()).collect();
        let is_older = |key: &ClipKey| !digests.iter().any(|digest| key.is_of(digest));
        let older = decisions.iter().filter(|(key, _)| is_older(key));
        let names: HashSet<(&str, &str)> = older.map(|(_, decision)| (&*decision.file, &*decision.clip)).collect();
        let clip = |id| {
            let (key, file) = (library.clip_key(id)?, library.source(id.source)?.name());
            let is_decided = decisions.contains_key(&key) || names.contains(&(file, key.clip_name()));
            let blind_tests = || BlindResult::of_slots(project, &NamedClip { key: &key, file, name: key.clip_name() });
            (!is_decided).then(|| Self {
                file: file.to_owned(),
                clip: key.clip_name().to_owned(),
                blind_tests: blind_tests(),
            })
        };
        let mut all: Vec<Self> = library.clip_ids().filter_map(clip).collect();
        all.extend(project.sources.iter().filter_map(|source| Self::unread(source, project, library)));
        all.sort_by(|a, b| (&a.file, &a.clip).cmp(&(&b.file, &b.clip)));
        all
    }

    /// A file that is not in the library and has no decision.
    fn unread(source: &ProjectSource, project: &Project, library: &Library) -> Option<Self> {
        let file = source.path.file_name()?.to_string_lossy().into_owned();
        let is_read = library.sources().iter().any(|read| read.digest.to_string() == source.digest);
        let is_decided = project.document.decisions.keys().any(|key| key.is_of(&source.digest));
        (!is_read && !is_decided).then(|| Self { file, clip: String::new(), blind_tests: Vec::new() })
    }
}
