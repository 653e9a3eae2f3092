"""Match a response in any format with a corpus."""

from pathlib import Path

import pytest

from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.evaluation import run_on
from cdec.formats import FORMATS, from_corpus, read, write
from cdec.matching import FilePolicy, match_corpus
from cdec.metrics import score
from cdec.settings import PURE_CDEC
from tests.formats.made import EXACT, corpus, kinds, parse, written
from tests.refusals import refused

CORPUS = corpus()
# Not the gold partition, so that there is no notice about the key.
SYSTEM = Clustering(CORPUS.selected["chain"].replace({"ACT5": "ACT1", "ACT3": "ACT2"}))


@pytest.mark.parametrize("format_", EXACT)
def test_round_trip_keeps_every_mention(format_: str) -> None:
    text = written(from_corpus(CORPUS, SYSTEM), format_)
    matched = match_corpus(parse(text), CORPUS)
    assert matched.response.labels.sort_index().equals(SYSTEM.labels.sort_index().astype(object))
    assert matched.key.labels.equals(CORPUS.gold.labels)
    assert kinds(matched) == {}
    assert matched.mentions.index.tolist() == CORPUS.selected.index.tolist()
    assert {"doc", "topic", "subtopic", "sentence", "start", "end"} <= set(matched.mentions)


@pytest.mark.parametrize("gap", ['"tokens": [1, 4]', '"start": 1, "end": 4'])
def test_a_gap_is_found_by_tokens_and_by_ends(gap: str) -> None:
    response = parse(f'{{"doc": "ECB+/1/1_1ecb.xml", {gap}, "chain": 1}}')
    assert match_corpus(response, CORPUS).response.labels.to_dict() == {"1_1ecb/11": "1"}


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ('{"doc": "1_1ecb", "start": 1, "end": 4, "chain": 1}', True),
        ("doc,start,end,chain\n1_1ecb,1,4,1\n", True),
        ('[[["1_1ecb", 1, 4]]]', True),
        ('{"doc": "1_1ecb", "tokens": [1, 2, 3, 4], "chain": 1}', False),
        ('doc,tokens,chain\n1_1ecb,"[1, 2, 3, 4]",1\n', False),
    ],
)
def test_a_span_that_names_its_tokens_has_no_gap(response: str, found: bool) -> None:
    """Brackets, and start and end, cannot express the gap of a mention; a list of tokens can."""
    matched = match_corpus(parse(response), CORPUS, FilePolicy(allow_empty=True))
    assert ("1_1ecb/11" in matched.response.labels) == found
    assert kinds(matched).get("twinless", 0) == (not found)


def test_twinless_mentions_have_a_place_in_the_corpus() -> None:
    response = parse("doc,start,end,chain\n1_1ecb,1,4,1\n1_1ecb,5,6,1\n1_1ecb,2,3,1\n")
    matched = match_corpus(response, CORPUS)
    assert kinds(matched) == {
        "mention-of-other-kind": 1, "missing-document": 2, "missing-mention": 6, "twinless": 2,
        "singletons-left-out": 6,
    }  # fmt: skip
    added = matched.mentions.loc[["1_1ecb/12", "1_1ecb/5-6"]]
    assert added["text"].tolist() == ["the man", "He was"]
    assert added["sentence"].tolist() == [0, 1]
    assert added["topic"].tolist() == ["1", "1"]
    assert matched.mentions.index.tolist()[:4] == [
        "1_1ecb/11", "1_1ecb/12", "1_1ecb/5-6", "1_1ecb/13",
    ]  # fmt: skip


def test_documents_outside_the_part() -> None:
    part = CORPUS.subset(["1_1ecb"], "test")
    response = parse('[["1_1ecb/11", "2_1ecb/11"], ["1_1ecb/13", "9_9ecb/1"]]')
    matched = match_corpus(response, part)
    assert kinds(matched) == {"outside-split": 1, "unknown-document": 1}
    assert "'test'" in str(matched.notices[0])


def test_mention_ids_in_the_forms_that_systems_write() -> None:
    ids = ["1_1ecb/11", "1_2ecb.xml_11", "ECB+/2/2_1ecb.xml/12"]
    response = parse("mention,chain\n" + "".join(f"{id_},1\n" for id_ in ids))
    assert match_corpus(response, CORPUS).response.labels.index.tolist() == [
        "1_1ecb/11", "1_2ecb/11", "2_1ecb/12",
    ]  # fmt: skip


def test_mention_ids_as_tokens_of_a_key_file() -> None:
    lines = ["evt\t0\t0\t1_1ecb.xml_11\t(0)", "evt\t0\t1\t1_2ecb.xml_11\t(0)"]
    response = parse("\n".join(["#begin document (evt);", *lines, "#end document"]))
    assert match_corpus(response, CORPUS).response.labels.to_dict() == {
        "1_1ecb/11": "0", "1_2ecb/11": "0",
    }  # fmt: skip


def test_unknown_mention_id() -> None:
    with refused("mention-unknown", "1_1ecb/99", place="r:2"):
        match_corpus(parse("mention,chain\n1_1ecb/99,1\n", "r"), CORPUS)


def test_whole_sentences_may_be_missing() -> None:
    rows = [(1, n, w) for n, w in enumerate(["He", "was", "set", "free", "."])]
    cells = {2: "(5", 3: "5)"}
    lines = [f"2\t2ecb\t2_1ecb\t{s}\t{n}\t{w}\tTrue\t{cells.get(n, '-')}" for s, n, w in rows]
    response = parse("\n".join(["#begin document test_events", *lines, "#end document"]))
    assert match_corpus(response, CORPUS).response.labels.to_dict() == {"2_1ecb/12": "5"}


@pytest.mark.parametrize(
    ("text", "code", "place", "value"),
    [
        ("#begin document (2_1ecb);\n2_1ecb 0 0 Police (1)\n2_1ecb 0 1 take (1)\n#end document\n",
         "text-mismatch", "r:3", "'take'"),
        ("#begin document (2_1ecb);\nx\t(1)\nx\t(1)\n#end document\n",
         "text-mismatch", "r:2", "2 tokens"),
        ("doc,start,end,chain\n2_1ecb,9,10,1\n",
         "tokens-invalid", "r:2", "10"),
        ("#begin document (ECB+/ecbplus_all);\nx\t(1)\nx\t(1)\n#end document\n",
         "mentions-disjoint", "r", "7"),
    ],
)  # fmt: skip
def test_a_response_that_does_not_fit_the_corpus(
    text: str, code: str, place: str, value: str
) -> None:
    with refused(code, value, place=place):
        match_corpus(parse(text, "r"), CORPUS)


def test_the_gold_annotation_is_noticed() -> None:
    gold = from_corpus(CORPUS, CORPUS.gold)
    assert kinds(match_corpus(gold, CORPUS)) == {"swapped": 1}
    assert kinds(match_corpus(from_corpus(CORPUS, SYSTEM), CORPUS)) == {}


def test_repeated_mentions_by_policy() -> None:
    response = parse('[["1_1ecb/11", ["1_1ecb", 1, 4]], ["1_1ecb/11", "1_1ecb/13"]]')
    matched = match_corpus(response, CORPUS)
    assert matched.response.labels.to_dict() == {"1_1ecb/11": "0", "1_1ecb/13": "1"}
    assert {"repeated-mention", "mention-in-two-chains"} <= kinds(matched).keys()
    dropped = match_corpus(response, CORPUS, FilePolicy("drop"))
    assert dropped.response.labels.to_dict() == {"1_1ecb/13": "1"}


QUICK = ("conll", "jsonl")
# Not CoNLL-U, in which two mentions of a chain may not cross.
OF_ECBPLUS = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow)
    for name in FORMATS
    if name != "conllu"
]


@pytest.mark.parametrize("format_", OF_ECBPLUS)
def test_no_two_mentions_of_ecbplus_collide(
    format_: str, whole_ecbplus: Corpus, tmp_path: Path
) -> None:
    write(from_corpus(whole_ecbplus, whole_ecbplus.gold), tmp_path / "gold", format_)
    matched = match_corpus(read(tmp_path / "gold"), whole_ecbplus)
    labels = matched.response.labels.reindex(whole_ecbplus.gold.labels.index)
    assert (labels == whole_ecbplus.gold.labels).all()
    assert kinds(matched) == {"swapped": 1}


def test_words_are_counted_when_a_metric_asks_for_them() -> None:
    run = run_on(CORPUS, from_corpus(CORPUS, SYSTEM))
    metas = run.meta_documents(PURE_CDEC)
    score(metas, ["conll"])
    assert "columns" not in vars(run.words)
    assert score(metas, ["mor"])["mor"].f1 == 1
    assert "columns" in vars(run.words)
