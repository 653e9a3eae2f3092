"""What a reproduction is made from: the answers on the paper's test part, scored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cdec.corpus.model import Corpus
from cdec.evaluation.experiment import Experiment, Result, Task
from cdec.evaluation.response import Response, ResponseFile, SystemRun, check_distinct, run_on
from cdec.notices import Notice
from cdec.reproduction.printed import paper
from cdec.reproduction.ranking import STRICT_TO_LENIENT
from cdec.system import System, is_learner


@dataclass(frozen=True, eq=False)
class Material:
    """Answers on one part of a corpus, and their scores under the six settings.

    ``parts`` are the corpus's train, dev and test, for Table 1; ``notices`` say what was irregular
    in response files.
    """

    corpus: Corpus
    answers: tuple[SystemRun, ...]
    parts: Mapping[str, Corpus]
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_responses(
        cls,
        parts: Mapping[str, Corpus],
        responses: Sequence[System | ResponseFile],
    ) -> Material:
        """Run or read the responses on the part ``test``, systems fitted to train and dev.

        Raises as ``run_on`` does.
        """
        check_distinct(responses)
        test = parts["test"]
        matched = [run_on(test, _fitted(response, parts)) for response in responses]
        answers = tuple(answer for answer, _ in matched)
        notices = tuple(notice for _, found in matched for notice in found)
        return cls(test, answers, parts, notices)

    @property
    def is_printed(self) -> bool:
        """Whether the paper's tables speak of this part of this corpus."""
        return paper().is_about(self.corpus.name, self.corpus.part)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """Every answer under every setting."""
        task = Task(self.corpus.name, self.corpus.part, self.corpus.about)
        return Experiment(task, self.answers, STRICT_TO_LENIENT).results()

    def under(self, settings: Iterable[str]) -> tuple[Result, ...]:
        """Return the results under some settings, in the order of ``settings``."""
        return tuple(r for name in settings for r in self.results if r.setting.name == name)

    def answer(self, system: str) -> SystemRun | None:
        """Return the answer of this name, if there is one."""
        return next((a for a in self.answers if a.system == system), None)


def _fitted(response: System | ResponseFile, parts: Mapping[str, Corpus]) -> Response:
    return response.fit(parts["train"], parts["dev"]) if is_learner(response) else response
