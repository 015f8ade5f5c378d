use super::{LeftTab, RightTab};
use serde::{Deserialize, Serialize};

/// Position of a panel: left or right, and its tab where there are tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelPlace {
    /// Lists.
    Left(LeftTab),
    /// Settings and numbers.
    Right(RightTab),
}

/// Declares the side panels from top to bottom: name, heading and position.
macro_rules! panels {
    ($($name:ident $title:literal in $side:ident $tab:expr;)*) => {
        /// A panel at the sides.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Panel {
            $(#[doc = $title] $name,)*
        }

        impl Panel {
            /// All panels, from top to bottom.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its heading.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }

            /// Its position.
            pub const fn place(self) -> PanelPlace {
                match self { $(Self::$name => PanelPlace::$side($tab)),* }
            }
        }
    };
}

panels! {
    Clips "Clips" in Left LeftTab::Clips;
    Joints "Joints" in Left LeftTab::Joints;
    Codec "Codec" in Right RightTab::Codec;
    Parameters "Parameters" in Right RightTab::Codec;
    Compensation "Compensation" in Right RightTab::Codec;
    Overrides "Overrides" in Right RightTab::Codec;
    NamedRecipes "Named recipes" in Right RightTab::Codec;
    Contacts "Contacts" in Right RightTab::Contacts;
    Blame "Blame" in Right RightTab::Contacts;
    Report "Report" in Right RightTab::Report;
    Seam "Seam" in Right RightTab::Report;
    Lods "Levels of detail" in Right RightTab::Report;
    BytesByJoint "Bytes by joint" in Right RightTab::Report;
    Peaks "Peaks" in Right RightTab::Report;
    Notes "Notes" in Right RightTab::Report;
}
