"""Token numbers that count in the sentence: corpora, files, frames and ids."""

from dataclasses import replace

import pandas as pd
import pytest

from cdec import evaluate
from cdec.formats import from_frame
from cdec.matching import match_corpus, match_files
from tests.formats.made import conll, corpus, kinds, parse
from tests.refusals import refused

CORPUS = corpus()
# The second document has the URL of its page as sentence 0.
URL = replace(
    CORPUS,
    documents={**CORPUS.documents, "1_2ecb": replace(CORPUS.documents["1_2ecb"], text_start=1)},
    mentions=CORPUS.mentions.drop(index="1_2ecb/11"),
)
GOLD = ["1_1ecb/11", "1_1ecb/13", "1_2ecb/11", "1_2ecb/12", "2_1ecb/11"]
# Document, sentence, first and last token in the sentence, in the order of GOLD.
ROWS = [
    ("1_1ecb", 0, 1, 4), ("1_1ecb", 1, 2, 3), ("1_2ecb", 0, 1, 1), ("1_2ecb", 1, 1, 1),
    ("2_1ecb", 0, 1, 4),
]  # fmt: skip
NAMES = ["doc", "sentence", "start", "end"]


def frame(rows: list[tuple[str, int, int, int]] = ROWS) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=NAMES).assign(chain="1")


def csv(rows: list[tuple[str, int, int, int]] = ROWS) -> str:
    return frame(rows).to_csv(index=False)


def jsonl() -> str:
    return frame().to_json(orient="records", lines=True)


def bare_tsv() -> str:
    return frame().to_csv(index=False, header=False, sep="\t")


def ids() -> str:
    return "".join(f"{doc}_{s}_{a}_{b}\t1\n" for doc, s, a, b in ROWS)


def id_tokens() -> str:
    lines = [f"{doc}_{s}_{a}_{b}\t(1)\n" for doc, s, a, b in ROWS]
    return "".join(["#begin document (0); part 000\n", *lines, "#end document\n"])


def ucdcr() -> str:
    records = frame().rename(columns={"sentence": "sent_id", "chain": "coref_chain"})
    places = zip(records["start"], records["end"], strict=True)
    # The mention of tokens 1 and 4 has a gap, which a list of tokens must have too.
    tokens = [[a, b] if (a, b) == (1, 4) else list(range(a, b + 1)) for a, b in places]
    records = records.drop(columns=["start", "end"]).assign(
        doc_id="1", tokens_number=pd.Series(tokens)
    )
    return records.to_json(orient="records")


@pytest.mark.parametrize("content", [csv, jsonl, bare_tsv, ids, id_tokens, ucdcr])
def test_tokens_that_count_in_the_sentence(content) -> None:  # type: ignore[no-untyped-def]
    matched = match_corpus(parse(content()), CORPUS)
    assert matched.response.labels.index.tolist() == GOLD
    assert kinds(matched)["sentence-tokens"] == len(ROWS)


def test_tokens_that_count_in_the_document() -> None:
    rows = [(doc, s, a + 5 * s, b + 5 * s) for doc, s, a, b in ROWS]
    matched = match_corpus(parse(csv(rows)), CORPUS)
    assert matched.response.labels.index.tolist() == GOLD
    assert "sentence-tokens" not in kinds(matched)


def test_a_sentence_column_of_texts_is_ignored() -> None:
    table = "doc,sentence,start,end,chain\n1_1ecb,It rained.,7,8,1\n"
    assert match_corpus(parse(table), CORPUS).response.labels.index.tolist() == ["1_1ecb/13"]


def test_the_url_may_be_no_sentence() -> None:
    counted = [
        (doc, s - (doc == "1_2ecb"), a, b) for doc, s, a, b in ROWS if (doc, s) != ("1_2ecb", 0)
    ]
    matched = match_corpus(parse(csv(counted)), URL)
    assert kinds(matched)["sentence-tokens"] == len(counted)
    assert matched.response.labels.index.tolist() == [id_ for id_ in GOLD if id_ != "1_2ecb/11"]


def test_a_gap_moves_with_its_mention() -> None:
    record = '{"doc": "1_1ecb", "sent_id": 0, "tokens_number": [1, 4], "chain": 1}\n'
    matched = match_corpus(parse(record), CORPUS)
    assert matched.response.labels.index.tolist() == ["1_1ecb/11"]


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (("1_1ecb", 1, 3, 7), "sentence 1 of '1_1ecb' has 5 tokens"),
        (("1_1ecb", 7, 0, 0), "sentence 7"),
    ],
)
def test_a_mention_outside_its_sentence(row: tuple[str, int, int, int], value: str) -> None:
    with refused("tokens-invalid", value, place="file:7"):
        match_corpus(parse(csv([*ROWS, row])), CORPUS)


def test_a_frame_is_a_response() -> None:
    results = evaluate(CORPUS, frame(), metrics="muc").to_frame()
    assert results["system"].tolist() == ["response"]
    ours = from_frame(frame().astype({"start": float}).assign(tokens=None, other="x"))
    assert ours.mentions["start"].tolist() == [1, 2, 1, 1, 1]
    assert ours.digest == from_frame(frame()).digest


def test_faults_of_a_frame() -> None:
    with refused("field-invalid", "chain", place="frame"):
        from_frame(frame().drop(columns="chain"))
    with refused("field-invalid", "'x'", place="row 1"):
        from_frame(frame().assign(start=[1, "x", 1, 1, 1]))
    with refused("tokens-invalid", "-1", place="row 0"):
        from_frame(frame().assign(start=-1))


def test_a_key_with_a_sentence_column_resolves_a_response_without_text() -> None:
    lines = [
        f"t\tt_0\td\t{k // 3}\t{k}\tw{k}\tTrue\t{cell}\n"
        for k, cell in enumerate(["-", "(1)", "-", "(1)", "-", "-"])
    ]
    key = parse("".join(["#begin document (all)\n", *lines, "#end document\n"]), "key")
    rows: list[tuple[str, int, int, int]]
    for rows in ([("d", 0, 1, 1), ("d", 1, 0, 0)], [("d", 0, 1, 1), ("d", 1, 3, 3)]):
        assert kinds(match_files(key, parse(csv(rows)))) == {}
        assert kinds(match_files(parse(csv(rows)), key)) == {"swapped": 1}  # by its name


def test_two_files_with_sentences_and_no_text() -> None:
    response, other = parse(csv(), "a"), parse(csv([*ROWS[:-1], ("2_1ecb", 1, 1, 4)]), "b")
    assert kinds(match_files(response, response)) == {"labels-recur": 1, "swapped": 1}
    matched = kinds(match_files(response, other))
    assert (matched["twinless"], matched["missing-mention"]) == (1, 1)


def test_numbers_that_rise_count_in_the_document() -> None:
    key = conll(("d", ["(1)", "-", "-", "(1)"]), name="key")
    rows = [("d", 0, 0, 0), ("d", 1, 3, 3)]
    assert kinds(match_files(key, parse(csv(rows)))) == {}
    bare = frame(rows).drop(columns="sentence").to_csv(index=False)
    assert kinds(match_files(parse(csv(rows)), parse(bare))) == {}


@pytest.mark.parametrize(("sentence", "number"), [(0, 1), (1, 6), (3, 1), (3, 6)])
def test_eight_columns_without_the_url(sentence: int, number: int) -> None:
    """Sentence 1 of the corpus is the first of the file, or its tokens count from it."""
    words = URL.documents["1_2ecb"].sentences[1][:4]
    lines = [
        f"1\t1_0\t1_2ecb.xml\t{sentence}\t{number + k}\t{word or '_'}\tTrue\t{cell}"
        for k, (word, cell) in enumerate(zip(words, ("-", "(1)", "-", "-"), strict=True))
    ]
    file = "\n".join(["#begin document all", *lines, "#end document"])
    assert match_corpus(parse(file), URL).response.labels.index.tolist() == ["1_2ecb/12"]
