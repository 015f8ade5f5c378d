use super::{Budgeting, Settings};
use posepress_core::model::ClipId;
use posepress_core::project::Document;

/// A tour that plays.
#[derive(Debug, Clone)]
pub struct Touring {
    /// Its place in the list of tours.
    pub tour: usize,
    /// Number of steps that have begun.
    pub begun: usize,
    /// Time since its start without the time for results, seconds.
    pub time_secs: f32,
    /// The settings before it.
    pub settings: Box<Settings>,
    /// The recipes and decisions before it.
    pub document: Box<Document>,
    /// Steps of the history before it.
    pub moves: u64,
    /// The settings of the Budget tab before it.
    pub budget: Box<Budgeting>,
    /// The selected clip before it.
    pub clip: Option<ClipId>,
    /// The active slot before it.
    pub slot: usize,
}
