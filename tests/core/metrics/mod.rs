//! Metrics against hand-made motion whose errors are known.

mod blame;
mod contacts;
mod corpus;
mod drift;
mod fixture;
mod motion;
mod shell;
mod vertex;
