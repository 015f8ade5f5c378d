//! Commands of the documents run on the bundled sample, in the order of the pages.

use crate::blind::projects;
use crate::project::{project, sample};
use crate::support::Bench;
use std::path::{Path, PathBuf};

/// A command, or a file that the commands after it read: a recipe or a platform.
enum Shown {
    Command(String),
    File(String),
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// Lines of `sh` fences that call the program, `toml` fences, and commands alone in the last cell of a row.
fn shown(text: &str) -> Vec<Shown> {
    let (mut fence, mut recipe, mut all) = (None, String::new(), Vec::new());
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            if fence.take() == Some("toml") {
                all.push(Shown::File(std::mem::take(&mut recipe)));
            } else if !language.is_empty() {
                fence = Some(language);
            }
            continue;
        }
        match fence {
            Some("toml") => recipe += &format!("{line}\n"),
            Some("sh") if line.starts_with("posepress ") => all.push(Shown::Command(line.to_owned())),
            Some(_) => {}
            None => {
                let cell = line.rsplit(" | ").next().unwrap_or_default().trim_end_matches(" |");
                if let Some(command) = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'))
                    && line.starts_with('|')
                    && command.starts_with("posepress ")
                    && command.contains(' ')
                {
                    all.push(Shown::Command(command.to_owned()));
                }
            }
        }
    }
    all
}

/// The words after the program's name, without a comment and without shell syntax.
fn arguments(command: &str) -> Option<String> {
    let line = command.strip_prefix("posepress ")?;
    let line = line.split("  #").next()?.split(" > ").next()?.replace("assets/*.glb", "sample.glb");
    let is_placeholder = |word: &str| word.split('.').any(|part| matches!(part, "NAME" | "ID" | "FILE" | "COMMAND"));
    let needs_a_window = !cfg!(feature = "gui") && line.starts_with("render");
    (!needs_a_window && !line.split_whitespace().any(is_placeholder)).then(|| line.trim().to_owned())
}

#[test]
fn every_command_that_the_documents_show_runs() {
    let mut pages = vec![project("README.md"), project("docs/compare.md")];
    collect(&project("docs/book/src/tutorial"), &mut pages);
    collect(&project("docs/book/src/how-to"), &mut pages);
    collect(&project("docs/book/src/reference"), &mut pages);
    let mut count = 0;
    for page in pages {
        let bench = Bench::with_sources();
        if page.ends_with("blind-test.md") {
            // The projects of Ann and Ben.
            projects(&bench);
        }
        bench.write("sample.glb", &std::fs::read(sample()).unwrap());
        std::fs::create_dir(bench.path("build")).unwrap();
        for shown in shown(&std::fs::read_to_string(&page).unwrap()) {
            match shown {
                Shown::File(text) => {
                    let name = if text.contains("[[levels]]") { "phone.toml" } else { "recipe.toml" };
                    bench.write(name, text.as_bytes());
                }
                Shown::Command(command) => {
                    let Some(line) = arguments(&command) else { continue };
                    let run = bench.run(&line);
                    assert!(matches!(run.status, 0 | 3), "{}: {command}: {}", page.display(), run.messages);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 25, "{count} commands");
}
