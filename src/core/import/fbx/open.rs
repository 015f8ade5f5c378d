use super::{Ask, Budget, Fault, Finding, ImportOptions, readable};
use crate::text;
use std::cell::Cell;
use std::collections::BTreeMap;
use ufbx::{
    AllocatorOpts, CoordinateAxes, CoordinateAxis, Error, ErrorType, FileFormat, GeometryTransformHandling,
    InheritModeHandling, LoadOpts, Progress, ProgressCb, ProgressResult, Scene, SceneRoot, SpaceConversion,
    WarningType,
};

/// Longest chain of nodes. A longer one is an error in the file: rigs have chains of at most a few hundred joints.
const MAX_NODE_DEPTH: u32 = 4096;
/// Interval at which ufbx reports its progress, bytes. It is the precision of an error's place.
const PROGRESS_BYTES: u64 = 1024;

/// Parses a file within the budget. Converts it to metres and Y up, by its own unit and axes or those of the options.
pub(super) fn open(bytes: &[u8], options: &ImportOptions, budget: &Budget) -> Result<SceneRoot, Fault> {
    let target_unit_m = match options.unit {
        Some(unit) => {
            let heads = load(bytes, budget, |settings| settings.ignore_all_content = true)?;
            metres_per_unit(&heads) / f64::from(unit.metres())
        }
        None => 1.0,
    };
    let target_unit_m = target_unit_m / f64::from(options.factor());
    let target_axes = match options.up {
        Some(_) => UNCHANGED_AXES,
        None => ufbx::axes_right_handed_y_up(),
    };
    let root = load(bytes, budget, |settings| {
        settings.target_unit_meters = target_unit_m;
        settings.target_axes = target_axes;
    })?;
    match root.metadata.file_format {
        FileFormat::Fbx => Ok(root),
        _ => Err(Fault::new(NOT_FBX)),
    }
}

/// Metres per unit of length; 0.01 (centimetres) if the file states none.
pub(super) fn metres_per_unit(scene: &Scene) -> f64 {
    match scene.settings.original_unit_meters {
        unit_m if unit_m > 0.0 && unit_m.is_finite() => unit_m,
        _ => 0.01,
    }
}

const NOT_FBX: &str = "this is not an FBX file";
const UNCHANGED_AXES: CoordinateAxes =
    CoordinateAxes { right: CoordinateAxis::Unknown, up: CoordinateAxis::Unknown, front: CoordinateAxis::Unknown };

fn settings<'a>(budget: &Budget) -> LoadOpts<'a> {
    let limited = || AllocatorOpts { memory_limit: budget.left(Ask::Decoded) as usize, ..Default::default() };
    LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        clean_skin_weights: true,
        generate_missing_normals: true,
        normalize_normals: true,
        node_depth_limit: MAX_NODE_DEPTH,
        space_conversion: SpaceConversion::ModifyGeometry,
        geometry_transform_handling: GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: InheritModeHandling::Compensate,
        progress_interval_hint: PROGRESS_BYTES,
        ..Default::default()
    }
}

fn load(bytes: &[u8], budget: &Budget, ask: impl FnOnce(&mut LoadOpts<'_>)) -> Result<SceneRoot, Fault> {
    let read_bytes = Cell::new(0);
    let mut note = |progress: &Progress| {
        read_bytes.set(progress.bytes_read);
        ProgressResult::Continue
    };
    let mut settings = LoadOpts { progress_cb: ProgressCb::Mut(&mut note), ..settings(budget) };
    ask(&mut settings);
    let loaded = ufbx::load_memory(bytes, settings);
    loaded.map_err(|error| fault(&error, budget).at(format!("about byte {}", read_bytes.get())))
}

fn fault(error: &Error, budget: &Budget) -> Fault {
    match error.type_ {
        ErrorType::UnrecognizedFileFormat => Fault::new(NOT_FBX),
        ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            let most = text::bytes(budget.left(Ask::Decoded));
            Fault::new(format!("reading it takes more than {most} of memory, the limit for a file of its size"))
                .advise("Export the file again, with less in it")
        }
        ErrorType::OutOfMemory => {
            Fault::new("memory does not suffice to read it").advise("Close other programs, or split the file")
        }
        ErrorType::UnsupportedVersion => Fault::new(format!("its version is not supported: {}", said(error)))
            .advise("Export it as FBX 2013 or newer"),
        ErrorType::TruncatedFile => {
            Fault::new("it is cut short").advise("The file is cut short or damaged: copy or export it again")
        }
        _ => Fault::new(format!("it is damaged: {}", said(error)))
            .advise("The file is cut short or damaged: copy or export it again"),
    }
}

/// The error message of ufbx.
fn said(error: &Error) -> String {
    match error.info() {
        "" => readable(&error.description),
        info => readable(&format!("{} ({info})", error.description)),
    }
}

/// Findings about errors that ufbx repaired, and about unsupported content.
pub(super) fn findings(scene: &Scene) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut warnings = BTreeMap::<(bool, &str), usize>::new();
    for warning in &scene.metadata.warnings {
        // Names in another encoding do not affect motion.
        let matters = warning.type_ != WarningType::BadUnicode;
        *warnings.entry((matters, &warning.description)).or_default() += warning.count;
    }
    for ((matters, what), times) in warnings {
        let what = format!("{} ({})", readable(what), text::count(times, "time"));
        let meaning = "It was repaired on import. Export the file again if parts or names are missing.";
        findings.push(if matters {
            Finding::warning("file", what, meaning)
        } else {
            Finding::note("file", what, meaning)
        });
    }
    if !scene.cache_deformers.is_empty() {
        let what = format!("{} are not read", text::count(scene.cache_deformers.len(), "geometry cache"));
        findings.push(Finding::warning("meshes", what, "These meshes move by their skin alone."));
    }
    findings
}
