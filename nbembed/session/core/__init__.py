"""A session as values and pure functions: settings, history, commands and their effects.

A log of events, gone through by these functions, decides everything that the user did. No thread,
no clock and no map: what a command does to the settings is decided here, what it does to the map is
asked of ``map/``.
"""
