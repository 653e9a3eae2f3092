"""The baselines beside slow twins, tuning beside a search by hand, models, systems of others."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Hashable
from importlib import metadata
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import TfidfVectorizer

import cdec as library
from cdec.baselines import system
from tests.cases import cases
from tests.program import Run

PARTS = ("dev", "test")
SIMPLE = ("--setting", "simple", "--metric", "conll", "-f", "json")
WRONG = cases("wrong_configs")
PROGRAMS = cases("baseline_programs")
CONFIG = 'format = "cdec-config/1"\nsystem = "lemma-delta"\ndelta = {}\n'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def chains(cdec: Run, part: str, name: str, *more: object) -> pd.Series[str]:
    """Return mention → chain of a baseline, from the file that predict writes."""
    assert cdec("predict", "--system", name, "--split", part, *more, "-o", "x.csv").exit == 0
    table = pd.read_csv("x.csv", dtype=str, keep_default_na=False)
    return table.set_index("mention")["chain"]


def partition(labels: pd.Series[Any]) -> set[frozenset[Hashable]]:
    """Return the chains as sets of mentions."""
    return {frozenset(group.index) for _, group in labels.groupby(labels)}


def joined(labels: pd.Series[Any], links: Callable[[str, str], bool]) -> set[frozenset[Hashable]]:
    """Return the chains of all pairs with one label that link."""
    places = dict(zip(labels.index, range(len(labels)), strict=True))
    groups = [group.index for _, group in labels.groupby(labels)]
    pairs = [pair for group in groups for pair in combinations(group, 2) if links(*pair)]
    row, column = [places[a] for a, _ in pairs], [places[b] for _, b in pairs]
    graph = coo_array((np.ones(len(pairs)), (row, column)), (len(labels), len(labels)))
    return partition(pd.Series(connected_components(graph)[1], labels.index))


def f1(cdec: Run, *call: object) -> float:
    """Return the CoNLL F1 under SIMPLE-CDEC."""
    return float(cdec("eval", *call, *SIMPLE).json["rows"][0]["f1"])


# ---- lemma, lemma-wd, lemma-delta ----


def test_forms_of_one_lemma_are_one_chain_by_their_heads() -> None:
    sentences = {
        "a": [["Rebels", "kill", "nine", "."], ["They", "killed", "nine"]],
        "b": [["He", "kills", "again", "."], ["A", "terrible", "quake", "struck", " "]],
    }
    documents = [{"id": doc, "sentences": text} for doc, text in sentences.items()]
    spans = [("a", 1, 1), ("a", 5, 5), ("b", 1, 1), ("b", 5, 6), ("b", 6, 6), ("b", 8, 8)]
    records = [{"doc": doc, "start": start, "end": end, "chain": "x"} for doc, start, end in spans]
    corpus = library.build_corpus(records, documents)
    a, b, c, quake, head, blank = corpus.selected.index
    alone = frozenset({blank})
    found = {
        name: partition(library.predict(corpus, name).labels) for name in ("lemma", "lemma-wd")
    }
    assert found["lemma"] == {frozenset({a, b, c}), frozenset({quake, head}), alone}
    assert found["lemma-wd"] == {
        frozenset({a, b}), frozenset({c}), frozenset({quake, head}), alone
    }  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_lemma_wd_divides_the_chains_of_lemma_by_document(cdec: Run, part: str) -> None:
    lemmas = chains(cdec, part, "lemma")
    divided = lemmas.index.to_series().str.rpartition("/")[0] + "/" + lemmas
    assert partition(chains(cdec, part, "lemma-wd")) == partition(divided)
    whole = library.load_corpus("sample", part).selected
    assert set(whole.index) == set(lemmas.index)


@pytest.mark.parametrize(
    ("part", "delta"), [("dev", 0), ("dev", 0.25), ("test", 0.15), ("test", 0.3), ("dev", 1)]
)
def test_lemma_delta_joins_equal_lemmas_of_similar_documents(
    cdec: Run, part: str, delta: float
) -> None:
    """A twin with scikit-learn's vectors, over all documents of the part."""
    corpus = library.load_corpus("sample", part)
    texts = {
        name: [w for sentence in doc.sentences[doc.text_start :] for w in sentence]
        for name, doc in corpus.documents.items()
    }
    tfidf = TfidfVectorizer(
        analyzer="word", tokenizer=list, preprocessor=_words, token_pattern=None
    )
    tfidf.set_params(stop_words="english", lowercase=False)
    vectors = dict(zip(texts, tfidf.fit_transform(texts.values()).toarray(), strict=True))
    lemmas, doc = chains(cdec, part, "lemma"), dict(corpus.selected["doc"])

    def links(a: str, b: str) -> bool:
        near = vectors[doc[a]] @ vectors[doc[b]] >= delta - 1e-9
        return bool(doc[a] == doc[b] or near)

    Path("delta.toml").write_text(CONFIG.format(delta), "utf-8")
    found = chains(cdec, part, "lemma-delta", "--config", "delta.toml")
    assert partition(found) == joined(lemmas, links)


def _words(tokens: list[str]) -> list[str]:
    return [word.lower() for word in tokens if any(sign.isalnum() for sign in word)]


@pytest.mark.parametrize("name", ["lemma", "lemma-wd", "lemma-delta", "sac"])
def test_chains_topics_and_order_mean_nothing_to_a_system(name: str) -> None:
    known = system(name)
    learnt = library.train(library.load_corpus("sample", "all")) if name == "sac" else known
    corpus = library.load_corpus("sample", "test")
    table = corpus.selected[["doc", "start", "end", "chain"]].to_dict("records")
    documents = [
        {"id": doc.id, "sentences": doc.sentences, "topic": doc.topic, "subtopic": doc.subtopic}
        for doc in corpus.documents.values()
    ]
    turned = [{**record, "chain": str(at)} for at, record in enumerate(table)]
    moved = [{**document, "topic": "1", "subtopic": "1"} for document in documents[::-1]]
    pair: list[tuple[Any, Any]] = [(table, documents), (turned, moved)]
    one, two = (library.predict(library.build_corpus(*each), learnt).labels for each in pair)
    assert partition(one) == partition(two)


# ---- tune ----


def test_tune_finds_the_delta_of_a_search_by_hand(cdec: Run) -> None:
    values = {}
    for step in range(21):
        Path("d.toml").write_text(CONFIG.format(step / 20), "utf-8")
        values[step / 20] = f1(cdec, "lemma-delta", "--split", "dev", "--config", "d.toml")
    ran = cdec("tune", "-o", "best.toml", "-f", "json").json
    rows = [row for row in ran["rows"] if row["metric"] == "conll"]
    assert {row["delta"]: row["f1"] for row in rows} == pytest.approx(values)
    best = max(values, key=lambda delta: (round(values[delta], 12), delta))
    assert [row["delta"] for row in rows if row["chosen"]] == [best]
    assert f1(cdec, "lemma-delta", "--split", "dev", "--config", "best.toml") == values[best]


def test_of_equal_scores_the_higher_delta_is_chosen(cdec: Run) -> None:
    rows = cdec("tune", "--split", "train", "--metric", "mentions", "-f", "json").json["rows"]
    assert [row["delta"] for row in rows if row["chosen"]] == [1.0]


def test_a_configuration_that_saw_the_scored_topics_is_marked(cdec: Run) -> None:
    marked = {}
    for part in PARTS:
        cdec("tune", "--split", part, "--i-know", "-o", f"{part}.toml")
        for scored in (*PARTS, "all"):
            call = ("eval", "lemma-delta", "--config", f"{part}.toml", "--split", scored, *SIMPLE)
            (signature,) = cdec(*call).json["signatures"]
            marked[part, scored] = signature.get("tuned-on-test", False)
    assert marked == {
        ("dev", "dev"): False, ("dev", "test"): False, ("dev", "all"): True,
        ("test", "dev"): True, ("test", "test"): True, ("test", "all"): True,
    }  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_configuration_is_refused(cdec: Run, case: str) -> None:
    Path("wrong.toml").write_text(WRONG[case]["text"], "utf-8")
    ran = cdec("predict", "--system", "lemma-delta", "--config", "wrong.toml")
    assert (ran.exit, ran.error) == (2, WRONG[case]["code"]), ran.err


# ---- sac ----


@pytest.fixture
def model(cdec: Run) -> Path:
    assert cdec("train", "sac", "-o", "a.model").exit == 0
    return Path("a.model")


def test_the_same_training_gives_the_same_bytes(cdec: Run, model: Path) -> None:
    for jobs, folder in ((1, "one"), (2, "two")):
        # Another cache: the model is trained again.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CDEC_CACHE", str(Path(folder).resolve()))
            assert cdec("train", "sac", "-o", f"{jobs}.model", "-j", jobs).exit == 0
        assert Path(f"{jobs}.model").read_bytes() == model.read_bytes()


def test_another_seed_is_another_model_and_is_in_the_signature(cdec: Run) -> None:
    Path("seed.toml").write_text('system = "sac"\n[choices]\nseed = 2\n', "utf-8")
    calls = [("eval", "sac", *SIMPLE, *more) for more in ((), ("--config", "seed.toml"))]
    one, two = (cdec(*call).json["signatures"][0] for call in calls)
    assert (one["training_seed"], two["training_seed"]) == (1, 2)
    assert one["model"] != two["model"]


def test_a_stored_model_gives_the_chains_of_its_pair_scores(cdec: Run, model: Path) -> None:
    (signature,) = cdec("eval", "sac", "--model", model, *SIMPLE).json["signatures"]
    cdec("predict", "--system", "sac", "--model", model, "--pairs-out", "p.csv")
    scores = pd.read_csv("p.csv")
    assert scores["score"].between(0, 1).all()
    by_pairs = f1(cdec, f"pairs:p.csv@{signature['threshold']}/average")
    assert f1(cdec, "sac", "--model", model) == pytest.approx(by_pairs)


@pytest.mark.parametrize(("part", "seen"), [("train", True), ("dev", False), ("test", False)])
def test_a_model_scored_on_documents_of_its_training_says_so(
    cdec: Run, model: Path, part: str, seen: bool
) -> None:
    ran = cdec("eval", "sac", "--model", model, "--split", part, *SIMPLE, "--verbose")
    assert ("warning[trained-on-part]" in ran.err) == seen


def archive(path: Path, **changes: Any) -> dict[str, Any]:
    """Return the arrays of a model, with these fields of its description changed."""
    with np.load(path) as stored:
        arrays = dict(stored)
    about = json.loads(arrays["about"].tobytes()) | changes
    return arrays | {"about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)}


@pytest.mark.parametrize(
    "changes",
    [{"format": "cdec-sac/2"}, {"features": -1}, {"columns": []}, {"threshold": 2.0},
     {"calibration": {"slope": math.inf, "shift": 0}}, {"nlp": "spacy-9"}],
)  # fmt: skip
def test_a_model_of_another_version_is_refused(
    cdec: Run, model: Path, changes: dict[str, Any]
) -> None:
    np.savez(model.with_suffix(".npz"), **archive(model, **changes))
    ran = cdec("eval", "sac", "--model", model.with_suffix(".npz"))
    (field,) = changes
    code = {"format": "file-too-new", "nlp": "input-mismatch"}.get(field, "model-invalid")
    assert (ran.exit, ran.error) == (1, code), ran.err


def test_a_damaged_model_is_refused(cdec: Run, model: Path) -> None:
    whole, pickled = model.read_bytes(), io.BytesIO()
    np.savez(pickled, **archive(model) | {"0.weights": np.array([{}], dtype=object)})
    lengths = range(0, len(whole), len(whole) // 5)
    for content in [*(whole[:length] for length in lengths), b"x" + whole, pickled.getvalue()]:
        Path("bad.model").write_bytes(content)
        ran = cdec("predict", "--system", "sac", "--model", "bad.model")
        assert (ran.exit, ran.error) in {(1, "model-invalid"), (1, "file-empty")}, ran.err


# ---- a system of another package ----


def test_a_configuration_names_a_class_of_the_call_by_its_own_name(cdec: Run) -> None:
    code = (
        "from cdec.baselines.lemma_delta import LemmaDelta\nclass Mine(LemmaDelta):\n    name = 'm'"
    )
    Path("my_delta.py").write_text(code)
    Path("own.toml").write_text(CONFIG.format(0.2))
    Path("mine.toml").write_text('system = "m"\ndelta = 0.2\n')
    own = f1(cdec, "lemma-delta", "--config", "own.toml")
    assert f1(cdec, "my_delta:Mine", "--config", "mine.toml") == own
    assert cdec("eval", "--config", "mine.toml").error == "name-unknown"


def installed(folder: Path, *call: object, name: str = "forms", cut: str = "") -> tuple[int, str]:
    """Run cdec with a package that has the system ``forms``; return exit code and output."""
    about = folder / "forms-1.2.dist-info"
    about.mkdir(exist_ok=True)
    code = PROGRAMS["package"].format(name=name, case="lower", cut=cut)
    (folder / "forms_system.py").write_text(code)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: forms\nVersion: 1.2\n")
    (about / "top_level.txt").write_text("forms_system\n")
    (about / "entry_points.txt").write_text("[cdec.systems]\nforms = forms_system:Forms\n")
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "cdec", *map(str, call), "--verbose"]
    env = os.environ | {"PYTHONPATH": path}
    ran = subprocess.run(command, check=False, env=env, capture_output=True, text=True)
    # The error of a call with JSON is the last line.
    return ran.returncode, ran.stdout or ran.stderr.splitlines()[-1]


def test_a_system_of_another_package_is_found_by_its_name(tmp_path: Path, cdec: Run) -> None:
    code, out = installed(tmp_path, "eval", "Forms", *SIMPLE)
    assert code == 0, out
    said = json.loads(out)
    (signature,) = said["signatures"]
    assert (signature["system"], signature["plugins"]) == ("forms", "forms-1.2")
    code, out = installed(tmp_path, "predict", "--system", "forms", "-o", "forms.jsonl")
    assert code == 0, out
    assert f1(cdec, "forms.jsonl") == said["rows"][0]["f1"]


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"name": "other"}, "system-invalid"),
        ({"cut": ".iloc[1:]"}, "system-invalid"),
        ({"cut": ".no_such"}, "plugin-failed"),
    ],
)
def test_a_wrong_system_of_another_package_is_refused(
    tmp_path: Path, wrong: dict[str, str], expected: str
) -> None:
    code, out = installed(tmp_path, "eval", "forms", *SIMPLE, **wrong)
    assert (code, json.loads(out)["error"]["code"]) == (1, expected), out


# ---- stems ----

STEMMED = (
    "eval --system lemma --nlp snowball:en --setting simple",
    "eval --system sac --setting simple",
    "compare lemma lemma-wd --setting simple --resamples 20",
)


def test_stems_do_not_depend_on_other_packages(tmp_path: Path) -> None:
    beside = tmp_path / "site"
    beside.mkdir()
    (beside / "Stemmer.py").write_text(PROGRAMS["stemmer"])
    calls = [f"{call} --corpus sample --split dev -q -f json" for call in STEMMED]

    def output(cache: str, path: str) -> list[Any]:
        environment = {**os.environ, "CDEC_CACHE": str(tmp_path / cache), "PYTHONPATH": path}
        command = [sys.executable, "-c", PROGRAMS["calls"], *calls]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(page) for page in done.stdout.split("=====")[:-1]]

    alone = output("alone", "")
    assert len(alone) == len(STEMMED)
    assert output("beside", str(beside)) == alone
    assert output("alone", str(beside)) == alone  # nothing is carried over by the cache


def test_the_stemmer_is_signed_where_its_stems_count(cdec: Run) -> None:
    part = ("--corpus", "sample", "--split", "dev", "--setting", "simple", "-f", "json")
    few = ("--resamples", "20")
    version = f"snowball-english-{metadata.version('snowballstemmer')}"
    for call, field in [
        (("eval", "--system", "sac", *part), "stemmer"),
        (("compare", "lemma", "lemma-wd", *part, *few), "test_stemmer"),
    ]:
        for signature in cdec(*call).json["signatures"]:
            assert signature[field] == version
    for signature in cdec("eval", "--system", "lemma", *part).json["signatures"]:
        assert not {"stemmer", "test_stemmer"} & {*signature}
    cases = cdec("audit", "run", "--corpus", "sample", "--split", "train", "-f", "json").json
    assert {signature["stemmer"] for signature in cases["signatures"]} == {version}
