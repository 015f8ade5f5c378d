use posepress_core::view::SharedView;

/// A view that is shown as soon as its file is open.
#[derive(Debug)]
pub struct AwaitedView {
    /// The view.
    pub view: SharedView,
    /// True if its file was opened for this view.
    pub is_opened: bool,
}
