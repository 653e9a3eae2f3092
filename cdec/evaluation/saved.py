"""Reader of results written by `cdec eval --format json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import pandas as pd
from pydantic import AfterValidator, ConfigDict, FailFast, Field

from cdec.errors import FormatError, ScoringError
from cdec.evaluation.experiment import AVERAGES, MICRO, TOPICS, Experiment
from cdec.evaluation.results import FORMAT
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Filled, Schema, complaint
from cdec.io.source import STDIN
from cdec.io.strict_json import read_json
from cdec.metrics import REGISTRY

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
_NAMED = ("system", "setting")
_ROW = ("unit", *_NAMED, "metric")
_Fields = Mapping[str, Any]
_HINT = "write one with `cdec eval --format json`"
_KIND = FileKind("a cdec results file", FormatError, "results-invalid", _HINT, 2**28)


@dataclass(frozen=True, eq=False)
class SavedResult:
    """One system under one setting: signature, scores, and scores of units if it is a breakdown.

    ``scores`` has a row per metric; ``parts`` a row per unit and metric, by the unit ``by``.
    """

    place: Path
    signature: Mapping[str, Any]
    scores: pd.DataFrame = field(repr=False)
    parts: pd.DataFrame = field(repr=False)
    by: str | None = None
    name: str = ""

    @property
    def system(self) -> str:
        """The name of the system: that of the signature, or ``name``."""
        return self.name or str(self.signature["system"])

    @property
    def setting(self) -> str:
        """The id of the setting."""
        return str(self.signature["setting"])


def _known(metric: str) -> str:
    if metric not in REGISTRY:
        raise complaint(f"is the unknown metric '{metric}'")
    return metric


class _Signature(FileModel):
    model_config = ConfigDict(extra="allow")
    system: str
    setting: str


_Score = Annotated[float, Field(ge=0, le=1 + 1e-9)]  # rounding errors
_Count = Annotated[float, Field(ge=0, le=1e18)]


class _Row(_Signature):
    """A metric of one system under one setting; null is a missing or undefined number."""

    metric: Annotated[str, AfterValidator(_known)]
    precision: _Score | None = None
    recall: _Score | None = None
    precision_low: _Score | None = None
    precision_high: _Score | None = None
    recall_low: _Score | None = None
    recall_high: _Score | None = None
    f1_low: _Score | None = None
    f1_high: _Score | None = None
    p_num: _Count | None = None
    p_den: _Count | None = None
    r_num: _Count | None = None
    r_den: _Count | None = None


class _OverallRow(_Row):
    f1: _Score


class _UnitRow(_Row):
    """A row of a breakdown: F1 is null where it is undefined (0/0)."""

    unit: str
    f1: _Score | None


R = TypeVar("R", bound=_Row)


class _Notice(FileModel):
    model_config = ConfigDict(extra="allow")
    code: str = ""
    kind: str = ""  # the name of the code in older files
    count: int
    message: str
    examples: list[str]


class _File(FileModel, Generic[R]):
    model_config = ConfigDict(extra="allow")
    signatures: Annotated[list[_Signature], Field(min_length=1), FailFast()]
    by: Filled | None = None
    rows: Annotated[list[R], Field(min_length=1), FailFast()]
    runs: Annotated[list[_OverallRow], FailFast(), Field(default_factory=list)]
    notices: Annotated[list[_Notice], FailFast(), Field(default_factory=list)]


def is_saved(path: Path) -> bool:
    """Return whether the file has saved results, rather than a response."""
    if str(path) == STDIN or not path.is_file():
        return False
    try:
        content = read_json(path, _KIND)
    except FormatError:
        return False
    return isinstance(content, dict) and "signatures" in content


def read_saved(path: Path) -> tuple[SavedResult, ...]:
    """Return the results in a file. Raises FormatError if it is not a valid results file."""
    return saved_results(path, content_of(path))


def content_of(path: Path) -> dict[str, Any]:
    """Return the content of a results file. Raises FormatError if it is not valid."""
    content = read_json(path, _KIND)
    whole = not isinstance(content, dict) or content.get("by") is None
    model = _File[_OverallRow] if whole else _File[_UnitRow]
    Schema(_KIND, model, FORMAT, since=1).check(content, path)
    try:
        _check_together(content["signatures"], content["rows"], content.get("by"))
    except ValueError as error:
        raise _KIND.refuse(path, str(error)) from None
    return dict(content)


def saved_results(path: Path, content: Mapping[str, Any]) -> tuple[SavedResult, ...]:
    """Return the results of the valid content of a file."""
    frame, by = pd.DataFrame(content["rows"]), content.get("by")
    return tuple(_result(path, signature, frame, by) for signature in content["signatures"])


def _check_together(signatures: Sequence[_Fields], rows: Sequence[_Fields], by: str | None) -> None:
    """Raise ValueError for a duplicate signature or row, or a signature without rows."""
    names = [tuple(signature[name] for name in _NAMED) for signature in signatures]
    _refuse_duplicates("signature", names)
    _refuse_duplicates("row", (tuple(str(row.get(name, "")) for name in _ROW) for row in rows))
    overall = [row for row in rows if not by or row["unit"] == MICRO]
    if any(row["f1"] is None for row in overall):
        raise ValueError("a row of unit 'micro' has no F1")
    whole = {tuple(row[name] for name in _NAMED) for row in overall}
    missing = next((name for name in names if name not in whole), None)
    if missing:
        raise ValueError(f"no row for the signature of {', '.join(missing)}")


def _refuse_duplicates(kind: str, names: Iterable[tuple[Any, ...]]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{count} {kind}s of {', '.join(filter(None, name))}")


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
                "task-mismatch",
                f"'{first}' and '{name}' are results of different tasks: {'; '.join(differences)}",
                hint="score both in the same way",
            )


def check_same_corpus(
    results: Sequence[SavedResult], about: Mapping[str, Any] | None = None
) -> None:
    """Raise ScoringError unless all results, and ``about``, have the same corpus, split and key."""
    signatures = [(str(result.place), _of_corpus(result.signature)) for result in results]
    signatures += [] if about is None else [("the responses", _of_corpus(about))]
    check_same_task(signatures)


def check_same_response(
    results: Sequence[SavedResult], system: str, about: Mapping[str, Any]
) -> None:
    """Raise ScoringError if a result of this system was computed from another response."""
    for result in results:
        known, now = (a.get("response_digest") for a in (result.signature, about))
        if result.system == system and known != now:
            raise ScoringError(
                "response-mismatch",
                f"its results of '{system}' are not those of the given response",
                place=result.place,
                hint="score the response again, or give it another name: `--response NAME=FILE`",
            )


def check_reported(results: Sequence[SavedResult], experiment: Experiment | None = None) -> None:
    """Raise ScoringError unless results and responses are of the same corpus and agree."""
    check_same_corpus(results)
    if experiment is not None:
        check_same_corpus(results, experiment.task.about)
        for answer in experiment.runs:
            check_same_response(results, answer.system, answer.about)


def _of_corpus(signature: Mapping[str, Any]) -> dict[str, Any]:
    return {name: signature.get(name) for name in _CORPUS}


def _result(
    path: Path, signature: Mapping[str, Any], frame: pd.DataFrame, by: str | None
) -> SavedResult:
    rows = frame[frame["system"] == signature["system"]]
    rows = rows[rows["setting"].map(str) == str(signature["setting"])]
    if by is None:
        return SavedResult(path, signature, rows, rows.iloc[:0], None)
    whole = rows[rows["unit"] == MICRO]
    return SavedResult(path, signature, whole, rows[~rows["unit"].isin(AVERAGES)], by)


def _shown(value: object) -> str:
    return "–" if value is None else f"'{value}'"
