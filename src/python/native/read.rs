use crate::clip::Clip;
use crate::fault::Fault;
use crate::options::{options, settings};
use crate::rig::Rig;
use crate::work;
use posepress_core::batch::unique_names;
use posepress_core::codecs::Progress;
use posepress_core::import::{Finding, ImportOptions, Imported, NEEDS_RIG, Origin, Severity, import_bytes, lacks_rig};
use posepress_core::model::{self, SourceDigest};
use posepress_core::tasks::{Bases, ImportTask, ImportedSource, SourceFile};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Severity, subject, observation, meaning.
pub type FindingRow = (&'static str, String, String, String);

/// Reads a file, or `data` under the name `path`. Returns the rig, the clips and the findings of the import checks.
#[pyfunction]
#[pyo3(signature = (path, data=None, rig=None, progress=None, **keywords))]
pub fn read(
    py: Python<'_>,
    path: PathBuf,
    data: Option<PyBackedBytes>,
    rig: Option<PyRef<'_, Rig>>,
    progress: Option<Py<PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Rig, Vec<Clip>, Vec<FindingRow>)> {
    let (options, onto) = (options(keywords)?, rig.map(|rig| rig.0.clone()));
    work::run(py, progress, |progress| {
        let options: ImportOptions = settings(&options)?;
        let (imported, digest) = imported(&path, data.as_deref(), options, progress)?;
        let origin = data.is_none().then(|| Origin { path: path.clone(), digest: digest.clone(), options });
        let file = File { path: &path, digest, origin: origin.map(Arc::new) };
        file.clips(imported, onto)
    })
}

fn imported(
    path: &Path,
    data: Option<&[u8]>,
    options: ImportOptions,
    progress: &Progress,
) -> Result<(Imported, SourceDigest), Fault> {
    match data {
        Some(data) => Ok((import_bytes(path, data, &options)?, SourceDigest::of(data))),
        None => {
            let task = ImportTask { file: SourceFile::Path(path.into()), options, containers: true };
            let ImportedSource { imported, digest, .. } = task.run(progress)?;
            Ok((imported, digest))
        }
    }
}

/// A file that was read.
struct File<'a> {
    path: &'a Path,
    digest: SourceDigest,
    origin: Option<Arc<Origin>>,
}

impl File<'_> {
    /// The clips on their rig and on their bases, under unique names.
    fn clips(
        &self,
        imported: Imported,
        onto: Option<Arc<model::Rig>>,
    ) -> Result<(Rig, Vec<Clip>, Vec<FindingRow>), Fault> {
        let source: Arc<str> = self.path.to_string_lossy().into();
        let own = Arc::new(imported.rig);
        if onto.is_none() && lacks_rig(&own) {
            let what =
                format!("{source}: it has only the hashes of joint names, and no rig gives the names. {NEEDS_RIG}");
            return Err(Fault::new("ReadError", what).of_file(&*source).advise(NEEDS_RIG));
        }
        let rig = onto.unwrap_or_else(|| own.clone());
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let names = unique_names(&[(&*stem, imported.clips.iter().map(|clip| clip.name()).collect())]).remove(0);
        let mut findings: Vec<FindingRow> = imported.findings.iter().map(row).collect();
        let mut clips = Vec::with_capacity(names.len());
        for ((clip, name), bytes) in imported.clips.into_iter().zip(names).zip(imported.clip_bytes) {
            let (clip, source, origin) = (Arc::new(clip), source.clone(), self.origin.clone());
            let clip = Clip { name, clip, rig: own.clone(), source, origin, bytes };
            clips.push(Clip { clip: clip.moved_to(&rig)?, rig: rig.clone(), ..clip });
        }
        self.put_on_bases(&mut clips, &rig, &mut findings);
        Ok((Rig(rig), clips, findings))
    }

    fn put_on_bases(&self, clips: &mut [Clip], rig: &Arc<model::Rig>, findings: &mut Vec<FindingRow>) {
        let mut bases = Bases::default();
        bases.add(&self.digest, rig, &clips.iter().map(|clip| clip.clip.clone()).collect::<Vec<_>>());
        for clip in clips {
            match bases.put_on_base(0, &rig.skeleton, &clip.clip) {
                Ok(on_base) => clip.clip = on_base,
                Err(error) => {
                    findings.push((
                        "warning",
                        clip.name.clone(),
                        error.to_string(),
                        "Read both clips from one file".into(),
                    ));
                }
            }
        }
    }
}

/// A finding for Python.
pub fn row(finding: &Finding) -> FindingRow {
    let severity = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Decide => "decide",
    };
    (severity, finding.subject.clone(), finding.what.clone(), finding.meaning.clone())
}
