use super::PanelCx;
use crate::state::clip_listing;
use egui::{Id, ScrollArea, Ui};
use posepress_core::text;
use posepress_core::workspace::{ClipListing, Workspace};
use std::sync::Arc;

/// The rows of a list of clips.
pub struct Listed<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// Per row, number of letters at the start that the name shares with another one. They may be cut if there is no
    /// room.
    pub shared: Vec<usize>,
    /// Start that all names share, up to the end of a word. It is written once, in the head.
    pub prefix: String,
}

impl<R> Listed<R> {
    /// A name without what all share, and the number of its letters that another name shares.
    pub fn short<'a>(&self, index: usize, name: &'a str) -> (&'a str, usize) {
        let own = name.strip_prefix(&self.prefix).unwrap_or(name);
        (own, self.shared[index].saturating_sub(name.chars().count() - own.chars().count()))
    }
}

/// A list, and the state that it was made from.
type CachedList<R> = ((u64, usize, ClipListing), Arc<Listed<R>>);

/// The list of matching clips, rebuilt only after a change.
pub fn listed<R: Send + Sync + 'static>(
    ui: &Ui,
    cx: &PanelCx<'_>,
    list: &str,
    make: fn(&Workspace, usize, &ClipListing) -> Vec<R>,
    name: fn(&R) -> &str,
) -> Arc<Listed<R>> {
    let made_from = (cx.workspace.revision(), cx.workspace.active_slot(), clip_listing(cx.view));
    let id = Id::unique(("clips of", list));
    if let Some((known, rows)) = ui.data(|d| d.get_temp::<CachedList<R>>(id))
        && known == made_from
    {
        return rows;
    }
    let rows = make(cx.workspace, made_from.1, &made_from.2);
    let names: Vec<&str> = rows.iter().map(name).collect();
    let (shared, prefix) = (text::shared_leads(&names), text::shared_words(&names).to_owned());
    let listed = Arc::new(Listed { rows, shared, prefix });
    ui.data_mut(|d| d.insert_temp(id, (made_from, listed.clone())));
    listed
}

/// A scroll area that goes to its top when the order of its rows changes.
pub fn to_top(ui: &Ui, list: &str, order: &impl std::fmt::Debug, area: ScrollArea) -> ScrollArea {
    let id = Id::unique(("order of", list));
    let now = id.with(format!("{order:?}")).value();
    let before: u64 = ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_insert_with(id, || now), now));
    if before == now { area } else { area.vertical_scroll_offset(0.0) }
}
