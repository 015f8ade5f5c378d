//! The parts of a workspace's state. Each is plain data without access to the workspace.

mod common_fix;
mod common_fixes;
mod external;
mod own_recipes;
mod pairing;
mod recipe_table;
mod review;
mod study;

pub use common_fix::{CommonFix, CommonFixRow, FixPrice};
pub use common_fixes::{CommonFixes, FixPart, PricedFix};
pub use external::{External, Read};
pub use own_recipes::OwnRecipes;
pub use pairing::{Pairing, Reference};
pub use recipe_table::{Column, RecipeTable};
pub use review::Review;
pub use study::{Fit, Study, StudyScope};
