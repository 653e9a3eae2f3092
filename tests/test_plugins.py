"""A package of plug-ins, one of each kind: listed, used, signed; and what a broken one breaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.program import Ran
from tests.tiny_files import corpus, given

KINDS = {
    "metric": ("cdec.metrics", "equal-chains", "EQUAL"),
    "system": ("cdec.systems", "same-words", "SameWords"),
    "setting": ("cdec.settings", "topics-pure", "SETTING"),
    "format": ("cdec.formats", "words", "FORMAT"),
    "corpus format": ("cdec.corpora", "one-json", "CORPUS"),
    "pipeline": ("cdec.pipelines", "letters", "letters"),
    "detector": ("cdec.detectors", "repeated", "REPEATED"),
}
SOURCE = r"""
import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cdec.auditing import MISSING, Suspect, detector
from cdec import Clustering
from cdec.corpus import CorpusFormat, Document, build
from cdec.formats import Format, from_records, to_records
from cdec.baselines import Pipeline
from cdec.metrics import Counts, DerivedMetric, Metric, Terms, Value
from cdec.settings import Setting


def equal(table):
    same = table.overlap == table.key_sizes[table.rows]
    common = (same & (table.overlap == table.response_sizes[table.cols])).astype(np.int64)
    ones = np.ones_like
    return Terms(precision=common, response=ones(table.response_sizes),
                 recall=common, key=ones(table.key_sizes))


EQUAL = Metric(id="equal-chains", label="Equal", citation="none", terms=equal)
SETTING = Setting("topics-pure", "TOPICS", "topic", reduce_within_document=True)


@dataclass(frozen=True)
class SameWords:
    pipeline: str = "hanta"
    progress: object = field(default=lambda items, *_: items, repr=False, compare=False)
    name = "same-words"
    parameters = {}

    def predict(self, corpus):
        return Clustering(corpus.selected["text"].str.lower())


FIELDS = ("mention", "chain")


def read(source):
    rows = ((n, dict(zip(FIELDS, line.split("~")[1:])))
            for n, line in enumerate(source.lines, 1) if line)
    return from_records(source, rows, "words")


def write(annotation):
    for row in to_records(annotation):
        yield "~".join(["", *(str(row[name]) for name in FIELDS)]) + "\n"


def is_ours(source):
    return next(iter(source.lines)).startswith("~")


FORMAT = Format("words", "two words a line", read, write, sniff=is_ours)


def read_corpus(source):
    documents, mentions = [], []
    for file, data in source:
        for doc, sentence in json.loads(data).items():
            documents.append(Document(doc, "t", "s", (tuple(sentence),)))
            mentions += [{"id": str(n), "doc": doc, "tokens": [n], "chain": word}
                         for n, word in enumerate(sentence)]
    return build(documents, mentions)


CORPUS = CorpusFormat(
    "one-json", title="one JSON", patterns=("*.one",),
    begins="", read=read_corpus,
)


def letters(name, argument):
    def tag(words):
        return [(word[:1].lower(), "X", "NOUN") for word in words]

    return Pipeline(name, "letters-1", lambda: tag, by_sentence=True)


@detector("repeated", kind=MISSING)
def REPEATED(evidence):
    for _, mentions in evidence.corpus.selected.groupby(["doc", "text"]):
        ids = list(mentions.drop_duplicates("chain").index[:2])
        if len(ids) == 2:
            rows = [evidence.rows[one] for one in ids]
            yield Suspect(ids, "equal words", evidence.fixes.link(rows))


def raises(table):
    raise RuntimeError("no score today")


class Fails(SameWords):
    name = "fails"

    def predict(self, corpus):
        raise RuntimeError("no chains today")


def metric(name, kind=Metric, **how):
    return kind(id=name, label=name, citation="none", **how)


RAISES = metric("raises", terms=raises)
short = metric("short", terms=lambda t: Terms(t.overlap[1:], t.overlap, t.key_sizes, t.key_sizes))
half = metric("half", terms=lambda t: Terms(recall=t.overlap, key=t.key_sizes))
no_terms = metric("no_terms", terms=lambda t: None)
nan = metric("nan", count=lambda t: Counts(float("nan"), 1, 1, 1))
above = metric("above", count=lambda t: Counts(2, 1, 1, 1))
no_value = metric("no_value", DerivedMetric, needs=("muc",), value=lambda muc: muc.f1)
least = metric("least", DerivedMetric, needs=("muc", "b3"),
               value=lambda muc, b3: Value(None, None, np.minimum(muc.f1, b3.f1)))
lost = metric("lost", DerivedMetric, needs=("none",), value=lambda none: none)
too_large = metric("too_large", DerivedMetric, needs=("muc",), value=lambda muc: Value(1, 1, 9))
NO_READ = Format("no-read", "none", lambda source: None, raises, sniff=is_ours)
SNIFFS = Format("a-sniff", "none", read, write, sniff=raises)
"""
WRONG = ("short", "half", "no_terms", "nan", "above", "no_value", "too_large")
# Runs the calls that it reads, one after another: one process is much faster than one for each.
DRIVER = """
import contextlib, io, json, sys
from importlib.metadata import entry_points
(point,) = entry_points(group="console_scripts", name="cdec")
main, found = point.load(), []
for call in json.load(sys.stdin):
    out, err, code, sys.argv = io.StringIO(), io.StringIO(), None, ["cdec", *call.split(), "-v"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as error:
            code = error.code or 0
    found.append([code, out.getvalue(), err.getvalue()])
json.dump(found, sys.stdout)
"""


def installed(folder: Path, *points: tuple[str, str, str], source: str = SOURCE) -> None:
    """Put the package in a folder, with entry points (group, name, object)."""
    given(folder, "extra_kinds.py", source)
    about = folder / "extra-1.2.dist-info"
    given(about, "METADATA", "Metadata-Version: 2.1\nName: extra\nVersion: 1.2\n")
    # What an installer writes: which files are of the package.
    given(about, "RECORD", "extra_kinds.py,,\nextra-1.2.dist-info/METADATA,,\n")
    lines = [f"[{group}]\n{name} = {value}\n" for group, name, value in points]
    given(about, "entry_points.txt", "".join(lines))


def python(folder: Path, code: str, given: object = None) -> Any:
    """Run code with the package installed; it reads JSON, and prints what is returned."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-W", "ignore", "-c", code]
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        command, input=json.dumps(given), check=True, env=env, cwd=folder, stdout=-1, text=True
    )
    return json.loads(done.stdout)


def run(folder: Path, *calls: str) -> list[Ran]:
    return [Ran(*one) for one in python(folder, DRIVER, calls)]


def signature(ran: Ran) -> dict[str, Any]:
    (fields,) = ran.json["signatures"]
    return dict(fields)


def test_a_plugin_of_each_kind_is_listed_used_and_signed(tmp_path: Path) -> None:
    installed(
        tmp_path, *((group, name, f"extra_kinds:{what}") for group, name, what in KINDS.values())
    )
    given(tmp_path, "c.one", json.dumps({"d": ["a", "b", "A"], "e": ["a", "c", "c"]}))
    given(tmp_path, "c.jsonl", corpus())
    pure = "--corpus sample -s pure --metric b3 -f json"
    listed, metric, system, setting, nlp, wrote, read, plain, added, cases = run(
        tmp_path,
        "plugins -f json",
        "eval lemma --corpus sample -s pure --metric equal-chains -f json",
        f"eval same-words {pure}",
        "eval lemma --corpus sample -s topics-pure --metric b3 -f json",
        f"eval lemma --nlp letters {pure}",
        "predict --corpus sample --to words -o mine.txt",
        f"eval mine.txt {pure}",
        f"eval lemma {pure}",
        "eval lemma --corpus c.one -s simple --metric b3 -f json",
        "audit run --corpus sample --detector repeated -f json",
    )  # fmt: skip
    rows = [
        row for row in listed.json["rows"] if row["name"] in {name for _, name, _ in KINDS.values()}
    ]
    assert {row["kind"]: row["name"] for row in rows} == {
        k: name for k, (_, name, _) in KINDS.items()
    }
    for ran in (metric, system, setting, nlp, read, added, cases):
        assert ran.exit == 0, ran.err
    for ran in (metric, system, setting, cases):
        assert signature(ran)["plugins"] == "extra-1.2"
    assert signature(added)["reader"] == "extra-1.2"
    assert "extra-1.2" in signature(nlp)["nlp"]
    assert "plugins" not in signature(plain)
    f1 = {n: ran.json["rows"][0]["f1"] for n, ran in enumerate((read, plain, nlp, system))}
    assert f1[0] == f1[1]
    assert len(set(f1.values())) == 3
    assert wrote.exit == 0
    # The chains of the corpus are the words: lemmas join "a" and "A" across documents.
    assert added.json["rows"][0]["p_den"] == 6


def test_plugins_of_python_are_used_by_their_names_only(tmp_path: Path) -> None:
    installed(
        tmp_path,
        ("cdec.metrics", "least", "extra_kinds:least"),
        ("cdec.metrics", "lost", "extra_kinds:lost"),
        ("cdec.settings", "topics-pure", "extra_kinds:SETTING"),
        ("cdec.settings", "other", "extra_kinds:SETTING"),
    )
    code = """
import json, cdec
from cdec.settings import as_settings, find_setting
key, response = {"x/a": 1, "x/b": 1, "x/c": 2}, {"x/a": 1, "x/b": 2, "x/c": 2}
some = cdec.score(key, response, metrics=["least", "b3", "muc"], scope="corpus")
setting, codes = find_setting("Topics Pure"), []
spans = {"x/1-1": 1, "x/2-2": 1}
topics = cdec.score(spans, spans, setting=setting, topics={"x": "t"}, metrics="b3")
for call in (lambda: cdec.score(key, response, metrics="lost"), lambda: find_setting("other")):
    try:
        call()
    except cdec.CdecError as error:
        codes.append(error.code)
every = cdec.score(key, response, metrics="all").to_frame()["metric"].tolist()
fields = [one.signature.fields["plugins"] for one in (some, topics)]
f1 = {name: some[name].f1 for name in ("muc", "b3", "least")}
print(json.dumps([some.to_frame()["metric"].tolist(), f1, "least" in every, fields, codes,
                  topics.signature.fields["setting"] == setting.choices,
                  len(as_settings(["all"]))]))
"""
    metrics, f1, joined, fields, codes, named, settings = python(tmp_path, code)
    assert (metrics, f1["least"]) == (["muc", "b3", "least"], min(f1["muc"], f1["b3"]))
    assert (joined, fields, named, settings) == (False, ["extra-1.2"] * 2, True, 6)
    assert codes == ["plugin-invalid"] * 2


def test_the_file_format_of_the_guide_reads_what_it_writes(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text("utf-8")
    source = guide.partition("## A file format")[2].partition("```python\n")[2].partition("```")[0]
    installed(tmp_path, ("cdec.formats", "chain-lines", "extra_kinds:FORMAT"), source=source)
    given(tmp_path, "wrong.txt", "7 = a:3-4\n8 = a:5-5 b\n")
    wrote, table, other, read, own, wrong = run(
        tmp_path,
        "predict --corpus sample --to chain-lines -o mine.txt",
        "predict --corpus sample --to chain-lines -o mine.tsv",
        "predict --corpus sample --to chain-lines -o mine.conll",
        "eval mine.txt --corpus sample -s pure --metric b3 -f json",
        "eval lemma --corpus sample -s pure --metric b3 -f json",
        "score wrong.txt wrong.txt",
    )
    assert (wrote.exit, table.exit, other.exit, read.exit) == (0, 0, 2, 0), read.err
    assert (tmp_path / "mine.tsv").read_bytes() == (tmp_path / "mine.txt").read_bytes()
    assert read.json["rows"][0]["f1"] == own.json["rows"][0]["f1"]
    assert (wrong.exit, "wrong.txt:2: " in wrong.err) == (1, True)


def test_a_broken_plugin_breaks_its_own_calls_only(tmp_path: Path) -> None:
    installed(
        tmp_path,
        ("cdec.metrics", "raises", "extra_kinds:RAISES"),
        ("cdec.systems", "fails", "extra_kinds:Fails"),
        ("cdec.metrics", "muc", "extra_kinds:EQUAL"),
        ("cdec.metrics", "other-id", "extra_kinds:EQUAL"),
        ("cdec.metrics", "missing", "no_such_module:METRIC"),
        ("cdec.systems", "nothing", "extra_kinds:NOTHING"),
        ("cdec.detectors", "a-setting", "extra_kinds:SETTING"),
        *(("cdec.metrics", name, f"extra_kinds:{name}") for name in WRONG),
        ("cdec.formats", "a-sniff", "extra_kinds:SNIFFS"),
        ("cdec.formats", "no-read", "extra_kinds:NO_READ"),
    )
    given(tmp_path, "mine.txt", "~a~b\n")
    base = "--corpus sample -s pure"
    listed, fine, raises, fails, other, missing, nothing, detector, *wrong = run(
        tmp_path,
        "plugins -f json",
        f"eval lemma {base} --metric muc -f json",
        f"eval lemma {base} --metric raises",
        f"eval fails {base}",
        f"eval lemma {base} --metric other-id",
        f"eval lemma {base} --metric missing",
        f"eval nothing {base}",
        "audit run --corpus sample --detector a-setting",
        *(f"eval lemma {base} --metric {name}" for name in WRONG),
        f"eval mine.txt {base}",
        "predict --corpus sample --to no-read -o x.txt",
    )
    problems = {row["name"] for row in listed.json["rows"] if row.get("problem")}
    assert problems == {"muc", "other-id", "missing", "nothing", "a-setting"}
    assert fine.exit == 0
    assert "plugins" not in signature(fine)
    for ran, code in (
        *((one, "plugin-failed") for one in (raises, fails, *wrong)),
        *((one, "plugin-invalid") for one in (other, missing, nothing, detector)),
    ):
        assert ran.exit == 1
        assert f"error[{code}]" in ran.err
        assert "extra-1.2" in ran.err
        assert "Traceback" not in ran.err
