use super::patterns::unfitted;
use super::setting_args::{Other, SettingArgs};
use super::{AdditiveRule, ClipArgs, Console, Failure, SourceArgs};
use posepress_core::batch::{LostClip, NoneChosen, choose_clips as choose, unique_names};
use posepress_core::codecs::Progress;
use posepress_core::files;
use posepress_core::import::{
    ChosenFixes, Finding, Fix, Fixer, ImportOptions, LengthUnit, NEEDS_RIG, Severity, lacks_rig, named_hash,
};
use posepress_core::model::{Clip, Rig, SourceDigest};
use posepress_core::pipeline::{MatchedJoint, RigMatch, RigMismatch, guard, is_same_rig};
use posepress_core::tasks::{Bases, ImportTask, ImportedSource, SourceFile, TaskError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source file after import.
#[derive(Debug, Clone)]
pub struct LoadedFile {
    /// Path as given.
    pub path: PathBuf,
    /// Digest of its bytes.
    pub digest: SourceDigest,
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// In the order of the file.
    pub clips: Vec<Arc<Clip>>,
    /// Bytes of each clip in the file.
    pub clip_bytes: Vec<u64>,
    /// Findings of the import checks.
    pub findings: Vec<Finding>,
    /// Other files that it refers to.
    pub beside: Vec<PathBuf>,
    /// Clips that were dropped after an error.
    pub lost: Vec<LostClip>,
}

impl LoadedFile {
    /// Edits every clip. A clip with an error is dropped; the others go on.
    pub fn edit_clips(&mut self, mut edit: impl FnMut(&Arc<Clip>) -> Result<Arc<Clip>, Failure>) {
        let (clips, bytes) = (std::mem::take(&mut self.clips), std::mem::take(&mut self.clip_bytes));
        for (clip, bytes) in clips.into_iter().zip(bytes) {
            match guard(|| edit(&clip)) {
                Ok(edited) => {
                    self.clips.push(edited);
                    self.clip_bytes.push(bytes);
                }
                Err(error) => self.lost.push(LostClip { name: clip.name().to_owned(), reason: error.to_string() }),
            }
        }
    }
}

/// A clip to work on.
#[derive(Debug, Clone)]
pub struct NamedClip {
    /// Path of the file as given.
    pub source: String,
    /// Unique name: `stem/name` if several files have a clip of that name.
    pub name: String,
    /// The rig.
    pub rig: Arc<Rig>,
    /// The raw clip.
    pub clip: Arc<Clip>,
}

/// Reads one file.
pub fn load_file(path: &Path, options: &ImportOptions) -> Result<LoadedFile, Failure> {
    read(ImportTask { file: SourceFile::Path(path.into()), options: *options, containers: false })
}

fn read(task: ImportTask) -> Result<LoadedFile, Failure> {
    let failed = |error: TaskError| task.file.path().and_then(unfitted).unwrap_or_else(|| Failure::input(error));
    let ImportedSource { path, imported, digest, .. } = task.run(&Progress::new()).map_err(failed)?;
    Ok(LoadedFile {
        path: path.unwrap_or_default(),
        digest,
        rig: Arc::new(imported.rig),
        clips: imported.clips.into_iter().map(Arc::new).collect(),
        clip_bytes: imported.clip_bytes,
        findings: imported.findings,
        beside: imported.beside,
        lost: Vec::new(),
    })
}

/// Reads files with the import options of a command, and moves their clips to the rig of the options.
pub struct Loader {
    options: ImportOptions,
    rig: Option<LoadedFile>,
    fixes: BTreeSet<Fix>,
    source: SourceArgs,
}

impl Loader {
    /// Reads the rig, if the options name one.
    pub fn new(source: &SourceArgs) -> Result<Self, Failure> {
        // Units and axes of the options apply to the source files. The file of the rig has its own.
        let rig = source.rig.as_deref().map(|path| load_file(path, &ImportOptions::default()));
        let fixes = source.fix.iter().copied().collect();
        Ok(Self { options: source.options(), rig: rig.transpose()?, fixes, source: source.clone() })
    }

    /// All that decides what a file is read as, besides the file: import options, fixes, additive marks, and the rig with the files beside
    /// it.
    ///
    /// # Errors
    /// A file beside the rig cannot be read.
    pub fn identity(&self) -> Result<String, Failure> {
        let rig = self.rig.iter().flat_map(|rig| &rig.beside).map(|path| {
            let bytes = files::read(path).map_err(|error| Failure::file(path, error))?;
            Ok(SourceDigest::of(&bytes).to_string())
        });
        let rig = self.rig.iter().map(|rig| Ok(rig.digest.to_string())).chain(rig);
        let rig = rig.collect::<Result<Vec<_>, Failure>>()?;
        let marks = |rules: &[AdditiveRule]| {
            rules.iter().map(|rule| format!("{}={:?}", rule.clips.glob(), rule.base)).collect::<Vec<_>>()
        };
        let (said, made) = (marks(&self.source.additive), marks(&self.source.make_additive));
        Ok(format!("{:?} {:?} {said:?} {made:?} {rig:?}", self.options, self.fixes))
    }

    /// The import options of source files.
    pub fn options(&self) -> ImportOptions {
        self.options
    }

    /// The file of the rig, and the files beside it.
    pub fn rig_files(&self) -> impl Iterator<Item = &Path> {
        self.rig.iter().flat_map(|rig| std::iter::once(&rig.path).chain(&rig.beside)).map(PathBuf::as_path)
    }

    /// The same loader with a length unit that overrides the options.
    pub fn with_unit(self, unit: LengthUnit) -> Self {
        Self { options: ImportOptions { unit: Some(unit), ..self.options }, ..self }
    }

    /// Reads the files in order. Errors and findings go to `console`. Also returns the files that could not be read.
    pub fn load_files(&self, paths: &[PathBuf], console: &mut Console<'_>) -> (Vec<LoadedFile>, Vec<PathBuf>) {
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        for path in paths {
            match self.load(path) {
                Ok(file) => {
                    say_findings(&file, console);
                    files.push(file);
                }
                Err(error) => {
                    console.say(format!("error: {error}"));
                    missing.push(path.clone());
                }
            }
        }
        put_on_bases(&mut files, console);
        let lost = files.iter().filter(|file| !say_lost(file, console)).map(|file| file.path.clone());
        missing.extend(lost);
        (files, missing)
    }

    /// Reads one file to work with. A file without a rig is refused unless the options name one.
    pub fn load(&self, path: &Path) -> Result<LoadedFile, Failure> {
        self.load_as(path, &self.options)
    }

    /// The same with other import options.
    pub fn load_as(&self, path: &Path, options: &ImportOptions) -> Result<LoadedFile, Failure> {
        with_rig(self.look_at_as(path, options)?)
    }

    /// Reads one file for a description; it may lack a rig.
    pub fn look_at(&self, path: &Path) -> Result<LoadedFile, Failure> {
        self.look_at_as(path, &self.options)
    }

    fn look_at_as(&self, path: &Path, options: &ImportOptions) -> Result<LoadedFile, Failure> {
        let mut file = load_file(path, options)?;
        self.fix(&mut file);
        self.on_rig(self.said(file))
    }

    /// Applies the additive marks and fixes of the options.
    fn said(&self, mut file: LoadedFile) -> LoadedFile {
        // Findings that ask for a base are dropped if an option gives the base.
        let is_decided =
            |found: &Finding| found.suggested_base.is_some() && self.source.additive(&found.subject).is_some();
        file.findings.retain(|found| !is_decided(found));
        file.edit_clips(|clip| {
            Ok(match self.source.additive(clip.name()) {
                Some(additive) => Arc::new(Clip::clone(clip).said_to_be(Some(additive))),
                None => clip.clone(),
            })
        });
        file
    }

    fn fix(&self, file: &mut LoadedFile) {
        if self.fixes.is_empty() {
            return;
        }
        let rig = file.rig.clone();
        let fixer = Fixer::new(&rig, &file.clips);
        let mut said = Vec::new();
        file.edit_clips(|clip| {
            let fixed = fixer.fixed(clip, &ChosenFixes::new(self.fixes.clone(), &[])).map_err(Failure::input)?;
            said.extend(fixed.findings);
            Ok(Arc::new(fixed.clip))
        });
        // A finding that was fixed is not reported again. Others are.
        file.findings.retain(|finding| finding.fix.is_none_or(|fix| !self.fixes.contains(&fix)));
        file.findings.extend(said);
    }

    /// Reads one source file, or a container as an external result.
    pub fn load_any(&self, path: &Path) -> Result<LoadedFile, Failure> {
        self.load_any_as(path, self.options)
    }

    /// Reads an external file on the rig of its source. Units and axes come from `space`. If `space` is empty, tries the
    /// file's own unit and the unit of the source, and takes the one that gives bones of the source's length.
    pub fn load_other(
        &self,
        path: &Path,
        source: &LoadedFile,
        space: &SettingArgs<Other>,
    ) -> Result<LoadedFile, Failure> {
        let [likely, other] = self.options.of_other(&source.path, path);
        let read = |options| put_on_rig(self.load_any_as(path, options)?, source).map_err(Failure::input);
        if !space.is_empty() {
            let own = ImportOptions { unit: None, scale: None, up: None, ..likely };
            return read(space.apply(own));
        }
        let first = read(likely);
        if first.is_ok() || other == likely {
            return first;
        }
        let hint = |e: Failure| Failure::input(format!("{e}. --unit applies to the source, --other-unit to this file"));
        read(other).or_else(|_| first.map_err(hint))
    }

    fn load_any_as(&self, path: &Path, options: ImportOptions) -> Result<LoadedFile, Failure> {
        let task = ImportTask { file: SourceFile::Path(path.into()), options, containers: true };
        // The file's own additive marks come first here, because the same options apply to the source and to the external result.
        let read = read(task)?;
        let own: Vec<_> = read.clips.iter().map(|clip| clip.additive().is_some().then(|| clip.clone())).collect();
        let mut file = self.said(read);
        file.clips.iter_mut().zip(own).for_each(|(clip, own)| *clip = own.unwrap_or_else(|| clip.clone()));
        self.on_rig(file)
    }

    fn on_rig(&self, file: LoadedFile) -> Result<LoadedFile, Failure> {
        match &self.rig {
            Some(rig) => put_on_rig(file, rig).map_err(Failure::input),
            None => Ok(file),
        }
    }
}

/// Joins additive clips with their bases. A missing base is reported on `console`, and the clip is used without it.
pub fn put_on_bases(files: &mut [LoadedFile], console: &mut Console<'_>) {
    let mut bases = Bases::default();
    files.iter().for_each(|file| bases.add(&file.digest, &file.rig, &file.clips));
    for (at, file) in files.iter_mut().enumerate() {
        let (path, rig) = (file.path.display().to_string(), file.rig.clone());
        file.edit_clips(|clip| {
            let on_base = bases.put_on_base(at, &rig.skeleton, clip);
            Ok(on_base.unwrap_or_else(|no_base| {
                console.say(format!("{path}: {}: {no_base}", clip.name()));
                clip.clone()
            }))
        });
    }
}

/// Refuses a file without a rig.
pub fn with_rig(file: LoadedFile) -> Result<LoadedFile, Failure> {
    match lacks_rig(&file.rig) {
        false => Ok(file),
        true => {
            let what = "it has only the hashes of joint names, and no rig gives the names";
            Err(Failure::file(&file.path, format!("{what}. {NEEDS_RIG}")))
        }
    }
}

/// Moves the clips of a file to the rig of another.
pub fn put_on_rig(file: LoadedFile, onto: &LoadedFile) -> Result<LoadedFile, String> {
    let at =
        |e: RigMismatch| format!("{}: cannot be put on the rig of {}: {e}", file.path.display(), onto.path.display());
    let matched = RigMatch::new(&onto.rig, &file.rig);
    let clips = matched.put_all_on(file.clips.iter().map(|clip| &**clip)).map_err(at)?;
    let said = file.findings.iter().filter(|finding| finding.meaning != NEEDS_RIG);
    let findings = said.map(|finding| named(finding, &matched)).chain([matched.finding()]).collect();
    let beside = file.beside.iter().chain([&onto.path]).chain(&onto.beside).cloned().collect();
    Ok(LoadedFile { rig: onto.rig.clone(), clips, findings, beside, ..file })
}

/// Replaces the joint hash in a finding by the name that the rig has for it.
fn named(finding: &Finding, matched: &RigMatch<'_>) -> Finding {
    let hash = named_hash(&finding.subject).map(|_| finding.subject.as_str());
    let is_it = |(_, source): &(&str, MatchedJoint)| hash.is_some() && matched.source_name(*source) == hash;
    match matched.joints().find(is_it) {
        Some((name, _)) => Finding { subject: format!("{name} ({})", finding.subject), ..finding.clone() },
        None => finding.clone(),
    }
}

/// Moves the clips of all files to the rig of the first. Bone lengths may differ, as in takes of one session, if the clips
/// animate them. Files that do not fit are reported on `console` and skipped.
pub fn on_one_rig(files: Vec<LoadedFile>, console: &mut Console<'_>) -> (Vec<LoadedFile>, Vec<PathBuf>) {
    let (mut out, mut missing): (Vec<LoadedFile>, _) = (Vec::with_capacity(files.len()), Vec::new());
    for file in files {
        let path = file.path.clone();
        let next = match out.first() {
            Some(first) if !is_same_rig(&first.rig, &file.rig) => {
                let file = LoadedFile { findings: Vec::new(), ..file }; // already reported
                put_on_rig(file, first)
            }
            _ => Ok(file),
        };
        match next {
            Ok(next) => {
                say_findings(&next, console);
                out.push(next);
            }
            Err(error) => {
                console.say(format!("error: {error}. A container holds one rig"));
                missing.push(path);
            }
        }
    }
    (out, missing)
}

/// Like [`Loader::load_files`], with a loader for these options.
///
/// # Errors
/// The rig of the options cannot be read.
pub fn load_files(
    paths: &[PathBuf],
    source: &SourceArgs,
    console: &mut Console<'_>,
) -> Result<(Vec<LoadedFile>, Vec<PathBuf>), Failure> {
    Ok(Loader::new(source)?.load_files(paths, console))
}

/// Reports the findings.
pub fn say_findings(file: &LoadedFile, console: &mut Console<'_>) {
    // The note on held feet is the answer to `--fix feet`.
    let worth = file.findings.iter().filter(|f| f.severity > Severity::Note || f.fix == Some(Fix::Feet));
    worth.for_each(|f| console.say(format!("{}: {}: {}. {}", file.path.display(), f.subject, f.what, f.meaning)));
}

/// Reports dropped clips. Returns true if there are none.
pub fn say_lost(file: &LoadedFile, console: &mut Console<'_>) -> bool {
    let path = file.path.display();
    file.lost.iter().for_each(|lost| console.say(format!("error: {path}: clip '{}': {}", lost.name, lost.reason)));
    file.lost.is_empty()
}

/// Like [`load_files`], but fails if any file cannot be read.
pub fn load_all(paths: &[PathBuf], source: &SourceArgs, console: &mut Console<'_>) -> Result<Vec<LoadedFile>, Failure> {
    let (files, missing) = load_files(paths, source, console)?;
    if missing.is_empty() { Ok(files) } else { Err(left_out(&missing, paths.len())) }
}

/// The failure at the end of a run in which some files could not be read.
pub fn left_out(missing: &[PathBuf], total: usize) -> Failure {
    let names: Vec<_> = missing.iter().map(|path| path.display().to_string()).collect();
    let count = missing.len();
    Failure::input(format!("{count} of {total} files could not be used, or not with all clips: {}", names.join(", ")))
}

/// The chosen clips with unique names, in the order of files and clips.
pub fn choose_clips(files: &[LoadedFile], wanted: &ClipArgs) -> Result<Vec<NamedClip>, Failure> {
    match choose(name_clips(files), &wanted.clip, |clip| [&clip.name, clip.clip.name()]) {
        Err(NoneChosen::Nothing) if files.is_empty() => Ok(Vec::new()),
        chosen => chosen.map_err(Failure::input),
    }
}

fn name_clips(files: &[LoadedFile]) -> Vec<NamedClip> {
    let stems: Vec<_> = files.iter().map(|f| f.path.file_stem().unwrap_or_default().to_string_lossy()).collect();
    let own = files.iter().zip(&stems).map(|(f, stem)| (&**stem, f.clips.iter().map(|clip| clip.name()).collect()));
    let names = unique_names(&own.collect::<Vec<_>>());
    let of_file = |(file, names): (&LoadedFile, Vec<String>)| {
        let (source, rig) = (file.path.display().to_string(), file.rig.clone());
        let clips = names.into_iter().zip(file.clips.clone());
        let named = move |(name, clip)| NamedClip { source: source.clone(), name, rig: rig.clone(), clip };
        clips.map(named).collect::<Vec<_>>()
    };
    files.iter().zip(names).flat_map(of_file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Output;
    use posepress_core::math::Transform;
    use posepress_core::model::{ClipData, Joint, Skeleton};

    fn file(path: &str, clips: &[&str]) -> LoadedFile {
        let joint = Joint { name: "root".into(), parent: None, bind: Transform::IDENTITY };
        let clip = |name: &&str| {
            Clip::new(ClipData {
                name: (*name).into(),
                joints: 1,
                duration_secs: 0.0,
                transforms: vec![Transform::IDENTITY],
                float_tracks: 0,
                floats: vec![],
                holds: vec![],
                looping: None,
            })
        };
        LoadedFile {
            path: path.into(),
            digest: SourceDigest::of(path.as_bytes()),
            rig: Arc::new(Rig::from_skeleton("r", Skeleton::new(vec![joint]).unwrap())),
            clips: clips.iter().map(|c| Arc::new(clip(c).unwrap())).collect(),
            clip_bytes: vec![0; clips.len()],
            findings: vec![],
            beside: vec![],
            lost: vec![],
        }
    }

    #[test]
    fn a_clip_on_which_something_fails_is_named_and_the_others_go_on() {
        let mut file = file("a.glb", &["walk", "run", "jump"]);
        file.clip_bytes = vec![1, 2, 3];
        file.edit_clips(|clip| match clip.name() {
            "walk" => panic!("no such sample"),
            "jump" => Err(Failure::input("it is not finite")),
            _ => Ok(clip.clone()),
        });
        assert_eq!((file.clips.len(), &file.clip_bytes[..]), (1, &[2][..]));
        let lost = file.lost.iter().map(|lost| (lost.name.as_str(), lost.reason.as_str()));
        let [("walk", panicked), ("jump", "it is not finite")] = lost.collect::<Vec<_>>()[..] else { panic!() };
        assert!(panicked.starts_with("stopped by an internal error (no such sample)"), "{panicked}");
        let mut said = Vec::new();
        let mut out = Output::new(Vec::new());
        assert!(!say_lost(&file, &mut Console { out: &mut out, messages: &mut said, painter: None }));
        assert_eq!(String::from_utf8(said).unwrap().matches("error: a.glb: clip").count(), 2);
    }

    #[test]
    fn names_are_unique_over_all_files() {
        let files = [file("a/one.bvh", &["take", "walk"]), file("b/two.bvh", &["take", "take"])];
        let names: Vec<_> = name_clips(&files).into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["one/take", "walk", "two/take", "two/take.1"]);
    }

    #[test]
    fn a_pattern_without_a_clip_names_those_there_are() {
        let files = [file("one.bvh", &["take", "walk"])];
        let wanted = |g: &str| ClipArgs { clip: vec![g.parse().unwrap()] };
        assert_eq!(choose_clips(&files, &wanted("w*")).unwrap().len(), 1);
        let error = choose_clips(&files, &wanted("Run")).unwrap_err();
        assert_eq!(error.to_string(), "no clip matches 'Run'; there are: take, walk");
    }
}
