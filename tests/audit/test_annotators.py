"""Other annotators of the mentions, as outside evidence of an audit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from cdec import audit as audit_of
from cdec.api import load_corpus
from cdec.auditing import AuditConfig, Case, annotators_of, audit
from cdec.corpus import Corpus, part_of
from cdec.evaluation import keyed
from tests.cli.conftest import Done, done
from tests.refusals import refused

__all__ = ["done"]  # a fixture

FILES = Path(__file__).parents[2] / "configs" / "leaderboard" / "responses" / "xamr"
PEOPLE = [str(FILES / f"dev.ann{number}.clusters.json") for number in (1, 2)]
CONFIG = AuditConfig(detectors=("companions", "tags"))


def test_the_chains_of_ecbplus_that_both_annotators_link(whole_ecbplus: Corpus) -> None:
    dev = part_of(whole_ecbplus, "cybulska/dev")
    both = annotators_of(PEOPLE, dev)
    assert both is not None
    chain, names = pd.factorize(dev.selected["chain"])
    pairs = both.linked(chain)
    said = both.between(chain, pairs)
    assert (len(pairs), said["pairs"].sum(), set(said["share"])) == (54, 75, {1.0})
    labels = [keyed(dev, path).gold.labels for path in PEOPLE]
    for chains in pairs.tolist():
        sides = [np.flatnonzero(chain == code) for code in chains]
        ends = both.strongest(*sides)
        a, b = dev.selected.index[list(ends)]
        assert {dev.gold.labels[a], dev.gold.labels[b]} == set(names[chains])
        assert all(one[a] == one[b] for one in labels)


def test_every_such_pair_of_chains_is_a_case_once() -> None:
    corpus = load_corpus("sample", "test")
    bare = audit(corpus, CONFIG)
    known = next(case for case in bare.cases if case.kind.startswith("missing"))
    linked = known.asked[:2]
    labels = corpus.gold.labels.drop_duplicates()
    alone = labels.index[~labels.isin(_chains(bare.cases))].tolist()
    links = dict.fromkeys(linked, "a") | dict.fromkeys(alone[:2], "b") | {alone[3]: "c"}
    found = audit(corpus, CONFIG, annotators=[links, links | {alone[3]: "b"}])
    assert len(found.cases) == len(bare.cases) + 1
    for before, after in zip(bare.cases, found.cases, strict=False):
        theirs = "2 other annotators linked 1 mention pair of these chains"
        told = before.id == known.id
        assert after.reasons == (*before.reasons, *([theirs] if told else ()))
        assert ("annotators" in after.detectors) == told
        assert (before.id, before.rank, before.score) == (after.id, after.rank, after.score)
    new = found.cases[-1]
    assert (new.asked, new.rank, new.score) == (alone[:2], len(found.cases), None)
    assert new.detectors == {"annotators": 1.0}
    assert found.about["annotators"].count(",") == 1
    assert found.expected == bare.expected


def _chains(cases: Iterable[Case]) -> set[str]:
    return {side.chain for case in cases for side in case.sides}


def test_annotators_who_agree_with_the_key_change_nothing_but_the_signature() -> None:
    corpus = load_corpus("sample", "test")
    bare, found = audit(corpus, CONFIG), audit(corpus, CONFIG, annotators=[corpus.gold])
    assert found.cases == bare.cases
    assert found.about.keys() - bare.about.keys() == {"annotators"}


def test_only_mentions_that_all_annotated_count() -> None:
    corpus = load_corpus("sample", "test")
    a, b, c, *_ = corpus.gold.labels.drop_duplicates().index
    one, two = dict.fromkeys([a, b, c], "x"), {a: "x", b: "x"}
    both, chain = annotators_of([one, two], corpus), pd.factorize(corpus.selected["chain"])[0]
    assert both is not None
    ((left, right),) = both.linked(chain).tolist()
    assert {left, right} == {chain[corpus.selected.index.get_loc(id_)] for id_ in (a, b)}


def test_the_command(done: Done, tmp_path: Path) -> None:
    corpus = load_corpus("sample", "test")
    ids = [f'["{a}", "{b}"]' for a, b in zip(*[iter(corpus.selected.index[:40])] * 2, strict=True)]
    (tmp_path / "one.json").write_text(f"[{', '.join(ids)}]", "utf-8")
    options = ("--corpus", "sample", "--split", "test", "--detector", "companions")
    page = done("audit", "run", *options, "--annotator", tmp_path / "one.json", "-q")
    assert "annotators" in page
    assert "annotators" not in done("audit", "run", *options, "-q")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with refused("file-unreadable", place="none.json"):
        audit(load_corpus("sample", "test"), CONFIG, annotators=[str(tmp_path / "none.json")])


def test_python_wants_a_list() -> None:
    with refused("argument-type", "expected a list of annotators"):
        audit_of(load_corpus("sample", "test"), annotators="one.json")


def test_one_annotator_twice() -> None:
    corpus = load_corpus("sample", "test")
    with refused("option-invalid", "same chains"):
        audit(corpus, CONFIG, annotators=[corpus.gold, corpus.gold])
