//! Prints the initial tables of the entropy coders, trained on clips of many kinds at 30 Hz.
//!
//! `cargo run --release -p posepress-core --example train_tables -- wavelet|press UNIT=FOLDER...` (UNIT: m, cm; a folder is a set of clips)

mod press;
mod wavelet;

use posepress_core::import::{ImportOptions, LengthUnit, find_files, import_file};
use posepress_core::model::{Clip, Skeleton};
use std::error::Error;
use std::path::Path;

const USAGE: &str = "usage: train_tables wavelet|press UNIT=FOLDER... (UNIT: m, cm)";

/// Usual radius of the shell of virtual vertices, metres.
const SHELL_M: f32 = 0.03;

/// Clips of one folder, each with its skeleton.
type Set = Vec<(Skeleton, Clip)>;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [codec, folders @ ..] = args.as_slice() else { return Err(USAGE.into()) };
    let sets = folders.iter().map(|folder| set(folder)).collect::<Result<Vec<Set>, _>>()?;
    let rows = match codec.as_str() {
        "wavelet" => wavelet::tables(&sets)?,
        "press" => press::tables(&sets)?,
        _ => return Err(USAGE.into()),
    };
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// All clips below the folder of `UNIT=FOLDER`. Skips files that cannot be imported.
fn set(argument: &str) -> Result<Set, Box<dyn Error>> {
    let (unit, folder) = argument.split_once('=').ok_or(USAGE)?;
    let unit = match unit {
        "m" => LengthUnit::Metre,
        "cm" => LengthUnit::Centimetre,
        _ => return Err(USAGE.into()),
    };
    let mut set = Set::new();
    for file in find_files(Path::new(folder))?.files {
        let options = ImportOptions { unit: Some(unit), rate_hz: Some(30.0), ..ImportOptions::default() };
        let Ok(imported) = import_file(&file, &options) else { continue };
        set.extend(imported.clips.into_iter().map(|clip| (imported.rig.skeleton.clone(), clip)));
    }
    if set.is_empty() { Err(format!("{folder} has no clip").into()) } else { Ok(set) }
}
