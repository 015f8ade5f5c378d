//! The library as cargo-c installs it: header, versioned shared library, pkg-config file.

use super::{assert_prints, built, played};
use crate::project::project;
use std::path::Path;
use std::process::Command;

/// The output of a command.
fn output(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Output of pkg-config for the library under a root folder that replaces the system's.
fn said(root: &Path, libraries: &Path, question: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.args(question).arg("posepress").env("PKG_CONFIG_SYSROOT_DIR", root);
    command.env("PKG_CONFIG_LIBDIR", libraries.join("pkgconfig"));
    output(&mut command).split_whitespace().map(str::to_owned).collect()
}

#[test]
#[ignore = "needs pkg-config, and `cargo install cargo-c`"]
fn a_c_program_finds_the_installed_library_with_pkg_config() {
    let folder = tempfile::tempdir().unwrap();
    let (root, libraries) = (folder.path().join("root"), folder.path().join("root/usr/lib"));
    let mut install = Command::new(env!("CARGO"));
    install.args(["cinstall", "--package", "posepress-capi", "--prefix", "/usr", "--libdir", "/usr/lib"]);
    install.arg("--manifest-path").arg(project("Cargo.toml")).arg("--destdir").arg(&root);
    output(install.arg("--target-dir").arg(folder.path().join("target")));
    assert!(root.join("usr/include/posepress.h").exists());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(said(&root, &libraries, &["--modversion"]), [version]);

    // With the shared library, whose name has the version that a program needs.
    let flags = said(&root, &libraries, &["--cflags", "--libs"]);
    assert_eq!(flags.last().map(String::as_str), Some("-lposepress"));
    let (_shared, program) = built("play.c", |command| {
        command.args(&flags).arg(format!("-Wl,-rpath,{}", libraries.display()));
    });
    assert!(libraries.join(format!("libposepress.so.{version}")).exists());
    let (short, _) = version.rsplit_once('.').unwrap();
    let needed = output(Command::new("readelf").arg("-d").arg(&program));
    assert!(needed.contains(&format!("[libposepress.so.{short}]")), "{needed}");
    assert_prints(&program, played);

    // With the static library.
    let beside = said(&root, &libraries, &["--static", "--libs-only-l"]);
    let (_static, program) = built("play.c", |command| {
        command.args(said(&root, &libraries, &["--cflags"])).arg(libraries.join("libposepress.a"));
        command.args(beside.iter().filter(|library| *library != "-lposepress"));
    });
    assert_prints(&program, played);
}
