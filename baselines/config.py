"""Configuration files: a system and its parameters, as TOML.

::

    format = "cdec-config/1"   # optional
    system = "lemma-delta"
    delta = 0.25               # parameters by name; all others have their default
    [tfidf]
    min_df = 2
    [tuning]                   # written by `cdec tune`: the data that the values were tuned on
    corpus = "ecb+"
    tuned_on = "ycf-dev"
    topics = ["23", "24", "25"]
    on_test = false
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import ConfigDict, Field

from cdec.baselines import System, system, system_class, system_id
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, one_line, one_of
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema
from cdec.files.strict_json import shown
from cdec.system import Tuned

_HINT = 'write system = "lemma-delta", or create the file with `cdec tune -o FILE.toml`'
_KIND = FileKind("a configuration", UsageError, "file-invalid", _HINT, LARGEST_TOML)
FORMAT = "cdec-config/1"
# Fields that a file cannot set: they have command-line options, or are not choices.
_RESERVED = {"pipeline", "progress", "tuned", "model", "jobs"}


@dataclass(frozen=True)
class Configuration:
    """The content of a file: the system's id, its parameters, and the tuning data."""

    place: Path
    system: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tuned: Tuned | None = None

    def make(self, scored: Corpus | None = None, **common: Any) -> System:
        """Return the system; ``scored``, the evaluated corpus, decides the mark of ``Tuned``."""
        tuning = {}
        if self.tuned:
            tuning["tuned"] = self.tuned.scoring(scored) if scored else self.tuned
        return system(self.system, **self.parameters, **tuning, **common)


class _Tuning(FileModel):
    corpus: str
    tuned_on: str
    topics: Annotated[tuple[str, ...], Field(strict=False)]
    on_test: bool


class _File(FileModel):
    """The system, and parameters, which the system itself validates."""

    model_config = ConfigDict(extra="allow")
    system: str
    tuning: _Tuning | None = None


_SCHEMA = Schema(_KIND, _File, FORMAT, since=1)


def read_config(path: Path, called: Collection[str] = ()) -> Configuration:
    """Return the configuration in a file.

    The file never makes cdec import a module: it names a system of ``SYSTEMS``, or a
    ``module:Class`` that is in ``called``, the systems that the call itself names.

    Raises UsageError if the file cannot be read, is not TOML, does not name such a system, or has
    an unknown key or a value that the system rejects.
    """
    file = _SCHEMA.read_toml(path)
    if ":" in file.system and file.system not in called:
        message = f"'{file.system}' is code, which a file cannot select"
        hint = f"if you trust that code, name the system {file.system}"
        raise UsageError("file-invalid", message, place=path, hint=hint)
    try:
        class_ = system_class(file.system)
        parameters = file.model_extra or {}
        for name in parameters:
            one_of("parameter", name, _known(class_))
        default = class_()
        own = {key: _value(key, getattr(default, key), value) for key, value in parameters.items()}
        configuration = Configuration(path, system_id(file.system), own)
        configuration.make()
    except UsageError as error:
        raise error.at(path) from None
    if file.tuning is None:
        return configuration
    if "tuned" not in _fields(class_):
        message = f"the file has a table [tuning], but {file.system} has nothing to tune"
        raise UsageError("file-invalid", message, place=path, hint="remove the table")
    values = (getattr(file.tuning, name) for name in _Tuning.model_fields)
    return replace(configuration, tuned=Tuned(*values))


def _fields(class_: type) -> list[str]:
    return [f.name for f in fields(class_)] if is_dataclass(class_) else []


def _known(class_: type) -> list[str]:
    return [name for name in _fields(class_) if name not in _RESERVED]


def _value(name: str, default: Any, value: Any) -> Any:
    """Return the value of a parameter: a table changes fields of the default."""
    if not is_dataclass(default) or isinstance(default, type):
        return value
    if not isinstance(value, dict):
        message = f"{name} must be a table, got {shown(value)}"
        raise UsageError("argument-invalid", message, hint=f"write it as a table, [{name}]")
    for key in value:
        one_of("parameter", f"{name}.{key}", [f"{name}.{f.name}" for f in fields(default)])
    changes = {key: _value(f"{name}.{key}", getattr(default, key), v) for key, v in value.items()}
    return replace(default, **changes)


def make_systems(
    names: Iterable[str], configs: Iterable[Configuration], scored: Corpus | None, **common: Any
) -> list[System]:
    """Return the systems ``names``, each with its configuration if ``configs`` has one.

    Raises UsageError for two configurations of one system, or one of a system not in ``names``.
    """
    names, by_name = list(names), dict[str, Configuration]()
    for config in configs:
        message, hint = "", ""
        if config.system in by_name:
            message, hint = f"duplicate configuration of '{config.system}'", "remove one of them"
        elif config.system not in names:
            message = f"it configures '{config.system}', which is not among the selected systems"
            hint = f"add the system {config.system}"
        if message:
            raise UsageError("file-invalid", message, place=config.place, hint=hint)
        by_name[config.system] = config
    return [
        by_name[name].make(scored, **common) if name in by_name else system(name, **common)
        for name in names
    ]


def to_toml(tuned_system: System, tuned: Tuned, comments: Iterable[str]) -> str:
    """Return the configuration file of a system, with comments at its beginning."""
    head: dict[str, object] = {"format": FORMAT, "system": tuned_system.name}
    tables: dict[str, Mapping[str, object]] = {}
    for name in _known(type(tuned_system)):
        value = getattr(tuned_system, name)
        if is_dataclass(value) and not isinstance(value, type):
            tables[name] = asdict(value)
        else:
            head[name] = value
    values = (tuned.corpus, tuned.part, list(tuned.topics), tuned.on_test)
    tables["tuning"] = dict(zip(_Tuning.model_fields, values, strict=True))
    above = "".join(f"# {one_line(comment)}\n" for comment in comments)
    return above + tomli_w.dumps({**head, **tables})
