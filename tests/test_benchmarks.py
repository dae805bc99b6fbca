"""What benchmarks report: medians, spreads, goals, memory, and the page that is made of them."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded  # dataclasses look their module up
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def report() -> ModuleType:
    return module("report")


def test_ratios_are_those_of_each_turn(report, capsys):
    made = report.Report("demo", threads=2)
    figure = made.ratio("work", [2.0, 30.0, 4.0], "a peer", [1.0, 10.0, 4.0], goal=2)
    assert (figure.median, figure.low, figure.high, figure.turns) == (2.0, 1.0, 3.0, 3)
    assert figure.met is True
    assert made.ratio("work", [6.0], "a peer", [1.0, 2.0, 3.0], goal=4).met is False
    assert made.figures[-1].median == 3.0
    assert made.value("work", [0.5, 0.7, 0.6], "s", at_most=0.6).met is True
    assert made.value("work", 3, "MiB").met is None
    out = capsys.readouterr().out
    assert "work: 2 × (1 to 3) against a peer, goal ≥ 2: met" in out
    assert "work: 3 × against a peer, goal ≥ 4: NOT met" in out
    assert "work: 0.6 s (0.5 to 0.7), goal ≤ 0.6: met" in out


def test_work_is_timed_in_turns_after_a_first_that_compiles(report):
    done = []
    clock = iter(range(100)).__next__
    work = {"one": lambda: done.append(1), "two": lambda: done.append(2)}
    assert report.timed(work, 2, clock, in_a_row=2) == {"one": [0.5, 0.5], "two": [0.5, 0.5]}
    assert done == [1, 2, 1, 1, 2, 2, 1, 1, 2, 2]


def test_figures_are_read_as_they_were_written(report, tmp_path):
    made = report.Report("demo")
    made.ratio("work", [2.0, 3.0], "a peer", [1.0, 1.0], goal=2)
    made.value("other", 0.25, "s")
    made.write(None)
    made.write(tmp_path / "demo.json")
    assert report.read(tmp_path / "demo.json") == ("demo", made.figures)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(91.37, "91.4"), (0.000123456, "0.000123"), (123456, "123000"), (7, "7"), (0, "0")],
)
def test_numbers_have_three_digits(report, value, shown):
    assert report.digits(value) == shown


def test_a_script_with_other_arguments_has_a_table_of_its_own(report, tmp_path):
    main = module("__main__")
    made = report.Report("latency")
    made.value("slider", 90, "ms", at_most=100)
    made.write(tmp_path / "latency_panels.json")
    page = main.page([tmp_path / "latency_panels.json"])
    assert "## latency_panels\n\n`python benchmarks/latency.py --panels`" in page
    for name, (script, arguments) in main.VARIANTS.items():
        assert not (FOLDER / f"{name}.py").exists(), "one name, one benchmark"
        text = (FOLDER / f"{script}.py").read_text()
        assert all(f'"{option}"' in text for option in arguments if option.startswith("--"))


def test_the_page_has_a_table_for_each_benchmark(report, tmp_path):
    made = report.Report("demo", threads=2)
    made.ratio("work", [2.0, 3.0], "a peer", [1.0, 1.0], goal=2)
    made.value("other", 0.25, "s", at_most=0.1)
    made.write(tmp_path / "demo.json")
    page = module("__main__").page([tmp_path / "demo.json"])
    assert page.startswith("# Performance\n")
    assert "| work, 2 threads | **2.5** × a peer (2 to 3) | ≥ 2: met |" in page
    assert "| other, 2 threads | **0.25** s | ≤ 0.1: **not met** |" in page
    assert report.machine() in page


def test_figures_of_another_machine_and_versions_say_so(report, tmp_path):
    made = report.Report("demo")
    made.value("work", 0.25, "s")
    files = [tmp_path / f"{name}.json" for name in ("here", "other", "older")]
    for file in files:
        made.write(file)
    content = json.loads(files[0].read_text())
    files[1].write_text(json.dumps({**content, "machine": "Abacus, 2 beads"}))
    files[2].write_text(json.dumps({**content, "versions": {"Python": "1.5", "numpy": "0.1"}}))
    page = module("__main__").page(files)
    head, here, other, older = page.split("## demo")
    assert report.machine() in head
    assert "this table" not in here.lower()
    assert other.endswith("| – |\n\nThis table was measured on: Abacus, 2 beads.\n\n")
    assert "Versions of this table: Python 1.5, numpy 0.1.\n" in older
    assert "measured on" not in older


def test_the_peak_of_memory_is_that_of_the_process_alone(report):
    here = bytearray(200 * 2**20)  # of this process, which the other does not have
    code = "import sys; taken = bytearray({} * 2**20); answer = sys.argv[1:]"
    small = report.in_fresh_process(code.format(1), "a", "b")
    large = report.in_fresh_process(code.format(101))
    assert len(here) == 200 * 2**20
    assert small["answer"] == ["a", "b"]
    assert small["mib"] < 150
    assert large["mib"] - small["mib"] == pytest.approx(100, abs=20)


def test_each_benchmark_says_how_it_is_run():
    for path in FOLDER.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.stem not in ("__main__", "layouts", "report"):
            assert re.search(rf"^    python benchmarks/{path.name}", text, re.MULTILINE), path.name
