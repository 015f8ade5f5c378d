//! The decisions of a project about the clips of a library.

use crate::cli::Failure;
use crate::cli::load::LoadedFile;
use crate::cli::open_project::open_project;
use posepress_core::files;
use posepress_core::import::{ChosenFixes, Fixer, ImportOptions};
use posepress_core::model::{Clip, SourceDigest};
use posepress_core::project::{ClipMarks, KnownSource, OwnRecipe, Project, find_sources};
use posepress_core::recipe::Recipe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project, and the file that it was read from.
#[derive(Debug)]
pub struct Decided {
    path: PathBuf,
    folder: PathBuf,
    project: Project,
}

/// A file that the project knows.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    project: &'a Project,
    source: KnownSource<'a>,
}

impl Decided {
    /// Reads a project.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let (mut project, folder) = open_project(path)?;
        let found = find_sources(&project.sources, Some(&folder));
        for (source, found) in project.sources.iter_mut().zip(found) {
            if let Some(path) = found.and_then(|found| std::path::absolute(found.path).ok()) {
                source.path = path;
            }
        }
        Ok(Self { path: path.into(), folder, project })
    }

    /// The file that it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The project. Its files have their absolute paths.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Its files, each with the folder below which its output has the same place: that of the project, or its own.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &Path)> {
        let folder = |path: &Path| path.starts_with(&self.folder);
        self.project.sources.iter().map(move |source| match folder(&source.path) {
            true => (&*source.path, &*self.folder),
            false => (&*source.path, source.path.parent().unwrap_or(&self.folder)),
        })
    }

    /// The same by the bytes on disk.
    pub fn known_now(&self, path: &Path) -> Result<Option<Known<'_>>, Failure> {
        let bytes = files::read(path).map_err(|error| Failure::file(path, error))?;
        Ok(self.known(&SourceDigest::of(&bytes).to_string(), path))
    }

    /// A file of the library in the project, by its digest, else by its absolute path.
    pub fn known(&self, digest: &str, path: &Path) -> Option<Known<'_>> {
        let source = self.project.known(digest, path)?;
        Some(Known { project: &self.project, source })
    }
}

impl<'a> Known<'a> {
    /// The digest of its bytes in the project.
    pub fn digest(self) -> &'a str {
        &self.source.source.digest
    }
}

impl Known<'_> {
    /// Its import options.
    pub fn options(self) -> ImportOptions {
        self.source.source.import
    }

    /// An error if its clips cannot be compressed as the window does it.
    pub fn check(self) -> Result<(), String> {
        match self.project.has_other_rig(self.source) {
            true => Err("the project has another rig for this file's clips. Export them in the window, or give --rig \
                         without the project"
                .into()),
            false => Ok(()),
        }
    }

    /// The recipe that a person chose for a clip alone.
    pub fn own(self, clip: &str) -> Option<OwnRecipe> {
        self.project.own_recipe(self.source, clip)
    }

    /// True if the clip was approved, and its file did not change since.
    pub fn is_approved(self, clip: &str) -> bool {
        self.own(clip).is_some_and(|own| own.is_approved)
    }

    /// The recipe of slot A for a clip.
    pub fn start(self, clip: &str) -> Recipe {
        self.project.start_recipe(self.source, clip)
    }

    /// A recipe with the contacts that were drawn by hand.
    pub fn with_contacts(self, clip: &str, mut recipe: Recipe) -> Recipe {
        recipe.contacts.by_hand = self.project.marks(self.source, clip).contacts;
        recipe
    }

    /// The marks that change the clips of the file, as text; empty without one. Contacts are part of the recipe, but a fix uses them.
    pub fn marks_text(self) -> String {
        let of_clip = |clip: &str| {
            let marks = self.project.marks(self.source, clip);
            let contacts = if marks.fixes.is_empty() { Vec::new() } else { marks.contacts };
            let marks = ClipMarks { contacts, ..marks };
            (marks != ClipMarks::default()).then(|| format!("{clip:?} {marks:?}"))
        };
        self.project.marked_clips(self.source).into_iter().filter_map(of_clip).collect::<Vec<_>>().join("\n")
    }

    /// Applies fixes and additive marks to the clips of the file.
    pub fn mark(self, file: &mut LoadedFile) {
        let rig = file.rig.clone();
        let fixer = Fixer::new(&rig, &file.clips);
        file.edit_clips(|clip| {
            let ClipMarks { additive, fixes, contacts, .. } = self.project.marks(self.source, clip.name());
            let mut marked = match fixes.is_empty() {
                true => Clip::clone(clip),
                false => fixer.fixed(clip, &ChosenFixes::new(fixes, &contacts)).map_err(Failure::input)?.clip,
            };
            if additive.is_some() {
                marked = marked.said_to_be(additive);
            }
            Ok(Arc::new(marked))
        });
    }

    /// Applies the marks of loops, after additive clips are on their bases.
    pub fn mark_loops(self, file: &mut LoadedFile) {
        file.edit_clips(|clip| {
            let loops = self.project.marks(self.source, clip.name()).loops.filter(|_| clip.can_loop());
            let marked = |loops| Arc::new(Clip::clone(clip).with_looping(loops));
            Ok(loops.filter(|loops| *loops != clip.is_looping()).map_or_else(|| clip.clone(), marked))
        });
    }
}
