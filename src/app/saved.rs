//! What survives a restart. What cannot be read is said, and kept beside: nothing that somebody made is dropped.

use super::messages::Problem;
use eframe::Storage;
use std::fmt::Display;

/// A text of the last session that this version cannot read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    key: &'static str,
    text: String,
    reason: String,
}

impl Unread {
    /// What is said of it. `what` is in the plural: `The settings`.
    pub fn problem(&self, what: &str) -> Problem {
        let Self { key, reason, .. } = self;
        let folder =
            eframe::storage_dir("posepress").map_or("the program's own folder".into(), |f| f.display().to_string());
        let detail = format!(
            "{reason}\nWhat was saved is kept as '{key}{SUFFIX}' in {folder}; the defaults stand in its place.\nWhat to do: \
             open it with the version that wrote it, or set it anew."
        );
        Problem::error(format!("{what} of the last session cannot be read"), detail)
    }

    /// Keeps the text under a key of its own, beside those that were kept before.
    pub fn keep(&self, storage: &mut dyn Storage) {
        let first = format!("{}{SUFFIX}", self.key);
        let keys = std::iter::once(first.clone()).chain((2..).map(|number| format!("{first}_{number}")));
        for key in keys {
            match storage.get_string(&key) {
                Some(kept) if kept != self.text => {}
                Some(_) => return,
                None => return storage.set_string(&key, self.text.clone()),
            }
        }
    }
}

/// Ends the key of a text that could not be read.
const SUFFIX: &str = "_unread";

/// Reads what was saved under a key; the default where nothing was, or what was cannot be read.
pub fn read<T: Default, E: Display>(
    storage: Option<&dyn Storage>,
    key: &'static str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> (T, Option<Unread>) {
    let Some(text) = storage.and_then(|s| s.get_string(key)) else { return (T::default(), None) };
    match parse(&text) {
        Ok(value) => (value, None),
        Err(error) => {
            let reason = error.to_string();
            tracing::warn!("{key} of the last session: {reason}");
            (T::default(), Some(Unread { key, text, reason }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::session::Document;
    use std::collections::HashMap;

    #[derive(Default)]
    struct Memory(HashMap<String, String>);

    impl Storage for Memory {
        fn get_string(&self, key: &str) -> Option<String> {
            self.0.get(key).cloned()
        }

        fn set_string(&mut self, key: &str, value: String) {
            self.0.insert(key.into(), value);
        }

        fn remove_string(&mut self, key: &str) {
            self.0.remove(key);
        }

        fn flush(&mut self) {}
    }

    fn document(storage: &Memory) -> (Document, Option<Unread>) {
        read(Some(storage), "document", Document::from_toml)
    }

    #[test]
    fn what_can_be_read_is_taken_and_nothing_is_said() {
        assert_eq!(document(&Memory::default()), (Document::default(), None));
        let mut saved = Document::default();
        saved.recipes.truncate(1);
        let mut storage = Memory::default();
        storage.set_string("document", saved.to_toml());
        assert_eq!(document(&storage), (saved, None));
    }

    #[test]
    fn what_cannot_be_read_is_said_and_kept_beside_what_was_kept_before() {
        let mut storage = Memory::default();
        for (saved, kept_as) in [("recipes = []", "document_unread"), ("[[recipe", "document_unread_2")] {
            storage.set_string("document", saved.into());
            let (found, unread) = document(&storage);
            let unread = unread.expect("it cannot be read");
            assert_eq!(found, Document::default());
            unread.keep(&mut storage);
            unread.keep(&mut storage);
            storage.set_string("document", found.to_toml());
            assert_eq!(storage.get_string(kept_as).as_deref(), Some(saved));
        }
        assert_eq!(storage.0.len(), 3, "each once");
        storage.set_string("document", "recipes = []".into());
        let problem = document(&storage).1.unwrap().problem("The recipes");
        assert_eq!(problem.title, "The recipes of the last session cannot be read");
        assert!(problem.detail.contains("found 0 recipes") && problem.detail.contains("'document_unread'"));
    }
}
