"""The session file: written, read, gone through again as a log, and printed as a script.

A file is a zip archive of arrays and JSON, never pickle; whatever it holds is checked before it is
believed. Nothing of a live session depends on it.
"""
