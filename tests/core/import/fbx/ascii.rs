//! Small ASCII FBX documents with known numbers.

use glam::Mat4;
use std::fmt::Write;

/// Ticks of an FBX clock per second.
const TICKS_A_SECOND: f64 = 46_186_158_000.0;
/// Flags of a key whose value is held until the next key.
pub const STEP: u32 = 2;
/// Flags of a key with a straight line to the next key.
pub const LINEAR: u32 = 4;

/// A document under construction. Objects are identified by their number.
#[derive(Default)]
pub struct Ascii {
    objects: String,
    connections: String,
    last_id: u64,
}

/// A bone, its place in the bind pose, and its vertices with their weights.
pub type SkinBone = (u64, Mat4, Vec<(u32, f64)>);

/// Up and front axis in FBX's numbers, and centimetres per unit.
#[derive(Clone, Copy)]
pub struct Space {
    pub up: [i32; 2],
    pub front: [i32; 2],
    pub unit_cm: f64,
    /// FBX's number of a frame rate: 6 is 30 Hz, 11 is 24 Hz.
    pub time_mode: u32,
}

/// Y up, as in Maya.
pub const Y_UP_CM: Space = Space { up: [1, 1], front: [2, 1], unit_cm: 1.0, time_mode: 6 };
/// Z up, as in 3ds Max and Blender.
pub const Z_UP_CM: Space = Space { up: [2, 1], front: [1, -1], unit_cm: 1.0, time_mode: 6 };

impl Ascii {
    fn object(&mut self, kind: &str, name: &str, class: &str, body: &str) -> u64 {
        self.last_id += 1;
        writeln!(self.objects, "\t{kind}: {}, \"{name}\", \"{class}\" {{\n{body}\t}}", self.last_id).unwrap();
        self.last_id
    }

    pub fn connect(&mut self, child: u64, parent: u64) {
        writeln!(self.connections, "\tC: \"OO\",{child},{parent}").unwrap();
    }

    fn connect_property(&mut self, child: u64, parent: u64, property: &str) {
        writeln!(self.connections, "\tC: \"OP\",{child},{parent}, \"{property}\"").unwrap();
    }

    /// A node at rest: `LimbNode` for a bone, `Null`, or `Mesh`.
    pub fn node(&mut self, name: &str, class: &str, parent: u64, translation: [f64; 3], scale: f64) -> u64 {
        self.node_with(name, class, parent, &[("Lcl Translation", &translation), ("Lcl Scaling", &[scale; 3])])
    }

    /// A node with these properties.
    pub fn node_with(&mut self, name: &str, class: &str, parent: u64, properties: &[(&str, &[f64])]) -> u64 {
        let body = format!("\t\tVersion: 232\n{}", properties70(properties));
        let node = self.object("Model", &format!("Model::{name}"), class, &body);
        self.connect(node, parent);
        if class == "LimbNode" {
            let bone = self.object("NodeAttribute", "NodeAttribute::", "LimbNode", "\t\tTypeFlags: \"Skeleton\"\n");
            self.connect(bone, node);
        }
        node
    }

    /// A constraint of a kind, with its properties and participants.
    pub fn constraint(&mut self, name: &str, kind: &str, properties: &[(&str, &[f64])], parts: &[(u64, &str)]) -> u64 {
        let body = format!("\t\tType: \"{kind}\"\n{}", properties70(properties));
        let constraint = self.object("Constraint", &format!("Constraint::{name}"), kind, &body);
        for (node, part) in parts {
            self.connect_property(*node, constraint, part);
        }
        constraint
    }

    /// A stack of one layer and a time range. Returns the layer.
    pub fn stack(&mut self, name: &str, start_secs: f64, end_secs: f64) -> u64 {
        let time = |key: &str, secs: f64| format!("\t\t\tP: \"{key}\", \"KTime\", \"Time\", \"\",{}\n", ticks(secs));
        let range = ["Local", "Reference"]
            .map(|kind| time(&format!("{kind}Start"), start_secs) + &time(&format!("{kind}Stop"), end_secs));
        let body = format!("\t\tProperties70:  {{\n{}\t\t}}\n", range.concat());
        let stack = self.object("AnimationStack", &format!("AnimStack::{name}"), "", &body);
        let layer = self.object("AnimationLayer", "AnimLayer::base", "", "\t\tVersion: 100\n");
        self.connect(layer, stack);
        layer
    }

    /// Curves of a property: times in seconds and values per axis.
    pub fn curves(&mut self, layer: u64, of: u64, property: &str, flags: u32, axes: &[(&str, &[(f64, f64)])]) {
        let short = match property {
            "Lcl Translation" => "T",
            "Lcl Rotation" => "R",
            "Lcl Scaling" => "S",
            other => other,
        };
        let node = self.object("AnimationCurveNode", &format!("AnimCurveNode::{short}"), "", "\t\tVersion: 100\n");
        self.connect(node, layer);
        self.connect_property(node, of, property);
        for (axis, keys) in axes {
            let times: Vec<i64> = keys.iter().map(|(secs, _)| ticks(*secs)).collect();
            let values: Vec<f64> = keys.iter().map(|(_, value)| *value).collect();
            let body = [
                "\t\tDefault: 0\n\t\tKeyVer: 4008\n".to_owned(),
                array("KeyTime", &times),
                array("KeyValueFloat", &values),
                array("KeyAttrFlags", &[flags]),
                array("KeyAttrDataFloat", &[0; 4]),
                array("KeyAttrRefCount", &[keys.len()]),
            ];
            let curve = self.object("AnimationCurve", "AnimCurve::", "", &body.concat());
            self.connect_property(curve, node, &format!("d|{axis}"));
        }
    }

    /// A square of two triangles, one unit wide, on a node.
    pub fn square(&mut self, node: u64) -> u64 {
        let body = [
            array("Vertices", &[0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]),
            array("PolygonVertexIndex", &[0, 1, 2, -4]),
            "\t\tGeometryVersion: 124\n".to_owned(),
        ];
        let mesh = self.object("Geometry", "Geometry::square", "Mesh", &body.concat());
        self.connect(mesh, node);
        mesh
    }

    /// The same square with a shape inside the mesh, as in files up to version 7.1. Its weight is a property of the mesh.
    pub fn square_with_shape(&mut self, node: u64, shape: &str, weight: f64, vertex: u32, offset: [f64; 3]) -> u64 {
        let body = [
            properties70(&[(shape, &[weight])]),
            array("Vertices", &[0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]),
            array("PolygonVertexIndex", &[0, 1, 2, -4]),
            format!("\t\tShape: \"{shape}\" {{\n"),
            [array("Indexes", &[vertex]), array("Vertices", &offset), array("Normals", &[0; 3])].concat(),
            "\t\t}\n\t\tGeometryVersion: 124\n".to_owned(),
        ];
        let mesh = self.object("Geometry", "Geometry::square", "Mesh", &body.concat());
        self.connect(mesh, node);
        mesh
    }

    /// A skin with these bones.
    pub fn skin(&mut self, mesh: u64, bones: &[SkinBone]) {
        let skin = self.object("Deformer", "Deformer::", "Skin", "\t\tVersion: 101\n");
        self.connect(skin, mesh);
        for (bone, world_from_bone, weights) in bones {
            let indices: Vec<u32> = weights.iter().map(|(index, _)| *index).collect();
            let values: Vec<f64> = weights.iter().map(|(_, weight)| *weight).collect();
            let body = [
                "\t\tVersion: 100\n\t\tUserData: \"\", \"\"\n".to_owned(),
                array("Indexes", &indices),
                array("Weights", &values),
                array("Transform", &world_from_bone.inverse().to_cols_array()),
                array("TransformLink", &world_from_bone.to_cols_array()),
            ];
            let cluster = self.object("Deformer", "SubDeformer::", "Cluster", &body.concat());
            self.connect(cluster, skin);
            self.connect(*bone, cluster);
        }
    }

    /// A blend shape that moves one vertex. Returns its channel.
    pub fn shape(&mut self, mesh: u64, name: &str, vertex: u32, offset: [f64; 3]) -> u64 {
        let deformer = self.object("Deformer", "Deformer::", "BlendShape", "\t\tVersion: 100\n");
        let body = "\t\tVersion: 100\n\t\tDeformPercent: 0\n".to_owned() + &array("FullWeights", &[100]);
        let channel = self.object("Deformer", &format!("SubDeformer::{name}"), "BlendShapeChannel", &body);
        let body = [array("Indexes", &[vertex]), array("Vertices", &offset), array("Normals", &[0; 3])].concat();
        let shape = self.object("Geometry", &format!("Geometry::{name}"), "Shape", &body);
        self.connect(deformer, mesh);
        self.connect(channel, deformer);
        self.connect(shape, channel);
        channel
    }

    /// A surface with a texture from a file, on a node.
    pub fn texture(&mut self, node: u64, relative: &str, absolute: &str) {
        let material = self.object("Material", "Material::cloth", "", "\t\tShadingModel: \"lambert\"\n");
        self.connect(material, node);
        let body = format!("\t\tFileName: \"{absolute}\"\n\t\tRelativeFilename: \"{relative}\"\n");
        let texture = self.object("Texture", "Texture::weave", "", &body);
        self.connect_property(texture, material, "DiffuseColor");
    }

    pub fn write(&self, space: Space) -> Vec<u8> {
        let axis = |name: &str, [axis, sign]: [i32; 2]| {
            format!(
                "\t\tP: \"{name}Axis\", \"int\", \"Integer\", \"\",{axis}\n\
                 \t\tP: \"{name}AxisSign\", \"int\", \"Integer\", \"\",{sign}\n"
            )
        };
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}}\n\
             GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n{}{}{}\
             \t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n\
             \t\tP: \"TimeMode\", \"enum\", \"\", \"\",{}\n\t}}\n}}\n\
             Objects:  {{\n{}}}\nConnections:  {{\n{}}}\n",
            axis("Up", space.up),
            axis("Front", space.front),
            axis("Coord", [0, 1]),
            space.unit_cm,
            space.time_mode,
            self.objects,
            self.connections,
        )
        .into_bytes()
    }
}

fn ticks(secs: f64) -> i64 {
    (secs * TICKS_A_SECOND).round() as i64
}

fn numbers<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Properties with one or three numbers. Each of them may have keys.
fn properties70(properties: &[(&str, &[f64])]) -> String {
    let line = |(name, values): &(&str, &[f64])| {
        let kind = match (*name, values.len()) {
            (name, 3) if name.starts_with("Lcl ") => format!("\"{name}\", \"\""),
            (_, 3) => "\"Vector\", \"\"".to_owned(),
            _ => "\"Number\", \"\"".to_owned(),
        };
        format!("\t\t\tP: \"{name}\", {kind}, \"A\",{}\n", numbers(values))
    };
    format!("\t\tProperties70:  {{\n{}\t\t}}\n", properties.iter().map(line).collect::<String>())
}

fn array<T: ToString>(name: &str, values: &[T]) -> String {
    format!("\t\t{name}: *{} {{\n\t\t\ta: {}\n\t\t}}\n", values.len(), numbers(values))
}

/// Three bones in a row with a skin of five influences on one vertex, a blend shape, and two stacks: all difficult cases for a reader.
pub fn small_rig() -> Ascii {
    let mut doc = Ascii::default();
    let root = doc.node("Armature", "Null", 0, [0.0; 3], 100.0);
    let lift = |y: f32| Mat4::from_translation(glam::Vec3::Y * y) * Mat4::from_scale(glam::Vec3::splat(100.0));
    let mut bones = Vec::new();
    let mut parent = root;
    for (index, weight) in [0.4, 0.3, 0.15, 0.1, 0.05].into_iter().enumerate() {
        let up = if index == 0 { 0.0 } else { 0.2 };
        parent = doc.node(&format!("bone{index}"), "LimbNode", parent, [0.0, up, 0.0], 1.0);
        bones.push((parent, lift(20.0 * index as f32), vec![(0, weight), (index as u32 % 3 + 1, 1.0)]));
    }
    let node = doc.node("skin", "Mesh", 0, [0.0; 3], 1.0);
    let mesh = doc.square(node);
    doc.skin(mesh, &bones);
    let smile = doc.shape(mesh, "smile", 2, [0.0, 0.0, 10.0]);
    let wave = doc.stack("wave", 0.0, 1.0);
    doc.curves(wave, bones[1].0, "Lcl Rotation", LINEAR, &[("Z", &[(0.0, 0.0), (1.0, 90.0)])]);
    doc.curves(wave, smile, "DeformPercent", LINEAR, &[("DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])]);
    let hop = doc.stack("hop", 2.0, 3.0);
    doc.curves(hop, bones[0].0, "Lcl Translation", STEP, &[("Y", &[(2.0, 0.0), (2.5, 0.5), (3.0, 0.0)])]);
    doc
}
