//! Contents of packages besides the program: manual pages, completions, and the files that tell a desktop about it.

use crate::support::Bench;
use quick_xml::{Reader, events::Event};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder with what `posepress generate` writes into `out`.
fn generated(what: &str) -> Bench {
    let bench = Bench::new();
    bench.ok(&format!("generate {what} --output out"));
    bench
}

#[test]
fn every_command_has_a_manual_page() {
    let bench = generated("man");
    let help = bench.ok("--help");
    let commands = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"batch"), "{commands:?}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = String::from_utf8(bench.read(&format!("out/posepress-{command}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{command}: {page}");
    }
    assert!(bench.path("out/posepress.1").is_file());
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_and_options() {
    let bench = generated("completions");
    let completed = |words: &str| {
        let script = format!(
            "source {}; COMP_WORDS=(posepress {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _posepress posepress \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\"",
            bench.path("out/posepress.bash").display()
        );
        let out = Command::new("bash").args(["-c", &script]).output().unwrap();
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("bat"), "batch");
    assert_eq!(completed("report --toler"), "--tolerance-mm");
}

#[test]
fn the_version_as_json_names_the_build() {
    let bench = Bench::new();
    let version = bench.json("--version --json");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["system"], std::env::consts::OS);
    assert_eq!(version["features"].as_array().unwrap().contains(&"gui".into()), cfg!(feature = "gui"));
    assert_eq!(bench.ok("-V"), format!("posepress {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(bench.run("--json").status, 2);
}

/// Values of an attribute, in the order of the document.
fn attributes(xml: &str, name: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return found,
            Event::Start(tag) | Event::Empty(tag) => {
                let of_tag = tag.attributes().map(Result::unwrap);
                found.extend(
                    of_tag
                        .filter(|a| a.key.as_ref() == name.as_bytes())
                        .map(|a| String::from_utf8(a.value.into_owned()).unwrap()),
                );
            }
            _ => {}
        }
    }
}

#[test]
fn the_mime_type_has_the_first_bytes_of_containers() {
    let of_bytes = |bytes: &[u8]| bytes.iter().map(|b| b.escape_ascii().to_string()).collect::<String>();
    let expected = [posepress_core::format::CONTAINER_MAGIC, posepress_core::format::TIER_MAGIC];
    assert_eq!(attributes(&text("packaging/posepress.mime.xml"), "value"), expected.map(|magic| of_bytes(&magic)));
}

#[test]
fn what_the_packages_name_exists() {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    let metadata = &manifest["package"]["metadata"];
    let deb = metadata["deb"]["assets"].as_array().unwrap().iter().map(|asset| &asset[0]);
    let rpm = metadata["generate-rpm"]["assets"].as_array().unwrap().iter().map(|asset| &asset["source"]);
    let named: Vec<&str> = deb.chain(rpm).map(|source| source.as_str().unwrap()).collect();
    assert!(named.len() > 20, "{named:?}");
    for source in named.into_iter().filter(|source| !source.starts_with("target/")) {
        assert!(root().join(source).is_file(), "{source}");
    }
    assert!(!attributes(&text("packaging/posepress.exe.manifest"), "manifestVersion").is_empty());
}

#[test]
fn the_bundle_for_macos_names_the_program_and_its_icon() {
    let list = text("packaging/Info.plist");
    let value = |key: &str| {
        let after = list.split(&format!("<key>{key}</key><string>")).nth(1).unwrap_or_else(|| panic!("{key}: {list}"));
        after.split('<').next().unwrap().to_owned()
    };
    assert_eq!(attributes(&list, "version"), ["1.0"]);
    let script = text("scripts/package.sh");
    for made in
        [format!("MacOS/{}\"", value("CFBundleExecutable")), format!("Resources/{}.icns\"", value("CFBundleIconFile"))]
    {
        assert!(script.contains(&made), "{made}");
    }
    assert_eq!(value("CFBundleShortVersionString"), "@VERSION@");
    let desktop = text("packaging/io.github.posepress.Posepress.metainfo.xml");
    assert!(desktop.contains(&format!("<id>{}</id>", value("CFBundleIdentifier"))), "{desktop}");
}

/// A program of others accepts a file.
fn accepted_by(program: &str, arguments: &[&str]) {
    let out = Command::new(program).args(arguments).current_dir(root()).output();
    let out = out.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(
        out.status.success(),
        "{program} {arguments:?}: {}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
}

#[test]
#[ignore = "needs desktop-file-utils, appstream and shared-mime-info: scripts/test.sh --readers"]
fn readers_of_desktops_accept_the_files() {
    accepted_by("desktop-file-validate", &["packaging/posepress.desktop"]);
    accepted_by("appstreamcli", &["validate", "--no-net", "packaging/io.github.posepress.Posepress.metainfo.xml"]);
    let folder = tempfile::tempdir().unwrap();
    let packages = folder.path().join("packages");
    std::fs::create_dir(&packages).unwrap();
    std::fs::copy(root().join("packaging/posepress.mime.xml"), packages.join("posepress.xml")).unwrap();
    accepted_by("update-mime-database", &[folder.path().to_str().unwrap()]);
    let magic = std::fs::read(folder.path().join("magic")).unwrap();
    let wanted = posepress_core::format::CONTAINER_MAGIC;
    assert!(
        magic.windows(wanted.len()).any(|bytes| bytes == wanted),
        "the database lacks the first bytes of containers"
    );
}
