//! The runtime as a WebAssembly module, in builds that have it: the page then decodes the bytes of the clip itself.

use super::pack::deflate;
use posepress_core::export::ExportRecipes;
use posepress_core::format::FileBytes;
use posepress_core::pipeline::{MeasuredClip, Outcome, archive_to_write};
use std::sync::LazyLock;

/// The module that `POSEPRESS_WEB_MODULE` named at build time; empty without it.
static MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/decoder.wasm"));

/// Name of the codec that the module does not have.
const WAVELET: &str = "wavelet";

static PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| deflate(MODULE));

/// The module, packed. `None` in builds without it.
pub fn module() -> Option<&'static [u8]> {
    (!MODULE.is_empty()).then(|| PACKED.as_slice())
}

/// A container of the clip alone, packed. `None` for clips that the module does not play: those of wavelet, external results, and sums of
/// additive clips.
pub fn container(source: &MeasuredClip, outcome: &Outcome) -> Option<Vec<u8>> {
    module()?;
    let encoding = outcome.encoding()?;
    if encoding.codec.name() == WAVELET || source.clip.base().is_some() {
        return None;
    }
    let mut bytes = Vec::new();
    let container = archive_to_write(&source.rig, &[("clip", outcome)], ExportRecipes::None);
    container.write_to(&mut bytes).ok()?;
    Some(deflate(&bytes))
}
