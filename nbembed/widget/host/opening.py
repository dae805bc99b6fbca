"""The session that an Explorer shows: given, made of data, or read from the file it saves to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbembed.methods.recipe import Recipe
from nbembed.points.features import Features, choose_features
from nbembed.points.point_data import PointData
from nbembed.points.table import as_table, is_annotated, is_name, no_columns
from nbembed.session import Session
from nbembed.system.atomic import Identity, check_destination, check_writable
from nbembed.validation import check_path, shown
from nbembed.widget.host.autosave import check_same_data, resume
from nbembed.widget.host.part import Part
from nbembed.widget.view.view_state import ViewState, view_state

#: Metrics of vectors whose coordinates need not mean anything by themselves.
VECTOR_METRICS = ("euclidean", "l2", "sqeuclidean", "cosine")


@dataclass(frozen=True)
class Opened:
    """A session and how it came.

    * features: what of the data is embedded, where data were given.
    * owned: whether the Explorer made it.
    * read: the identity of the file to which it is saved, where it was read from it.
    * view: what was shown when the file was written that the session was read from.
    * given: the table or AnnData that was given as X.
    * points: names, columns and images, where they come from another Explorer.
    """

    session: Session
    features: Features | None = None
    owned: bool = True
    read: Identity | None = None
    view: ViewState = field(default_factory=ViewState)
    given: Any = None
    points: PointData | None = None


def open_session(
    X: Any,
    method: Any,
    supervision: Any,
    session: Any,
    *,
    prepared: Mapping[str, Any],
    columns: Any,
    apart: Sequence[Any],
    autosave: str | os.PathLike[str] | None,
) -> Opened:
    """Return the session for what an Explorer was given.

    ``prepared`` are the arguments of :func:`choose_features`; ``supervision`` may name a column of
    the data or of ``columns``.

    Raises ValueError or TypeError if the arguments do not belong together or one of them is not
    legal; it is named.
    Raises OSError if ``autosave`` cannot be written.
    """
    from nbembed.session import Session

    if isinstance(X, Part):
        part = Session(X.features.matrix, in_plane(method), supervision=supervision)
        return Opened(part, X.features, view=X.view, points=X.points)
    if autosave is not None:
        check_path("autosave", autosave)
    if X is not None and session is not None:
        raise ValueError("X and session must not both be given")
    if X is None and session is None and autosave is None:
        raise ValueError("X, session or autosave (an existing session file) must be given")
    if X is None and (method is not None or supervision is not None):
        raise ValueError(
            "method and supervision must not be given without X; change them with "
            "the commands of the session"
        )
    if X is None and not all(
        value is None or (isinstance(value, str) and value == "auto") for value in prepared.values()
    ):
        raise ValueError(
            f"{', '.join(prepared)} must not be given without X: the data of a session are "
            "already prepared"
        )
    if autosave is not None:
        check_writable(check_destination(autosave))
    if session is not None:
        if not hasattr(session, "subscribe"):
            raise TypeError(f"session must be a Session, got {type(session).__name__}")
        if autosave is not None and os.path.exists(autosave):
            raise ValueError(
                f"autosave must be a new file when session is given, got {shown(str(autosave))}, "
                "which exists; nb.Explorer(autosave=...) continues from it"
            )
        return Opened(session, owned=False, view=_view_of_file(session))
    if X is None:
        assert autosave is not None
        found = resume(autosave)
        if found is None:
            raise ValueError(
                "autosave must be an existing session file when X is not given, got "
                f"{str(autosave)!r}"
            )
        session, read = found
        return Opened(session, read=read, view=_view_of_file(session))
    chosen = choose_features(
        X,
        **prepared,
        apart=[supervision, *apart],
        distances=takes_distances(method),
        plain=takes_plain_numbers(method),
    )
    table = chosen.table
    if (table is None or not table.names) and not is_name(columns, table):
        table = as_table(columns, "columns")
    if is_name(supervision, table):
        if table is None:
            raise no_columns("supervision", supervision)
        supervision = table.values(supervision, "supervision")
    made = Session(chosen.matrix, in_plane(method), supervision=supervision)
    given = X if is_annotated(X) or (not isinstance(X, dict) and as_table(X) is not None) else None
    if autosave is None:
        return Opened(made, chosen, given=given)
    own = () if method is None else (type(getattr(method, "recipe", method)),)
    found = resume(autosave, own)
    if found is None:
        return Opened(made, chosen, given=given)
    session, read = found
    check_same_data(session, made, autosave)
    made.close()
    return Opened(session, chosen, read=read, view=_view_of_file(session), given=given)


def _view_of_file(session: Any) -> ViewState:
    """Return what was shown when the file was written that a session was read from."""
    stored = getattr(session, "_stored_view", None)
    return ViewState() if stored is None else view_state(stored, session.n_samples)


def takes_distances(method: Any) -> bool:
    """Return whether the data are dissimilarities of the points rather than features."""
    recipe = getattr(method, "recipe", method)
    return isinstance(recipe, Recipe) and recipe.takes_distances


def takes_plain_numbers(method: Any) -> bool:
    """Return whether a method compares or classifies the numbers as they are.

    A metric such as Jaccard's or a function of the user's says what they mean, and a classifier
    learns from them.
    """
    recipe = getattr(method, "recipe", method)
    if not isinstance(recipe, Recipe):
        return False
    known = isinstance(recipe.quality_metric, str) and recipe.quality_metric in VECTOR_METRICS
    return not known or recipe.learns != Recipe.learns


def in_plane(method: Any) -> Any:
    """Return a method laid out on the plane, where it leaves its dimensions open."""
    recipe = getattr(method, "recipe", method)
    if not isinstance(recipe, Recipe):
        return method  # the session says what is wrong with it
    planar = recipe.in_plane()
    return method if planar is recipe else planar
