use super::table::{Align, Table};
use super::{Console, Failure};
use posepress_core::files;
use posepress_core::pipeline::{ArchiveListing, TierListing, TierPlace, container_of_tier};
use posepress_core::tasks::is_container;
use posepress_core::text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A tier file and its container.
#[derive(Serialize)]
pub struct TierFileRow {
    source: String,
    name: String,
    checksum: String,
    /// Length of the file.
    bytes: usize,
    clips: Vec<TierClipRow>,
    /// Its container, if it is among the files or beside this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<ContainerRow>,
    /// The reason if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_container: Option<String>,
}

/// The tier as its container describes it.
#[derive(Serialize)]
struct ContainerRow {
    source: String,
    /// Tiers that are joined before it.
    after: Vec<String>,
    /// Tolerance of the clips without this tier and the later ones.
    tolerance_mm: f64,
}

#[derive(Serialize)]
struct TierClipRow {
    /// Known only with the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Bytes of the clip in this tier; 0 if it has none.
    bytes: usize,
}

/// Reads a tier file and looks for its container: among `files`, then beside it by its name.
pub fn read(path: &Path, files: &[PathBuf]) -> Result<TierFileRow, Failure> {
    let bytes = files::read(path).map_err(|e| Failure::file(path, format!("cannot be read: {e}")))?;
    let tier = TierListing::read(&bytes).map_err(|e| Failure::file(path, e))?;
    let beside = container_of_tier(path);
    let mut reasons = Vec::new();
    for container in files.iter().filter(|file| is_container(file)).chain([&beside]) {
        match place_in(container, &tier) {
            Ok(place) => return Ok(TierFileRow::new(path, bytes.len(), &tier, Some((container, place)))),
            Err(reason) => reasons.push(format!("{}: {reason}", container.display())),
        }
    }
    let no_container = reasons.pop(); // the reason for the container next to the tier file, which is tried last
    Ok(TierFileRow { no_container, ..TierFileRow::new(path, bytes.len(), &tier, None) })
}

fn place_in(container: &Path, tier: &TierListing) -> Result<TierPlace, String> {
    let bytes = files::read(container).map_err(|e| format!("cannot be read: {e}"))?;
    let listing = ArchiveListing::read(&bytes).map_err(|e| e.to_string())?;
    let known = listing.tiers.iter().map(|mark| format!("{:08x}", mark.checksum)).collect::<Vec<_>>().join(", ");
    tier.place_in(&listing).ok_or_else(|| match known.as_str() {
        "" => "it has no tiers".to_owned(),
        known => format!("it is the container of other tiers, with checksums {known}"),
    })
}

impl TierFileRow {
    fn new(path: &Path, bytes: usize, tier: &TierListing, container: Option<(&PathBuf, TierPlace)>) -> Self {
        let names = container.as_ref().map_or(&[][..], |(_, place)| &place.clips);
        let clip = |(number, bytes): (usize, &usize)| TierClipRow { name: names.get(number).cloned(), bytes: *bytes };
        let clips = tier.clip_bytes.iter().enumerate().map(clip).collect();
        let container = container.map(|(path, place)| ContainerRow {
            source: path.display().to_string(),
            after: place.after,
            tolerance_mm: text::millimetres(place.tolerance_m),
        });
        let (source, name) = (path.display().to_string(), tier.name.clone());
        Self { source, name, checksum: format!("{:08x}", tier.checksum), bytes, clips, container, no_container: None }
    }

    /// Prints it as text.
    pub fn print(&self, console: &mut Console<'_>) -> Result<(), Failure> {
        let (name, bytes, clips) = (&self.name, text::bytes(self.bytes as u64), self.clips.len());
        writeln!(console.out, "{}", self.source)?;
        let clips = text::count(clips, "clip");
        writeln!(console.out, "  tier {name} of {clips} ({bytes}, checksum {})", self.checksum)?;
        if let Some(ContainerRow { source, after, tolerance_mm }) = &self.container {
            let within = text::length((tolerance_mm / 1000.0) as f32);
            let after = if after.is_empty() { "first".to_owned() } else { format!("after {}", after.join(" and ")) };
            writeln!(console.out, "  of {source}, joined {after}; without it clips stay within {within}")?;
        }
        if let Some(reason) = &self.no_container {
            let by = "names of clips and their tolerances are known only from its container";
            writeln!(console.out, "  {by}, which is not among these files and not next to it ({reason})")?;
        }
        writeln!(console.out)?;
        let mut table = Table::new(&[("  clip", Align::Left), ("size", Align::Right)]);
        for (number, clip) in self.clips.iter().enumerate() {
            let name = clip.name.clone().unwrap_or_else(|| (number + 1).to_string());
            table.row([format!("  {name}"), text::bytes(clip.bytes as u64)]);
        }
        Ok(table.print(console.out)?)
    }
}
