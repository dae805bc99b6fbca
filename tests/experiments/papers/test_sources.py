"""Digests of sources: what is carried out counts, of an experiment and of what it is made of."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from nbembed.experiments.papers import framework, mbed, snerv
from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.results import KEPT, read_results
from nbembed.experiments.papers.sources import (
    protocol_files,
    settings,
    settings_digest,
    source_digest,
    statements,
)


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


def test_settings_are_what_functions_are_bound_to_and_read():
    found = settings(NAMES["snerv-letter-short"].figures)
    assert ("POINTS", "1500") in found
    assert ("name", "'letter'") in found
    assert [text for name, text in found if name == "protocol"] == [
        "Protocol{'folds': 3, 'inner': 3, 'max_iter': 500, 'splits': 1, 'tradeoffs': (0.1)}"
    ]
    names = {name for name, _ in found}
    assert {"OFFSETS", "PENALTIES"} <= names
    assert "PHONEMES" not in names
    assert "PHONEMES" in {name for name, _ in settings(NAMES["snerv-phoneme"].figures)}


@pytest.mark.parametrize(
    ("module", "name", "value", "changed", "same"),
    [
        (snerv, "PENALTIES", (0.1, 1.0), "snerv-letter-short", "snerv-letter-printed-short"),
        (snerv, "PHONEMES", 20, "snerv-phoneme", "snerv-letter"),
        (mbed, "PUBLISHED", {}, "mbed-g50c", "mbed-centers"),
        (framework, "SPLITS", range(5), "framework-100", "mbed-g50c"),
    ],
)
def test_another_setting_makes_another_digest(monkeypatch, module, name, value, changed, same):
    """Of the experiments that read it, and of no other."""
    before = [settings_digest(one) for one in (changed, same)]
    monkeypatch.setattr(module, name, value)
    after = [settings_digest(one) for one in (changed, same)]
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_settings_as_text_do_not_depend_on_order_or_process():
    def figures(data, known):
        return known

    one, other = ({"a": {2, 1}, "b": np.arange(2.0)}, {"b": np.arange(2.0), "a": {1, 2}})
    assert settings(partial(figures, one)) == settings(partial(figures, other))
    assert all(" at 0x" not in text for name in NAMES for _, text in settings(NAMES[name].figures))


def test_no_two_experiments_have_one_digest():
    assert len({settings_digest(name) for name in NAMES}) == len(NAMES)


def test_kept_figures_are_of_the_present_settings_or_said_not_to_be():
    """After a change of settings: run the experiment anew; else keep "" as the digest."""
    stale = {
        name: entry.settings
        for name, entry in read_results(KEPT).items()
        if entry.settings not in ("", settings_digest(name))
    }
    assert stale == {}
