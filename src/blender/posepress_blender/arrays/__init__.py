"""Poses, keys and errors as arrays. Nothing here needs Blender."""
