"""The short-list as a file: JSON Lines in full, CSV to look at."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cdec.audit.case import KINDS, Case
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UnknownNameError, UsageError

FORMAT = "cdec-audit-shortlist/1"
_COLUMNS = ("case", "kind", "score", "topic", "detectors", "mentions", "texts", "sentences")


@dataclass(frozen=True)
class ShortList:
    """Cases in order, and what they are about: corpus, digest and how they were found."""

    cases: tuple[Case, ...]
    about: Mapping[str, Any]

    def select(
        self, *, kinds: Sequence[str] = (), topics: Sequence[str] = (), top: int | None = None
    ) -> ShortList:
        """Return the first ``top`` cases of these kinds and topics (none named: all).

        Raises UnknownNameError for an unknown kind, UsageError for a ``top`` below 1.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise UnknownNameError("kind of case", kind, KINDS)
        if top is not None and top < 1:
            raise UsageError(f"--top is {top}", cure="1 or more")
        kept = (
            case
            for case in self.cases
            if (not kinds or case.kind in kinds) and (not topics or case.topic in topics)
        )
        return ShortList(tuple(kept)[:top], self.about)


def to_jsonl(found: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of the file: what it is about, then a case a line with its sentences."""
    yield json.dumps({"format": FORMAT, **found.about}, ensure_ascii=False) + "\n"
    for case in found.cases:
        record = {**case.to_dict(), "sentences": _sentences(case, corpus)}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def to_csv(found: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of a table, one row a case."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*_COLUMNS, "reasons"])
    for case in found.cases:
        shown = [id_ for side in case.sides for id_ in side.mentions]
        row: list[object] = [case.id, case.kind, f"{case.score:.4f}", case.topic]
        row += [" ".join(case.detectors), " ".join(shown)]
        row.append(" | ".join(str(corpus.mentions["text"][id_]) for id_ in shown))
        row.append(" | ".join(_sentences(case, corpus).values()))
        writer.writerow([*row, "; ".join(case.reasons)])
    yield buffer.getvalue()


WRITERS = {"jsonl": to_jsonl, "csv": to_csv}


def read_shortlist(path: Path) -> ShortList:
    """Return the short-list of a JSON Lines file. Raises FormatError for any other file."""
    try:
        lines = path.read_text("utf-8").splitlines()
        records = [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", place=path) from None
    except ValueError as error:
        raise _foreign(path, f"not JSON Lines: {error}") from None
    if not records or not isinstance(records[0], dict) or records[0].get("format") != FORMAT:
        raise _foreign(path, f"its first line does not say {FORMAT}")
    cases = []
    for number, record in enumerate(records[1:], start=2):
        try:
            cases.append(Case.from_dict(record))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _foreign(f"{path}:{number}", f"no case: {error!r}") from None
    about = {name: value for name, value in records[0].items() if name != "format"}
    return ShortList(tuple(cases), about)


def check_corpus(about: Mapping[str, Any], corpus: Corpus, place: object) -> None:
    """Raise FormatError unless what was made ``about`` a corpus is about this very one."""
    if about.get("digest") != corpus.digest:
        raise FormatError(
            f"made for the corpus '{about.get('corpus')}' of another content than '{corpus.name}'",
            place=place,
            cure="name the corpus that was audited by --corpus",
        )


def _sentences(case: Case, corpus: Corpus) -> dict[str, str]:
    """Return mention id → the text of its sentence, for the mentions shown."""
    return {
        id_: " ".join(corpus.documents[doc].sentences[number])
        for side in case.sides
        for id_, doc, number in corpus.mentions.loc[list(side.mentions)][
            ["doc", "sentence"]
        ].itertuples(name=None)
    }


def _foreign(place: object, why: str) -> FormatError:
    cure = "write one with `cdec audit run -o FILE.jsonl`"
    return FormatError(f"no short-list of cdec: {why}", place=place, cure=cure)
