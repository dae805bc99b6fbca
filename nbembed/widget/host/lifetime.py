"""When an Explorer ends by itself: no page shows it, and nothing refers to it.

A cell that is run again makes a new Explorer. The one before loses its display and its variable,
but ipywidgets' registry of widgets and IPython's history of outputs (``Out``, ``_``) still refer to
it, so that Python never frees it and its session would compute forever. Neither reference is the
user's: here such an Explorer is found and closed. It stays in ``Out``, where its labels can still
be read.

Explorers are looked at after every cell, and when a page reports that a view has gone. What cannot
be known counts as a reason to keep an Explorer: a page that was closed may be opened again, and an
object that refers to it may be in use.
"""

from __future__ import annotations

import functools
import gc
import logging
import re
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType, GeneratorType, MethodType
from typing import Any

from nbembed.session.live.threads import begin
from nbembed.system.weak_method import WeakMethod

#: Names under which IPython keeps results: the last three, and each by its number.
HISTORY = re.compile(r"_{1,3}|_\d+")
#: Packages whose running functions refer to widgets without the user's asking.
MACHINERY = frozenset(
    {"nbembed", "anywidget", "ipywidgets", "traitlets", "comm", "IPython", "ipykernel"}
)
#: Seconds before each try to end what threads of this package refer to. A try takes milliseconds.
DELAYS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
#: The try before which garbage is collected, once. Nothing of this package leaves a cycle behind
#: that refers to the session, but a user may: an error of a command that is kept in a variable
#: refers to the frame that has the variable, and to those of the session's methods. Python may not
#: collect such a cycle for long.
COLLECTING = 2

_logger = logging.getLogger(__name__)

#: Held for the milliseconds in which references are looked at: a second look in another thread
#: would take the passing references of the first for somebody's. Reentrant, because an Explorer may
#: be freed, and so closed, in the midst of it.
LOOKING = threading.RLock()


class Displays:
    """The displays of one Explorer, as far as the kernel is notified."""

    def __init__(self) -> None:
        self._asked = False  # whether its display was ever asked for
        self._cell: str | None = None  # the cell that displayed it last
        self._cell_again = False  # whether that cell has been run again
        self._dropped = False  # whether the last of its views has gone while its page was open
        self._ended = False
        self._views: dict[str, int] = {}

    def asked(self) -> None:
        """Note that a notebook asks for the data of its display."""
        self._asked, self._cell, self._cell_again, self._dropped = True, None, False, False

    def after_cell(self, cell: str) -> None:
        """Note that a cell has been run."""
        if self._asked and self._cell is None:
            self._cell = cell
        elif self._cell == cell:
            self._cell_again = True

    def report(self, client: str, count: int) -> None:
        """Note how many views a page has."""
        before = self._views.get(client, 0)
        self._views[client] = count
        self._dropped = not any(self._views.values()) and (self._dropped or before > 0)

    def forget(self, client: str) -> None:
        """Note that a page was closed; what it showed it may show again when it is opened."""
        self._views.pop(client, None)

    def end(self) -> None:
        """Note that it is closed, which removes its views from all pages."""
        self._views.clear()
        self._ended = True

    @property
    def gone(self) -> bool:
        """True if no page shows it or will."""
        if self._ended:
            return True  # what a page still reports was on its way
        if any(self._views.values()):
            return False
        return not self._asked or self._dropped or self._cell_again


class Watch:
    """The open Explorers of this process, each with the function that may close it."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[Displays, WeakMethod]] = {}
        self._shell: Any = None
        self._due = False
        self._in_cell = False

    @property
    def idle(self) -> bool:
        """True if no cell is being run, so that the kernel handles messages."""
        return not self._in_cell

    @property
    def has_shell(self) -> bool:
        """True if Explorers are looked at after each cell of the running IPython."""
        return self._shell is not None and self._shell is _shell()

    def add(self, displays: Displays, close: Callable[[], object]) -> None:
        """Call ``close``, a bound method, whenever its owner is found to be displayed nowhere."""
        key = id(displays)
        self._open[key] = (displays, WeakMethod(close, lambda _: self._open.pop(key, None)))
        shell = _shell()
        if shell is not None and shell is not self._shell:
            shell.events.register("pre_run_cell", self._before_cell)
            shell.events.register("post_run_cell", self._after_cell)
            shell.events.register("post_execute", self._after_message)
            self._shell = shell
            self._in_cell = True  # the first Explorer is made in one

    def remove(self, displays: Displays) -> None:
        """Forget what was added."""
        self._open.pop(id(displays), None)

    def look(self) -> None:
        """Call what may close those that are displayed nowhere."""
        self._due = False
        for displays, close in list(self._open.values()):
            action = close() if displays.gone else None
            if action is not None:
                action()

    def look_soon(self) -> None:
        """Look once the present message has been handled: its handlers refer to the widget."""
        self._due = True

    def _after_message(self) -> None:
        if self._due:
            self.look()

    def _before_cell(self, _: Any) -> None:
        self._in_cell = True

    def _after_cell(self, result: Any) -> None:
        self._in_cell = False
        info = getattr(result, "info", None)
        cell = getattr(info, "cell_id", None) or getattr(info, "raw_cell", None) or ""
        for displays, _ in list(self._open.values()):
            displays.after_cell(cell)
        self.look()


WATCH = Watch()


def held(thing: object, known: Sequence[object]) -> bool:
    """Return whether anything in this process refers to an object that would miss it.

    References that do not count are those of ``known`` objects, of IPython's history, of registries
    by the object's ``model_id``, and bound methods of its own private functions.
    """
    return _named(thing) or _held(thing, known, gc.get_referrers(thing))


def in_use(owner: object, name: str, known: Sequence[object]) -> bool:
    """Return whether an attribute's value is :func:`held` or is a local variable, in any thread.

    References are counted, because reading the variables of a running function would keep them all
    alive. So nothing of this package may be using the value meanwhile; :data:`LOOKING` is held. The
    objects of the process are gone through once, which takes most of the time.
    """
    if _named(getattr(owner, name)):
        return True
    referrers = gc.get_referrers(getattr(owner, name))
    if _held(getattr(owner, name), known, referrers):
        return True
    return _uncounted(getattr(owner, name), referrers) > _unused()


def _named(thing: object) -> bool:
    """Return whether a variable of the notebook is this object."""
    # No comprehension, lambda or argument list with * may name ``thing``: it would refer to it.
    shell = _shell()
    for name, value in [] if shell is None else list(shell.user_ns.items()):
        if value is thing and not HISTORY.fullmatch(name):
            return True
    return False


def _held(thing: object, known: Sequence[object], referrers: list[Any]) -> bool:
    """Return whether one of these referrers would miss the object, as :func:`held` says."""
    shell = _shell()
    user = {} if shell is None else shell.user_ns
    excused = {id(owner) for owner in known}
    excused |= {id(vars(owner)) for owner in known if hasattr(owner, "__dict__")}
    excused |= {id(user), id(user.get("_oh"))}
    if shell is not None:
        hook, hidden = shell.displayhook, shell.user_ns_hidden  # which has the history's names
        excused |= {id(hook), id(vars(hook)), id(hidden)}
    private = {
        id(function)
        for base in type(thing).__mro__
        for name, function in vars(base).items()
        if name.startswith("_")
    }
    model_id = getattr(thing, "model_id", None) if getattr(thing, "comm", None) else None
    for referrer in referrers:
        if id(referrer) in excused or isinstance(referrer, FrameType):
            continue
        if isinstance(referrer, MethodType) and id(referrer.__func__) in private:
            continue
        if isinstance(referrer, dict) and referrer.get(model_id) is thing:
            continue
        if isinstance(referrer, GeneratorType) and _is_machinery(referrer.gi_frame):
            continue
        if type(referrer).__name__ == "ExecutionResult":
            continue  # IPython's, of the last cell
        return True
    return False


def in_other_threads(thing: object) -> bool:
    """Return whether a local variable of a function that runs in another thread refers to it."""
    tops = sys._current_frames()
    # A variable of this function that refers to its own frame would keep the object alive.
    tops.pop(threading.get_ident(), None)
    for top in tops.values():
        frame: FrameType | None = top
        while frame is not None:
            # The variables of a module are a dictionary, which is among the referrers.
            if not _is_machinery(frame) and frame.f_locals is not frame.f_globals:
                for value in frame.f_locals.values():
                    if value is thing:
                        return True
            frame = frame.f_back
    return False


def try_again(action: Callable[[], bool]) -> None:
    """Call a bound method now and then, until it returns ``True`` or its owner is freed.

    In a thread, because nothing else may happen in this process for long.
    """
    freed = threading.Event()
    ref = WeakMethod(action, lambda _: freed.set())
    try:
        begin("nbembed ending", _try, ref, freed)
    except RuntimeError:  # no thread is to be had
        _logger.info(
            "an unused session could not be closed; it may run until the next cell", exc_info=True
        )


def _try(ref: WeakMethod, freed: threading.Event) -> None:
    for number, delay in enumerate(DELAYS):
        freed.wait(delay)
        if number == COLLECTING:
            gc.collect()
        action = ref()
        if action is None or action():
            return
        del action  # asleep, the thread keeps nothing alive


class _Probe:
    """The owner of an object that nothing else refers to."""

    def __init__(self) -> None:
        self.it = type("Probe", (), {})()


_PROBE = _Probe()


@functools.cache
def _unused() -> int:
    """Return the count of :func:`_uncounted` if no variable refers to an object."""
    referrers = gc.get_referrers(getattr(_PROBE, "it"))  # noqa: B009
    return _uncounted(getattr(_PROBE, "it"), referrers)  # noqa: B009


def _uncounted(thing: object, referrers: list[Any]) -> int:
    """Return the number of references to an object that are in no container."""
    inside = 0
    other: object = None
    for referrer in referrers:
        for other in gc.get_referents(referrer):
            inside += other is thing
    del other  # it may be the object, too
    return sys.getrefcount(thing) - inside


def _is_machinery(frame: FrameType | None) -> bool:
    return frame is None or frame.f_globals.get("__name__", "").partition(".")[0] in MACHINERY


def _shell() -> Any:
    """Return the running IPython, or ``None``."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
