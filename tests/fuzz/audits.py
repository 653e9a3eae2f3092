"""Files of an audit: the patch of a key, the short-list of cases, the decisions on them."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import chain
from pathlib import Path

from cdec.auditing import (
    VERDICTS,
    Case,
    CaseSide,
    Evidence,
    Fix,
    Operation,
    Patch,
    agreement,
    apply_patch,
    make_patch,
    read_patch,
    read_reviews,
    read_shortlist,
    settled,
    tally,
)
from cdec.auditing.review.decisions import FORMAT as DECISIONS
from cdec.auditing.shortlist import FORMAT as SHORTLIST
from cdec.clustering import Clustering
from cdec.errors import FormatError, ScoringError
from tests.audit.patches import patch_of
from tests.fuzz.reader import Reader

KEY = Clustering.from_labels({"a1": "A", "a2": "A", "a3": "A", "b1": "B", "b2": "B", "c": "C"})
JSON = (
    "null", "true", "[]", "{}", "[", "]", "{", "}", ",", ":", '"', "NaN", "Infinity", "-0", "1e999",
    "9" * 400, '"\\ud800"', '"\\u0000"', '"\\u001b["', "\n", '"1_1ecb/20"', '"format":',
    '"merge":', '"move":', '"places":', '"about":', '"a1"', '"b1"', '"c"',
)  # fmt: skip
CASE = ('"kind":', '"score":', '"topic":', '"sides":', '"operation":', '"fixes":', '"detectors":',
        '"reasons":', '"evidence":', '"mentions":', '"chain":', '"members":',
        '"descriptor":')  # fmt: skip
DECISION = ('"decisions":', '"case":', '"verdict":', '"error"', '"not-error"', '"reviewer":',
            '"comment":', '"digest":', '"corpus":')  # fmt: skip


def readers() -> list[Reader]:
    patches = (
        patch_of((("a1", "b1"),), (("a1",),), {"corpus": "x"}, {"a1": "d/1-2"}),
        patch_of((("a1", "c"), ("c", "b2")), ()),
    )
    sides = (
        CaseSide(mentions=("a1",), chain="A", descriptor="d", members=("a2",)),
        CaseSide(mentions=("b1",), chain="B"),
    )
    move = Operation(move=("a1",), merge=("a1", "b1"))
    case = Case(
        kind="spurious-member",
        score=0.5,
        topic="1",
        sides=sides,
        fixes=(Fix(fix="move", text="a fix", operation=move),),
        detectors={"svm": 0.9},
        reasons=("a reason",),
        evidence=(Evidence(feature="f", adds=0.1, value=2),),
    )
    shortlist = [{"format": SHORTLIST, "corpus": "x"}, case.to_dict()]
    decisions = [
        {
            "case": name,
            "kind": case.kind,
            "verdict": verdict,
            "operation": case.fixes[0].operation.to_dict(),
        }
        for name, verdict in zip("abc", VERDICTS, strict=True)
    ]
    review = {
        "format": DECISIONS, "decisions": decisions, "places": {"a1": "d/1"},
        "about": {"digest": "0"}, "reviewer": "me",
    }  # fmt: skip
    lines = "\n".join(map(json.dumps, shortlist))
    shortlists = (lines.encode(), lines.replace("0.5", "2").encode())
    seeds = tuple(patch.to_json().encode() for patch in patches)
    return [
        Reader("key-patch", "key.patch", _patch, seeds, JSON),
        Reader("audit-cases", "cases.jsonl", _cases, shortlists, JSON + CASE),
        Reader("audit-decisions", "mine.json", _decisions, (json.dumps(review).encode(),),
               JSON + CASE + DECISION),
    ]  # fmt: skip


def _patch(path: Path) -> None:
    """Read a patch, again after writing it, and follow it."""
    patch = read_patch(path)
    _same_when_written(patch, path)
    with suppress(ScoringError):  # it may be of another key
        corrected = apply_patch(KEY, patch)
        assert set(corrected.labels.index) == set(KEY.labels.index)


def _same_when_written(patch: Patch, path: Path) -> None:
    path.write_text(patch.to_json(), "utf-8")
    again = read_patch(path)
    assert (again.merge, again.move, again.places) == (patch.merge, patch.move, patch.places)
    assert again.digest == patch.digest
    assert all(map(str.__instancecheck__, patch.mentions))


def _cases(path: Path) -> None:
    for case in read_shortlist(path).cases:
        assert case.score is None or 0 <= case.score <= 1
        again = Case.model_validate_json(json.dumps(case.to_dict(), allow_nan=False))
        assert again.id == case.id
        assert again.to_dict() == case.to_dict()


def _decisions(path: Path) -> None:
    """Read decisions, count them, and make the patch that follows."""
    reviews = read_reviews([path])
    (review,) = reviews
    assert tally(reviews)["count"].sum() == len(review.decisions)
    assert agreement(reviews).empty
    made, disputed = settled(reviews)
    assert not disputed
    named = {*chain.from_iterable((*d.operation.merge, *d.operation.move) for d in made)}
    with suppress(FormatError):  # decisions may contradict each other
        patch, _ = make_patch(made, reviews)
        assert patch.mentions <= named
        _same_when_written(patch, path)
