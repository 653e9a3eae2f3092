"""A patch: how a key is corrected, apart from the corpus, which is never changed.

A patch is JSON::

    {"format": "cdec-key-patch/1",
     "about": {"corpus": "ecb+", "digest": "…"},
     "merge": [["1_1ecb/20", "1_2ecb/7"]],      # the chains of these mentions are one
     "move": [["1_3ecb/4"]],                    # these leave their chain, together, for a new one
     "places": {"1_1ecb/20": "1_1ecb/34-35"}}   # where the mentions stand, for keys without ids

Moves come first, merges join what is then there: no order of the lines matters, and a mention that
is moved and merged changes from one chain to another. Mentions are named, not chains: most formats
have no label for a mention that is alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain as flat
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.audit.decisions import ERROR, Decision, Review, place_table
from cdec.audit.record import Record, texts
from cdec.clustering import Clustering
from cdec.errors import FormatError, ScoringError
from cdec.formats.parsing import read_json
from cdec.userfile import FileKind

FORMAT = "cdec-key-patch/1"
_CURE = "make one with `cdec audit apply DECISIONS -o PATCH`"
_KIND = FileKind("patch of a key", FormatError, _CURE)
_FIELDS = ("format", "about", "merge", "move", "places")
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Patch:
    """Merges and moves, checked when made.

    ``name`` is the file's, for messages and signatures; ``digest`` the SHA-256 of merges and
    moves. Raises FormatError for a mention that is moved twice and for a line of too few mentions.

    >>> len(Patch(merge=(("d1/a", "d2/b"),), move=()).digest)
    64
    """

    merge: Groups
    move: Groups
    about: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    name: str = "patch"

    def __post_init__(self) -> None:
        moved = Counter(flat.from_iterable(self.move))
        for mention, count in moved.items():
            if count > 1:
                raise contradiction(f"mention '{mention}' is moved twice", self.name)
        short = [g for g in self.merge if len(set(g)) < 2] + [g for g in self.move if not g]
        if short:
            message = f"a line of too few mentions: {list(short[0])}"
            raise FormatError(message, place=self.name, cure="a merge is of two, a move of one")

    @property
    def digest(self) -> str:
        """What the patch does, whatever the order of its lines."""
        lines = [sorted(map(sorted, groups)) for groups in (self.merge, self.move)]
        return sha256(json.dumps(lines).encode()).hexdigest()

    @property
    def mentions(self) -> set[str]:
        """All mentions that the patch names."""
        return set(flat.from_iterable((*self.merge, *self.move)))

    def to_json(self) -> str:
        """Return the file's text."""
        content = {"format": FORMAT, "about": dict(self.about)}
        lines = {"merge": list(map(list, self.merge)), "move": list(map(list, self.move))}
        return json.dumps(content | lines | {"places": dict(self.places)}, indent=1) + "\n"


def make_patch(decisions: Iterable[Decision], reviews: Iterable[Review]) -> Patch:
    """Return the patch that follows from settled decisions.

    Raises FormatError for contradictions: as ``Patch`` does, and where merges that follow from
    errors join, perhaps through a third, chains that another decision found to be rightly apart.
    """
    given = list(decisions)
    wrong = [decision.operation for decision in given if decision.verdict == ERROR]
    merge = tuple(op.merge for op in wrong if op.merge)
    move = tuple(op.move for op in wrong if op.move)
    joined = _joined(merge)
    for decision in given:
        apart = decision.operation.merge
        if decision.verdict == ERROR or not apart:
            continue
        known = [mention for mention in apart if mention in joined]
        if len(known) == len(apart) and all(joined.connected(apart[0], m) for m in apart[1:]):
            raise contradiction(
                f"case {decision.case} says that the chains of {', '.join(apart)} are not one, and "
                "other cases merge them"
            )
    listed = list(reviews)
    places = {id_: at for review in listed for id_, at in review.places.items()}
    named = {*flat.from_iterable(merge), *flat.from_iterable(move)}
    kept = {mention: places[mention] for mention in sorted(named) if mention in places}
    about = dict(listed[0].about) if listed else {}
    return Patch(merge, move, {k: about[k] for k in ("corpus", "digest") if k in about}, kept)


def read_patch(path: Path) -> Patch:
    """Return the patch of a file. Raises FormatError as ``Patch`` does, and for another file."""
    content = read_json(path, _KIND)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _KIND.refuse(path, f"it does not say {FORMAT}")
    try:
        patch = Record({"about": {}, "places": {}} | content, "the patch", _FIELDS)
        merge, move = _groups(patch, "merge"), _groups(patch, "move")
        places, about = place_table(patch.record("places")), patch.record("about").fields
    except ValueError as error:
        raise _KIND.refuse(path, str(error)) from None
    try:
        return Patch(merge, move, about, places, path.name)
    except FormatError as error:  # which knows the name and not the path
        raise FormatError(error.message, place=path, cure=error.cure) from None


def _groups(patch: Record, field: str) -> Groups:
    lines = patch.items(field)
    return tuple(texts(line, f"{field}, line {n},") for n, line in enumerate(lines, start=1))


def apply_patch(
    key: Clustering, patch: Patch, known: Mapping[str, str] | None = None
) -> Clustering:
    """Return the corrected key; ``key`` stays as it is.

    Lines whose mentions are all outside the key say nothing here (a patch of a whole corpus serves
    its parts). ``known`` maps the patch's mentions to the key's, where the names differ. Raises
    ScoringError where nothing of the patch is in the key, and for a line that is there in part;
    FormatError where merges bring a mention back to the chain that it was moved from.
    """
    names = known or {mention: mention for mention in patch.mentions}
    present = {m: names[m] for m in patch.mentions if names.get(m) in key.labels.index}
    if patch.mentions and not present:
        cure = "was the patch made for this corpus or key?"
        raise ScoringError("no mention of the patch is in the key", place=patch.name, cure=cure)
    moves, merges = (_here(groups, present, patch.name) for groups in (patch.move, patch.merge))
    labels = key.labels.astype(object).copy()
    for number, group in enumerate(moves):
        labels[list(group)] = f"patch/{patch.digest[:8]}/{number}"
    chains = DisjointSet(labels.unique())
    for group in merges:
        for mention in group[1:]:
            chains.merge(labels[group[0]], labels[mention])
    merged = labels.map(lambda label: chains[label])
    _refuse_circles(key.labels, labels, merged, moves, patch.name)
    return Clustering(merged)


def _refuse_circles(
    before: pd.Series[Any],
    moved: pd.Series[Any],
    after: pd.Series[Any],
    moves: Groups,
    name: str,
) -> None:
    """Raise FormatError where a mention ends in one chain with those that it was moved from."""
    left_behind = pd.MultiIndex.from_arrays([before, after])[(before == moved).to_numpy()]
    for mention in flat.from_iterable(moves):
        if (before[mention], after[mention]) in left_behind:
            raise contradiction(
                f"merges bring '{mention}' back to the chain it is moved from", name
            )


def contradiction(what: str, place: object = None) -> FormatError:
    """Return the error for decisions, or lines of a patch, that cannot both be followed."""
    cure = "decide anew on these cases and make the patch again"
    return FormatError(f"contradictory: {what}", place=place, cure=cure)


def _here(groups: Groups, present: Mapping[str, str], name: str) -> Groups:
    """Return the groups whose mentions the key has, under its names."""
    found: list[tuple[str, ...]] = []
    for group in groups:
        missing = [mention for mention in group if mention not in present]
        if missing and len(missing) < len(group):
            raise ScoringError(
                f"mention '{missing[0]}' is not in the key, and others of its line are",
                place=name,
                cure="was the patch made for this corpus or key?",
            )
        if not missing:
            found.append(tuple(present[mention] for mention in group))
    return tuple(found)


def _joined(merge: Groups) -> DisjointSet:
    joined = DisjointSet(list(dict.fromkeys(flat.from_iterable(merge))))
    for group in merge:
        for mention in group[1:]:
            joined.merge(group[0], mention)
    return joined
