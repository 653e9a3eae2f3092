"""CRAC's plain text and JSON: what is read, written and refused."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from cdec.evaluation.presets import find_preset
from cdec.formats import Annotation, read
from cdec.formats.conllu.writer import over_trees
from cdec.matching import match_corpus, match_files
from tests.cli.conftest import Run
from tests.corefud.made import counts
from tests.formats.made import corpus, kinds, parse, rows, written
from tests.refusals import refused

# Files with a fault: content, line, code.
TEXTS: dict[str, tuple[str, int | None, str]] = {
    "empty": (" \n", None, "file-empty"),
    "too many empty nodes": ("a|[e1]\nb" + 101 * " ##", 2, "tokens-invalid"),
}
JSON: dict[str, tuple[str, int | None, str]] = {
    "no list": ('{"clusters_token_offsets": 1}', None, "format-undetected"),
    "no tokens": ('[{"clusters_token_offsets": []}]', None, "field-invalid"),
    "no clusters": ('[{"tokens": ["a"], "clusters": [[[0, 0]]]}]', None, "field-invalid"),
    "clusters are 0": ('[{"tokens": ["a"], "clusters_token_offsets": 0}]', None, "field-invalid"),
    "a token is a number": (
        '[{"tokens": [1], "clusters_token_offsets": []}]',
        None,
        "field-invalid",
    ),
    "beyond the text": (
        '[{"tokens": ["a"], "clusters_token_offsets": [[[0, 1]]]}]',
        None,
        "tokens-invalid",
    ),
    "end before start": (
        '[{"tokens": ["a", "b"], "clusters_token_offsets": [[[1, 0]]]}]',
        None,
        "tokens-invalid",
    ),
    "not a pair": ('[{"tokens": ["a"], "clusters_token_offsets": [[0]]}]', None, "tokens-invalid"),
    "a document twice": (
        '[{"doc_id": "d", "tokens": ["a"], "clusters_token_offsets": []},'
        '{"doc_id": "d", "tokens": ["a"], "clusters_token_offsets": []}]',
        None,
        "conll-structure",
    ),
    "cut off": ('[{"tokens": ["a"],\n "clusters_token_offsets": [[', 2, "json-invalid"),
}
# The SHA-256 of the files that ondfa/text2text-coref 56d67ec (conllu2text -z) writes.
THEIRS = {
    "pdtc-ft": "63a2be66c693b25e5fb69c89b2b7d9733b5526000b7fccda8b3dacfec3d9edd0",
    "gum-test": "fbba9652654d4fdf3f5cec254cd5ff2716bf5fca061632b3a1fbcb20c514eec7",
}


@pytest.mark.parametrize(("text", "line", "code"), TEXTS.values(), ids=TEXTS)
def test_text_is_refused(text: str, line: int | None, code: str) -> None:
    with refused(code, place=f"file:{line}" if line else "file"):
        parse(text, format_="crac")


@pytest.mark.parametrize(("text", "line", "code"), JSON.values(), ids=JSON)
def test_json_is_refused(text: str, line: int | None, code: str) -> None:
    with refused(code, place=f"file:{line}" if line else "file"):
        parse(text, format_="crac-json")


@pytest.mark.parametrize(
    ("text", "format_", "place"),
    [
        ("a|[e1],[e1] b", "crac", "file:1"),
        ('[{"tokens": ["a"], "clusters_token_offsets": [[[0, 0], [0, 0]]]}]', "crac-json", "file"),
    ],
)
def test_a_mention_twice_is_noted_as_in_conllu(text: str, format_: str, place: str) -> None:
    codes = {notice.code: notice.all_cases for notice in parse(text, format_=format_).notices}
    assert codes["mentions-same-span"] == (f"e1 at {place}",)


def test_brackets_and_empty_nodes() -> None:
    made = parse("a|[e1,[e2 ##x|[e1] b|e1] c|e2],[e1]\n[|[e1] b|c d|e1\n")
    assert made.format == "crac"
    assert made.documents == {"1": ("a", "b", "c"), "2": ("[", "b|c", "d|e1")}
    assert rows(made) == {
        ("1", 0, 1, (), "e1"),
        ("1", 0, 2, (), "e2"),
        ("1", -1, -1, (), "e1"),
        ("1", 2, 2, (), "e1"),
        ("2", 0, 0, (), "e1"),
    }
    assert made.mentions["line"].tolist() == [1, 1, 1, 1, 2]
    assert written(made, "crac").startswith("a|[e1,[e2 ##x|[e1] b|e1] c|[e1],e2]\n[|[e1] b|c d|e1")


def test_one_mention_ends_where_the_next_of_its_chain_begins() -> None:
    made = parse("a|[e1 b|e1],[e1 c|e1]\n")
    assert rows(made) == {("1", 0, 1, (), "e1"), ("1", 1, 2, (), "e1")}
    assert written(made, "crac") == "a|[e1 b|e1],[e1 c|e1]\n"


def test_a_table_with_labels_like_brackets_is_a_table() -> None:
    assert parse("doc,start,end,chain\nd,0,1,x|[1]\n").format == "csv"
    assert parse("[ a , chain , b|[e1] ]|[e1]\n").format == "crac"
    assert parse("no mention\na|[e1]\n").format == "crac"


def test_labels_with_reserved_signs() -> None:
    key = parse('{"clusters": {"a,b|[-]%": [{"doc": "d", "tokens": [0]}]}}')
    bank = parse("x|[e1] y\n").trees
    assert bank is not None
    renamed = key.mentions.assign(doc="1")
    again = parse(
        written(over_trees(Annotation("k", "json", renamed, {"1": ("x", "y")}), bank.trees), "crac")
    )
    assert again.mentions["chain"].tolist() == ["a,b|[-]%"]


@pytest.mark.parametrize("text", ["a|[e1] ##b", "a|[e1 b|[e2 c|e1] d|e2]", "a|[x c|[x d|x] e|x]"])
def test_what_is_written_is_read_back(text: str) -> None:
    assert written(parse(text), "crac") == text + "\n"
    again = parse(written(parse(text), "crac-json"))
    assert again.format == "crac-json"
    assert {row[:4] for row in rows(again)} == {row[:4] for row in rows(parse(text))}


def test_words_that_read_as_something_else_are_not_written() -> None:
    for word in ("##x", "a|[e1]"):
        record = [{"doc_id": "d", "tokens": ["b", "c"], "clusters_token_offsets": [[[0, 0]]]}]
        made = parse(json.dumps(record))
        bank = parse(written(made, "conllu").replace("\tc\t", f"\t{word}\t"))
        with refused("format-unsuitable", word):
            written(bank, "crac")


def test_mentions_of_a_chain_that_cross_are_json_only() -> None:
    record = {"tokens": list("abcd"), "clusters_token_offsets": [[[0, 2], [1, 3]]]}
    made = parse(json.dumps([record]))
    with refused("format-unsuitable", "token 1"):
        written(made, "crac")
    assert rows(parse(written(made, "crac-json"))) == rows(made)


@pytest.mark.parametrize("name", ["pdtc-ft", "gum-test"])
def test_documents_are_those_of_the_converter_of_the_shared_task(corefud: Path, name: str) -> None:
    """All but one: where an empty node has an empty node as parent, theirs depends on rounding."""
    lines = written(read(corefud / name / "key.conllu"), "crac").splitlines(keepends=True)
    kept = [line for line in lines if "##supported" not in line]
    assert len(lines) - len(kept) == (name == "gum-test")
    assert sha256("".join(kept).encode()).hexdigest() == THEIRS[name]


def places(annotation: Annotation, labels: bool) -> Counter[tuple[tuple[int, ...], str]]:
    """The nodes of each mention in the text of the file, with its chain."""
    bank = annotation.trees
    assert bank is not None
    spans = (bank.entities.nodes[a:b] for a, b in pairwise(bank.entities.bounds))
    chains = [chain if labels else "" for chain in annotation.mentions["chain"]]
    return Counter(
        (tuple(bank.trees.place[nodes].tolist()), chain)
        for nodes, chain in zip(spans, chains, strict=True)
    )


@pytest.mark.parametrize("format_", ["crac", "crac-json"])
@pytest.mark.parametrize("name", ["pdtc-ft", "gum-test"])
def test_whole_files_there_and_back(
    cdec: Run, corefud: Path, tmp_path: Path, name: str, format_: str
) -> None:
    """All mentions but those with a gap, which are counted, have the nodes and the chain again."""
    gaps = {"pdtc-ft": 20, "gum-test": 1}[name]
    key, text, back = corefud / name / "key.conllu", tmp_path / "text", tmp_path / "back.conllu"
    there = cdec("corpus", "convert", str(key), "-o", str(text), "--to", format_)
    assert f"warning: {gaps} mention" in there.err and "gap" in there.err
    again = cdec(
        "corpus", "convert", str(text), "-o", str(back), "--to", "conllu", "--over", str(key)
    )
    alike = {"pdtc-ft": "2 mentions have the words of another", "gum-test": ""}[name]
    assert [alike in line for line in again.err.splitlines()] == [True] * bool(alike), again.err
    labels = format_ == "crac"
    ours, theirs = (places(read(file), labels) for file in (key, back))
    assert ((ours - theirs).total(), (theirs - ours).total()) == (gaps, gaps)
    texts = [read(file).documents for file in (key, back)]
    assert texts[0] == texts[1]


def test_a_perfect_response_has_the_scores_of_the_format(corefud: Path) -> None:
    """Only the 20 mentions with a gap differ; without it, two of them are other mentions."""
    key = read(corefud / "pdtc-ft" / "key.conllu")
    match = match_files(key, parse(written(key, "crac")))
    assert (kinds(match)["missing-mention"], kinds(match)["twinless"]) == (20, 18)


def test_a_bracket_without_a_partner_is_refused_elsewhere(tmp_path: Path) -> None:
    made = parse("a|[e1] b|[e2\n")
    with refused("brackets-invalid", "'e2'", place="file:1"):
        match_files(made, parse("a|[e1] b\n"))
    with refused("brackets-invalid", "'e2'"):
        match_corpus(made, corpus())
    for format_ in ("csv", "crac", "conllu"):
        with refused("brackets-invalid", "'e2'"):
            written(made, format_)
    path = tmp_path / "mine.txt"
    path.write_text("a|[e1] b|e2]\n", "utf-8")
    assert read(path).broken is not None


def test_plain_text_as_key() -> None:
    line = "a|[e1] b ##|[e1] c|[e2 d|e2] " + "x " * 20
    match = match_files(parse(line), parse(line.replace("x", "y x", 1)))
    assert counts(match, ["mentions"])["mentions"] == [3, 3, 3, 3]
    assert kinds(match)["words-differ"] == 1


def test_a_declaration_does_not_move_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text('# cdec: {"seed": 3}\na|[e1] b\n\nc|[e1]\n', "utf-8")
    made = read(path)
    assert (made.declared, list(made.documents)) == ({"seed": 3}, ["1", "3"])
    assert made.mentions["line"].tolist() == [2, 4]


def test_a_blank_first_line_is_a_document_without_tokens() -> None:
    text = "a|[e1] b\nc|[e2] d\n"
    for before, names in (
        ("", ["1", "2"]),
        ("\n", ["2", "3"]),
        ('# cdec: {"seed": 1}\n', ["1", "2"]),
    ):
        mentions = parse(before + text).mentions
        assert mentions["doc"].tolist() == names
        assert (mentions["line"] - (before != "")).tolist() == [1, 2]


def test_brackets_without_a_partner_are_not_noted_as_the_same_words() -> None:
    for text, noted in (("the|[e2,[e7 b", False), ("the|[e2],[e7] b", True)):
        codes = {notice.code for notice in parse(text + "\n").notices}
        assert ("mentions-same-span" in codes) == noted


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_of_json_that_is_in_no_list(indent: int | None) -> None:
    document = {"doc_id": "d", "tokens": ["She"], "clusters_token_offsets": [[[0, 0]]]}
    with refused("format-undetected", "list of documents [ … ]"):
        parse(json.dumps(document, indent=indent))


def test_presets_of_later_years_are_those_of_2024() -> None:
    earlier = find_preset("crac24")
    for name in ("crac25", "crac26"):
        preset = find_preset(name)
        assert (preset.policy, preset.metrics) == (earlier.policy, earlier.metrics)


def test_options_without_effect_are_refused(cdec: Run, corefud: Path, tmp_path: Path) -> None:
    key = str(corefud / "made" / "shift.key.conllu")
    out = ("-o", str(tmp_path / "out"))
    for given, code in (
        (("--to", "conll8", "--over", key), "option-requires"),
        (("--to", "crac", "--over", key), "format-unsuitable"),
        (("--to", "crac", "--as", "ecbplus"), "option-conflict"),
    ):
        ran = cdec("corpus", "convert", key, *out, *given)
        assert ran.error == code, ran.err
