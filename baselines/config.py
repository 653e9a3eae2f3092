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

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import ConfigDict, Field

from cdec.baselines import SYSTEMS, System, names_of, system, system_class, system_id
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, one_line, one_of, warn_of
from cdec.files.input import FileKind
from cdec.files.jobs import chosen_jobs
from cdec.files.models import LARGEST_TOML, FileModel, Schema
from cdec.files.strict_json import shown
from cdec.system import Tuned, is_learner

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
    ``module:Class`` that is in ``called``, the systems that the call itself names; of these also by
    its own name, as `cdec tune` writes it.

    Raises UsageError if the file cannot be read, is not TOML, does not name such a system, or has
    an unknown key or a value that the system rejects.
    """
    file = _SCHEMA.read_toml(path)
    id_ = system_id(file.system)
    if id_ not in SYSTEMS:
        id_ = {system(name).name: name for name in called if ":" in name}.get(id_, id_)
    if ":" in id_ and id_ not in called:
        message = f"'{id_}' is code, which a file cannot select"
        hint = f"if you trust that code, name the system {id_}"
        raise UsageError("file-invalid", message, place=path, hint=hint)
    try:
        class_ = system_class(id_)
        parameters = file.model_extra or {}
        for name in parameters:
            one_of("parameter", name, _known(class_))
        default = class_()
        own = {key: _value(key, getattr(default, key), value) for key, value in parameters.items()}
        configuration = Configuration(path, id_, own)
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
    names: Iterable[str],
    configs: Iterable[Path],
    scored: Corpus,
    model: Path | None,
    training: Callable[[Corpus], tuple[Corpus, Corpus]],
    **common: Any,
) -> list[System]:
    """Return the systems ``names``, configured, and trained, for a corpus to be scored on.

    A trainable system has the model of a file, else it is trained on the two parts of ``training``.
    Raises UsageError for two configurations of one system, for one of a system not in ``names``,
    and for a model unless it is of exactly one system.
    """
    ids, by_name = [system_id(name) for name in names], dict[str, Configuration]()
    for config in (read_config(path, ids) for path in configs):
        message, hint = "", ""
        if config.system in by_name:
            message, hint = f"duplicate configuration of '{config.system}'", "remove one of them"
        elif config.system not in ids:
            message = f"it configures '{config.system}', which is not among the selected systems"
            hint = f"add the system {config.system}"
        if message:
            raise UsageError("file-invalid", message, place=config.place, hint=hint)
        by_name[config.system] = config
    ready: dict[str, Any] = {
        name: by_name[name].make(scored, **common) if name in by_name else system(name, **common)
        for name in ids
    }
    learners = {name: one for name, one in ready.items() if is_learner(one)}
    if model and len(learners) != 1:
        message = f"--model requires exactly one trainable system, got {len(learners)}"
        hint = f"name one of {', '.join(names_of(is_learner))}, or drop --model"
        raise UsageError("system-invalid", message, place=model, hint=hint)
    parts: Any = training(scored) if learners and not model else ()
    for name, one in learners.items():
        learned = one.load(model) if model else one.fit(*parts, jobs=chosen_jobs())
        if learned.has_seen(scored):
            message = f"{name} was trained on documents of the evaluated part"
            warn_of([Notice("trained-on-part", 1, message)])
        ready[name] = learned
    return [ready[name] for name in ids]


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
