"""Every file that cdec writes and reads: the reader returns what was written.

``KINDS`` lists the kinds of file that cdec reads, and where its round trip is; a new kind fails
here until it has one. Annotations in every format are in ``test_annotations`` and, with random
content, in ``tests/formats/test_round_trip.py``. Splits and corpora are written by users: the
shipped splits are read as a user's.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdec.api import evaluate, load_corpus, score
from cdec.auditing import (
    VERDICTS,
    AuditConfig,
    Case,
    CaseSide,
    Evidence,
    Fix,
    Operation,
    ShortList,
    audit,
    read_patch,
    read_reviews,
    read_shortlist,
    to_jsonl,
)
from cdec.auditing.case import KINDS as CASE_KINDS
from cdec.auditing.review.decisions import FORMAT as DECISIONS
from cdec.baselines import run, system
from cdec.baselines.config import read_config, to_toml
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.baselines.sac import Sac, store
from cdec.clustering import Clustering
from cdec.configs import read_text
from cdec.corpus import Corpus, divided, load_split, split_names
from cdec.errors import FormatError
from cdec.evaluation import (
    AVERAGES,
    DEFAULT_POLICY,
    ENDS,
    MICRO,
    UNITS,
    Experiment,
    Results,
    SystemRun,
    Task,
    load_results,
    meta_document_sides,
    prepare,
)
from cdec.formats import FORMATS, Annotation, from_corpus, read, write
from cdec.language.vectors import Tfidf
from cdec.render import Page, render
from cdec.settings import SETTINGS, find_settings
from cdec.statistics import Plan, compare, compare_saved, with_intervals
from cdec.system import Tuned
from cdec.tuning import tune
from tests.audit.patches import patch_of
from tests.formats.made import EXACT, partition
from tests.tiny_corpora import Tiny, tiny_corpora

KINDS = {
    "a cdec results file": "test_results, test_intervals, test_any_results, test_compared_results",
    "a short-list of cases": "test_a_short_list, test_any_case",
    "an audit decisions file": "test_decisions",
    "a key patch": "test_any_patch",
    "a configuration": "test_a_tuned_configuration, test_any_configuration",
    "a SAC model": "test_a_model",
    "a key or response": "test_annotations, test_meta_documents",
    "a split": "test_shipped_splits",
    "a corpus in JSON Lines": "tests/corpus/test_interchange.py",
    "a calibration of the audit": "tests/audit/test_order.py",
}
NOT_WRITTEN = {
    *("a document in ECB+ format", "a list of reviewed sentences"),
    *("a table of topics", "a file of groups", "a valid declaration", "a table of answers"),
}
IN_CORPUS = [unit for unit in UNITS if unit != "group"]  # groups are those of files
_LIST_KINDS = """
import gc, json
from cdec.io.inputfile import FileKind
import cdec.corpus.interchange.reader  # imported when a file is one
import tests.robustness.test_round_trips as module
module.sample()
print(json.dumps([kind.name for kind in gc.get_objects() if isinstance(kind, FileKind)]))
"""
FEW = Plan(resamples=20, exchanges=20, test="topic")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NAME = TEXT.filter(str.strip)
SHARE = st.floats(0, 1)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_every_kind_of_file_is_listed() -> None:
    # In a process of its own, without the kinds that other tests make.
    ran = subprocess.run(
        [sys.executable, "-c", _LIST_KINDS],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(ran.stdout)) == KINDS.keys() | NOT_WRITTEN


@cache
def sample(part: str = "test") -> Corpus:
    return load_corpus("sample", part)


def mentions_of_sample() -> st.SearchStrategy[str]:
    return st.sampled_from(sorted(sample().selected.index))


def noisy(corpus: Corpus) -> Clustering:
    """The key with every tenth label changed."""
    labels = corpus.gold.labels.astype(object).copy()
    labels.iloc[::10] = labels.sample(frac=1, random_state=0).iloc[::10].to_numpy()
    return Clustering(labels)


def experiment(*responses: Any, setting: tuple[str, ...] = ("all",)) -> Experiment:
    arguments: dict[str, Any] = {"metrics": None, "scorer": "cdec", "policy": DEFAULT_POLICY}
    return prepare(sample(), list(responses), setting=list(setting), **arguments)


def saved(page: Page, file: Path) -> Results:
    file.write_text(render(page, "json"), "utf-8")
    loaded = load_results(file)
    assert render(loaded.page, "json") == file.read_text("utf-8")
    return loaded


def records(table: pd.DataFrame, columns: list[str]) -> list[dict[str, Any]]:
    """The rows; None for a missing number."""
    rows = table[columns].astype(object).to_dict("records")
    missing = [{k: isinstance(v, float) and math.isnan(v) for k, v in row.items()} for row in rows]
    return [
        {str(k): None if gone[k] else v for k, v in row.items()}
        for row, gone in zip(rows, missing, strict=True)
    ]


def check_results(made: Experiment, page: Page, results: Results) -> None:
    """Compare signatures and every number with those of the experiment and its page."""
    wrote, columns = page.data, list(page.data.columns)
    assert len(results) == len(made.results())
    for result, own in zip(results, made.results(), strict=True):
        signed = json.loads(json.dumps(own.signature.to_dict()))
        read = json.loads(json.dumps(result.signature.to_dict()))
        assert {name: read[name] for name in signed} == signed
        mine = wrote[(wrote["setting"] == own.setting) & (wrote["system"] == own.system)]
        if not result.by:
            assert records(result.frame, columns) == records(mine, columns)
            continue
        whole, parts = mine["unit"] == MICRO, ~mine["unit"].isin(AVERAGES)
        overall = [name for name in columns if name != "unit"]
        assert records(result.frame, overall) == records(mine[whole], overall)
        found = result.parts if len(result.parts) else mine[:0]
        assert records(found, columns) == records(mine[parts], columns)


@pytest.mark.parametrize("unit", [None, *IN_CORPUS])
def test_results(unit: str | None, tmp_path: Path) -> None:
    made = experiment(system("lemma"), noisy(sample()))
    page = made.results(unit).page
    check_results(made, page, saved(page, tmp_path / "r.json"))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals(method: str, tmp_path: Path) -> None:
    made = experiment(system("lemma"), noisy(sample()))
    page = with_intervals(made, replace(FEW, method=method)).page
    assert set(ENDS) < set(page.data)
    check_results(made, page, saved(page, tmp_path / "ci.json"))


UNIT_NAMES = st.dictionaries(
    st.sampled_from(["t0", "s0", "d0", "d1"]), NAME | st.sampled_from(AVERAGES)
)


@same_folder
@given(
    tiny=tiny_corpora(),
    names=st.lists(NAME, min_size=2, max_size=2, unique=True),
    setting=st.sampled_from([*SETTINGS, "scope=topic,ignore_singletons=yes"]),
    units=UNIT_NAMES,
    unit=st.sampled_from([None, *IN_CORPUS]),
)
def test_any_results(
    tiny: Tiny,
    *,
    names: list[str],
    setting: str,
    units: dict[str, str],
    unit: str | None,
    tmp_path: Path,
) -> None:
    table = tiny.table.replace(units)
    runs = tuple(SystemRun(name, table, *tiny.sides) for name in names)
    made = Experiment(
        Task("tiny", "test", {"split": "test"}), runs, tuple(find_settings([setting]))
    )
    page = made.results(unit).page
    check_results(made, page, saved(page, tmp_path / "any.json"))


def test_compared_results(tmp_path: Path) -> None:
    made = experiment(system("lemma"), system("lemma-wd"), setting=("st",))
    read_back = saved(made.results("topic").page, tmp_path / "topics.json")
    one, two = compare(made, FEW).table, compare_saved(read_back, FEW).table
    about_words = ["words", "shared"]  # saved results have none
    pd.testing.assert_frame_equal(one.drop(columns=about_words), two.drop(columns=about_words))


@pytest.mark.parametrize("format_", EXACT)
@pytest.mark.parametrize("chains", ["key", "lemma"])
def test_annotations(chains: str, format_: str, tmp_path: Path) -> None:
    """What `cdec predict` and `cdec corpus export` write is what was scored."""
    corpus = sample()
    labels = corpus.gold if chains == "key" else run(system("lemma"), corpus)
    wrote, file = from_corpus(corpus, labels), tmp_path / "file"
    write(wrote, file, format_)
    again = read(file)
    assert again.format == format_
    lost = {"conll": ("mention", "tokens"), "conllu": ("mention",)}.get(format_, ())
    assert partition(without(again, lost)) == partition(without(wrote, lost))
    scored = evaluate(corpus, file, setting="all").to_frame()["f1"]
    assert scored.equals(evaluate(corpus, labels, setting="all").to_frame()["f1"])
    assert score(file, file, scope="document", metrics="conll")["conll"].f1 == 1


def without(annotation: Annotation, lost: Sequence[str]) -> Annotation:
    """The annotation without what a format cannot express: CoNLL has no ids and no gaps."""
    empty = {"mention": [""] * len(annotation), "tokens": [()] * len(annotation)}
    changes = pd.DataFrame({name: empty[name] for name in lost})
    return replace(annotation, mentions=annotation.mentions.assign(**changes))


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_meta_documents(setting: str, format_: str, tmp_path: Path) -> None:
    """The exported sides, scored by document, have the scores of the setting."""
    corpus, response = sample(), noisy(sample())
    key_side, response_side, _ = meta_document_sides(corpus, SETTINGS[setting], response)
    files = tmp_path / "key", tmp_path / "response"
    for side, file in zip((key_side, response_side), files, strict=True):
        write(side, file, format_)
    values = score(*files, scope="document").values
    wanted = evaluate(corpus, response, setting=setting).values
    # The sides of PURE-CDEC have different mentions, so that metrics on mentions are added.
    assert {n: v.f1 for n, v in values.items() if n in wanted} == pytest.approx(
        {n: v.f1 for n, v in wanted.items()}, abs=1e-12
    )


@pytest.mark.parametrize("format_", FORMATS)
def test_an_annotation_without_mentions(format_: str, tmp_path: Path) -> None:
    corpus = sample()
    none = from_corpus(corpus, Clustering(pd.Series([], index=pd.Index([], dtype=object))))
    try:
        write(none, tmp_path / "file", format_)
    except FormatError as error:
        assert error.code == "format-unsuitable"
        assert not (tmp_path / "file").exists()
    else:
        assert len(read(tmp_path / "file", format_)) == 0


def test_a_short_list(tmp_path: Path) -> None:
    corpus = sample("all")
    made = audit(corpus, AuditConfig())
    check_short_list(made, corpus, tmp_path)


def check_short_list(made: ShortList, corpus: Corpus, folder: Path) -> None:
    file = folder / "cases.jsonl"
    file.write_text("".join(to_jsonl(made, corpus)), "utf-8")
    again = read_shortlist(file)
    assert again.cases == made.cases
    assert [case.id for case in again.cases] == [case.id for case in made.cases]
    about = json.loads(json.dumps(dict(made.about)))
    assert {k: v for k, v in again.about.items() if k != "format"} == about


GROUP = st.lists(st.deferred(mentions_of_sample), min_size=1, max_size=3, unique=True).map(tuple)


SIDES = st.builds(CaseSide, mentions=GROUP, chain=TEXT, descriptor=TEXT, members=GROUP)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case with arbitrary texts and numbers, and mentions of the sample."""
    sides = draw(st.lists(SIDES, min_size=1, max_size=3).map(tuple))
    on_sides = st.sampled_from([m for side in sides for m in (*side.mentions, *side.members)])
    named = st.lists(on_sides, max_size=2).map(tuple)
    number = st.floats(allow_nan=False, allow_infinity=False)
    operation = Operation(merge=draw(named), move=draw(named))
    evidence = st.builds(Evidence, feature=TEXT, adds=number, value=number)
    return Case(
        kind=draw(st.sampled_from(sorted(CASE_KINDS))),
        score=draw(SHARE),
        topic=draw(TEXT),
        sides=sides,
        fixes=(Fix(fix="move", text=draw(TEXT), operation=operation),),
        detectors=draw(st.dictionaries(TEXT, number, max_size=3)),
        reasons=tuple(draw(st.lists(NAME, max_size=2))),
        evidence=tuple(draw(st.lists(evidence, max_size=2))),
    )


@same_folder
@given(made=st.lists(cases(), max_size=3, unique_by=lambda case: case.id))
def test_any_case(made: list[Case], tmp_path: Path) -> None:
    about = {"corpus": "sample", "digest": sample().digest}
    check_short_list(ShortList(tuple(made), about), sample(), tmp_path)


@same_folder
@given(case=cases(), comment=TEXT, reviewer=NAME, places=st.dictionaries(NAME, TEXT, max_size=2))
def test_decisions(
    case: Case, comment: str, reviewer: str, places: Mapping[str, str], tmp_path: Path
) -> None:
    """As the review page writes them (``tests/audit/test_review_page.py`` has the page itself)."""
    entries = [
        {"case": verdict, "kind": case.kind, "verdict": verdict, "comment": comment, "time": "t",
         "operation": case.fixes[0].operation.to_dict()}
        for verdict in VERDICTS
    ]  # fmt: skip
    about = {"corpus": "sample", "digest": "0"}
    content = {"format": DECISIONS, "reviewer": reviewer, "about": about, "places": dict(places)}
    file = tmp_path / "decisions.json"
    file.write_text(json.dumps(content | {"decisions": entries}), "utf-8")
    (review,) = read_reviews([file])
    assert (review.reviewer, review.about, review.places) == (reviewer, about, places)
    for verdict in VERDICTS:
        found = review.by_case[verdict]
        assert (found.kind, found.comment, found.operation) == (
            case.kind,
            comment,
            case.fixes[0].operation,
        )


MERGES = st.lists(st.lists(NAME, min_size=2, max_size=3, unique=True).map(tuple), max_size=3)


@same_folder
@given(
    merge=MERGES,
    move=st.lists(NAME, max_size=4, unique=True),
    places=st.dictionaries(TEXT, TEXT),
)
def test_any_patch(
    merge: list[tuple[str, ...]], move: list[str], places: dict[str, str], tmp_path: Path
) -> None:
    about = {"corpus": "sample", "digest": "0"}
    made = patch_of(tuple(merge), tuple((m,) for m in move), about, places, "a.json")
    (tmp_path / "a.json").write_text(made.to_json(), "utf-8")
    again = read_patch(tmp_path / "a.json")
    assert again == made
    assert again.digest == made.digest


def check_configuration(made: LemmaDelta, tuned: Tuned, comments: list[str], file: Path) -> None:
    file.write_text(to_toml(made, tuned, comments), "utf-8")
    again = read_config(file)
    assert (again.system, again.tuned) == (made.name, tuned)
    assert again.make() == replace(made, tuned=tuned)


def test_a_tuned_configuration(tmp_path: Path) -> None:
    tuning = tune(sample("dev"), LemmaDelta(), SETTINGS["pure"])
    assert isinstance(tuning.system, LemmaDelta)
    check_configuration(tuning.system, tuning.tuned, ["found on dev"], tmp_path / "a.toml")


TUNED = st.builds(Tuned, TEXT, TEXT, st.lists(TEXT, max_size=3).map(tuple), st.booleans())
TFIDF = st.builds(Tfidf, *[st.booleans()] * 4, st.integers(1, 9))


@same_folder
@given(made=st.builds(LemmaDelta, delta=SHARE, tfidf=TFIDF), tuned=TUNED, comment=TEXT)
def test_any_configuration(made: LemmaDelta, tuned: Tuned, comment: str, tmp_path: Path) -> None:
    check_configuration(made, tuned, [comment], tmp_path / "a.toml")


def test_a_model(tmp_path: Path) -> None:
    parts, file = divided(sample("all")), tmp_path / "a.model"
    fitted = Sac().fit(parts["train"], parts["dev"])
    fitted.save(file)
    again = Sac().load(file)
    assert fitted.model is not None and again.model is not None
    assert store.dump(again.model) == store.dump(fitted.model) == file.read_bytes()
    assert (again.parameters, again.trained_on) == (fitted.parameters, fitted.trained_on)
    assert run(again, sample()).labels.equals(run(fitted, sample()).labels)


@pytest.mark.parametrize("name", split_names())
def test_shipped_splits(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}-copy.toml"
    file.write_text(read_text(f"splits/{name}.toml"), "utf-8")
    assert replace(load_split(str(file)), name=name, own=True) == load_split(name)
