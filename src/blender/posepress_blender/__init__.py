"""Posepress in Blender: measure and compress actions, reduce keys with a known error, hold feet.

Layers: `arrays` needs no Blender; `scene` reads and writes its data; `tasks` does the work; `panels` has operators and the panel.
"""


def register() -> None:
    """Called by Blender when the extension is turned on."""
    from . import panels

    panels.register(__package__ or __name__)


def unregister() -> None:
    """Called by Blender when the extension is turned off."""
    from . import panels

    panels.unregister()
