use posepress_core::model::Image;
use std::sync::LazyLock;

/// Meaning of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texels {
    /// Colours in sRGB.
    Colors,
    /// Linear values, such as normals.
    Numbers,
}

/// A texture with mip levels on the GPU. Malformed images give a white pixel.
pub(super) fn upload(device: &wgpu::Device, queue: &wgpu::Queue, image: &Image, texels: Texels) -> wgpu::TextureView {
    let white = Image { width: 1, height: 1, rgba: vec![0xFF; 4] };
    let expected = image.width as usize * image.height as usize * 4;
    let image = if expected > 0 && image.rgba.len() == expected { image } else { &white };
    let levels = mip_levels(image, texels, device.limits().max_texture_dimension_2d);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("material"),
        size: extent(&levels[0]),
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match texels {
            Texels::Colors => wgpu::TextureFormat::Rgba8UnormSrgb,
            Texels::Numbers => wgpu::TextureFormat::Rgba8Unorm,
        },
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (level, pixels) in levels.iter().enumerate() {
        let target = wgpu::TexelCopyTextureInfo { mip_level: level as u32, ..texture.as_image_copy() };
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pixels.width * 4), rows_per_image: None };
        queue.write_texture(target, &pixels.rgba, layout, extent(pixels));
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn extent(image: &Image) -> wgpu::Extent3d {
    wgpu::Extent3d { width: image.width, height: image.height, depth_or_array_layers: 1 }
}

/// The image and its halves down to one pixel, without those that exceed the device. Never empty.
fn mip_levels(image: &Image, texels: Texels, max_side: u32) -> Vec<Image> {
    let halves = std::iter::successors(Some(image.clone()), |i| (i.width > 1 || i.height > 1).then(|| half(i, texels)));
    halves.filter(|i| i.width <= max_side && i.height <= max_side).collect()
}

/// The image at half the size. Colours are blended in linear light.
fn half(image: &Image, texels: Texels) -> Image {
    let (width, height) = ((image.width / 2).max(1), (image.height / 2).max(1));
    let texel = |x: u32, y: u32| {
        let at = (y.min(image.height - 1) * image.width + x.min(image.width - 1)) as usize * 4;
        &image.rgba[at..at + 4]
    };
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let four =
                [texel(2 * x, 2 * y), texel(2 * x + 1, 2 * y), texel(2 * x, 2 * y + 1), texel(2 * x + 1, 2 * y + 1)];
            for channel in 0..4 {
                rgba.push(match texels {
                    Texels::Colors if channel < 3 => {
                        let sum: f32 = four.iter().map(|t| LINEAR[usize::from(t[channel])]).sum();
                        srgb(sum * 0.25)
                    }
                    _ => ((four.iter().map(|t| u16::from(t[channel])).sum::<u16>() + 2) / 4) as u8,
                });
            }
        }
    }
    Image { width, height, rgba }
}

static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let c = i as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
});

/// The nearest 8-bit sRGB value of a linear one.
fn srgb(linear: f32) -> u8 {
    let above = LINEAR.partition_point(|&l| l < linear).min(255);
    let below = above.saturating_sub(1);
    if linear - LINEAR[below] < LINEAR[above] - linear { below as u8 } else { above as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_undoes_linear() {
        for value in 0..=255u8 {
            assert_eq!(srgb(LINEAR[usize::from(value)]), value);
        }
    }

    #[test]
    fn halves_blend_in_linear_light_and_end_at_one_pixel() {
        let rgba = [[0u8, 0, 0, 255], [255; 4], [0, 0, 0, 255], [255; 4]].concat();
        let levels = mip_levels(&Image { width: 4, height: 1, rgba }, Texels::Colors, 8192);
        assert_eq!(levels.iter().map(|l| (l.width, l.height)).collect::<Vec<_>>(), [(4, 1), (2, 1), (1, 1)]);
        assert_eq!(levels[2].rgba, [188, 188, 188, 255], "half the light is 188 in sRGB, not 128");
        assert_eq!(
            mip_levels(&levels[0], Texels::Numbers, 8192)[2].rgba,
            [128, 128, 128, 255],
            "numbers by themselves"
        );
        assert_eq!(mip_levels(&levels[0], Texels::Colors, 2).len(), 2, "levels too large for the device are left out");
    }
}
