/// A value with undo. Changes of one interaction, such as a drag, are previewed and become one undo point when the interaction ends.
///
/// ```
/// use posepress_core::project::History;
///
/// let mut tolerance_mm = History::new(0.1);
/// for dragged in [0.2, 0.3, 0.4] {
///     tolerance_mm.preview("Tolerance", |value| *value = dragged);
/// }
/// tolerance_mm.commit();
/// assert_eq!((*tolerance_mm.present(), tolerance_mm.undo_label()), (0.4, Some("Tolerance")));
/// tolerance_mm.undo();
/// assert_eq!(*tolerance_mm.present(), 0.1);
/// ```
#[derive(Debug, Clone)]
pub struct History<T> {
    present: T,
    rest: T,
    /// Label of the interaction in progress.
    open: Option<String>,
    past: Vec<(String, T)>,
    future: Vec<(String, T)>,
    /// Number of undo points made, undone and redone.
    moves: u64,
}

/// The largest number of undo points.
const MAX_STEPS: usize = 200;

impl<T: Clone + PartialEq> History<T> {
    /// A history with nothing to undo.
    pub fn new(value: T) -> Self {
        Self { rest: value.clone(), present: value, open: None, past: Vec::new(), future: Vec::new(), moves: 0 }
    }

    /// The current value.
    pub fn present(&self) -> &T {
        &self.present
    }

    /// Changes the value without an undo point, during an interaction. The label describes the change.
    pub fn preview(&mut self, label: impl Into<String>, change: impl FnOnce(&mut T)) {
        change(&mut self.present);
        self.open = Some(label.into());
    }

    /// Ends the interaction. It becomes one undo point, labelled by its last change, unless nothing changed. Returns true if there is a new
    /// undo point.
    pub fn commit(&mut self) -> bool {
        let Some(label) = self.open.take().filter(|_| self.present != self.rest) else { return false };
        let before = std::mem::replace(&mut self.rest, self.present.clone());
        self.past.push((label, before));
        self.moves += 1;
        if self.past.len() > MAX_STEPS {
            self.past.remove(0);
        }
        self.future.clear();
        true
    }

    /// Changes the value in one step. An interaction in progress ends first, as a separate step. Returns true if there is a new undo point.
    pub fn edit(&mut self, label: impl Into<String>, change: impl FnOnce(&mut T)) -> bool {
        self.commit();
        self.preview(label, change);
        self.commit()
    }

    /// Changes the current value and the value of every step, so that undo does not revert the change. Steps without another change are
    /// removed.
    pub fn amend(&mut self, change: impl Fn(&mut T)) {
        let steps = self.past.iter_mut().chain(&mut self.future).map(|(_, value)| value);
        steps.chain([&mut self.present, &mut self.rest]).for_each(change);
        for steps in [&mut self.past, &mut self.future] {
            let mut next = &self.rest;
            let mut kept: Vec<bool> =
                steps.iter().rev().map(|(_, value)| std::mem::replace(&mut next, value) != value).collect();
            steps.retain(|_| kept.pop().expect("one per step"));
        }
    }

    /// True during an interaction that may become an undo point.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A number that changes with every step that is made, undone or redone.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Label of the step that undo reverts.
    pub fn undo_label(&self) -> Option<&str> {
        self.past.last().map(|(label, _)| label.as_str())
    }

    /// Label of the step that redo restores.
    pub fn redo_label(&self) -> Option<&str> {
        self.future.last().map(|(label, _)| label.as_str())
    }

    /// Drops a preview that was not committed. Returns true if the value changed.
    pub fn cancel(&mut self) -> bool {
        self.open = None;
        let is_changed = self.present != self.rest;
        if is_changed {
            self.present = self.rest.clone();
        }
        is_changed
    }

    /// Undoes the last step. If a preview was not committed, only the preview is dropped. Returns true if the value changed.
    pub fn undo(&mut self) -> bool {
        if self.cancel() {
            return true;
        }
        let Some((label, before)) = self.past.pop() else { return false };
        self.moves += 1;
        let after = std::mem::replace(&mut self.present, before);
        self.rest = self.present.clone();
        self.future.push((label, after));
        true
    }

    /// Redoes the step that was undone last. A preview is committed first, and then there is nothing to redo. Returns true if a step was
    /// redone.
    pub fn redo(&mut self) -> bool {
        self.commit();
        let Some((label, after)) = self.future.pop() else { return false };
        self.moves += 1;
        let before = std::mem::replace(&mut self.present, after);
        self.rest = self.present.clone();
        self.past.push((label, before));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_amended_leaves_no_step_that_does_nothing() {
        let mut history = History::new((1, 1));
        history.edit("first", |v| v.0 = 2);
        history.edit("second", |v| v.1 = 2);
        history.edit("third", |v| v.0 = 3);
        history.edit("fourth", |v| v.1 = 4);
        history.undo();
        history.amend(|v| v.1 = 0);
        assert_eq!((history.present(), history.undo_label(), history.redo_label()), (&(3, 0), Some("third"), None));
        assert!(history.undo());
        assert_eq!((history.present(), history.undo_label()), (&(2, 0), Some("first")));
    }

    #[test]
    fn a_drag_is_one_step_and_undo_redo_walk_it() {
        let mut history = History::new(1);
        for value in 2..9 {
            history.preview("drag", |v| *v = value);
        }
        assert!(history.commit() && !history.commit(), "nothing changed in between");
        history.edit("click", |v| *v = 20);
        assert!(history.undo() && history.undo());
        assert_eq!((*history.present(), history.redo_label()), (1, Some("drag")));
        assert!(!history.undo());
        assert!(history.redo() && history.redo() && !history.redo());
        assert_eq!(*history.present(), 20);
    }

    #[test]
    fn what_was_amended_was_always_so() {
        let mut history = History::new(vec![1]);
        history.edit("click", |v| v.push(2));
        history.amend(|v| v[0] = 9);
        assert_eq!(history.present(), &[9, 2]);
        assert!(history.undo() && !history.undo());
        assert_eq!(history.present(), &[9]);
        assert!(history.redo());
        assert_eq!(history.present(), &[9, 2]);
    }

    #[test]
    fn a_click_during_a_drag_is_a_step_of_its_own() {
        let mut history = History::new(1);
        history.preview("drag", |v| *v = 5);
        assert!(history.edit("click", |v| *v += 10));
        assert!(history.undo());
        assert_eq!((*history.present(), history.undo_label()), (5, Some("drag")));
        assert!(history.undo());
        assert_eq!(*history.present(), 1);
    }

    #[test]
    fn undo_during_a_drag_returns_to_where_it_began() {
        let mut history = History::new(1);
        history.preview("drag", |v| *v = 5);
        assert!(history.undo());
        assert!(!history.commit());
        assert_eq!(*history.present(), 1);
    }
}
