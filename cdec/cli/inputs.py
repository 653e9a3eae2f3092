"""What the options name: a corpus, baselines, configurations, a patch of the key."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli.output import say
from cdec.cli.progress import bar_unless, progress

if TYPE_CHECKING:
    from cdec.baselines.config import Configuration
    from cdec.corpus.model import Corpus
    from cdec.evaluation.experiment import Experiment
    from cdec.system import System


def read_corpus(
    choice: str | None, split: str, quiet: bool, key_patch: Path | None = None
) -> Corpus:
    """Return the part of the corpus that the options name, with notice and progress."""
    from cdec.api import read_part
    from cdec.audit.patches.model import read_patch
    from cdec.corpus.store.locate import locate

    located = locate(choice)
    if located.notice:
        say(located.notice, quiet)
    with progress("reading the corpus", quiet) as tick:
        return read_part(located, split, tick, read_patch(key_patch) if key_patch else None)


def read_configs(paths: list[Path] | None) -> list[Configuration]:
    """Return what the configuration files say."""
    from cdec.baselines.config import read_config

    return [read_config(path) for path in paths or []]


def make_systems(
    names: list[str],
    nlp: str,
    quiet: bool,
    configs: Iterable[Configuration] = (),
    scored: Corpus | None = None,
) -> list[System]:
    """Return the baselines with these names on the language pipeline ``nlp``, as configured.

    ``scored`` is the corpus to run on: a configuration tuned on a part of it is marked.
    """
    from cdec.baselines.config import make_systems

    shown = bar_unless(quiet)
    return make_systems(dict.fromkeys(names), configs, scored, pipeline=nlp, progress=shown)


def with_key_patch(experiment: Experiment, path: Path | None) -> Experiment:
    """Return the experiment, with the key corrected where the option names a patch."""
    if path is None:
        return experiment
    from cdec.audit.patches.model import read_patch
    from cdec.audit.patches.rescore import patched

    return patched(experiment, read_patch(path))
