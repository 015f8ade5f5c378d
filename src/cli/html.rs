use super::player::{self, Player};
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::metrics::Verdict;
use posepress_core::text;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

const TABLE_END: &str = "</tbody></table>\n";

/// A self-contained page with a sortable table and content below it.
pub struct Page {
    title: String,
    intro: String,
    rows: Rows,
}

/// A page with a player.
pub struct PlayingPage {
    /// The page.
    pub html: String,
    /// Words about the bytes over its limit, which the page has too. `None` within the limit.
    pub over: Option<String>,
}

/// A sortable table, as markup.
pub struct Rows {
    out: String,
}

/// A cell of a table.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Tooltip; empty for none.
    pub detail: String,
    /// Sort key; empty to sort by the text.
    pub order: String,
    /// True for numbers, which are right-aligned.
    pub is_number: bool,
    /// The verdict, which sets the colour.
    pub verdict: Verdict,
}

impl Page {
    /// A page with the heads of its table. The flag of a head is true for a column of numbers.
    pub fn new(title: &str, intro: &str, heads: impl Iterator<Item = (String, bool)>) -> Self {
        Self { title: escape(title), intro: escape(intro), rows: Rows::new(heads) }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.row(cells);
    }

    /// Returns the page with `after`, markup, below the table.
    pub fn finish(self, after: &str) -> String {
        self.assemble(None, after, "")
    }

    /// Returns the page with a player above the table and `after`, markup, below it. If it is larger than `most_bytes`, it says so.
    pub fn finish_playing(self, player: Option<&Player>, after: &str, most_bytes: usize) -> PlayingPage {
        let html = self.assemble(player, after, "");
        if html.len() <= most_bytes {
            return PlayingPage { html, over: None };
        }
        let words = |bytes: usize| {
            let over = text::bytes(bytes as u64);
            format!("The page is {over} over the limit of --html-max-mb: tables, plots and figures are never left out.")
        };
        let bytes = html.len() - most_bytes;
        let over = words(bytes + paragraph(&words(bytes)).len());
        PlayingPage { html: self.assemble(player, after, &over), over: Some(over) }
    }

    /// The policy lets the browser run the page's own script and load nothing, so nothing leaves the machine.
    fn assemble(&self, player: Option<&Player>, after: &str, over: &str) -> String {
        let Self { title, intro, rows } = self;
        let (style, script) = match player {
            Some(_) => (format!("{STYLE}{}", player::STYLE), format!("\n{}{SCRIPT}", player::SCRIPT)),
            None => (STYLE.to_owned(), format!("\n{SCRIPT}")),
        };
        // For compiling the module; it allows no eval.
        let wasm = if player.is_some_and(|player| player.decodes) { " 'wasm-unsafe-eval'" } else { "" };
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'{wasm}; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
            sha256(&script),
            sha256(&style)
        );
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{style}</style></head><body>\n<main>\n<h1>{title}</h1>\n"
        );
        page.push_str(player.map_or("", |_| player::MARKUP));
        let left_out = player.map_or(String::new(), |player| escape(&player.left_out));
        for words in [over, &left_out, intro].iter().filter(|words| !words.is_empty()) {
            page.push_str(&paragraph(words));
        }
        page.push_str(&rows.out);
        page.push_str(TABLE_END);
        page.push_str(after);
        page.push_str("</main>\n");
        page.push_str(player.map_or("", |player| &player.markup));
        page + &format!("<script>{script}</script>\n</body></html>\n")
    }

    /// Bytes of the page with a player without data.
    pub fn len(&self) -> usize {
        self.assemble(Some(&Player { decodes: true, ..Player::default() }), "", "").len()
    }
}

impl Rows {
    /// A table with these heads. The flag of a head is true for a column of numbers.
    pub fn new(heads: impl Iterator<Item = (String, bool)>) -> Self {
        let mut out = String::from("<table>\n<thead><tr>");
        for (head, is_number) in heads {
            let class = if is_number { "" } else { " class=\"t\"" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(&text::capital(&head)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        Self { out }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.out.push_str("<tr>");
        for Cell { text, detail, order, is_number, verdict } in cells {
            let class = match (verdict, is_number) {
                (Verdict::Good, true) => String::new(),
                (Verdict::Good, false) => " class=\"t\"".into(),
                (verdict, _) => format!(" class=\"t {}\"", verdict.key()),
            };
            let order = if order.is_empty() { order } else { format!(" data-v=\"{}\"", escape(&order)) };
            let title = if detail.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&detail)) };
            let _ = write!(self.out, "<td{class}{title}{order}>{}</td>", escape(&text));
        }
        self.out.push_str("</tr>\n");
    }

    /// Returns the markup.
    pub fn finish(self) -> String {
        self.out + TABLE_END
    }
}

fn paragraph(words: &str) -> String {
    format!("<p>{words}</p>\n")
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The SHA-256 digest of a script or a style in base64. Browsers use one only if the page's policy names its digest.
fn sha256(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_become_markup() {
        assert_eq!(escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
