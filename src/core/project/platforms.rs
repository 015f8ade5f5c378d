//! Levels of detail of platforms, kept with the project.

use super::{Document, DocumentError};
use crate::lod::Platform;

impl Document {
    /// Checks that platforms are valid and that the shown one exists.
    pub(super) fn check_platforms(&mut self) -> Result<(), DocumentError> {
        for (name, platform) in &mut self.platforms {
            let valid = std::mem::take(platform).validated();
            *platform = valid.map_err(|error| DocumentError::Platform { name: name.clone(), error })?;
        }
        match &self.platform {
            Some(name) if !self.platforms.contains_key(name) => Err(DocumentError::NoPlatform { name: name.clone() }),
            _ => Ok(()),
        }
    }

    /// The platform whose levels are shown.
    pub fn shown_platform(&self) -> Option<&Platform> {
        self.platforms.get(self.platform.as_ref()?)
    }

    /// Shows a platform. The first time, it gets the usual levels.
    pub fn show_platform(&mut self, name: &str) {
        self.platforms.entry(name.to_owned()).or_default();
        self.platform = Some(name.to_owned());
    }

    /// Removes a platform. Nothing is shown if it was the shown one.
    pub fn remove_platform(&mut self, name: &str) {
        self.platforms.remove(name);
        self.platform.take_if(|shown| shown == name);
    }

    /// Renames a platform.
    pub fn rename_platform(&mut self, old: &str, new: &str) {
        if let Some(platform) = self.platforms.remove(old) {
            self.platforms.insert(new.to_owned(), platform);
            self.platform.iter_mut().filter(|shown| *shown == old).for_each(|shown| new.clone_into(shown));
        }
    }
}
