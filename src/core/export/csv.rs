use super::{ExportClip, ExportError, ExportTarget, Exporter};
use crate::model::{Pose, Rig, Sampler, Skeleton, TimeGrid};
use std::borrow::Cow;
use std::fmt::Write;

/// Local transforms of every joint at every sample as comma-separated values, for spreadsheets and scripts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Csv;

impl Exporter for Csv {
    fn key(&self) -> &'static str {
        "csv"
    }

    fn name(&self) -> &'static str {
        "CSV table of samples"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn holds_many(&self) -> bool {
        false
    }

    /// One clip a file: the columns are those of `decode --csv`, which name no clip.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        let [clip] = clips else {
            let what = format!("a CSV file holds one clip, but {} were given. Export one clip a file", clips.len());
            return Err(ExportError::Unsupported(what));
        };
        clip.check(rig)?;
        let grid = clip.source.grid();
        let floats = clip.source.float_tracks();
        Ok(csv_table(&rig.skeleton, clip.sampler.as_mut(), (grid, grid.steps(1)), floats).into_bytes())
    }
}

/// A row per place in a clip, in samples of its grid, and joint under the header `time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz`.
///
/// Local transforms, metres; every float is printed with the fewest digits that read back to the same f32. The sampler
/// must have the skeleton's joints and `float_tracks` float tracks.
pub fn csv_table(
    skeleton: &Skeleton,
    sampler: &mut dyn Sampler,
    (grid, at_samples): (TimeGrid, impl IntoIterator<Item = f64>),
    float_tracks: usize,
) -> String {
    let names: Vec<_> = skeleton.joints().iter().map(|j| quoted(&j.name)).collect();
    let mut pose = Pose::with_size(skeleton.len(), float_tracks);
    let mut out = String::from("time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz\n");
    for at_sample in at_samples {
        let time_secs = grid.time_secs(at_sample);
        sampler.sample(at_sample, &mut pose);
        for (joint, (name, local)) in names.iter().zip(&pose.joints).enumerate() {
            let [tx, ty, tz] = local.translation.to_array();
            let [qx, qy, qz, qw] = local.rotation.to_array();
            let [sx, sy, sz] = local.scale.to_array();
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{time_secs},{joint},{name},{tx},{ty},{tz},{qx},{qy},{qz},{qw},{sx},{sy},{sz}");
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
