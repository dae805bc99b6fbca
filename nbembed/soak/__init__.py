"""Long random tests of reliability: ``nbembed soak`` for users, short forms in the tests.

An epoch is a number, its seed, from which everything random in it is drawn, so an epoch can be
repeated alone. What the operating system decides (which thread comes first, where in a save a kill
falls) differs from run to run; what is promised holds whatever it decides. The subjects:

steering
    Commands, legal and illegal, from several threads. The log and the script replay to the bits of
    the live map, and a saved session opens with them.
kills
    A process that saves in a loop is killed. The file holds a state that was saved.
damage
    Files with random damage. Opening one raises ValueError, or gives a session that works.
messages
    Well and badly formed messages from pages. Each command gets one reply.

After every epoch all sessions are freed and all threads have ended; over a long run the memory of
the process stays flat.
"""

from __future__ import annotations

from nbembed.soak.epochs import SUBJECTS, run, run_epoch
from nbembed.soak.outcome import Outcome

__all__ = ["Outcome", "SUBJECTS", "run", "run_epoch"]
