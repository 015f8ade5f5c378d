//! Tests of the window and its pictures, on any Vulkan driver. Mesa's lavapipe is enough.

#[path = "../project.rs"]
mod project;
mod recorded;
mod render;
#[path = "../until.rs"]
mod until;
mod window;
#[path = "../written.rs"]
mod written;
