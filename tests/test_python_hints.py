"""What a Python user reads in an error: the words of Python, not those of the command line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cdec
from cdec import FilePolicy, Plan
from cdec.api import experiment_of
from cdec.errors import CdecError, CdecWarning
from cdec.metrics import muc

COMMAND_LINE = re.compile(r"(?<![\w-])--\w|NAME=")

GOLD = {"d/1": "a", "d/2": "a", "e/1": "b"}
KEY = "#begin document (d); part 000\nd 0 0 a (1\nd 0 1 b 1)\nd 0 2 c (2)\n#end document\n"
TEXTS = {
    "key.conll": KEY,
    "recurring.conll": KEY + KEY.replace("(d)", "(e)").replace("d 0", "e 0"),
    "other-words.conll": KEY.replace(" a ", " x ").replace(" b ", " y ").replace(" c ", " z "),
    "other-document.conll": KEY.replace("(d)", "(e)").replace("d 0", "e 0"),
    "twice.jsonl": '{"doc": "d", "start": 2, "end": 2, "chain": "x"}\n' * 2,
    "two-chains.jsonl": '{"doc": "d", "start": 2, "end": 2, "chain": "x"}\n'
    '{"doc": "d", "start": 2, "end": 2, "chain": "y"}\n',
    "outside.jsonl": '{"doc": "2_7ecb", "start": 0, "end": 0, "chain": "x"}\n',
    "notes.txt": "nothing to score here\n",
    "list.json": "[]\n",
    "blanks.toml": '[topics]\nnone = []\nrest = ["1-6"]\n',
    "topics.csv": "d,1\n",
}
Call = Callable[[Any, Any], object]  # of the test part and of the whole sample


def entities(part: Any) -> Any:
    return cdec.load_corpus("sample", "test", mentions="entity").gold


CALLS: dict[str, Call] = {
    "load name": lambda c, w: cdec.load_corpus("sampel"),
    "load path": lambda c, w: cdec.load_corpus("notes.txt"),
    "load folder": lambda c, w: cdec.load_corpus("."),
    "load split": lambda c, w: cdec.load_corpus("sample", "tset"),
    "load split file": lambda c, w: cdec.load_corpus("sample", "no.toml/test"),
    "load cybulska": lambda c, w: cdec.load_corpus("sample", "cybulska/dev"),
    "load mentions": lambda c, w: cdec.load_corpus("sample", mentions="events"),
    "load variant": lambda c, w: cdec.load_corpus("sample", variant="x"),
    "load patch": lambda c, w: cdec.load_corpus("sample", key_patch="nowhere"),
    "build": lambda c, w: cdec.build_corpus([{"doc": "a"}], name="x"),
    "evaluate corpus": lambda c, w: cdec.evaluate("sample", "lemma"),  # type: ignore[arg-type]
    "evaluate near": lambda c, w: cdec.evaluate(c, "lema"),
    "evaluate nothing": lambda c, w: cdec.evaluate(c, []),
    "evaluate empty": lambda c, w: cdec.evaluate(c, ""),
    "evaluate number": lambda c, w: cdec.evaluate(c, 3),  # type: ignore[arg-type]
    "evaluate twice": lambda c, w: cdec.evaluate(c, ["lemma", "lemma"]),
    "evaluate runs": lambda c, w: cdec.evaluate(c, "mine=key.conll,key.conll"),
    "evaluate pattern": lambda c, w: cdec.evaluate(c, "mine=no*.conll"),
    "evaluate no file": lambda c, w: cdec.evaluate(c, "no-such-file.conll"),
    "evaluate not a file": lambda c, w: cdec.evaluate(c, "notes.txt"),
    "evaluate disjoint": lambda c, w: cdec.evaluate(c, "key.conll"),
    "evaluate no mentions": lambda c, w: cdec.evaluate(c, {}),
    "evaluate foreign": lambda c, w: cdec.evaluate(c, GOLD),
    "evaluate entities": lambda c, w: cdec.evaluate(c, "entities.jsonl"),
    "evaluate outside": lambda c, w: cdec.evaluate(
        c, "outside.jsonl", policy=FilePolicy(outside="error")
    ),
    "evaluate repeated": lambda c, w: cdec.evaluate(
        c, "repeated.jsonl", policy=FilePolicy(repeated="error")
    ),
    "evaluate part of response": lambda c, w: cdec.evaluate(c, "half.jsonl"),
    "evaluate whole": lambda c, w: cdec.evaluate(c, w.gold),
    "evaluate setting": lambda c, w: cdec.evaluate(c, "lemma", setting="puer"),
    "evaluate no setting": lambda c, w: cdec.evaluate(c, "lemma", setting=[]),
    "evaluate scope": lambda c, w: cdec.evaluate(c, "lemma", setting="scope=topics"),
    "evaluate level": lambda c, w: cdec.evaluate(
        cdec.build_corpus([{"doc": "a", "tokens": [0], "chain": "x"}], {"a": [["b"]]}, name="x"),
        "lemma",
        setting="st",
    ),
    "evaluate by": lambda c, w: experiment_of(c, "lemma", "pure").results(by="seen"),
    "evaluate metric": lambda c, w: cdec.evaluate(c, "lemma", metrics="b33"),
    "evaluate scorer": lambda c, w: cdec.evaluate(c, "lemma", scorer="nelval"),
    "evaluate neleval": lambda c, w: cdec.evaluate(c, "lemma", scorer="neleval", metrics="lea"),
    "evaluate neleval ci": lambda c, w: cdec.evaluate(c, "lemma", scorer="neleval", ci=True),
    "evaluate ci": lambda c, w: cdec.evaluate(c, "lemma", ci="yes"),  # type: ignore[arg-type]
    "evaluate unit": lambda c, w: cdec.evaluate(c, "lemma", ci=Plan(unit="documents")),
    "plan resamples": lambda c, w: Plan(resamples=0),
    "plan exchanges": lambda c, w: Plan(exchanges=-1),
    "plan seed": lambda c, w: Plan(seed=-1),
    "plan level": lambda c, w: Plan(level=95),
    "policy": lambda c, w: FilePolicy(missing="single"),
    "policy match": lambda c, w: FilePolicy(alignment="heads"),
    "score recurring": lambda c, w: cdec.score("recurring.conll", "recurring.conll"),
    "score mixed": lambda c, w: cdec.score("key.conll", GOLD),
    "score scope": lambda c, w: cdec.score(GOLD, GOLD, scope="docs"),
    "score scope and setting": lambda c, w: cdec.score(GOLD, GOLD, scope="corpus", setting="pure"),
    "score no topics": lambda c, w: cdec.score(GOLD, GOLD, setting="bh"),
    "score ci": lambda c, w: cdec.score("key.conll", "key.conll", ci=True),
    "score missing topic": lambda c, w: cdec.score(GOLD, GOLD, setting="bh", topics={"d": "1"}),
    "score topics file": lambda c, w: cdec.score(GOLD, GOLD, setting="bh", topics="topics.csv"),
    "score plain topics": lambda c, w: cdec.score({"a": 1}, {"a": 1}, topics={"d": "1"}),
    "score words": lambda c, w: cdec.score("key.conll", "other-words.conll"),
    "score disjoint": lambda c, w: cdec.score("key.conll", "other-document.conll"),
    "score heads": lambda c, w: cdec.score(
        "key.conll", "key.conll", policy=FilePolicy(alignment="head")
    ),
    "score repeated": lambda c, w: cdec.score(
        "key.conll", "twice.jsonl", policy=FilePolicy(repeated="error")
    ),
    "score key twice": lambda c, w: cdec.score("two-chains.jsonl", "key.conll"),
    "score response twice": lambda c, w: cdec.score("key.conll", "two-chains.jsonl"),
    "score empty key": lambda c, w: cdec.score({}, GOLD),
    "score metric": lambda c, w: cdec.score(GOLD, GOLD, metrics=["muc", "c"]),
    "metrics noise": lambda c, w: muc([-1, -1, 2], [1, 1, 2]),
    "metrics length": lambda c, w: muc([1, 2], [1]),
    "predict name": lambda c, w: cdec.predict(c, "lema"),
    "predict module": lambda c, w: cdec.predict(c, "no_such_module:System"),
    "predict pipeline": lambda c, w: cdec.predict(c, "lemma", pipeline="hnata"),
    "predict spacy": lambda c, w: cdec.predict(c, "lemma", pipeline="spacy:no_such_model"),
    "predict blank": lambda c, w: cdec.predict(c, "lemma", pipeline="spacy:blank"),
    "predict delta": lambda c, w: cdec.predict(c, "lemma-delta", delta=2),
    "predict untrained": lambda c, w: cdec.predict(c, "sac"),
    "compare one": lambda c, w: cdec.compare(c, "lemma"),
    "compare plan": lambda c, w: cdec.compare(c, ["lemma", "lemma-wd"], plan=3),
    "compare names": lambda c, w: cdec.compare(c, ["key.conll", "key.conll"]),
    "diagnose name": lambda c, w: cdec.diagnose(c, "lema"),
    "diagnose nlp": lambda c, w: cdec.diagnose(c, c.gold, nlp="hnata"),
    "diagnose top": lambda c, w: cdec.diagnose(c, c.gold, top=-1),
    "tune test": lambda c, w: cdec.tune(c, "lemma-delta"),
    "tune lemma": lambda c, w: cdec.tune(w, "lemma", i_know=True),
    "tune metric": lambda c, w: cdec.tune(w, metric="mucc", i_know=True),
    "tune setting": lambda c, w: cdec.tune(w, setting="all", i_know=True),
    "tune grid": lambda c, w: cdec.tune(w, grid="deltas", i_know=True),
    "train lemma": lambda c, w: cdec.train(w, "lemma"),
    "train split": lambda c, w: cdec.train(w, split="cybulksa"),
    "train part": lambda c, w: cdec.train(c),
    "train jobs": lambda c, w: cdec.train(w, jobs=0),
    "report nothing": lambda c, w: cdec.report([]),
    "report file": lambda c, w: cdec.report("list.json"),
    "report not a file": lambda c, w: cdec.report("nowhere.json"),
    "report corpus only": lambda c, w: cdec.report(cdec.score(GOLD, GOLD), c),
    "report other response": lambda c, w: cdec.report(
        cdec.evaluate(c, {"mine": c.gold}), c, {"mine": cdec.predict(c, "lemma")}
    ),
    "report other corpus": lambda c, w: cdec.report(cdec.score(GOLD, GOLD), c, "lemma"),
    "results": lambda c, w: cdec.load_results("list.json"),
    "results of two": lambda c, w: cdec.score(GOLD, GOLD) + cdec.evaluate(c, c.gold),
    "audit detector": lambda c, w: cdec.audit(w, detectors=["companion"]),
    "audit number": lambda c, w: cdec.audit(w, delta=3),
    "audit nlp": lambda c, w: cdec.audit(w, nlp="hnata", detectors=["companions"]),
    "leaderboard": lambda c, w: cdec.leaderboard("nowhere"),
    "leaderboard here": lambda c, w: cdec.leaderboard("."),
    "leaderboard responses": lambda c, w: cdec.leaderboard("board"),
}


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """A folder with the files of the calls, and the corpora."""
    folder = tmp_path_factory.mktemp("hints")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    part, whole = cdec.load_corpus("sample", "test"), cdec.load_corpus("sample")
    others = cdec.load_corpus("sample", "test", mentions="entity")
    _write(folder / "entities.jsonl", others, len(others.selected))
    _write(folder / "half.jsonl", part, 30)
    _write(folder / "repeated.jsonl", part, 300, 300)
    return folder, part, whole


def _write(file: Path, corpus: Any, *counts: int) -> None:
    from cdec.formats import from_corpus, write

    write(from_corpus(corpus, corpus.gold), file, "jsonl")
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for count in counts for line in lines[:count]), "utf-8")


def said(call: Call, sides: tuple[Path, Any, Any]) -> list[str]:
    """The texts of the errors and warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CdecWarning)
        texts = []
        try:
            call(*sides[1:])
        except CdecError as error:
            texts = [str(error), error.message, error.hint or ""]
    return texts + [str(one.message) for one in caught if issubclass(one.category, CdecWarning)]


def test_errors_and_warnings_have_the_words_of_python(
    sides: tuple[Path, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sides[0])
    texts = {name: said(call, sides) for name, call in CALLS.items()}
    assert [name for name, lines in texts.items() if not lines] == [], "no error and no warning"
    assert [text for lines in texts.values() for text in lines if COMMAND_LINE.search(text)] == []
