//! Replays `fuzz/corpus`, the seeds and findings of fuzzing: one folder per target.

#[path = "../../fuzz/src/targets.rs"]
mod fuzz_targets;
use crate::codec_fixtures::{Fixture, Noise, fixtures, leg, variants};
use crate::import::fbx::{constrained_fbx, small_fbx};
#[cfg(feature = "usd")]
use crate::import::usd;
use crate::import::vrm;
use crate::project::project;
use fuzz_targets::pipeline::CHOICES;
use posepress_core::codecs::{
    BindPose, CODECS, Compensation, CompensationMethod, ParamValues, Progress, Source, by_name, clip_compensation,
    encode_compensated_clip, encoders, open_clip, take_out_planes,
};
use posepress_core::export::{ExportClip, ExportTarget, by_key};
use posepress_core::import::{IMPORTERS, ImportOptions, import_bytes};
use posepress_core::math::Transform;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest size of the corpus, small enough to stay in the repository.
const MAX_CORPUS_BYTES: u64 = 250_000;

fn fuzz_folder() -> PathBuf {
    project("fuzz")
}

/// Every decoder, a decoder with compensation, the container, tiers, the pipeline and every importer.
fn targets() -> Vec<&'static str> {
    let importers = IMPORTERS.iter().flat_map(|i| i.extensions());
    encoders()
        .map(|c| c.name())
        .chain(["compensation", "container", "tier", "pipeline"])
        .chain(importers.copied())
        .collect()
}

#[test]
fn every_codec_and_importer_is_a_target() {
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
    for target in targets() {
        let file = format!("fuzz_targets/{}.rs", target.replace('-', "_"));
        assert!(manifest.contains(&format!("name = \"{target}\"\npath = \"{file}\"")), "no [[bin]] for {target}");
        let code = fs::read_to_string(fuzz_folder().join(&file)).unwrap_or_default();
        assert!(code.contains(&format!("run(\"{target}\", data)")), "{file} does not run {target}");
    }
}

/// A setting is fuzzed only if its table is.
#[test]
fn every_table_of_settings_goes_the_whole_way() {
    let fuzzed = fs::read_to_string(fuzz_folder().join("src/pipeline.rs")).unwrap();
    let mut tables = Vec::new();
    let mut folders = vec![project("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(code) = fs::read_to_string(&path) {
                let code = code.split("#[cfg(test)]").next().unwrap_or_default();
                let found = code.lines().filter_map(|line| line.strip_prefix("impl Settings for "));
                tables.extend(found.map(|rest| rest.trim_end_matches(" {").to_owned()));
            }
        }
    }
    assert!(tables.len() > 5, "{tables:?}");
    let is_fuzzed = |table: &String| {
        fuzzed.contains(&format!("settings::<{table}>()")) || fuzzed.contains(&format!(": {table} = dice.settings()"))
    };
    let missing: Vec<_> = tables.into_iter().filter(|table| !is_fuzzed(table)).collect();
    assert!(missing.is_empty(), "fuzz/src/pipeline.rs sets nothing of {missing:?}");
}

#[test]
fn the_kept_corpus_is_survived() {
    let (mut bytes, mut written) = (0, Vec::new());
    for target in targets() {
        let folder = fuzz_folder().join("corpus").join(target);
        let files = fs::read_dir(&folder).map(|files| files.map(|f| f.unwrap().path()).collect()).unwrap_or_default();
        let mut files: Vec<PathBuf> = files;
        files.sort();
        if files.is_empty() {
            write_seeds(target, &folder);
            written.push(folder);
            continue;
        }
        for file in files {
            let data = fs::read(&file).unwrap();
            bytes += data.len() as u64;
            // After a panic, the last printed line names the file.
            println!("{}", file.display());
            fuzz_targets::run(target, &data);
        }
    }
    assert!(written.is_empty(), "wrote {written:?}: look at them, then commit them");
    assert!(bytes < MAX_CORPUS_BYTES, "{bytes} bytes");
}

/// Fuzzing starts from clips that open. Seeds of an old format would be refused by their first bytes, and would test nothing.
#[test]
fn seeds_of_codecs_are_clips_that_open() {
    for codec in encoders() {
        let files = fs::read_dir(fuzz_folder().join("corpus").join(codec.name())).unwrap();
        for file in files.map(|entry| entry.unwrap().path()) {
            let data = fs::read(&file).unwrap();
            let joints = u16::from_le_bytes([data[0], data[1]]);
            let bind = vec![Transform::IDENTITY; usize::from(joints)];
            let opened = open_clip(codec, &data, &bind).map(drop);
            let is_crash = file.file_name().unwrap().to_string_lossy().starts_with("crash-");
            match opened {
                Ok(()) => {}
                // A former crash may be refused, but not for its version.
                Err(error) if is_crash => {
                    assert!(!error.to_string().contains("version"), "{}: {error}", file.display())
                }
                Err(error) => panic!("{}: {error}", file.display()),
            }
        }
    }
}

/// Seeds of fuzzing, which the program makes from hand-made clips and files.
fn write_seeds(target: &str, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (name, bytes) in seeds(target) {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

fn seeds(target: &str) -> BTreeMap<String, Vec<u8>> {
    match target {
        "container" => ["codecs", "key-reduction", "groups", "float-tracks", "loops"]
            .map(|name| (name.into(), golden(name)))
            .into(),
        "tier" => tiers(),
        "compensation" => compensated(),
        "pipeline" => pipelines(),
        "bvh" => [("take".into(), TAKE.into())].into(),
        "fbx" => [("rig".into(), small_fbx()), ("constraints".into(), constrained_fbx())].into(),
        "glb" => [("rig".into(), crate::import_support::small_rig().glb())].into(),
        "gltf" => [("rig".into(), crate::import_support::small_rig().gltf())].into(),
        "vrm" => [("model".into(), vrm::MODEL.doc().glb()), ("model-0".into(), vrm::MODEL_0.doc().glb())].into(),
        "vrma" => [("clip".into(), vrm::DANCE.doc().glb())].into(),
        "ozz" => of_take(&[("rig", "ozz-skeleton"), ("clip", "ozz")]),
        "anm" => of_take(&[("clip", "anm")]),
        #[cfg(feature = "usd")]
        "usda" | "usdc" | "usd" | "usdz" => [("character".into(), usd::file(target))].into(),
        codec => clips(codec),
    }
}

/// Clips of press with their tiers, and a tier file.
fn tiers() -> BTreeMap<String, Vec<u8>> {
    let press = by_name("press").unwrap();
    let file = fs::read(project("tests/golden/tiers.low.posepress-tier")).unwrap();
    let mut out = BTreeMap::from([("file".to_owned(), file)]);
    for fixture in fixtures().iter().filter(|f| ["floats", "two samples", "held"].contains(&f.name)) {
        let clip = fixture.encode(press, &ParamValues::new()).bytes;
        let bind = BindPose::new(fixture.bind()).unwrap();
        let taken = take_out_planes(press.id(), &clip, &bind, |_, track| 1 + (track % 3) as u8).unwrap();
        let length = (taken.clip.len() as u32).to_le_bytes();
        out.insert(fixture.name.replace(' ', "-"), [&length[..], &taken.clip, &taken.tier].concat());
    }
    out
}

/// The BVH take as files of other formats.
fn of_take(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let take = import_bytes("take.bvh".as_ref(), TAKE.as_bytes(), &ImportOptions::default()).unwrap();
    let of = |(name, format): &(&str, &str)| {
        let mut clips = [ExportClip::raw(&take.clips[0])];
        let bytes = by_key(format).unwrap().export(&take.rig, &mut clips, &ExportTarget::default()).unwrap();
        ((*name).to_owned(), bytes)
    };
    files.iter().map(of).collect()
}

const TAKE: &str = "HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
                    Yrotation\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
                    MOTION\nFrames: 2\nFrame Time: 0.1\n0 1 0 10 20 30 40\n0 1 0.5 10 25 30 40\n";

fn golden(name: &str) -> Vec<u8> {
    fs::read(project(&format!("tests/golden/{name}.posepress"))).unwrap()
}

/// A file of each kind with every codec and with every compensation.
fn pipelines() -> BTreeMap<String, Vec<u8>> {
    let glb = crate::import_support::small_rig().glb();
    let files = IMPORTERS.iter().flat_map(|i| i.extensions()).enumerate();
    let mut out = BTreeMap::new();
    for (kind, extension) in files {
        let file = match *extension {
            "bvh" => TAKE.as_bytes().to_vec(),
            "gltf" => crate::import_support::small_rig().gltf(),
            "glb" => glb.clone(),
            _ => continue,
        };
        for (number, codec) in CODECS.iter().enumerate() {
            let mut noise = Noise(16 + number as u64);
            let mut choices: Vec<u8> = (0..CHOICES).map(|_| noise.bits() as u8).collect();
            (choices[0], choices[1]) = (kind as u8, number as u8);
            out.insert(format!("{extension}-{}", codec.name()), [choices, file.clone()].concat());
        }
    }
    out
}

/// A hostile file once made compensation fail. It and others run if they are next to the checkout.
#[test]
fn hostile_files_go_the_whole_way_with_many_recipes() {
    let mut noise = Noise(29);
    for entry in fs::read_dir(project("../shared/hostile")).into_iter().flatten() {
        let file = entry.unwrap().path();
        let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let kind = IMPORTERS.iter().flat_map(|i| i.extensions()).position(|e| *e == extension);
        let (Some(kind), Ok(bytes)) = (kind, fs::read(&file)) else { continue };
        for _ in 0..16 {
            let mut data: Vec<u8> = (0..CHOICES).map(|_| noise.bits() as u8).collect();
            data[0] = kind as u8;
            println!("{}: {data:?}", file.display());
            data.extend_from_slice(&bytes);
            fuzz_targets::run("pipeline", &data);
        }
    }
}

/// A standing leg, coarsely quantized, with every compensation method.
fn compensated() -> BTreeMap<String, Vec<u8>> {
    let codec = by_name("quantize").and_then(|c| c.encoder()).unwrap();
    let mut values = ParamValues::new();
    values.set_text(codec.params(), "rotation_format", "fixed32").unwrap();
    values.set_text(codec.params(), "in_place", "false").unwrap();
    let leg = leg(13);
    let of = |method: CompensationMethod| {
        let limb_accuracy_m = (method == CompensationMethod::All).then_some(0.000_01);
        let compensation = Compensation { method, limb_accuracy_m, ..Compensation::default() };
        let encode = |source: &Source| encode_compensated_clip(codec, source, &values, &compensation, &Progress::new());
        let encoded = leg.with_source(encode).unwrap();
        assert!(clip_compensation(&encoded.bytes).is_ok_and(|found| found.applied == method), "{method:?} was skipped");
        (format!("{method:?}").to_lowercase(), encoded.bytes)
    };
    let all = CompensationMethod::STEPS.into_iter().chain([CompensationMethod::All]);
    all.map(of).collect()
}

/// Every choice of a codec on a clip with floats, and its defaults on short and unusual clips.
fn clips(codec: &str) -> BTreeMap<String, Vec<u8>> {
    let codec = by_name(codec).unwrap();
    let all = fixtures();
    let of = |names: &[&str]| all.iter().filter(|f| names.contains(&f.name)).collect::<Vec<&Fixture>>();
    let mut out = BTreeMap::new();
    let mut keep = |name: String, bytes: Vec<u8>| {
        if !out.values().any(|other| *other == bytes) {
            out.insert(name, bytes);
        }
    };
    for fixture in of(&["scaled", "constant", "one sample", "two samples", "held", "flat", "instant", "looping"]) {
        let bytes = fixture.encode(codec, &ParamValues::new()).bytes;
        keep(fixture.name.replace(' ', "-"), bytes);
    }
    for fixture in of(&["floats"]) {
        for (number, values) in variants(codec).into_iter().enumerate() {
            keep(format!("floats-{number}"), fixture.encode(codec, &values).bytes);
        }
    }
    out
}
