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

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import ConfigDict, Field

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, one_line, one_of
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema
from cdec.files.strict_json import shown
from cdec.records import Fields
from cdec.system import (
    SYSTEMS,
    System,
    Tuned,
    system,
    system_class,
    system_id,
)

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
    parameters: Fields = field(default_factory=dict)
    tuned: Tuned | None = None

    def make(self, scored: Corpus | None = None, **common: object) -> System:
        """Return the system; ``scored``, the evaluated corpus, decides the mark of ``Tuned``."""
        parameters = {**self.parameters, **common}
        if self.tuned:
            parameters["tuned"] = self.tuned.scoring(scored) if scored else self.tuned
        return system(self.system, **parameters)


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
    ``module:Class`` that is in ``called``, the systems that the call itself names; of these also by
    its own name, as `cdec tune` writes it.

    Raises UsageError if the file cannot be read, is not TOML, does not name such a system, or has
    an unknown key or a value that the system rejects.
    """
    file = _SCHEMA.read_toml(path)
    name = _selected_name(file.system, called)
    if ":" in name and name not in called:
        raise UsageError(
            "file-invalid",
            f"'{name}' is code, which a file cannot select",
            place=path,
            hint=f"if you trust that code, name the system {name}",
        )
    try:
        class_ = system_class(name)
        values = file.model_extra or {}
        for parameter in values:
            one_of("parameter", parameter, _configurable(class_))
        default = class_()
        parameters = {
            parameter: _value(parameter, getattr(default, parameter), value)
            for parameter, value in values.items()
        }
        configuration = Configuration(path, name, parameters)
        configuration.make()
    except UsageError as error:
        raise error.at(path) from None
    if file.tuning is None:
        return configuration
    if "tuned" not in _fields(class_):
        raise UsageError(
            "file-invalid",
            f"the file has a table [tuning], but {file.system} has nothing to tune",
            place=path,
            hint="remove the table",
        )
    tuning = file.tuning
    tuned = Tuned(tuning.corpus, tuning.tuned_on, tuning.topics, tuning.on_test)
    return replace(configuration, tuned=tuned)


def _selected_name(text: str, called: Collection[str]) -> str:
    """Return the id of a system, or the ``module:Class`` of ``called`` whose name the text is."""
    name = system_id(text)
    if name in SYSTEMS:
        return name
    names = {
        system(class_name).name: class_name
        for class_name in called
        if ":" in class_name
    }
    return names.get(name, name)


def _fields(class_: type) -> list[str]:
    if not is_dataclass(class_):
        return []
    return [field_.name for field_ in fields(class_)]


def _configurable(class_: type) -> list[str]:
    return [name for name in _fields(class_) if name not in _RESERVED]


def _value(name: str, default: Any, value: Any) -> Any:
    """Return the value of a parameter: a table changes fields of the default."""
    if not is_dataclass(default) or isinstance(default, type):
        return value
    if not isinstance(value, dict):
        raise UsageError(
            "argument-invalid",
            f"{name} must be a table, got {shown(value)}",
            hint=f"write it as a table, [{name}]",
        )
    names = [f"{name}.{field_.name}" for field_ in fields(default)]
    for field_name in value:
        one_of("parameter", f"{name}.{field_name}", names)
    changes = {}
    for field_name, field_value in value.items():
        field_default = getattr(default, field_name)
        changes[field_name] = _value(f"{name}.{field_name}", field_default, field_value)
    return replace(default, **changes)


def to_toml(tuned_system: System, tuned: Tuned, comments: Iterable[str]) -> str:
    """Return the configuration file of a system, with comments at its beginning."""
    head: dict[str, object] = {"format": FORMAT, "system": tuned_system.name}
    tables = {}
    for name in _configurable(type(tuned_system)):
        value = getattr(tuned_system, name)
        if is_dataclass(value) and not isinstance(value, type):
            tables[name] = asdict(value)
        else:
            head[name] = value
    tables["tuning"] = {
        "corpus": tuned.corpus,
        "tuned_on": tuned.part,
        "topics": list(tuned.topics),
        "on_test": tuned.on_test,
    }
    comment_lines = "".join(f"# {one_line(comment)}\n" for comment in comments)
    return comment_lines + tomli_w.dumps({**head, **tables})
