//! Results of another compressor, from a table next to the corpus.

use super::{Failure, NamedClip};
use posepress_core::files;
use std::collections::HashMap;
use std::path::Path;

/// The name of a clip in the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clip {
    /// Path of its file in the corpus.
    file: String,
    /// Clip name if the file has several clips, else empty.
    name: String,
}

/// Result of a clip at a tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    pub bytes: usize,
    /// Largest measured shell error.
    pub max_mm: Option<f32>,
}

/// Bytes and mean errors of a clip at a tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    pub bytes: usize,
    /// Mean shell error over all samples and joints.
    pub mean_mm: f32,
    /// The largest mean of a joint.
    pub joint_mean_mm: f32,
}

/// Bytes and errors by clip and tolerance.
#[derive(Debug, Default)]
pub struct Reference {
    columns: Vec<Column>,
    rows: HashMap<String, Vec<String>>,
    /// By clip and tolerance in mm.
    means: HashMap<String, Vec<(f32, Means)>>,
}

/// Columns of a tolerance.
#[derive(Debug)]
struct Column {
    tolerance_mm: f32,
    bytes: usize,
    max_mm: Option<usize>,
}

const FILE: &str = "acl_baseline.csv";
const MEANS_FILE: &str = "acl_mean_errors.csv";
/// Start and end of the names of columns with bytes. The tolerance in mm is between them.
const BYTES: (&str, &str) = ("acl_bindpose_bytes_", "mm");
/// Start and end of the names of columns with errors. The column of the default tolerance has no number.
const MAX: (&str, &str) = ("acl_bindpose_", "max_error_mm");
const UNNAMED_MM: f32 = 0.1;

impl Clip {
    /// The reference name of a clip in a corpus.
    pub fn in_corpus(corpus: &Path, clip: &NamedClip) -> Self {
        let file = Path::new(&clip.source);
        let parts = file.strip_prefix(corpus).unwrap_or(file).components();
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        Self { file: parts.join("/"), name: clip.clip.name().to_owned() }
    }
}

impl Reference {
    /// Reads the table of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let text = files::read_text(&path).map_err(|e| Failure::file(&path, e))?;
        let largest = Self::parse(&text).map_err(|e| Failure::file(&path, e))?;
        let path = folder.join(MEANS_FILE);
        if !path.is_file() {
            return Ok(largest);
        }
        let text = files::read_text(&path).map_err(|e| Failure::file(&path, e))?;
        Ok(Self { means: parse_means(&text).map_err(|e| Failure::file(&path, e))?, ..largest })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lines =
            text.lines().enumerate().map(|(number, line)| (number + 1, line.split(',').collect::<Vec<_>>()));
        let (_, heads) = lines.next().ok_or("is empty")?;
        let columns = columns(&heads);
        if heads.first() != Some(&"clip") || columns.is_empty() {
            return Err(format!("expected a column 'clip' and then '{}N{}'", BYTES.0, BYTES.1));
        }
        let mut rows = HashMap::new();
        for (number, cells) in lines {
            let is_number =
                |place: usize| cells.get(place).is_some_and(|cell| cell.parse::<usize>().is_ok_and(|bytes| bytes > 0));
            if let Some(bad) = columns.iter().find(|column| !is_number(column.bytes)) {
                return Err(format!("line {number}: expected a number of bytes as '{}'", heads[bad.bytes]));
            }
            let is_error =
                |place: usize| cells.get(place).is_some_and(|cell| cell.parse::<f32>().is_ok_and(|mm| mm >= 0.0));
            if let Some(bad) = columns.iter().filter_map(|column| column.max_mm).find(|place| !is_error(*place)) {
                return Err(format!("line {number}: expected an error in mm as '{}'", heads[bad]));
            }
            let cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
            rows.insert(cells[0].clone(), cells);
        }
        Ok(Self { columns, rows, means: HashMap::new() })
    }

    /// Tolerances that have both bytes and errors.
    pub fn tolerances_with_errors_mm(&self) -> impl Iterator<Item = f32> {
        self.columns.iter().filter(|column| column.max_mm.is_some()).map(|column| column.tolerance_mm)
    }

    /// Tolerances that have mean errors, in the order of the table.
    pub fn tolerances_with_means_mm(&self) -> impl Iterator<Item = f32> {
        self.means.values().next().into_iter().flatten().map(|(tolerance_mm, _)| *tolerance_mm)
    }

    /// The bytes and means of a clip at a tolerance, if the reference has them.
    pub fn means(&self, clip: &Clip, tolerance_mm: f32) -> Option<Means> {
        let of_clip = self.means.get(&format!("{}#{}", clip.file, clip.name)).or_else(|| self.means.get(&clip.file))?;
        of_clip.iter().find(|(of, _)| *of == tolerance_mm).map(|(_, means)| *means)
    }

    /// The result of a clip at a tolerance, if the table has one.
    pub fn at(&self, clip: &Clip, tolerance_mm: f32) -> Option<Known> {
        let column = self.columns.iter().find(|column| column.tolerance_mm == tolerance_mm)?;
        let row = self.rows.get(&format!("{}#{}", clip.file, clip.name)).or_else(|| self.rows.get(&clip.file))?;
        let max_mm = column.max_mm.and_then(|place| row[place].parse().ok());
        Some(Known { bytes: row[column.bytes].parse().ok()?, max_mm })
    }
}

/// The mean errors of a table with the columns `clip`, and `bytes_Nmm`, `mean_Nmm` and `worst_joint_mean_Nmm` per tolerance N.
fn parse_means(text: &str) -> Result<HashMap<String, Vec<(f32, Means)>>, String> {
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.split(',').collect::<Vec<_>>()));
    let (_, heads) = lines.next().ok_or("is empty")?;
    let place = |head: String| heads.iter().position(|own| **own == head).ok_or(format!("expected a column '{head}'"));
    let clip = place("clip".into())?;
    let tolerance = |head: &&str| head.strip_prefix("mean_")?.strip_suffix("mm").map(str::to_owned);
    let mut columns = Vec::new();
    for named in heads.iter().filter_map(tolerance) {
        let tolerance_mm: f32 = named.parse().map_err(|_| format!("no tolerance in the column 'mean_{named}mm'"))?;
        let own = ["bytes", "mean", "worst_joint_mean"].map(|what| place(format!("{what}_{named}mm")));
        let [bytes, mean, joint_mean] = own;
        columns.push((tolerance_mm, [bytes?, mean?, joint_mean?]));
    }
    let mut out = HashMap::new();
    for (number, cells) in lines {
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
        let number_at = |place: usize| {
            let found = cell(place).parse::<f32>().ok().filter(|found| *found >= 0.0 && found.is_finite());
            found.ok_or(format!("line {number}: expected a number as '{}'", heads[place]))
        };
        let mut of_clip = Vec::new();
        for (tolerance_mm, [bytes, mean, joint_mean]) in &columns {
            let bytes = number_at(*bytes)? as usize;
            let means = Means { bytes, mean_mm: number_at(*mean)?, joint_mean_mm: number_at(*joint_mean)? };
            of_clip.push((*tolerance_mm, means));
        }
        out.insert(cell(clip).to_owned(), of_clip);
    }
    Ok(out)
}

fn columns(heads: &[&str]) -> Vec<Column> {
    let between = |head: &str, ends: (&str, &str)| head.strip_prefix(ends.0)?.strip_suffix(ends.1).map(str::to_owned);
    let tolerance_of_error = |head: &str| match between(head, MAX)?.as_str() {
        "" => Some(UNNAMED_MM),
        named => named.strip_suffix("mm_")?.parse().ok(),
    };
    let bytes = heads.iter().enumerate().filter_map(|(bytes, head)| Some((bytes, between(head, BYTES)?.parse().ok()?)));
    let column = |(bytes, tolerance_mm): (usize, f32)| {
        let max_mm = heads.iter().position(|head| tolerance_of_error(head) == Some(tolerance_mm));
        Column { tolerance_mm, bytes, max_mm }
    };
    bytes.map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "clip,x,acl_bindpose_bytes_0.1mm,acl_bindpose_max_error_mm,acl_bindpose_bytes_1mm\n\
                         a/k.glb#Run,9,20,0.13,10\nb/t.bvh,9,40,0.1,30\n";

    #[test]
    fn a_reference_knows_its_clips_by_file_and_name() {
        let reference = Reference::parse(TABLE).unwrap();
        let at = |file: &str, name: &str, mm| reference.at(&Clip { file: file.into(), name: name.into() }, mm);
        let known = |bytes, max_mm| Some(Known { bytes, max_mm });
        assert_eq!(at("a/k.glb", "Run", 0.1), known(20, Some(0.13)));
        assert_eq!(at("a/k.glb", "Run", 1.0), known(10, None), "no column of errors");
        assert_eq!((at("b/t.bvh", "take", 0.1), at("a/k.glb", "Walk", 0.1)), (known(40, Some(0.1)), None));
        assert_eq!(at("b/t.bvh", "take", 0.01), None, "no column of that tolerance");
        assert_eq!(reference.tolerances_with_errors_mm().collect::<Vec<_>>(), [0.1]);
    }

    #[test]
    fn what_is_no_such_table_is_said_with_its_line() {
        for (wrong, word) in [
            ("", "empty"),
            ("clip,x\n", "column"),
            (&TABLE.replace("40", "many"), "line 3"),
            (&TABLE.replace("0.13", "nan"), "line 2"),
            (&TABLE.replace(",40,", ",0,"), "line 3"),
        ] {
            assert!(Reference::parse(wrong).unwrap_err().contains(word), "{wrong}");
        }
    }

    #[test]
    fn mean_errors_are_read_by_tolerance() {
        let table = "clip,joints,bytes_0.1mm,mean_0.1mm,worst_joint_mean_0.1mm,max_0.1mm,bytes_1mm,mean_1mm,worst_joint_mean_1mm\n\
                     a/k.glb#Run,9,20,0.03,0.06,0.4,10,0.3,0.6\n";
        let reference = Reference { means: parse_means(table).unwrap(), ..Reference::default() };
        let run = Clip { file: "a/k.glb".into(), name: "Run".into() };
        let means = Means { bytes: 10, mean_mm: 0.3, joint_mean_mm: 0.6 };
        assert_eq!((reference.means(&run, 1.0), reference.means(&run, 0.01)), (Some(means), None));
        assert_eq!(reference.tolerances_with_means_mm().collect::<Vec<_>>(), [0.1, 1.0]);
        for (wrong, word) in [
            ("", "empty"),
            ("file,x\n", "'clip'"),
            (&table.replace(",0.06", ",nan"), "line 2"),
            (&table.replace("bytes_1mm", "size"), "'bytes_1mm'"),
        ] {
            assert!(parse_means(wrong).unwrap_err().contains(word), "{wrong}");
        }
    }

    #[test]
    fn errors_are_named_by_their_tolerance() {
        let heads = ["clip", "acl_bindpose_bytes_1mm", "acl_bindpose_1mm_max_error_mm", "acl_bindpose_max_error_mm"];
        let found = columns(&heads);
        assert_eq!((found.len(), found[0].tolerance_mm, found[0].max_mm), (1, 1.0, Some(2)));
    }
}
