//! Tours of the window: commands that run by themselves on the bundled character, with a sentence each.

use crate::commands::{
    BudgetCommand, Command, DrawCommand, FindCommand, PlayCommand, RecipeCommand, ReviewCommand, WindowCommand,
};
use crate::state::{Budgeting, MainTab};
use posepress_core::project::DecisionKind;
use posepress_core::study::StudyLimits;
use posepress_core::view::ViewMode;

/// Length of a tour, seconds.
pub const TOUR_SECS: f32 = 20.0;

/// A tour.
pub struct Tour {
    /// Its name.
    pub name: &'static str,
    /// Its contents in a sentence.
    pub help: &'static str,
    /// Its steps, the earliest first.
    pub steps: &'static [TourStep],
}

/// A step of a tour.
pub struct TourStep {
    /// Time after the start, seconds.
    pub at_secs: f32,
    /// The sentence.
    pub words: &'static str,
    commands: fn() -> Vec<Command>,
}

impl TourStep {
    const fn new(at_secs: f32, words: &'static str, commands: fn() -> Vec<Command>) -> Self {
        Self { at_secs, words, commands }
    }

    /// The commands that run when it begins.
    pub fn commands(&self) -> Vec<Command> {
        (self.commands)()
    }
}

/// Every tour.
pub const TOURS: &[Tour] = &[
    Tour {
        name: "A sliding foot",
        help: "Finds a sliding foot in a compressed walk, and a recipe that holds it.",
        steps: &[
            TourStep::new(
                0.0,
                "Left is the walk from its file, right the walk that a game plays after compression.",
                || {
                    vec![
                        WindowCommand::ShowMainTab(MainTab::Clip).into(),
                        RecipeCommand::ActivateSlot(0).into(),
                        PlayCommand::TogglePlay.into(),
                    ]
                },
            ),
            TourStep::new(
                5.0,
                "A foot in contact must stand still. This one slides: it is red, here and in its lane below.",
                || vec![PlayCommand::Pause.into(), FindCommand::GoWorstContact.into()],
            ),
            TourStep::new(10.0, "Recipe B holds the foot. Its size and its verdict stand in the bar above.", || {
                vec![RecipeCommand::ActivateSlot(1).into()]
            }),
            TourStep::new(
                15.0,
                "Both sides in one picture: drag the line. P jumps to the worst contact of any clip, W to the worst error.",
                || vec![DrawCommand::SetMode(ViewMode::Wipe).into(), PlayCommand::TogglePlay.into()],
            ),
        ],
    },
    Tour {
        name: "A budget",
        help: "Compares recipes on all clips, and fits the clips into a size.",
        steps: &[
            TourStep::new(
                0.0,
                "Budget measures recipes on all clips. Each point is one: its size, and its error.",
                || {
                    vec![
                        RecipeCommand::ActivateSlot(1).into(),
                        WindowCommand::ShowMainTab(MainTab::Budget).into(),
                        BudgetCommand::Study.into(),
                    ]
                },
            ),
            TourStep::new(
                6.0,
                "A limit on the size: points on its left fit. With a limit on the error, too, the best point is named.",
                || vec![BudgetCommand::SetBudget(budget()).into()],
            ),
            TourStep::new(
                11.0,
                "Fit all: each clip gets a tolerance of its own, so that the largest error is as small as it can be.",
                || vec![BudgetCommand::FitBudget.into()],
            ),
            TourStep::new(
                16.0,
                "The clip's own tolerance stands at its slider. The arrow beside it restores that of the recipe.",
                || vec![WindowCommand::ShowMainTab(MainTab::Clip).into()],
            ),
        ],
    },
    Tour {
        name: "Review by keyboard",
        help: "Approves and rejects clips, the worst first.",
        steps: &[
            TourStep::new(
                0.0,
                "Review shows each clip at its worst moment: original, compressed, and the error as colours.",
                || {
                    vec![
                        RecipeCommand::ActivateSlot(1).into(),
                        ReviewCommand::SetAuthor("Tour".into()).into(),
                        WindowCommand::ShowMainTab(MainTab::Review).into(),
                    ]
                },
            ),
            TourStep::new(6.0, "Enter approves a clip, and the next one comes.", || {
                vec![ReviewCommand::Judge(DecisionKind::Approved).into()]
            }),
            TourStep::new(9.0, "Enter again.", || vec![ReviewCommand::Judge(DecisionKind::Approved).into()]),
            TourStep::new(12.0, "X rejects a clip, and asks for the reason.", || {
                vec![
                    ReviewCommand::SetReason(Some("The left hand shakes.".into())).into(),
                    ReviewCommand::Reject.into(),
                ]
            }),
            TourStep::new(
                16.0,
                "Export approved writes exactly what was approved. A later change of the recipe shows as changed.",
                Vec::new,
            ),
        ],
    },
];

/// A budget that is smaller than the clips are with recipe B.
fn budget() -> Budgeting {
    Budgeting { limits: StudyLimits::default().with_bytes(Some(32 << 10)), ..Budgeting::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_one_after_the_other_and_each_leaves_time_to_read_it() {
        for tour in TOURS {
            assert_eq!(tour.steps[0].at_secs, 0.0, "{}", tour.name);
            let ends = tour.steps.iter().skip(1).map(|step| step.at_secs).chain([TOUR_SECS]);
            for (step, end_secs) in tour.steps.iter().zip(ends) {
                let words = step.words.split(' ').count() as f32;
                assert!(end_secs - step.at_secs >= 0.5 + words / 5.0, "{}: {}", tour.name, step.words);
            }
        }
    }
}
