"""Reading and writing of Blender's data. No operators and no panels."""
