//! The documents: every relative link and anchor has a target, the book's table of contents lists every page, paragraphs and
//! bullets are short, and the README is one or two screens long.

use crate::project::project;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

const PARAGRAPH_WORDS: usize = 60;
const BULLET_WORDS: usize = 40;
const README_LINES: usize = 80;
const CHANGELOG_LINES: usize = 60;
/// First line of a page that `scripts/book.sh` writes. Its text comes from the program.
const GENERATED: &str = "<!-- written by scripts/book.sh -->";
const BOOK: &str = "docs/book/src";

/// Documents in the root folder, and all below `docs`.
fn pages() -> BTreeMap<PathBuf, String> {
    let top = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "RELEASE.md", "SECURITY.md"];
    let mut paths: Vec<PathBuf> = top.iter().map(|name| project(name)).collect();
    collect(&project("docs"), &mut paths);
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "build") {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

fn name(path: &Path) -> String {
    path.strip_prefix(project("")).unwrap_or(path).display().to_string()
}

/// Lines outside code fences and comments, with their numbers from one.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if !fenced && !is_fence && !line.starts_with("<!--") {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// Opening fences of code blocks, with their line numbers from one.
fn fences(text: &str) -> Vec<(usize, &str)> {
    let fences = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("```"));
    fences.step_by(2).map(|(index, line)| (index + 1, line.trim())).collect()
}

/// Text between a bracket and the next parenthesis: `[name](target)`, outside inline code.
fn links(line: &str) -> Vec<String> {
    let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let after_brackets = outside.split("](").skip(1);
    after_brackets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target.to_owned())).collect()
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let slug = slug(line);
            let seen = times.entry(slug.clone()).or_default();
            *seen += 1;
            if *seen == 1 { slug } else { format!("{slug}-{}", *seen - 1) }
        })
        .collect()
}

/// Files that a page includes.
fn included(page: &Path, text: &str) -> Vec<PathBuf> {
    let names = text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next());
    names.map(|name| plain(&page.parent().unwrap().join(name))).collect()
}

/// A page followed by the pages that it includes.
fn with_included(page: &Path, text: &str) -> String {
    let texts = included(page, text).into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    std::iter::once(text.to_owned()).chain(texts).collect::<Vec<_>>().join("\n")
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

/// The fault of a link, if any.
fn dead(pages: &BTreeMap<PathBuf, String>, page: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { page.to_owned() } else { plain(&page.parent().unwrap().join(file)) };
    if !path.exists() {
        return Some("no such file");
    }
    if page.starts_with(project(BOOK)) && !path.starts_with(project(BOOK)) {
        return Some("leads out of the book: include the page instead");
    }
    let anchor = anchor?;
    let is_there = pages.get(&path).is_some_and(|text| anchors(&with_included(&path, text)).contains(anchor));
    (!is_there).then_some("no such heading")
}

/// `mdbook test` takes a block without one for Rust.
#[test]
fn every_code_block_names_its_language() {
    let tested = pages()
        .into_iter()
        .filter(|(path, _)| [BOOK, "docs/notes"].iter().any(|folder| path.starts_with(project(folder))));
    for (path, text) in tested {
        for (line, fence) in fences(&text) {
            assert!(fence.len() > 3, "{}:{line}: a code block without a language", name(&path));
        }
    }
}

#[test]
fn no_link_is_dead() {
    let pages = pages();
    let mut wrong = Vec::new();
    for (page, text) in &pages {
        for (line, text) in prose(text) {
            for target in links(text) {
                if let Some(why) = dead(&pages, page, &target) {
                    wrong.push(format!("{}:{line}: {target}: {why}", name(page)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_pages_include_is_there() {
    for (page, text) in pages() {
        for path in included(&page, &text) {
            assert!(path.is_file(), "{} includes {}, which is not there", name(&page), path.display());
        }
    }
}

/// Included pages have only absolute links, because a relative link would be resolved from the including page.
#[test]
fn included_pages_have_no_relative_links() {
    for folder in ["docs/adr", "docs/notes", "docs/compare.md"] {
        for (page, text) in pages().iter().filter(|(page, _)| page.starts_with(project(folder))) {
            for (line, text) in prose(text) {
                for target in links(text) {
                    assert!(target.contains("://"), "{}:{line}: {target}", name(page));
                }
            }
        }
    }
}

#[test]
fn the_table_of_contents_lists_every_page_once() {
    let book = project(BOOK);
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> = summary.lines().flat_map(links).map(|target| plain(&book.join(target))).collect();
    let once: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(once.len(), listed.len(), "a page is listed twice");
    for page in pages().keys().filter(|page| page.starts_with(&book) && !page.ends_with("SUMMARY.md")) {
        assert!(once.contains(page), "{} is not in SUMMARY.md", name(page));
    }
}

/// A paragraph or list item: its first line, true for an item, number of words.
struct Block {
    line: usize,
    is_item: bool,
    words: usize,
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    line.starts_with("- ") || line.starts_with("* ") || number
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut is_open, mut last) = (false, 0);
    for (number, line) in prose(text) {
        let ends = line.trim().is_empty() || line.starts_with(['#', '|', '<']) || line.trim_start().starts_with('|');
        let goes_on = is_open && number == last + 1 && !is_item(line);
        last = number;
        if ends {
            is_open = false;
            continue;
        }
        if !goes_on {
            blocks.push(Block { line: number, is_item: is_item(line), words: 0 });
        }
        is_open = true;
        let without_targets: String = line
            .split("](")
            .enumerate()
            .map(|(i, part)| if i == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) })
            .collect();
        blocks.last_mut().unwrap().words += without_targets.split_whitespace().filter(|word| *word != "-").count();
    }
    blocks
}

#[test]
fn paragraphs_and_bullets_are_short() {
    let mut long = Vec::new();
    for (page, text) in pages() {
        if page.starts_with(project("docs/measured")) || text.starts_with(GENERATED) {
            continue;
        }
        for block in blocks(&text) {
            let (kind, limit) = if block.is_item { ("bullet", BULLET_WORDS) } else { ("paragraph", PARAGRAPH_WORDS) };
            if block.words > limit {
                long.push(format!("{}:{}: a {kind} of {} words (limit {limit})", name(&page), block.line, block.words));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_readme_and_the_changelog_are_short() {
    for (file, limit) in [("README.md", README_LINES), ("CHANGELOG.md", CHANGELOG_LINES)] {
        let lines = std::fs::read_to_string(project(file)).unwrap().lines().count();
        assert!(lines <= limit, "{file} has {lines} lines, limit {limit}");
    }
}

/// The README's table quotes docs/measured/equal-error.md and docs/measured/equal-mean.md, with the worst set first.
#[test]
fn the_readme_quotes_the_measured_ratios() {
    let readme = std::fs::read_to_string(project("README.md")).unwrap();
    let table = readme.split("| same largest error | same mean errors |").nth(1).expect("the table");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert_eq!(rows.len(), 3);
    for (column, page) in [(1, "equal-error.md"), (2, "equal-mean.md")] {
        let measured = std::fs::read_to_string(project(&format!("docs/measured/{page}"))).unwrap();
        let mut before = f32::INFINITY;
        for (row, set) in rows.iter().zip(["bandai", "kaykit", "fox"]) {
            let clips: usize = row[0].split([' ', ',']).find_map(|word| word.parse().ok()).unwrap();
            let title = format!("## {set}, {clips} clips, 0.1 mm asked of ACL");
            let section = measured.split(&title).nth(1).unwrap_or_else(|| panic!("no section '{title}' in {page}"));
            let of_press = section.lines().find(|line| line.starts_with("| `press` |")).unwrap();
            let ratio = of_press.split('(').nth(1).unwrap().split(')').next().unwrap();
            assert_eq!(row[column], ratio, "{} in {page}", row[0]);
            let ratio = ratio.parse().unwrap();
            assert!(ratio <= before, "the worst set comes first");
            before = ratio;
        }
    }
}

#[test]
fn headings_have_the_anchors_of_github() {
    assert_eq!(slug("## What a pose costs"), "what-a-pose-costs");
    assert_eq!(slug("### `--tolerance-mm`, tolerance_m"), "--tolerance-mm-tolerance_m");
}

#[test]
fn words_are_counted_by_paragraph_and_item() {
    let text = "one two\nthree\n\n- four\n  five [six](a b c)\n- seven\n\n```\nnot these\n```\n| nor | these |\n";
    let found: Vec<_> = blocks(text).iter().map(|block| (block.line, block.is_item, block.words)).collect();
    assert_eq!(found, [(1, false, 3), (4, true, 3), (6, true, 1)]);
}
