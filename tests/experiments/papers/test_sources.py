"""Digests of sources: what is carried out counts, of an experiment and of what it is made of."""

from __future__ import annotations

from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.sources import protocol_files, source_digest, statements


def test_each_experiment_has_the_digest_of_its_own_protocol():
    digests = {name: source_digest(name) for name in ("hssne-vehicle", "mbed-g50c")}
    assert len(set(digests.values())) == 2
    assert source_digest("mbed-usps") == digests["mbed-g50c"]


def test_a_digest_covers_the_protocols_that_another_is_made_of():
    """Those whose functions it calls, and what they call; not the runner of all."""
    by_name = {name: {path.name for path in protocol_files(name)} for name in NAMES}
    assert {"parametric.py", "parametric_figures.py"} <= by_name["pe-times"]
    assert "parametric_figures.py" not in by_name["pe-newsgroups"]
    assert {"mbed.py", "ranges.py"} <= by_name["mbed-g50c"]
    assert "hssne.py" not in by_name["mbed-g50c"]
    assert not any({"catalog.py", "results.py", "page.py"} & files for files in by_name.values())


def test_words_about_a_statement_are_no_statement():
    told = '''"""A module
of two lines."""

#: A comment.
X = "# no comment"  # but this


def f(x):
    """Return é and more."""
    # Above.
    return f"{x} # {X}", """kept

    whole"""
'''
    kept = '''X = "# no comment"
def f(x):
    return f"{x} # {X}", """kept

    whole"""'''
    assert statements(told) == kept
    reworded = told.replace("of two", "of\nthree").replace("Above", "Below")
    assert statements(reworded) == kept
    assert statements(told.replace("whole", "another")) != kept
