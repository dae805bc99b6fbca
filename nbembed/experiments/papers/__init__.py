"""The protocols of the papers' experiments, their published figures, and the page about them.

An experiment is a module with a function that yields figures (``base``); ``catalog`` names them
all, ``published`` lists every table and figure of the papers, ``results`` keeps what was measured,
``claims`` names the figures on each claim, ``verdicts`` judges them, and ``page`` and ``drawings``
write what the docs show. Only the command line imports them.
"""
