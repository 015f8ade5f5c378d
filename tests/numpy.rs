//! The second implementation of the measures, in Python with numpy, for tests of any package.

use crate::project::project;
use std::path::Path;
use std::process::Command;

/// The first Python that has numpy.
fn python() -> &'static str {
    let has_numpy = |python: &&str| {
        Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_numpy).expect("a Python with numpy")
}

/// Runs the script on files of a folder. It must agree with Posepress.
pub fn measures_agree(folder: &Path, clip: &str, args: &[&str]) {
    let script = project("tests/readers/measures.py");
    let output = Command::new(python()).arg(script).args(args).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{clip}\n{said}");
    assert!(output.status.success(), "{clip}:\n{said}{}", String::from_utf8_lossy(&output.stderr));
}
