"""A session in the background: its threads, its queue of commands, and who waits for what.

``controller`` owns state, queue and lock, ``executor`` does one thing a turn in the thread of
``worker``; beside it affinities are made (``background_fit``) and labels suggested (``suggester``).
Clocks are read here. Files and answers to readers are made elsewhere.
"""
