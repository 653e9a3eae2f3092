"""Hostile text comes through every format unharmed, and tables show the numbers of the JSON."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import html

import cdec as library
from tests.program import Run
from tests.tiny_files import given, records

HOSTILE = (
    "<script>alert(1)", "<b onclick=x>", "a & b | c", "_%$#{}~^", "back\\slash\\", "=1+1", "+1-1",
    "@sum", "`code` *b* [l](u)", "```", "---", "שלום עולם", "🙂", "x" * 300,
)  # fmt: skip
# A name that a call gives with NAME=FILE has none of these, which are of paths and patterns.
NAMES = [name for name in HOSTILE if not set(name) & set("=\\*") and name[0] != "-"]
NAMES.append("two\nlines")
FORMATS = ("csv", "json", "markdown", "latex", "html")
TITLES = {"MUC": "muc", "B³": "b3", "CEAF_e": "ceafe", "CoNLL": "conll", "LEA": "lea"}
SIDES = {"P": "precision", "R": "recall", "F": "f1"}


def shown(cdec: Run, *call: object) -> dict[str, str]:
    """Return what a call prints in each format."""
    texts = {}
    for kind in FORMATS:
        done = cdec(*call, "-q", "-f", kind)
        assert done.exit == 0, done.err
        texts[kind] = done.out
    return texts


def cells(row: str) -> list[str]:
    """Return the cells of a row in Markdown."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def grids(text: str) -> list[list[list[str]]]:
    """Return the tables of a page in Markdown, without text in fences."""
    bare = re.sub(r"^(`{3,})\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"(?:^\|.*\|\n)+", bare, re.MULTILINE)
    return [[cells(row) for row in table.splitlines()] for table in found]


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV; a cell that a spreadsheet would run has an apostrophe before it."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        for name, value in row.items():
            assert not value.startswith(("=", "+", "@")), (name, value)
            row[name] = value[1:] if re.match(r"'[=+@-]", value) else value
    return rows


def unharmed(texts: dict[str, str], tame: str) -> None:
    """Check the structure of a page: ``tame`` is the same page in HTML, with harmless text."""
    tables = grids(texts["markdown"])
    assert tables
    for table in tables:
        assert len({len(row) for row in table}) == 1
    begun, ended = (
        re.findall(rf"\\{word}\{{(\w+)\*?\}}", texts["latex"]) for word in ("begin", "end")
    )
    assert sorted(begun) == sorted(ended)
    bodies = re.findall(r"\\midrule\n(.*?)\\bottomrule", texts["latex"], re.DOTALL)
    assert bodies
    for body in bodies:
        lines = re.sub(r"\\[&%$#_{}]|\\[a-zA-Z]+|\$\\?\w+\$", "", body)
        assert not re.search(r"[%#_$^~]", lines), lines
        rows = [row for row in lines.split("\\\\") if "&" in row]
        assert len({row.count("&") for row in rows}) == 1
    page, own = (html.fromstring(text) for text in (texts["html"], tame))
    tags, own_tags = ({node.tag for node in one.iter()} - {"wbr"} for one in (page, own))
    assert tags == own_tags
    names = [{str(name) for node in one.iter() for name in node.keys()} for one in (page, own)]  # noqa: SIM118
    assert names[0] == names[1]


def words(text: str) -> str:
    """Text content of a page, in one line."""
    return " ".join(" ".join(map(str, html.fromstring(text).itertext())).split())


def test_names_of_systems(cdec: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.conll"
    assert cdec("predict", "-o", file).exit == 0
    call = ("-s", "pure", "-s", "bh")
    tame = cdec("eval", *(f"s{n}={file}" for n in range(len(NAMES))), *call, "-q", "-f", "html").out
    texts = shown(cdec, "eval", *(f"{name}={file}" for name in NAMES), *call)
    found = json.loads(texts["json"])["rows"]
    assert list(dict.fromkeys(row["system"] for row in found)) == NAMES
    assert [row["system"] for row in rows_of(texts["csv"])] == [row["system"] for row in found]
    unharmed(texts, tame)
    content = words(texts["html"])
    assert all(" ".join(name.split()) in content for name in NAMES)


def corpus_of(tokens: tuple[str, ...], doc: Callable[[int], str]) -> tuple[str, str]:
    """Make a corpus whose tokens are mentions and names of chains, and a response to it."""
    docs = [doc(number) for number in range(4)]
    places = [
        {"id": name, "topic": str(n % 2), "subtopic": f"{n % 2}a", "part": "test",
         "sentences": [tokens]}
        for n, name in enumerate(docs)
    ]  # fmt: skip
    mentions = [
        {"doc": name, "tokens": [at], "chain": token + str(n % 2), "kind": "event"}
        for n, name in enumerate(docs)
        for at, token in enumerate(tokens)
    ]
    key = records(
        {"record": "corpus", "format": "cdec-corpus/1", "name": "made"},
        *({"record": "document", **place} for place in places),
        *({"record": "mention", "id": str(n), **one} for n, one in enumerate(mentions)),
    )
    response = records(*(
        {"doc": one["doc"], "start": (at := one["tokens"][0]), "end": at,
         "chain": one["chain"] if n % 3 else f"{one['doc']} {one['chain']}"}
        for n, one in enumerate(mentions)
    ))  # fmt: skip
    return key, response


def test_tokens_documents_and_chains(cdec: Run, tmp_path: Path) -> None:
    def diagnosed(folder: str, *made: str) -> tuple[object, ...]:
        files = [given(tmp_path / folder, f"{n}.jsonl", text) for n, text in enumerate(made)]
        return ("diagnose", "--corpus", files[0], f"m={files[1]}", "--top", "100")

    tame = tuple(f"t{number}" for number in range(len(HOSTILE)))
    harmless = diagnosed("tame", *corpus_of(tame, lambda number: f"d{number}"))
    call = diagnosed("wild", *corpus_of(HOSTILE, lambda number: f"{number}</td><i>&|_%\\"))
    texts = shown(cdec, *call)
    unharmed(texts, cdec(*harmless, "-q", "-f", "html").out)
    found = json.loads(texts["json"])["rows"]
    names = {row["name"] for row in found if row["name"]}
    assert names <= {token + end for token in HOSTILE for end in "01"}
    assert len(names) >= len(HOSTILE)
    assert {row["lemma"] for row in found} >= {"a & b | c", "_%$#{}~^", "=1+1", "🙂", "x" * 300}
    table = rows_of(texts["csv"])
    for column in ("name", "lemma"):
        assert [row[column] for row in table] == [row[column] or "" for row in found]


def test_readers_of_an_audit(cdec: Run, tmp_path: Path) -> None:
    corpus = library.load_corpus("sample")
    cases = list(corpus.selected.index[:6])
    about = {"corpus": corpus.name, "digest": corpus.digest}

    def file(number: int, reader: str, comment: str) -> Path:
        decided: list[dict[str, Any]] = [
            {"case": case, "kind": "spurious-member", "claims": [], "comment": comment,
             "verdict": "not-error" if (n + number) % 3 else "unsure"}
            for n, case in enumerate(cases)
        ]  # fmt: skip
        content = {"format": "cdec-audit-decisions/1", "reviewer": reader, "about": about}
        return given(
            tmp_path, f"{number}.json", json.dumps({**content, "places": {}, "decisions": decided})
        )

    calls = []
    for readers in (("ann", "bob", "eve"), ("=1+1", "<script>a & b | c", "_%$#{}~^\\")):
        files = [file(n, reader, reader) for n, reader in enumerate(readers)]
        calls.append(shown(cdec, "audit", "report", *files))
        assert not cdec("audit", "report", *files, "-q", "--figures", tmp_path / "figures").exit
        figure = (tmp_path / "figures" / "agreement-7in.svg").read_text("utf-8")
        assert figure.count('id="LineCollection_') == 2  # AC1 and κ
        alone = cdec("audit", "report", files[0], "--figures", tmp_path / "none")
        assert (alone.exit, alone.error) == (2, "option-conflict")
    unharmed(calls[1], calls[0]["html"])
    assert {row["reviewer"] for row in rows_of(calls[1]["csv"])} == {*readers}
    assert {row["reviewer"] for row in json.loads(calls[1]["json"])["rows"]} == {*readers}


def test_titles_of_a_board(cdec: Run, tmp_path: Path) -> None:
    response = tmp_path / "mine.conll"
    assert cdec("predict", "--split", "test", "-o", response).exit == 0
    task = '[[tasks]]\nname = "sample"\ntitle = "The sample"\ncorpus = "sample"\nsplit = "test"\n'
    pages = []
    for name, titles in {"tame": [f"t{n}" for n in range(len(HOSTILE))], "wild": HOSTILE}.items():
        folder = tmp_path / name
        given(folder, "leaderboard.toml", f'format = "cdec-leaderboard/1"\ntitle = "Made"\n{task}')
        for number, title in enumerate(titles):
            meta = given(
                tmp_path, "meta.toml", f"title = {json.dumps(title, ensure_ascii=False)}\n"
            )
            options = ("--name", f"s{number}", "--task", "sample", "--meta", meta)
            assert cdec("leaderboard", "add", response, *options, "--folder", folder).exit == 0
        assert cdec("leaderboard", "score", "--folder", folder, "-j", 1).exit == 0
        pages.append(shown(cdec, "leaderboard", "show", "--folder", folder, "--task", "sample"))
    unharmed(pages[1], pages[0]["html"])
    content = words(pages[1]["html"])
    assert all(" ".join(title.split()) in content for title in HOSTILE)


def test_a_table_shows_the_numbers_of_the_json(cdec: Run, tmp_path: Path) -> None:
    draw = random.Random(1)  # noqa: S311
    assert cdec("predict", "-o", tmp_path / "key.jsonl").exit == 0
    rows = [json.loads(line) for line in (tmp_path / "key.jsonl").read_text("utf-8").splitlines()]
    files = []
    for number in range(4):
        chains = [row | {"chain": str(draw.randrange(20 * 4**number))} for row in rows]
        files.append(given(tmp_path, f"r{number}.jsonl", records(*chains)))
    call = ("eval", *files, "--layout", "metrics", "-q", "-f")
    scores = {
        (row["setting"], row["system"], row["metric"]): row
        for row in cdec(*call, "json").json["rows"]
    }
    (head, _, *body), *_ = grids(cdec(*call, "markdown").out)
    settings = list(dict.fromkeys(setting for setting, _, _ in scores))
    assert len(body) == len(settings) * len(files)
    for number, row in enumerate(body):
        for title, cell in zip(head[2:], row[2:], strict=True):
            metric, side = title.split()
            row_of = scores[settings[number // len(files)], row[1], TITLES[metric]]
            assert cell == f"{100 * row_of[SIDES[side]]:.1f}"


def test_results_in_python_are_those_of_a_terminal(cdec: Run, tmp_path: Path) -> None:
    results = library.evaluate(library.load_corpus("sample", "test"), "lemma")
    printed = str(results)
    shown = cdec(f"eval lemma --corpus sample --figures {tmp_path}").out
    results.plot().save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_bytes() == (tmp_path / "slopes-3.3in.svg").read_bytes()
    with pytest.raises(library.CdecError):
        results.plot("forest")
    numbers = re.compile(r"\b\d+\.\d\b")
    assert numbers.findall(printed) == numbers.findall(shown) != []
