"""Verify a copy of a corpus: read all files, also after an invalid one, and compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.adapter import CORPORA, Defect, Inspection, Tick, guarded
from cdec.corpus.inspection import facts, irregularities
from cdec.corpus.interchange.writer import content_digest
from cdec.corpus.known import Difference, Expected, KnownCorpus, difference, known_corpora, meant_by
from cdec.corpus.model import natural_key
from cdec.corpus.source import Source
from cdec.corpus.store.load import load
from cdec.errors import CorpusError, counted

EXAMPLES = 3
DEFECT_COLUMNS = ["kind", "expected", "found", "status", "meaning", "handling", "examples"]
FACT_COLUMNS = ["fact", "expected", "found", "status", "meaning"]


@dataclass(frozen=True)
class Survey:
    """The result of verifying one copy of a corpus.

    ``content`` is the content digest, '' if there are errors. ``known`` is the published corpus of
    which this is a copy, or None. ``defects`` has a row for each kind of defect, ``facts`` a row
    for each count (none if there are errors). Their ``status`` is ``known`` (as published),
    ``unknown`` (more, or other items), ``missing`` (fewer) or
    ``noted`` (no published value). ``remarks`` are further messages of the format's reader.
    """

    path: Path
    digest: str
    content: str
    documents: int
    known: KnownCorpus | None
    difference: Difference
    errors: tuple[CorpusError, ...] = field(repr=False)
    defects: pd.DataFrame = field(repr=False)
    facts: pd.DataFrame = field(repr=False)
    remarks: tuple[str, ...] = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether all files are valid and, for a published corpus, as published."""
        return not self.errors and not self.difference and not self._surprises()

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.errors:
            return f"{counted(len(self.errors), 'error')} in {counted(self.documents, 'file')}"
        if self.known is None:
            return "all files are valid; this corpus has no published checksum"
        if self.difference:
            return f"not {self.known.title}: {self.difference}"
        if self.known.digest is None:
            counts = "differ from the expected" if self._surprises() else "are as expected"
            return f"{self.known.title}: the counts {counts}; the files have no published checksum"
        intact = f"{self.known.title}, complete and unchanged"
        return f"{intact}, but the counts differ from the expected" if self._surprises() else intact

    @property
    def problems(self) -> list[str]:
        """Every error and difference, one line each."""
        files = {"damaged": self.difference.damaged, "missing": self.difference.missing}
        files["extra"] = self.difference.extra
        lines = [f"{name}: {kind} file" for kind, names in files.items() for name in names]
        lines += [self.difference.reviewed] if self.difference.reviewed else []
        return [*map(str, self.errors), *lines, *self.remarks]

    def _surprises(self) -> bool:
        statuses = {*self.defects["status"], *self.facts["status"]}
        expected = {"known"} if self.known and self.known.digest else {"known", "noted"}
        return self.known is not None and not statuses <= expected


def survey(source: Source, tick: Tick = lambda: None) -> Survey:
    """Return the survey of every file of ``source``; ``tick`` is called after each file."""
    inspection = _inspect(source, tick)
    known = meant_by(source) or _counted_like(source, inspection.facts)
    corpus = None if inspection.errors else load(source, source.path.name)
    return Survey(
        path=source.path,
        digest=corpus.digest if corpus else source.digest,
        content=content_digest(corpus) if corpus else "",
        documents=len(source.files),
        known=known,
        difference=difference(source, known) if known and known.digest else Difference(),
        errors=inspection.errors,
        defects=defect_table(inspection.defects, known),
        facts=_fact_table(inspection.facts, known),
        remarks=inspection.remarks,
    )


def _counted_like(source: Source, facts: Mapping[str, int]) -> KnownCorpus | None:
    """Return the known corpus without checksums that has the size of a part of ``source``."""
    for known in known_corpora():
        if known.digest is None and known.format == source.layout.name:
            sizes = {name: n for name, n in known.facts.items() if name.startswith("mentions (")}
            if any(facts.get(name) == count for name, count in sizes.items()):
                return known
    return None


def _inspect(source: Source, tick: Tick) -> Inspection:
    inspect = CORPORA[source.layout.name].inspect
    if inspect is not None:
        with guarded(source):
            return inspect(source, tick)
    try:
        corpus = load(source, source.path.name, tick)
    except CorpusError as error:
        return Inspection((error,))
    return Inspection((), tuple(irregularities(corpus)), facts(corpus))


def defect_table(defects: Iterable[Defect], known: KnownCorpus | None = None) -> pd.DataFrame:
    """Return a row for each kind of defect, with the columns ``DEFECT_COLUMNS``."""
    items: dict[str, list[str]] = {}
    for defect in defects:
        items.setdefault(defect.kind, []).append(defect.item)
    kinds = read_toml("corpora/kinds.toml")["defects"]
    expected = known.defects if known else {}
    rows = [
        (
            kind,
            expected[kind].count if kind in expected else None,
            len(items.get(kind, [])),
            _defect_status(items.get(kind, []), expected.get(kind, Expected(0)), known),
            kinds[kind]["meaning"],
            kinds[kind]["handling"],
            ", ".join(sorted(items.get(kind, []), key=natural_key)[:EXAMPLES]),
        )
        for kind in sorted(items.keys() | expected.keys())
    ]
    return pd.DataFrame(rows, columns=DEFECT_COLUMNS).astype({"expected": "Int64"})


def _defect_status(items: list[str], expected: Expected, known: KnownCorpus | None) -> str:
    if expected.items and set(items) - expected.items:
        return "unknown"
    return _status(
        len(items), expected.count if known and (known.digest or expected.count) else None
    )


def _fact_table(facts: Mapping[str, int], known: KnownCorpus | None) -> pd.DataFrame:
    meanings = read_toml("corpora/kinds.toml")["facts"]
    expected = known.facts if known else {}
    rows = [
        (
            fact,
            expected.get(fact),
            count,
            _status(count, expected.get(fact)),
            _meaning(fact, meanings),
        )
        for fact, count in facts.items()
    ]
    return pd.DataFrame(rows, columns=FACT_COLUMNS).astype({"expected": "Int64"})


def _meaning(fact: str, meanings: Mapping[str, str]) -> str:
    """Return the meaning of a fact, or of ``fact (part)``."""
    name, _, part = fact.partition(" (")
    return f"{meanings[name]}, in the part {part[:-1]}" if part else meanings[name]


def _status(found: int, expected: int | None) -> str:
    if expected is None:
        return "noted"
    if found == expected:
        return "known"
    return "unknown" if found > expected else "missing"
