"""Compile what a first map and its first label need before there is a kernel that asks for it.

    python -m nbembed.session.live.compile_ahead

``nbembed lab`` runs this beside JupyterLab: while its window opens, the default method is compiled
into numba's cache on disk, and the first map of a fresh installation finds it there. Where all is
in the cache already, it is read once, which takes some seconds of one core that nobody waits for.
"""

from __future__ import annotations

import os
from contextlib import suppress


def main() -> None:
    """Steer a small map of the default method through all that compiles something."""
    if hasattr(os, "nice"):
        os.nice(10)  # the window that opens meanwhile comes first
    from nbembed.methods import HSSNE
    from nbembed.session.live.warm_up import POINTS, warm_up

    thread = warm_up(HSSNE().recipe, POINTS)
    if thread is not None:
        thread.join()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C reaches all that was started with JupyterLab
        main()
