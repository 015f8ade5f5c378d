use super::super::ExportClip;
use super::names::{identifier, joint_paths, shapes};
use super::samples::Row;
use crate::math::Transform;
use crate::model::{ModelPose, Rig};
use glam::{Affine3A, Mat4};
use std::fmt::Write;

/// Time codes per second of a clip with one sample.
const STILL_HZ: f64 = 24.0;

/// Writes a stage: a character with its skeleton, and its animation.
pub fn write(rig: &Rig, clip: &ExportClip<'_>, rows: &[Row]) -> String {
    let grid = clip.source.grid();
    let rate_hz = if grid.rate_hz() > 0.0 { whole(grid.rate_hz()) } else { STILL_HZ };
    let (character, motion) = (identifier(&rig.name), identifier(&clip.name));
    let motion = if motion == "Skeleton" { "Animation".to_owned() } else { motion };
    let mut out = format!(
        "#usda 1.0\n(\n    defaultPrim = \"{character}\"\n    endTimeCode = {}\n    framesPerSecond = {rate_hz}\n    metersPerUnit = 1\n    \
         startTimeCode = 0\n    timeCodesPerSecond = {rate_hz}\n    upAxis = \"Y\"\n)\n\n",
        clip.source.samples() - 1
    );
    let api = "prepend apiSchemas = [\"SkelBindingAPI\"]";
    let _ = writeln!(out, "def SkelRoot \"{character}\"\n{{");
    let _ = writeln!(out, "    def Skeleton \"Skeleton\" (\n        {api}\n    )\n    {{");
    write_skeleton(&mut out, rig);
    let _ = writeln!(out, "        rel skel:animationSource = </{character}/{motion}>\n    }}\n");
    let _ = writeln!(out, "    def SkelAnimation \"{motion}\"\n    {{");
    write_motion(&mut out, rig, rows);
    out.push_str("    }\n}\n");
    out
}

/// A rate without the rounding error of a clip's duration, which is a float32.
fn whole(rate_hz: f64) -> f64 {
    let is_rounding = (rate_hz - rate_hz.round()).abs() <= f64::from(f32::EPSILON) * rate_hz;
    if is_rounding { rate_hz.round() } else { rate_hz }
}

fn write_skeleton(out: &mut String, rig: &Rig) {
    let skeleton = &rig.skeleton;
    let model = ModelPose::new(skeleton, &skeleton.bind_pose(0).joints);
    let names: Vec<String> = skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
    let rest = skeleton.joints().iter().map(|joint| joint.bind.to_affine());
    let _ = writeln!(out, "        uniform token[] joints = {}", tokens(&joint_paths(skeleton)));
    let _ = writeln!(out, "        uniform token[] jointNames = {}", tokens(&names));
    let _ = writeln!(out, "        uniform matrix4d[] bindTransforms = [{}]", listed(model.joints.iter().map(matrix)));
    let _ = writeln!(out, "        uniform matrix4d[] restTransforms = [{}]", listed(rest.map(|rest| matrix(&rest))));
}

fn write_motion(out: &mut String, rig: &Rig, rows: &[Row]) {
    let _ = writeln!(out, "        uniform token[] joints = {}", tokens(&joint_paths(&rig.skeleton)));
    let joints = |write: fn(&Transform) -> String| {
        let row = move |row: &Row| format!("[{}]", listed(row.pose.joints.iter().map(write)));
        rows.iter().map(row).collect::<Vec<_>>()
    };
    write_track(out, "float3[] translations", rows, &joints(|local| tuple(&local.translation.to_array())));
    write_track(
        out,
        "quatf[] rotations",
        rows,
        &joints(|local| {
            let [x, y, z, w] = local.rotation.to_array();
            tuple(&[w, x, y, z])
        }),
    );
    write_track(out, "half3[] scales", rows, &joints(|local| tuple(&local.scale.to_array())));
    let tracks = rows.first().map_or(0, |row| row.pose.floats.len());
    if tracks > 0 {
        let _ = writeln!(out, "        uniform token[] blendShapes = {}", tokens(&shapes(rig, tracks)));
        let weights = |row: &Row| format!("[{}]", listed(row.pose.floats.iter().map(f32::to_string)));
        write_track(out, "float[] blendShapeWeights", rows, &rows.iter().map(weights).collect::<Vec<_>>());
    }
}

/// Writes an attribute with a value per row, or one value if all are equal.
fn write_track(out: &mut String, name: &str, rows: &[Row], values: &[String]) {
    match values {
        [first, others @ ..] if others.iter().all(|value| value == first) && !name.starts_with("quatf") => {
            let _ = writeln!(out, "        {name} = {first}");
        }
        _ => {
            let _ = writeln!(out, "        {name}.timeSamples = {{");
            for (row, value) in rows.iter().zip(values) {
                let _ = writeln!(out, "            {}: {value},", row.code);
            }
            out.push_str("        }\n");
        }
    }
}

/// Texts in quotes, which USD escapes as C does.
fn tokens(texts: &[String]) -> String {
    let quoted = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!("[{}]", listed(texts.iter().map(quoted)))
}

fn listed(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(", ")
}

fn tuple(numbers: &[f32]) -> String {
    format!("({})", listed(numbers.iter().map(f32::to_string)))
}

/// A matrix that acts on rows.
fn matrix(affine: &Affine3A) -> String {
    let rows = Mat4::from(*affine).to_cols_array_2d();
    format!("({})", listed(rows.iter().map(|row| tuple(row))))
}
