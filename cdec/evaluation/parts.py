"""The part of a corpus that responses are scored on if nobody names one: the part that they cover.

The known parts are the whole corpus and the parts of its splits: the default split, those that its
reader names, and those of cdec that list mentions of it.

* A response covers a part if its mentions are in at least 95 % of the documents of the part, and in
  no other document of the corpus. Of several such parts (those of other mentions of the same
  documents) it covers the one whose mentions differ least from its own; of equal ones, the first.
* A response that covers no part is scored on the only part that contains its documents, with a
  warning that has the number of the missing ones. Several such parts, as cybulska/test, which is
  inside ycf/test, are refused: nothing says which documents the system was given. The whole corpus
  contains everything and does not count here; of parts with the same mentions the first does.
* A published system covers the parts of its tasks. A system that is run covers every part.
* All responses must have a part in common. If no part contains a response, or all cover several,
  the default is scored, with the usual warnings: the test part, or the whole corpus if it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from cdec.corpus.model import ALL_KINDS, Corpus, natural_key
from cdec.errors import (
    EXAMPLES,
    CorpusError,
    Log,
    Notice,
    ScoringError,
    UsageError,
    counted,
    spelled,
)
from cdec.evaluation.response import Response, Scheme
from cdec.formats import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.documents import read_names
from cdec.matching.match import ids_in_corpus
from cdec.matching.policy import FilePolicy

ENOUGH = 0.95
"""The share of the documents of a part that a response must have to cover it."""


def check_corpus(corpus: object, *, mentions: bool = True) -> None:
    """Raise UsageError unless it is a Corpus, or part.

    Raises CorpusError for one without documents or, with ``mentions``, without mentions.
    """
    if not isinstance(corpus, Corpus):
        raise UsageError(
            "argument-invalid",
            f"expected a Corpus, got {type(corpus).__name__}",
            hint='use cdec.load_corpus(split="test")',
        )
    if not corpus.documents:
        missing = "documents"
    elif mentions and corpus.selected.empty:
        missing = "mentions" if corpus.kind == ALL_KINDS else f"{corpus.kind} mentions"
    else:
        return
    raise CorpusError(
        "part-too-small",
        f"no {missing}",
        place=f"{corpus.name} ({corpus.part})",
        hint="choose another part",
    )


def covered_part(
    corpus: Corpus,
    responses: Iterable[Response],
    default: str | None = None,
) -> Corpus:
    """Return the part that responses to a whole corpus cover; ``default`` if it is unknown.

    None is the default part of the corpus.

    Unless it is the usual part, it has a notice. Raises ScoringError for responses that cover
    different parts, and for documents that are in several parts, none of which is covered.
    """
    from cdec.corpus.splits import ALL, part_of, split_of  # noqa: PLC0415  slow: schemas

    evidence = []
    for response in responses:
        for run in response.runs.values():
            mentions = run.covers(corpus) if isinstance(run, Scheme) else run
            if isinstance(mentions, Annotation | tuple) and mentions != ():
                evidence.append((response.name, mentions))
    if not evidence:
        return part_of(corpus, default)
    documents = _documents_of_parts(corpus)
    claims = [_claim(name, mentions, corpus, documents) for name, mentions in evidence]
    if not any(claim.parts for claim in claims):
        part = part_of(corpus, default)
        message = (
            f"scored on {part.part}: the response covers no known part; choose one, as "
        )
        message += spelled("split", next(iter(documents)))
        return replace(part, notices=(Notice("other-split", 1, message),))
    common = [
        part for part in claims[0].parts if all(part in claim.parts for claim in claims)
    ]
    if not common:
        texts = []
        for claim in claims:
            parts = " and ".join(claim.parts) or "no known part"
            texts.append(f"'{claim.name}' covers {parts}")
        raise ScoringError(
            "input-mismatch", "; ".join(texts), hint="choose a part with --split"
        )
    incomplete = [claim for claim in claims if claim.documents]
    if len(common) > 1:
        if not incomplete or default in common:
            return part_of(corpus, default)
        claim = incomplete[0]
        texts = []
        for name in sorted(common, key=lambda name: len(documents[name])):
            number = counted(len(documents[name]), "document")
            texts.append(f"{name} ({len(claim.documents):,} of {number})")
        raise ScoringError(
            "input-mismatch",
            f"the documents of '{claim.name}' are in several parts: {' and '.join(texts)}",
            hint="choose a part with --split",
        )
    name = common[0]
    part = part_of(corpus, name)
    notices = []
    for claim in incomplete:
        missing = len(documents[name] - claim.documents)
        message = f"scored on {name}, the only part with all documents of '{claim.name}': it has "
        message += (
            f"no mention in {missing:,} of {counted(len(documents[name]), 'document')}"
        )
        notices.append(Notice("other-split", missing, message))
    home = split_of(corpus)
    usual = f"{home.name}-test" if "test" in home.parts else ALL
    if not incomplete and part.part != usual:
        message = f"scored on {name}: the response covers it"
        notices.append(Notice("other-split", 1, message, warning=False))
    return replace(part, notices=tuple(notices))


@dataclass(frozen=True)
class _Claim:
    """The parts that a response can be scored on: those that it covers, or that contain it.

    ``documents`` are its documents if it covers no part; else there are none.
    """

    name: str
    parts: list[str]
    documents: frozenset[str] = frozenset()


def _claim(
    name: str,
    response: Annotation | tuple[str, ...],
    corpus: Corpus,
    documents: Mapping[str, set[str]],
) -> _Claim:
    """Return the parts that a response covers; if there is none, those that contain it.

    ``response`` has its mentions, or names of parts; ``documents`` has those of each known part.
    """
    from cdec.corpus.splits import LISTS, part_of  # noqa: PLC0415  slow: schemas

    if isinstance(response, tuple):
        parts = [
            part
            for part in documents
            if part in response or part.split("/")[-1] in response
        ]
        return _Claim(name, parts)
    file, pairs = read_names(response, corpus)
    docs = frozenset(
        pairs[doc] for doc in file.mentions["doc"].unique() if doc in pairs
    )
    if not docs:
        return _Claim(name, [])
    parts = [part for part in documents if docs <= documents[part]]
    covered = [part for part in parts if len(docs) >= ENOUGH * len(documents[part])]
    if len(covered) == 1:
        return _Claim(name, covered)
    smaller = [part for part in parts if len(documents[part]) < len(corpus.documents)]
    if not covered and len(smaller) < 2:
        return _Claim(name, smaller, docs)
    ids = {*ids_in_corpus(response, corpus, Log()).values()}
    if covered:

        def difference(part: str) -> int:
            return len(ids ^ {*part_of(corpus, part).selected.index})

        return _Claim(name, [min(covered, key=difference)])
    ids &= {*corpus.mentions.index}
    part_by_mentions = dict[frozenset[str], str]()
    for part in smaller:
        mentions = frozenset(part_of(corpus, part).selected.index)
        # A list of mentions contains a response only if it has its mentions.
        if part.partition("/")[0] not in LISTS or ids <= mentions:
            part_by_mentions.setdefault(mentions, part)
    return _Claim(name, list(part_by_mentions.values()), docs)


def check_documents(runs: Sequence[Alignment], policy: FilePolicy) -> None:
    """Raise ScoringError if a run has no mention in documents in which another has mentions.

    ``policy.missing`` says how they count, and allows it.
    """
    if policy.missing is not None:
        return
    missing = []
    for run in runs:
        docs = set[str]()
        for notice in run.notices:
            if notice.code == "missing-document":
                docs.update(notice.all_cases)
        missing.append((run, docs))
    for (run, docs), (other, missing_in_other) in permutations(missing, 2):
        lost = sorted(docs - missing_in_other, key=natural_key)
        if lost:
            number = counted(len(lost), "document")
            examples = ", ".join(lost[:EXAMPLES])
            message = f"'{other.name}' has mentions in {number} (such as {examples}), "
            message += f"'{run.name}' has none there"
            hint = "choose a part that both cover, or say how these mentions count, as "
            hint += spelled("missing", "count")
            raise ScoringError("input-mismatch", message, hint=hint)


def _documents_of_parts(corpus: Corpus) -> dict[str, set[str]]:
    """Return the documents of each known part of a whole corpus, the default split first."""
    from cdec.corpus.splits import ALL, LISTS, load_split, split_of  # noqa: PLC0415

    home = split_of(corpus)
    splits = {home.name: home} if home.own else {}
    for name in (*corpus.splits, *LISTS):
        splits[name] = load_split(name)
    ids = {*corpus.mentions.index}
    documents = {}
    for name, split in splits.items():
        unit_of = split.units(corpus.documents)
        units = frozenset(unit_of.values())
        parts = dict(split.parts)
        if split.reviewed_only:
            parts[ALL] = units
        for part, units_of_part in parts.items():
            if units_of_part <= units and split.mentions.get(part, ids) <= ids:
                docs = {doc for doc, unit in unit_of.items() if unit in units_of_part}
                documents[f"{name}/{part}"] = docs
    documents[ALL] = {*corpus.documents}
    return documents
