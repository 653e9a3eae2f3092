"""Is this copy of a corpus sound? Reads all of it and does not stop at the first bad file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.adapter import CORPORA, Defect, Inspection, Tick, guarded, read_corpus
from cdec.corpus.known import Expected, KnownCorpus
from cdec.corpus.model import natural_key
from cdec.corpus.source import Source
from cdec.corpus.store.difference import Difference, difference, meant_by
from cdec.errors import CorpusError, counted

EXAMPLES = 3
DEFECT_COLUMNS = ["kind", "expected", "found", "status", "meaning", "handling", "examples"]
FACT_COLUMNS = ["fact", "expected", "found", "status", "meaning"]


@dataclass(frozen=True)
class Survey:
    """What was found in one copy of a corpus.

    ``known`` is the published corpus that the copy is meant to be, or None; ``defects`` has a
    row a kind of defect, ``facts`` a row a figure (none where files could not be read). Their
    ``status`` is ``known`` (as published), ``unknown`` (more than is known, or another),
    ``missing`` (less) or ``noted`` (nothing is published of this corpus). ``remarks`` are further
    lines of the format's reader.
    """

    path: Path
    digest: str
    documents: int
    known: KnownCorpus | None
    difference: Difference
    errors: tuple[CorpusError, ...] = field(repr=False)
    defects: pd.DataFrame = field(repr=False)
    facts: pd.DataFrame = field(repr=False)
    remarks: tuple[str, ...] = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether all can be read and, for a published corpus, all is as published."""
        return not self.errors and not self.difference and not self._surprises()

    @property
    def verdict(self) -> str:
        """One sentence: what this copy is."""
        if self.errors:
            files = counted(self.documents, "file")
            return f"{len(self.errors)} of {files} or their list cannot be read"
        if self.known is None:
            return "all can be read; there is no published checksum for this corpus"
        if self.difference:
            return f"this is not {self.known.title}: {self.difference}"
        sound = f"this is {self.known.title}, complete and unchanged"
        return f"{sound}, but cdec does not read it as expected" if self._surprises() else sound

    @property
    def problems(self) -> list[str]:
        """One line for everything that is wrong, in full."""
        named = {"damaged": self.difference.damaged, "missing": self.difference.missing}
        named["extra"] = self.difference.extra
        lines = [f"{name}: {kind} file" for kind, names in named.items() for name in names]
        lines += [self.difference.reviewed] if self.difference.reviewed else []
        return [*map(str, self.errors), *lines, *self.remarks]

    def _surprises(self) -> bool:
        statuses = {*self.defects["status"], *self.facts["status"]}
        return self.known is not None and not statuses <= {"known"}


def survey(source: Source, tick: Tick = lambda: None) -> Survey:
    """Read every file of ``source`` and compare with what is known; ``tick`` after each file."""
    found = _inspect(source, tick)
    known = meant_by(source)
    return Survey(
        path=source.path,
        digest=source.digest,
        documents=len(source.files),
        known=known,
        difference=difference(source, known) if known else Difference(),
        errors=found.errors,
        defects=_defect_table(found.defects, known),
        facts=_fact_table(found.facts, known),
        remarks=found.remarks,
    )


def _inspect(source: Source, tick: Tick) -> Inspection:
    inspect = CORPORA[source.layout.name].inspect
    if inspect is not None:
        with guarded(source):
            return inspect(source, tick)
    try:
        corpus = read_corpus(source, source.path.name, tick)
    except CorpusError as error:
        return Inspection((error,))
    documents = corpus.documents.values()
    facts = {
        "documents": len(documents),
        "topics": len({document.topic for document in documents}),
        "subtopics": len({(document.topic, document.subtopic) for document in documents}),
        "mentions": len(corpus.mentions),
    }
    return Inspection(facts=facts)


def _defect_table(defects: Iterable[Defect], known: KnownCorpus | None) -> pd.DataFrame:
    found: dict[str, list[str]] = {}
    for defect in defects:
        found.setdefault(defect.kind, []).append(defect.item)
    kinds = read_toml("corpora/kinds.toml")["defects"]
    expected = known.defects if known else {}
    rows = [
        (
            kind,
            expected[kind].count if kind in expected else None,
            len(found.get(kind, [])),
            _defect_status(found.get(kind, []), expected.get(kind, Expected(0)), known),
            kinds[kind]["meaning"],
            kinds[kind]["handling"],
            ", ".join(sorted(found.get(kind, []), key=natural_key)[:EXAMPLES]),
        )
        for kind in sorted(found.keys() | expected.keys())
    ]
    return pd.DataFrame(rows, columns=DEFECT_COLUMNS).astype({"expected": "Int64"})


def _defect_status(items: list[str], expected: Expected, known: KnownCorpus | None) -> str:
    if expected.items and set(items) - expected.items:
        return "unknown"
    return _status(len(items), expected.count if known else None)


def _fact_table(found: Mapping[str, int], known: KnownCorpus | None) -> pd.DataFrame:
    meanings = read_toml("corpora/kinds.toml")["facts"]
    expected = known.facts if known else {}
    rows = [
        (fact, expected.get(fact), count, _status(count, expected.get(fact)), meanings[fact])
        for fact, count in found.items()
    ]
    return pd.DataFrame(rows, columns=FACT_COLUMNS).astype({"expected": "Int64"})


def _status(found: int, expected: int | None) -> str:
    if expected is None:
        return "noted"
    if found == expected:
        return "known"
    return "unknown" if found > expected else "missing"
