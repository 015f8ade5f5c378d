use super::PanelCx;
use crate::state::clip_listing;
use egui::{Id, Ui};
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
    let shared = text::shared_leads(&rows.iter().map(name).collect::<Vec<_>>());
    let listed = Arc::new(Listed { rows, shared });
    ui.data_mut(|d| d.insert_temp(id, (made_from, listed.clone())));
    listed
}
