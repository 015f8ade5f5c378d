//! USD: documents written by hand here, and files of usd-core.

mod damaged;
pub mod readers;

use crate::import_support::{import_bytes, importer};
use glam::{Quat, Vec3};
use posepress_core::import::{ImportOptions, Imported, Severity};
use posepress_core::model::ModelPose;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// A stage with a character of two joints. `%ROOT%` stands in its root, `%SKEL%` in its skeleton, and `%MORE%` after it.
const STAGE: &str = r#"#usda 1.0
(
    timeCodesPerSecond = 10
    metersPerUnit = 1
    upAxis = "Y"
)

def SkelRoot "Char" (
    prepend apiSchemas = ["SkelBindingAPI"]
)
{
    rel skel:animationSource = </Char/Wave>
    %ROOT%

    def Skeleton "Skel"
    {
        uniform token[] joints = ["arm", "arm/hand"]
        uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1)), ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 2, 0, 1))]
        uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1)), ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1))]
        %SKEL%
    }

    def SkelAnimation "Wave"
    {
        uniform token[] joints = ["arm/hand"]
        float3[] translations.timeSamples = { 3: [(0, 1, 0)], 5: [(0, 1, 2)] }
        quatf[] rotations.timeSamples = { 3: [(1, 0, 0, 0)], 5: [(0.70710678, 0, 0.70710678, 0)] }
        half3[] scales = [(1, 2, 1)]
    }
    %MORE%
}
"#;

/// A stage as text.
pub fn stage(root: &str, skel: &str, more: &str) -> String {
    STAGE.replace("%ROOT%", root).replace("%SKEL%", skel).replace("%MORE%", more)
}

/// A layer in text, as a binary layer.
pub fn binary(text: &str) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    openusd::usdc::CrateWriter::write(&openusd::usda::parse(text).unwrap(), &mut out).unwrap();
    out.into_inner()
}

/// A package of one layer.
pub fn package(text: &str, method: CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("a.usda", SimpleFileOptions::default().compression_method(method)).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

/// A file of each kind.
pub fn file(extension: &str) -> Vec<u8> {
    let text = stage("", "", "");
    match extension {
        "usda" => text.into_bytes(),
        "usdz" => package(&text, CompressionMethod::Stored),
        _ => binary(&text),
    }
}

fn import(text: &str) -> Imported {
    import_bytes("usda", text.as_bytes()).unwrap()
}

fn said(imported: &Imported, words: &str) -> bool {
    imported.findings.iter().any(|finding| finding.what.contains(words))
}

#[test]
fn an_animation_moves_its_joints_and_others_stay_at_rest() {
    let imported = import(&stage("", "", ""));
    let skeleton = &imported.rig.skeleton;
    assert_eq!((skeleton.name(0), skeleton.name(1), skeleton.parent(1)), ("arm", "hand", Some(0)));
    let [clip] = imported.clips.as_slice() else { panic!("one clip") };
    assert_eq!((clip.name(), clip.samples(), clip.duration_secs()), ("Wave", 3, 0.2));
    for sample in 0..3 {
        let [arm, hand] = [clip.pose(sample)[0], clip.pose(sample)[1]];
        assert_eq!(arm, skeleton.bind(0), "at rest");
        assert_eq!(hand.translation, Vec3::new(0.0, 1.0, sample as f32));
        let turn = Quat::from_rotation_y(sample as f32 * std::f32::consts::FRAC_PI_4);
        assert!(hand.rotation.dot(turn).abs() > 1.0 - 1e-6, "{hand:?}");
        assert_eq!(hand.scale, Vec3::new(1.0, 2.0, 1.0), "a value without samples");
    }
    assert!(imported.findings.iter().all(|finding| finding.severity == Severity::Note), "{:?}", imported.findings);
}

#[test]
fn the_place_of_a_skeleton_is_the_motion_of_a_root_joint() {
    let place = "double3 xformOp:translate.timeSamples = { 3: (0, 0, 0), 5: (4, 0, 0) }\n\
                 uniform token[] xformOpOrder = [\"xformOp:translate\"]";
    let imported = import(&stage(place, "", ""));
    let skeleton = &imported.rig.skeleton;
    assert_eq!((skeleton.len(), skeleton.name(0), skeleton.parent(1)), (3, "Skel", Some(0)));
    let at = |sample: usize| ModelPose::new(skeleton, imported.clips[0].pose(sample)).origin(1);
    assert_eq!([at(0), at(1), at(2)], [0.0, 2.0, 4.0].map(|x| Vec3::new(x, 1.0, 0.0)));
}

#[test]
fn a_scale_of_the_place_is_taken_into_the_lengths() {
    let place = "float3 xformOp:scale = (3, 3, 3)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]";
    let imported = import(&stage(place, "", ""));
    assert_eq!(imported.rig.skeleton.bind(0).scale, Vec3::ONE);
    let model = ModelPose::new(&imported.rig.skeleton, imported.clips[0].pose(0));
    assert_eq!([model.origin(1), model.origin(2)], [Vec3::Y * 3.0, Vec3::Y * 6.0]);
    assert!(said(&imported, "placed with a scale of 3"));
}

#[test]
fn centimetres_are_meant_where_no_unit_is_stated_and_said() {
    let text = stage("", "", "").replace("    metersPerUnit = 1\n", "").replace("\"Y\"", "\"Z\"");
    let imported = import(&text);
    assert_eq!(imported.rig.skeleton.bind(0).translation, Vec3::new(0.0, 0.0, -0.01));
    assert!(said(&imported, "states no unit of length"));
    let options = ImportOptions { unit: Some(posepress_core::import::LengthUnit::Metre), ..Default::default() };
    let chosen = importer("usda").import(Path::new("a.usda"), text.as_bytes().into(), &options).unwrap();
    assert_eq!(chosen.rig.skeleton.bind(0).translation, Vec3::new(0.0, 0.0, -1.0));
    assert!(!said(&chosen, "states no unit of length"));
}

/// The stage with one joint more in its animation.
fn two_joints(second: &str) -> String {
    let text = stage("", "", "").replace("[\"arm/hand\"]\n", &format!("[\"arm/hand\", \"{second}\"]\n"));
    let doubled = ["(0, 1, 0)]", "(0, 1, 2)]", "(1, 0, 0, 0)]", "(0.70710678, 0, 0.70710678, 0)]", "(1, 2, 1)]"];
    let (above, animation) = text.split_once("def SkelAnimation").unwrap();
    let double = |text: String, value: &&str| {
        text.replace(&format!("[{value}"), &format!("[{}, {value}", &value[..value.len() - 1]))
    };
    format!("{above}def SkelAnimation{}", doubled.iter().fold(animation.to_owned(), double))
}

#[test]
fn what_is_left_out_is_said() {
    let plain = stage("", "", "");
    for (text, words) in [
        (plain.replace("half3[] scales = [(1, 2, 1)]", ""), "does not state translations, rotations and scales"),
        (plain.replace("prepend apiSchemas = [\"SkelBindingAPI\"]", ""), "without the schema SkelBindingAPI"),
        (plain.replace("[\"arm/hand\"]\n", "[\"arm/hook\"]\n"), "animates nothing visible"),
        (
            stage(
                "double xformOp:rotateY.spline = { 3: 0, 5: 10 }\nuniform token[] xformOpOrder = [\"xformOp:rotateY\"]",
                "",
                "",
            ),
            "'xformOp:rotateY' is a spline",
        ),
        (two_joints("arm/hook"), "does not have: arm/hook"),
        (plain.replace("uniform matrix4d[] rest", "uniform matrix4d[] other"), "rest transforms are missing"),
        (plain.replace("(0, 1, 2)]", "(0, 1, 2), (1, 1, 1)]"), "'translations' has 2 values in a sample; expected 1"),
        (stage("", "", "def Mesh \"Box\" {}"), "no joint carries this mesh"),
        (stage("", "", "def Material \"Red\" {}"), "material is not read"),
        (
            plain.replace("timeCodesPerSecond = 10", "timeCodesPerSecond = 10\nendTimeCode = 4"),
            "after the end of the stage",
        ),
        (plain.replace("\"Y\"", "\"X\""), "up axis is 'X'"),
        (stage("", "", "def \"No\" ( prepend references = @no.usda@ ) {}"), "the layer 'no.usda' cannot be used"),
    ] {
        let imported = import(&text);
        assert!(said(&imported, words), "{words}: {:#?}", imported.findings);
    }
}

#[test]
fn files_that_cannot_be_used_say_why() {
    let plain = stage("", "", "");
    for (text, words) in [
        ("#usda 1.0\n".to_owned(), "the file has no skeleton"),
        ("#usda 1.0\ndef \"A\" ( prepend references = @../b.usda@ ) {}".to_owned(), "own folder"),
        (format!("#usda 1.0\n{}", "def \"A\" {".repeat(300)), "nested more than 256 deep"),
        ("no usd at all".to_owned(), "line 1"),
        (plain.replace("\"arm\", \"arm/hand\"", "\"arm/hand\", \"arm\""), "comes before its parent"),
        (plain.replace("\"arm\", \"arm/hand\"", ""), "the skeleton has no joints"),
        (plain.replace("timeCodesPerSecond = 10", "timeCodesPerSecond = 0"), "0 time codes per second"),
    ] {
        let error = import_bytes("usda", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words) && error.starts_with("folder/test.usda"), "{words}: {error}");
    }
}

#[test]
fn one_of_several_skeletons_can_be_chosen() {
    let second = "def SkelRoot \"Other\" { def Skeleton \"Bones\" { uniform token[] joints = [\"tail\"]\n\
                  uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))] } }";
    let text = stage("", "", second);
    let both = import(&text);
    assert_eq!(both.rig.skeleton.len(), 3);
    assert!(said(&both, "2 skeletons are read as one rig: Skel (2 joints), Bones (1 joint)"));
    let choose = |figure: f32| {
        let options = ImportOptions { figure: Some(figure), ..Default::default() };
        importer("usda").import(Path::new("a.usda"), text.as_bytes().into(), &options)
    };
    let other = choose(2.0).unwrap();
    assert_eq!((other.rig.skeleton.name(0), other.clips.len()), ("tail", 0));
    assert!(choose(3.0).unwrap_err().to_string().contains("skeleton 3 is asked for; the file has 2 skeletons"));
}

#[test]
fn layers_beside_a_file_are_read_and_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("parts/char.usda"), stage("", "", "")).unwrap();
    let text = "#usda 1.0\n( metersPerUnit = 1\n timeCodesPerSecond = 10 )\n\
                def \"World\" ( prepend references = @./parts/char.usda@</Char> (offset = 2; scale = 2) ) {}";
    let path = folder.path().join("shot.usda");
    std::fs::write(&path, text).unwrap();
    let imported = posepress_core::import::import_file(&path, &ImportOptions::default()).unwrap();
    assert_eq!(imported.beside.len(), 1);
    assert_eq!((imported.clips[0].name(), imported.clips[0].duration_secs()), ("Wave", 0.4), "twice as slow");
}

#[test]
fn a_skin_with_faces_of_four_corners_is_bound_in_its_own_order() {
    let mesh = "def Mesh \"Box\" ( prepend apiSchemas = [\"SkelBindingAPI\"] ) {\n\
        point3f[] points = [(0,1,0),(1,1,0),(1,2,0),(0,2,0)]\nint[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0,1,2,3]\n\
        uniform token orientation = \"leftHanded\"\nrel skel:skeleton = </Char/Skel>\n\
        uniform token[] skel:joints = [\"arm/hand\", \"arm\"]\n\
        int[] primvars:skel:jointIndices = [0,1,0] ( elementSize = 3\n interpolation = \"constant\" )\n\
        float[] primvars:skel:jointWeights = [0.5,0.25,0.25] ( elementSize = 3\n interpolation = \"constant\" ) }";
    let imported = import(&stage("", "", mesh));
    let [mesh] = imported.rig.meshes.as_slice() else { panic!("one mesh: {:?}", imported.findings) };
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 3, 2]], "turned");
    assert_eq!(mesh.normals[0], Vec3::NEG_Z);
    assert_eq!(mesh.palette.iter().map(|joint| joint.joint).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(mesh.joints_of(0).collect::<Vec<_>>(), [1, 1, 0]);
    let bind = ModelPose::new(&imported.rig.skeleton, &imported.rig.skeleton.bind_pose(0).joints);
    assert_eq!(mesh.skin_vertex(2, &bind.joints, &[]), Vec3::new(1.0, 2.0, 0.0));
}
