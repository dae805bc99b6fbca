"""A session in the background: its threads, its queue of commands, and who waits for what.

``controller`` owns state, queue and lock, ``executor`` does one thing a turn in the thread of
``worker``; beside it run the tasks of ``background``. All threads begin in ``threads``.
Clocks are read here. Files and answers to readers are made elsewhere.
"""
