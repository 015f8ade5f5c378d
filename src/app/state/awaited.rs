use posepress_core::view::SharedView;

/// A view that is shown as soon as its file is open.
#[derive(Debug)]
pub struct AwaitedView {
    /// The thing to show.
    pub view: SharedView,
    /// Its file was opened for it.
    pub is_opened: bool,
}
