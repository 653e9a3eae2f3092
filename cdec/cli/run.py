"""A command: the options that it takes, and a function of a ``Run``: what the call names.

::

    @command(CORPUS, SHOWN_SPLIT, *REPORT)
    def stats(call: Run) -> None: ...

Typer sees the options; the function receives their values, and its docstring is the help. Corpus,
systems and responses are loaded on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, wraps
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from cdec.cli import names
from cdec.cli.call import Call
from cdec.cli.help import HELP_ALL, has_rare
from cdec.cli.names import STRATUM_IDS
from cdec.cli.option import Option, refuse_overwriting
from cdec.cli.options import FORMAT, TO
from cdec.errors import UsageError
from cdec.errors.notices import Notice
from cdec.files.jobs import chosen_jobs, workers

if TYPE_CHECKING:
    import pandas as pd

    from cdec.baselines.config import Configuration
    from cdec.corpus.model import Corpus
    from cdec.diagnosis.by_stratum import Strata
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import Response
    from cdec.formats import Annotation
    from cdec.settings import Setting
    from cdec.statistics.draws import Plan
    from cdec.system import Learner, System


_NO_ENDINGS: Mapping[str, str] = MappingProxyType({})


def command(
    *options: Option, endings: Mapping[str, str] = _NO_ENDINGS
) -> Callable[[Callable[[Run], None]], Callable[..., None]]:
    """Return a decorator that makes a function of a ``Run`` a command with these options.

    ``endings``: those of --output that name a format, besides the formats of a page. Raises
    ValueError if two options have one name.
    """
    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    further = [HELP_ALL] if has_rare(options) else []
    signature = Signature([context, *(option.parameter for option in options), *further])
    by_name = {option.name: option for option in options}

    def decorated(function: Callable[[Run], None]) -> Callable[..., None]:
        @wraps(function)
        def run(context: typer.Context, **given: Any) -> None:
            values = {name: option.checked(given[name]) for name, option in by_name.items()}
            refuse_overwriting(by_name, values)
            call = Run(context, by_name, values, endings)
            # The ending of --output is that of the format: if not, nothing is computed.
            _ = call.page_format if FORMAT in options else None
            _ = call.file_format if TO in options else None
            divided = "jobs" in values
            with workers(call.jobs, call.scheduler) if divided else nullcontext():
                function(call)

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.options = by_name  # type: ignore[attr-defined]  # for the help
        run.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
        return run

    return decorated


class Run(Call):
    """A call, and its corpus, systems and responses."""

    @cached_property
    def whole(self) -> Corpus:
        """The whole corpus of --corpus."""
        return self._unsplit

    @cached_property
    def part(self) -> Corpus:
        """The part of the corpus that --split names, else the responses cover; else the default.

        It is the whole corpus for a command without --split.
        """
        from cdec.corpus.splits import part_of
        from cdec.evaluation.parts import covered_part

        split = self.values.get("split", "all")
        if split == "all":
            return self.whole
        given = [] if split else self.inputs.values()
        if not given:
            return part_of(self._unsplit, split)
        return covered_part(self._unsplit, given, None)

    @property
    def home(self) -> str:
        """The name of the split that ``part`` is of; '' is the default."""
        from cdec.corpus.splits import named_part

        split = self.values.get("split", "all") or named_part(self.part.part) or ""
        return str(split.rpartition("/")[0])

    @cached_property
    def inputs(self) -> dict[str, Response]:
        """The responses of the call that are no systems, by their text: each is read once."""
        from cdec.baselines import names_system
        from cdec.evaluation.parts import opened

        given = [*self.answered, *filter(None, [self.values.get("answer")])]
        return {text: opened(text) for text in given if not names_system(text)}

    def configs(self, names: Collection[str] = ()) -> list[Configuration]:
        """Return the configuration files of --config; ``names`` are the systems of the call."""
        from cdec.baselines.config import read_config

        return [read_config(path, names) for path in self.config or []]

    def make(self, names: Iterable[str]) -> list[System]:
        """Return the systems with their configurations, untrained.

        A configuration that was tuned on documents of the part is marked.
        """
        from cdec.baselines import system_id
        from cdec.baselines.config import make_systems

        unique = dict.fromkeys(map(system_id, names))
        configs = self.configs(unique)
        part = self.part if configs else None
        return make_systems(unique, configs, part, pipeline=self.nlp, progress=self.bar)

    def ready(self, names: Iterable[str]) -> list[System]:
        """Return the systems; load the model of a trainable one from --model, or train it.

        Training uses train and dev of the split. Raises UsageError for --model unless exactly one
        of the systems is trainable.
        """
        from cdec.baselines import names_of
        from cdec.system import is_learner

        model, names = self.model, list(names)
        if not (names or model):
            return []
        systems = self.make(names)
        learners = [system for system in systems if is_learner(system)]
        if model is not None and len(learners) != 1:
            message = f"--model requires exactly one trainable system, got {len(learners)}"
            hint = f"name one of {', '.join(names_of(is_learner))}, or drop --model"
            raise UsageError("system-unsuitable", message, place=model, hint=hint)
        if not learners:
            return self.on_mentions(systems)
        if model is None:
            train, dev = self.training
            ready = [system.fit(train, dev, jobs=chosen_jobs()) for system in learners]
        else:
            ready = [learners[0].load(model)]
        self.notify(_seen(system) for system in ready if system.has_seen(self.part))
        trained = iter(ready)
        return self.on_mentions([next(trained) if is_learner(s) else s for s in systems])

    @cached_property
    def training(self) -> tuple[Corpus, Corpus]:
        """Train and dev of the split that --split names, else of the split of the corpus."""
        return self.train_and_dev(self.home)

    @property
    def kind(self) -> str | None:
        """The kind of --mentions; None for the usual one, also if that option names a file."""
        return self.mentions if self.mentions in names.KINDS.known() else None

    def on_mentions(self, systems: list[System]) -> list[System]:
        """Return the systems on the mentions of the file that --mentions names, if it does."""
        from cdec.evaluation.response import on_mentions

        if self.mentions in {None, self.kind}:
            return systems
        return [on_mentions(self.part, system, self.mentions) for system in systems]

    def train_and_dev(self, split: str | None, *, patched: bool = False) -> tuple[Corpus, Corpus]:
        """Return train and dev of a split (default: that of the corpus).

        Their key is corrected by --key-patch only if ``patched``.
        """
        from cdec.corpus.splits import select, split_of
        from cdec.corpus.store.load import read_part
        from cdec.corpus.store.locate import locate

        with self.progress("reading the corpus") as tick:
            correct = self.correction() if patched and self.key_patch else None
            located = locate(self.corpus)
            whole = read_part(located, "all", tick, correct)
        whole = whole.select(self.kind, variant=located.variant)
        chosen = split_of(whole, split or None)
        return select(whole, "train", chosen), select(whole, "dev", chosen)

    def correction(self) -> Callable[[Corpus], Corpus]:
        """Return the correction of the key by --key-patch."""
        from cdec.corpus.claims import correction

        return correction(self.key_patch)

    def annotation(self, system: System) -> Annotation:
        """Return the mentions and chains that a system predicts for the part."""
        from cdec.evaluation.run import prediction
        from cdec.formats import Annotation, from_corpus

        chains = prediction(system, self.part)
        return chains if isinstance(chains, Annotation) else from_corpus(self.part, chains)

    def named(self, answers: Sequence[str]) -> list[Response]:
        """Return the systems and files that ``answers`` name. Raises UsageError without any."""
        from cdec.baselines import is_system_name, names_system, system_id

        if not answers:
            hint = "name a baseline, a response file, or --pairs FILE"
            raise UsageError("argument-missing", "no system is named", hint=hint)
        given = [system_id(name) if names_system(name) else name for name in answers]
        names = [name for name in dict.fromkeys(given) if is_system_name(name)]
        systems = dict(zip(names, self.ready(names), strict=True))
        return [systems.get(name, name) for name in given]

    def experiment(
        self,
        responses: Sequence[Response],
        setting: Sequence[str | Setting],
        metrics: list[str] | None = None,
        check: Callable[[Experiment], None] | None = None,
    ) -> Experiment:
        """Return the experiment on the part, and print its notices unless ``check`` refuses it."""
        from cdec.evaluation.experiment import prepare

        experiment = prepare(
            self.part,
            [self.inputs.get(one, one) if isinstance(one, str) else one for one in responses],
            setting=setting,
            metrics=metrics,
            scorer=self.scorer,
            policy=self.policy(nlp=self.nlp),
        )
        if check:
            check(experiment)
        self.notify(experiment.notices)
        return experiment

    def show_scores(self, experiment: Experiment, plan: Plan | None) -> None:
        """Show the scores, by --by if there is one, or with the intervals of ``plan``."""
        if plan is None:
            return self.show(experiment.results(self.by).page)
        from cdec.statistics.confidence import with_intervals

        return self.show(with_intervals(experiment, plan).page)

    def lemmas(self) -> pd.Series[str]:
        """Return the lemma of each event mention, by mention id."""
        from cdec.diagnosis.mentions import lemmas_of

        return lemmas_of(self.part, self.nlp, self.bar)

    @cached_property
    def strata(self) -> Strata | None:
        """The stratum of --by, with what it needs of the corpus; None without one."""
        if self.by not in STRATUM_IDS:
            return None
        from cdec.diagnosis.by_stratum import Strata

        return Strata.of(self.by, self.part, lambda: self.training[0], self.nlp, self.bar)

    @cached_property
    def _unsplit(self) -> Corpus:
        """The whole corpus of --corpus, without --key-from."""
        from cdec.corpus.store.load import read_part
        from cdec.corpus.store.locate import locate

        located = locate(self.corpus)
        if located.notice:
            self.notify([located.notice])
        with self.progress("reading the corpus") as tick:
            correct = self.correction() if self.key_patch else None
            whole = read_part(located, "all", tick, correct)
        return whole.select(self.kind, variant=located.variant)


def _seen(system: Learner) -> Notice:
    message = f"{system.name} was trained on documents of the evaluated part"
    return Notice("trained-on-part", 1, message)
