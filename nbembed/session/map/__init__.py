"""The map that a session moves: single-threaded and deterministic.

``engine`` holds the layout and takes it through its iterations; ``run_state`` is how far it has
come, as a value. Settings come in from ``core/``; threads, locks and pages never do, so that a
replay makes the same bits.
"""
