use super::pack::deflate;
use posepress_core::model::{Image, Rig, SkinnedMesh};
use serde::Serialize;

/// Longest side of a texture in the page, pixels. A larger one is hardly better beside its bytes: the picture is small.
const MOST_PX: u32 = 256;

/// The base colours of a rig's meshes as textures of one size, packed.
pub struct PackedTextures {
    /// Texture coordinates and layer per vertex, then the pixels of each layer: sRGB.
    pub packed: Vec<u8>,
    /// Its numbers.
    pub row: TextureRow,
}

/// The numbers of textures, as the script reads them.
#[derive(Debug, Clone, Serialize)]
pub struct TextureRow {
    width: u32,
    height: u32,
    /// Layers from 1. Layer 0 is white and not stored.
    layers: usize,
    /// Lowest u and v.
    lowest: [f32; 2],
    /// Distance from them to the highest.
    reach: [f32; 2],
}

impl PackedTextures {
    /// The textures of all meshes, with coordinates of 16 bits. `None` without a texture.
    pub fn of(rig: &Rig) -> Option<Self> {
        let mut used: Vec<usize> = rig.meshes.iter().filter_map(|mesh| image_of(rig, mesh)).collect();
        used.sort_unstable();
        used.dedup();
        let images: Vec<&Image> = used.iter().map(|image| &rig.images[*image]).collect();
        let side =
            |of: fn(&Image) -> u32| images.iter().map(|image| of(image)).max().map(|side| side.clamp(1, MOST_PX));
        let (width, height) = (side(|image| image.width)?, side(|image| image.height)?);
        let uvs: Vec<[f32; 2]> = rig.meshes.iter().flat_map(|mesh| uvs_of(rig, mesh)).collect();
        let bound =
            |pick: fn(f32, f32) -> f32| [0, 1].map(|axis| uvs.iter().map(|uv| uv[axis]).fold(uvs[0][axis], pick));
        let (lowest, highest) = (bound(f32::min), bound(f32::max));
        let reach = [0, 1].map(|axis| (highest[axis] - lowest[axis]).max(f32::MIN_POSITIVE));
        let part = |uv: f32, axis: usize| ((uv - lowest[axis]) / reach[axis] * 65535.0).round() as u16;
        let parts = uvs.iter().flat_map(|[u, v]| [part(*u, 0), part(*v, 1)]);
        let mut bytes: Vec<u8> = parts.flat_map(u16::to_le_bytes).collect();
        for mesh in &rig.meshes {
            let layer = image_of(rig, mesh).and_then(|image| used.binary_search(&image).ok()).map_or(0, |at| at + 1);
            bytes.extend(std::iter::repeat_n(layer as u8, mesh.positions.len()));
        }
        images.iter().for_each(|image| bytes.extend(resized(image, [width, height])));
        let row = TextureRow { width, height, layers: images.len(), lowest, reach };
        // Layers are bytes.
        (images.len() < 256).then(|| Self { packed: deflate(&bytes), row })
    }
}

/// The image of a mesh's base colour, if the mesh has texture coordinates.
fn image_of(rig: &Rig, mesh: &SkinnedMesh) -> Option<usize> {
    let image = rig.materials.get(mesh.material?)?.base_color_image?;
    let has_uvs = !mesh.positions.is_empty() && mesh.uvs.len() == mesh.positions.len();
    (has_uvs && image < rig.images.len()).then_some(image)
}

fn uvs_of(rig: &Rig, mesh: &SkinnedMesh) -> Vec<[f32; 2]> {
    match image_of(rig, mesh) {
        Some(_) => mesh.uvs.iter().map(|uv| uv.to_array()).collect(),
        None => vec![[0.0; 2]; mesh.positions.len()],
    }
}

/// The image at another size. A pixel is the mean of those that it covers.
fn resized(image: &Image, [width, height]: [u32; 2]) -> Vec<u8> {
    let span = |at: u32, new: u32, old: u32| {
        let edge = |at: u32| (u64::from(at) * u64::from(old) / u64::from(new)) as usize;
        edge(at)..edge(at + 1).max(edge(at) + 1)
    };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixel = |(x, y): (u32, u32)| {
        let (columns, rows) = (span(x, width, image.width), span(y, height, image.height));
        let covered = || rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
        let texel = |(row, column)| image.rgba.as_chunks::<4>().0.get(row * image.width as usize + column);
        let count = covered().count() as u32;
        let sum = |part: usize| covered().filter_map(texel).map(|texel| u32::from(texel[part])).sum::<u32>();
        [0, 1, 2].map(|part| ((sum(part) + count / 2) / count) as u8)
    };
    places.flat_map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resized_pixel_is_the_mean_of_those_that_it_covers() {
        let rgba = [10, 20, 30, 255, 30, 20, 10, 255, 50, 60, 70, 255, 71, 80, 90, 255].to_vec();
        let image = Image { width: 4, height: 1, rgba };
        assert_eq!(resized(&image, [2, 1]), [20, 20, 20, 61, 70, 80]);
        assert_eq!(resized(&image, [4, 1]), [10, 20, 30, 30, 20, 10, 50, 60, 70, 71, 80, 90]);
        assert_eq!(resized(&image, [4, 2]).len(), 24);
    }
}
