//! The manual: the pages of the book as they were when the program was built, without pictures.

use std::borrow::Cow;

/// Reads a page of the book at build time.
macro_rules! page {
    ($path:literal) => {
        ($path, include_str!(concat!("../../docs/book/src/", $path)))
    };
}

/// The contents of the book, in Markdown.
const SUMMARY: &str = include_str!("../../docs/book/src/SUMMARY.md");

/// Paths in the book with their text. Tables of measurements, the comparison with other tools and notes of the
/// laboratory are only in the book.
const PAGES: &[(&str, &str)] = &[
    page!("introduction.md"),
    page!("tutorial/first-clip.md"),
    page!("tutorial/first-build-machine.md"),
    page!("tutorial/first-engine.md"),
    page!("how-to/install.md"),
    page!("how-to/pick-a-codec.md"),
    page!("how-to/stop-a-foot.md"),
    page!("how-to/fit-a-budget.md"),
    page!("how-to/batch.md"),
    page!("how-to/many-machines.md"),
    page!("how-to/protect-a-joint.md"),
    page!("how-to/review.md"),
    page!("how-to/report-page.md"),
    page!("how-to/blind-test.md"),
    page!("how-to/additive.md"),
    page!("how-to/tiers.md"),
    page!("how-to/levels-of-detail.md"),
    page!("how-to/external-file.md"),
    page!("how-to/fix-an-import.md"),
    page!("how-to/one-rig.md"),
    page!("how-to/export.md"),
    page!("how-to/browser.md"),
    page!("how-to/web.md"),
    page!("how-to/show-a-frame.md"),
    page!("how-to/python.md"),
    page!("how-to/blender.md"),
    page!("how-to/assistant.md"),
    page!("how-to/record-and-replay.md"),
    page!("reference/command-line.md"),
    page!("reference/commands.md"),
    page!("reference/settings.md"),
    page!("reference/report.md"),
    page!("reference/errors.md"),
    page!("reference/window.md"),
    page!("reference/keys.md"),
    page!("reference/codecs.md"),
    page!("reference/engine-presets.md"),
    page!("reference/measures.md"),
    page!("reference/import.md"),
    page!("reference/export.md"),
    page!("reference/runtime.md"),
    page!("reference/formats.md"),
    page!("reference/format-container.md"),
    page!("reference/format-clip.md"),
    page!("reference/format-keys.md"),
    page!("reference/format-variable-rate.md"),
    page!("reference/format-press.md"),
    page!("reference/format-wavelet.md"),
    page!("reference/format-tiers.md"),
    page!("reference/format-projects.md"),
    page!("reference/format-store.md"),
    page!("reference/sizes.md"),
    page!("explanation/error-and-shells.md"),
    page!("explanation/contacts.md"),
    page!("explanation/pins.md"),
    page!("explanation/bytes-are-the-truth.md"),
    page!("explanation/press.md"),
    page!("explanation/compensation.md"),
    page!("explanation/articles.md"),
    page!("explanation/speed.md"),
    page!("explanation/decisions.md"),
    page!("glossary.md"),
    (CHANGES, include_str!("../../CHANGELOG.md")),
];

/// The changelog, as the last page of the table of contents.
pub const CHANGES: &str = "CHANGELOG.md";

/// The first page.
pub const FIRST_PAGE: &str = "tutorial/first-clip.md";

/// A line of the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The title of a part.
    Part(&'static str),
    /// A page.
    Page(Page),
}

/// A page in the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its title.
    pub title: &'static str,
    /// Its path in the book.
    pub path: &'static str,
    /// True if it stands below another page.
    pub is_below: bool,
}

/// The table of contents, without pages that the manual does not have.
pub fn contents() -> impl Iterator<Item = Entry> {
    let mut is_first = true;
    let of_book = SUMMARY.lines().filter_map(move |line| {
        if let Some(part) = line.strip_prefix("# ") {
            return (!std::mem::take(&mut is_first)).then_some(Entry::Part(part)); // the first is the title of the list
        }
        let (title, path) = line.trim_start_matches([' ', '-', '[']).strip_suffix(')')?.split_once("](")?;
        text(path).is_some().then_some(Entry::Page(Page { title, path, is_below: line.starts_with("  ") }))
    });
    of_book.chain([Entry::Page(Page { title: "What changed", path: CHANGES, is_below: false })])
}

/// The pages that contain all of these words: first those with a word in the title, then those in which the words are most frequent.
pub fn search(words: &str) -> Vec<Page> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let rank = |page: Page| {
        let (title, text) = (page.title.to_lowercase(), text(page.path)?.to_lowercase());
        let counts: Vec<usize> =
            words.iter().map(|word| title.matches(&**word).count() + text.matches(&**word).count()).collect();
        let in_title = words.iter().any(|word| title.contains(&**word));
        // Thousandths of the letters, so that long tables do not come first.
        let share = 1000 * counts.iter().sum::<usize>() / (text.len() / 100 + 10);
        counts.iter().all(|count| *count > 0).then_some(((!in_title, std::cmp::Reverse(share)), page))
    };
    let pages = contents().filter_map(|entry| match entry {
        Entry::Page(page) => rank(page),
        Entry::Part(_) => None,
    });
    let mut found: Vec<_> = pages.collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, page)| page).collect()
}

/// The text of a page; `None` if the manual does not have it.
pub fn text(path: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// A page as it is shown: without pictures and without files that the book includes.
pub fn shown(path: &str) -> String {
    let is_picture = |line: &&str| line.starts_with("![") || line.starts_with("{{#");
    let lines: Vec<&str> = text(path).unwrap_or_default().lines().filter(|line| !is_picture(line)).collect();
    lines.join("\n")
}

/// Destinations of the links of a page to others, as written.
pub fn links(page: &'static str) -> impl Iterator<Item = &'static str> {
    let ends = page.match_indices("](").map(|(at, _)| &page[at + 2..]);
    ends.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).filter(|link| link.contains(".md"))
}

/// The path of the page to which a link of another page leads, without the place in the page.
pub fn target(from: &str, link: &str) -> String {
    let link = link.split('#').next().unwrap_or_default();
    let mut parts: Vec<Cow<'_, str>> = from.split('/').map(Cow::from).collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part.into()),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_manual_has_every_page_of_the_book_but_measurements_and_notes() {
        let is_left_out = |path: &str| {
            path.starts_with("reference/measured-")
                || ["explanation/notes.md", "explanation/compare.md"].contains(&path)
        };
        let listed: Vec<&str> =
            SUMMARY.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(path, _)| path).collect();
        let wanted: Vec<&str> = listed.into_iter().filter(|path| !is_left_out(path)).collect();
        let known: Vec<&str> = PAGES.iter().map(|(path, _)| *path).filter(|path| *path != CHANGES).collect();
        assert_eq!(known, wanted);
        let pages = contents().filter(|entry| matches!(entry, Entry::Page(_))).count();
        assert_eq!(pages, wanted.len() + 1, "and the changelog");
        assert_eq!(contents().filter(|entry| matches!(entry, Entry::Part(_))).count(), 4);
        assert!(text(FIRST_PAGE).is_some());
    }

    #[test]
    fn a_search_finds_all_words_and_titles_come_first() {
        assert_eq!(search("budget")[0].path, "how-to/fit-a-budget.md");
        assert_eq!(search("Blind")[0].path, "how-to/blind-test.md");
        assert_eq!(search("jitter")[0].path, "reference/measures.md");
        assert!(search("jitter seam").iter().all(|page| text(page.path).unwrap().contains("eam")));
        assert!(search("xyzzy").is_empty() && !search("").is_empty());
    }

    #[test]
    fn links_lead_to_pages_of_the_book() {
        let book = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src"));
        let mut found = 0;
        for (path, page) in PAGES {
            for link in links(page).filter(|link| !link.starts_with("http")) {
                let target = target(path, link);
                assert!(book.join(&target).is_file(), "{path}: {link} is {target}");
                found += usize::from(text(&target).is_some());
            }
        }
        assert!(found > 60, "{found} links");
    }

    #[test]
    fn no_page_shows_the_marks_of_pictures_and_included_files() {
        for (path, _) in PAGES {
            let shown = shown(path);
            assert!(!shown.contains("![") && !shown.contains("{{#") && shown.lines().count() > 4, "{path}");
        }
    }
}
