"""Whether results can be shown, compared or merged together, and under which names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cdec.errors import ScoringError
from cdec.signature import Signature

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.results import Results

TOPICS = "topics_digest"  # the field of the signature for topics that come from the user
# The fields that results of the same task share, and their names in messages.
TASK = {
    "corpus": "corpus",
    "digest": "corpus content",
    "split": "split",
    "split_digest": "split content",
    "reader": "reader",
    "kind": "mentions",
    "key_variant": "key variant",
    "key_patch_digest": "key patch",
    "key_from_digest": "chains of the key",
    TOPICS: "topics",
    "key": "key",
    "key_digest": "key content",
    "scope": "scope",
    "setting": "setting",
    "metrics": "metrics",
    "scorer": "scorer",
}
_CORPUS = (
    *("corpus", "digest", "split", "split_digest", "reader", "kind", "key_variant"),
    *("key_patch_digest", "key_from_digest", "key", "key_digest", "scope", TOPICS),
)
_MAY_DIFFER = ("setting", "metrics")
_HOW = ("ci", "unit", "resamples", "seed")  # how intervals were computed
_NOT_OF_SYSTEM = ("metrics", "setting", *_HOW)  # fields that do not say which response is scored


def check_same_task(signatures: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Raise ScoringError if signatures, given with names, differ in a field of ``TASK``.

    Results that do not depend on topics agree with all topics.
    """
    (first, known), *others = signatures
    expected = dict(known)
    for name, other in others:
        free = [TOPICS] if other.get(TOPICS) is None or expected.get(TOPICS) is None else []
        differences = [
            f"{word} {_shown(expected.get(key))} ≠ {_shown(other.get(key))}"
            for key, word in TASK.items()
            if expected.get(key) != other.get(key) and key not in free
        ]
        expected[TOPICS] = expected.get(TOPICS) or other.get(TOPICS)
        if differences:
            raise ScoringError(
                "input-mismatch",
                f"'{first}' and '{name}' are results of different tasks: {'; '.join(differences)}",
                hint="score both in the same way",
            )


def check_same_corpus(results: Sequence[Results], about: Mapping[str, Any] | None = None) -> None:
    """Raise ScoringError unless all results, and ``about``, have the same corpus, split and key."""
    signatures = [(result.place, result.signature.fields) for result in results]
    signatures += [] if about is None else [("the responses", about)]
    check_same_task((n, {f: known.get(f) for f in _CORPUS}) for n, known in signatures)


def check_same_response(results: Sequence[Results], system: str, about: Mapping[str, Any]) -> None:
    """Raise ScoringError if a result of this system was computed from another response."""
    for result in results:
        known, now = (a.get("response_digest") for a in (result.signature.fields, about))
        if result.system == system and known != now:
            raise ScoringError(
                "input-mismatch",
                f"its results of '{system}' are not those of the given response",
                place=result.place,
                hint="score the response again, or give it another name",
            )


def check_reported(results: Sequence[Results], experiment: Experiment | None = None) -> None:
    """Raise ScoringError unless results and responses are of the same corpus and agree."""
    check_same_corpus(results)
    if experiment is not None:
        check_same_corpus(results, experiment.task.about)
        for run in experiment.runs:
            check_same_response(results, run.system, run.about)


def check_mergeable(first: Results, second: Results) -> None:
    """Raise ScoringError unless the results can be one.

    Corpus, part, key, scope and scorer must be the same, no system may have two results under one
    setting, and both must have the same kind of intervals, or neither any.
    """
    check_same_task(
        (f"result {number}", {k: v for k, v in each.fields.items() if k not in _MAY_DIFFER})
        for number, each in enumerate((*first.signatures, *second.signatures), start=1)
    )
    for setting, system in second.names:
        if (setting, system) in first.names:
            message = f"both have a result of '{system}' under '{setting}'"
            raise ScoringError("name-duplicate", message, hint="give one of them another name")
    if bool(first.intervals) != bool(second.intervals):
        message = "only one of the results has confidence intervals"
        raise ScoringError("input-mismatch", message, hint="compute both with ci=True, or neither")
    fields = (each.signature.fields for each in (first, second))
    how, other = ([known.get(name) for name in _HOW] for known in fields)
    if first.intervals and how != other:
        message = "the confidence intervals were computed in different ways"
        hint = "compute both with the same ci=Plan(…)"
        raise ScoringError("input-mismatch", message, hint=hint)


def _shown(value: object) -> str:
    return "–" if value is None else f"'{value}'"


def distinct(saved: Iterable[Results]) -> tuple[Results, ...]:
    """Return the results; systems with the same name but different results are renamed.

    Results differ if their signatures do in a field that affects scores. The new name adds the
    fields that differ, as in ``lemma-delta (delta:0.05)``. Scores of the same result from several
    files keep one name.
    """
    results = list(saved)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        kind, known = _kind(result), kinds.setdefault(result.system, [])
        if kind not in known:
            known.append(kind)
    return tuple(_renamed(result, kinds[result.system]) for result in results)


def _kind(result: Results) -> dict[str, Any]:
    """Return the fields that affect the scores of a system, without the setting, as in JSON."""
    fields = ((n, v) for n, v in result.signature.fields.items() if n not in _NOT_OF_SYSTEM)
    return {n: list(v) if isinstance(v, tuple) else v for n, v in fields}


def _renamed(result: Results, kinds: Sequence[Mapping[str, Any]]) -> Results:
    """Return the result; its name has each field in which it differs from one of the others."""
    if len(kinds) == 1:
        return result
    kind, names = _kind(result), dict.fromkeys(name for other in kinds for name in other)
    differing = (
        str(Signature({name: kind[name]})) if name in kind else f"{name}:none"
        for name in names
        if any(other.get(name) != kind.get(name) for other in kinds)
    )
    name = f"{result.system} ({'|'.join(differing)})"
    tables = (result.frame, result.units, result.standing)
    frame, units, standing = (table.assign(system=name) for table in tables)
    return replace(result, frame=frame, units=units, standing=standing)
