"""Open a session file."""

from __future__ import annotations

import os
from typing import Any

from nbembed.session.core.methods import known_methods
from nbembed.session.file.reading import read
from nbembed.session.session import Session
from nbembed.system.atomic import Identity
from nbembed.validation import shown


def load_session(path: str | os.PathLike[str], *, methods: tuple[type[Any], ...] = ()) -> Session:
    """Return the session that :meth:`Session.save` wrote.

    Parameters
    ----------
    path : path-like
        What an Explorer showed when the file was written is read, too: an Explorer of this session
        shows it again.
    methods : tuple of Recipe or estimator classes
        Needed where the session used methods that are not registered.

    Raises
    ------
    ValueError
        If the file is no session file, is damaged, or was written by a newer version. All of it is
        checked before the session is returned.
    TypeError
        If ``path`` is no path, or ``methods`` are no such classes.
    OSError
        If it cannot be read, or is no regular file.

    Warns
    -----
    UserWarning
        If something in the file is left out: a cache that a classifier names, steps of the history
        or commands of the log that this version does not allow.
    """
    return read_session(path, methods)[0]


def read_session(
    path: str | os.PathLike[str], methods: tuple[type[Any], ...]
) -> tuple[Session, Identity | None]:
    """Return the session of a file, and which file it is that was read."""
    try:
        known = known_methods(*methods)
    except (TypeError, AttributeError):
        raise TypeError(
            f"methods must be a tuple of recipe or estimator classes, got {shown(methods)}"
        ) from None
    stored = read(path, known)
    session = Session._around(stored.X, stored.controller)
    session._stored_view = stored.view
    return session, stored.identity
