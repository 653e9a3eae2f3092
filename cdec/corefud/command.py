"""The options that CorefUD adds: shared tasks to score, and files to convert."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.catalogue import added
from cdec.cli.command import given, listed, option, refuse, require
from cdec.configs import read_toml
from cdec.errors import UsageError, one_of, warn_of

if TYPE_CHECKING:
    from cdec.cli.options import Chains
    from cdec.matching.policy import FilePolicy
    from cdec.render import Page

# Name → ``policy``, its choices, and ``metrics``, which the shared task reports.
PRESETS = read_toml("presets.toml")


@dataclass
class SharedTask:
    """The choices of a shared task, and its data sets."""

    preset: str | None = option(
        "--preset NAME",
        f"The choices of a shared task: {listed(PRESETS)}. They are --match, --singletons, "
        "--zeros, --repeats, --unknown, the rule of BLANC and the metrics; options in the call "
        "override them.",
        default=None,
    )
    pair: list[str] | None = option(
        "--pair SET=KEY:FILE",
        "A data set with its key and a response, as SET=KEY:[SYSTEM=]FILE (repeatable): systems "
        "are ranked by the mean over the data sets; one without a response counts 0.",
        default=None,
    )
    zeros: str | None = option(
        "--zeros linear|dependent",
        "How zeros (mentions headed by an empty node) of two CoNLL-U files are aligned: by their "
        "place among the words (the default), or first by their parents and relations.",
        default=None,
        rare=True,
    )

    repeats: str | None = option(
        "--repeats first|conll",
        "A mention in several chains of the key: the first counts (the default), or it counts in "
        "each, as in the CoNLL reference scorer.",
        default=None,
        rare=True,
    )

    @property
    def scope(self) -> str | None:
        """The scope of a shared task; None without one."""
        return "document" if self.preset else None

    def choices(
        self, policy: FilePolicy, metrics: list[str] | None
    ) -> tuple[FilePolicy, list[str] | None]:
        """Return policy and metrics of the call; where it has none, those of the preset."""
        policy = replace(
            policy, zeros=self.zeros or "linear", repeats=self.repeats or "first"
        )
        if self.preset is None:
            return policy, metrics
        preset = PRESETS[one_of("preset", self.preset, PRESETS)]
        choices = preset["policy"].items()
        # FilePolicy checks the names and the values.
        changes = {name: value for name, value in choices if not given(name)}
        return replace(policy, **changes), metrics or preset["metrics"]

    def page(
        self,
        scope: str | None,
        metrics: list[str] | None,
        policy: FilePolicy,
        **call: object,
    ) -> Page | None:
        """Return the page of the data sets; None if the call names none."""
        if not self.pair:
            return None
        refuse(
            "--pair",
            "key",
            "response",
            "by",
            "scorer",
            "setting",
            "topics",
            "ci",
            "resamples",
            "seed",
        )
        from cdec.corefud.datasets import score_datasets

        page, notices = score_datasets(
            self.pair,
            scope=scope or "document",
            metrics=metrics,
            policy=policy,
        )
        warn_of(notices)
        return page


@dataclass
class Conversion:
    """A file of mentions and chains, to be written as CoNLL-U or in a format of CRAC."""

    over: Path | None = option(
        "--over FILE",
        "Put the mentions on the text of this CoNLL-U file.",
        default=None,
    )

    def write(self, file: str | None, out: Chains) -> bool:
        """Write the file if --to names such a format, and return whether it does."""
        if out.kind not in added("format"):
            require(
                "--to",
                "over",
                hint="add --to conllu, crac or crac-json, or drop --over",
            )
            return False
        refuse(
            f"--to {out.kind}",
            "setting",
            "response",
            "noise",
            "columns",
            "split",
            "mentions",
            "key_patch",
        )
        if file is None:
            raise UsageError(
                "argument-missing",
                f"--to {out.kind} needs --from",
                hint="name a file of mentions and chains",
            )
        from cdec.corefud.placing import convert_file

        convert_file(file, out.output or "-", out.kind, self.over, out.notify)
        return True
