"""Published systems as responses: ``leaderboard:NAME[@TASK][/RUN]`` instead of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, UsageError, one_of
from cdec.evaluation.response import Named, ResponseFile, Source
from cdec.leaderboards.board import Answer, Leaderboard, SystemEntry, Task, board_of_cdec
from cdec.settings import Setting

# The fields of a signature that say which mentions are scored; a patch of the key may correct them.
_SAME = ("digest", "split", "split_digest", "kind", "key_variant")


@dataclass(frozen=True)
class PublishedResponse(Source):
    """The responses of a published system, to the task that has the corpus which is scored.

    ``task`` and ``run`` choose among them, '' means all: several runs are scored as their mean.
    ``board`` is the leaderboard that has them.

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
        system = one_of("published system", name, board_of_cdec().systems)
        whole = cls(system, system)
        tasks = [one_of("task", task, whole.tasks)] if "@" in before else whole.tasks
        if "/" in text:
            one_of("run", run, dict.fromkeys(run for t in tasks for run in whole._answers(t)))
        return cls(f"{system}/{run}" if run else system, system, task, run)

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the published systems."""
        return [*board_of_cdec().systems]

    @property
    def entry(self) -> SystemEntry:
        """The system: title, paper, licence, the gold information that it uses."""
        return self.board.systems[self.system]

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that it has responses to, of the chosen task and run."""
        tasks = dict.fromkeys(answer.task for answer in self.entry.responses)
        return [t for t in tasks if self.task in ("", t) and self._answers(t)]

    def on(self, corpus: Corpus, settings: Sequence[Setting] = ()) -> Named:
        """Return the responses to a corpus: those of the task with its documents and key.

        Raises ScoringError for a corpus, split or reading of the key that no task has, and for
        responses that are missing, changed, or can be matched with their own key only.
        """
        task = next((task for task in self.tasks if self._is_of(task, corpus)), None)
        if task is None:
            raise self._mismatch(corpus)
        return Named(self.name, self.responses(task))

    def covers(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the parts of its tasks on a corpus."""
        return tuple(self.board.tasks[task].split for task in self._tasks_within(corpus))

    def within(self, corpus: Corpus) -> Named:
        """Return the responses to a corpus and to parts of it. Raises ScoringError as ``on``."""
        tasks = self._tasks_within(corpus)
        if not tasks:
            raise self._mismatch(corpus)
        return Named(self.name, [one for task in tasks for one in self.responses(task)])

    @property
    def family(self) -> str:
        """The family of the system: its architecture."""
        return self.entry.family

    def responses(self, task: str) -> list[ResponseFile | Source]:
        """Return the responses to a task. Raises ScoringError as ``on`` does."""
        answers = self._answers(task)
        for label, answer in answers.items():
            self._refuse_numbers(task, label, answer)
        return [self._response(label, answer) for label, answer in answers.items()]

    def file(self) -> ResponseFile:
        """Return the only file. Raises UsageError if there are several, ScoringError as ``on``."""
        several = [(t, label, a) for t in self.tasks for label, a in self._answers(t).items()]
        if len(several) > 1:
            task, label, _ = several[0]
            message = f"'{self.system}' has several responses, expected one"
            hint = f"name task and run, as in leaderboard:{self.system}@{task}/{label}"
            raise UsageError("argument-invalid", message, hint=hint)
        ((_, label, answer),) = several
        response = self._response(label, answer)
        file = response if isinstance(response, ResponseFile) else response.file()
        return replace(file, name=self.name)

    def _answers(self, task: str) -> dict[str, Answer]:
        """Return the label of a run, its seed or number, → its response to a task."""
        answers = self.entry.answers(task)
        seeds = {answer.seed for answer in answers}
        seeded = None not in seeds and len(seeds) == len(answers)
        labelled = {str(a.seed if seeded else n): a for n, a in enumerate(answers, start=1)}
        return {label: a for label, a in labelled.items() if self.run in ("", label)}

    def _is_of(self, task: str, corpus: Corpus, same_fields: Sequence[str] = _SAME) -> bool:
        """Return whether a task is about this corpus, part and key, as its saved results are."""
        board = self.board
        if any(answer.key for answer in self.entry.answers(task)):  # its results are of that key
            named = board.tasks[task]
            return corpus.name.lower() == named.corpus and named.variant in (None, corpus.variant)
        fields = board.table.signature(task, self.system).fields
        patched = "key_patch" in corpus.correction
        # The digest of a part covers its mentions, some of which a patch adds or removes.
        names = [name for name in same_fields if not (patched and name == "split_digest")]
        return all(corpus.about.get(name) == fields.get(name) for name in names)

    def _tasks_within(self, corpus: Corpus) -> list[str]:
        whole = tuple(name for name in _SAME if not name.startswith("split"))
        return [task for task in self.tasks if self._is_of(task, corpus, whole)]

    def _mismatch(self, corpus: Corpus) -> ScoringError:
        message = f"no response to {corpus.name} ({corpus.part}), or to this reading of its key"
        tasks = (self.board.tasks[name] for name in self.tasks)
        hint = f"it has responses to: {'; '.join(map(_call, tasks))}"
        return ScoringError("input-mismatch", message, place=f"leaderboard:{self.name}", hint=hint)

    def _refuse_numbers(self, task: str, label: str, answer: Answer) -> None:
        """Raise ScoringError for a response whose mentions are numbers of another key."""
        if answer.key:
            message = "its mentions are numbers, which only the key of its authors explains"
            response = f"leaderboard:{self.system}@{task}/{label}"
            hint = f"use `cdec score {self.board.root / answer.key} {response} --scope corpus`"
            raise ScoringError("input-mismatch", message, place=response, hint=hint)

    def _response(self, label: str, answer: Answer) -> ResponseFile | Source:
        hint = self.board.how_to_get(self.entry)
        path = self.board.checked(answer.path, answer.digest, hint)
        return answer.response(path, f"{self.name}/{label}")


def published(name: str, *, fetch: bool | str | Path = False) -> PublishedResponse:
    """Return the responses of a published system, for ``cdec.evaluate`` and all that takes them.

    ``name`` is ``NAME[@TASK][/RUN]``, as behind ``leaderboard:`` in the command line; by default
    the task is that of the corpus, and several runs are scored as their mean. The files must have
    been fetched by `cdec leaderboard fetch`; ``fetch=True`` downloads them first, if they are not
    there, and a path takes them from a folder with the archives. Raises UnknownNameError, and
    CorpusError if they cannot be downloaded.

    >>> published("barhom-2019-kmeans").entry.title
    'Barhom et al. 2019 (re-run), kmeans clusters'
    """
    response = PublishedResponse.parse(name)
    if fetch:
        from cdec.leaderboards.fetch import fetch_responses  # noqa: PLC0415 (slow: requests)

        source = None if fetch is True else Path(fetch)
        for _ in fetch_responses(board_of_cdec(), [response.system], source=source):
            pass
    return response


def _call(task: Task) -> str:
    variant = f":{task.variant}" if task.variant else ""
    return f"--corpus {task.corpus}{variant} --split {task.split}"
