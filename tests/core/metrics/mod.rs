//! Metrics on hand-made motion with known errors.

mod blame;
mod contacts;
mod corpus;
mod drift;
mod fixture;
mod held_feet;
mod motion;
mod pins;
mod readers;
mod root;
mod shell;
mod true_contacts;
mod true_gaits;
mod true_motion;
mod true_pins;
mod vertex;
