"""Mention ids as systems write them, in files with and without tokens."""

from dataclasses import replace

import pytest

from cdec.matching import match_corpus, match_files, whole_id
from tests.formats.made import conll, corpus, kinds, parse
from tests.refusals import refused

KEY = (
    '{"doc": "1_1ecb", "start": 3, "end": 3, "mention": "1_1ecb/7", "chain": "a"}\n'
    '{"doc": "1_1ecb", "tokens": [5, 8], "mention": "1_1ecb/9", "chain": "a"}\n'
    '{"doc": "1_2ecb", "start": 1, "end": 2, "mention": "1_2ecb/4", "chain": "b"}\n'
)
IDS = (
    '{"mention": "1_1ecb/7", "chain": 1}\n{"mention": "1_1ecb/9", "chain": 1}\n'
    '{"mention": "1_2ecb/4", "chain": 2}\n'
)


@pytest.mark.parametrize(
    "form",
    ["1_1ecb/7", "1_1ecb_7", "1_1ecb.xml_7", "1_1ecb.xml/7", "ECB+/1/1_1ecb.xml_7", "7"],
)
def test_forms_of_one_id(form: str) -> None:
    assert whole_id("1_1ecb", form) == "1_1ecb/7"


def test_an_id_that_names_another_document_stays_whole() -> None:
    assert whole_id("1_1ecb", "1_2ecb/7") == "1_1ecb/1_2ecb/7"
    assert whole_id("d", "d/a_b") == whole_id("d", "a_b") == "d/a_b"


@pytest.mark.parametrize(
    "response",
    [
        IDS,
        IDS.replace("/", "_"),
        IDS.replace("/", ".xml_"),
        '[["1_1ecb/7", "1_1ecb/9"], ["1_2ecb/4"]]',
        "doc_id,m_id,chain\n1_1ecb.xml,7,x\n1_1ecb.xml,9,x\n1_2ecb.xml,4,y\n",
        KEY.splitlines()[0] + "\n" + "\n".join(IDS.splitlines()[1:]).replace("1}", '"a"}'),
    ],
)
def test_ids_match_the_tokens_of_a_file_with_both(response: str) -> None:
    key, other = parse(KEY), parse(response)
    for left, right in ((key, other), (other, key)):
        matched = match_files(left, right)
        ids = [id_.replace(".xml", "") for id_ in matched.key.labels.index]
        assert ids == ["1_1ecb/3-3", "1_1ecb/5,8", "1_2ecb/1-2"]
        assert set(matched.response.labels.index) == set(matched.key.labels.index)
        assert kinds(matched) == {}


def test_one_mention_by_id_and_by_tokens_is_repeated() -> None:
    again = IDS + '{"doc": "1_1ecb", "start": 3, "end": 3, "chain": 1}\n'
    assert kinds(match_files(parse(KEY), parse(again))) == {"repeated-mention": 1}


def test_an_id_that_is_not_in_the_key_is_twinless() -> None:
    other = IDS + '{"mention": "1_1ecb/99", "chain": 1}\n'
    assert kinds(match_files(parse(KEY), parse(other))) == {"twinless": 1}


def test_ids_against_a_file_without_ids() -> None:
    key = conll(("1_1ecb", ["(1)", "(1)"]), name="key")
    mixed = IDS + '{"doc": "1_1ecb", "start": 0, "end": 0, "chain": 1}\n'
    assert kinds(match_files(key, parse(mixed)))["lost-id"] == 3
    with refused("mentions-disjoint", "no ids"):
        match_files(key, parse(IDS))


def test_mentions_of_a_corpus_by_number() -> None:
    made = corpus()
    spans = [
        f"{doc}/{start}_{end}" for doc, start, end in made.mentions[["doc", "start", "end"]].values
    ]
    named = replace(made, mentions=made.mentions.set_axis(spans, axis=0))
    ids = ["1_1ecb_1", "1_1ecb_3", "metadoc_2_1ecb_0"]
    matched = match_corpus(parse("".join(f"{id_}\t1\n" for id_ in ids)), named)
    assert matched.response.labels.index.tolist() == ["1_1ecb/1_4", "1_1ecb/7_8", "2_1ecb/1_4"]
    assert kinds(matched)["mention-numbers"] == 3
    with refused("mention-unknown", "'4' of '1_1ecb'", place="file:2"):
        match_corpus(parse("1_1ecb_1\t1\n1_1ecb_4\t1\n"), named)
    with refused("mention-unknown", "'1' of '1_1ecb'"):  # its ids are numbers
        match_corpus(parse("1_1ecb_1\t1\n"), made)


def test_token_ids_of_gvc_are_matched_by_their_order_in_the_document() -> None:
    """Body sentences are sorted as text in the file, and NEWLINE tokens shift the numbers."""
    made = corpus()
    tokens = {"1_1ecb": ["b10.3", "b2.7", "b2.12", "t1.4"], "2_1ecb": ["b1.0", "b1.5", "b2.1"]}
    names = [f"{doc}.{token}" for doc, several in tokens.items() for token in several]
    rows = "".join(f"all\t0\t{k}\t{name}\t({k})\n" for k, name in enumerate(names))
    ordered = made.mentions.index[made.mentions["doc"].isin(tokens)].tolist()
    whole = parse(f"#begin document (all);\n{rows}#end document\n")
    matched = match_corpus(whole, made.select("all"))
    labels = ["3", "1", "2", "0", "4", "5", "6"]
    assert matched.response.labels.to_dict() == dict(zip(ordered, labels, strict=True))
    assert kinds(matched)["mention-numbers"] == 7
    fewer = parse(f"#begin document (all);\n{''.join(rows.splitlines(True)[1:])}#end document\n")
    with refused("mention-unknown", "'1_1ecb' has 3 mentions", "4 in the corpus", place="file:4"):
        match_corpus(fewer, made.select("all"))
