"""The key and the response of a case, in the format of each tool.

The real case is the key of ECB+ and the response of lemma-δ, as ``cdec`` writes them. A scorer for
single documents divides chains at document borders; therefore all documents are joined to one, of
which the other formats have the same mentions and chains.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from tests.benchmarks.made_up import merged_or_split, zipf_key

SIDES = ("key", "response")
JOINED = "one."
"""Prefix of formats whose files have all documents joined to one."""
SYSTEM = "lemma-delta"
ENTITY = "# newdoc id = all\n# global.Entity = eid-etype-head-other\n"
BORDER = re.compile(r"^#.*\n", re.MULTILINE)
BY_DOCUMENT = " by document"
"""End of the name of a case whose files are not joined."""
Mention: TypeAlias = tuple[str, int, int, str]
"""Document, first and last token, chain."""


@dataclass(frozen=True)
class Case:
    """Files named ``key.FORMAT`` and ``response.FORMAT`` in ``folder``.

    ``scope`` is that of a chain: ``corpus``, or ``document`` for the files as the corpus has them.
    """

    name: str
    folder: Path
    scope: str = "corpus"

    def paths(self, format: str) -> tuple[str, str]:
        name = format if self.scope == "corpus" else format.removeprefix(JOINED)
        key, response = (str(self.folder / f"{side}.{name}") for side in SIDES)
        return key, response

    def by_document(self) -> Case:
        """The same files, not joined: chains end with their document."""
        return replace(self, name=f"{self.name}{BY_DOCUMENT}", scope="document")

    def counts(self) -> tuple[int, int, int]:
        """Mentions of the key, chains of the key, chains of the response."""
        key, response = (
            json.loads(Path(path).read_text("utf-8"))["clusters"] for path in self.paths("json")
        )
        return sum(map(len, key.values())), len(key), len(response)


def real(folder: Path, corpus: str, split: str) -> Case:
    """The key of a part of a corpus and the response of lemma-δ."""
    case = Case(f"{'ECB+' if corpus != 'sample' else 'sample'} {split}", folder)
    at = ["--corpus", corpus, "--split", split, "--quiet"]
    asked = {"key": ["corpus", "export"], "response": ["predict", "--system", SYSTEM]}
    folder.mkdir(parents=True, exist_ok=True)
    for side in SIDES:
        for kind in ("conll", "conllu", "jsonl"):
            path = folder / f"{side}.{kind}"
            if not path.exists():
                command = [sys.executable, "-m", "cdec", *asked[side], *at, "-o", str(path)]
                subprocess.run(command, check=True)
        _write(folder / f"{side}.json", _clusters(_mentions(folder / f"{side}.jsonl")))
        _write(folder / f"{side}.tsv", _rows(_mentions(folder / f"{side}.jsonl")))
        for kind, head, end in (
            ("conll", "#begin document (all); part 000\n", "#end document\n"),
            ("conllu", ENTITY, ""),
        ):
            text = BORDER.sub("", (folder / f"{side}.{kind}").read_text("utf-8"))
            _write(folder / f"{side}.one.{kind}", [head, text, end])
    return case


def made(folder: Path, mentions: int) -> Case:
    """Zipf-distributed chains, a fifth of them merged or split; a mention is a word of one."""
    folder.mkdir(parents=True, exist_ok=True)
    key = zipf_key(mentions)
    for side, labels in zip(SIDES, (key, merged_or_split(key)), strict=True):
        table = [("all", n, n, f"c{chain}") for n, chain in enumerate(labels.tolist())]
        _write(folder / f"{side}.one.conll", _conll(table))
        _write(folder / f"{side}.one.conllu", _conllu(table))
        _write(folder / f"{side}.json", _clusters(table))
        _write(folder / f"{side}.tsv", _rows(table))
    return Case(f"made up, {mentions:,}", folder)


def _write(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(parts)


def _mentions(path: Path) -> list[Mention]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [(row["doc"], row["start"], row["end"], row["chain"]) for row in rows]


def _clusters(mentions: list[Mention]) -> Iterator[str]:
    """The JSON of scorch, which cdec reads, too."""
    ordered = sorted(mentions, key=lambda mention: mention[3])
    chains = {
        chain: [f"{doc}/{start}-{end}" for doc, start, end, _ in members]
        for chain, members in groupby(ordered, key=lambda mention: mention[3])
    }
    yield json.dumps({"type": "clusters", "clusters": chains})


def _rows(mentions: list[Mention]) -> Iterator[str]:
    """The table of neleval: document, start, end, chain, score, type."""
    return (f"{d}\t{start}\t{end}\t{chain}\t1\tEVENT\n" for d, start, end, chain in mentions)


def _conll(mentions: list[Mention]) -> Iterator[str]:
    yield "#begin document (all); part 000\n"
    for _, number, _, chain in mentions:
        yield f"all\t0\t{number % 20}\tword\t({chain[1:]})\n"
        if number % 20 == 19:
            yield "\n"
    yield "\n#end document\n"


def _conllu(mentions: list[Mention]) -> Iterator[str]:
    yield ENTITY
    for _, number, _, chain in mentions:
        place = number % 20 + 1
        yield f"{place}\tword\t_\t_\t_\t_\t{place - 1}\tdep\t_\tEntity=({chain}--1-)\n"
        if number % 20 == 19:
            yield "\n"
    yield "\n"
