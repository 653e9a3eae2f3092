"""One call of a command: what its groups of options name, made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli.options import CorpusOptions, FileOptions, SystemOptions
from cdec.cli.screen import QuietOptions
from cdec.errors import UsageError
from cdec.system import is_learner

if TYPE_CHECKING:
    import pandas as pd

    from cdec.baselines.config import Configuration
    from cdec.corpus.model import Corpus
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import Response
    from cdec.settings import Setting
    from cdec.system import System


@dataclass(frozen=True)
class Run:
    """A corpus, the systems and files to run on it, and where notices and progress go."""

    corpus: CorpusOptions
    screen: QuietOptions
    systems: SystemOptions = field(default_factory=SystemOptions)
    files: FileOptions = field(default_factory=FileOptions)
    key_patch: Path | None = None

    @cached_property
    def whole(self) -> Corpus:
        """The corpus that the options name, read with notice and progress."""
        return self._read("all")

    @cached_property
    def part(self) -> Corpus:
        """The part of the corpus that ``--split`` names; the whole corpus without that option."""
        return self._read(self.corpus.split) if self.corpus.split != "all" else self.whole

    @cached_property
    def configs(self) -> list[Configuration]:
        """What the configuration files say."""
        from cdec.baselines.config import read_config

        return [read_config(path) for path in self.systems.config or []]

    def make(self, names: Iterable[str]) -> list[System]:
        """Return the systems with these names as configured, none of them trained.

        A configuration that was tuned on some of the part is marked.
        """
        from cdec.baselines.config import make_systems

        unique, part = dict.fromkeys(names), self.part if self.configs else None
        nlp, bar = self.systems.nlp, self.screen.bar
        return make_systems(unique, self.configs, part, pipeline=nlp, progress=bar)

    def ready(self, names: Iterable[str]) -> list[System]:
        """Return the systems with these names; those that learn with a model: loaded, or trained.

        They learn from train and dev of the split of the part. Raises UsageError for a model that
        none of the systems takes, or several would.
        """
        from cdec.baselines import names_of

        systems, model = self.make(names), self.systems.model
        learners = [system for system in systems if is_learner(system)]
        if model is not None and len(learners) != 1:
            takers = " and ".join(names_of(is_learner))
            raise UsageError(f"--model goes with one of {takers}", place=model)
        if not learners:
            return systems
        if model is None:
            train, dev = self.train_and_dev(self.corpus.split.rpartition("/")[0] or None)
            ready = [system.fit(train, dev, jobs=self.systems.jobs) for system in learners]
        else:
            ready = [learners[0].load(model)]
        for system in ready:
            if system.has_seen(self.part):
                self.screen.say(f"warning: {system.name} was trained on documents of this part")
        done = iter(ready)
        return [next(done) if is_learner(system) else system for system in systems]

    def train_and_dev(self, split: str | None) -> tuple[Corpus, Corpus]:
        """Return train and dev of a split; None is the corpus's own. The key is as published."""
        from cdec.api import read_part
        from cdec.corpus.splits import divided
        from cdec.corpus.store.locate import locate

        with self.screen.progress("reading the corpus") as tick:
            whole = read_part(locate(self.corpus.corpus), "all", tick)
        found = divided(whole, split)
        return found["train"], found["dev"]

    def responses(self, answers: list[str]) -> list[Response]:
        """Return the systems and response files that ``answers`` name, in their order."""
        from cdec.baselines import is_system_name

        names = [name for name in dict.fromkeys(answers) if is_system_name(name)]
        systems = dict(zip(names, self.ready(names), strict=True))
        return [systems.get(name, name) for name in answers]

    def experiment(
        self,
        responses: Sequence[Response],
        setting: Sequence[str | Setting],
        metrics: list[str] | None = None,
        scorer: str = "cdec",
    ) -> Experiment:
        """Return the responses on the part; what was irregular in them is also shown."""
        from cdec.evaluation.experiment import prepare

        experiment = prepare(
            self.part,
            list(responses),
            setting=setting,
            metrics=metrics,
            scorer=scorer,
            policy=self.files.policy(),
        )
        self.screen.tell(experiment.notices)
        return experiment

    def lemmas(self) -> pd.Series[str]:
        """Return the lemma of each event mention of the part."""
        from cdec.diagnosis.diagnosis import lemmas_of

        return lemmas_of(self.part, self.systems.nlp, self.screen.bar)

    def _read(self, split: str) -> Corpus:
        from cdec.api import read_part
        from cdec.audit.patches.model import read_patch
        from cdec.corpus.store.locate import locate

        located = locate(self.corpus.corpus)
        if located.notice:
            self.screen.tell([located.notice])
        with self.screen.progress("reading the corpus") as tick:
            patch = read_patch(self.key_patch) if self.key_patch else None
            return read_part(located, split, tick, patch)
