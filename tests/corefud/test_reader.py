"""CoNLL-U: what is read, what is refused, and that what is written is read back."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from cdec.formats import read
from cdec.formats.conllu.writer import over_trees
from tests.formats.made import parse, rows, written
from tests.refusals import refused

HEAD = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def line(number: str, entity: str = "", form: str = "a", tail: str = "_\t0\troot\t_") -> str:
    """One line of CoNLL-U."""
    return f"{number}\t{form}\t_\t_\t_\t{tail}\t{f'Entity={entity}' if entity else '_'}\n"


def sentence(*entities: str) -> str:
    """A sentence of words with these values of Entity=."""
    return "".join(line(str(n), value) for n, value in enumerate(entities, start=1)) + "\n"


FAULTS = {
    "nine columns": (HEAD + "1\ta\t_\t_\t_\t_\t0\troot\t_\n", 3, "conll-structure"),
    "blanks for tabs": (
        HEAD + sentence("(e1--1-)") + "1 a _ _ _ _ 0 r _ _\n",
        5,
        "conll-structure",
    ),
    "starts with 2": (HEAD + line("2"), 3, "conll-structure"),
    "a number is missing": (HEAD + line("1") + line("3"), 4, "conll-structure"),
    "empty line is missing": (HEAD + line("1") + line("1"), 4, "conll-structure"),
    "id with a leading zero": (HEAD + line("1") + line("02"), 4, "conll-structure"),
    "half a range": (HEAD + line("1-") + line("1"), 3, "conll-structure"),
    "id is a word": (HEAD + line("x"), 3, "conll-structure"),
    "id with two points": (HEAD + line("1") + line("1.1.1"), 4, "conll-structure"),
    "empty node 0": (HEAD + line("1") + line("1.0"), 4, "conll-structure"),
    "empty node out of order": (HEAD + line("1") + line("1.2") + line("1.1"), 5, "conll-structure"),
    "empty node beyond 1023": (HEAD + line("1") + line("1.1024"), 4, "conll-structure"),
    "head is no number of a word": (
        HEAD + line("1") + line("2", tail=f"_\t{'9' * 20}\tdep\t_"),
        4,
        "conll-structure",
    ),
    "head of one digit too many": (
        HEAD + line("1", tail="_\t1234567890\tdep\t_"),
        3,
        "conll-structure",
    ),
    "comments only": (HEAD, None, "file-empty"),
    "document in two places": (
        f"{HEAD}{sentence('')}# newdoc id = e\n{sentence('')}# newdoc id = d\n{sentence('')}",
        9,
        "conll-structure",
    ),
    "no header": ("# newdoc id = d\n" + sentence("(e1--1-)"), None, "entity-invalid"),
    "closed but not open": (HEAD + sentence("e1)"), 3, "brackets-invalid"),
    "closed twice": (HEAD + sentence("(e1--1-", "e1)", "e1)"), 5, "brackets-invalid"),
    "not closed": (HEAD + sentence("", "(e1--1-"), 4, "brackets-invalid"),
    "ill-nested inside a value": (HEAD + sentence("(e1--1-)(", ""), 3, "brackets-invalid"),
    "no bracket": (HEAD + sentence("e1"), 3, "brackets-invalid"),
    "no entity": (HEAD + sentence("(-person-1-)"), 3, "brackets-invalid"),
    "empty value": (HEAD + line("1", " ").replace("Entity= ", "Entity="), 3, "brackets-invalid"),
    "across sentences": (
        HEAD + sentence("(e1--1-") + sentence("e1)"),
        3,
        "brackets-invalid",
    ),
    "across documents": (
        HEAD + sentence("(e1--1-") + "# newdoc id = e\n" + sentence("e1)"),
        3,
        "brackets-invalid",
    ),
    "second part only": (HEAD + sentence("(e1[2/2]--1-)"), 3, "entity-invalid"),
    "first part only": (HEAD + sentence("(e1[1/2]--1-)"), 3, "entity-invalid"),
    "part 3 of 2": (HEAD + sentence("(e1[3/2]--1-)"), 3, "entity-invalid"),
    "head 0": (HEAD + sentence("(e1--0-)"), 3, "entity-invalid"),
    "head beyond the mention": (HEAD + sentence("(e1--3-", "e1)"), 3, "entity-invalid"),
    "parts overlap": (
        HEAD + sentence("(e1[1/2]--1-", "(e1[2/2]--1-)", "e1[1/2])"),
        4,
        "entity-invalid",
    ),
    "closed before it opens": (HEAD + sentence("e1)(e1--1-"), 3, "brackets-invalid"),
    "head is a word": (HEAD + sentence("(e1--x-)"), 3, "entity-invalid"),
    "at a multiword range": (
        HEAD + line("1-2", "(e1--1-)") + line("1") + line("2"),
        3,
        "entity-invalid",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_with_its_line(name: str) -> None:
    content, number, code = FAULTS[name]
    with refused(code, place="file" if number is None else f"file:{number}"):
        parse(content, "file", "conllu")


def test_a_header_without_the_entity_in_a_file_without_mentions() -> None:
    text = "# newdoc id = d\n# global.Entity = etype-head\n" + line("1")
    assert len(parse(text, "file", "conllu")) == 0
    with refused("entity-invalid"):
        parse(text + line("2", "(e1--1-)"), "file", "conllu")


def test_the_last_fields_of_a_mention_may_be_missing() -> None:
    made = parse(HEAD + sentence("(e1-person-2", "e1)(e2-person)"), "file", "conllu")
    assert made.trees is not None
    assert made.trees.entities.head.tolist() == [1, 1]
    assert made.trees.entities.column("etype") == ["person", "person"]
    assert made.trees.entities.column("other") == ["", ""]


def test_mentions_empty_nodes_and_parts() -> None:
    text = (
        HEAD
        + line("1", "(A-x-1-(B[1/2]--1-)")
        + line("2", "A)")
        + line("2.1", "(Z--1-)", "_", "_\t_\t_\t1:nsubj")
        + line("2.10", "(Z--1-)", "_", "_\t_\t_\t1:nsubj")
        + line("3", "(B[2/2]--2-)")
    )
    made = parse(text)
    assert made.format == "conllu"
    assert rows(made) == {
        ("d", 0, 1, (), "A"),
        ("d", 0, 2, (0, 2), "B"),
        ("d", -1, -1, (), "Z"),
    }
    assert made.trees is not None
    # 2.10 is another node than 2.1: read as numbers with a decimal point they would be the same.
    assert made.trees.spans == ("1:1-2", "1:1,3", "1:2.1", "1:2.10")
    assert made.trees.entities.head.tolist() == [0, 4, 2, 3]


IRREGULAR = {
    "crossing": (
        sentence("(e1[1/2]--1-)", "(e1--1-", "(e1[2/2]--2-)", "e1)"),
        "mentions-crossing",
        4,
    ),
    "same span": (sentence("", "(e1--1-)(e2--1-)"), "mentions-same-span", 4),
    "same span, one entity": (sentence("(e1--1-(e1--1-", "e1)e1)"), "mentions-same-span", 3),
    "in two documents": (
        sentence("(e1--1-)") + "# newdoc id = e\n" + sentence("(e1--1-)"),
        None,
        None,
    ),
    "nested": (sentence("(e1--1-", "(e1--1-)", "e1)"), None, None),
    "crossing of two entities": (sentence("(e1--1-", "(e2--1-", "e1)", "e2)"), None, None),
}


@pytest.mark.parametrize("name", IRREGULAR)
def test_what_can_be_scored_all_the_same_is_a_notice_with_its_line(name: str) -> None:
    content, code, number = IRREGULAR[name]
    notices = parse(HEAD + content, "file", "conllu").notices
    if number is None:
        assert not notices
    else:
        assert [notice.code for notice in notices] == [code]
        assert notices[0].examples == (f"e{notices[0].examples[0][1]} at file:{number}",)


def test_words_before_the_first_document_have_no_name_and_ids_may_be_missing() -> None:
    made = parse(
        f"# global.Entity = eid\n{sentence('(a)')}# newdoc\n{sentence('(a)')}", format_="conllu"
    )
    assert made.mentions["doc"].tolist() == ["", "1"]
    assert [notice.code for notice in made.notices] == ["heads-assumed"]


def test_what_is_written_is_read_back() -> None:
    odd = "a (1)|2]=[%é-\t"
    text = HEAD + sentence("(A--1-(B--2-", "(A--1-)", "A)(C[1/2]--1-)", "B)", "(C[2/2]--2-)")
    made = parse(text)
    assert rows(parse(written(made, "conllu"))) == rows(made)
    labelled = parse(written(made, "jsonl").replace('"B"', json.dumps(odd)))
    assert made.trees is not None
    again = parse(written(over_trees(labelled, made.trees.trees), "conllu"))
    assert {row[-1] for row in rows(again)} == {"A", odd, "C"}


def test_crossing_mentions_of_one_entity_cannot_be_written() -> None:
    table = '{"doc": "d", "start": %d, "end": %d, "chain": "x"}\n'
    made = parse(table % (0, 1) + table % (1, 2))
    bank = parse(HEAD + sentence("", "", "")).trees
    assert bank is not None
    with refused("format-unsuitable", place="file:2"):
        written(over_trees(made, bank.trees), "conllu")
    with refused("format-unsuitable", "not known"):
        written(made, "conllu")


@pytest.mark.parametrize("name", ["gum-test/key", "gum-test/response-ontogum", "pdtc-ft/key"])
def test_real_files_are_written_and_read_back(name: str, corefud: Path, tmp_path: Path) -> None:
    made = read(corefud / f"{name}.conllu")
    again = parse(written(made, "conllu"))
    assert rows(again) == rows(made)
    assert made.trees is not None and again.trees is not None
    assert sorted(made.trees.spans) == sorted(again.trees.spans)


def test_every_conll_file_of_gum_ontogum_litbank_and_openboek_is_read(
    corefud: Path, tmp_path: Path
) -> None:
    for archive in ("litbank/litbank-coref-conll", "openboek/openboek-coref-conll"):
        with tarfile.open(corefud / f"{archive}.tar.gz") as packed:
            packed.extractall(tmp_path, filter="data")
    novels = sorted(tmp_path.rglob("*.conll"))
    assert len(novels) == 109
    for path in novels:
        assert len(read(path)) > 0
    for path in sorted((corefud / "gum-test" / "conll-ontogum").glob("*.conll")):
        key = read(corefud / "gum-test" / "conll-gum" / path.name)
        made = read(path)
        assert (made.format, list(made.documents)) == ("conll", list(key.documents))
        assert [notice.code for notice in made.notices] == ["document-unnamed"]
