"""Interfaces of systems: any, trainable, with a threshold to tune; and the systems, by name.

A system is imported on first use: some need libraries that take a second to import.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeGuard

from cdec.catalogue import entries
from cdec.errors import PluginError, UsageError
from cdec.plugins import Registry, errors_of_plugin, matching_name, reason
from cdec.records import Row

if TYPE_CHECKING:
    from cdec.clustering import Clustering
    from cdec.corpus.model import Corpus
    from cdec.formats.annotation import Annotation

MARK = "tuned-on-test"


class System(Protocol):
    """A system that clusters event mentions.

    ``name`` is its id in ``SYSTEMS``; ``parameters`` has every choice that can change a score, for
    the signature.

    >>> from cdec.baselines import system
    >>> lemma = system("lemma")
    >>> lemma.name, sorted(lemma.parameters)
    ('lemma', ['nlp'])
    """

    @property
    def name(self) -> str:
        """The id of the system in results."""
        ...

    @property
    def parameters(self) -> Mapping[str, object]:
        """The choices that can change a score, by name."""
        ...

    def predict(self, corpus: Corpus) -> Clustering | Annotation:
        """Return the clustering of the event mentions of a blind corpus (see ``blind``).

        A system that finds its own mentions returns a ``cdec.formats.Annotation`` instead, with the
        documents and token numbers of the blind corpus. With a true attribute ``finds_mentions``,
        it gets a corpus without mentions.
        """
        ...


class Learner(System, Protocol):
    """A system that must be trained before it predicts.

    Optional methods: ``training_page(train, dev)`` returns the output of `cdec train` after
    ``fit``. Any system may have ``pair_scores(corpus)``, which yields tables of mention pairs with
    the columns ``a``, ``b`` and ``score``, for `cdec predict --pairs-out`.

    >>> from cdec.baselines import system
    >>> is_learner(system("sac")), system("sac").trained_on
    (True, '')
    """

    @property
    def trained_on(self) -> str:
        """The corpus part that the model was trained on; '' without a model."""
        ...

    def has_seen(self, corpus: Corpus) -> bool:
        """Return whether the model was trained on a document of ``corpus``."""
        ...

    def fit(self, train: Corpus, dev: Corpus, *, jobs: int = 1) -> Self:
        """Return the system trained on the two parts, which have their gold annotation.

        Up to ``jobs`` threads are used; the result does not depend on their number.
        """
        ...

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        ...

    def load(self, path: str | Path) -> Self:
        """Return the system with the model in a file. Raises CdecError for an unsuitable model."""
        ...


class Tunable(System, Protocol):
    """A system with a threshold δ; it is a dataclass, so that ``replace`` can change its values.

    >>> from cdec.baselines import system
    >>> is_tunable(system("lemma-delta")), is_tunable(system("lemma"))
    (True, False)
    """

    __dataclass_fields__: ClassVar[Row]

    @property
    def delta(self) -> float:
        """The threshold, from 0 to 1."""
        ...

    @property
    def tfidf(self) -> Any:
        """The parameters of the document vectors: a ``cdec.language.similarity.Tfidf``."""
        ...

    @property
    def tuned(self) -> Tuned | None:
        """The part of a corpus on which both were tuned, if they were."""
        ...

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield the prediction of the system for each of ``deltas``."""
        ...


_POINT = ("delta", "tfidf", "tuned")


def is_learner(system: object) -> TypeGuard[Learner]:
    """Return whether a system, or its class, is a ``Learner``."""
    return all(
        hasattr(system, name)
        for name in ("fit", "save", "load", "has_seen", "trained_on")
    )


def is_tunable(system: object) -> TypeGuard[Tunable]:
    """Return whether a system, or its class, is ``Tunable``."""
    return all(
        hasattr(system, name) for name in (*_POINT, "curve", "__dataclass_fields__")
    )


@dataclass(frozen=True)
class Tuned:
    """The part of a corpus on which a configuration was chosen.

    ``part`` is its name, as in ``ycf-dev``; ``topics`` are its topics. ``on_test`` means that the
    scored part was used, or may have been used, for choosing the configuration.
    """

    corpus: str
    part: str
    topics: tuple[str, ...]
    on_test: bool = False

    @property
    def parameters(self) -> Mapping[str, object]:
        """The fields of the signature: the part, and the mark if ``on_test``."""
        return {"tuned_on": self.part} | ({MARK: True} if self.on_test else {})

    def scoring(self, corpus: Corpus) -> Tuned:
        """Return this with ``on_test`` if ``corpus`` is another part and has a topic in common."""
        if corpus.name != self.corpus or corpus.part == self.part:
            return self
        shared = {document.topic for document in corpus.documents.values()} & set(
            self.topics
        )
        return replace(self, on_test=self.on_test or bool(shared))


# ---- the systems, by name ----


def check_system(value: object) -> None:
    """Raise UsageError unless ``value`` has the attributes of a System."""
    names = ("name", "parameters", "predict")
    if isinstance(value, type) or not all(hasattr(value, name) for name in names):
        raise UsageError(
            "argument-invalid",
            f"expected a system, got {value!r:.60}",
            hint="name a baseline, or pass an object with name, parameters and predict, no class",
        )


def _check(name: str, value: object) -> None:
    if not isinstance(value, type) or not callable(getattr(value, "predict", None)):
        raise TypeError(f"expected a class with predict, got {value!r:.60}")


SYSTEMS: Registry[type[Any]] = Registry(
    "system", "cdec.systems", entries("system"), _check
)
# Commands pass these to every system; a system that does not accept one does not receive it.
_OPTIONAL = ("pipeline", "progress")


def system(name: str, **parameters: object) -> System:
    """Return the system ``name``, constructed with ``parameters``.

    ``name`` is in ``SYSTEMS``, or is ``module:Class``. ``pipeline`` and ``progress`` are passed
    only to a system that accepts them. Raises UnknownNameError for an unknown name, PluginError if
    the constructor of another package's system fails.

    >>> system("lemma-delta", delta=0.3).parameters["delta"]
    0.3
    """
    name = system_id(name)
    constructor = system_class(name)
    if name in SYSTEMS.own:
        return constructor(**parameters)  # type: ignore[no-any-return]
    hint = "give its parameters default values"
    with errors_of_plugin(f"the system '{name}' cannot be constructed", hint):
        accepted = signature(constructor).parameters
        kinds = [parameter.kind for parameter in accepted.values()]
        if Parameter.VAR_KEYWORD not in kinds:
            for option in _OPTIONAL:
                if option not in accepted:
                    parameters.pop(option, None)
        instance: System = constructor(**parameters)
        check_system(instance)
    if name in SYSTEMS and instance.name != name:
        raise PluginError(
            "system-invalid",
            f"the entry point is named '{name}', but the system's name is '{instance.name}'",
            place=SYSTEMS.origin(name),
            hint="use the same name in both places",
        )
    return instance


def system_class(name: str) -> type[Any]:
    """Return the class of the system ``name``, which may be ``module:Class``.

    The module is searched in the working directory, too. Raises UnknownNameError, and UsageError
    if the module cannot be imported or does not contain such a system.

    >>> system_class("lemma").__name__
    'Lemma'
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return SYSTEMS[name]

    def invalid(message: str, hint: str) -> UsageError:
        return UsageError("system-invalid", message, place=name, hint=hint)

    if not all(part.isidentifier() for part in [*module.split("."), attribute]):
        raise invalid(
            "not of the form module:Class", "write it as in my_module:MySystem"
        )
    folder = str(Path.cwd())
    sys.path.insert(0, folder)  # as ``python -m`` does
    try:
        value = getattr(import_module(module), attribute, None)
    # SystemExit too: the module is code of the user and may call sys.exit().
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(
            f"{error.name}."
        ):
            raise invalid(
                f"module '{error.name}' not found",
                "run cdec in the folder that contains it, or add that folder to PYTHONPATH",
            ) from None
        raise invalid(
            f"the module cannot be imported: {reason(error)}",
            "`python -c 'import …'` shows the traceback",
        ) from error
    finally:
        sys.path.remove(folder)
    try:
        _check(name, value)
    except TypeError:
        raise invalid(
            f"'{attribute}' is not a system"
            if value
            else f"the module has no '{attribute}'",
            "name a class with name, parameters and predict: see cdec.baselines.System",
        ) from None
    return value  # type: ignore[return-value]


def system_id(name: str) -> str:
    """Return the id of a system for its name in any case; any other text as it is.

    >>> system_id("Lemma-WD"), system_id("mine:System")
    ('lemma-wd', 'mine:System')
    """
    return matching_name(name, SYSTEMS) or name
