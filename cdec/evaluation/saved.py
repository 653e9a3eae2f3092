"""Results that `cdec eval --format json` wrote, read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.errors import FormatError, ScoringError
from cdec.evaluation.saved_content import WHOLE, sound
from cdec.io.inputfile import FileKind
from cdec.io.source import STDIN
from cdec.io.strict_json import read_json

# What two results must agree in to be of the same kind, in the words of a message.
TASK = {
    "corpus": "corpus",
    "digest": "corpus content",
    "split": "split",
    "key": "key",
    "key_digest": "key content",
    "scope": "scope",
    "setting": "setting",
    "metrics": "metrics",
    "scorer": "scorer",
}
_CORPUS = ("corpus", "digest", "split", "key", "key_digest", "scope")
_AVERAGES = ("macro", "micro")
_KIND = FileKind("result of cdec", FormatError, "write one with `cdec eval --format json`", 2**28)


@dataclass(frozen=True, eq=False)
class SavedResult:
    """One system under one setting: its signature, its scores, its units if they were asked for.

    ``scores`` has a row a metric; ``parts`` a row a unit and metric, of units of kind ``by``.
    """

    place: Path
    signature: Mapping[str, Any]
    scores: pd.DataFrame = field(repr=False)
    parts: pd.DataFrame = field(repr=False)
    by: str | None = None

    @property
    def system(self) -> str:
        """The name of the system."""
        return str(self.signature["system"])

    @property
    def setting(self) -> str:
        """The id of the setting."""
        return str(self.signature["setting"])


def is_saved(path: Path) -> bool:
    """Return whether the file is JSON that ``cdec eval`` wrote, and not a response."""
    if str(path) == STDIN or not path.is_file():
        return False
    try:
        content = read_json(path, _KIND)
    except FormatError:
        return False
    return isinstance(content, dict) and "signatures" in content


def read_saved(path: Path) -> tuple[SavedResult, ...]:
    """Return the results in a file. Raises FormatError where it is none that cdec wrote."""
    content = read_json(path, _KIND)
    try:
        signatures, rows, by = sound(content)
    except ValueError as error:
        raise _KIND.refuse(path, str(error)) from None
    frame = pd.DataFrame(rows)
    return tuple(_result(path, signature, frame, by) for signature in signatures)


def check_same_task(signatures: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Raise ScoringError where named signatures differ in what was scored, naming the fields."""
    given = list(signatures)
    first, one = given[0]
    for name, other in given[1:]:
        apart = [
            f"{word} {_shown(one.get(key))} ≠ {_shown(other.get(key))}"
            for key, word in TASK.items()
            if one.get(key) != other.get(key)
        ]
        if apart:
            raise ScoringError(
                f"'{first}' and '{name}' are not results on the same task: {'; '.join(apart)}",
                cure="score both in the same way",
            )


def check_same_corpus(
    results: Sequence[SavedResult], about: Mapping[str, Any] | None = None
) -> None:
    """Raise ScoringError unless all results, and ``about``, are of one corpus, split and key."""
    given = [(str(result.place), _of_corpus(result.signature)) for result in results]
    given += [] if about is None else [("the responses", _of_corpus(about))]
    check_same_task(given)


def check_same_response(
    results: Sequence[SavedResult], system: str, about: Mapping[str, Any]
) -> None:
    """Raise ScoringError where a result of this name was made from another response file."""
    for result in results:
        known, now = (a.get("response_digest") for a in (result.signature, about))
        if result.system == system and known != now:
            raise ScoringError(
                f"its system '{system}' is another response than the one given",
                place=result.place,
                cure="score the response again, or name it: `--response NAME=FILE`",
            )


def _of_corpus(signature: Mapping[str, Any]) -> dict[str, Any]:
    return {name: signature.get(name) for name in _CORPUS}


def _result(
    path: Path, signature: Mapping[str, Any], frame: pd.DataFrame, by: str | None
) -> SavedResult:
    rows = frame[frame["system"] == signature["system"]]
    rows = rows[rows["setting"].map(str) == str(signature["setting"])]
    if by is None:
        return SavedResult(path, signature, rows, rows.iloc[:0], None)
    whole = rows[rows["unit"] == WHOLE]
    return SavedResult(path, signature, whole, rows[~rows["unit"].isin(_AVERAGES)], by)


def _shown(value: object) -> str:
    return "–" if value is None else f"'{value}'"
