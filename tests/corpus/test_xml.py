"""One ECB+ file: its content, its defects, and errors with file and line."""

from __future__ import annotations

import pytest

from cdec.corpus import Defect, Row, parse_file
from tests.refusals import refused

NAME = "1/1_1ecb.xml"
DOCTYPE = '<!DOCTYPE Document [<!ENTITY a "boom"><!ENTITY b "&a;&a;">]>'

# Old and new text in the valid document, line and code of the error, and a value in it.
INVALID = {
    "malformed": ('number="0">Fire<', 'number="0">Fire & flames<', 3, "corpus-file-invalid", ""),
    "attribute twice": ('t_id="1"', 't_id="1" t_id="1"', 3, "corpus-file-invalid", ""),
    "DTD with entities": ("<Document ", f"{DOCTYPE}\n<Document ", 2, "corpus-file-invalid", ""),
    "entity without DTD": (">Fire<", ">&fire;<", 3, "corpus-file-invalid", ""),
    "control character": (">Fire<", ">Fi\x01re<", 3, "corpus-file-invalid", ""),
    "another root": ("Document", "Article", 1, "corpus-file-invalid", "<Article>"),
    "no markables": ("Markables", "Marks", 1, "corpus-file-invalid", "<Document>"),
    "token twice": ('t_id="4" sentence', 't_id="3" sentence', 6, "corpus-file-invalid", "token 3"),
    "token without id": ('<token t_id="4" ', "<token ", 6, "corpus-file-invalid", "'t_id'"),
    "token without sentence": (
        'sentence="0" number="3"',
        "",
        6,
        "corpus-file-invalid",
        "'sentence'",
    ),
    "elements in a token": (">out<", "><b>out</b><", 6, "corpus-file-invalid", "token 4"),
    "sentence that skips": (
        'sentence="1" number="0"',
        'sentence="2"',
        7,
        "corpus-file-invalid",
        "'2'",
    ),
    "sentence that is not a number": (
        'sentence="1" number="0"',
        'sentence="x"',
        7,
        "corpus-file-invalid",
        "'x'",
    ),
    "first sentence is not 0": (
        'sentence="0" number="0"',
        'sentence="1"',
        3,
        "corpus-file-invalid",
        "'1'",
    ),
    "missing token": ('anchor t_id="6"', 'anchor t_id="66"', 12, "corpus-file-invalid", "66"),
    "mention without anchor": ('<token_anchor t_id="6"/>', "<b/>", 12, "corpus-file-invalid", "12"),
    "markable twice": ('PART_PER m_id="13"', 'PART_PER m_id="12"', 13, "corpus-file-invalid", "12"),
    "markable without id": ('PART_PER m_id="13"', "PART_PER", 13, "corpus-file-invalid", "'m_id'"),
    "relation from a missing mention": (
        'source m_id="14"',
        'source m_id="99"',
        19,
        "corpus-file-invalid",
        "99",
    ),
    "relation from an instance": (
        'source m_id="14"',
        'source m_id="22"',
        19,
        "corpus-file-invalid",
        "22",
    ),
    "relation to nothing": (
        'target m_id="21"',
        'target m_id="98"',
        19,
        "corpus-file-invalid",
        "98",
    ),
    "relation without target": ('<target m_id="21"/>', "", 19, "corpus-file-invalid", "none"),
    "cross-document relation without note": (
        ' note="ACT1"',
        "",
        19,
        "corpus-file-invalid",
        "'note'",
    ),
    "empty note": ('note="ACT1"', 'note=" "', 19, "corpus-file-invalid", "note"),
    "mention in two relations": (
        'source m_id="13"',
        'source m_id="11"',
        24,
        "corpus-file-invalid",
        "mention 11",
    ),
    "mention twice in one": (
        'source m_id="14"',
        'source m_id="11"',
        19,
        "corpus-file-invalid",
        "mention 11",
    ),
    "another relation": ("INTRA_DOC_COREF", "HAS_PART", 24, "corpus-file-invalid", "<HAS_PART>"),
}


@pytest.mark.parametrize("fault", INVALID)
def test_an_invalid_file_is_refused_in_one_line(document: str, fault: str) -> None:
    old, new, line, code, value = INVALID[fault]
    assert old in document
    with refused(code, value, place=f"{NAME}:{line}") as caught:
        parse_file(NAME, document.replace(old, new).encode())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lines", [1, 5, 12, 20, 28])
def test_a_truncated_file_is_refused_at_its_end(document: str, lines: int) -> None:
    data = "\n".join(document.splitlines()[:lines]).encode()
    with refused("corpus-file-invalid", place=f"{NAME}:{lines}"):
        parse_file(NAME, data)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", "corpus-file-invalid", id="empty"),
        pytest.param(b"Fire broke out.\n", "corpus-file-invalid", id="plain text"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", "corpus-file-invalid", id="an image"),
        pytest.param(b"<html><body/></html>", "corpus-file-invalid", id="a web page"),
    ],
)
def test_a_file_that_is_not_ecbplus_is_refused(data: bytes, code: str) -> None:
    with refused(code, place=f"{NAME}:1"):
        parse_file(NAME, data)


def test_wrong_encoding_is_refused_with_its_line(document: str) -> None:
    with refused("corpus-file-invalid", place=f"{NAME}:7"):
        parse_file(NAME, document.encode("latin-1"))


def test_a_declared_encoding_is_followed(document: str) -> None:
    data = document.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert parse_file(NAME, data).document.tokens[4] == "Aña"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_never_expanded(document: str, encoding: str) -> None:
    bomb = document.replace("UTF-8", encoding).replace("<Document ", f"{DOCTYPE}<Document ")
    data = bomb.replace(">Fire<", ">&b;<").encode(encoding)
    with refused("corpus-file-invalid"):
        parse_file(NAME, data)


@pytest.mark.parametrize("name", ["1/notes.xml", "1/1_1.xml", "1/ecb.xml", "1/_1ecb.xml"])
def test_a_name_without_topic_is_refused(document: str, name: str) -> None:
    with refused("corpus-file-invalid", place=name):
        parse_file(name, document.encode())


def test_tokens_are_by_sentence_and_mentions_index_them(document: str) -> None:
    parsed = parse_file(NAME, document.encode())
    doc, rows = parsed.document, {row.id: row for row in parsed.rows}
    assert (doc.id, doc.topic, doc.text_start) == ("1_1ecb", "1", 0)
    assert doc.sentences == (("Fire", "broke", "quickly", "out"), ("Aña", "saw", "it"))
    assert doc.sentence_starts == (0, 4)
    fire = rows["1_1ecb/11"]
    assert (fire.start, fire.end, fire.tokens, fire.text) == (1, 3, (1, 3), "broke out")
    assert facts(fire) == ("ACT1", "cross_doc", "t1_fire")
    person = rows["1_1ecb/13"]
    assert (person.kind, person.sentence) == ("entity", 1)
    assert facts(person) == ("1_1ecb/r2", "intra_doc", "t1_ana")
    assert facts(rows["1_1ecb/12"]) == ("1_1ecb/12", "none", "")


def facts(row: Row) -> tuple[object, ...]:
    return row.chain, row.attributes["relation"], row.attributes["descriptor"]


def test_instances_are_not_mentions(document: str) -> None:
    ids = [row.id for row in parse_file(NAME, document.encode()).rows]
    assert ids == ["1_1ecb/11", "1_1ecb/12", "1_1ecb/13", "1_1ecb/14"]


def test_the_url_sentence_of_added_documents_is_not_text(document: str) -> None:
    assert parse_file("1/1_2ecbplus.xml", document.encode()).document.text_start == 1


def test_comments_and_instructions_change_nothing(document: str) -> None:
    noisy = document.replace(">Fire<", "><!-- a -->Fi<?b?>re<").replace(
        'instance_id="ACT1"/>', 'instance_id="ACT1"><!-- c --><?d?></ACTION_OCCURRENCE>'
    )
    assert parse_file(NAME, noisy.encode()) == parse_file(NAME, document.encode())


# Old and new text, and the defect, in addition to the gap of mention 11.
NOTED = {
    "blank token": (">Fire<", "><", Defect("blank-token", "1_1ecb/t1")),
    "white space": (">Fire<", ">Fi\xa0re<", Defect("white-space-in-token", "1_1ecb/t1")),
    "lost character": (">Fire<", ">Fi\ufffdre<", Defect("replacement-character", "1_1ecb/t1")),
    "anchor twice": (
        '<token_anchor t_id="6"/>',
        '<token_anchor t_id="6"/><token_anchor t_id="6"/>',
        Defect("anchored-twice", "1_1ecb/12"),
    ),
    "two events on a token": (
        '<token_anchor t_id="6"/>',
        '<token_anchor t_id="6"/><token_anchor t_id="7"/>',
        Defect("token-in-two-events", "1_1ecb/t7"),
    ),
    "over two sentences": (
        '<token_anchor t_id="5"/>',
        '<token_anchor t_id="4"/><token_anchor t_id="5"/>',
        Defect("spans-sentences", "1_1ecb/13"),
    ),
    "gap in an argument": (
        '<token_anchor t_id="5"/>',
        '<token_anchor t_id="5"/><token_anchor t_id="7"/>',
        Defect("gap-in-argument", "1_1ecb/13"),
    ),
    "relation without source": (
        '<source m_id="13"/>',
        "",
        Defect("relation-without-source", "1_1ecb/r2"),
    ),
    "unknown tag": ("HUMAN_PART_PER", "HUMAN_PART", Defect("unknown-tag", "1_1ecb/13")),
    "tags differ": (
        'PART_PER m_id="22"',
        'PART_ORG m_id="22"',
        Defect("tag-differs-from-instance", "1_1ecb/13"),
    ),
    "event in an argument chain": (
        'HUMAN_PART_PER m_id="22"',
        'ACTION_STATE m_id="22"',
        Defect("event-in-argument-chain", "1_1ecb/13"),
    ),
    "instance without type": (
        'HUMAN_PART_PER m_id="22"',
        'UNKNOWN_INSTANCE_TAG m_id="22"',
        Defect("unknown-instance", "1_1ecb/22"),
    ),
}


@pytest.mark.parametrize(("old", "new", "defect"), NOTED.values(), ids=NOTED.keys())
def test_each_kind_of_defect_is_read_and_noted(
    document: str, old: str, new: str, defect: Defect
) -> None:
    assert old in document
    parsed = parse_file(NAME, document.replace(old, new).encode())
    assert Defect("gap-in-event", "1_1ecb/11") in parsed.defects
    assert defect in parsed.defects
    assert len(parsed.rows) == 4


def test_a_shared_token_is_reported_by_its_id(document: str) -> None:
    renumbered = document.replace('t_id="7"', 't_id="700"').replace(
        '<token_anchor t_id="6"/>', '<token_anchor t_id="6"/><token_anchor t_id="700"/>'
    )
    defects = parse_file(NAME, renumbered.encode()).defects
    assert Defect("token-in-two-events", "1_1ecb/t700") in defects


def test_a_mention_with_an_unknown_action_tag_is_an_event(document: str) -> None:
    parsed = parse_file(NAME, document.replace("ACTION_PERCEPTION", "ACTION_OTHER").encode())
    assert {row.id: (row.kind == "event") for row in parsed.rows}["1_1ecb/12"]
    assert Defect("unknown-tag", "1_1ecb/12") in parsed.defects
