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
from itertools import product

from cdec.corpus.model import ALL_KINDS, Corpus, natural_key
from cdec.errors import EXAMPLES, CorpusError, Notice, ScoringError, UsageError, counted, spelled
from cdec.evaluation.response import Response, Scheme
from cdec.formats import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.match import ids_in_corpus
from cdec.matching.names import read_names
from cdec.matching.policy import FilePolicy

ENOUGH = 0.95
"""The share of the documents of a part that a response must have to cover it."""


def check_corpus(corpus: object, *, mentions: bool = True) -> None:
    """Raise UsageError unless it is a Corpus, or part.

    Raises CorpusError for one without documents or, with ``mentions``, without mentions.
    """
    if not isinstance(corpus, Corpus):
        message = f"expected a Corpus, got {type(corpus).__name__}"
        raise UsageError("argument-invalid", message, hint='use cdec.load_corpus(split="test")')
    missing = "" if corpus.documents else "documents"
    if not missing and mentions and corpus.selected.empty:
        missing = "mentions" if corpus.kind == ALL_KINDS else f"{corpus.kind} mentions"
    if missing:
        place = f"{corpus.name} ({corpus.part})"
        hint = "choose another part"
        raise CorpusError("part-too-small", f"no {missing}", place=place, hint=hint)


def covered_part(
    corpus: Corpus, responses: Iterable[Response], default: str | None = None
) -> Corpus:
    """Return the part that responses to a whole corpus cover; ``default`` if it is unknown.

    None is the default part of the corpus.

    Unless it is the usual part, it has a notice. Raises ScoringError for responses that cover
    different parts, and for documents that are in several parts, none of which is covered.
    """
    from cdec.corpus.splits import ALL, part_of, split_of  # noqa: PLC0415  slow: schemas

    claims = list[_Claim]()
    known = dict[str, set[str]]()
    for name, run in ((one.name, run) for one in responses for run in one.runs.values()):
        given = run.covers(corpus) if isinstance(run, Scheme) else run
        if given == () or not isinstance(given, Annotation | tuple):
            continue
        known = known or _known(corpus)
        if isinstance(given, tuple):  # names of parts
            parts = [part for part in known if {part, part.rpartition("/")[2]} & {*given}]
            claims.append(_Claim(name, parts))
        else:
            claims.append(_claim(name, given, corpus, known))
    if not any(claim.parts for claim in claims):
        part = part_of(corpus, default)
        if not claims:
            return part
        message = f"scored on {part.part}: the response covers no known part; choose one, as "
        message += spelled("split", next(iter(known)))
        return replace(part, notices=(Notice("other-split", 1, message),))
    common = [part for part in claims[0].parts if all(part in claim.parts for claim in claims)]
    if not common:
        each = (
            f"'{one.name}' covers {' and '.join(one.parts) or 'no known part'}" for one in claims
        )
        raise ScoringError("input-mismatch", "; ".join(each), hint="choose a part with --split")
    partial = [claim for claim in claims if claim.documents]
    if len(common) > 1:
        if not partial or default in common:
            return part_of(corpus, default)
        first = partial[0]
        shown = " and ".join(
            f"{part} ({len(first.documents):,} of {counted(len(known[part]), 'document')})"
            for part in sorted(common, key=lambda part: len(known[part]))
        )
        message = f"the documents of '{first.name}' are in several parts: {shown}"
        raise ScoringError("input-mismatch", message, hint="choose a part with --split")
    part = part_of(corpus, common[0])
    home = split_of(corpus)
    if partial:
        notices = tuple(_incomplete(claim, common[0], known[common[0]]) for claim in partial)
        return replace(part, notices=notices)
    said = Notice("other-split", 1, f"scored on {common[0]}: the response covers it", warning=False)
    is_usual = part.part == (f"{home.name}-test" if "test" in home.parts else ALL)
    return part if is_usual else replace(part, notices=(said,))


@dataclass(frozen=True)
class _Claim:
    """The parts that a response can be scored on: those that it covers, or that contain it.

    ``documents`` are its documents if it covers no part; else there are none.
    """

    name: str
    parts: list[str]
    documents: frozenset[str] = frozenset()


def _claim(
    name: str, response: Annotation, corpus: Corpus, known: Mapping[str, set[str]]
) -> _Claim:
    """Return the parts that a response covers; if there is none, those that contain it."""
    from cdec.corpus.splits import LISTS, part_of  # noqa: PLC0415  slow: schemas

    read, pairs = read_names(response, corpus)
    docs = frozenset(pairs[doc] for doc in read.mentions["doc"].unique() if doc in pairs)
    inside = [part for part, own in known.items() if docs <= own]
    covered = [part for part in inside if len(docs) >= ENOUGH * len(known[part])]
    if len(covered) == 1:
        return _Claim(name, covered)
    if covered:
        ids = {*ids_in_corpus(response, corpus, "drop")[0].values()}
        apart = {part: len(ids ^ {*part_of(corpus, part).selected.index}) for part in covered}
        return _Claim(name, [min(apart, key=apart.__getitem__)])
    smaller = [part for part in inside if len(known[part]) < len(corpus.documents)]
    if not docs or len(smaller) < 2:
        return _Claim(name, smaller if docs else [], docs)
    ids = {*ids_in_corpus(response, corpus, "drop")[0].values()} & {*corpus.mentions.index}
    containing = dict[frozenset[str], str]()
    for part in smaller:
        mentions = frozenset(part_of(corpus, part).selected.index)
        # A list of mentions contains a response only if it has its mentions.
        if part.partition("/")[0] not in LISTS or ids <= mentions:
            containing.setdefault(mentions, part)
    return _Claim(name, [*containing.values()], docs)


def _incomplete(claim: _Claim, part: str, documents: set[str]) -> Notice:
    """Return the warning that a response lacks documents of the only part that contains it."""
    lost = len(documents - claim.documents)
    message = f"scored on {part}, the only part with all documents of '{claim.name}': it has no "
    message += f"mention in {lost:,} of {counted(len(documents), 'document')}"
    return Notice("other-split", lost, message)


def check_documents(runs: Sequence[Alignment], policy: FilePolicy) -> None:
    """Raise ScoringError if a run has no mention in documents in which another has mentions.

    ``policy.missing`` says how they count, and allows it.
    """
    notices = [[one for one in run.notices if one.code == "missing-document"] for run in runs]
    without = [{doc for one in own for doc in one.all_cases} for own in notices]
    for (run, own), (other, least) in product(zip(runs, without, strict=True), repeat=2):
        if policy.missing is None and (lost := sorted(own - least, key=natural_key)):
            shown = f"{counted(len(lost), 'document')} (such as {', '.join(lost[:EXAMPLES])})"
            message = f"'{other.name}' has mentions in {shown}, '{run.name}' has none there"
            hint = "choose a part that both cover, or say how these mentions count, as "
            hint += spelled("missing", "count")
            raise ScoringError("input-mismatch", message, hint=hint)


def _known(corpus: Corpus) -> dict[str, set[str]]:
    """Return the documents of each known part of a whole corpus, the default split first."""
    from cdec.corpus.splits import ALL, LISTS, load_split, split_of  # noqa: PLC0415

    home = split_of(corpus)
    ids = {*corpus.mentions.index}
    known = dict[str, set[str]]()
    splits = {home.name: home} if home.own else {}
    splits |= {name: load_split(name) for name in (*corpus.splits, *LISTS)}
    for name, split in splits.items():
        units = split.units(corpus.documents)
        whole = {ALL: {*units.values()}} if split.reviewed_only else {}
        for part, own in {**split.parts, **whole}.items():
            if own <= {*units.values()} and split.mentions.get(part, ids) <= ids:
                known[f"{name}/{part}"] = {id_ for id_, unit in units.items() if unit in own}
    return {**known, ALL: {*corpus.documents}}
