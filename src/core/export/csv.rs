use super::{ExportClip, ExportError, ExportTarget, Exporter, ExporterInfo, Holds, only_clip};
use crate::model::{Pose, Rig, Sampler, Skeleton, TimeGrid};
use std::borrow::Cow;
use std::fmt::Write;

/// Local transforms of every joint and all morph weights at every sample as comma-separated values, for spreadsheets and scripts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Csv;

impl Exporter for Csv {
    fn info(&self) -> ExporterInfo {
        ExporterInfo { key: "csv", name: "CSV table of samples", extension: "csv", holds: Holds::OneClip }
    }

    /// One clip a file: the columns are those of `decode --csv`, which name no clip.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        let clip = only_clip(clips, rig, "a CSV file")?;
        let grid = clip.source.grid();
        let names = float_names(rig, clip.source.float_tracks());
        Ok(csv_table(&rig.skeleton, &names, clip.sampler.as_mut(), (grid, grid.steps(1))).into_bytes())
    }
}

/// Names of a clip's float tracks; those that its rig has none for are called by their number.
fn float_names(rig: &Rig, tracks: usize) -> Vec<String> {
    (0..tracks).map(|track| rig.float_names.get(track).cloned().unwrap_or_else(|| track.to_string())).collect()
}

/// A row per place in a clip, in samples of its grid, and joint under the header `time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz`.
/// Where there are float tracks, such as morph weights, the header goes on with `weight`, which the rows of joints leave empty, and
/// after the joints of a place comes a row a track, with its name and its weight alone.
///
/// Local transforms, metres; every float is printed with the fewest digits that read back to the same f32. The sampler
/// must have the skeleton's joints and the float tracks of those names.
pub fn csv_table(
    skeleton: &Skeleton,
    float_names: &[String],
    sampler: &mut dyn Sampler,
    (grid, at_samples): (TimeGrid, impl IntoIterator<Item = f64>),
) -> String {
    let names: Vec<_> = skeleton.joints().iter().map(|j| quoted(&j.name)).collect();
    let float_names: Vec<_> = float_names.iter().map(|name| quoted(name)).collect();
    let (weight, no_weight) = if float_names.is_empty() { ("", "") } else { (",weight", ",") };
    let mut pose = Pose::with_size(skeleton.len(), float_names.len());
    let mut out = format!("time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz{weight}\n");
    for at_sample in at_samples {
        let time_secs = grid.time_secs(at_sample);
        sampler.sample(at_sample, &mut pose);
        // Writing to a String cannot fail.
        for (joint, (name, local)) in names.iter().zip(&pose.joints).enumerate() {
            let [tx, ty, tz] = local.translation.to_array();
            let [qx, qy, qz, qw] = local.rotation.to_array();
            let [sx, sy, sz] = local.scale.to_array();
            let numbers = format_args!("{tx},{ty},{tz},{qx},{qy},{qz},{qw},{sx},{sy},{sz}");
            let _ = writeln!(out, "{time_secs},{joint},{name},{numbers}{no_weight}");
        }
        for (name, weight) in float_names.iter().zip(&pose.floats) {
            let _ = writeln!(out, "{time_secs},,{name},,,,,,,,,,,{weight}");
        }
    }
    out
}

/// RFC 4180: a field with a comma, quote or line break is put in quotes.
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_stay_one_field() {
        assert_eq!(quoted("arm"), "arm");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
