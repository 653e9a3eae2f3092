"""Written files are read back unchanged, with any characters in tokens, labels and names."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import assume, given

from cdec.errors import CdecError, FormatError
from cdec.formats import FORMATS, Annotation, mention_table
from cdec.formats.annotation import object_array
from cdec.matching import FilePolicy, match_corpus, match_files
from tests.formats.made import annotations, corpus, parse, partition, rows, with_ids, written
from tests.refusals import refused

CORPUS = corpus()


@given(made=annotations())
def test_conll_with_texts(made: Annotation) -> None:
    read = parse(written(made, "conll"))
    assert rows(read) == rows(made)
    texts = made.documents.items()
    kept = {d: None if t is None or set(t) <= {"-", "_", "*"} else t for d, t in texts}
    assert read.documents == kept


@given(made=annotations(texts=False))
def test_conll_without_texts(made: Annotation) -> None:
    read = parse(written(made, "conll"))
    assert rows(read) == rows(made)


@pytest.mark.parametrize("format_", ["jsonl", "csv", "tsv", "json"])
@given(made=annotations(gaps=True, brackets=False))
def test_one_mention_a_record(format_: str, made: Annotation) -> None:
    assume(len(made))
    if format_ in {"csv", "tsv"}:
        assume(not any("\0" in text for row in rows(made) for text in (row[0], row[-1])))
    read = parse(written(made, format_))
    assert read.format == format_
    assert rows(read) == rows(made)


@given(made=annotations())
def test_conll_gives_the_same_partition_when_numbered(made: Annotation) -> None:
    numbered = made.numbered()
    assert partition(parse(written(numbered, "conll"))) == partition(made)
    assert all(label.isdecimal() for label in numbered.mentions["chain"])


@pytest.mark.parametrize("format_", sorted(set(FORMATS) - {"conll", "conllu", "crac", "crac-json"}))
def test_mention_ids(format_: str) -> None:
    made = parse('[["d/1", "d/2"], ["e/1"]]')
    assert partition(parse(written(made, format_))) == partition(made)


@pytest.mark.parametrize("format_", FORMATS)
@given(made=with_ids())
def test_what_is_written_is_read(format_: str, made: Annotation) -> None:
    """Whatever a writer does not refuse, its reader reads back with every column."""
    try:
        text = written(made, format_)
    except FormatError as error:
        assert error.code == "format-unsuitable"
        return
    read = parse(text)
    assert read.format == format_
    columns = ["doc", "start", "end", "tokens", "chain", "mention"]
    wanted = made.mentions[columns]
    if format_ == "conll":
        wanted = wanted.assign(tokens=object_array([()] * len(made)), mention="")
    elif format_ == "conllu":
        wanted = wanted.assign(mention="")
    actual = read.mentions[columns].itertuples(index=False, name=None)
    assert Counter(actual) == Counter(wanted.itertuples(index=False, name=None))


@pytest.mark.parametrize("format_", FORMATS)
def test_blank_names_are_refused(format_: str) -> None:
    for doc, chain, mention in (("", "x", ""), (" ", "x", ""), ("d", "", ""), ("d", "\t", " ")):
        table = mention_table([doc], [0], [0], [chain], mention=[mention])
        made = Annotation("made", "made", table, {doc: None})
        if doc and chain.strip() and format_ == "conll":
            assert partition(parse(written(made, format_))) == {frozenset({(doc, 0, 0, (), "")})}
        else:
            with refused("format-unsuitable", place="made"):
                written(made, format_)


@given(made=annotations(gaps=True, brackets=False))
def test_any_annotation_is_matched_and_written_or_refused(made: Annotation) -> None:
    works: list[Callable[[], object]] = [
        lambda: match_files(made, made, FilePolicy(allow_empty=True)),
        lambda: match_corpus(made, CORPUS, FilePolicy("drop", allow_empty=True)),
        *(lambda f=f: written(made, f) for f in FORMATS),
    ]
    for work in works:
        with suppress(CdecError):
            work()
