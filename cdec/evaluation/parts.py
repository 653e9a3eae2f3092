"""The part of a corpus that responses are scored on if nobody names one: the part that they cover.

The known parts are the whole corpus and the parts of its splits: the default split, those that its
reader names, and those of cdec that list mentions of it.

* A response covers a part if its mentions are in at least 95 % of the documents of the part, and in
  no other document of the corpus. Of several such parts (those of other mentions of the same
  documents) it covers the one whose mentions differ least from its own; of equal ones, the first.
* A published system covers the parts of its tasks. A system that is run covers every part.
* All responses must cover the same part. If none covers a part, or all cover several, the default
  is scored, with the usual warnings: the test part, in Python the whole corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus, natural_key
from cdec.errors import ScoringError, counted
from cdec.errors.notices import EXAMPLES, Notice
from cdec.evaluation import response_forms as forms
from cdec.evaluation.places import from_chains
from cdec.evaluation.response import FilePolicy, Response, SystemRun
from cdec.matching.corpus import ids_in_corpus
from cdec.matching.mention_names import read_names
from cdec.matching.view import by_document

ENOUGH = 0.95
"""The share of the documents of a part that a response must have to cover it."""


def covered_part(corpus: Corpus, responses: Sequence[Response]) -> Corpus:
    """Return the part that responses cover; ``corpus`` if somebody chose it, or none is covered.

    The part has a notice, unless it is the default. Raises ScoringError for responses that cover
    different parts.
    """
    if corpus.chosen is not None:
        return corpus
    # Imported here: the schemas of files take a tenth of a second.
    from cdec.corpus.splits import default_split, part_of  # noqa: PLC0415

    known = _known(corpus)
    claims = [claim for one in responses for claim in _claims(corpus, known, one)]
    common = [part for part in known if claims and all(part in parts for _, parts in claims)]
    if not common and any(parts for _, parts in claims):
        each = (f"'{name}' covers {' and '.join(own) or 'no known part'}" for name, own in claims)
        raise ScoringError("input-mismatch", "; ".join(each), hint="choose a part with --split")
    if len(common) != 1:
        return corpus
    part, home = part_of(corpus, common[0]), default_split(corpus)
    said = Notice("other-split", 1, f"scored on {common[0]}, which is covered", warning=False)
    usual = f"{home.name}-test" if "test" in home.parts else "all"
    return replace(part, chosen=() if part.part == usual else (said,))


def opened(response: Response) -> Response:
    """Return a response with its files instead of their names, so that each is read once."""
    if isinstance(response, forms.Named):
        return replace(response, response=[opened(run) for run in response.runs])
    return forms.parse_response(response) if isinstance(response, str | Path) else response


def check_documents(runs: Sequence[SystemRun], policy: FilePolicy) -> None:
    """Raise ScoringError if a run has no mention in documents in which another has mentions.

    ``policy.missing`` says how they count, and allows it.
    """
    notices = [[one for one in run.notices if one.code == "missing-document"] for run in runs]
    without = [{doc for one in own for doc in one.all_cases} for own in notices]
    for (run, own), (other, least) in product(zip(runs, without, strict=True), repeat=2):
        if policy.missing is None and (lost := sorted(own - least, key=natural_key)):
            shown = f"{counted(len(lost), 'document')} (such as {', '.join(lost[:EXAMPLES])})"
            message = f"'{other.system}' has mentions in {shown}, '{run.system}' has none there"
            hint = "choose a part that both cover with --split, or say how they count: --missing"
            raise ScoringError("input-mismatch", message, hint=hint)


def _known(corpus: Corpus) -> dict[str, set[str]]:
    """Return the documents of each known part of a whole corpus, the default split first."""
    # Imported here: the schemas of files take a tenth of a second.
    from cdec.corpus.split_file import ALL, load_split, split_names  # noqa: PLC0415
    from cdec.corpus.splits import default_split  # noqa: PLC0415

    home, known = default_split(corpus), dict[str, set[str]]()
    listing = [name for name in split_names() if load_split(name).mentions]
    splits = {home.name: home} if home.own else {}
    splits |= {name: load_split(name) for name in (*corpus.splits, *listing)}
    for name, split in splits.items():
        units = {id_: split.unit_of(document) for id_, document in corpus.documents.items()}
        whole = {ALL: {*units.values()}} if split.reviewed_only else {}
        for part, own in {**split.parts, **whole}.items():
            has_all = {*split.mentions.get(part, ())} <= {*corpus.mentions.index}
            if has_all and own <= {*units.values()}:
                known[f"{name}/{part}"] = {id_ for id_, unit in units.items() if unit in own}
    return {**known, ALL: {*corpus.documents}}


def _claims(
    corpus: Corpus, known: Mapping[str, set[str]], response: Response, name: str = ""
) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each run of a response, and the parts that it covers; none of a system."""
    if isinstance(response, forms.Named):
        for run in response.runs:
            yield from _claims(corpus, known, run, response.name)
    elif isinstance(response, forms.ResponseRuns):
        for file in response.files:
            yield file.name, _covered(corpus, known, file.annotation)
    elif isinstance(response, forms.Source):
        given = response.covers(corpus)
        if not isinstance(given, tuple):
            yield from _claims(corpus, known, given, name or response.name)
        elif given:
            yield response.name, [p for p in known if {p, p.rpartition("/")[2]} & {*given}]
    elif (mentions := _mentions(corpus, response)) is not None:
        own = response.name if isinstance(response, forms.ResponseFile) else forms.UNNAMED
        yield name or own, _covered(corpus, known, mentions)


def _mentions(corpus: Corpus, response: Response) -> formats.Annotation | None:
    """Return the mentions of a response; None for a system."""
    if isinstance(response, forms.ResponseFile):
        return response.annotation
    if isinstance(response, pd.DataFrame):
        return formats.from_frame(response, forms.UNNAMED, unlabelled=True)
    if isinstance(response, Clustering | pd.Series | Mapping):
        names = response.labels.keys() if isinstance(response, Clustering) else response.keys()
        index = pd.Index([*names], dtype=object, tupleize_cols=False)
        return from_chains(corpus, pd.Series("x", index), forms.UNNAMED, ids=True)
    return response if isinstance(response, formats.Annotation) else None


def _covered(corpus: Corpus, known: Mapping[str, set[str]], given: formats.Annotation) -> list[str]:
    """Return the part that these mentions cover; none, if it is unknown."""
    view, pairs = read_names(by_document(given), corpus)
    docs = {pairs[doc] for doc in view.mentions["doc"].unique() if doc in pairs}
    parts = [part for part, own in known.items() if docs <= own and len(docs) >= ENOUGH * len(own)]
    if len(parts) < 2:
        return parts
    from cdec.corpus.splits import part_of  # noqa: PLC0415

    ids = {*ids_in_corpus(given, corpus)[0].values()}
    keys = {part: {*part_of(corpus, part).selected.index} for part in parts}
    return [min(parts, key=lambda part: len(keys[part] ^ ids))]
