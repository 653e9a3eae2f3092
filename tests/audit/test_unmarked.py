"""Missing mentions: words without a mention, the chains that are offered for them, their cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdec.auditing import (
    AuditConfig,
    Findings,
    Key,
    Plan,
    ShortList,
    audit,
    default_calibration,
    match,
    prepare,
    read_judged,
    read_shortlist,
    to_jsonl,
    unmarked,
)
from cdec.auditing.benchmark.measure import benchmark
from cdec.auditing.case import Case, CaseSide, Fix, Operation
from cdec.corpus import EVENT, Corpus, Document

CONFIG = AuditConfig(detectors=("unmarked", "copies"))


def made(sample: Corpus, texts: Mapping[str, tuple[str, ...]], without: str = "") -> Corpus:
    """Return documents of one sentence each; all words in capitals are mentions of one chain.

    The document ``without`` has no mention of its second word in capitals.
    """
    model: dict[Any, Any] = sample.selected.iloc[0].to_dict()
    rows: dict[str, dict[Any, Any]] = {}
    documents = {}
    for doc, words in texts.items():
        plain = tuple(word.lower() for word in words)
        documents[doc] = Document(doc, "1", "1a", (plain,))
        places = [at for at, word in enumerate(words) if word.isupper()]
        for at in places[:1] if doc == without else places:
            rows[f"{doc}/{at}"] = {
                **model,
                **{"doc": doc, "topic": "1", "subtopic": "1a", "sentence": 0, "kind": EVENT},
                **{"start": at, "end": at, "tokens": (at,), "text": plain[at], "tag": "ACTION"},
                **{"chain": plain[at], "descriptor": "", "reviewed": True},
            }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(sample.mentions.columns))
    reviewed = frozenset((doc, 0) for doc in documents)
    return replace(sample, documents=documents, mentions=table, reviewed=reviewed)


TEXTS = {
    f"d{number}": ("the", "police", "ARRESTED", "the", "man", "and", "they", "KILLED", name, ".")
    for number, name in enumerate(("smith", "jones", "brown", "taylor", "wilson", "davies"))
}


def test_a_word_that_is_a_mention_elsewhere(sample: Corpus, cached: None) -> None:
    table = unmarked(made(sample, TEXTS, without="d3"), "hanta")
    (row,) = table.to_dict("records")
    assert (row["doc"], row["token"], row["lemma"]) == ("d3", 7, "kill")
    assert (row["marked"], row["seen"], row["modifier"]) == (5, 5, False)
    assert unmarked(made(sample, TEXTS), "hanta").empty


def test_a_sentence_that_was_not_reviewed_has_no_case(sample: Corpus, cached: None) -> None:
    corpus = made(sample, TEXTS, without="d3")
    others = frozenset((doc, 0) for doc in corpus.documents if doc != "d3")
    assert unmarked(replace(corpus, reviewed=others), "hanta").empty
    assert len(unmarked(replace(corpus, reviewed=others | {("d3", 0)}), "hanta")) == 1


def test_a_word_inside_an_argument_is_not_missing(sample: Corpus, cached: None) -> None:
    corpus = made(sample, TEXTS, without="d3")
    argument = corpus.mentions.loc[["d3/2"]].assign(kind="entity", start=7, end=8)
    argument["tokens"] = [(7, 8)]
    with_it = pd.concat([corpus.mentions, argument.set_axis(["d3/x"])])
    assert unmarked(replace(corpus, mentions=with_it), "hanta").empty


@pytest.fixture(scope="module")
def listed(sample: Corpus, cached: None) -> ShortList:
    return audit(made(sample, TEXTS, without="d3"), CONFIG)


def test_the_case_offers_the_chain_of_the_word(listed: ShortList) -> None:
    (case,) = listed.cases
    assert (case.kind, case.sides[0].place) == ("unmarked-mention", "d3/7")
    assert case.detectors == {"unmarked": 1.0}
    fix, none = case.fixes
    assert none.fix == "none"
    assert (fix.fix, fix.operation.add) == ("add", {"d3/7": "d0/7"})
    assert "5 of 5" in case.reasons[0]


def test_the_id_is_that_of_the_place(listed: ShortList) -> None:
    (case,) = listed.cases
    other = CaseSide(mentions=("d0/2",), chain="arrested")
    fix = Fix(fix="add", text="", operation=Operation(add={"d3/7": "d0/2"}))
    assert case.model_copy(update={"sides": (case.sides[0], other), "fixes": (fix,)}).id == case.id
    assert Case.model_validate(case.to_dict()) == case


def test_copies_keep_what_both_detectors_find(sample: Corpus, cached: None) -> None:
    texts = {**TEXTS, "d9": TEXTS["d3"]}
    cases = audit(made(sample, texts, without="d3"), CONFIG).cases
    assert [case.kind for case in cases if case.sides[-1].place == "d3/7"] == ["copies-differ"]
    alone = audit(made(sample, texts, without="d3"), AuditConfig(detectors=("unmarked",))).cases
    assert [case.sides[0].place for case in alone] == ["d3/7"]


def test_no_mentions_of_events(sample: Corpus, cached: None) -> None:
    assert unmarked(sample.select("entity"), "hanta").empty


def test_judged_places_give_their_rate(sample: Corpus, cached: None, tmp_path: Path) -> None:
    corpus = made(sample, TEXTS, without="d3")
    findings = Findings.of(Key(corpus, prepare(corpus, CONFIG), CONFIG))
    file = tmp_path / "judged.csv"
    file.write_text(
        "ranking,verdict,mentions\nunmarked,error,d3/7 d0/7\nunmarked,error,d4/7 d0/7\n"
    )
    matched = match(read_judged([file]), findings)
    assert matched[["table", "row", "error"]].to_dict("records") == [
        {"table": "unmarked", "row": 0, "error": 1.0}
    ]


def test_a_list_with_such_cases_is_read_back(
    sample: Corpus, listed: ShortList, tmp_path: Path
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(to_jsonl(listed, made(sample, TEXTS, without="d3"))), "utf-8")
    assert read_shortlist(file).cases == listed.cases


def test_planted_missing_mentions(sample: Corpus, cached: None) -> None:
    corpus, plan = made(sample, TEXTS), Plan(("unmark",), 1, (0, 1))
    table = benchmark(corpus, CONFIG, default_calibration(), plan)
    recall = table[(table["ranking"] == "cases") & (table["measure"] == "recall")]
    assert (recall["value"] == 1).all()
