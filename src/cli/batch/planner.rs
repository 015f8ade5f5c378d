//! The plan of a library: the clips of every file, their recipes and keys, and which results exist.

use super::args::BatchArgs;
use super::decided::{Decided, Known};
use super::inputs::{Found, Input, Unusable};
use super::outputs::{Part, Place, current, place_outputs, share_characters};
use crate::cli::load::Loader;
use crate::cli::{Failure, say};
use posepress_core::batch::{
    BatchConfig, BatchIndex, BudgetRow, ClipNumbers, FileListing, FileRecord, FileStamp, ListedClip, LostClip,
    MANIFEST_NAME, Manifest, ManifestRow, OnePer, OutputRules, Sidecar, StoredHead, clip_key,
};
use posepress_core::files;
use posepress_core::import::ImportOptions;
use posepress_core::model::SourceDigest;
use posepress_core::project::ProjectSource;
use posepress_core::recipe::Recipe;
use posepress_core::store::{EntryFault, ResultKey, Store, Subject};
use posepress_core::text;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A clip of the library, its recipe and the key of its result.
#[derive(Debug, Clone)]
pub struct PlannedClip {
    /// Name, once in its file.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Digest of what it is.
    pub subject: Subject,
    /// Key of the result.
    pub key: ResultKey,
    /// The recipe. The error is the reason why there is none.
    pub recipe: Result<Recipe, String>,
    /// True if it was approved with this recipe. Budgets leave it as it is.
    pub is_approved: bool,
    /// The numbers of the result. `None` if there is no result yet.
    pub numbers: Option<ClipNumbers>,
}

impl PlannedClip {
    /// True if it must be compressed.
    pub fn is_open(&self) -> bool {
        self.numbers.is_none() && self.recipe.is_ok()
    }
}

/// A file of the library.
#[derive(Debug)]
pub struct PlannedFile {
    /// The file.
    pub input: Input,
    /// Key of the list of its clips.
    pub key: ResultKey,
    /// The places of its outputs.
    pub place: Place,
    /// The tags of its clips.
    pub sidecar: Sidecar,
    /// Its clips. `None` if they are known only after an import.
    pub listed: Option<Listed>,
}

/// The clips of a file.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Those that can be read.
    pub clips: Vec<PlannedClip>,
    /// The others.
    pub lost: Vec<LostClip>,
    /// Digest of its rig.
    pub rig: String,
}

impl PlannedFile {
    /// Its clips that can be read, as far as they are known.
    pub fn clips(&self) -> &[PlannedClip] {
        self.listed.as_ref().map_or(&[], |listed| &listed.clips)
    }

    /// The same, to change them.
    pub fn clips_mut(&mut self) -> &mut [PlannedClip] {
        self.listed.as_mut().map_or(&mut [], |listed| &mut listed.clips)
    }
}

/// The library.
#[derive(Debug, Default)]
pub struct Library {
    /// Files that can be worked on, by label.
    pub files: Vec<PlannedFile>,
    /// Files that cannot be used, with the reason.
    pub errors: Vec<Unusable>,
    /// Files as they were found, by absolute path, for the index.
    pub records: BTreeMap<String, FileRecord>,
    /// The budgets, and what became of them.
    pub budgets: Vec<BudgetRow>,
    /// Messages about damaged entries of the store.
    pub notes: Vec<String>,
}

/// Files as they were found, by absolute path.
type Records = Vec<(String, FileRecord)>;

/// Knows rules, store and the last run.
pub struct Planner {
    /// The store.
    pub store: Store,
    /// The output folder.
    pub output: PathBuf,
    /// Reads files.
    pub loader: Loader,
    /// Files and outputs as the last run into the output folder found them.
    pub index: BatchIndex,
    /// The manifest of that run, by file and clip.
    pub last: HashMap<(String, String), ManifestRow>,
    /// The files to write.
    pub outputs: OutputRules,
    reads_all: bool,
    identity: String,
    recipe: Recipe,
    config: Option<BatchConfig>,
    decided: Option<Decided>,
    /// Messages about files. A file that is imported again, for a budget or a late look, gives them again.
    said: Mutex<HashSet<String>>,
}

impl Planner {
    /// Opens the store, the rules and the last run.
    pub fn new(args: &BatchArgs, output: &Path, found: &Found) -> Result<Self, Failure> {
        let config = config_of(&found.inputs)?;
        let recipe = args.recipe.recipe()?;
        let of_rules = config.as_ref().and_then(|config| config.project.as_deref());
        if let (Some(given), Some(of_rules)) = (found.project.as_deref(), of_rules) {
            same_project(given, of_rules)?;
        }
        let decided = found.project.as_deref().or(of_rules).map(Decided::read).transpose()?;
        let loader = Loader::new(&args.source)?;
        let identity = loader.identity()?;
        std::fs::create_dir_all(output).map_err(|error| Failure::file(output, error))?;
        let store = Store::open(&args.store_folder(output)).map_err(Failure::input)?;
        let last = match files::read_text(&output.join(MANIFEST_NAME)).ok().map(|text| Manifest::read(&text)) {
            Some(Ok(manifest)) => manifest.rows,
            None => Vec::new(),
            Some(Err(error)) => {
                say(format_args!("{MANIFEST_NAME} of the last run: {error}. All clips count as new"));
                Vec::new()
            }
        };
        let last = last.into_iter().map(|row| ((row.source.clone(), row.clip.clone()), row)).collect();
        let planner = Self {
            store,
            output: output.into(),
            loader,
            index: BatchIndex::default(),
            last,
            outputs: args.outputs(config.as_ref()),
            reads_all: args.hash,
            identity,
            recipe,
            config,
            decided,
            said: Mutex::default(),
        };
        let index = BatchIndex::read(planner.store.note(&planner.index_name()).as_deref());
        Ok(Self { index, ..planner })
    }

    /// Prints messages about a file, each once per run.
    pub fn say_once(&self, messages: &str) {
        for line in messages.lines() {
            let is_new = self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(line.to_owned());
            if is_new {
                say(line);
            }
        }
    }

    /// Name of the index in the store. Each output folder has its own, so that two runs do not replace each other's.
    pub fn index_name(&self) -> String {
        let output = files::canonical(&self.output).unwrap_or_else(|_| self.output.clone());
        format!("index-{}.json", SourceDigest::of(output.to_string_lossy().as_bytes()))
    }

    /// The rules.
    pub fn config(&self) -> Option<&BatchConfig> {
        self.config.as_ref()
    }

    /// Plans every file, without results.
    pub fn plan(&self, found: Found) -> Library {
        let (placed, mut errors) = place_outputs(found.inputs, &self.outputs);
        errors.extend(found.errors);
        let planned: Vec<_> = placed.into_par_iter().map(|(input, place)| self.plan_file(input, place)).collect();
        let mut library = Library { errors, ..Library::default() };
        for one in planned {
            match one {
                Ok((file, records)) => {
                    library.files.push(file);
                    library.records.extend(records);
                }
                Err(error) => library.errors.push(error),
            }
        }
        self.share_containers(&mut library);
        library
    }

    /// Finds the results that exist. Entries that are needed and damaged are removed, so that they are made again.
    pub fn find_results(&self, library: &mut Library) {
        library.notes = self.look_up(&mut library.files);
    }

    /// Gives files on one skeleton one container, if the outputs ask for that.
    pub fn share_containers(&self, library: &mut Library) {
        if self.outputs.one_per == Some(OnePer::Character) {
            share_characters(&mut library.files);
        }
    }

    /// Sets the numbers of results. Returns what should be said about damaged ones.
    fn look_up(&self, files: &mut [PlannedFile]) -> Vec<String> {
        let mut containers: BTreeMap<&str, Vec<Part<'_>>> = BTreeMap::new();
        let mut is_stale: HashSet<&str> = HashSet::new();
        for file in files.iter() {
            if file.listed.is_none() || file.clips().iter().any(|clip| !self.store.has(&clip.key)) {
                is_stale.insert(&file.place.container);
            }
            let parts = file.clips().iter().map(|clip| Part { input: &file.input, clip: &clip.name, key: &clip.key });
            containers.entry(&file.place.container).or_default().extend(parts);
        }
        let is_current =
            |place: &str, parts: &[Part<'_>]| !is_stale.contains(place) && current(self, place, parts).is_some();
        let current: HashSet<String> = containers
            .iter()
            .filter(|(place, parts)| is_current(place, parts))
            .map(|(place, _)| (*place).to_owned())
            .collect();
        let look_up = |file: &mut PlannedFile| {
            let is_known = current.contains(&file.place.container);
            let label = file.input.label.clone();
            file.clips_mut().iter_mut().filter_map(|clip| self.look_up_clip(&label, clip, is_known)).collect::<Vec<_>>()
        };
        files.par_iter_mut().flat_map_iter(look_up).collect()
    }

    /// Finds the result of a clip. If the container is known to be current, the numbers of the last run are enough. A damaged entry is
    /// removed, and named in the answer.
    pub fn look_up_clip(&self, label: &str, clip: &mut PlannedClip, is_known: bool) -> Option<String> {
        clip.recipe.as_ref().ok()?;
        let last = is_known.then(|| self.last.get(&(label.to_owned(), clip.name.clone()))).flatten();
        if let Some(numbers) =
            last.filter(|row| row.key.as_ref() == Some(&clip.key)).and_then(|row| row.numbers.clone())
        {
            clip.numbers = Some(numbers);
            return None;
        }
        let fault = match self.store.get(&clip.key) {
            Ok(None) => return None,
            Ok(Some(entry)) => match StoredHead::of(&entry) {
                Ok(StoredHead::Clip { numbers, .. }) => {
                    clip.numbers = Some(*numbers);
                    return None;
                }
                _ => format!("entry {}: {}", clip.key, EntryFault::Head),
            },
            Err(error) => error.to_string(),
        };
        let _ = self.store.remove(&clip.key); // the new result replaces it
        Some(format!("{}: clip '{}': {fault}. It is made again", text::escaped(label), clip.name))
    }

    fn plan_file(&self, input: Input, place: Place) -> Result<(PlannedFile, Records), Unusable> {
        let mut records = Vec::new();
        let sidecar = Sidecar::of(&input.path).map_err(|error| (input.label.clone(), error.to_string()))?;
        let digest = self.digest(&input.absolute, input.stamp, &mut records);
        let digest = digest.map_err(|reason| (input.label.clone(), reason))?;
        let key = self.listing_key(&input, &digest);
        let listing = self.listing(&input, &key).filter(|listing| self.is_beside(&input, listing, &mut records));
        let listed = listing.as_ref().map(|listing| Listed {
            clips: self.clips(&input, &sidecar, &digest, listing),
            lost: listing.lost.clone(),
            rig: listing.rig.clone(),
        });
        let own = input.absolute.to_string_lossy();
        let record = records.iter_mut().find(|(path, _)| *path == own);
        if let (Some(listing), Some((_, record))) = (listing, record) {
            record.listing = Some((key.clone(), listing));
        }
        Ok((PlannedFile { input, key, place, sidecar, listed }, records))
    }

    /// Digest of a file's bytes: from the index if size and time are those of the last run.
    fn digest(&self, path: &Path, stamp: Option<FileStamp>, records: &mut Records) -> Result<String, String> {
        let name = path.to_string_lossy().into_owned();
        let known = self.index.files.get(&name).filter(|known| !self.reads_all && Some(known.stamp) == stamp);
        if let Some(known) = known {
            records.push((name, known.clone()));
            return Ok(known.digest.clone());
        }
        let bytes = files::read(path).map_err(|error| format!("cannot be read: {error}. Check the file"))?;
        let digest = SourceDigest::of(&bytes).to_string();
        if let Some(stamp) = stamp {
            records.push((name, FileRecord { stamp, digest: digest.clone(), listing: None }));
        }
        Ok(digest)
    }

    /// Key of the listing of a file. Importers name rigs and clips by the file, so its name counts.
    pub fn listing_key(&self, input: &Input, digest: &str) -> ResultKey {
        let name = input.path.file_name().unwrap_or_default().to_string_lossy();
        let identity = self.identity(input, self.known(input, digest));
        ResultKey::of(&[("kind", "listing"), ("import", &identity), ("source", digest), ("file", &name)])
    }

    /// The file in the project, by its bytes on disk.
    pub fn known_now(&self, input: &Input) -> Result<Option<Known<'_>>, Failure> {
        self.decided.as_ref().map_or(Ok(None), |decided| decided.known_now(&input.absolute))
    }

    /// The recipe of the options.
    pub fn start(&self) -> &Recipe {
        &self.recipe
    }

    /// The project of the run.
    pub fn decided(&self) -> Option<&Decided> {
        self.decided.as_ref()
    }

    /// A file as a project has it. In the project of the run it keeps its digest there, by which decisions know it.
    pub fn project_source(&self, input: &Input, digest: &str) -> ProjectSource {
        let known = self.known(input, digest);
        let digest = known.map_or(digest, Known::digest).to_owned();
        ProjectSource { path: input.absolute.clone(), digest, import: self.import_options(input, known) }
    }

    /// The import options of a file: those of the project, else those of the command with the changes of the rules.
    pub fn import_options(&self, input: &Input, known: Option<Known<'_>>) -> ImportOptions {
        let of_rules = || {
            let start = self.loader.options();
            let below = self.config.as_ref().and_then(|config| Some((config, config.path_below(&input.absolute)?)));
            below.map_or(start, |(config, below)| config.import(start, &below))
        };
        known.map_or_else(of_rules, Known::options)
    }

    fn known(&self, input: &Input, digest: &str) -> Option<Known<'_>> {
        self.decided.as_ref()?.known(digest, &input.absolute)
    }

    /// All that decides what a file is read as, besides the file.
    fn identity(&self, input: &Input, known: Option<Known<'_>>) -> Cow<'_, str> {
        let marks = known.map_or(String::new(), Known::marks_text);
        let options = Some(self.import_options(input, known)).filter(|options| *options != self.loader.options());
        match (options, &*marks) {
            (None, "") => Cow::Borrowed(&*self.identity),
            (options, marks) => format!("{} {options:?} {marks}", self.identity).into(),
        }
    }

    fn listing(&self, input: &Input, key: &ResultKey) -> Option<FileListing> {
        let of_file = self.index.files.get(&*input.absolute.to_string_lossy()).and_then(|file| file.listing.as_ref());
        if let Some((_, listing)) = of_file.filter(|(known, _)| known == key) {
            return Some(listing.clone());
        }
        match StoredHead::of(&self.store.get(key).ok()??) {
            Ok(StoredHead::Listing(listing)) => Some(listing),
            _ => None,
        }
    }

    /// True if the files beside a file still have the bytes of the listing.
    fn is_beside(&self, input: &Input, listing: &FileListing, records: &mut Records) -> bool {
        let folder = input.absolute.parent().unwrap_or(Path::new(""));
        listing.beside.iter().all(|beside| {
            let path = folder.join(&beside.path);
            let stamp = path.metadata().ok().and_then(|about| FileStamp::of(&about));
            self.digest(&path, stamp, records).is_ok_and(|digest| digest == beside.digest)
        })
    }

    /// The clips of a file with their recipes and keys.
    pub fn clips(&self, input: &Input, sidecar: &Sidecar, digest: &str, listing: &FileListing) -> Vec<PlannedClip> {
        let known = self.known(input, digest);
        let clip = |listed: &ListedClip| {
            let ListedClip { name, subject, tags } = listed.clone();
            let tags = sidecar.tags(&name, &tags);
            let recipe = self.recipe(&input.absolute, known, &name, &tags);
            let key = clip_key(&subject, &name, recipe.as_ref().ok());
            let is_approved = known.is_some_and(|known| known.is_approved(&name));
            PlannedClip { name, tags, subject, key, recipe, is_approved, numbers: None }
        };
        listing.clips.iter().map(clip).collect()
    }

    /// The recipe of a clip: that of the options or of the project, with the changes of the rules. What a person chose for the clip alone
    /// comes after the rules.
    fn recipe(&self, file: &Path, known: Option<Known<'_>>, clip: &str, tags: &[String]) -> Result<Recipe, String> {
        let Some(known) = known else { return self.ruled(&self.recipe, file, clip, tags) };
        known.check()?;
        match known.own(clip) {
            Some(own) => Ok(own.recipe),
            None => Ok(known.with_contacts(clip, self.ruled(&known.start(clip), file, clip, tags)?)),
        }
    }

    /// A recipe with the changes of the rules about a clip.
    fn ruled(&self, start: &Recipe, file: &Path, clip: &str, tags: &[String]) -> Result<Recipe, String> {
        let rules = self.config.as_ref().and_then(|config| Some((config, config.path_below(file)?)));
        let Some((config, below)) = rules else { return Ok(start.clone()) };
        config.recipe(start, (&below, clip), tags).map_err(|error| error.to_string())
    }
}

/// A run has the decisions of one project.
fn same_project(given: &Path, of_rules: &Path) -> Result<(), Failure> {
    let [place, place_of_rules] = [given, of_rules].map(|path| files::canonical(path).ok());
    if place == place_of_rules {
        return Ok(());
    }
    let [given, of_rules] = [given, of_rules].map(|path| path.display().to_string());
    Err(Failure::usage(format!(
        "{given} is an input, and the rules name the project {of_rules}. Leave one of them out"
    )))
}

/// The rules of the library: the nearest `posepress.toml` above its files.
fn config_of(inputs: &[Input]) -> Result<Option<BatchConfig>, Failure> {
    let mut known: HashMap<&Path, Option<PathBuf>> = HashMap::new();
    let mut found: Option<(PathBuf, &Input)> = None;
    for input in inputs {
        let folder = input.absolute.parent().unwrap_or(Path::new(""));
        let of_folder = known.entry(folder).or_insert_with(|| BatchConfig::find(folder));
        match (&found, of_folder) {
            (_, None) => {}
            (None, Some(path)) => found = Some((path.clone(), input)),
            (Some((first, of)), Some(path)) if first != path => {
                let [first, path] = [first, path].map(|path| path.display().to_string());
                return Err(Failure::usage(format!(
                    "{} has the rules of {first}, and {} those of {path}. Run them apart, or keep one of the files",
                    of.label, input.label
                )));
            }
            _ => {}
        }
    }
    found.map(|(path, _)| BatchConfig::read(&path).map_err(Failure::input)).transpose()
}
