//! Test helpers that compare Rust structs with the shaders' structs, as naga lays them out, field by field.

use wgpu::VertexAttribute;
use wgpu::naga::{Binding, Expression, Handle, Literal, Module, StructMember, Type, TypeInner, front::wgsl::parse_str};

/// Name, offset and size of a field, bytes.
pub(in crate::render) type Field = (&'static str, usize, usize);

/// Every field of a struct. A missing field does not compile.
macro_rules! fields_of {
    ($type:ident { $($field:ident),* $(,)? }) => {{
        let $type { $($field: _),* } = bytemuck::Zeroable::zeroed();
        [$((
            stringify!($field),
            std::mem::offset_of!($type, $field),
            $crate::render::gpu::wgsl::size_of_field(|s: &$type| &s.$field),
        )),*]
    }};
}
pub(in crate::render) use fields_of;

pub(in crate::render) fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

fn parsed(source: &str) -> Module {
    parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)))
}

fn struct_of<'a>(module: &'a Module, name: &str) -> (&'a [StructMember], usize) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    match found.map(|(_, ty)| &ty.inner) {
        Some(TypeInner::Struct { members, span }) => (members, *span as usize),
        _ => panic!("the shader has no struct {name}"),
    }
}

fn bytes_of(module: &Module, ty: Handle<Type>) -> usize {
    module.types[ty].inner.size(module.to_ctx()) as usize
}

/// Asserts that a struct of a uniform or storage buffer has the shader's names, offsets and size. Only fields called
/// `padding` may be extra.
pub(in crate::render) fn assert_struct(source: &str, name: &str, fields: &[Field], bytes: usize) {
    let module = parsed(source);
    let (members, span) = struct_of(&module, name);
    let read: Vec<_> = members
        .iter()
        .map(|m| (m.name.as_deref().unwrap_or_default(), m.offset as usize, bytes_of(&module, m.ty)))
        .collect();
    let written: Vec<_> = fields.iter().copied().filter(|(field, ..)| *field != "padding").collect();
    assert_eq!(written, read, "{name}");
    assert_eq!(bytes, span, "size of {name}");
}

/// Asserts that every vertex input of an entry point comes from the field of the same name.
pub(in crate::render) fn assert_inputs(source: &str, entry: &str, buffers: &[(&[Field], &[VertexAttribute])]) {
    let module = parsed(source);
    let point = module.entry_points.iter().find(|point| point.name == entry).expect("the entry point is there");
    let mut inputs: Vec<(String, u32, Handle<Type>)> = Vec::new();
    let mut add = |name: &Option<String>, binding: &Option<Binding>, ty| {
        if let Some(Binding::Location { location, .. }) = binding {
            inputs.push((name.clone().unwrap_or_default(), *location, ty));
        }
    };
    for argument in &point.function.arguments {
        match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => members.iter().for_each(|m| add(&m.name, &m.binding, m.ty)),
            _ => add(&argument.name, &argument.binding, argument.ty),
        }
    }
    let offered = buffers.iter().map(|(fields, _)| fields.len()).sum::<usize>();
    assert_eq!(inputs.len(), offered, "{entry} reads every field, and nothing else");
    for (name, location, ty) in inputs {
        let given = buffers.iter().find_map(|(fields, attributes)| {
            Some((*fields, attributes.iter().find(|attribute| attribute.shader_location == location)?))
        });
        let (fields, attribute) = given.unwrap_or_else(|| panic!("{entry}: nothing is given for {name}"));
        let field = fields.iter().find(|(_, offset, _)| *offset as u64 == attribute.offset);
        let (field, _, bytes) = field.unwrap_or_else(|| panic!("{entry}: {name} starts inside a field"));
        assert_eq!(*field, name, "{entry}, location {location}");
        assert_eq!(*bytes as u64, attribute.format.size(), "{entry}: size of {name}");
        let components = |inner: &TypeInner| match inner {
            TypeInner::Vector { size, .. } => *size as usize,
            _ => 1,
        };
        let given = attribute.format.size() as usize / component_bytes(attribute.format);
        assert_eq!(given, components(&module.types[ty].inner), "{entry}: components of {name}");
    }
}

fn component_bytes(format: wgpu::VertexFormat) -> usize {
    use wgpu::VertexFormat as F;
    match format {
        F::Unorm8x4 => 1,
        F::Uint16x4 => 2,
        F::Float32 | F::Float32x2 | F::Float32x3 | F::Float32x4 | F::Uint32 => 4,
        other => panic!("{other:?} is not in use"),
    }
}

/// The value of a constant.
pub(in crate::render) fn constant(source: &str, name: &str) -> u32 {
    let module = parsed(source);
    let found = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(name));
    match found.map(|(_, constant)| &module.global_expressions[constant.init]) {
        Some(Expression::Literal(Literal::U32(value))) => *value,
        other => panic!("{name} is {other:?}"),
    }
}
