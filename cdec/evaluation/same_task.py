"""Whether results can be shown, compared or merged together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cdec.errors import ScoringError

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
    *("key_patch_digest", "key", "key_digest", "scope", TOPICS),
)
_MAY_DIFFER = ("setting", "metrics")
_HOW = ("ci", "unit", "resamples", "seed")  # how intervals were computed


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
    signatures = [(result.place, _of_corpus(result.signature.fields)) for result in results]
    signatures += [] if about is None else [("the responses", _of_corpus(about))]
    check_same_task(signatures)


def check_same_response(results: Sequence[Results], system: str, about: Mapping[str, Any]) -> None:
    """Raise ScoringError if a result of this system was computed from another response."""
    for result in results:
        known, now = (a.get("response_digest") for a in (result.signature.fields, about))
        if result.system == system and known != now:
            raise ScoringError(
                "input-mismatch",
                f"its results of '{system}' are not those of the given response",
                place=result.place,
                hint="score the response again, or give it another name: `--response NAME=FILE`",
            )


def check_reported(results: Sequence[Results], experiment: Experiment | None = None) -> None:
    """Raise ScoringError unless results and responses are of the same corpus and agree."""
    check_same_corpus(results)
    if experiment is not None:
        check_same_corpus(results, experiment.task.about)
        for answer in experiment.runs:
            check_same_response(results, answer.system, answer.about)


def _of_corpus(signature: Mapping[str, Any]) -> dict[str, Any]:
    return {name: signature.get(name) for name in _CORPUS}


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
    if first.intervals and _how(first) != _how(second):
        message = "the confidence intervals were computed in different ways"
        hint = "compute both with the same ci=Plan(…)"
        raise ScoringError("input-mismatch", message, hint=hint)


def _how(results: Results) -> list[Any]:
    return [results.signature.fields.get(name) for name in _HOW]


def _shown(value: object) -> str:
    return "–" if value is None else f"'{value}'"
