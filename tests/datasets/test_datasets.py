"""Bundled data, files on disk, OpenML's answers, and the generators."""

from __future__ import annotations

from importlib import resources
from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import Bunch

from nbembed import datasets
from nbembed.measures import knn_error


def test_vehicle_is_bundled():
    vehicle = datasets.load_vehicle()
    assert vehicle.X.shape == (846, 18)
    assert vehicle.X.dtype == np.float64
    assert vehicle.target_names == ["bus", "opel", "saab", "van"]
    assert np.bincount(vehicle.y).tolist() == [218, 212, 217, 199]
    # The neighbors of raw features tell .652 of the vehicles apart.
    assert knn_error(vehicle.X, vehicle.y) == pytest.approx(1 - 0.652, abs=0.001)


def test_the_pair_has_the_error_it_was_asked_for():
    X, y = datasets.gaussian_pair(40_000, 50, random_state=0)
    assert X.shape == (40_000, 50)
    assert np.bincount(y).tolist() == [20_000, 20_000]
    assert 1 - LinearDiscriminantAnalysis().fit(X, y).score(X, y) == pytest.approx(0.05, abs=0.004)
    again = datasets.gaussian_pair(40_000, 50, random_state=0)
    assert np.array_equal(X, again[0])
    assert np.bincount(datasets.gaussian_pair(5)[1]).tolist() == [3, 2]
    with pytest.raises(ValueError, match="error must be in"):
        datasets.gaussian_pair(error=0.5)


def test_the_crossed_pair_is_deterministic_and_its_clusters_say_nothing():
    X, y = datasets.crossed_pair(20_000, random_state=0)
    assert np.array_equal(y, X[:, 1] > X[:, 0])
    assert y.mean() == pytest.approx(0.5, abs=0.02)
    # The clusters lie along (1, …, 1), the classes across it.
    cluster = X.mean(axis=1) > 0
    assert np.corrcoef(cluster, y)[0, 1] == pytest.approx(0, abs=0.02)
    # Unit variance and means at ±0.25·(1, …, 1): 1 + 10·0.25² along the line of the means.
    values = np.linalg.eigvalsh(np.cov(X.T))
    assert values[-1] == pytest.approx(1 + 10 * 0.25**2, abs=0.05)
    assert values[:-1] == pytest.approx(1, abs=0.05)
    assert np.array_equal(datasets.crossed_pair(20_000, random_state=0)[0], X)


@pytest.mark.parametrize("draw", [datasets.gaussian_pair, datasets.crossed_pair])
def test_generators_name_bad_numbers(draw):
    with pytest.raises(ValueError, match="n_samples must be at least 1"):
        draw(0)
    with pytest.raises(ValueError, match="n_features must be at least"):
        draw(10, 0)


@pytest.mark.parametrize(
    ("load", "shape", "n_train", "counts", "error"),
    [
        (datasets.load_letter, (20000, 16), 16000, None, None),
        (datasets.load_satellite, (6435, 36), 4435, None, 1 - 0.909),
        (datasets.load_ionosphere, (351, 34), None, [126, 225], 1 - 0.866),
    ],
)
def test_bundled_sets(load, shape, n_train, counts, error):
    found = load()
    assert found.X.shape == shape
    assert found.X.dtype == np.float64
    assert found.X.flags.c_contiguous
    assert found.n_train == n_train
    assert found.y.max() + 1 == len(found.target_names)
    if counts is not None:
        assert np.bincount(found.y).tolist() == counts
    if error is not None:
        assert knn_error(found.X, found.y) == pytest.approx(error, abs=0.001)


def test_letters_are_what_uci_counts():
    letter = datasets.load_letter()
    assert letter.target_names[0] == "A"
    assert letter.feature_names[:3] == ["x.box", "y.box", "width"]
    assert np.bincount(letter.y)[[0, 7, 20]].tolist() == [789, 734, 813]
    assert (letter.X.min(), letter.X.max()) == (0, 15)
    # One in twenty of them is enough to see that they are no noise.
    few = slice(None, None, 20)
    assert knn_error(letter.X[few], letter.y[few]) < 0.35


def test_what_is_bundled_is_small_and_credited():
    folder = resources.files("nbembed.datasets") / "bundled"
    files = {path.name: len(path.read_bytes()) for path in folder.iterdir()}
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    bundled = {name for name in files if name.endswith(".npz")}
    assert bundled == {f"{n}.npz" for n in datasets.names() if datasets.CATALOG[n].bundled}
    assert all(name in notice for name in bundled)
    assert sum(files.values()) < 300_000


def test_load_takes_bundled_sets_folders_and_files(tmp_path):
    assert datasets.load("vehicle").X.shape == (846, 18)
    parts = {"X": np.eye(3), "y": [0, 1, 1], "target_names": ["a", "b"]}
    np.savez(tmp_path / "mine.npz", **parts)
    np.savez(tmp_path / "vehicle.npz", **parts)
    assert datasets.load("mine", tmp_path).X.shape == (3, 3)
    assert datasets.load("whatever", tmp_path / "mine.npz").X.shape == (3, 3)
    assert datasets.load("vehicle", tmp_path).X.shape == (3, 3), "one's own goes first"
    assert datasets.load("letter", tmp_path).X.shape == (20000, 16)
    with pytest.raises(ValueError, match=r"name must be one of .*g50c.* got 'nothing'"):
        datasets.load("nothing", tmp_path)
    with pytest.raises(datasets.MissingDataError, match=r"uspst\.npz .*it is not in"):
        datasets.load("uspst", tmp_path)
    with pytest.raises(datasets.MissingDataError, match="does not exist"):
        datasets.load("g50c", tmp_path / "other.npz")


def test_names_begin_with_what_is_bundled():
    names = datasets.names()
    assert set(names[:4]) == {"letter", "satellite", "vehicle", "ionosphere"}
    assert len(set(names)) == len(names) == len(datasets.CATALOG)


def test_fetch_reads_what_openml_answers(monkeypatch):
    asked = {}

    def answer(**how):
        asked.update(how)
        return Bunch(
            data=np.arange(6).reshape(3, 2),
            target=np.array(["R", "L", "R"], dtype=object),
            feature_names=["weight", "distance"],
        )

    monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)
    found = datasets.fetch("balance", data_home="here")
    assert (asked["data_id"], asked["data_home"]) == (11, "here")
    assert found.target_names == ["L", "R"]
    assert found.y.tolist() == [1, 0, 1]
    assert found.X.dtype == np.float64
    assert found.feature_names == ["weight", "distance"]


def test_fetch_without_a_network_says_so(monkeypatch):
    def no_answer(**how):
        raise URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_answer)
    with pytest.raises(datasets.MissingDataError, match=r"segment could not .*no route.*Image Seg"):
        datasets.fetch("segment")
    with pytest.raises(ValueError, match="name must be one of 'segment', 'balance', 'mnist'"):
        datasets.fetch("g50c")


def test_files_dense_and_sparse(tmp_path):
    y = np.array([0, 1, 1])
    names = np.array(["a", "b"])
    X = np.eye(3, dtype=np.float32)
    np.savez_compressed(
        tmp_path / "dense.npz", X=X, y=y, target_names=names, labeled_idx_2=[[0, 1], [0, 2]]
    )
    dense = datasets.read(tmp_path, "dense")
    assert np.array_equal(dense.X, X)
    assert dense.masked(0, 2).tolist() == [0, 1, -1]
    assert dense.masked(1, 2).tolist() == [0, -1, 1]
    parts = sparse.csr_array(X)
    np.savez_compressed(
        tmp_path / "sparse.npz",
        X_data=parts.data,
        X_indices=parts.indices,
        X_indptr=parts.indptr,
        X_shape=parts.shape,
        y=y,
        target_names=names,
    )
    found = datasets.read(tmp_path, "sparse")
    assert sparse.issparse(found.X)
    assert np.array_equal(found.X.toarray(), X)
    assert found.labeled == {}


@pytest.mark.parametrize(
    "wrong", [{"X_indices": [0, 1, 2**30]}, {"X_indptr": [0, 1, 2, 2**30]}, {"X_shape": [3, 1]}]
)
def test_a_malformed_matrix_of_a_file_is_refused(tmp_path, wrong):
    parts = {
        "X_data": np.ones(3), "X_indices": [0, 1, 2], "X_indptr": [0, 1, 2, 3], "X_shape": [3, 3],
        "y": [0, 1, 0], "target_names": ["a", "b"],
    }  # fmt: skip
    np.savez(tmp_path / "mine.npz", **{**parts, **wrong})
    with pytest.raises(ValueError, match=r"mine\.npz: X must be a well-formed sparse matrix"):
        datasets.read(tmp_path, "mine")


def test_a_missing_file_says_what_it_is(tmp_path):
    with pytest.raises(datasets.MissingDataError, match=r"g50c\.npz .*Chapelle"):
        datasets.read(tmp_path, "g50c")
    with pytest.raises(datasets.MissingDataError, match=r"text_mac_win\.npz .*no data directory"):
        datasets.read(None, "text_mac_win")


def test_a_file_with_objects_is_refused(tmp_path):
    np.savez(tmp_path / "bad.npz", X=np.array([{}], dtype=object), y=[0], target_names=["a"])
    with pytest.raises(ValueError, match="pickle"):
        datasets.read(tmp_path, "bad")


def test_everything_else_in_a_file_is_kept(tmp_path):
    counts = sparse.csr_array(np.eye(2, 5))
    np.savez(
        tmp_path / "coil20.npz",
        X=np.zeros((2, 1), dtype=np.uint8),
        y=[0, 1],
        target_names=["a", "b"],
        vocabulary=["word"],
        n_train=1,
        generated_labeled_idx_1=[[0], [1]],
        total=[3, 4],
        counts_data=counts.data,
        counts_indices=counts.indices,
        counts_indptr=counts.indptr,
        counts_shape=counts.shape,
    )
    found = datasets.load("coil20", tmp_path)
    assert found.feature_names == ["word"]
    assert found.n_train == 1
    assert found.labeled[1].tolist() == [[0], [1]]
    assert "random" in found.note
    assert np.array_equal(found.extra["counts"].toarray(), np.eye(2, 5))
    assert found.extra["total"].tolist() == [3, 4]


def test_splits_that_do_not_exist_are_named(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=[0, 1], target_names=["a", "b"],
             labeled_idx_1=[[0]])  # fmt: skip
    found = datasets.load("a", tmp_path)
    with pytest.raises(ValueError, match=r"n_labels must be one of \[1\], got 2"):
        found.masked(0, 2)
    with pytest.raises(ValueError, match=r"split must be in \[0, 1\)"):
        found.masked(1, 1)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"y": [0]}, "must contain X"),
        ({"X": np.eye(2)}, "must contain X"),
        (
            {"X": np.eye(2), "y": [0], "target_names": ["a"]},
            r"one value per row of X, shape \(2,\)",
        ),
    ],
)
def test_files_that_lack_something_are_refused(tmp_path, parts, message):
    np.savez(tmp_path / "bad.npz", **parts)
    with pytest.raises(ValueError, match=message):
        datasets.load("bad", tmp_path)
    np.save(tmp_path / "single.npz.npy", np.eye(2))
    (tmp_path / "single.npz.npy").rename(tmp_path / "single.npz")
    with pytest.raises(ValueError, match="a single one"):
        datasets.load("single", tmp_path)


@pytest.mark.parametrize(
    "draw",
    [
        datasets.crossed_pair,
        datasets.gaussian_pair,
        datasets.toy_few_labels,
        datasets.toy_multimodal,
        datasets.toy_neither_alone,
    ],
)
def test_seeds_are_named(draw):
    for wrong in ("abc", -1, 1.5, [1, 2], True):
        with pytest.raises(ValueError, match="random_state must be None, a non-negative integer"):
            draw(random_state=wrong)
    for wrong in ("abc", 50.0, None, 10**30):
        with pytest.raises((TypeError, ValueError), match="n_samples must be"):
            draw(wrong)
    drawn = draw(random_state=np.random.RandomState(3))
    assert np.isfinite(drawn[0] if isinstance(drawn, tuple) else drawn.X).all()


@pytest.mark.parametrize("wrong", [3, b"data", object()])
def test_places_of_files_are_named(wrong):
    with pytest.raises(TypeError, match="folder must be a path"):
        datasets.load("segment", wrong)
    with pytest.raises(TypeError, match="directory must be a path"):
        datasets.read(wrong, "segment")
    with pytest.raises(ValueError, match="directory must be a path, got empty text"):
        datasets.read("", "segment")


@pytest.mark.parametrize("wrong", [3, None, ["letter"]])
def test_names_are_text(wrong, tmp_path):
    with pytest.raises(TypeError, match="name must be text"):
        datasets.load(wrong)
    with pytest.raises(TypeError, match="name must be text"):
        datasets.read(tmp_path, wrong)
    with pytest.raises(ValueError, match="name must be one of"):
        datasets.fetch(wrong)


@pytest.mark.parametrize("direction", [1, [0.0, 0.0], [np.inf, 1.0], [np.nan, 1.0], 10**400])
def test_the_angle_of_what_is_no_direction_is_refused(direction):
    toy = datasets.toy_few_labels(40, random_state=0)
    with pytest.raises(ValueError, match="direction must be"):
        toy.angle(direction)
    assert toy.angle(1e300 * toy.axis) == pytest.approx(0, abs=1e-5)


def test_an_offset_that_no_array_holds_is_refused_or_taken_as_a_float():
    assert np.isfinite(datasets.crossed_pair(10, offset=2**63, random_state=0)[0]).all()
    with pytest.raises(ValueError, match="offset"):
        datasets.crossed_pair(10, offset=10**400)
