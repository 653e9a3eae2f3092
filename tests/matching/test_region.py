"""Response mentions outside the annotated region, and responses that cover another split."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from cdec.corpus import Corpus, Region, only, part_of
from cdec.formats import from_corpus
from cdec.matching import OUTSIDE, FilePolicy, match_corpus, unreviewed
from tests.formats.made import corpus, kinds, parse, written
from tests.refusals import refused

WHOLE = corpus()
FIRST = "1_1ecb"


def reviewed() -> Corpus:
    """The corpus, of which the first sentence of the first document was reviewed."""
    table = WHOLE.mentions
    inside = (table["doc"] == FIRST) & (table["sentence"] == 0)
    region = Region(frozenset({(FIRST, 0)}), table[~inside])
    return replace(WHOLE, mentions=table[inside], part="reviewed", region=region)


PART = reviewed()
TWINLESS = f"doc,start,end,chain\n{FIRST},0,0,1\n{FIRST},1,4,1\n"


@pytest.mark.parametrize("format_", ["jsonl", "conll"])
def test_a_detector_that_finds_every_mention_of_the_documents_is_perfect(format_: str) -> None:
    found = parse(written(from_corpus(WHOLE, WHOLE.gold), format_))
    matched = match_corpus(found, PART)
    assert matched.response.labels.sort_index().index.equals(PART.gold.labels.sort_index().index)
    assert kinds(matched)["outside-region"] == len(WHOLE.selected) - len(PART.selected)


def test_mentions_given_by_id_are_cut_too() -> None:
    (first, *_), others = PART.selected.index, WHOLE.selected.index.difference(PART.selected.index)
    response = parse(f'[["{first}"], ["{others[0]}"]]')
    matched = match_corpus(response, PART)
    assert matched.response.labels.index.tolist() == [first]
    assert kinds(matched)["outside-region"] == 1


def test_a_mention_in_a_reviewed_sentence_that_is_not_in_the_key_is_kept() -> None:
    matched = match_corpus(parse(TWINLESS), PART)
    assert kinds(matched)["twinless"] == 1
    assert "outside-region" not in kinds(matched)


def test_the_policies() -> None:
    found = from_corpus(WHOLE, WHOLE.gold)
    outside = len(WHOLE.selected) - len(PART.selected)
    kept = match_corpus(found, PART, FilePolicy(outside="keep"))
    assert kinds(kept)["twinless"] == outside
    assert kept.mentions["topic"].notna().all()
    assert len(kept.mentions) == len(WHOLE.selected)
    with refused("mention-outside", "reviewed"):
        match_corpus(found, PART, FilePolicy(outside="error"))
    with refused("name-unknown", "unknown policy", *OUTSIDE):
        FilePolicy(outside="away")


def test_documents_outside_the_part_are_an_error_if_the_user_wants_it() -> None:
    part = WHOLE.subset([FIRST], "test")
    found = from_corpus(WHOLE, WHOLE.gold)
    match_corpus(found, part)
    with refused("mention-outside", "test"):
        match_corpus(found, part, FilePolicy(outside="error"))


def test_a_region_contains_tokens_by_the_sentence_of_the_first() -> None:
    inside = PART.region
    assert inside is not None
    starts = WHOLE.selected["start"].to_numpy()
    found = inside.contains(WHOLE.documents, WHOLE.selected["doc"], starts)
    expected = (WHOLE.selected["doc"] == FIRST) & (WHOLE.selected["sentence"] == 0)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("listed", "warned"), [(19, True), (20, False)])
def test_predicted_mentions_where_sentences_were_not_reviewed(listed: int, warned: bool) -> None:
    """A warning from 5 % of unreviewed sentences on."""
    (document,) = (doc for doc in WHOLE.documents.values() if doc.id == FIRST)
    tokens = tuple((f"w{number}",) for number in range(20))
    longer = replace(document, sentences=tokens, text_start=0)
    sentences = frozenset((FIRST, number) for number in range(listed))
    part = replace(WHOLE, part="mine-dev", documents={FIRST: longer}, reviewed=sentences)
    found = list(unreviewed(part, pd.DataFrame({"doc": [FIRST], "start": [19]})))
    assert [(one.code, one.count, one.warning) for one in found] == [
        ("sentences-unreviewed", 20 - listed, True)
    ] * warned
    assert all("reviewed_only = true" in one.message for one in found)


def test_the_cure_is_the_same_part_of_a_reviewed_split(whole_ecbplus: Corpus) -> None:
    """README: 88 % of the sentences of ycf/test; never on a part of cybulska."""
    for split, cure in (("ycf/test", "cybulska/test"), ("ycf/dev", "cybulska/dev")):
        part = part_of(whole_ecbplus, split)
        (found,) = unreviewed(part, part.selected.iloc[:9])
        assert found.message.endswith(cure)
        assert not list(unreviewed(part_of(whole_ecbplus, cure), part.selected.iloc[:9]))


def test_gold_mentions_and_reviewed_parts_have_no_such_warning() -> None:
    whole = replace(WHOLE, reviewed=frozenset({(FIRST, 0)}))
    gold, twinless = (
        kinds(match_corpus(parse(text), whole))
        for text in (written(from_corpus(WHOLE, WHOLE.gold), "jsonl"), TWINLESS)
    )
    assert "sentences-unreviewed" not in gold
    assert (
        twinless["sentences-unreviewed"]
        == sum(len(doc.sentences) - doc.text_start for doc in WHOLE.documents.values()) - 1
    )
    part = replace(PART, reviewed=whole.reviewed)
    assert "sentences-unreviewed" not in kinds(match_corpus(parse(TWINLESS), part))


LISTED = only(WHOLE, [next(iter(WHOLE.selected.index))], "list")


@pytest.mark.parametrize("format_", ["jsonl", "conll"])
def test_mentions_that_are_not_listed_are_left_out_of_a_response(format_: str) -> None:
    found = parse(written(from_corpus(WHOLE, WHOLE.gold), format_))
    matched = match_corpus(found, LISTED)
    assert matched.response.labels.index.tolist() == LISTED.selected.index.tolist()
    assert kinds(matched)["outside-region"] == len(WHOLE.selected) - 1


def test_a_predicted_mention_that_is_not_listed_is_left_out() -> None:
    matched = match_corpus(parse(TWINLESS), LISTED)
    assert matched.response.labels.index.tolist() == LISTED.selected.index.tolist()
    assert kinds(matched) == {"outside-region": 1}
