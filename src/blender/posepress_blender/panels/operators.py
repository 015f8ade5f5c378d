"""Operators. Each runs a job: on a timer in the window, where Esc stops it, or to its end from a script."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import bpy
import posepress
from bpy.props import IntProperty, StringProperty

from ..scene.curves import Source, active_source, assign, sources_of
from ..scene.markers import mark_contacts, mark_frame
from ..tasks import feet, measure, reduce, share
from ..tasks.job import Job, Work
from .properties import program

_TICK_SECS = 0.05
_WORK_SECS = 0.04


def armature(context: Any) -> Any:
    """The active armature, or None."""
    active = context.object
    if active is not None and active.type != "ARMATURE":
        active = active.find_armature()
    return active if active is not None and active.type == "ARMATURE" else None


class JobOperator:
    """What operators with a job share. A subclass gives `work` and `finish`."""

    bl_options = {"REGISTER", "UNDO"}
    _job: Job[Any] | None = None
    _timer: Any = None

    @classmethod
    def poll(cls, context: Any) -> bool:
        """True if an armature is active."""
        return armature(context) is not None

    def work(self, context: Any) -> Work[Any]:
        """The job."""
        raise NotImplementedError

    def finish(self, context: Any, result: Any) -> None:
        """Takes the result."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        """Runs the job to its end."""
        try:
            self.finish(context, Job(self.work(context)).run())
        except posepress.PosepressError as error:
            return self._failed(error)
        return {"FINISHED"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Starts the job on a timer."""
        if context.window is None or bpy.app.background:
            return self.execute(context)
        try:
            self._job = Job(self.work(context))
        except posepress.PosepressError as error:
            return self._failed(error)
        manager = context.window_manager
        self._timer = manager.event_timer_add(_TICK_SECS, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Works for a moment, or stops at Esc."""
        assert self._job is not None
        if event.type == "ESC":
            self._job.stop()
            self._ended(context)
            self.report({"INFO"}, "Stopped. Nothing has changed")  # type: ignore[attr-defined]
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        is_done = True
        try:
            is_done = self._job.advance(_WORK_SECS)
        except posepress.PosepressError as error:
            return self._failed(error)
        finally:
            # Also after an unexpected error: the timer must stop.
            if is_done:
                self._ended(context)
        if not is_done:
            self._show(context, self._job.fraction)
            return {"RUNNING_MODAL"}
        self.finish(context, self._job.result)
        return {"FINISHED"}

    def _failed(self, error: posepress.PosepressError) -> set[str]:
        # A report of the kind ERROR is an exception in a script.
        self.report({"ERROR"}, str(error))  # type: ignore[attr-defined]
        return {"CANCELLED"}

    def _show(self, context: Any, fraction: float) -> None:
        context.window_manager.posepress_progress = fraction
        context.workspace.status_text_set(f"Posepress: {100 * fraction:.0f} %. Esc stops")
        for area in context.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()

    def _ended(self, context: Any) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.posepress_progress = -1.0
        context.workspace.status_text_set(None)

    def say(self, line: str, notes: list[str]) -> None:
        """Reports a result and its notes."""
        self.report({"INFO"}, line)  # type: ignore[attr-defined]
        for note in notes:
            self.report({"WARNING"}, note)  # type: ignore[attr-defined]


def _chosen(context: Any) -> list[Source | None]:
    """The actions of the settings."""
    obj, scope = armature(context), context.scene.posepress.actions
    if scope == "SCENE":
        return [None]
    found = sources_of(obj) if scope == "ALL" else [_active(context)]
    if not found:
        raise posepress.OptionError(f"no action has keys of bones of '{obj.name}'")
    return list(found)


def _active(context: Any) -> Source:
    obj = armature(context)
    source = active_source(obj)
    if source is None:
        raise posepress.OptionError(f"'{obj.name}' plays no action. Choose one in the Action Editor")
    return source


class POSEPRESS_OT_measure(JobOperator, bpy.types.Operator):
    """Compresses actions and measures size, error and slide. Nothing is changed"""

    bl_idname = "posepress.measure"
    bl_label = "Measure"
    bl_options = {"REGISTER"}

    def work(self, context: Any) -> Work[Any]:
        settings = context.scene.posepress.plain()
        return measure.measure(armature(context), _chosen(context), settings, context.scene)

    def finish(self, context: Any, result: Any) -> None:
        rows = context.window_manager.posepress_results
        rows.clear()
        for one in result:
            row = rows.add()
            row.name, row.bone, row.frame = one.compressed.name, one.worst_bone, one.worst_frame
            row.size, row.ratio, row.error_mm = one.compressed.size, one.compressed.ratio, one.compressed.error_mm
            row.slide_mm = -1.0 if one.slide_mm is None else one.slide_mm
            row.verdict = one.compressed.verdict
            self.say(one.line(), one.notes)


class POSEPRESS_OT_reduce_keys(JobOperator, bpy.types.Operator):
    """Writes a new action with fewer keys within the tolerance, and measures it as Blender plays it"""

    bl_idname = "posepress.reduce_keys"
    bl_label = "Reduce Keys"

    def work(self, context: Any) -> Work[Any]:
        settings = context.scene.posepress.plain()
        return reduce.reduce(armature(context), _active(context), settings, context.scene)

    def finish(self, context: Any, result: Any) -> None:
        assign(armature(context), result.result)
        self.say(result.line(), result.notes)


class POSEPRESS_OT_clean_feet(JobOperator, bpy.types.Operator):
    """Writes a new action whose feet stand still during their contacts"""

    bl_idname = "posepress.clean_feet"
    bl_label = "Clean Feet"

    def work(self, context: Any) -> Work[Any]:
        settings = context.scene.posepress.plain()
        return feet.clean(armature(context), _active(context), settings, context.scene)

    def finish(self, context: Any, result: Any) -> None:
        if result.result is not None:
            assign(armature(context), result.result)
        self.say(result.line(), result.notes)


class POSEPRESS_OT_mark_contacts(JobOperator, bpy.types.Operator):
    """Marks in the action when each foot stands and when it lifts"""

    bl_idname = "posepress.mark_contacts"
    bl_label = "Mark Contacts"

    def work(self, context: Any) -> Work[Any]:
        settings = context.scene.posepress.plain()
        return feet.contacts(armature(context), _active(context), settings, context.scene)

    def finish(self, context: Any, result: Any) -> None:
        source = _active(context)
        mark_contacts(source.action, result)
        self.say(f"{source.action.name}: {len(result)} contacts", [])


class POSEPRESS_OT_export(JobOperator, bpy.types.Operator):
    """Writes compressed clips: a container, or a GLB as the container decodes"""

    bl_idname = "posepress.export"
    bl_label = "Export Compressed"
    bl_options = {"REGISTER"}

    filepath: StringProperty(subtype="FILE_PATH")  # type: ignore[valid-type]
    filter_glob: StringProperty(default="*.posepress;*.glb", options={"HIDDEN"})  # type: ignore[valid-type]

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Asks for the file."""
        self.filepath = self.filepath or f"{bpy.path.clean_name(armature(context).name)}.posepress"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work(self, context: Any) -> Work[Any]:
        settings, path = context.scene.posepress.plain(), bpy.path.abspath(self.filepath)
        return share.export(armature(context), _chosen(context), settings, context.scene, path)

    def finish(self, context: Any, result: Any) -> None:
        self.say(result.line(), [])


class POSEPRESS_OT_open(JobOperator, bpy.types.Operator):
    """Writes a GLB with the actions and opens it in Posepress"""

    bl_idname = "posepress.open"
    bl_label = "Open in Posepress"
    bl_options = {"REGISTER"}

    def work(self, context: Any) -> Work[Any]:
        found = program(context)
        if found is None:
            raise posepress.OptionError("the program posepress is not on the path. Set it in the preferences of the extension")
        obj = armature(context)
        folder = tempfile.mkdtemp(prefix="posepress-")
        path = os.path.join(folder, f"{bpy.path.clean_name(obj.name)}.glb")
        return share.send(obj, _chosen(context), context.scene.posepress.plain(), context.scene, path, found)

    def finish(self, context: Any, result: Any) -> None:
        self.say(f"{result.line()} in {result.path}", [])


class POSEPRESS_OT_bring_in(JobOperator, bpy.types.Operator):
    """Makes an action of each clip of a file that Posepress wrote from this armature's clips"""

    bl_idname = "posepress.bring_in"
    bl_label = "Bring In Approved"

    filepath: StringProperty(subtype="FILE_PATH")  # type: ignore[valid-type]
    filter_glob: StringProperty(default="*.posepress;*.glb", options={"HIDDEN"})  # type: ignore[valid-type]

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Asks for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work(self, context: Any) -> Work[Any]:
        path = bpy.path.abspath(self.filepath)
        return share.bring_in(armature(context), context.scene.posepress.plain(), context.scene, path)

    def finish(self, context: Any, result: Any) -> None:
        self.say(result.line(), result.notes)


class POSEPRESS_OT_show_worst(bpy.types.Operator):
    """Goes to the frame with the largest error, selects its bone and sets a marker"""

    bl_idname = "posepress.show_worst"
    bl_label = "Show Worst Frame"
    bl_options = {"REGISTER", "UNDO"}

    row: IntProperty(options={"HIDDEN"})  # type: ignore[valid-type]

    @classmethod
    def poll(cls, context: Any) -> bool:
        """True if something was measured."""
        return armature(context) is not None and len(context.window_manager.posepress_results) > 0

    def execute(self, context: Any) -> set[str]:
        """Goes there."""
        obj, row = armature(context), context.window_manager.posepress_results[self.row]
        source = next((source for source in sources_of(obj) if source.name == row.name), None)
        if source is not None:
            assign(obj, source)
        context.scene.frame_set(row.frame)
        mark_frame(context.scene, f"{row.name}: {row.error_mm:.3f} mm", row.frame)
        if row.bone in obj.data.bones:
            obj.data.bones.active = obj.data.bones[row.bone]
        return {"FINISHED"}


CLASSES = (
    POSEPRESS_OT_measure,
    POSEPRESS_OT_reduce_keys,
    POSEPRESS_OT_clean_feet,
    POSEPRESS_OT_mark_contacts,
    POSEPRESS_OT_export,
    POSEPRESS_OT_open,
    POSEPRESS_OT_bring_in,
    POSEPRESS_OT_show_worst,
)


def register() -> None:
    """Registers the operators."""
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister() -> None:
    """The inverse of `register`."""
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
