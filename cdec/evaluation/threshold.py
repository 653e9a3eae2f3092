"""Check saved results against thresholds and a signature, for one's own system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cdec.errors import UsageError
from cdec.evaluation.results import Results
from cdec.metrics import REGISTRY
from cdec.settings import find_setting

_FORM = re.compile(r"(?P<setting>.+)/(?P<metric>\w+)=(?P<value>[0-9]*\.?[0-9]+)")


@dataclass(frozen=True)
class Threshold:
    """The least F1, in [0, 1], of a metric under a setting.

    >>> Threshold.parse("pure/conll=.75")
    Threshold(setting='pure', metric='conll', least=0.75)
    """

    setting: str
    metric: str
    least: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Return the threshold of ``SETTING/METRIC=VALUE``. Raises UsageError."""
        match = _FORM.fullmatch(text.strip())
        if match is None or not 0 <= float(match["value"]) <= 1:
            message = f"expected SETTING/METRIC=VALUE with a value from 0 to 1, got '{text:.60}'"
            raise UsageError("option-invalid", message, hint="as in pure/conll=.75")
        metric = REGISTRY.require(match["metric"])
        return cls(find_setting(match["setting"]).name, metric, float(match["value"]))


def failures(
    saved: Iterable[Results], thresholds: Sequence[Threshold], signature: str | None
) -> Iterator[str]:
    """Yield each threshold that a result misses, and each result with another signature.

    ``signature`` is a line as cdec prints it; of fields that it names, every result must have the
    same value, so that a part of the line is enough. A setting without a result is a failure.
    """
    results = list(saved)
    for wanted in thresholds:
        of_setting = [result for result in results if result.setting == wanted.setting]
        if not of_setting:
            yield f"no result under {wanted.setting}"
        for result in of_setting:
            values, name = result.values, f"{result.system}, {wanted.setting}"
            if wanted.metric not in values:
                yield f"{name}: no {wanted.metric}"
            elif (value := values[wanted.metric].f1) < wanted.least:
                yield f"{name}: {wanted.metric} is {value:.4f}, expected {wanted.least:.4f} or more"
    if signature is not None:
        for result in results:
            yield from _unlike(result, signature)


def _unlike(result: Results, signature: str) -> Iterator[str]:
    known = dict(_fields(str(result.signature)))
    for name, value in _fields(signature):
        options = value.split("+")
        if known.get(name) not in (value, *options):
            shown = known.get(name, "missing")
            yield f"{result.system}, {result.setting}: {name} is {shown}, expected {value}"


def _fields(line: str) -> Iterator[tuple[str, str]]:
    for field in line.strip().split("|"):
        name, separator, value = field.partition(":")
        if not separator:
            message = f"expected name:value in the signature, got '{field:.60}'"
            raise UsageError("option-invalid", message, hint="copy the line that cdec prints")
        yield name, value
