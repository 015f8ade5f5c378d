use super::{Between, ExportClip, ExportError, ExportTarget, Exporter, ExporterInfo, Holds, Played, only_clip};
use crate::math::Transform;
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

    /// One clip per file. The columns are those of `decode --csv`, without a clip name.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        let clip = only_clip(clips, rig, "a CSV file")?;
        let grid = clip.source.grid();
        let names = float_names(rig, clip.source.float_tracks());
        Ok(csv_table(&rig.skeleton, &names, clip.sampler.as_mut(), (grid, grid.steps(1))).into_bytes())
    }

    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        _: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError> {
        let play = |clip: &ExportClip<'_>| {
            let (joints, samples) = (rig.skeleton.len(), clip.source.samples());
            let rows = read_locals(&String::from_utf8_lossy(bytes));
            let fault = |found: usize| {
                let what =
                    format!("a CSV table was written with {found} rows of joints; expected {}", joints * samples);
                ExportError::Unsupported(what)
            };
            if rows.len() != joints * samples {
                Err(fault(rows.len()))
            } else {
                Ok(Played::new(Table { joints, rows }, Between::Nothing))
            }
        };
        clips.iter().map(play).collect()
    }
}

/// A table after reading it: local transforms, sample by sample.
struct Table {
    joints: usize,
    rows: Vec<Transform>,
}

impl Sampler for Table {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        let sample = at_sample.round() as usize;
        out.joints.copy_from_slice(&self.rows[sample * self.joints..][..self.joints]);
    }
}

/// The local transforms of the joint rows, in order.
fn read_locals(text: &str) -> Vec<Transform> {
    /// Columns before the numbers: time, joint and name.
    const FIRST_NUMBER: usize = 3;
    let local = |record: Vec<String>| {
        let numbers: Vec<f32> = record.get(FIRST_NUMBER..)?.iter().map_while(|field| field.parse().ok()).collect();
        let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = *numbers.first_chunk()?;
        Some(Transform::from_numbers([qx, qy, qz, qw, tx, ty, tz, sx, sy, sz]))
    };
    records(text).filter_map(local).collect()
}

/// The fields of each record, by RFC 4180: quotes enclose commas and line breaks, and a doubled quote is a quote.
fn records(text: &str) -> impl Iterator<Item = Vec<String>> {
    let mut letters = text.chars().peekable();
    std::iter::from_fn(move || {
        letters.peek()?;
        let (mut record, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
        while let Some(letter) = letters.next() {
            match letter {
                '"' if is_quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => record.push(std::mem::take(&mut field)),
                '\n' if !is_quoted => break,
                letter => field.push(letter),
            }
        }
        record.push(field);
        Some(record)
    })
}

/// Names of a clip's float tracks; numbers for tracks without a name in the rig.
fn float_names(rig: &Rig, tracks: usize) -> Vec<String> {
    (0..tracks).map(|track| rig.float_names.get(track).cloned().unwrap_or_else(|| track.to_string())).collect()
}

/// Writes a table with one row per time and joint, under the header `time_secs,joint,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz`. The times
/// `at_samples` are in samples of the grid.
/// With float tracks, such as morph weights, the header also has `weight`, which is empty in joint rows. The joint rows of a time are
/// followed by one row per track, with its name and weight.
///
/// Transforms are local, lengths are metres. Floats have the fewest digits that read back as the same f32. The sampler must have the
/// skeleton's joints and the named float tracks.
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

/// Quotes a field with a comma, quote or line break (RFC 4180).
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
        let read: Vec<_> = records("a,\"b,\"\"c\nd\",\n1,2,3\n").collect();
        assert_eq!(read, [vec!["a", "b,\"c\nd", ""], vec!["1", "2", "3"]]);
    }
}
