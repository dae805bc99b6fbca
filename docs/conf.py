"""How Sphinx builds the site: MyST pages, the notebooks run once more, the API from docstrings.

    python -m pip install -e ".[docs]"
    python -m sphinx -W --keep-going docs docs/_build/html

Nothing is fetched. With ``NBEMBED_DOCS_NOTEBOOKS=off`` the notebooks are shown without outputs,
which is quick while one writes.
"""

from __future__ import annotations

import os
import re
import shutil
from importlib import import_module
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

import nbembed

HERE = Path(__file__).parent

project = "nbembed"
author = copyright = "The nbembed developers"
release = version = nbembed.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
exclude_patterns = ["_build", "README.md", "*.py"]
templates_path = ["_templates"]
html_theme = "furo"
html_math_renderer = "mathml"
html_title = "nbembed"
html_static_path = ["_static"]
html_css_files = ["claims.css"]

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

# Notebooks lie beside the package, for people; Sphinx reads only its own folder.
shutil.rmtree(HERE / "notebooks", ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks", ignore=shutil.ignore_patterns(".*"))


def _in_own_folder(app, name, source) -> None:
    """Lead links to notebooks to their copies; in the files they work where the files lie."""
    source[0] = re.sub(r"\]\(((?:\.\./)*)\.\./notebooks/", r"](\1notebooks/", source[0])


nb_execution_mode = os.environ.get("NBEMBED_DOCS_NOTEBOOKS", "cache")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_show_tb = True
# Bokeh's outputs carry types of its own for JupyterLab, beside the scripts that a page runs.
suppress_warnings = ["mystnb.unknown_mime_type"]
# A live widget needs its kernel: on a page its picture stands for it, or its one line of text.
WIDGET = "application/vnd.jupyter.widget-view+json"
nb_mime_priority_overrides = [("html", WIDGET, None)]


def _pictures_of_maps(app, doctree) -> None:
    """Leave out the line of text of a widget whose picture is another output of its cell."""
    for cell in doctree.findall(nodes.container):
        if "cell_output" not in cell["classes"]:
            continue
        outputs = [node for node in cell.children if node.get("nb_element") == "mime_bundle"]
        kinds = [{kind["mime_type"] for kind in node.children} for node in outputs]
        if any("image/png" in found for found in kinds):
            for node, found in zip(outputs, kinds, strict=True):
                if WIDGET in found:
                    cell.remove(node)


autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's types carry the shapes
autodoc_default_options = {"show-inheritance": False}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False


# -- equations as MathML, which browsers draw by themselves: pages need no network ---------------


def _inline_math(translator, node) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display_math(translator, node) -> None:
    equation = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math" style="margin: 1em 0">{equation}</div>')
    raise nodes.SkipNode


def setup(app) -> None:
    """Register how equations are written, where notebooks lie and how their maps are shown."""
    app.connect("source-read", _in_own_folder)
    app.connect("doctree-read", _pictures_of_maps)
    app.add_html_math_renderer("mathml", (_inline_math, None), (_display_math, None))


# -- the API's table of contents, from the public names themselves ------------------------------

#: Title and names of each section; a module's name stands for all that its ``__all__`` lists.
SECTIONS = {
    "Estimators": [
        "nbembed.SNE",
        "nbembed.HSSNE",
        "nbembed.NeRV",
        "nbembed.SNeRV",
        "nbembed.Mbed",
        "nbembed.ParametricEmbedding",
    ],
    "Spectral learners": ["nbembed.spectral"],
    "Baselines": ["nbembed.baselines"],
    "Learning metric": ["nbembed.LearningMetric"],
    "Label propagation": ["nbembed.propagation"],
    "Posteriors": ["nbembed.posteriors"],
    "Preparing data": ["nbembed.Preparation"],
    "Supervision": ["nbembed.Supervision"],
    "Live": ["nbembed.Session", "nbembed.load_session", "nbembed.Explorer"],
    "Measures": ["nbembed.measures"],
    "Plots": ["nbembed.plots"],
    "Data sets": ["nbembed.datasets"],
    "Experiments": ["nbembed.experiments"],
    "Affinities": ["nbembed.affinities"],
    "Objectives": ["nbembed.objectives"],
    "Optimizers": ["nbembed.optimizers"],
    "Schedules and runs": [
        "nbembed.Schedule",
        "nbembed.Stage",
        "nbembed.Run",
        "nbembed.run.Record",
        "nbembed.run.Checkpoint",
    ],
    "Writing a recipe": [
        "nbembed.Recipe",
        "nbembed.methods.LiveParameter",
        "nbembed.methods.Geometry",
        "nbembed.methods.Start",
        "nbembed.methods.PathStep",
        "nbembed.methods.register",
    ],
}


def _public(name: str) -> list[str]:
    """Return the full names that an entry of :data:`SECTIONS` stands for."""
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        return [name]
    return [
        f"{name}.{each}"
        for each in module.__all__
        if not isinstance(getattr(module, each), dict | tuple)
    ]


def _write_api_index() -> None:
    pages = ["# API\n", "All names below are public; others may change without notice.\n"]
    for title, names in SECTIONS.items():
        listed = [full for name in names for full in _public(name)]
        table = [".. autosummary::", "   :toctree: generated", "", *(f"   {n}" for n in listed)]
        pages.append("\n".join([f"## {title}\n", "```{eval-rst}", *table, "```\n"]))
    (HERE / "api" / "index.md").write_text("\n".join(pages), encoding="utf-8")


shutil.rmtree(HERE / "api", ignore_errors=True)
(HERE / "api").mkdir()
_write_api_index()
