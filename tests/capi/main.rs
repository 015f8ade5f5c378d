//! The runtime in C and C++: compiled programs print decoded poses, and each bit equals that of the runtime.

mod header;
mod installed;
#[path = "../memory.rs"]
mod memory;
mod no_memory;
#[path = "../project.rs"]
mod project;

use posepress_runtime::ClipEntry;
use posepress_runtime::{CodecId, Container, Joints, Opened, Playback, Pose, PoseLayout, TierFile};
use project::project;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Libraries that a program with the static library needs.
const SYSTEM_LIBRARIES: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// Containers that hold every codec, compensation, stepped intervals and float tracks.
const CONTAINERS: [&str; 8] =
    ["codecs", "compensation", "curves", "key-reduction", "layouts", "press", "variable-rate", "wavelet"];

fn golden(name: &str) -> PathBuf {
    project(&format!("tests/golden/{name}.posepress"))
}

/// The folder of cargo's libraries, which is also the folder of this test.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// Compiles a program of this folder and links it with the static library or the shared one.
fn compile(source: &str, is_shared: bool) -> (TempDir, PathBuf) {
    let libraries = library_folder();
    built(source, |command| {
        command.arg("-I").arg(project("src/capi/include"));
        if is_shared {
            command.arg("-L").arg(&libraries).arg("-lposepress_capi");
            command.arg(format!("-Wl,-rpath,{}", libraries.display()));
        } else {
            command.arg(libraries.join("libposepress_capi.a"));
        }
        command.args(SYSTEM_LIBRARIES);
    })
}

/// Compiles a program of this folder. `library` adds the options for the header and the library, after the program.
fn built(source: &str, library: impl FnOnce(&mut Command)) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let (compiler, standard) = if source.ends_with(".cpp") { ("g++", "-std=c++11") } else { ("gcc", "-std=c99") };
    let mut command = Command::new(compiler);
    command.args([standard, "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    command.arg(project(&format!("tests/capi/{source}"))).arg("-o").arg(&program);
    library(&mut command);
    let made = command.output().unwrap_or_else(|e| panic!("{compiler}: {e}"));
    assert!(made.status.success(), "{source}: {}", String::from_utf8_lossy(&made.stderr));
    (folder, program)
}

/// Runs a program with the library that it was linked with. Cargo's library path may hold an older build.
fn run(program: &Path, container: &Path) -> Output {
    Command::new(program).arg(container).env_remove("LD_LIBRARY_PATH").output().unwrap()
}

fn assert_prints(program: &Path, expected: impl Fn(&Opened<Vec<u8>>, &str) -> String) {
    for name in CONTAINERS {
        let out = run(program, &golden(name));
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        let container = Container::read(&std::fs::read(golden(name)).unwrap()).unwrap();
        let rig = container.rig.expect("a rig");
        let bind = rig.bind_pose().unwrap();
        let clips = container
            .clips
            .into_iter()
            .map(|entry| expected(&Opened::new(CodecId(entry.codec), entry.bytes, &bind).unwrap(), &entry.name));
        let expected: String = clips.collect();
        let found = String::from_utf8(out.stdout).unwrap();
        assert!(expected.lines().count() > 10, "{name}");
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{name}, line {number}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
    }
}

fn line(what: &str, numbers: &[f32]) -> String {
    numbers.iter().fold(what.to_owned(), |mut text, number| {
        write!(text, " {:08x}", number.to_bits()).unwrap();
        text
    }) + "\n"
}

/// Expected output of `play.c`.
fn played(clip: &Opened<Vec<u8>>, name: &str) -> String {
    let (header, mut cursor) = (clip.header(), clip.cursor().unwrap());
    let mut text = format!("clip {name}\n");
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    for step in -1..=9 {
        let time_secs = f64::from(header.grid.duration_secs()) * f64::from(step) / 7.0;
        let at = Playback::default().place(header, time_secs);
        clip.sample(&mut cursor, at, &mut pose);
        let numbers = pose
            .joints
            .iter()
            .flat_map(|t| [&t.rotation.to_array()[..], &t.translation.to_array(), &t.scale.to_array()].concat());
        text += &line(&format!("pose {at:.3}"), &numbers.collect::<Vec<_>>());
        let matrix = pose.joints[header.joints - 1].to_affine();
        let row = |row: usize| [matrix.x_axis[row], matrix.y_axis[row], matrix.z_axis[row], matrix.translation[row]];
        text += &line(&format!("matrix {at:.3}"), &[row(0), row(1), row(2)].concat());
        text += &line(&format!("floats {at:.3}"), &pose.floats);
    }
    text
}

/// Expected output of `crowd.cpp`.
fn crowded(clip: &Opened<Vec<u8>>, _: &str) -> String {
    let (header, mut cursor) = (clip.header(), clip.cursor().unwrap());
    let odd = vec![0xaaaa_aaaa_aaaa_aaaa; header.joints.div_ceil(64)];
    let mut text = String::new();
    for third in 0..3 * header.grid.samples() - 2 {
        for (what, joints) in [("pose", Joints::All), ("odd", Joints::Mask(&odd))] {
            let mut out = vec![0.0; PoseLayout::SOA8.floats(header.joints)];
            clip.sample_into(&mut cursor, third as f64 / 3.0, &joints, PoseLayout::SOA8, &mut out);
            text += &line(what, &out);
        }
    }
    text
}

#[test]
fn a_c_program_decodes_to_the_same_bits() {
    let (_folder, program) = compile("play.c", false);
    assert_prints(&program, played);
}

#[test]
fn a_c_program_with_the_shared_library_decodes_to_the_same_bits() {
    let (_folder, program) = compile("play.c", true);
    assert_prints(&program, played);
}

#[test]
fn two_threads_of_a_cpp_program_decode_to_the_same_bits() {
    let (_folder, program) = compile("crowd.cpp", false);
    assert_prints(&program, crowded);
}

#[test]
fn what_is_not_allowed_is_refused() {
    let (_folder, program) = compile("refuse.c", false);
    for name in ["press", "codecs"] {
        let out = run(&program, &golden(name));
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{name}: {text}");
        assert_eq!(text, format!("sizes {} {}\n", header::CLIP_INFO_BYTES, header::LAYOUT_BYTES), "{name}");
        assert!(out.stderr.is_empty(), "nothing is printed by the library");
    }
}

#[test]
fn a_c_program_plays_with_and_without_tiers_and_refuses_wrong_ones() {
    let (folder, program) = compile("play.c", false);
    let tier = |name: &str| project(&format!("tests/golden/tiers.{name}.posepress-tier"));
    let whole = Container::read(&std::fs::read(golden("tiers")).unwrap()).unwrap();
    let names = ["medium", "low"];
    let mut printed = Vec::new();
    for count in 0..=names.len() {
        let mut container = whole.clone();
        let mut command = Command::new(&program);
        command.arg(golden("tiers"));
        for name in &names[..count] {
            let file = TierFile::read(&std::fs::read(tier(name)).unwrap()).unwrap();
            let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
            container.join(&file, &bind).unwrap();
            command.arg(tier(name));
        }
        let rig = container.rig.unwrap();
        let bind = rig.bind_pose().unwrap();
        let open = |entry: &ClipEntry| Opened::new(CodecId(entry.codec), entry.bytes.clone(), &bind).unwrap();
        let expected: String = container.clips.iter().map(|entry| played(&open(entry), &entry.name)).collect();
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(String::from_utf8(out.stdout).unwrap(), expected, "{count} tiers");
        printed.push(expected);
    }
    assert!(printed[0] != printed[1] && printed[1] != printed[2], "every tier changes poses");

    let refused = |tiers: &[PathBuf]| {
        let out = Command::new(&program).arg(golden("tiers")).args(tiers).output().unwrap();
        assert_eq!(out.status.code(), Some(1));
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(refused(&[tier("low")]).contains("expected 'medium' before it"));
    assert!(refused(&[tier("medium"), tier("medium")]).contains("belongs to another file"));
    let mut bytes = std::fs::read(tier("medium")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = folder.path().join("damaged.posepress-tier");
    std::fs::write(&damaged, bytes).unwrap();
    assert!(refused(&[damaged]).contains("checksum of tier of clip 0"));
}

#[test]
fn a_damaged_file_is_named_as_such() {
    let (folder, program) = compile("play.c", false);
    let mut bytes = std::fs::read(golden("press")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let damaged = folder.path().join("damaged.posepress");
    std::fs::write(&damaged, bytes).unwrap();
    let out = run(&program, &damaged);
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(text.starts_with("container: the bytes are damaged") && text.contains("checksum of clip"), "{text}");
}
