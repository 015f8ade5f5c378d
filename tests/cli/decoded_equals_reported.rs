//! The error of `decode --csv`, measured here in f64 by the test's own code, equals the error of `report` for what `compress` wrote.

use crate::project::corpus;
use crate::support::Bench;
use posepress_core::codecs::{CODECS, Progress};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::model::{Clip, Pose, Skeleton};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::Recipe;
use std::path::Path;
use std::sync::Arc;

/// Metrics work in f32: object-space positions of a few metres have an error of 2e-7 m per joint of the chain.
const F32_NOISE_MM: f64 = 2e-3;
const SHELL_M: f64 = 0.03;

#[test]
fn on_a_small_rig_for_every_codec() {
    let bench = Bench::with_sources();
    for codec in CODECS {
        let line = format!("--codec {} --tolerance-mm 0.5", codec.name());
        check(&bench, &bench.path("biped.gltf"), "Walk", &line);
    }
}

#[test]
fn on_a_real_character() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let bench = Bench::new();
    for clip in ["Walking_A", "1H_Melee_Attack_Chop", "T-Pose"] {
        // The same shell for all joints.
        check(&bench, &knight, clip, "--codec linear-keys --tolerance-mm 0.1 --shell-from-mesh=false");
    }
}

#[test]
fn the_csv_reads_back_to_the_bits_that_the_library_decodes() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --clip Wave --codec linear-keys --tolerance-mm 0.5 -o w.posepress");
    let decoded = parse(&bench.ok("decode w.posepress --csv"), 3);
    let recipe = Recipe { tolerance_m: 0.0005, ..Recipe::chosen("linear-keys").unwrap() };
    let imported = import_file(&bench.path("biped.gltf"), &ImportOptions::default()).unwrap();
    let clip = imported.clips.into_iter().find(|c| c.name() == "Wave").unwrap();
    let clip_grid = clip.grid();
    let measured = MeasuredClip::new(Arc::new(imported.rig), Arc::new(clip), &recipe);
    let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
    let mut sampler = outcome.sampler();
    let mut pose = Pose::with_size(3, 0);
    for (time, joints) in &decoded {
        sampler.sample(clip_grid.sample_at(*time), &mut pose);
        for (row, t) in joints.iter().zip(&pose.joints) {
            let (p, r, s) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
            let bits: Vec<u32> = p.iter().chain(&r).chain(&s).map(|v| v.to_bits()).collect();
            assert_eq!(row.map(f32::to_bits).to_vec(), bits, "at {time} s");
        }
    }
}

fn check(bench: &Bench, source: &Path, clip: &str, recipe: &str) {
    let source_name = source.display();
    let line = |command: &str| format!("{command} {source_name} --clip {clip} {recipe}");
    let report: serde_json::Value =
        serde_json::from_str(&bench.run(&format!("{} --json", line("report"))).out).unwrap();
    bench.run(&format!("{} -o out.posepress", line("compress")));
    let csv = bench.ok("decode out.posepress --csv");

    let imported = import_file(source, &ImportOptions::default()).unwrap();
    let rig = &imported.rig.skeleton;
    let raw = imported.clips.iter().find(|c| c.name() == clip).unwrap();
    let own = measure(rig, raw, &parse(&csv, rig.len()));

    let error = &report["clips"][0]["error"];
    let reported_mm = error["max_mm"].as_f64().unwrap();
    assert!(
        (own.max_mm - reported_mm).abs() < F32_NOISE_MM.min(0.01 * reported_mm + 2e-4),
        "{recipe}, {clip}: reported {reported_mm} mm, measured here {} mm",
        own.max_mm
    );
    // If several times have the same error, any of them may be named, but its error must be the largest.
    let worst = &error["worst"];
    let joint = rig.find(worst["joint"].as_str().unwrap()).unwrap();
    let time = worst["time_secs"].as_f64().unwrap() as f32;
    let there = own.at.iter().find(|(t, j, _)| *t == time && *j == joint).map_or(0.0, |(.., mm)| *mm);
    assert!((there - own.max_mm).abs() < F32_NOISE_MM, "{recipe}, {clip}: {there} mm at the worst named");
}

type Row = [f32; 10];

/// Rows of the CSV by time: translation, rotation, scale.
fn parse(csv: &str, joints: usize) -> Vec<(f32, Vec<Row>)> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz"));
    let rows: Vec<(f32, Row)> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |i: usize| fields[i].parse().unwrap();
            (number(0), std::array::from_fn(|i| number(3 + i)))
        })
        .collect();
    assert_eq!(rows.len() % joints, 0);
    rows.chunks(joints).map(|c| (c[0].0, c.iter().map(|r| r.1).collect())).collect()
}

struct Measured {
    max_mm: f64,
    /// Time, joint, error.
    at: Vec<(f32, usize, f64)>,
}

/// Shell error of every joint at every sample, in f64.
fn measure(rig: &Skeleton, raw: &Clip, decoded: &[(f32, Vec<Row>)]) -> Measured {
    assert_eq!(decoded.len(), raw.samples());
    let mut at = Vec::new();
    for (sample, (time, rows)) in decoded.iter().enumerate() {
        let raw_rows: Vec<Row> = raw
            .pose(sample)
            .iter()
            .map(|t| {
                let (p, r, s) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
                [p[0], p[1], p[2], r[0], r[1], r[2], r[3], s[0], s[1], s[2]]
            })
            .collect();
        let (a, b) = (model(rig, &raw_rows), model(rig, rows));
        for joint in 0..rig.len() {
            let error = (0..3).map(|axis| distance(point(&a[joint], axis), point(&b[joint], axis))).fold(0.0, f64::max);
            at.push((*time, joint, 1000.0 * error));
        }
    }
    Measured { max_mm: at.iter().map(|a| a.2).fold(0.0, f64::max), at }
}

/// Three columns and the origin.
type Matrix = [[f64; 3]; 4];

fn model(rig: &Skeleton, rows: &[Row]) -> Vec<Matrix> {
    let mut out: Vec<Matrix> = Vec::new();
    for (joint, row) in rows.iter().enumerate() {
        let local = matrix(row);
        out.push(match rig.parent(joint) {
            Some(parent) => std::array::from_fn(|c| apply(&out[parent], local[c], c == 3)),
            None => local,
        });
    }
    out
}

/// Scale, then rotation, then translation. The rotation is used as stored, without normalising it.
fn matrix(row: &Row) -> Matrix {
    let [tx, ty, tz, x, y, z, w, sx, sy, sz] = row.map(f64::from);
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)].map(|v| v * sx),
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)].map(|v| v * sy),
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)].map(|v| v * sz),
    ];
    [columns[0], columns[1], columns[2], [tx, ty, tz]]
}

fn apply(m: &Matrix, v: [f64; 3], is_point: bool) -> [f64; 3] {
    std::array::from_fn(|i| {
        let origin = if is_point { m[3][i] } else { 0.0 };
        m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2] + origin
    })
}

fn point(m: &Matrix, axis: usize) -> [f64; 3] {
    std::array::from_fn(|i| m[3][i] + SHELL_M * m[axis][i])
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}
