"""The looks of an Explorer beside its session: colors, looks of classes, and a second map.

It is kept with a session in its file (``view_state``) and decides nothing about the map.
"""
