"""What can be taken out of an Explorer, and what survives: a file that is saved by itself."""

from __future__ import annotations

import base64
import csv
import errno
import gc
import io
import json
import os
import re
import weakref
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import nbembed as nb
from nbembed.drawing.picture import PNG_KEY
from nbembed.drawing.scene import SCALES
from nbembed.session.file import storage
from nbembed.session.live.giver import given_by_hand
from nbembed.widget.host import autosave, exporting, opening, still_output
from nbembed.widget.view import view_state
from nbembed.widget.view.view_state import ChosenColumn, ViewState
from nbembed.widget.wire.protocol import CommandMessage
from tests.waiting import GUARD, eventually
from tests.widget.answers.test_group import Asking
from tests.widget.contract import check_message


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"u": rng.normal(size=24), "v": rng.normal(size=24), "kind": list("abc") * 8},
        index=[f"p{i}" for i in range(24)],
    )


@pytest.fixture
def explore():
    made = []

    def make(*args, **keywords):
        keywords = {"autoplay": False, **keywords}
        if args:
            keywords.setdefault("method", nb.SNE(random_state=0, max_iter=30))
        made.append(nb.Explorer(*args, **keywords))
        return made[-1]

    yield make
    for explorer in made:
        explorer.close()


# -- tables ------------------------------------------------------------------------------------


def test_labels_are_a_table_with_their_origin(explore, frame):
    explorer = explore(frame, color="kind")
    explorer._receive(None, {"type": "command", "client": "page", "request": 1, "name": "select",
                             "arguments": {"by": "lasso"}},
                      [np.array([1, 2], "<u4").tobytes()])  # fmt: skip
    explorer._receive(None, {"type": "command", "client": "page", "request": 2, "name": "label",
                             "arguments": {"class": "six", "confidence": 0.9}},
                      [np.array([1, 2], "<u4").tobytes()])  # fmt: skip
    explorer.session.label([5], "seven")
    table = explorer.label_table()
    assert table.index.tolist() == ["p1", "p2", "p5"]
    assert table.columns.tolist() == [
        "point", "label", "confidence", "source", "how", "time", "iteration",
    ]  # fmt: skip
    assert table.label.tolist() == ["six", "six", "seven"]
    assert table.source.tolist() == ["hand", "hand", "code"]
    assert table.how.tolist()[:2] == ["lasso", "lasso"]
    assert table.how.isna().tolist() == [False, False, True]
    assert str(table.time.dt.tz) == "UTC"
    assert table.iteration.tolist() == [0, 0, 0]
    text = str(explorer.session.changes[0])
    assert text == "label 2 points as six, confidence 0.9, by lasso"


def test_a_page_reads_labels_as_rows(explore, frame):
    explorer = explore(frame)
    explorer.session.label([2, 9], "b")
    explorer.session.label([5], "a", confidence=0.5)
    page = Asking(explorer)
    message, (order,) = page.ask("order", [], table="labels", column=2, descending=True)
    titles = [column["title"] for column in message["fields"]["columns"]]
    assert titles == ["#", "name", "label", "confidence", "source", "how", "time", "iteration"]
    assert np.frombuffer(order, "<u4").tolist() == [5, 2, 9]
    message, _ = page.ask("rows", [5], table="labels")
    (row,) = message["fields"]["cells"]
    assert row[1:5] == ["p5", "", "0.5", "code"]


def test_points_that_were_not_the_selection_have_no_tool(explore, frame):
    explorer = explore(frame)
    explorer._dispatcher.dispatch(
        CommandMessage("page", 1, "select", {"points": np.array([1]), "by": "lasso"})
    )
    explorer._dispatcher.dispatch(
        CommandMessage("page", 2, "label", {"points": np.array([2]), "class_": "a"})
    )
    assert explorer.session.label_provenance[2].how == ""


def test_a_table_of_labels_is_of_the_kind_of_the_data(explore, frame):
    import polars as pl

    explorer = explore(pl.from_pandas(frame))
    assert explorer.label_table().height == 0
    explorer.session.label([3], "a")
    table = explorer.label_table()
    assert table["point"].to_list() == [3]
    assert table["time"].dtype == pl.Datetime("ms", "UTC")
    wide = explorer.to_frame(provenance=True)
    assert wide["source"].to_list()[3] == "code"
    assert wide["source"].null_count() == 23


def test_csv_has_index_labels_and_origin(explore, frame, tmp_path):
    explorer = explore(frame, color="kind")
    explorer.session.label([0], '<b>, "x"')
    assert explorer.to_csv(tmp_path / "map.csv") is None
    text = (tmp_path / "map.csv").read_text(encoding="utf-8")
    assert text.replace("\r\n", "\n") == explorer.to_csv().replace("\r\n", "\n")
    found = list(csv.DictReader(io.StringIO(explorer.to_csv())))
    assert [row["index"] for row in found] == frame.index.tolist()
    assert (found[0]["label"], found[0]["source"]) == ('<b>, "x"', "code")
    assert found[1]["label"] == found[1]["time"] == ""
    again = pd.read_csv(io.StringIO(explorer.to_csv()), index_col="index")
    assert again.index.equals(frame.index)
    with pytest.raises(OSError, match="path must be where a file can be written"):
        explorer.to_csv(tmp_path / "none" / "x.csv")


def test_labels_go_back_into_the_users_own_frame(explore, frame):
    explorer = explore(frame)
    explorer.session.label([0, 4], "new")
    assert explorer.write_labels() is frame
    assert frame.label.dropna().to_dict() == {"p0": "new", "p4": "new"}
    explorer.write_labels(column="kind")
    assert frame.kind.tolist()[:5] == ["new", "b", "c", "a", "new"]
    other = pd.DataFrame(index=frame.index[::-1])
    assert explorer.write_labels(other).label["p4"] == "new"
    plain = explore(np.zeros((6, 2)) + np.arange(6)[:, None])
    with pytest.raises(ValueError, match="frame must be given"):
        plain.write_labels()
    with pytest.raises(TypeError, match="keep"):
        explorer.write_labels(keep="all")


def test_an_anndata_is_written_into(explore):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(12, 3)))
    explorer = explore(data)
    explorer.session.label([0], "T cell")
    assert explorer.to_anndata("map", into=data) is data
    assert data.obsm["X_map"].shape == (12, 2)
    assert data.obs["map_label"].tolist()[0] == "T cell"
    assert data.uns["map"]["method"] == "SNE"
    assert explorer.to_anndata().obsm["X_nbembed"].shape == (12, 2)
    explorer.write_labels(column="cell")
    assert data.obs["cell"].tolist()[0] == "T cell"


def test_the_page_gets_a_step_as_code(explore, frame):
    explorer = explore(frame)
    explorer.session.label([0], "a")
    page = Asking(explorer)
    message, _ = page.ask("change_code", number=1)
    assert message["fields"]["text"] == "session.label([0], 'a')"
    message, _ = page.ask("change_code", number=2)
    assert "number must be one of the 1 steps of the history" in message["error"]


def test_the_page_gets_history_table_and_page_as_answers(explore, frame):
    explorer = explore(frame)
    explorer.session.label([0], "a")
    sent = []
    explorer._queries._send = lambda content, buffers: sent.append((content, buffers))
    for request, name in enumerate(("changes", "labels_csv", "web_page"), start=1):
        explorer._receive(None, {"type": "query", "client": "page", "request": request,
                                 "asker": request, "name": name, "arguments": {}}, [])  # fmt: skip
    eventually(lambda: len(sent) == 3)
    for content, buffers in sent:
        check_message(content, [len(b) for b in buffers])
    fields = {content["name"]: content["fields"] for content, _ in sent}
    assert (fields["changes"]["place"], fields["changes"]["first"]) == (1, 0)
    assert fields["changes"]["changes"][0]["text"] == "label 1 point as a"
    assert fields["labels_csv"]["text"].startswith("index,x,y,label")
    assert fields["web_page"]["text"].startswith("<!doctype html>")


# -- pictures ----------------------------------------------------------------------------------


def test_pictures_are_returned_or_written(explore, frame, tmp_path):
    explorer = explore(frame, color="kind")
    explorer.session.step(5, wait=True)
    image = Image.open(io.BytesIO(explorer.to_png(width=200, height=160)))
    assert (image.size, image.text) == ((200, 160), {}), "shown beside the map, it stays there"
    assert explorer.to_svg().count("<circle") == 24 + 3
    explorer.to_png(tmp_path / "map.png")
    explorer.to_svg(tmp_path / "map.svg", dark=True)
    assert (tmp_path / "map.png").stat().st_size > 1000
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    for wrong in ({"width": 99}, {"height": 5000}, {"width": "wide"}, {"dark": 1}):
        with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
            explorer.to_png(**wrong)


def test_a_page_holds_the_map_and_nothing_of_it_can_act(explore, frame):
    hostile = "</script><script>alert(1)</script><!--"
    frame["text"] = hostile
    explorer = explore(frame, color="kind", names="text")
    explorer.session.label([0, 1], hostile)
    explorer.session.step(3, wait=True)
    page = explorer.to_html(title=hostile)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 3
    assert "alert(1)</" not in page
    state = json.loads(scripts[0])
    assert state["traits"]["classes"][0]["name"] == hostile
    assert len(state["cards"]) == 24
    assert state["cards"][0][1][-1][1] == hostile or hostile in str(state["cards"][0])
    coordinates = base64.b64decode(state["traits"]["coordinates"]["b64"])
    assert np.array_equal(
        np.frombuffer(coordinates, "<f4").reshape(-1, 2), explorer.session.embedding
    )
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)


@pytest.mark.parametrize(
    ("shown", "kept"),
    [("suggestion", "column"), ("stress", "column"), ("class", "class"), ("column", "column")],
)
def test_a_page_begins_with_colors_that_need_no_kernel(explore, frame, shown, kept):
    explorer = explore(frame, color="kind")
    explorer.color_by = shown
    page = explorer.to_html()
    state = json.loads(re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)[0])
    assert state["traits"]["color_by"] == kept


def test_pages_and_pictures_are_colored_by_a_measure(explore, frame):
    explorer = explore(frame, color="kind")
    explorer.session.label([0, 5], "a")
    explorer.session.step(5, wait=True)
    explorer.color_by = "stress"
    expected = explorer.why.measure("stress", 10)
    page = explorer.to_html()
    state = json.loads(re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)[0])
    assert state["traits"]["color_by"] == "stress"
    assert state["measure"]["name"] == "stress"
    assert state["measure"]["mean"] == pytest.approx(expected.mean())
    values = np.frombuffer(base64.b64decode(state["measure"]["values"]["b64"]), "<f4")
    assert values == pytest.approx(expected, abs=1e-6)
    high, low = [f'fill="{color.upper()}"' for color in (SCALES["light"][-1], SCALES["light"][0])]
    picture = explorer.to_svg()
    assert high in picture
    assert low in picture
    assert "stress " in picture
    explorer.color_by = "class"
    assert high not in explorer.to_svg()


def test_a_measure_that_there_is_not_leaves_the_picture_without_it(explore, frame, monkeypatch):
    def refused(name, k):
        raise RuntimeError("the session is closed")

    explorer = explore(frame)
    explorer.session.step(2, wait=True)
    monkeypatch.setattr(explorer.why, "measure", refused)
    explorer.color_by = "trustworthiness"
    assert explorer.to_svg().count("<circle") == 24
    page = explorer.to_html()
    state = json.loads(re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)[0])
    assert (state["measure"], state["traits"]["color_by"]) == (None, "class")


def test_a_page_without_a_map_has_no_points_on_one_spot(explore, frame):
    explorer = explore(frame)

    def coordinates():
        page = explorer.to_html()
        state = json.loads(re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)[0])
        return base64.b64decode(state["traits"]["coordinates"]["b64"])

    assert coordinates() == b""
    explorer.session.step(1, wait=True)
    assert len(coordinates()) == 24 * 2 * 4


def test_without_a_column_a_page_begins_with_the_class_labels(explore, frame):
    explorer = explore(frame)
    explorer.color_by = "pull"
    page = explorer.to_html()
    state = json.loads(re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)[0])
    assert state["traits"]["color_by"] == "class"


# -- the picture in the output -------------------------------------------------------------------


class FakePublisher:
    def __init__(self):
        self.sent = []

        self.scripts = []

    def publish(self, data, metadata, *, transient=None, update=False):
        if transient is None:
            self.scripts.append((data, len(self.sent)))
        else:
            self.sent.append((data, transient["display_id"], update))


def test_the_output_has_a_picture_that_follows_the_map(explore, frame, monkeypatch):
    publisher = FakePublisher()
    monkeypatch.setattr(still_output, "_publisher", lambda: publisher)
    monkeypatch.setattr(still_output, "REST", 0.0)
    explorer = explore(frame)
    assert publisher.sent == [], "nobody has displayed it"
    explorer._repr_mimebundle_()
    first, name, update = publisher.sent[0]
    still = Image.open(io.BytesIO(base64.b64decode(first["image/png"])))
    assert still.text == {PNG_KEY: "1"}, "the page finds it"
    assert first["text/plain"] == "Map of 24 points, SNE, iteration 0"
    assert not update
    explorer.session.step(4, wait=True)
    eventually(lambda: "iteration 4" in publisher.sent[-1][0]["text/plain"])
    assert publisher.sent[-1][1:] == (name, True)
    explorer.session.label([0], "a")
    explorer.close()
    assert all(shown == name for _, shown, _ in publisher.sent)
    count = len(publisher.sent)
    explorer.session.undo() if not explorer._owned else None
    assert len(publisher.sent) == count


def test_a_picture_waits_until_nothing_changes_but_not_for_ever(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(still_output.time, "monotonic", lambda: now[0])
    output = still_output.StillOutput(lambda: (b"", ""))
    due: list[float] = []
    output._renewal = SimpleNamespace(at=due.append)
    rest, motion = still_output.REST, still_output.MOTION
    for now[0], event in ((100.0, "supervision"), (100.5, "frame"), (101.2, "supervision")):
        output.note(event)
    assert due[-1] == 101.2 + rest, "who labels is at work"
    now[0] = 100 + motion - rest / 2
    output.note("frame")
    assert due[-1] == 100 + motion
    output.note("trace")  # changes no picture
    assert due[-1] == 100 + motion


def test_no_picture_where_none_is_wanted(explore, frame, monkeypatch):
    publisher = FakePublisher()
    monkeypatch.setattr(still_output, "_publisher", lambda: publisher)
    explore(frame, still=False)._repr_mimebundle_()
    assert publisher.sent == []


def test_the_page_lies_over_the_picture_on_request(explore, frame, monkeypatch):
    publisher = FakePublisher()
    monkeypatch.setattr(still_output, "_publisher", lambda: publisher)
    monkeypatch.setattr(still_output, "REST", 0.0)
    explorer = explore(frame, still="page")
    explorer._repr_mimebundle_()
    explorer.session.step(4, wait=True)
    eventually(lambda: "iteration 4" in publisher.sent[-1][0]["text/plain"])
    data, name, _ = publisher.sent[-1]
    assert name == publisher.sent[0][1]
    found = Tags(data["text/html"])
    assert [tag for tag, _ in found.all] == ["div", "img", "iframe"]
    assert found.all[1][1]["src"] == f"data:image/png;base64,{data['image/png']}"
    frame_of_page = found.all[2][1]
    assert frame_of_page["srcdoc"] == explorer.to_html(title="Map")
    assert "allow-same-origin" not in frame_of_page["sandbox"], "it cannot reach the notebook"


@pytest.mark.parametrize("still", ["picture", "", None, 2])
def test_other_words_for_what_is_saved_are_refused(explore, frame, still):
    with pytest.raises((ValueError, TypeError), match="still must be True, False or 'page', got"):
        explore(frame, still=still)


class Tags(HTMLParser):
    """The tags of some HTML with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.all = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.all.append((tag, dict(attrs)))


def test_a_picture_that_cannot_be_drawn_costs_nothing(explore, frame, monkeypatch):
    monkeypatch.setattr(still_output, "_publisher", lambda: SimpleNamespace(publish=None))
    assert explore(frame)._repr_mimebundle_() is not None


def test_a_script_follows_the_picture_once(explore, frame, monkeypatch):
    publisher = FakePublisher()
    monkeypatch.setattr(still_output, "_publisher", lambda: publisher)
    monkeypatch.setattr(still_output, "REST", 0.0)
    explorer = explore(frame)
    explorer._repr_mimebundle_()
    explorer.session.step(4, wait=True)
    eventually(lambda: "iteration 4" in publisher.sent[-1][0]["text/plain"])
    [(script, position)] = publisher.scripts
    assert position == 1, "between the picture and the widget"
    assert script["text/plain"] == ""
    assert script["text/html"].count("</script>") == 1
    assert "Error displaying widget" in script["text/html"]
    assert len(script["text/html"]) < 2000


# -- saving by itself ----------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(autosave, "DELAY", 0.0)
    monkeypatch.setattr(autosave, "REST", 0.0)


def read_view(path, n_samples):
    if not path.exists():
        return ViewState()
    with nb.load_session(path) as found:
        return view_state.view_state(found._stored_view, n_samples)


def labels_in(path):
    with nb.load_session(path) as found:
        return found.supervision.labeled.tolist()


def test_the_same_cell_goes_on_after_a_restart(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    with given_by_hand("lasso"):
        before.session.label([1, 2], "six")
    before.session.step(5, wait=True)
    before.session.set(perplexity=6)
    before.selection = [7]
    before.session.wait(timeout=GUARD)
    before.close()
    after = explore(frame, color="kind", autosave=path)
    assert after.labels == before.labels
    assert after.session.parameters["perplexity"] == 6
    assert np.array_equal(after.embedding, before.embedding)
    assert after.session.changes == before.session.changes
    assert after.label_table().how.tolist() == ["lasso", "lasso"]
    assert after.to_frame().index.equals(frame.index)
    assert after.selection.tolist() == [7]
    after.session.label([3], "seven")
    eventually(lambda: labels_in(path) == [1, 2, 3])


def test_the_file_alone_brings_map_and_colors_back(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    before.session.label([1], "six")
    before.session.step(3, wait=True)
    before.close()
    after = explore(autosave=path)
    assert np.array_equal(after.embedding, before.embedding)
    assert after.labels == before.labels
    assert after.color_column["names"] == ["a", "b", "c"]
    assert after.color_column["title"] == "kind"
    assert after.color_by == "column"
    with pytest.raises(ValueError, match="autosave must be an existing session file"):
        nb.Explorer(autosave=tmp_path / "none.nbembed")


def test_the_chosen_color_comes_back_with_the_same_cell(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    before.color("u")
    before.color_by = "class"
    eventually(lambda: read_view(path, 24).traits.get("color_by") == "class")
    before.color("u")
    eventually(lambda: read_view(path, 24).chosen == ChosenColumn("u"))
    before.color("v")  # no other trait than the column changes
    eventually(lambda: read_view(path, 24).chosen == ChosenColumn("v"))
    before.close()
    after = explore(frame, color="kind", autosave=path)
    assert (after.color_column["title"], after.color_by) == ("v", "column")
    np.testing.assert_allclose(np.frombuffer(after.color_values, "<f4"), frame["v"], rtol=1e-6)
    assert after.color_columns == ["u", "v", "kind"]
    after.color_by = "class"
    after.close()
    again = explore(frame, color="kind", autosave=path)
    assert (again.color_column["title"], again.color_by) == ("v", "class")
    again.close()
    other = pd.Series(range(24), name="other")
    with_another = explore(frame[["u", "v"]], color=other, autosave=path)
    assert with_another.color_column["title"] == "other", "a cell that was changed is obeyed"


def test_values_that_were_given_to_color_by_come_back(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    before.color(pd.Series(["x", None, "y"] * 8, name="mine"))
    before.close()
    after = explore(frame, color="kind", autosave=path)
    assert after.color_column["title"] == "mine"
    assert after.color_column["names"] == ["x", "y"]
    assert after.color_columns[-1] == "mine"
    after.close()
    alone = explore(autosave=path)
    assert alone.color_column["title"] == "mine"
    alone.close()
    again = explore(frame, color="kind", autosave=path)
    assert again.color_column["title"] == "mine"
    again.color("kind")
    again.close()
    assert explore(frame, color="kind", autosave=path).color_column["title"] == "kind"


def test_a_chosen_column_that_is_gone_comes_back_from_the_file(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    table = frame.assign(grade=pd.Categorical(["b", "a"] * 12))
    before = explore(table, color="kind", features=["u", "v"], autosave=path)
    before.color("grade")
    before.close()
    after = explore(frame, color="kind", autosave=path)
    assert after.color_column["title"] == "grade"
    assert after.color_column["names"] == ["a", "b"]


def test_a_saved_session_shows_again_what_it_showed(explore, frame, tmp_path):
    path = tmp_path / "saved.nbembed"
    explorer = explore(frame, color="kind")
    explorer.color("u")
    explorer.selection = [3]
    explorer.session.label([1], "a")
    explorer.session.wait(timeout=GUARD)
    explorer.class_styles.change("a", symbol="star")
    explorer.session.save(path)
    explorer.close()
    with nb.load_session(path) as session:
        after = explore(session=session, columns=frame, color="kind")
        assert (after.color_column["title"], after.color_by) == ("u", "column")
        assert after.selection.tolist() == [3]
        assert after.class_styles["a"]["symbol"] == "star"
        after.close()
        del after
        gc.collect()
        session.save(path)  # without an Explorer: what was in its file is in the new one
    with nb.load_session(path) as session:
        alone = explore(session=session)
        assert alone.color_column["title"] == "u"
        alone.close()


@pytest.mark.parametrize(
    "stored",
    [
        {"chosen": 3, "given": "kind"},
        {"chosen": {}, "given": []},
        {"chosen": {"name": ["u"]}, "given": "kind"},
        {"chosen": {"name": "\x00<b>" * 10**4}, "given": "kind"},
        {"chosen": {"name": "u"}, "given": "kind", "kind": "number", "names": None},
    ],
)
def test_damage_to_a_chosen_color_loses_nothing_else(
    explore, frame, tmp_path, quick, stored, monkeypatch
):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    before.session.label([4], "a")
    before.selection = [7]

    def damaged(widget):
        document, arrays = view_state.view_of(widget)
        return {**document, "color": {**document["color"], **stored}}, arrays

    with monkeypatch.context() as patched:
        patched.setattr(exporting, "view_of", damaged)
        before.close()
    after = explore(frame, color="kind", autosave=path)
    assert after.labels[4] == "a"
    assert after.selection.tolist() == [7]
    assert after.color_column["title"] in ("kind", "u")


def test_looks_of_classes_come_back(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    for point, name in enumerate(("six", "a", "seven")):
        before.session.label([point], name)
    before.session.wait(timeout=GUARD)
    before.class_styles.change("six", color="#e69f00", symbol="star", hidden=True)
    before.class_styles.change("seven", place=0)
    before.class_styles.change("a", symbol="cross")
    before.session.remove_class("a")  # what was chosen for it comes back with it
    before.session.wait(timeout=GUARD)
    chosen = {name: dict(style) for name, style in before.class_styles.items()}
    before.close()
    after = explore(frame, color="kind", autosave=path)
    assert list(after.class_styles) == ["seven", "six"]
    assert {name: dict(style) for name, style in after.class_styles.items()} == chosen
    assert [c["symbol"] for c in after.classes if c["name"] == "six"] == ["star"]
    after.session.undo()
    assert after.class_styles["a"]["symbol"] == "cross"


def test_a_look_alone_is_saved_without_being_asked(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    explorer = explore(frame, autosave=path)
    explorer.session.label([4], "a")
    eventually(lambda: path.exists() and labels_in(path) == [4])
    explorer.class_styles.change("a", symbol="star")
    eventually(lambda: read_view(path, 24).class_styles["looks"] == {"a": {"symbol": "star"}})


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {"looks": {}},
        {"looks": [], "order": []},
        {"looks": {"a": 3}, "order": []},
        {"looks": {"a": {"color": "red"}}, "order": []},
        {"looks": {"a": {"symbol": ["star"]}}, "order": []},
        {"looks": {"a": {"hidden": "no"}}, "order": []},
        {"looks": {}, "order": [[]]},
        {"looks": {}, "order": 3},
    ],
)
def test_damaged_looks_are_left_out(explore, frame, tmp_path, quick, stored, monkeypatch):
    path = tmp_path / "work.nbembed"
    before = explore(frame, autosave=path)
    before.session.label([4], "a")
    before.selection = [7]
    monkeypatch.setattr(type(before.class_styles), "stored", lambda self: stored)
    before.close()
    after = explore(frame, autosave=path)
    assert after.labels[4] == "a"
    assert after.selection.tolist() == [7]
    assert after.class_styles["a"]["symbol"] == "circle"


def test_each_change_is_saved_without_being_asked(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    explorer = explore(frame, autosave=path)
    eventually(path.exists)
    explorer.session.label([4], "a")
    eventually(lambda: labels_in(path) == [4])
    eventually(lambda: explorer.saved_to == "work.nbembed")
    assert explorer.save_error == ""


def test_a_file_of_other_data_is_left_alone(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    explore(frame, autosave=path).close()
    kept = path.read_bytes()
    with pytest.raises(ValueError, match="autosave must be a new file, or a session of the same X"):
        explore(frame[["u", "v"]] ** 2 + np.arange(24)[:, None], autosave=path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"autosave: .*choose another file"):
        explore(frame, autosave=tmp_path / "notes.txt")
    assert path.read_bytes() == kept
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(OSError, match="path must be where a file can be written"):
        explore(frame, autosave=tmp_path / "no" / "where")


def test_a_cell_run_again_takes_the_file_over(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.label([1], "a")
    second = explore(frame, autosave=path)
    assert second.labels[1] == "a"
    second.session.label([2], "b")
    eventually(lambda: labels_in(path) == [1, 2])
    first.session.label([9], "late")
    first.close()
    second.close()
    assert labels_in(path) == [1, 2]


@pytest.mark.parametrize("wrong", [{"color": [1, 2]}, {"names": ["a"]}, {"feature_names": ["u"]}])
def test_an_explorer_that_fails_to_open_leaves_the_saving_of_the_one_shown(
    explore, frame, tmp_path, quick, wrong
):
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.label([1], "a")
    eventually(lambda: path.exists() and labels_in(path) == [1])
    with pytest.raises(ValueError, match=next(iter(wrong))):
        explore(frame, autosave=path, **wrong)
    assert not first._autosave.closed
    assert first.saved_to == "work.nbembed"
    first.session.label([2], "b")
    first.close()
    assert labels_in(path) == [1, 2]
    assert [file.name for file in tmp_path.iterdir()] == ["work.nbembed"]


def test_a_cell_run_again_goes_on_from_all_that_was_said_however_late(
    explore, frame, tmp_path, monkeypatch
):
    monkeypatch.setattr(autosave, "DELAY", GUARD)  # nothing is saved in time without being asked
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.play()
    first.session.label([1], "a")
    second = explore(frame, autosave=path)
    assert second.labels[1] == "a"
    assert first._autosave.closed
    assert (first.saved_to, second.saved_to) == ("", "")
    second.session.label([2], "b")
    second.close()
    first.close()
    assert labels_in(path) == [1, 2]
    assert [file.name for file in tmp_path.iterdir()] == ["work.nbembed"]


@pytest.mark.parametrize("saved", [True, False])
def test_what_is_said_while_a_cell_is_run_again_is_kept_beside(
    explore, frame, tmp_path, quick, monkeypatch, saved
):
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.label([1], "a")
    check = opening.check_same_data

    def label_meanwhile(*given):
        monkeypatch.setattr(autosave, "DELAY", 0.0 if saved else GUARD)
        first.session.label([2], "late")
        if saved:
            eventually(lambda: labels_in(path) == [1, 2])
        check(*given)

    monkeypatch.setattr(opening, "check_same_data", label_meanwhile)
    second = explore(frame, autosave=path)
    monkeypatch.setattr(autosave, "DELAY", 0.0)
    second.session.label([3], "b")
    eventually(lambda: labels_in(path) == [1, 3])
    first.session.label([4], "later")
    beside = tmp_path / "work-2.nbembed"
    eventually(lambda: beside.exists() and labels_in(beside) == [1, 2, 4])
    eventually(lambda: first.saved_to == "work-2.nbembed")
    first.close()
    second.close()
    assert labels_in(path) == [1, 3]
    assert labels_in(beside) == [1, 2, 4]


def test_a_stranger_who_writes_while_a_cell_is_run_again_costs_no_label(
    explore, frame, tmp_path, quick, monkeypatch
):
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.label([1], "a")
    read = autosave.read_session

    def written_before(target, methods):
        with nb.load_session(target) as stranger:
            stranger.label([11], "theirs")
            stranger.save(target)
        return read(target, methods)

    monkeypatch.setattr(autosave, "read_session", written_before)
    second = explore(frame, autosave=path)
    second.session.label([2], "b")
    eventually(lambda: labels_in(path) == [1, 2, 11])
    first.session.label([3], "c")
    beside = tmp_path / "work-2.nbembed"
    eventually(lambda: beside.exists() and labels_in(beside) == [1, 3])


def test_a_save_under_way_when_a_file_is_taken_over_does_not_come_after(
    explore, frame, tmp_path, quick
):
    path = tmp_path / "work.nbembed"
    first = explore(frame, autosave=path)
    first.session.label([1], "a")
    second = explore(frame, autosave=path)
    second.session.label([2], "b")
    eventually(lambda: labels_in(path) == [1, 2])
    first._autosave._save()  # as its thread may just have begun to
    assert labels_in(path) == [1, 2]
    assert first.saved_to == ""
    # The second may be writing; its file is put in place when it is whole.
    eventually(lambda: [file.name for file in tmp_path.iterdir()] == ["work.nbembed"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selection", [3, 5]),
        ("color_by", "class"),
        ("names_shown", False),
        ("thumbnails_shown", False),
        ("sidebar_width", 260),
    ],
)
def test_what_is_shown_is_saved_without_being_asked(explore, frame, tmp_path, quick, name, value):
    path = tmp_path / "work.nbembed"
    explorer = explore(frame, color="kind", autosave=path)
    eventually(lambda: explorer.saved_to == "work.nbembed")
    setattr(explorer, name, value)
    eventually(lambda: np.array_equal(read_view(path, 24).traits.get(name, []), value))


def test_what_somebody_else_wrote_is_not_overwritten(explore, frame, tmp_path, quick):
    path = tmp_path / "work.nbembed"
    explorer = explore(frame, autosave=path)
    eventually(lambda: explorer.saved_to == "work.nbembed")
    with nb.load_session(path) as other:
        other.label([11], "theirs")
        other.save(path)
    explorer.session.label([1], "mine")
    eventually(lambda: explorer.saved_to == "work-2.nbembed")
    assert labels_in(path) == [11]
    assert labels_in(tmp_path / "work-2.nbembed") == [1]


@pytest.mark.parametrize("opened", ["before", "while a save is under way"])
@pytest.mark.parametrize("kernels", [2, 3])
def test_kernels_that_save_to_one_file_at_once_lose_no_label(
    explore, frame, tmp_path, monkeypatch, opened, kernels
):
    """Each kernel saves in the midst of the save of the one before it."""
    monkeypatch.setattr(autosave, "DELAY", GUARD)
    path = tmp_path / "work.nbembed"
    explore(frame, autosave=path).close()
    write, writers = storage.write_archive, []

    def kernel():
        monkeypatch.setattr(autosave, "_writers", weakref.WeakSet())  # those of this process
        explorer = explore(frame, autosave=path)
        writers.append(explorer)
        explorer.session.label([len(writers)], "a")
        return explorer

    if opened == "before":
        for _ in range(kernels):
            kernel()
    else:
        kernel()
    waiting = list(writers[1:])

    def slow(file, content, arrays):
        write(file, content, arrays)
        if len(writers) < kernels:
            kernel()._autosave._save()
        elif waiting:
            waiting.pop(0)._autosave._save()

    monkeypatch.setattr(storage, "write_archive", slow)
    assert writers[0]._autosave._save()
    found = [labels_in(file) for file in tmp_path.iterdir()]
    assert sorted(found) == [[k] for k in range(1, kernels + 1)]
    names = {f"work{'' if k == 1 else f'-{k}'}.nbembed" for k in range(1, kernels + 1)}
    assert {writer._autosave.path.name for writer in writers} == names


def test_an_error_of_saving_is_told_and_costs_nothing(explore, frame, tmp_path, quick, monkeypatch):
    path = tmp_path / "work.nbembed"
    explorer = explore(frame, autosave=path)
    eventually(lambda: explorer.saved_to == "work.nbembed")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(autosave, "save", full)
    explorer.session.label([1], "a")
    eventually(lambda: "No space left" in explorer.save_error)
    assert explorer.labels[1] == "a"


@pytest.mark.parametrize("ending", ["close", "exit"])
def test_a_last_save_that_fails_is_said_aloud(
    explore, frame, tmp_path, monkeypatch, caplog, ending
):
    monkeypatch.setattr(autosave, "_writers", weakref.WeakSet())
    explorer = explore(frame, autosave=tmp_path / "work.nbembed")
    explorer.session.label([1], "a")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(storage, "write_archive", full)
        said = r"the last changes could not be saved to .*work\.nbembed: .*No space left"
        with pytest.warns(UserWarning, match=said) as caught:
            autosave._save_all() if ending == "exit" else explorer.close()
    assert len(caught) == 1
    assert ending == "exit" or caught[0].filename == __file__
    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    explorer.session.save(tmp_path / "elsewhere")
    assert labels_in(tmp_path / "elsewhere") == [1]
    explorer._autosave.error = ""  # said once, at an end that is not the process's


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder that not even root writes")
@pytest.mark.parametrize("given", ["data", "session", "nothing"])
def test_a_folder_that_cannot_be_written_is_refused_at_once(explore, frame, given):
    path = "/proc/work.nbembed"
    with nb.Session(frame[["u", "v"]].to_numpy()) as session:
        keywords = {"data": {"X": frame}, "session": {"session": session}, "nothing": {}}[given]
        with pytest.raises(OSError, match="path must be where a file can be written, got '/proc/"):
            nb.Explorer(**keywords, autosave=path)


def test_a_broken_view_in_a_file_is_passed_over(explore, frame, tmp_path, quick, monkeypatch):
    path = tmp_path / "work.nbembed"
    before = explore(frame, color="kind", autosave=path)
    monkeypatch.setattr(
        before._autosave, "_view", lambda: ({"color_by": 3, "selection": [99], "color": []}, {})
    )
    before.session.label([1], "a")
    before.close()
    after = explore(autosave=path)
    assert after.labels[1] == "a"
    assert after.color_column["kind"] == "none"
