"""The pages of the site keep their promises: their Python runs, top to bottom, page by page."""

from __future__ import annotations

import fnmatch
import pkgutil
import re
import warnings
from pathlib import Path

import pytest

import nbembed
from docs.screenshots import PICTURES
from nbembed.experiments.papers.published import PAPERS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [
    DOCS / "equations.md",
    DOCS / "get-started.md",
    DOCS / "larger-than-one-machine.md",
    DOCS / "notation.md",
    DOCS / "which-method.md",
    DOCS / "your-own-recipe.md",
    *sorted((DOCS / "guide").glob("*.md")),
    *sorted((DOCS / "hosts").glob("*.md")),
    *sorted((DOCS / "methods").glob("*.md")),
]
#: The spectral learners that a person chooses among.
LIVE_LEARNERS = ["FDA", "LFDA", "MFA", "DNE", "SELF", "SSFDA", "SSMMC", "LPP", "PCA", "KPCATrick"]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if BLOCK.search(p.read_text())], ids=lambda p: p.stem
)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pages write files
    names: dict[str, object] = {"__name__": "__main__"}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if page.parent.name == "guide" and page.stem != "index":  # it goes on from the first cell
        blocks[:0] = BLOCK.findall(page.with_name("index.md").read_text(encoding="utf-8"))[:1]
    with warnings.catch_warnings():  # a page may silence warnings
        for block in blocks:
            exec(compile(block, page.name, "exec", dont_inherit=True), names)
    if "explorer" in names:
        session = names["explorer"].session
        names["explorer"].close()
        session.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_names_are_real(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"{py:\w+}`~?nbembed\.([\w.]+)`", text) + re.findall(
        r"`nb\.([\w.]+)", text
    ):
        pkgutil.resolve_name(f"nbembed.{name}")


def test_the_page_of_choice_has_every_method_with_the_sentence_that_the_explorer_shows():
    text = (DOCS / "which-method.md").read_text(encoding="utf-8")
    names = ["SNE", "HSSNE", "NeRV", "SNeRV", "Mbed", "ParametricEmbedding"]
    names += [f"spectral.{name}" for name in LIVE_LEARNERS]
    for name in names:
        kind: object = nbembed
        for part in name.split("."):
            kind = getattr(kind, part)
        assert re.search(
            rf"`nb\.{re.escape(name)}(\(.*?\))?`: \*{re.escape(kind.recipe_type.summary)}\*", text
        ), name


def test_each_page_of_the_top_has_its_place_also_the_one_of_benchmarks():
    """A page in no table of contents, or a pattern without a page, breaks the build."""
    text = "".join(
        (DOCS / f"{n}.md").read_text(encoding="utf-8") for n in ("index", "reproduction")
    )
    trees = re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL)
    entries = [line for tree in trees for line in tree.split("\n") if line and line[0] != ":"]
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index", "README", "performance"}
    for present in (pages, pages | {"performance"}):
        found = [name for entry in entries for name in fnmatch.filter(present, entry)]
        assert sorted(found) == sorted(present)
        assert all("/" in e or fnmatch.filter(present, e) for e in entries)


def test_the_guide_shows_each_picture_of_its_script_and_each_is_small():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    kept = {picture.stem: picture for picture in (DOCS / "images" / "guide").iterdir()}
    assert set(re.findall(r"images/guide/([\w-]+)\.webp", text)) == PICTURES.keys() == kept.keys()
    assert all(picture.stat().st_size < 200_000 for picture in kept.values())


def test_links_to_notebooks_work_in_the_files_as_they_lie():
    """Sphinx leads them to its own copies (docs/conf.py)."""
    notebooks = DOCS.parent / "notebooks"
    for page in [*DOCS.glob("*.md"), *DOCS.glob("*/*.md")]:
        links = re.findall(r"\]\(([^)#:]+\.ipynb)\)", page.read_text(encoding="utf-8"))
        for link in links:
            target = (page.parent / link).resolve()
            assert target.is_relative_to(notebooks), page.name
            assert target.is_file(), page.name


#: Equations that the papers number.
NUMBERED = {"Mbed": 21, "SNeRV": 1, "Framework": 0, "PE": 20, "HSSNE": 23}


def test_each_numbered_equation_has_its_row():
    _, *parts = (DOCS / "equations.md").read_text(encoding="utf-8").split("\n## ")
    found = {}
    for part in parts:
        numbers = []
        for first in re.findall(r"^\| (\(.*?) \|", part, re.MULTILINE):
            ends = [int(number) for number in re.findall(r"\((\d+)\)", first)]
            numbers += range(ends[0], ends[1] + 1) if " to " in first else ends
        found[part.partition("\n")[0]] = numbers
    assert found == {name: [*range(1, last + 1)] for name, last in NUMBERED.items()}
    assert found.keys() == {paper.name for paper in PAPERS}


def test_the_lessons_of_equations_have_these_parts():
    text = (DOCS / "equations.md").read_text(encoding="utf-8")
    parts = re.findall(r"\[(\d\d) (§|exercise )(\d)\]\(\.\./(notebooks/.*?\.ipynb)\)", text)
    assert len(parts) == text.count("](../notebooks/")
    for number, kind, part, path in parts:
        assert f"/{number}-" in path
        lesson = (DOCS.parent / path).read_text(encoding="utf-8")
        assert (f"## {part}. " if kind == "§" else f"**{part}.** ") in lesson, (number, kind, part)


@pytest.mark.parametrize("page", [*(DOCS / "methods").glob("*.md")], ids=lambda page: page.stem)
def test_pages_of_methods_lead_to_the_claims_of_their_paper(page):
    ours = page.stem in ("index", "propagation", "sne")  # of none of the five papers
    assert ours != ("reproduction" in page.read_text(encoding="utf-8"))


#: What every page of a host says, in this order.
OF_A_HOST = ["Start", "What works", "What differs", "How it is checked", "Known limits"]


def test_every_host_has_a_page_of_the_same_build_and_every_page_is_listed():
    index = (DOCS / "hosts" / "index.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"{toctree}\n:hidden:\n:maxdepth: 1\n\n(.*?)```", index, re.DOTALL)
    pages = {page.stem: page for page in (DOCS / "hosts").glob("*.md") if page.stem != "index"}
    assert sorted(listed.split()) == sorted(pages)
    for name, page in pages.items():
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == OF_A_HOST, name
        assert f"]({name}.md)" in index
        start = text.split("## What works")[0]
        assert start.count("```") >= 2, f"{name} has no command to copy"


#: Which classes the sliders of a page belong to; the rest have none.
LIVE = {
    "sne": ["SNE"],
    "hssne": ["HSSNE"],
    "mbed": ["Mbed"],
    "nerv": ["NeRV"],
    "snerv": ["SNeRV"],
    "parametric-embedding": ["ParametricEmbedding"],
    "spectral": [
        f"spectral.{name}" for name in ("FDA", "MFA", "LPP", "SELF", "SSFDA", "KPCATrick")
    ],
}


@pytest.mark.parametrize("page", LIVE)
def test_the_sliders_of_a_page_are_those_that_there_are(page):
    text = (DOCS / "methods" / f"{page}.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"## Live parameters\n\n(.*?)\n\n", text, re.DOTALL)
    shown = {
        (row.split("|")[1].strip(), row.split("|")[2].strip(" `")) for row in table.split("\n")[2:]
    }
    kinds = []
    for name in LIVE[page]:
        kind: object = nbembed
        for part in name.split("."):
            kind = getattr(kind, part)
        kinds.append(kind)
    assert shown == {(p.symbol, p.name) for kind in kinds for p in kind.recipe_type.live_parameters}


def test_every_method_has_a_page_and_every_page_is_listed():
    index = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"{toctree}\n:hidden:\n\n(.*?)```", index, re.DOTALL)
    assert sorted(listed.split()) == sorted(
        p.stem for p in PAGES if p.parent.name == "methods" and p.stem != "index"
    )
