//! The window and its pictures, on whatever Vulkan driver there is; Mesa's lavapipe is enough.

#[path = "../project.rs"]
mod project;
mod recorded;
mod render;
#[path = "../until.rs"]
mod until;
mod window;
#[path = "../written.rs"]
mod written;
