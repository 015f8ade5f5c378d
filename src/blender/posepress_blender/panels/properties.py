"""Settings of the scene, results of the session, and preferences."""

from __future__ import annotations

import shutil
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..tasks.settings import CODECS, Settings

_PROGRAM = "posepress"
_package = ""


class PosepressSettings(bpy.types.PropertyGroup):
    """Choices of the user, stored with the scene."""

    codec: EnumProperty(  # type: ignore[valid-type]
        name="Codec", items=[(key, key, text) for key, text in CODECS], description="Method of compression"
    )
    tolerance_mm: FloatProperty(  # type: ignore[valid-type]
        name="Tolerance (mm)", default=0.1, min=0.001, max=100.0, precision=3, description="Largest error beside a joint, in object space"
    )
    shell_mm: FloatProperty(  # type: ignore[valid-type]
        name="Shell (mm)", default=30.0, min=1.0, max=1000.0, description="Distance of the measured points from each joint"
    )
    selected_bones: BoolProperty(  # type: ignore[valid-type]
        name="Selected bones", description="Only selected bones, and those above them"
    )
    actions: EnumProperty(  # type: ignore[valid-type]
        name="Actions",
        items=[
            ("ACTIVE", "Active action", "The action that the armature plays"),
            ("ALL", "All actions", "Every action with keys of this armature's bones"),
            ("SCENE", "As the scene plays", "NLA tracks, constraints and drivers together, over the range of the scene"),
        ],
    )
    whole_action: BoolProperty(  # type: ignore[valid-type]
        name="Whole actions", default=True, description="The range of each action. Otherwise the (preview) range of the scene"
    )

    def plain(self) -> Settings:
        """The settings of a job."""
        return Settings(self.codec, self.tolerance_mm, self.shell_mm, self.selected_bones, self.whole_action)


class PosepressResult(bpy.types.PropertyGroup):
    """A measured action. Its name is that of the action."""

    size: IntProperty()  # type: ignore[valid-type]
    ratio: FloatProperty()  # type: ignore[valid-type]
    error_mm: FloatProperty()  # type: ignore[valid-type]
    slide_mm: FloatProperty(default=-1.0)  # type: ignore[valid-type]
    bone: StringProperty()  # type: ignore[valid-type]
    frame: IntProperty()  # type: ignore[valid-type]
    verdict: StringProperty()  # type: ignore[valid-type]


class PosepressPreferences(bpy.types.AddonPreferences):
    """Place of the program."""

    bl_idname = "posepress"

    program: StringProperty(  # type: ignore[valid-type]
        name="Program", subtype="FILE_PATH", description="Posepress with its window. Empty: the one on the path"
    )

    def draw(self, context: Any) -> None:
        """Draws the preferences."""
        self.layout.prop(self, "program")


_CLASSES = (PosepressSettings, PosepressResult)


def program(context: Any) -> str | None:
    """Path of the program, or None."""
    addon = context.preferences.addons.get(_package)
    chosen = addon.preferences.program if addon and addon.preferences else ""
    return bpy.path.abspath(chosen) if chosen else shutil.which(_PROGRAM)


def register(package: str) -> None:
    """Registers the classes."""
    global _package
    _package = PosepressPreferences.bl_idname = package
    for one in (*_CLASSES, PosepressPreferences):
        bpy.utils.register_class(one)
    bpy.types.Scene.posepress = PointerProperty(type=PosepressSettings)
    # Results are of this session: they belong to no file.
    bpy.types.WindowManager.posepress_results = CollectionProperty(type=PosepressResult)
    bpy.types.WindowManager.posepress_progress = FloatProperty(default=-1.0)


def unregister() -> None:
    """The inverse of `register`."""
    del bpy.types.WindowManager.posepress_progress
    del bpy.types.WindowManager.posepress_results
    del bpy.types.Scene.posepress
    for one in (PosepressPreferences, *reversed(_CLASSES)):
        bpy.utils.unregister_class(one)
