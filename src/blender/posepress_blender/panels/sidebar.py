"""The panel of the 3D view's sidebar, and entries of the editors of keys."""

from __future__ import annotations

from typing import Any

import bpy

from .operators import (
    POSEPRESS_OT_clean_feet,
    POSEPRESS_OT_mark_contacts,
    POSEPRESS_OT_reduce_keys,
    armature,
)

_ICONS = {"good": "CHECKMARK", "warn": "ERROR", "fail": "CANCEL"}
# Results that are drawn at most; more would slow the sidebar down.
_ROWS = 40
_MENUS = ("DOPESHEET_MT_key", "GRAPH_MT_key")


class POSEPRESS_PT_sidebar(bpy.types.Panel):
    """The tab Posepress."""

    bl_label = "Posepress"
    bl_idname = "POSEPRESS_PT_sidebar"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Posepress"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """True if an armature is active."""
        return armature(context) is not None

    def draw(self, context: Any) -> None:
        """Draws settings, buttons and results."""
        layout, settings = self.layout, context.scene.posepress
        layout.use_property_split = True
        for name in ("actions", "codec", "tolerance_mm", "shell_mm", "whole_action", "selected_bones"):
            layout.prop(settings, name)
        progress = context.window_manager.posepress_progress
        if progress >= 0.0:
            layout.progress(factor=progress, text="Esc stops")
        column = layout.column(align=True)
        for name in ("measure", "reduce_keys", "clean_feet", "mark_contacts"):
            column.operator(f"posepress.{name}")
        column = layout.column(align=True)
        for name in ("export", "open", "bring_in"):
            column.operator(f"posepress.{name}")
        _draw_results(layout, context.window_manager.posepress_results)


def _draw_results(layout: Any, results: Any) -> None:
    for at, row in enumerate(results[:_ROWS]):
        box = layout.box()
        line = box.row()
        line.label(text=row.name, icon=_ICONS.get(row.verdict, "DOT"))
        line.operator("posepress.show_worst", text="", icon="VIEWZOOM").row = at
        slide = "" if row.slide_mm < 0 else f", slide {row.slide_mm:.2f} mm"
        box.label(text=f"{row.size / 1024:.1f} KB (1/{row.ratio:.0f}), {row.error_mm:.3f} mm{slide}")
        box.label(text=f"worst: {row.bone}, frame {row.frame}")
    if len(results) > _ROWS:
        layout.label(text=f"and {len(results) - _ROWS} more")


def _draw_menu(menu: Any, context: Any) -> None:
    menu.layout.separator()
    for one in (POSEPRESS_OT_reduce_keys, POSEPRESS_OT_clean_feet, POSEPRESS_OT_mark_contacts):
        menu.layout.operator(one.bl_idname, text=f"Posepress: {one.bl_label}")


def register() -> None:
    """Adds panel and menu entries."""
    bpy.utils.register_class(POSEPRESS_PT_sidebar)
    for menu in _MENUS:
        getattr(bpy.types, menu).append(_draw_menu)


def unregister() -> None:
    """The inverse of `register`."""
    for menu in _MENUS:
        getattr(bpy.types, menu).remove(_draw_menu)
    bpy.utils.unregister_class(POSEPRESS_PT_sidebar)
