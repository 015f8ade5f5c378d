use super::pipelines::{DEPTH_FORMAT, PICTURE_FORMAT, PICTURE_VIEW_FORMAT};
use std::ops::Range;

/// The textures of one viewport, at one size.
#[derive(Debug)]
pub(super) struct Target {
    pub size_px: [u32; 2],
    pub picture: wgpu::Texture,
    /// View of the picture with one sample per pixel, blended in linear light.
    pub picture_view: wgpu::TextureView,
    /// Render target: the picture, or a multisampled texture that is resolved into it.
    pub draw_view: wgpu::TextureView,
    pub resolve_view: Option<wgpu::TextureView>,
    pub depth_view: wgpu::TextureView,
}

impl Target {
    pub fn new(device: &wgpu::Device, size_px: [u32; 2], samples: u32) -> Self {
        use wgpu::TextureUsages as Usage;
        let picture = texture(
            device,
            "picture",
            size_px,
            1,
            PICTURE_FORMAT,
            Usage::RENDER_ATTACHMENT | Usage::TEXTURE_BINDING | Usage::COPY_SRC | Usage::COPY_DST,
        );
        let picture_view = srgb_view(&picture);
        let (draw_view, resolve_view) = if samples > 1 {
            let many = texture(device, "samples", size_px, samples, PICTURE_VIEW_FORMAT, Usage::RENDER_ATTACHMENT);
            (many.create_view(&wgpu::TextureViewDescriptor::default()), Some(picture_view.clone()))
        } else {
            (picture_view.clone(), None)
        };
        let depth = texture(device, "depth", size_px, samples, DEPTH_FORMAT, Usage::RENDER_ATTACHMENT);
        let depth_view = depth.create_view(&wgpu::TextureViewDescriptor::default());
        Self { size_px, picture, picture_view, draw_view, resolve_view, depth_view }
    }

    /// Starts drawing into some columns with cleared depth: on black, or over the existing pixels.
    pub fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        columns: Range<u32>,
        over: bool,
    ) -> wgpu::RenderPass<'e> {
        let load = if over { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::BLACK) };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("viewport"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.draw_view,
                depth_slice: None,
                resolve_target: self.resolve_view.as_ref(),
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth_view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_scissor_rect(columns.start, 0, columns.len() as u32, self.size_px[1]);
        pass
    }

    /// Starts drawing over the finished picture, without depth.
    pub fn begin_over<'e>(&self, encoder: &'e mut wgpu::CommandEncoder) -> wgpu::RenderPass<'e> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("over"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.picture_view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    /// Copies columns from another target of the same size.
    pub fn copy_columns(&self, encoder: &mut wgpu::CommandEncoder, from: &Self, columns: Range<u32>) {
        let at = |picture| {
            let origin = wgpu::Origin3d { x: columns.start, y: 0, z: 0 };
            wgpu::TexelCopyTextureInfo { origin, ..wgpu::Texture::as_image_copy(picture) }
        };
        let (width, height) = (columns.len() as u32, self.size_px[1]);
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        encoder.copy_texture_to_texture(at(&from.picture), at(&self.picture), extent);
    }

    /// View of the picture for a target of this format: plain bytes for egui's gamma space, decoded for an sRGB target.
    pub fn view_for(&self, format: wgpu::TextureFormat) -> wgpu::TextureView {
        if format.is_srgb() {
            srgb_view(&self.picture)
        } else {
            self.picture.create_view(&wgpu::TextureViewDescriptor::default())
        }
    }
}

fn srgb_view(picture: &wgpu::Texture) -> wgpu::TextureView {
    picture.create_view(&wgpu::TextureViewDescriptor {
        format: Some(PICTURE_VIEW_FORMAT),
        ..wgpu::TextureViewDescriptor::default()
    })
}

pub(super) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    sample_count: u32,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    let view_formats: &[_] = if format == PICTURE_FORMAT { &[PICTURE_VIEW_FORMAT] } else { &[] };
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats,
    })
}
