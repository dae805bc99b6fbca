"""Figures that are kept: read as written, computed again only where the sources have changed."""

from __future__ import annotations

import json
import math

import pytest

from nbembed import cli, experiments
from nbembed.experiments import Experiment, Figure
from nbembed.experiments.papers import catalog, results, sources
from nbembed.experiments.papers.base import Outcome

FIGURES = (
    Figure("bounded", "0.5", 0.25, 0.1, 0.4, 2, {"random": 0.3}, 0.01),
    Figure("above", "", 3.0, high=5.0),
    Figure("not judged", "1", math.nan),
)


@pytest.fixture
def fakes(monkeypatch):
    """Return the names of the experiments that ran, of two whose figures are known."""
    ran: list[str] = []

    def experiment(name, *figures):
        def compute(data):
            ran.append(name)
            yield from figures

        return Experiment(name, "a fake (about 1 s)", (), True, compute)

    names = {
        "first": experiment("first", FIGURES[0]),
        "second": experiment("second", Figure("bad", "", 7.0, 0.0, 1.0)),
    }
    for module in (catalog, results, sources, experiments):
        monkeypatch.setattr(module, "NAMES", names)
    return ran


def entry(figures, source="abc", settings="def"):
    return results.Entry(tuple(figures), 1.5, "2026-01-01", {"numpy": "2"}, 2, source, settings)


def test_figures_are_read_as_they_were_written(tmp_path):
    file = tmp_path / "kept.json"
    results.write_results(file, {"one": entry(FIGURES)})
    (found,) = results.read_results(file).values()
    assert found.figures[:2] == FIGURES[:2]
    assert math.isnan(found.figures[2].measured)
    assert (found.seconds, found.versions) == (1.5, {"numpy": "2"})
    assert (found.source, found.settings) == ("abc", "def")
    json.loads(file.read_text(), parse_constant=pytest.fail)  # no NaN, no Infinity


def test_what_was_not_measured_is_kept_as_absent(tmp_path):
    file = tmp_path / "kept.json"
    unknown = Figure("bounded", "0.5", 0.25, 0.1, 0.4, 2, {"random": math.nan, "no": 0.3}, math.nan)
    results.write_results(file, {"one": entry([unknown])})
    (found,) = results.read_results(file)["one"].figures
    assert found.spread is None
    assert math.isnan(found.others["random"])
    assert found.others["no"] == 0.3
    assert found.compared == unknown.compared
    json.loads(file.read_text(), parse_constant=pytest.fail)  # no NaN, no Infinity


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 99}', '{"format": 1}'])
def test_what_is_no_file_of_results_is_named(tmp_path, content, capsys):
    file = tmp_path / "kept.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"kept\.json must be a file of results"):
        results.read_results(file)
    assert cli.main(["reproduce", "--full", "--results", str(file)]) == 2
    assert "must be a file of results" in capsys.readouterr().err
    assert file.read_text() == content
    assert results.read_results(tmp_path / "absent.json") == {}


def test_a_damaged_file_of_the_docs_is_named_too(fakes, tmp_path, monkeypatch, capsys):
    file = tmp_path / "kept.json"
    file.write_text("{")
    monkeypatch.setattr(results, "KEPT", file)
    assert cli.main(["reproduce", "--full"]) == 2
    assert "kept.json must be a file of results" in capsys.readouterr().err
    assert fakes == []


def test_a_full_run_goes_on_where_it_stopped(fakes, tmp_path, capsys):
    file = tmp_path / "kept.json"
    arguments = ["reproduce", "--full", "--results", str(file)]
    assert cli.main(["reproduce", "first", "--results", str(file)]) == 0
    assert cli.main(arguments) == 1  # the second lies outside its range
    assert fakes == ["first", "second"]
    assert "first: kept in" in capsys.readouterr().out
    assert cli.main(arguments) == 1  # the verdicts of what is kept count
    assert fakes == ["first", "second"]
    assert cli.main([*arguments, "--fresh"]) == 1
    assert cli.main(["reproduce", "first", "--results", str(file)]) == 0
    assert fakes == ["first", "second", "first", "second", "first"]
    assert results.read_results(file).keys() == {"first", "second"}


def test_an_interrupted_run_keeps_what_was_done(fakes, tmp_path, monkeypatch):
    def stopped(data):
        yield FIGURES[0]
        raise KeyboardInterrupt

    halted = Experiment("second", "a fake (about 1 s)", (), True, stopped)
    monkeypatch.setitem(catalog.NAMES, "second", halted)
    file = tmp_path / "kept.json"
    with pytest.raises(KeyboardInterrupt):
        cli.main(["reproduce", "--full", "--results", str(file)])
    assert results.read_results(file).keys() == {"first"}


def test_other_sources_are_computed_again(fakes, tmp_path):
    file = tmp_path / "kept.json"
    results.write_results(file, {"first": entry(FIGURES[:1], "of yesterday")})
    assert results.run_and_keep(file, "first", None, None, again=False) == 0
    assert results.run_and_keep(file, "first", None, None, again=False) == 0
    assert fakes == ["first"]


def test_a_run_keeps_the_digest_of_its_settings(fakes, tmp_path):
    file = tmp_path / "kept.json"
    assert cli.main(["reproduce", "first", "--results", str(file)]) == 0
    (found,) = results.read_results(file).values()
    assert found.settings == sources.settings_digest("first") != ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--fresh"], "--fresh needs --full"),
        (["--full", "first"], "takes no name"),
        (["--full", "--results", "absent/kept.json"], "in an existing directory"),
    ],
)
def test_wrong_options_run_nothing(fakes, arguments, problem, capsys):
    assert cli.main(["reproduce", *arguments]) == 2
    assert problem in capsys.readouterr().err
    assert fakes == []


def test_data_that_are_missing_leave_the_file_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "outcome", lambda name, data, n_jobs: Outcome(2))
    file = tmp_path / "kept.json"
    assert results.run_and_keep(file, "mbed-g50c", None, None, again=True) == 2
    assert not file.exists()
