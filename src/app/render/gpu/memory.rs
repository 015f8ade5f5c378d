//! Graphics memory of a rig, checked before allocation, because later errors of the driver are hard to explain.

use super::rig::VERTEX_BYTES;
use posepress_core::model::{Rig, SkinnedMesh};
use posepress_core::text;
use thiserror::Error;

/// Why a rig is not on the GPU.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GpuRefusal {
    /// A part of it is larger than any buffer of the device.
    #[error(
        "The {part} of mesh {mesh} need {} of graphics memory in one piece; {adapter} gives {} at most",
        text::bytes(*wanted_bytes),
        text::bytes(*most_bytes)
    )]
    Part {
        /// Vertices, triangles, ...
        part: &'static str,
        /// Number of the mesh, from 1.
        mesh: usize,
        /// Required bytes.
        wanted_bytes: u64,
        /// Limit of the device.
        most_bytes: u64,
        /// Name of the adapter.
        adapter: String,
    },
    /// All parts together exceed the free memory.
    #[error("The meshes need {} of graphics memory, more than {adapter} has free", text::bytes(*wanted_bytes))]
    Whole {
        /// Required bytes.
        wanted_bytes: u64,
        /// Name of the adapter.
        adapter: String,
    },
}

/// Bytes of a palette entry on the GPU.
pub(super) const PALETTE_BYTES: u64 = 64;
/// Bytes of one vertex in a morph target: offsets of position and normal.
pub(super) const OFFSET_BYTES: u64 = 24;
/// Bytes of a triangle's three indices.
const TRIANGLE_BYTES: u64 = 12;

/// A piece of memory that a mesh needs.
struct Part {
    name: &'static str,
    bytes: u64,
    /// True if it is bound as storage, which has its own limit.
    is_storage: bool,
}

fn parts(mesh: &SkinnedMesh) -> [Part; 4] {
    let part = |name, count: usize, each: u64, is_storage| Part { name, bytes: count as u64 * each, is_storage };
    let vertices = mesh.positions.len();
    [
        part("vertices", vertices, VERTEX_BYTES, false),
        part("triangles", mesh.triangles.len(), TRIANGLE_BYTES, false),
        part("joints", mesh.palette.len(), PALETTE_BYTES, true),
        part("morph targets", vertices.saturating_mul(mesh.targets.len()), OFFSET_BYTES, true),
    ]
}

/// Returns an error if the device cannot hold a part of the rig.
pub(super) fn check(device: &wgpu::Device, rig: &Rig) -> Result<(), GpuRefusal> {
    let limits = device.limits();
    let storage = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    for (index, mesh) in rig.meshes.iter().enumerate() {
        for Part { name, bytes, is_storage } in parts(mesh) {
            let most_bytes = if is_storage { storage } else { limits.max_buffer_size };
            if bytes > most_bytes {
                let (mesh, adapter) = (index + 1, device.adapter_info().name);
                return Err(GpuRefusal::Part { part: name, mesh, wanted_bytes: bytes, most_bytes, adapter });
            }
        }
    }
    Ok(())
}

/// Bytes that the meshes of a rig need.
pub(super) fn total_bytes(rig: &Rig) -> u64 {
    rig.meshes.iter().flat_map(parts).map(|part| part.bytes).sum()
}
