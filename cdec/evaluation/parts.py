"""The part of a corpus that responses are scored on if nobody names one: the part that they cover.

The known parts are the whole corpus and the parts of its splits: the default split, those that its
reader names, and those of cdec that list mentions of it.

* A response covers a part if its mentions are in at least 95 % of the documents of the part, and in
  no other document of the corpus. Of several such parts (those of other mentions of the same
  documents) it covers the one whose mentions differ least from its own; of equal ones, the first.
* A published system covers the parts of its tasks. A system that is run covers every part.
* All responses must cover the same part. If none covers a part, or all cover several, the default
  is scored, with the usual warnings: the test part, or the whole corpus if it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
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
        place, hint = f"{corpus.name} ({corpus.part})", "choose another part"
        raise CorpusError("part-too-small", f"no {missing}", place=place, hint=hint)


def covered_part(
    corpus: Corpus, responses: Iterable[Response], default: str | None = None
) -> Corpus:
    """Return the part that responses to a whole corpus cover; ``default`` if it is unknown.

    None is the default part of the corpus.

    Unless it is the usual part, it has a notice. Raises ScoringError for responses that cover
    different parts.
    """
    from cdec.corpus.splits import ALL, part_of, split_of  # noqa: PLC0415  slow: schemas

    claims = list[tuple[str, list[str]]]()  # the parts that each run covers, but those of systems
    known = dict[str, set[str]]()
    for name, run in ((one.name, run) for one in responses for run in one.runs.values()):
        given = run.covers(corpus) if isinstance(run, Scheme) else run
        if given == () or not isinstance(given, Annotation | tuple):
            continue
        known = known or _known(corpus)
        if isinstance(given, tuple):  # names of parts
            parts = [part for part in known if {part, part.rpartition("/")[2]} & {*given}]
        else:
            read, pairs = read_names(given, corpus)
            docs = {pairs[doc] for doc in read.mentions["doc"].unique() if doc in pairs}
            parts = [
                p for p, own in known.items() if docs <= own and len(docs) >= ENOUGH * len(own)
            ]
        if len(parts) > 1 and isinstance(given, Annotation):
            ids = {*ids_in_corpus(given, corpus)[0].values()}
            apart = {part: len(ids ^ {*part_of(corpus, part).selected.index}) for part in parts}
            parts = [min(apart, key=apart.__getitem__)]
        claims.append((name, parts))
    common = [p for p in claims[0][1] if all(p in own for _, own in claims)] if claims else []
    if not common and any(parts for _, parts in claims):
        each = (f"'{name}' covers {' and '.join(own) or 'no known part'}" for name, own in claims)
        example = next(own[0] for _, own in claims if own)
        hint = f"choose a part, as {spelled('split', example)}"
        raise ScoringError("input-mismatch", "; ".join(each), hint=hint)
    if len(common) != 1:
        part = part_of(corpus, default)
        if not claims or common:
            return part
        message = f"scored on {part.part}: the response covers no known part; choose one, as "
        message += spelled("split", next(iter(known)))
        return replace(part, notices=(Notice("other-split", 1, message),))
    part, home = part_of(corpus, common[0]), split_of(corpus)
    said = Notice("other-split", 1, f"scored on {common[0]}: the response covers it", warning=False)
    is_usual = part.part == (f"{home.name}-test" if "test" in home.parts else ALL)
    return part if is_usual else replace(part, notices=(said,))


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

    home, ids, known = split_of(corpus), {*corpus.mentions.index}, dict[str, set[str]]()
    splits = {home.name: home} if home.own else {}
    splits |= {name: load_split(name) for name in (*corpus.splits, *LISTS)}
    for name, split in splits.items():
        units = split.units(corpus.documents)
        whole = {ALL: {*units.values()}} if split.reviewed_only else {}
        for part, own in {**split.parts, **whole}.items():
            if own <= {*units.values()} and split.mentions.get(part, ids) <= ids:
                known[f"{name}/{part}"] = {id_ for id_, unit in units.items() if unit in own}
    return {**known, ALL: {*corpus.documents}}
