"""The notebook around an Explorer: its files, outputs, stills, exports and the end of its life.

``opening`` finds the session to show, ``autosave`` keeps it, ``still_output`` and ``still_page``
leave pictures that need no kernel. Messages and answers are made elsewhere.
"""
