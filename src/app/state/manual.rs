use super::{MainTab, Panel, View};
use crate::manual::FIRST_PAGE;
use posepress_core::workspace::Workspace;
use serde::{Deserialize, Serialize};

/// The open manual.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Manual {
    /// Path of the page in the book.
    pub path: String,
    /// Pages before it, latest last.
    pub back: Vec<String>,
    /// Words that the listed pages must contain.
    pub query: String,
}

impl Manual {
    /// The manual at a page.
    pub fn at(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Turns to another page.
    pub fn turned(&self, path: impl Into<String>) -> Self {
        let mut back = self.back.clone();
        back.push(self.path.clone());
        Self { path: path.into(), back, query: self.query.clone() }
    }

    /// Turns back; `None` at the first page.
    pub fn turned_back(&self) -> Option<Self> {
        let mut back = self.back.clone();
        Some(Self { path: back.pop()?, back, query: self.query.clone() })
    }
}

impl Panel {
    /// The page of the manual about it.
    pub const fn manual_page(self) -> &'static str {
        match self {
            Self::Clips => "reference/window.md",
            Self::Joints | Self::Peaks => "explanation/error-and-shells.md",
            Self::Codec | Self::NamedRecipes => "how-to/pick-a-codec.md",
            Self::Parameters => "reference/codecs.md",
            Self::Compensation => "explanation/compensation.md",
            Self::Overrides => "how-to/protect-a-joint.md",
            Self::Contacts => "explanation/contacts.md",
            Self::Blame => "how-to/stop-a-foot.md",
            Self::Report | Self::Seam => "reference/measures.md",
            Self::Lods => "how-to/levels-of-detail.md",
            Self::BytesByJoint => "reference/sizes.md",
            Self::Notes => "how-to/review.md",
        }
    }
}

/// The page of the manual about the open sheet, or about the main tab.
pub fn manual_page(workspace: &Workspace, view: &View) -> &'static str {
    let View { sheets, imports, settings, .. } = view;
    if imports.rig.is_some() {
        "how-to/one-rig.md"
    } else if imports.is_table_open {
        "how-to/fix-an-import.md"
    } else if sheets.keys {
        "reference/keys.md"
    } else if workspace.selected().is_none() {
        FIRST_PAGE
    } else {
        main_tab_page(settings.main_tab)
    }
}

/// The page of the manual about a main tab.
pub const fn main_tab_page(main_tab: MainTab) -> &'static str {
    match main_tab {
        MainTab::Clip => "reference/window.md",
        MainTab::Review => "how-to/review.md",
        MainTab::Budget => "how-to/fit-a-budget.md",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::text;

    #[test]
    fn every_panel_and_tab_has_a_page() {
        let pages = Panel::ALL.iter().map(|panel| panel.manual_page());
        for page in pages.chain(MainTab::ALL.map(main_tab_page)) {
            assert!(text(page).is_some(), "{page}");
        }
    }

    #[test]
    fn pages_are_turned_and_turned_back() {
        let manual = Manual { query: "foot".into(), ..Manual::at("a.md") };
        let turned = manual.turned("b.md").turned("c.md");
        assert_eq!((turned.path.as_str(), turned.back.len()), ("c.md", 2));
        assert_eq!(turned.turned_back().and_then(|back| back.turned_back()), Some(manual.clone()));
        assert_eq!(manual.turned_back(), None);
    }
}
