use super::CurveKind;
use posepress_core::metrics::Complaint;
use posepress_core::model::{ClipId, Rig};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Identifies the curves that the plot draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvesOf {
    /// Clip.
    pub clip: Option<ClipId>,
    /// Joint.
    pub joint: Option<usize>,
    /// Quantity.
    pub kind: CurveKind,
    /// Decoded minus raw.
    pub residual: bool,
    /// First float track.
    pub first_float: usize,
}

/// Value range of the curve plot that the user chose, valid for certain curves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveZoom {
    /// Curves that the range was chosen for.
    pub of: CurvesOf,
    /// At the bottom and at the top.
    pub values: [f64; 2],
}

/// The selection within a clip. Not part of undo.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// Picked in tree, curves or viewport.
    pub joint: Option<usize>,
    /// Joints whose curves are drawn besides those of the selected one.
    pub compared: Vec<usize>,
    /// Number of keys in the replayed fit of the curve plot; `None` for all.
    pub replay_keys: Option<usize>,
    /// Chosen value range of the curve plot; `None` for all values.
    pub curve_zoom: Option<CurveZoom>,
    /// The error to explain; `None` for the worst one.
    pub complaint: Option<Complaint>,
    /// Joints whose trail stays when another one is selected.
    pub kept_trails: BTreeSet<usize>,
    /// The marked vertex: mesh of the rig, vertex of the mesh.
    pub marked_vertex: Option<(usize, usize)>,
    /// Joints whose children are hidden.
    pub folded: HashSet<usize>,
    /// Clips that were picked besides the selected one.
    pub clips: BTreeSet<ClipId>,
    /// The rig of these joints.
    pub rig: Option<Arc<Rig>>,
}

impl Selection {
    /// Clears joints, vertex and picked clips. Folded joints and kept trails stay.
    pub fn clear(&mut self) {
        self.joint = None;
        self.compared.clear();
        self.marked_vertex = None;
        self.clips.clear();
    }

    /// Clears the error to explain and the marked vertex, which belong to the last clip.
    pub fn clip_changed(&mut self) {
        self.complaint = None;
        self.marked_vertex = None;
    }

    /// Sets the rig. Clears everything about joints if its joint names differ from those of the last rig.
    pub fn take_rig(&mut self, rig: &Arc<Rig>) {
        let known = self.rig.replace(rig.clone());
        let names = |rig: &Rig| rig.skeleton.joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
        if known.is_some_and(|known| !Arc::ptr_eq(&known, rig) && names(&known) != names(rig)) {
            self.rig_changed();
        }
    }

    /// Clears everything about joints.
    pub fn rig_changed(&mut self) {
        self.joint = None;
        self.compared.clear();
        self.kept_trails.clear();
        self.folded.clear();
    }

    /// Keeps the trail of the selected joint, or stops keeping it.
    pub fn toggle_trail(&mut self) {
        if let Some(joint) = self.joint
            && !self.kept_trails.remove(&joint)
        {
            self.kept_trails.insert(joint);
        }
    }

    /// Draws a joint's curves besides those of the selected one, or no longer.
    pub fn toggle_compared(&mut self, joint: usize) {
        match self.compared.iter().position(|known| *known == joint) {
            Some(at) => drop(self.compared.remove(at)),
            None => self.compared.push(joint),
        }
    }

    /// Picks a clip besides the selected one, or unpicks it.
    pub fn toggle_clip(&mut self, id: ClipId) {
        if !self.clips.remove(&id) {
            self.clips.insert(id);
        }
    }

    /// Hides the joints below one, or shows them.
    pub fn toggle_folded(&mut self, joint: usize) {
        if !self.folded.remove(&joint) {
            self.folded.insert(joint);
        }
    }

    /// Joints whose paths are drawn: the selected one and those that were kept.
    pub fn trails(&self) -> BTreeSet<usize> {
        self.kept_trails.iter().copied().chain(self.joint).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_are_of_the_selected_joint_and_of_those_that_were_kept() {
        let mut selection = Selection { joint: Some(3), ..Selection::default() };
        selection.toggle_trail();
        selection.joint = Some(5);
        assert_eq!(selection.trails(), BTreeSet::from([3, 5]));
        selection.joint = Some(3);
        selection.toggle_trail();
        assert_eq!((selection.trails(), selection.kept_trails.len()), (BTreeSet::from([3]), 0));
        selection.joint = None;
        selection.toggle_trail();
        assert!(selection.trails().is_empty(), "nothing is selected, nothing is kept");
    }

    #[test]
    fn toggles_go_there_and_back() {
        let mut selection = Selection::default();
        selection.toggle_compared(2);
        selection.toggle_compared(7);
        selection.toggle_folded(1);
        assert_eq!((selection.compared.clone(), selection.folded.contains(&1)), (vec![2, 7], true));
        selection.toggle_compared(2);
        selection.toggle_folded(1);
        assert_eq!((selection.compared, selection.folded.len()), (vec![7], 0));
    }

    #[test]
    fn another_rig_has_other_joints_and_another_clip_other_moments() {
        let busy = Selection {
            joint: Some(1),
            compared: vec![2],
            replay_keys: Some(4),
            curve_zoom: None,
            complaint: Some(Complaint::Contact(0)),
            kept_trails: BTreeSet::from([1]),
            marked_vertex: Some((0, 9)),
            folded: HashSet::from([1]),
            clips: BTreeSet::from([ClipId { source: 0, clip: 1 }]),
            rig: None,
        };
        let mut selection = busy.clone();
        selection.clip_changed();
        assert_eq!((selection.joint, selection.complaint, selection.marked_vertex), (Some(1), None, None));
        selection.rig_changed();
        assert!(selection.joint.is_none() && selection.trails().is_empty() && selection.folded.is_empty());
        let mut selection = busy;
        selection.clear();
        assert_eq!((selection.joint, selection.compared.len(), selection.marked_vertex), (None, 0, None));
        assert!(selection.clips.is_empty());
        assert!(selection.folded.contains(&1) && selection.kept_trails.contains(&1));
    }
}
