"""The declaration of a system on a board: where it comes from, what it uses, its responses.

It is the file ``systems/NAME.toml``, which a stranger may have written: nothing in it is true
because it says so. ``cdec.leaderboards.submission`` checks it against the board.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import tomli_w
from pydantic import AfterValidator, Field, model_validator

from cdec import formats
from cdec.catalogue import added, imported
from cdec.errors import FormatError, one_of
from cdec.evaluation.response import SCHEMES, Scheme
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Filled, Schema, complaint
from cdec.files.models import one_of as one_name_of
from cdec.formats import Annotation
from cdec.leaderboards.declaration import (
    Digest,
    RunDeclaration,
    Several,
    Training,
    refuse_unprintable,
)
from cdec.leaderboards.paths import InnerPath
from cdec.metrics import REGISTRY
from cdec.settings import SETTINGS

PAIRS = "pairs"  # the scheme of responses that has chains of pair scores
SYSTEM_KIND = FileKind(
    "a system of a leaderboard",
    FormatError,
    "file-invalid",
    "see docs/leaderboard.md",
    LARGEST_TOML,
)
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+._-]{0,79}$")]
Line = Annotated[Filled, AfterValidator(refuse_unprintable)]
"""A text that pages show: it has no line end, escape or sign that turns the direction of text."""
_AtCommit = Annotated[Line, Field(pattern=r"^https://\S+/[0-9a-f]{40}/\S+$")]
_LARGEST_SEED = 2**63 - 1
_SettingName = Annotated[Line, one_name_of(SETTINGS)]
_MetricName = Annotated[Line, one_name_of(REGISTRY)]


class Answer(RunDeclaration):
    """A response: its task, its path under ``responses``, its SHA-256, the seed of the run.

    ``key``: the path of a key file to score against, for a response whose mentions are numbers that
    only this key explains; the maintainer of the board has written its SHA-256 into the task.
    ``pairs``: how the pair scores in the file become chains, as behind @ in
    ``pairs:FILE@0.5/closure``. The declaration of a run goes before that of its system.
    """

    task: Name
    path: InnerPath
    digest: Digest
    seed: Annotated[int, Field(ge=-_LARGEST_SEED, le=_LARGEST_SEED)] | None = None
    key: InnerPath | None = None
    pairs: Annotated[str, Field(pattern=r"^[^@\s]*$")] | None = None

    @model_validator(mode="after")
    def _refuse_pairs_beside_a_key(self) -> Answer:
        if self.key is not None and self.pairs is not None:
            raise complaint(
                "has 'key' and 'pairs': pair scores have the mentions of the corpus"
            )
        return self

    def response(self, path: Path, name: str) -> Annotation | Scheme:
        """Return the response in a file: its chains, or those of its pair scores."""
        if self.pairs is None:
            return formats.read(path, unlabelled=True)
        schemes = added(SCHEMES)
        scheme: type[Scheme] = imported(
            schemes[one_of("response scheme", PAIRS, schemes)]
        )
        source = scheme.parse(f"{path}@{self.pairs}")
        # A file beside it could be named as the response with its threshold.
        if getattr(source, "path", "") != str(path):
            raise SYSTEM_KIND.refuse(
                path, f"'{self.pairs}' is not THRESHOLD/CLUSTERING"
            )
        return replace(source, name=name)


class Published(FileModel):
    """A score that a declaration claims to be published: F1 from 0 to 1, the mean of runs, where.

    A page shows it beside the computed score, as a claim.
    """

    task: Name
    f1: Annotated[float, Field(ge=0, le=1)]
    source: Line
    setting: _SettingName = "simple"
    metric: _MetricName = "conll"


class Description(RunDeclaration, Training):
    """A description of a system: where it comes from, what it uses, what its runs took.

    ``family`` names the architecture: systems of one family are not independent evidence. It is a
    proposal: the board decides. ``people``: annotators, who are shown beside the systems. Responses
    that are neither in the folder nor in an archive are made, as ``recipe`` says, from the public
    files in ``made_from``: their addresses at a commit.
    """

    title: Line = ""
    family: Line = ""
    paper: Line | None = None
    year: Annotated[int, Field(ge=1, le=9999)] | None = None
    url: Line | None = None
    licence: Line | None = None
    people: bool = False
    note: Line | None = None
    recipe: Line | None = None
    made_from: Several[_AtCommit] | None = None
    published: Several[Published] = ()

    @model_validator(mode="after")
    def _refuse_two_published_scores_of_a_cell(self) -> Description:
        cells = Counter(
            (score.task, score.setting, score.metric) for score in self.published
        )
        for cell, count in cells.items():
            if count > 1:
                raise complaint(
                    f"has {count} published scores of one cell: {', '.join(cell)}"
                )
        return self


class SystemEntry(Description):
    """A system, and its responses; ``copied``: these are in the folder."""

    name: Name
    title: Line
    family: Line
    copied: bool = True
    responses: Several[Answer] = ()

    @model_validator(mode="after")
    def _refuse_contradicting_runs(self) -> SystemEntry:
        for answer in self.responses:
            self.run(answer).refuse_contradictions()
        return self

    def run(self, answer: Answer) -> SystemEntry:
        """Return the system with the declaration of one of its runs."""
        return self.model_copy(update=answer.model_dump(exclude_none=True))


SYSTEM = Schema(SYSTEM_KIND, SystemEntry, "cdec-leaderboard-system/1")
DESCRIPTION = Schema(SYSTEM_KIND, Description, SYSTEM.format, since=1)


def system_toml(entry: SystemEntry) -> str:
    """Return the TOML of a system.

    >>> import tomllib
    >>> entry = SystemEntry(name="x", title="X", family="x")
    >>> SYSTEM.check(tomllib.loads(system_toml(entry)), "x.toml") == entry
    True
    """
    fields = entry.model_dump(exclude_none=True)
    filled = {name: value for name, value in fields.items() if value not in ({}, ())}
    return tomli_w.dumps({"format": SYSTEM.format, "name": entry.name, **filled})
