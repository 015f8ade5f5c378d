//! The limits of a whole run, its baseline, and the files that it writes beside its outputs.

use super::annotations::{FaultKind, Judged};
use super::args::BatchArgs;
use super::decided::Decided;
use super::inputs::Input;
use super::planner::Planner;
use crate::cli::output::{check_output, try_output};
use crate::cli::{Console, Failure};
use posepress_core::batch::{Gate, GateError, MANIFEST_NAME, Manifest, ManifestDiff, Sidecar, Unmet};
use posepress_core::export::write_atomically;
use posepress_core::files;
use posepress_core::pipeline::EXPORT_FORMATS;
use std::path::{Path, PathBuf};

/// The limits of a run and its baseline.
#[derive(Debug, Default)]
pub struct Limits {
    /// The limits.
    pub gate: Gate,
    /// The baseline. `None` if there is none yet and this run writes it.
    before: Option<Manifest>,
    /// The file to which this run writes the baseline.
    updated: Option<PathBuf>,
}

impl Limits {
    /// The limits of the options and of `posepress.toml`. Also checks, before the work, that page and baseline may be written.
    pub fn of(args: &BatchArgs, planner: &Planner, inputs: &[Input]) -> Result<Self, Failure> {
        let config = planner.config();
        let gate =
            args.gate.clone().unwrap_or_default().or(config.map(|config| config.gate.clone()).unwrap_or_default());
        let baseline = args.baseline.clone().or_else(|| config?.baseline.clone());
        if let Some(page) = &args.html {
            let others = [("of --review", args.review.as_deref()), ("with the baseline", baseline.as_deref())];
            check_target("--html", page, &others, (planner, inputs))?;
        }
        let Some(path) = baseline else {
            return match args.update_baseline {
                _ if gate.needs_baseline() => Err(Failure::usage(GateError::NoBaseline)),
                true => Err(Failure::usage(
                    "--update-baseline: name the file with --baseline FILE, or as 'baseline' in [gate] of posepress.toml",
                )),
                false => Ok(Self { gate, ..Self::default() }),
            };
        };
        let before = read(&path, args.update_baseline)?;
        if args.update_baseline {
            check_target("--baseline", &path, &[("of --review", args.review.as_deref())], (planner, inputs))?;
        }
        Ok(Self { gate, before, updated: args.update_baseline.then_some(path) })
    }

    /// The changes since the baseline, and the limits that a manifest does not keep.
    pub fn judge(&self, manifest: &Manifest) -> Result<(Option<ManifestDiff>, Vec<Unmet>), Failure> {
        let diff = self.before.as_ref().map(|before| ManifestDiff::between(before, manifest));
        // Without an earlier baseline, nothing grew.
        let first = self.updated.as_ref().map(|_| ManifestDiff::default());
        let unmet = self.gate.unmet(manifest, diff.as_ref().or(first.as_ref())).map_err(Failure::usage)?;
        Ok((diff, unmet))
    }

    /// Writes the baseline, if the run is asked to and every clip has a result within the limits of the gate.
    pub fn update_baseline(&self, judged: &Judged<'_>, console: &mut Console<'_>) -> Result<(), Failure> {
        let Some(path) = &self.updated else { return Ok(()) };
        let why = [(FaultKind::NoResult, "a row has no result"), (FaultKind::Gate, "a limit of the gate is not kept")];
        match why.iter().find(|(kind, _)| judged.has(*kind)) {
            Some((_, why)) => console.say(format!("{}: the baseline is not updated, because {why}", path.display())),
            None => write_atomically(path, judged.manifest.to_text().as_bytes()).map_err(Failure::input)?,
        }
        Ok(())
    }
}

fn read(path: &Path, may_be_missing: bool) -> Result<Option<Manifest>, Failure> {
    match files::read_text(path) {
        Ok(text) => Manifest::read(&text).map(Some).map_err(|error| Failure::file(path, error)),
        Err(error) if error.is_missing() && may_be_missing => Ok(None),
        Err(error) if error.is_missing() => {
            Err(Failure::file(path, "there is no baseline yet. --update-baseline makes it"))
        }
        Err(error) => Err(Failure::file(path, error)),
    }
}

/// Checks that a run may write a file: it is none that the run reads, or writes for another reason.
fn check_target(
    option: &str,
    path: &Path,
    others: &[(&str, Option<&Path>)],
    (planner, inputs): (&Planner, &[Input]),
) -> Result<(), Failure> {
    let sidecars: Vec<PathBuf> = inputs.iter().map(|input| Sidecar::path_of(&input.absolute)).collect();
    let rules = planner.config().map(|config| config.path.as_path());
    let read = inputs.iter().map(|input| &input.path).chain(&sidecars).map(PathBuf::as_path);
    check_output(path, read.chain(rules).chain(planner.decided().map(Decided::path)))?;
    let wrong =
        |what: &str| Err(Failure::usage(format!("{option} {}: it is {what}. Give another name", path.display())));
    let (place, output) = (place_of(path), place_of(&planner.output));
    let extension = path.extension().unwrap_or_default();
    let is_of_format = EXPORT_FORMATS.iter().any(|format| extension.eq_ignore_ascii_case(format.extension));
    if place.starts_with(place_of(planner.store.folder())) {
        return wrong("a file of the store");
    }
    if place == output.join(MANIFEST_NAME) {
        return wrong("the manifest of the run");
    }
    if is_of_format && place.starts_with(&output) {
        return wrong("named as an output of the run");
    }
    let is_it = |other: &Option<&Path>| other.is_some_and(|other| place_of(other) == place);
    match others.iter().find(|(_, other)| is_it(other)) {
        Some((whose, _)) => wrong(&format!("the file {whose}")),
        None => try_output(path),
    }
}

/// The place of a file that may not exist yet, with the links of its folders resolved.
fn place_of(path: &Path) -> PathBuf {
    let resolved = |path: &Path| files::canonical(path).ok();
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let rest = |above: &Path| absolute.strip_prefix(above).map(Path::to_owned).unwrap_or_default();
    let above = absolute.ancestors().find_map(|above| Some((resolved(above)?, rest(above))));
    match above {
        Some((above, rest)) if rest.as_os_str().is_empty() => above,
        Some((above, rest)) => above.join(rest),
        None => absolute,
    }
}
