use super::{ClipArgs, Console, Failure, SourceArgs};
use posepress_core::codecs::Progress;
use posepress_core::import::{
    Finding, ImportOptions, LengthUnit, Mend, Mender, NEEDS_RIG, Severity, SourceDigest, lacks_rig,
};
use posepress_core::model::{BaseOf, Clip, Rig};
use posepress_core::session::{
    Bases, ImportTask, ImportedSource, RigMatch, RigMismatch, SourceFile, TaskError, rig_digest,
};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source file, read.
#[derive(Debug, Clone)]
pub struct LoadedFile {
    /// As it was named.
    pub path: PathBuf,
    /// Of its bytes.
    pub digest: SourceDigest,
    /// Joints and meshes.
    pub rig: Arc<Rig>,
    /// In the order of the file.
    pub clips: Vec<Arc<Clip>>,
    /// What the file spends on each, bytes.
    pub clip_bytes: Vec<u64>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
    /// Files beside it that belong to it.
    pub beside: Vec<PathBuf>,
}

/// A clip to work on.
#[derive(Debug, Clone)]
pub struct NamedClip {
    /// The file as it was named.
    pub source: String,
    /// Unique among all files: a name that several files use becomes `stem/name`.
    pub name: String,
    /// The rig.
    pub rig: Arc<Rig>,
    /// The raw clip.
    pub clip: Arc<Clip>,
}

/// Reads one file.
pub fn load_file(path: &Path, options: &ImportOptions) -> Result<LoadedFile, TaskError> {
    read(ImportTask { file: SourceFile::Path(path.into()), options: *options, containers: false })
}

fn read(task: ImportTask) -> Result<LoadedFile, TaskError> {
    let ImportedSource { path, imported, digest, .. } = task.run(&Progress::new())?;
    Ok(LoadedFile {
        path: path.unwrap_or_default(),
        digest,
        rig: Arc::new(imported.rig),
        clips: imported.clips.into_iter().map(Arc::new).collect(),
        clip_bytes: imported.clip_bytes,
        findings: imported.findings,
        beside: imported.beside,
    })
}

/// Reads files as the options of a command say, their clips on the rig that these name.
pub struct Loader {
    options: ImportOptions,
    rig: Option<LoadedFile>,
    mends: BTreeSet<Mend>,
    source: SourceArgs,
}

impl Loader {
    /// Reads the rig, if one is named.
    pub fn new(source: &SourceArgs) -> Result<Self, Failure> {
        // What is said of units and axes is said of the files: a rig knows its own.
        let rig = source.rig.as_deref().map(|path| load_file(path, &ImportOptions::default()).map_err(Failure::input));
        let mends = source.mend.iter().copied().collect();
        Ok(Self { options: source.options(), rig: rig.transpose()?, mends, source: source.clone() })
    }

    /// The same with lengths of that unit, whatever the options say.
    pub fn with_unit(self, unit: LengthUnit) -> Self {
        Self { options: ImportOptions { unit: Some(unit), ..self.options }, ..self }
    }

    /// Reads what can be read, in order, and says on `console` what cannot be and what should be looked at. Returns what was left
    /// out, too.
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
        (files, missing)
    }

    /// Reads one file to work with. What lacks a rig, and gets none, is refused.
    pub fn load(&self, path: &Path) -> Result<LoadedFile, Failure> {
        with_rig(self.look_at(path)?)
    }

    /// Reads one file, whatever can be done with it.
    pub fn look_at(&self, path: &Path) -> Result<LoadedFile, Failure> {
        let mut file = load_file(path, &self.options).map_err(Failure::input)?;
        self.mend(&mut file)?;
        self.on_rig(self.said(file))
    }

    /// The clips as they are said to be additive, or not.
    fn said(&self, mut file: LoadedFile) -> LoadedFile {
        for clip in &mut file.clips {
            if let Some(additive) = self.source.additive(clip.name()) {
                // What is decided is not asked again.
                file.findings.retain(|found| found.suggested_base.is_none() || found.subject != clip.name());
                *clip = Arc::new(Clip::clone(clip).said_to_be(Some(additive)));
            }
        }
        file
    }

    fn mend(&self, file: &mut LoadedFile) -> Result<(), Failure> {
        if self.mends.is_empty() {
            return Ok(());
        }
        let mender = Mender::new(&file.rig, &file.clips);
        let mended = file.clips.iter().map(|clip| mender.mended(clip, &self.mends).map(Arc::new));
        let at = |e| Failure::input(format!("{}: {e}", file.path.display()));
        file.clips = mended.collect::<Result<_, _>>().map_err(at)?;
        // What is mended is not said again; what another remedy would mend is.
        file.findings.retain(|finding| finding.mend.is_none_or(|mend| !self.mends.contains(&mend)));
        Ok(())
    }

    /// Reads one file, or a container as if another tool had made it.
    pub fn load_any(&self, path: &Path) -> Result<LoadedFile, Failure> {
        let task = ImportTask { file: SourceFile::Path(path.into()), options: self.options, containers: true };
        // What a file says of itself counts more here: the same options go with the source and with what another tool made of it.
        let read = read(task).map_err(Failure::input)?;
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

/// Puts additive clips on what they are added to, and says on `console` of which that is not there: they stand for themselves.
pub fn put_on_bases(files: &mut [LoadedFile], console: &mut Console<'_>) {
    let mut bases = Bases::default();
    files.iter().for_each(|file| bases.add(&file.digest, &file.rig, &file.clips));
    for (at, file) in files.iter_mut().enumerate() {
        for clip in &mut file.clips {
            let Some(additive) = clip.additive().filter(|additive| additive.base != BaseOf::Nothing) else { continue };
            match clip.on_base(&file.rig.skeleton, |name| bases.find(at, name)) {
                Ok(Some(on_base)) => *clip = Arc::new(on_base),
                _ => console.say(format!(
                    "{}: {}: it is to be added to {}, and no such clip of these joints is read. It stands for itself",
                    file.path.display(),
                    clip.name(),
                    additive.base
                )),
            }
        }
    }
}

/// A file whose clips move a rig.
pub fn with_rig(file: LoadedFile) -> Result<LoadedFile, Failure> {
    match lacks_rig(&file.rig) {
        false => Ok(file),
        true => {
            let what = "its joints are known by the hashes of their names alone, and no rig says more of them";
            Err(Failure::file(&file.path, format!("{what}. {NEEDS_RIG}")))
        }
    }
}

/// The clips of a file on the rig of another.
pub fn put_on_rig(file: LoadedFile, onto: &LoadedFile) -> Result<LoadedFile, String> {
    let at =
        |e: RigMismatch| format!("{}: cannot be put on the rig of {}: {e}", file.path.display(), onto.path.display());
    let matched = RigMatch::new(&onto.rig, &file.rig);
    matched.check().map_err(at)?;
    let clips = file.clips.iter().map(|clip| matched.put_on(clip).map(Arc::new));
    let clips = clips.collect::<Result<Vec<_>, _>>().map_err(at)?;
    let said = file.findings.iter().filter(|finding| finding.meaning != NEEDS_RIG);
    let findings = said.cloned().chain([matched.finding()]).collect();
    let beside = file.beside.iter().chain([&onto.path]).chain(&onto.beside).cloned().collect();
    Ok(LoadedFile { rig: onto.rig.clone(), clips, findings, beside, ..file })
}

/// Files whose clips shall be of one rig, that of the first: takes of one stage differ in lengths that their channels replace.
/// What does not fit is said on `console` and left out.
pub fn on_one_rig(files: Vec<LoadedFile>, console: &mut Console<'_>) -> (Vec<LoadedFile>, Vec<PathBuf>) {
    let (mut out, mut missing): (Vec<LoadedFile>, _) = (Vec::with_capacity(files.len()), Vec::new());
    for file in files {
        let path = file.path.clone();
        let next = match out.first() {
            Some(first) if !is_same_rig(&first.rig, &file.rig) => {
                let file = LoadedFile { findings: Vec::new(), ..file }; // said when it was read
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

fn is_same_rig(a: &Rig, b: &Rig) -> bool {
    rig_digest(a) == rig_digest(b) && a.float_names == b.float_names
}

/// As [`Loader::load_files`], with a loader of these options.
///
/// # Errors
/// When the rig that all need cannot be read.
pub fn load_files(
    paths: &[PathBuf],
    source: &SourceArgs,
    console: &mut Console<'_>,
) -> Result<(Vec<LoadedFile>, Vec<PathBuf>), Failure> {
    Ok(Loader::new(source)?.load_files(paths, console))
}

/// Says what should be looked at.
pub fn say_findings(file: &LoadedFile, console: &mut Console<'_>) {
    let worth = file.findings.iter().filter(|f| f.severity > Severity::Note);
    worth.for_each(|f| console.say(format!("{}: {}: {}. {}", file.path.display(), f.subject, f.what, f.meaning)));
}

/// As [`load_files`], but every file must be readable.
pub fn load_all(paths: &[PathBuf], source: &SourceArgs, console: &mut Console<'_>) -> Result<Vec<LoadedFile>, Failure> {
    let (files, missing) = load_files(paths, source, console)?;
    if missing.is_empty() { Ok(files) } else { Err(left_out(&missing, paths.len())) }
}

/// The failure that stands at the end of a run over several files of which some could not be read.
pub fn left_out(missing: &[PathBuf], total: usize) -> Failure {
    let names: Vec<_> = missing.iter().map(|path| path.display().to_string()).collect();
    Failure::input(format!("{} of {total} files could not be used: {}", missing.len(), names.join(", ")))
}

/// The clips that are meant, named uniquely, in the order of files and clips.
pub fn choose_clips(files: &[LoadedFile], wanted: &ClipArgs) -> Result<Vec<NamedClip>, Failure> {
    let clips = name_clips(files);
    let matches = wanted.filter();
    let chosen: Vec<NamedClip> = clips.iter().filter(|c| matches(&c.name) || matches(c.clip.name())).cloned().collect();
    if !chosen.is_empty() || files.is_empty() {
        return Ok(chosen);
    }
    if clips.is_empty() {
        return Err(Failure::input("the files hold no clip"));
    }
    let names: Vec<_> = clips.iter().map(|c| c.name.as_str()).collect();
    Err(Failure::input(format!("no clip matches {}; there are: {}", wanted.patterns(), names.join(", "))))
}

fn name_clips(files: &[LoadedFile]) -> Vec<NamedClip> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    files.iter().flat_map(|f| &f.clips).for_each(|c| *uses.entry(c.name()).or_default() += 1);
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for file in files {
        let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
        for clip in &file.clips {
            let own = clip.name();
            let base = if uses[own] > 1 && files.len() > 1 { format!("{stem}/{own}") } else { own.to_owned() };
            let mut name = base.clone();
            let mut count = 0;
            while !seen.insert(name.clone()) {
                count += 1;
                name = format!("{base}.{count}");
            }
            let source = file.path.display().to_string();
            out.push(NamedClip { source, name, rig: file.rig.clone(), clip: clip.clone() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
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
        }
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
        let wanted = |g: &str| ClipArgs { clip: vec![globset::Glob::new(g).unwrap()] };
        assert_eq!(choose_clips(&files, &wanted("w*")).unwrap().len(), 1);
        let error = choose_clips(&files, &wanted("Run")).unwrap_err();
        assert_eq!(error.to_string(), "no clip matches 'Run'; there are: take, walk");
    }
}
