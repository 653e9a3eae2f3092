"""Configuration files: a system and its parameters, as TOML.

::

    format = "cdec-config/1"   # may be left out
    system = "lemma-delta"
    delta = 0.25               # parameters by name; one that is left out keeps its default
    [tfidf]
    min_df = 2
    [tuning]                   # written by `cdec tune`: what the values were chosen on
    corpus = "ecb+"
    tuned_on = "ycf-dev"
    topics = ["23", "24", "25"]
    on_test = false
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from cdec.baselines import System, system, system_class
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, one_of
from cdec.io.inputfile import FileKind
from cdec.io.schema import LARGEST_TOML, FileModel, Schema, shown
from cdec.system import Tuned

_HINT = 'write system = "lemma-delta", or as `cdec tune -o FILE.toml` does'
_KIND = FileKind("a configuration", UsageError, "config-invalid", _HINT, LARGEST_TOML)
FORMAT = "cdec-config/1"
# Not for a file: named on the command line, or no choices.
_RESERVED = {"pipeline", "progress", "tuned", "model", "jobs"}


@dataclass(frozen=True)
class Configuration:
    """What a file says: the system's id, its parameters, and what they were tuned on."""

    place: Path
    system: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tuned: Tuned | None = None

    def make(self, scored: Corpus | None = None, **common: Any) -> System:
        """Return the system; ``scored`` is what it will be scored on, for the mark of ``Tuned``."""
        told = {"tuned": self.tuned.scoring(scored) if scored else self.tuned} if self.tuned else {}
        return system(self.system, **self.parameters, **told, **common)


class _Tuning(FileModel):
    corpus: str
    tuned_on: str
    topics: Annotated[tuple[str, ...], Field(strict=False)]
    on_test: bool


class _File(FileModel):
    """The system, and parameters that only the system itself can judge."""

    model_config = ConfigDict(extra="allow")
    system: str
    tuning: _Tuning | None = None


_SCHEMA = Schema(_KIND, _File, FORMAT, since=1)


def read_config(path: Path) -> Configuration:
    """Return what the file says.

    Raises UsageError for a file that cannot be read, is not TOML, names no system, or has an
    unknown key or a value that the system refuses.
    """
    file = _SCHEMA.read_toml(path)
    try:
        system_class(file.system)
        tuned = _tuned(file)
        made = Configuration(path, file.system, _parameters(file), tuned)
        made.make()
    except UsageError as error:
        raise UsageError(error.message, place=path, hint=error.hint) from None
    return made


def make_systems(
    names: Iterable[str], configs: Iterable[Configuration], scored: Corpus | None, **common: Any
) -> list[System]:
    """Return the systems ``names``, each with its configuration where there is one.

    Raises UsageError for two configurations of one system, or one of a system not named.
    """
    names, by_name = list(names), dict[str, Configuration]()
    for config in configs:
        if config.system in by_name:
            message = f"a second configuration of '{config.system}'"
            raise UsageError(message, place=config.place, hint="leave one of them out")
        if config.system not in names:
            hint = f"add --system {config.system}"
            raise UsageError(f"'{config.system}' is not to be run", place=config.place, hint=hint)
        by_name[config.system] = config
    return [
        by_name[name].make(scored, **common) if name in by_name else system(name, **common)
        for name in names
    ]


def to_toml(made: System, tuned: Tuned, comments: Iterable[str]) -> str:
    """Return the configuration file that makes the system again; comments stand at its head."""
    plain: dict[str, object] = {}
    tables: dict[str, Mapping[str, object]] = {}
    for name in _known(type(made)):
        value = getattr(made, name)
        if is_dataclass(value) and not isinstance(value, type):
            tables[name] = asdict(value)
        else:
            plain[name] = value
    tables["tuning"] = {
        "corpus": tuned.corpus,
        "tuned_on": tuned.part,
        "topics": list(tuned.topics),
        "on_test": tuned.on_test,
    }
    head = {"format": FORMAT, "system": made.name}
    lines = [*(f"# {comment}" for comment in comments), *_lines(head | plain)]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(table: Mapping[str, object]) -> list[str]:
    # JSON's strings, numbers, truth values and lists of strings are TOML's.
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in table.items()]


def _known(system_type: type) -> list[str]:
    return [f.name for f in fields(system_type) if f.name not in _RESERVED]


def _parameters(file: _File) -> dict[str, Any]:
    made, data = system_class(file.system), file.model_extra or {}
    defaults = made()
    _refuse_unknown(f"parameter of {file.system}:", data, _known(made))
    return {key: _value(key, getattr(defaults, key), value) for key, value in data.items()}


def _value(name: str, default: Any, value: Any) -> Any:
    if not is_dataclass(default) or isinstance(default, type):
        return value
    if not isinstance(value, dict):
        raise UsageError(f"{name} is {shown(value)}", hint=f"a table, [{name}]")
    _refuse_unknown(f"key in [{name}]:", value, [f.name for f in fields(default)])
    given = {key: _value(f"{name}.{key}", getattr(default, key), v) for key, v in value.items()}
    return replace(default, **given)


def _tuned(file: _File) -> Tuned | None:
    tuning = file.tuning
    if tuning is None:
        return None
    if "tuned" not in {f.name for f in fields(system_class(file.system))}:
        message = f"[tuning], and {file.system} has nothing to tune"
        raise UsageError(message, hint="leave it out")
    return Tuned(tuning.corpus, tuning.tuned_on, tuning.topics, tuning.on_test)


def _refuse_unknown(kind: str, given: Iterable[str], known: list[str]) -> None:
    for name in given:
        one_of(kind, name, known)
