"""Saved results for one page: each once, and different results under different names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cdec.evaluation.results import Results
from cdec.signature import Signature

# Fields that add to a result and do not change its scores.
_ADDITIONS = frozenset({"metrics", "ci", "unit", "resamples", "seed"})


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
    return tuple(_named(result, kinds[result.system]) for result in results)


def _kind(result: Results) -> dict[str, Any]:
    """Return the fields that affect the scores of a system, without the setting."""
    left_out = _ADDITIONS | {"setting"}
    fields = ((n, v) for n, v in result.signature.fields.items() if n not in left_out)
    return {n: list(v) if isinstance(v, tuple) else v for n, v in fields}  # as JSON has them


def _named(result: Results, kinds: Sequence[Mapping[str, Any]]) -> Results:
    if len(kinds) == 1:
        return result
    name = f"{result.system} ({'|'.join(_differing(_kind(result), kinds))})"
    frame, units = (table.assign(system=name) for table in (result.frame, result.units))
    return replace(result, frame=frame, units=units)


def _differing(kind: Mapping[str, Any], kinds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield ``field:value`` for the fields in which a result differs from one of the others."""
    for name in dict.fromkeys(name for other in kinds for name in other):
        if any(other.get(name) != kind.get(name) for other in kinds):
            shown = Signature({name: kind[name]}) if name in kind else f"{name}:none"
            yield str(shown)
