"""Published systems as responses: ``leaderboard:NAME[@TASK][/RUN]`` instead of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, UsageError, one_of, spelled
from cdec.evaluation.response import Response, Scheme
from cdec.formats import Annotation
from cdec.leaderboards.board import Leaderboard, board_of_cdec
from cdec.leaderboards.entry import Answer
from cdec.leaderboards.rules import Task
from cdec.leaderboards.submission import Submission
from cdec.leaderboards.table import jobs_of, results_of, signatures_of
from cdec.signature import Signature

# The fields of a signature that say which key is scored.
_OF_KEY = ("digest", "kind", "key_variant")


@dataclass(frozen=True)
class PublishedResponse(Scheme):
    """The responses of a published system, to the task that has the corpus which is scored.

    ``task`` and ``run`` choose among them, '' means all: several runs are scored as their mean.

    >>> PublishedResponse.parse("cattan-ecbp-predicted@ecb+/0").run
    '0'
    """

    system: str
    task: str = ""
    run: str = ""
    board: Leaderboard = field(default_factory=board_of_cdec, repr=False)

    @classmethod
    def parse(cls, text: str) -> PublishedResponse:
        """Return the responses that ``NAME[@TASK][/RUN]`` names. Raises UnknownNameError."""
        before, _, run = text.partition("/")
        name, _, task = before.partition("@")
        system = one_of("published system", name, board_of_cdec().submissions)
        whole = cls(system, system)
        if "@" in before:
            one_of("task", task, whole.tasks)
        if "/" in text:
            tasks = [task] if task else whole.tasks
            one_of("run", run, [label for _, label, _ in whole._runs_on(tasks)])
        return cls(f"{system}/{run}" if run else system, system, task, run)

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the published systems."""
        return [*board_of_cdec().submissions]

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that it has responses to, of the chosen task and run."""
        tasks = [self.task] if self.task else self._submission.answers
        return [task for task in tasks if self._runs(task)]

    @property
    def _submission(self) -> Submission:
        return self.board.submissions[self.system]

    @property
    def family(self) -> str:
        """The family of the system: its architecture."""
        return self._submission.family

    def on(self, corpus: Corpus, unknown: str = "error") -> Response:
        """Return the responses to a corpus: those of the task with its documents and key.

        Raises ScoringError for a corpus, split or reading of the key that no task has, and for
        responses that are missing, changed, or can be matched with their own key only.
        """
        tasks = [task for task in self.tasks if self._is_of(task, corpus)]
        return self._to(corpus, tasks[:1])

    def covers(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the parts of its tasks on a corpus."""
        return tuple(
            self.board.tasks[task].split for task in self._tasks_on_parts(corpus)
        )

    def within(self, corpus: Corpus) -> Response:
        """Return the responses to a corpus and to parts of it. Raises ScoringError as ``on``."""
        return self._to(corpus, self._tasks_on_parts(corpus))

    def file(self) -> Annotation:
        """Return the only file. Raises UsageError if there are several, ScoringError as ``on``."""
        runs = self._runs_on(self.tasks)
        task, run, answer = runs[0]
        if len(runs) > 1:
            raise UsageError(
                "argument-invalid",
                f"'{self.system}' has several responses, expected one",
                hint=f"name task and run, as in leaderboard:{self.system}@{task}/{run}",
            )
        response = self._response(run, answer)
        return response if isinstance(response, Annotation) else response.file()

    def _runs(self, task: str) -> dict[str, Answer]:
        """Return the label of a run, its seed or number, → its response to a task."""
        answers = self._submission.answers.get(task, ())
        labels = [str(answer.seed) for answer in answers]
        has_seeds = all(answer.seed is not None for answer in answers)
        if not has_seeds or len({*labels}) < len(labels):
            labels = [str(number) for number in range(1, len(answers) + 1)]
        labelled = zip(labels, answers, strict=True)
        return {label: answer for label, answer in labelled if self.run in ("", label)}

    def _runs_on(self, tasks: Sequence[str]) -> list[tuple[str, str, Answer]]:
        """Return the runs on tasks: the task, the label of the run, its response."""
        return [
            (task, label, answer)
            for task in tasks
            for label, answer in self._runs(task).items()
        ]

    def _tasks_on_parts(self, corpus: Corpus) -> list[str]:
        return [task for task in self.tasks if self._is_of(task, corpus, any_part=True)]

    def _is_of(self, task: str, corpus: Corpus, *, any_part: bool = False) -> bool:
        """Return whether a task is about this corpus and key, and about this or any part of it."""
        if any(
            answer.key for answer in self._runs(task).values()
        ):  # its results are of that key
            rules = self.board.tasks[task]
            return corpus.name.lower() == rules.corpus and rules.variant in (
                None,
                corpus.variant,
            )
        fields = [*_OF_KEY]
        if not any_part:
            fields.append("split")
            # The digest of a part covers its mentions, some of which a patch adds or removes.
            if "key_patch" not in corpus.correction:
                fields.append("split_digest")
        signature = _signatures(self.board)[task, self.system].fields
        return all(corpus.about.get(name) == signature.get(name) for name in fields)

    def _to(self, corpus: Corpus, tasks: Sequence[str]) -> Response:
        """Return the responses to tasks. Raises ScoringError if there is no task."""
        if not tasks:
            calls = [_call(self.board.tasks[name]) for name in self.tasks]
            raise ScoringError(
                "input-mismatch",
                f"no response to {corpus.name} ({corpus.part}), or to this reading of its key",
                place=f"leaderboard:{self.name}",
                hint=f"it has responses to: {'; '.join(calls)}",
            )
        runs = self._runs_on(tasks)
        for task, run, answer in runs:
            if answer.key:
                place = f"leaderboard:{self.system}@{task}/{run}"
                raise ScoringError(
                    "input-mismatch",
                    "its mentions are numbers, which only the key of its authors explains",
                    place=place,
                    hint=f"use `cdec score {self.board.root / answer.key} {place} --scope corpus`",
                )
        responses = [(run, self._response(run, answer)) for _, run, answer in runs]
        return Response.of(self.name, responses)

    def _response(self, run: str, answer: Answer) -> Annotation | Scheme:
        return answer.response(
            self._submission.file(answer.path, answer.digest), f"{self.name}/{run}"
        )


def _call(task: Task) -> str:
    """Return the options that choose the part of a task."""
    variant = f":{task.variant}" if task.variant else ""
    return (
        f"{spelled('choice', f'{task.corpus}{variant}')} {spelled('split', task.split)}"
    )


@cache  # the board of cdec does not change while the program runs
def _signatures(board: Leaderboard) -> dict[tuple[str, str], Signature]:
    rows = results_of(board).drop_duplicates(["task", "system"])
    return dict(zip(jobs_of(rows), signatures_of(rows), strict=True))


def published(name: str, *, fetch: bool | str | Path = False) -> PublishedResponse:
    """Return the responses of a published system, for ``cdec.evaluate`` and all that takes them.

    ``name`` is ``NAME[@TASK][/RUN]``, as behind ``leaderboard:`` in the command line; by default
    the task is that of the corpus, and several runs are scored as their mean. The files must have
    been fetched by `cdec leaderboard fetch`; ``fetch=True`` downloads them first, if they are not
    there, and a path takes them from a folder with the archives. Raises UnknownNameError, and
    CorpusError if they cannot be downloaded.

    >>> published("barhom-2019-kmeans").family
    'barhom-2019'
    """
    response = PublishedResponse.parse(name)
    if fetch:
        from cdec.leaderboards.fetch import fetch_responses  # noqa: PLC0415 (slow: requests)

        source = None if fetch is True else Path(fetch)
        for _ in fetch_responses(board_of_cdec(), [response.system], source):
            pass
    return response
