"""The arithmetic of an explanation, written out in lines."""

from __future__ import annotations

from collections.abc import Iterator

from cdec.explanation import (
    SIDES,
    Chain,
    Explanation,
    Share,
    Side,
    braces,
    brief,
    counts_of,
    decimal,
)
from cdec.metrics import REGISTRY, Counts
from cdec.render.numbers import percent
from cdec.wording import counted

_NAMES: dict[Side, str] = {"key": "recall", "response": "precision"}
_LETTERS: dict[Side, str] = {"key": "K", "response": "R"}


def steps(explanation: Explanation) -> tuple[str, ...]:
    """Return how each chosen chain is counted, metric by metric."""
    return tuple(line for chain in explanation.chosen for line in _step(explanation, chain))


def _step(explanation: Explanation, chain: Chain) -> Iterator[str]:
    letter, text = _LETTERS[chain.side], braces(chain.mentions)
    place = f", in {chain.meta}" if len(explanation.sheet.metas) > 1 else ""
    yield f"{letter} = {chain.side} chain {chain.label} = {text}, |{letter}| = {chain.size}{place}"
    left_out = explanation.left_out(chain)
    if left_out:
        setting = explanation.setting
        yield (
            f"the {chain.side} has {counted(left_out + chain.size, 'mention')} in {chain.label}, "
            f"of which {setting.label} ({setting.choices}) puts {chain.size} here"
        )
    for part in explanation.parts:
        contribution = explanation.of(part, chain)
        for line in (*contribution.remarks, contribution.formula):
            yield f"{label(part)}: {line}"


def sums(explanation: Explanation) -> tuple[str, ...]:
    """Return how the contributions add up to the scores, means included."""
    lines = [line for part in explanation.parts for line in _sum(explanation, part)]
    return (*lines, *REGISTRY[explanation.metric].steps_of(explanation.counts))


def _sum(explanation: Explanation, part: str) -> Iterator[str]:
    """Say how the chosen chains and the others add up to recall, precision and F1."""
    if explanation.is_part_of_many:
        shares = [explanation.brought(part, side) for side in SIDES]
        yield f"{label(part)} in {explanation.choice.document} alone: {_prf(counts_of(*shares))}"
    for side in SIDES:
        yield f"{label(part)} {_NAMES[side]} = {_quotient(explanation, part, side)}"
    value = explanation.values[part]
    p, r = (decimal(number or 0) for number in value[:2])
    yield f"{label(part)} F1 = 2 P R / (P + R) = 2 · {p} · {r} / ({p} + {r}) = {_score(value.f1)}"


def _quotient(explanation: Explanation, part: str, side: Side) -> str:
    total, ours = explanation.totals[part, side], explanation.brought(part, side)
    chains = len(explanation.sheet.chains(side))
    chosen = sum(chain.side == side for chain in explanation.chosen)
    result = f"{_over(total)} = {_value(total)}"
    if chosen in (0, chains):
        return f"{result}: all {counted(chains, f'{side} chain')}"
    rest = total - ours
    which = "this chain" if chosen == 1 else f"these {chosen} chains"
    return (
        f"({brief(ours.numerator)} + {brief(rest.numerator)}) / "
        f"({brief(ours.denominator)} + {brief(rest.denominator)}) = {result}: "
        f"{which} + {counted(chains - chosen, f'other {side} chain')}"
    )


def _over(share: Share) -> str:
    halves = (brief(half) for half in (share.numerator, share.denominator))
    return " / ".join(f"({half})" if "/" in half else half for half in halves)


def _value(share: Share) -> str:
    return _score(float(share.value)) if share.denominator else "0 (0/0 counts as 0)"


def _score(value: float) -> str:
    return f"{decimal(value)} ({percent(value)} %)"


def _prf(counts: Counts) -> str:
    parts = {"recall": counts.recall, "precision": counts.precision, "F1": counts.f1}
    return ", ".join(f"{name} {_score(value)}" for name, value in parts.items())


def label(metric: str) -> str:
    """Return what a metric is called in these lines."""
    return REGISTRY[metric].label
