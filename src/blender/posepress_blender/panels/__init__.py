"""Operators, panel and menus."""

from __future__ import annotations

from . import operators, properties, sidebar


def register(package: str) -> None:
    """Registers all classes. `package` is the name under which Blender keeps the preferences."""
    properties.register(package)
    operators.register()
    sidebar.register()


def unregister() -> None:
    """The inverse of `register`."""
    sidebar.unregister()
    operators.unregister()
    properties.unregister()
