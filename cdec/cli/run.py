"""One call of a command: what its groups of options name, made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli.learning import fit_or_load
from cdec.cli.options import CorpusOptions, FileOptions, PartOptions, SystemOptions
from cdec.cli.progress import progress
from cdec.cli.targets import QuietOptions

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
        return self._read(self.split) if self.split != "all" else self.whole

    @property
    def split(self) -> str:
        """``[SPLIT/]PART``."""
        return self.corpus.split if isinstance(self.corpus, PartOptions) else "all"

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
        """Return the systems with these names; those that learn are fitted, or loaded.

        They learn from train and dev of the split of the part.
        """
        made, options = self.make(names), self.systems
        choice, quiet = self.corpus.corpus, self.screen.quiet
        return fit_or_load(made, choice, self.split, self.part, quiet, options.model, options.jobs)

    def responses(self, answers: list[str]) -> list[Response]:
        """Return the systems and response files that ``answers`` name, in their order."""
        from cdec.baselines import is_system_name
        from cdec.evaluation.response import ResponseFile

        names = [name for name in dict.fromkeys(answers) if is_system_name(name)]
        systems = dict(zip(names, self.ready(names), strict=True))
        return [systems[name] if name in systems else ResponseFile.parse(name) for name in answers]

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
            self.screen.say(located.notice)
        with progress("reading the corpus", self.screen.quiet) as tick:
            patch = read_patch(self.key_patch) if self.key_patch else None
            return read_part(located, split, tick, patch)
