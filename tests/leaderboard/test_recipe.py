"""The recipe that makes responses from public files: what it reads, and what it refuses."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import pickle
import struct
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cdec.leaderboards import (
    Leaderboard,
    differences,
    score_board,
)
from tests.leaderboard.test_made_responses import FOLDER, ROOT

RECIPE = ROOT / "docs" / "zero-shot-responses.py"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    """The script beside docs/zero-shot.md."""
    spec = importlib.util.spec_from_file_location("recipe", RECIPE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Files:
    """A clone whose files are given."""

    def __init__(self, recipe: ModuleType, files: dict[str, Any]) -> None:
        self.recipe, self.files = recipe, files

    def read(self, path: str) -> bytes:
        """Return a file: bytes, or the pickle of a value."""
        content = self.files[path]
        return content if isinstance(content, bytes) else pickle.dumps(content)

    def numbers(self, path: str) -> Any:
        """Return the content of a pickle."""
        return self.recipe.Clone.numbers(self, path)

    def scores(self, path: str) -> list[float]:
        """Return scores, flat."""
        return list(self.recipe.Clone.scores(self, path))


class Runs:
    """A pickle that runs a program when it is read."""

    def __reduce__(self) -> Any:
        return os.system, ("echo read > ran",)


@pytest.mark.parametrize("value", [Runs(), SimpleNamespace(a=1), [Runs()], {"a": Path("x")}])
def test_a_pickle_that_names_anything_else_is_refused(
    recipe: ModuleType, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="is not allowed"):
        recipe.Numbers(io.BytesIO(pickle.dumps(value))).load()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_are_read(recipe: ModuleType, protocol: int) -> None:
    value = [np.arange(6, dtype="float32").reshape(2, 3), np.float64(0.5), OrderedDict(a=1)]
    read = recipe.Numbers(io.BytesIO(pickle.dumps(value, protocol))).load()
    assert (read[0] == value[0]).all() and read[1:] == value[1:]


class FloatStorage:
    """Stands for the class of that name of torch."""


def test_a_tensor_is_read_as_torch_writes_it(
    recipe: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five pickles, of which the fourth names the storage, then the count and the numbers."""
    torch = ModuleType("torch")
    torch.FloatStorage = FloatStorage  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(FloatStorage, "__module__", "torch")

    class Pickler(pickle.Pickler):
        def persistent_id(self, value: Any) -> Any:
            return value if isinstance(value, tuple) and value[:1] == ("storage",) else None

    file = io.BytesIO()
    for value in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(value, file, 2)
    Pickler(file, 2).dump(("storage", FloatStorage, "0", "cpu", 4, None))
    pickle.dump(["0"], file, 2)
    numbers = np.array([0.25, 0.5, 0.75, 1], "<f4")
    file.write(struct.pack("<q", 4) + numbers.tobytes())
    stored = recipe.stored(file.getvalue())
    assert stored.tolist() == numbers.tolist()
    assert recipe.tensor(stored, 1, (3, 1), (1, 1)).tolist() == [[0.5], [0.75], [1.0]]


def test_holes_and_scores_beyond_the_list(recipe: ModuleType) -> None:
    """Links before the others; a score that is missing is empty, one too many is left out."""
    lists: Any = ([("a", "b")], [("a", "c"), ("b", "c")], [], [])
    folder = "datasets/gvc"
    scored = {m: np.array([[0.1], [0.2], [0.3], [0.4]], "float32") for m in recipe.SCORES["gvc"]}
    scored |= {"llama": np.array([1, 0])}
    files: dict[str, Any] = {
        f"{folder}/best_scores_llm_cdcr/scores_{m}.pkl": s for m, s in scored.items()
    }
    files[f"{folder}/lh_llama/mp_mp_t_test.pkl"] = (lists, lists)
    made = dict(recipe.nath(Files(recipe, files), "gvc", {"a": "doc/1"}))
    assert made["nath-2024/gvc.llama.csv"] == "a,b,score\ndoc/1,b,1\ndoc/1,c,0\nb,c,\n"
    expected = "a,b,score\ndoc/1,b,0.100000001\ndoc/1,c,0.200000003\nb,c,0.300000012\n"
    assert made["nath-2024/gvc.gpt.csv"] == expected


def test_both_directions(recipe: ModuleType) -> None:
    folder = "coreference/dpos_results_jan11"
    files: dict[str, Any] = {f"{folder}/lemma_balanced_tp_fp_test.tsv": b"a\tb\tPOS\na\tc\tNEG"}
    files |= {f"{folder}/test_prediction_scores_ab": np.array([[1.0], [0.5]])}
    files |= {f"{folder}/test_prediction_scores_ba": np.array([[0.0], [0.25]])}
    text = recipe.balanced(Files(recipe, files), "test")
    assert text == "a,b,score\na,b,1\na,c,0.5\nb,a,0\nc,a,0.25\n"
    files[f"{folder}/test_prediction_scores_ba"] = np.array([[0.0]])
    with pytest.raises(ValueError, match="2 pairs"):
        recipe.balanced(Files(recipe, files), "test")


def test_chains_of_equal_identifiers(recipe: ModuleType) -> None:
    """An argument that is an event counts with that event's arguments; rolesets by their class."""

    def task(
        number: int, sentence: str, roleset: str, agent: str, patient: str, **more: str
    ) -> Any:
        fields = {"mention_id": f"m{number}", "doc_id": "d", "sentence_id": sentence, "topic": "1"}
        fields |= {"roleset_id": roleset, "arg0": agent, "arg1": patient, "argL": "", "argT": ""}
        return {**fields, **more}

    people = [
        task(1, "1", "buy.01", "HP", "EYP", argT="12 November 2007"),
        task(2, "2", "acquire.01", "H_P/HP", "EYP"),  # the class of buy.01, another agent, too
        task(3, "1", "say.01", "HP", "buy.01"),
        task(4, "2", "say.01", "HP", "acquire.01"),
        task(5, "3", "say.01", "HP", "sell.01"),  # no event of its sentence
        task(6, "4", "buy.01", "HP", "Dell", argT="2007"),
    ]
    link = {"@resource": "VerbNet", "@class": ["13.5.2-1"]}
    links = {"buy.01": [link], "acquire.01": [link, {"@resource": "FrameNet", "@class": ["x"]}]}
    classes = {name: {"lexlinks": found} for name, found in links.items()}
    both = json.dumps(people).encode()
    paths = ["annotations/gpt4-coref.json", "annotations/adjudication_clean.json"]
    files: dict[str, Any] = {f"data/{path}": both for path in paths} | {
        "data/roleset.dict": classes
    }
    made = {name: json.loads(text) for name, text in recipe.xamr(Files(recipe, files))}
    eid = {"m1": "m1", "m2": "m1", "m3": "m3", "m4": "m3", "m5": "m5", "m6": "m6"}
    assert made["ahmed-2023/xamr.people.eid.json"] == eid
    assert made["ahmed-2023/xamr.people.eid-lt.json"] == {**eid, "m6": "m1"}  # the year
    assert made["ahmed-2023/xamr.gpt4.eid.json"]["m2"] == "m2"  # lemmas have no class


@pytest.mark.slow
def test_the_recipe_makes_the_rows(ecbplus: Path, corpora: Path, tmp_path: Path) -> None:
    """Needs clones of the repositories: CDEC_CLONES, folders separated as in PATH."""
    clones = os.environ.get("CDEC_CLONES", "").split(os.pathsep)
    if clones == [""]:
        pytest.skip("CDEC_CLONES names no clones of the repositories in docs/zero-shot.md")
    call = [sys.executable, RECIPE, tmp_path, "--clones", *clones, "--gvc", corpora / "GVC"]
    subprocess.run([*map(str, call)], check=True, capture_output=True)
    board = Leaderboard.at(FOLDER, tmp_path)
    only = [entry.name for entry in board.systems.values() if entry.made_from]
    named = {"ecb+": str(ecbplus), "gvc": str(corpora / "GVC")}
    scored = list(score_board(board, named, jobs=1, only=only))
    assert len(scored) == 25
    assert [str(one) for one in differences(board, scored) if one.system in only] == []
