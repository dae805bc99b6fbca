"""Verdicts on claims: by margins on both sides, by tests, and never by a sign or by chance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nbembed.experiments import Figure
from nbembed.experiments.papers import page, verdicts
from nbembed.experiments.papers.claims import CLAIMS, NOT_THE_PAPERS, Claim
from nbembed.experiments.papers.published import PAPERS
from nbembed.experiments.papers.results import KEPT, read_results
from nbembed.experiments.papers.verdicts import (
    Above,
    Beyond,
    ByFold,
    Comparisons,
    Gap,
    InRange,
    Level,
    Numbers,
    Side,
    Times,
)


def kept(*figures, experiment="e"):
    return {(experiment, figure.name): figure for figure in figures}


def folds(name, errors):
    return [Figure(f"fold {k}: {name}: error, %", "", e) for k, e in enumerate(errors, 1)]


def verdict(evidence, *figures):
    reading = evidence.read(kept(*figures))
    return reading and reading.verdict


@pytest.mark.parametrize(
    ("measured", "better", "expected"),
    [
        (5.4, "lower", "agrees"),
        (4.6, "lower", "agrees"),
        (4.4, "lower", "better"),
        (4.4, "neither", "differs"),
        (4.4, "higher", "differs"),
        (5.6, "lower", "differs"),
        (5.6, "higher", "better"),
        (math.nan, "lower", "differs"),
    ],
)
def test_the_margin_of_a_number_counts_on_both_sides(measured, better, expected):
    """Though its range has a bound on one side alone."""
    assert verdict(Numbers("e", ("f",), better), Figure("f", "5.0", measured, high=5.5)) == expected


def test_a_number_that_chance_has_too_is_no_evidence():
    number = Numbers("e", ("f",))
    figure = Figure("f", "1.5", 1.6, high=1.7, others={"random map": 1.4, "PCA": 9.0})
    assert number.read(kept(figure)).note == "so is chance"
    assert verdict(number, Figure("f", "1.5", 1.6, high=1.7, others={"random": 0.9})) == "agrees"


def test_a_number_without_a_margin_or_of_other_data_is_not_tested(monkeypatch):
    number = Numbers("e", ("f",))
    assert number.read(kept(Figure("f", "0.75", 1.1))).note == "no margin"
    monkeypatch.setattr(verdicts, "STAND_INS", {"e"})
    reading = number.read(kept(Figure("f", "5.0", 5.0, high=5.5)))
    assert (reading.verdict, reading.note) == ("cannot be tested", "other data")
    monkeypatch.setattr(verdicts, "STAND_INS", set())
    one_set = Numbers("e", ("f",), other_data=True)
    assert one_set.read(kept(Figure("f", "5.0", 5.0, high=5.5))).note == "other data"


def test_of_several_numbers_one_that_differs_is_enough():
    numbers = Numbers("e", ("a", "b"))
    good, fair, bad = (Figure("b", "5.0", x, high=5.5) for x in (4.0, 5.1, 6.0))
    first = Figure("a", "5.0", 5.0, high=5.5)
    found = [verdict(numbers, first, second) for second in (good, fair, bad)]
    assert found == ["better", "agrees", "differs"]
    assert verdict(numbers, first) is None


def test_a_variant_is_held_against_the_number_beside_the_printed_form():
    variant = Numbers("e", ("at 2r",), runs=10, beside=("at r",))
    printed = Figure("at r", "5.0", 9.0, high=5.5, spread=1.0)
    near, far = (Figure("at 2r", "", x, spread=0.5) for x in (5.1, 7.0))
    assert verdict(variant, printed, near) == "agrees"
    assert verdict(variant, printed, far) == "differs"
    assert variant.read(kept(printed, near)).published == "5.0"


def test_a_gap_has_the_margins_of_both_numbers():
    gap = Gap("e", "ours", "theirs")
    theirs = Figure("theirs", "18.8", 18.0, 15.8, 21.8)
    found = [
        verdict(gap, Figure("ours", "10.0", x, high=14.0), theirs) for x in (10.0, 15.0, 17.0, 2.0)
    ]
    assert found == ["agrees", "differs", "differs", "better"]


@pytest.mark.parametrize(
    ("shift", "expected"), [(-2.0, "agrees"), (-0.1, "differs"), (2.0, "claim fails")]
)
def test_folds_are_paired_and_a_sign_decides_nothing(shift, expected):
    second = 20 + 10 * np.random.default_rng(0).standard_normal(10)  # folds differ by more
    first = second + shift + np.tile([1.0, -1.0], 5)
    figures = [*folds("A", first), *folds("B", second)]
    assert verdict(Comparisons([ByFold("e", "A", "B")]), *figures) == expected


def test_equal_errors_of_all_folds_decide_nothing():
    figures = [*folds("A", [5.0] * 10), *folds("B", [5.0] * 10)]
    assert verdict(Comparisons([ByFold("e", "A", "B")]), *figures) == "differs"
    assert verdict(Level([ByFold("e", "A", "B")]), *figures) == "agrees"


def test_folds_of_two_experiments_are_compared_if_they_are_as_many():
    pair = ByFold("e", "A", "B", "other")
    first = kept(*folds("A", [1.0, 2.0, 3.1, 1.0, 2.0]))
    second = kept(*folds("B", [9.0, 11.0, 10.0, 9.0, 9.5]), experiment="other")
    assert pair.test(first | second).outcome == "holds"
    second.popitem()
    assert pair.test(first | second) is None


def test_methods_are_level_where_folds_do_not_tell_them_apart():
    near, far = [5.0, 6.0, 7.0, 5.0, 6.0], [15.0, 16.1, 17.0, 15.2, 16.0]
    level = Level([ByFold("e", "A", "B")])
    assert verdict(level, *folds("A", near), *folds("B", [6.0, 5.0, 7.0, 5.0, 6.0])) == "agrees"
    assert verdict(level, *folds("A", near), *folds("B", far)) == "claim fails"


@pytest.mark.parametrize("evidence", [Comparisons, Level])
def test_few_folds_decide_nothing(evidence):
    figures = [*folds("A", [5.0, 6.0, 5.5]), *folds("B", [15.0, 16.1, 15.4])]
    found = evidence([ByFold("e", "A", "B")]).read(kept(*figures))
    assert (found.verdict, found.note) == ("cannot be tested", "only 3 folds")
    assert found.ours == "5.5 against 15.5 %"


def test_another_method_than_the_papers_decides_nothing():
    above = [Above("e", "", "", 10, "d")]
    figure = Figure("d", "> 0", 5.0, spread=1.0)
    assert verdict(Comparisons(above), figure) == "agrees"
    found = Comparisons(above, other="another B").read(kept(figure))
    assert (found.verdict, found.note) == ("cannot be tested", "another B")


def test_a_comparison_on_other_data_says_so():
    stand_in, own = "pe-words", "snerv-letter"
    assert stand_in in verdicts.STAND_INS
    figure = Figure("f", "", 3.0)
    for experiment, note in ((stand_in, "on other data"), (own, "")):
        found = Comparisons([Times(experiment, "f")]).read(kept(figure, experiment=experiment))
        assert (found.verdict, found.note) == ("agrees", note)


def test_means_are_tested_by_the_spread_of_differences_or_else_by_their_own():
    above = Comparisons([Above("e", "A", "B", 10, "A − B")])
    a, b = Figure("A", "", 80.0, spread=6.0), Figure("B", "", 77.0, spread=6.0)
    assert verdict(above, a, b) == "differs"
    assert verdict(above, a, b, Figure("A − B", "> 0", 3.0, spread=1.0)) == "agrees"
    assert verdict(above, b, Figure("A", "", 90.0, spread=6.0)) == "agrees"
    one_run = Figure("B", "", 90.0)
    assert verdict(above, a, one_run) == "claim fails"
    found = above.read(kept(Figure("A", "", 80.0), one_run))
    assert (found.verdict, found.note) == ("cannot be tested", "no spread")


def test_a_bound_is_passed_by_more_than_the_spread():
    beyond = Comparisons([Beyond("e", "f", 10)])
    assert verdict(beyond, Figure("f", "finds", 2.0, high=28.9, spread=1.0)) == "agrees"
    assert verdict(beyond, Figure("f", "misses", 46.0, low=45.0, spread=9.0)) == "differs"
    assert verdict(beyond, Figure("f", "misses", 20.0, low=45.0, spread=9.0)) == "claim fails"


def test_a_range_in_which_chance_lies_decides_nothing():
    inside = Comparisons([InRange("e", "f")])
    assert verdict(inside, Figure("f", "> 0", 3.0, low=1.0, others={"random": 0.5})) == "agrees"
    assert verdict(inside, Figure("f", "> 0", 0.7, low=1.0)) == "differs"
    assert verdict(inside, Figure("f", "> 0", 3.0, low=1.0, others={"random": 2.0})) == (
        "cannot be tested"
    )


def test_a_figure_without_a_range_decides_nothing():
    assert verdict(Comparisons([InRange("e", "f")]), Figure("f", "", 3.0)) == "cannot be tested"


def test_a_number_without_a_range_has_that_of_its_spread():
    figure = Figure("f", "30.57", 30.0, spread=2.0)
    assert verdict(Numbers("e", ("f",)), figure) == "cannot be tested"
    number = Numbers("e", ("f",), runs=10)
    assert verdict(number, figure) == "agrees"
    assert verdict(number, replace(figure, measured=38.7)) == "differs"
    assert verdict(number, replace(figure, measured=20.0)) == "better"
    assert verdict(number, replace(figure, measured=31.0, high=30.6)) == "differs"


def test_a_figure_is_on_one_side_or_the_other():
    side = Comparisons([Side("e", "f", 29.0, 45.0)])
    found = [verdict(side, Figure("f", "", x)) for x in (80.0, 40.0, 4.0)]
    assert found == ["agrees", "differs", "claim fails"]


@pytest.mark.parametrize(
    ("ratio", "less", "expected"),
    [(2.5, False, "agrees"), (1.5, False, "differs"), (0.4, False, "claim fails"),
     (3.9, True, "claim fails"), (0.3, True, "agrees")],
)  # fmt: skip
def test_ratios_count_from_two_on(ratio, less, expected):
    assert verdict(Comparisons([Times("e", "f", less)]), Figure("f", "", ratio)) == expected


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ((5, 5, 5, 5), "agrees"),
        ((5, 5, 5, 0), "differs"),
        ((5, 5, 0, -5), "differs"),
        ((5, 0, 0, -5), "claim fails"),
        ((0, 0, 0, 0), "differs"),
    ],
)
def test_of_several_comparisons_all_are_to_hold(gains, expected):
    figures = [Figure(f"d{k}", "> 0", float(g), spread=1.0) for k, g in enumerate(gains)]
    comparisons = [Above("e", "", "", 10, f"d{k}") for k in range(len(gains))]
    assert verdict(Comparisons(comparisons), *figures) == expected
    assert verdict(Comparisons([*comparisons, Above("e", "", "", 10, "no such")]), *figures) == (
        expected
    )


def test_the_printed_form_decides_and_ours_stands_beside():
    printed, default = Numbers("e", ("printed",)), Numbers("e", ("default",))
    claim = Claim(PAPERS[0], "is 5 %", default, printed)
    figures = kept(Figure("printed", "5.0", 9.0, high=5.5), Figure("default", "5.0", 5.2, high=5.5))
    assert page._claim(claim, figures) == [
        "is 5 %", "5.0", "9.000", "5.200", "**differs**; default: agrees"
    ]  # fmt: skip
    del figures["e", "printed"]
    assert page._claim(claim, figures)[2:] == ["–", "5.200", "**agrees**"]
    assert page._claim(claim, {})[4] == "**cannot be tested**: not run"


def test_claims_are_of_all_papers_and_name_kept_figures():
    assert NOT_THE_PAPERS.keys() == set(PAPERS) == {claim.paper for claim in CLAIMS}
    figures = {(n, f.name): f for n, entry in read_results(KEPT).items() for f in entry.figures}
    for claim in CLAIMS:
        assert claim.default is None or claim.default.read(figures), claim.says
        assert len(page._claim(claim, figures)) == 5
    every = _names(claim.default for claim in CLAIMS) | _names(claim.printed for claim in CLAIMS)
    assert every
    assert not {name for name in every if name not in figures and "− SELF" not in name[1]}


def _names(evidence):
    """Return the experiments and rows that evidence names, folds by their first."""
    found = set()
    for one in evidence:
        for each in getattr(one, "comparisons", None) or getattr(one, "pairs", None) or [one]:
            match each:
                case Numbers(experiment, rows):
                    found |= {(experiment, row) for row in rows}
                case Gap(experiment, first, second):
                    found |= {(experiment, first), (experiment, second)}
                case ByFold(experiment, first, second, home):
                    found |= {(experiment, f"fold 1: {first}: error, %")}
                    found |= {(home or experiment, f"fold 1: {second}: error, %")}
                case Above(experiment, first, second, _, difference):
                    rows = (first, second, difference)
                    found |= {(experiment, row) for row in rows if row}
                case (
                    Side(experiment, row)
                    | Beyond(experiment, row)
                    | InRange(experiment, row)
                    | Times(experiment, row)
                ):
                    found.add((experiment, row))
    return found


def test_the_first_page_is_short():
    text = page.pages()[page.PAGE]
    assert len(text.splitlines()) < 120
    assert sum(line.startswith("|") for line in text.splitlines()) == len(CLAIMS) + 2 * len(PAPERS)
