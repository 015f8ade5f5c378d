use super::{capsule, rig, shaders};
use crate::render::overlay::{FILL_ATTRIBUTES, FillVertex, LINE_ATTRIBUTES, LineInstance};
use wgpu::{BindingType, BufferBindingType, ShaderStages, TextureFormat};

pub(super) const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth32Float;
pub(super) const SHADOW_FORMAT: TextureFormat = TextureFormat::R8Unorm;
/// Drawn through the sRGB view, so that blending is linear. Stored as plain bytes for egui.
pub(super) const PICTURE_FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;
pub(super) const PICTURE_VIEW_FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// All pipelines and layouts, made once per device.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub frame_layout: wgpu::BindGroupLayout,
    pub mesh_layout: wgpu::BindGroupLayout,
    ground_layout: wgpu::BindGroupLayout,
    repeat_sampler: wgpu::Sampler,
    clamp_sampler: wgpu::Sampler,
    pub background: wgpu::RenderPipeline,
    pub ground: wgpu::RenderPipeline,
    /// One-sided, two-sided.
    pub mesh: [wgpu::RenderPipeline; 2],
    pub bone: wgpu::RenderPipeline,
    /// The original behind a compressed side whose error is drawn larger: one-sided, two-sided.
    pub mesh_ghost: [wgpu::RenderPipeline; 2],
    pub bone_ghost: wgpu::RenderPipeline,
    pub mesh_shadow: wgpu::RenderPipeline,
    pub bone_shadow: wgpu::RenderPipeline,
    pub fill: wgpu::RenderPipeline,
    /// Over everything drawn so far.
    pub line: wgpu::RenderPipeline,
}

/// Parameters of a pipeline.
struct Recipe<'a> {
    label: &'a str,
    layout: &'a wgpu::PipelineLayout,
    module: &'a wgpu::ShaderModule,
    entries: [&'a str; 2],
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    topology: wgpu::PrimitiveTopology,
    cull: Option<wgpu::Face>,
    format: TextureFormat,
    blend: Option<wgpu::BlendState>,
    depth: Option<Depth>,
    samples: u32,
}

#[derive(Clone, Copy)]
struct Depth {
    write: bool,
    compare: wgpu::CompareFunction,
}

impl Depth {
    const IGNORE: Self = Self { write: false, compare: wgpu::CompareFunction::Always };
    const WRITE: Self = Self { write: true, compare: wgpu::CompareFunction::Less };
}

/// The darkest caster wins in any order.
const DARKEST: wgpu::BlendState = {
    let max = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Max,
    };
    wgpu::BlendState { color: max, alpha: max }
};

impl Recipe<'_> {
    fn build(&self, device: &wgpu::Device) -> wgpu::RenderPipeline {
        let target =
            wgpu::ColorTargetState { format: self.format, blend: self.blend, write_mask: wgpu::ColorWrites::ALL };
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(self.layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.entries[0]),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: self.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: self.topology,
                cull_mode: self.cull,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: self.depth.map(|depth| wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(depth.write),
                depth_compare: Some(depth.compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: self.samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.entries[1]),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(target)],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

const MESH_BUFFERS: [Option<wgpu::VertexBufferLayout<'_>>; 1] =
    [vertex_buffer(rig::VERTEX_BYTES, &rig::VERTEX_ATTRIBUTES)];
const BONE_BUFFERS: [Option<wgpu::VertexBufferLayout<'_>>; 2] = [
    vertex_buffer(capsule::VERTEX_BYTES, &capsule::VERTEX_ATTRIBUTES),
    instance_buffer(capsule::INSTANCE_BYTES, &capsule::INSTANCE_ATTRIBUTES),
];
const LINE_BUFFERS: [Option<wgpu::VertexBufferLayout<'_>>; 1] =
    [instance_buffer(size_of::<LineInstance>() as u64, &LINE_ATTRIBUTES)];
const FILL_BUFFERS: [Option<wgpu::VertexBufferLayout<'_>>; 1] =
    [vertex_buffer(size_of::<FillVertex>() as u64, &FILL_ATTRIBUTES)];

/// Shaders and layouts of all pipelines. The methods return the parameters of each pipeline.
struct Parts {
    frame_only: wgpu::PipelineLayout,
    with_mesh: wgpu::PipelineLayout,
    with_ground: wgpu::PipelineLayout,
    mesh: wgpu::ShaderModule,
    bone: wgpu::ShaderModule,
    ground: wgpu::ShaderModule,
    background: wgpu::ShaderModule,
    overlay: wgpu::ShaderModule,
    samples: u32,
}

impl Parts {
    fn new(device: &wgpu::Device, [frame, mesh, ground]: [&wgpu::BindGroupLayout; 3], samples: u32) -> Self {
        Self {
            frame_only: pipeline_layout(device, &[Some(frame)]),
            with_mesh: pipeline_layout(device, &[Some(frame), Some(mesh)]),
            with_ground: pipeline_layout(device, &[Some(frame), Some(ground)]),
            mesh: module(device, shaders::MESH),
            bone: module(device, shaders::BONE),
            ground: module(device, shaders::GROUND),
            background: module(device, shaders::BACKGROUND),
            overlay: module(device, shaders::OVERLAY),
            samples,
        }
    }

    fn mesh(&self) -> Recipe<'_> {
        Recipe {
            label: "mesh",
            layout: &self.with_mesh,
            module: &self.mesh,
            entries: ["vertex", "fragment"],
            buffers: &MESH_BUFFERS,
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: Some(wgpu::Face::Back),
            format: PICTURE_VIEW_FORMAT,
            blend: None,
            depth: Some(Depth::WRITE),
            samples: self.samples,
        }
    }

    fn mesh_ghost(&self) -> Recipe<'_> {
        Recipe { label: "mesh ghost", entries: ["ghost_vertex", "ghost_fragment"], ..self.mesh() }
    }

    fn mesh_shadow(&self) -> Recipe<'_> {
        Recipe {
            label: "mesh shadow",
            entries: ["shadow_vertex", "shadow_fragment"],
            cull: None,
            format: SHADOW_FORMAT,
            blend: Some(DARKEST),
            depth: None,
            samples: 1,
            ..self.mesh()
        }
    }

    fn bones(&self) -> Recipe<'_> {
        Recipe { label: "bones", ..self.of_bones(self.mesh()) }
    }

    fn bone_ghost(&self) -> Recipe<'_> {
        Recipe { label: "bone ghost", ..self.of_bones(self.mesh_ghost()) }
    }

    fn bone_shadow(&self) -> Recipe<'_> {
        Recipe { label: "bone shadow", ..self.of_bones(self.mesh_shadow()) }
    }

    /// Changes the parameters of a mesh pipeline to draw bones: layout, shader and buffers.
    fn of_bones<'a>(&'a self, as_mesh: Recipe<'a>) -> Recipe<'a> {
        Recipe { layout: &self.frame_only, module: &self.bone, buffers: &BONE_BUFFERS, ..as_mesh }
    }

    fn background(&self) -> Recipe<'_> {
        Recipe {
            label: "background",
            layout: &self.frame_only,
            module: &self.background,
            buffers: &[],
            cull: None,
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            depth: Some(Depth::IGNORE),
            ..self.mesh()
        }
    }

    fn ground(&self) -> Recipe<'_> {
        Recipe {
            label: "ground",
            layout: &self.with_ground,
            module: &self.ground,
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..self.background()
        }
    }

    fn lines(&self) -> Recipe<'_> {
        Recipe {
            label: "lines",
            module: &self.overlay,
            entries: ["line_vertex", "line_fragment"],
            buffers: &LINE_BUFFERS,
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..self.background()
        }
    }

    fn areas(&self) -> Recipe<'_> {
        Recipe {
            label: "areas",
            entries: ["fill_vertex", "fill_fragment"],
            buffers: &FILL_BUFFERS,
            topology: wgpu::PrimitiveTopology::TriangleList,
            ..self.lines()
        }
    }
}

impl Pipelines {
    pub fn new(device: &wgpu::Device, samples: u32) -> Self {
        let [frame_layout, mesh_layout, ground_layout] =
            [frame_layout(device), mesh_layout(device), textured_layout(device, "ground", 0)];
        let parts = Parts::new(device, [&frame_layout, &mesh_layout, &ground_layout], samples);
        let build = |recipe: Recipe<'_>| recipe.build(device);
        let both_sides = |recipe: Recipe<'_>| [recipe.build(device), Recipe { cull: None, ..recipe }.build(device)];
        Self {
            background: build(parts.background()),
            ground: build(parts.ground()),
            mesh: both_sides(parts.mesh()),
            bone: build(parts.bones()),
            mesh_ghost: both_sides(parts.mesh_ghost()),
            bone_ghost: build(parts.bone_ghost()),
            mesh_shadow: build(parts.mesh_shadow()),
            bone_shadow: build(parts.bone_shadow()),
            fill: build(parts.areas()),
            line: build(parts.lines()),
            repeat_sampler: sampler(device, wgpu::AddressMode::Repeat),
            clamp_sampler: sampler(device, wgpu::AddressMode::ClampToEdge),
            frame_layout,
            mesh_layout,
            ground_layout,
        }
    }

    /// Camera and poses of one side.
    pub fn frame_bind_group(&self, device: &wgpu::Device, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        bind(device, "frame", &self.frame_layout, &buffers.map(wgpu::Buffer::as_entire_binding))
    }

    /// Constant data of a mesh.
    pub fn mesh_bind_group(
        &self,
        device: &wgpu::Device,
        buffers: [&wgpu::Buffer; 4],
        [base_color, emissive, normals]: [&wgpu::TextureView; 3],
    ) -> wgpu::BindGroup {
        let mut resources = buffers.map(wgpu::Buffer::as_entire_binding).to_vec();
        resources.push(wgpu::BindingResource::TextureView(base_color));
        resources.push(wgpu::BindingResource::Sampler(&self.repeat_sampler));
        resources.extend([emissive, normals].map(wgpu::BindingResource::TextureView));
        bind(device, "mesh", &self.mesh_layout, &resources)
    }

    /// The shadow mask that the ground reads.
    pub fn ground_bind_group(&self, device: &wgpu::Device, mask: &wgpu::TextureView) -> wgpu::BindGroup {
        let sampler = wgpu::BindingResource::Sampler(&self.clamp_sampler);
        bind(device, "ground", &self.ground_layout, &[wgpu::BindingResource::TextureView(mask), sampler])
    }
}

/// Weighs the new picture by the blend constant of the pass, and the old one by the rest.
const CROSSFADE: wgpu::BlendState = {
    let mix = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::Constant,
        dst_factor: wgpu::BlendFactor::OneMinusConstant,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: mix, alpha: mix }
};

/// Copies pictures: into egui's pass, or over each other.
#[derive(Debug)]
pub(super) struct Blit {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
}

impl Blit {
    /// Replaces pixels. `format` is that of egui's target. `smooth` softens jagged edges.
    pub fn new(device: &wgpu::Device, format: TextureFormat, smooth: bool) -> Self {
        Self::build(device, format, if smooth { "smooth_fragment" } else { "fragment" }, None)
    }

    /// Fades one picture into another by the pass's blend constant.
    pub fn crossfade(device: &wgpu::Device) -> Self {
        Self::build(device, PICTURE_VIEW_FORMAT, "fragment", Some(CROSSFADE))
    }

    fn build(device: &wgpu::Device, format: TextureFormat, entry_point: &str, blend: Option<wgpu::BlendState>) -> Self {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("blit"),
            entries: &[entry(0, ShaderStages::FRAGMENT, TEXTURE)],
        });
        let pipeline = Recipe {
            label: "blit",
            layout: &pipeline_layout(device, &[Some(&layout)]),
            module: &module(device, shaders::BLIT),
            entries: ["vertex", entry_point],
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: None,
            format,
            blend,
            depth: None,
            samples: 1,
        }
        .build(device);
        Self { layout, pipeline }
    }

    pub fn bind_group(&self, device: &wgpu::Device, picture: &wgpu::TextureView) -> wgpu::BindGroup {
        bind(device, "blit", &self.layout, &[wgpu::BindingResource::TextureView(picture)])
    }

    /// Draws a picture over all of the pass.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, picture: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.draw(0..3, 0..1);
    }
}

const TEXTURE: BindingType = BindingType::Texture {
    sample_type: wgpu::TextureSampleType::Float { filterable: true },
    view_dimension: wgpu::TextureViewDimension::D2,
    multisampled: false,
};

pub(super) fn module(device: &wgpu::Device, source: &'static str) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    })
}

pub(super) fn pipeline_layout(
    device: &wgpu::Device,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> wgpu::PipelineLayout {
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: groups,
        immediate_size: 0,
    })
}

pub(super) fn bind(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

pub(super) fn entry(binding: u32, visibility: ShaderStages, ty: BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

pub(super) fn buffer_type(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

fn frame_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let poses = ShaderStages::VERTEX | ShaderStages::COMPUTE;
    let read = buffer_type(BufferBindingType::Storage { read_only: true });
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("frame"),
        entries: &[entry(0, poses | ShaderStages::FRAGMENT, read), entry(1, poses, read), entry(2, poses, read)],
    })
}

fn mesh_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let skinning = ShaderStages::VERTEX | ShaderStages::COMPUTE;
    let read = buffer_type(BufferBindingType::Storage { read_only: true });
    let mut entries = vec![entry(0, skinning | ShaderStages::FRAGMENT, buffer_type(BufferBindingType::Uniform))];
    entries.extend((1..4).map(|binding| entry(binding, skinning, read)));
    entries.extend(texture_entries(4));
    entries.extend([6, 7].map(|binding| entry(binding, ShaderStages::FRAGMENT, TEXTURE)));
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("mesh"), entries: &entries })
}

fn textured_layout(device: &wgpu::Device, label: &str, first: u32) -> wgpu::BindGroupLayout {
    let entries = texture_entries(first);
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn texture_entries(first: u32) -> [wgpu::BindGroupLayoutEntry; 2] {
    let sampler = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    [entry(first, ShaderStages::FRAGMENT, TEXTURE), entry(first + 1, ShaderStages::FRAGMENT, sampler)]
}

const fn vertex_buffer(bytes: u64, attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: bytes, step_mode: wgpu::VertexStepMode::Vertex, attributes })
}

const fn instance_buffer(bytes: u64, attributes: &[wgpu::VertexAttribute]) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: bytes, step_mode: wgpu::VertexStepMode::Instance, attributes })
}

fn sampler(device: &wgpu::Device, mode: wgpu::AddressMode) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: mode,
        address_mode_v: mode,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    })
}
