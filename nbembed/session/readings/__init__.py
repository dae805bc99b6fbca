"""Answers about a session: frames, snapshots, suggestions, quality, why points lie there.

All of it is read from what has been published, or made in the background for whoever asked. Nothing
here changes the map, the settings or the log.
"""
