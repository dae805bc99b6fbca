"""The machine under a process: no subject of embeddings lives here.

Files written whole or not at all (``atomic``), memory that is asked for before it is taken
(``memory``), linear algebra in one thread (``blas``), and long work that is counted, so that it can
be shown and stopped (``work``). Nothing here knows data or methods.
"""
