"""Formats of other packages: selected by name, or by their own detection."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from cdec.errors import PluginError
from cdec.formats import FORMATS, Annotation, Format, mention_table, read, write
from cdec.io import Source
from tests.formats.made import parse, rows
from tests.refusals import refused


def read_pipes(source: Source) -> Annotation:
    lines = [line.split("|") for line in source.lines if line]
    docs, starts, ends, chains = zip(*lines, strict=True)
    table = mention_table(docs, list(map(int, starts)), list(map(int, ends)), chains)
    return Annotation(source.name, "pipes", table, dict.fromkeys(docs))


def write_pipes(annotation: Annotation) -> Iterator[str]:
    for row in annotation.mentions[["doc", "start", "end", "chain"]].itertuples(index=False):
        yield "|".join(map(str, row)) + "\n"


def sniff_pipes(source: Source) -> bool:
    return source.lines[0].count("|") == 3


PIPES = Format("pipes", "mentions between pipes", read_pipes, write_pipes, sniff_pipes)
QUIET = Format("quiet", "never detected", read_pipes, write_pipes)
CSV = Format("csv", "not the id of its entry", read_pipes, write_pipes)
TEXT = "d|0|1|x\nd|3|3|x\n"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install entries of other packages: one cannot be imported, two are not valid formats."""
    here = __name__
    values = {
        "broken": "no_such_package:FORMAT",
        "number": "math:pi",
        "pipes": f"{here}:PIPES",
        "quiet": f"{here}:QUIET",
        "renamed": f"{here}:CSV",
    }
    points = {name: [EntryPoint(name, value, FORMATS.group)] for name, value in values.items()}
    monkeypatch.setitem(vars(FORMATS), "_points", points)
    monkeypatch.setitem(vars(FORMATS), "_loaded", {})


def test_own_formats_come_first() -> None:
    own = ["conll", "conllu", "jsonl", "csv", "tsv", "json", "crac", "crac-json"]
    assert list(FORMATS)[: len(own)] == list(FORMATS.own) == own
    assert "pipes" in FORMATS


def test_a_named_format_is_read_and_written(tmp_path: Path) -> None:
    for name in ("pipes", "quiet"):
        assert rows(parse(TEXT, format_=name)) == {("d", 0, 1, (), "x"), ("d", 3, 3, (), "x")}
        write(parse(TEXT, format_=name), tmp_path / "out", name)
        assert (tmp_path / "out").read_text() == TEXT


def test_a_format_may_detect_its_files(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(TEXT)
    assert read(tmp_path / "in").format == "pipes"
    with refused("format-undetected", "pipes", "quiet") as caught:
        parse("d|0|1\n")
    assert "broken" not in str(caught.value)


def test_own_detection_goes_first() -> None:
    assert parse("doc,start,end,chain\nd|x|y|z,1,1,c\n").format == "csv"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "No module named 'no_such_package'"),
        ("number", "expected a cdec.formats.Format, got float"),
        ("renamed", "the id of the format is 'csv'"),
    ],
)
def test_an_invalid_format_is_an_error_if_it_is_named(name: str, reason: str) -> None:
    with pytest.raises(PluginError, match=reason):
        parse(TEXT, format_=name)


def test_the_nearest_name() -> None:
    with refused("name-unknown", "unknown format", "'pipes'"):
        parse(TEXT, format_="pipe")
