"""The tables that make up a diagnosis of one system or of a pair."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.edits import edit_table, mention_table
from cdec.diagnosis.links import link_table
from cdec.diagnosis.mentions import Mentions
from cdec.diagnosis.side_by_side import Example, JointMentions, agreement, examples
from cdec.diagnosis.strata import lemma_table, singleton_table, size_table, topic_table
from cdec.diagnosis.worst import WorstChain, worst_chains
from cdec.evaluation.response import SystemRun
from cdec.io.progress import Progress, silent
from cdec.language import heads
from cdec.settings import Setting


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The tables for one system under one setting; their modules document the columns."""

    system: str
    setting: Setting
    links: pd.DataFrame = field(repr=False)
    edits: pd.DataFrame = field(repr=False)
    mentions: pd.DataFrame = field(repr=False)
    sizes: pd.DataFrame = field(repr=False)
    singletons: pd.DataFrame = field(repr=False)
    topics: pd.DataFrame = field(repr=False)
    lemmas: pd.DataFrame = field(repr=False)
    worst: tuple[WorstChain, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two systems under one setting: links by system, and examples."""

    a: str
    b: str
    setting: Setting
    links: pd.DataFrame = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)


def lemmas_of(corpus: Corpus, pipeline: str, progress: Progress = silent) -> pd.Series[str]:
    """Return mention id → lemma of the head; raises LanguageError as ``heads`` does."""
    return heads(corpus, pipeline, progress)["lemma"]


def diagnose(
    run: SystemRun, setting: Setting, corpus: Corpus, lemmas: pd.Series[str], top: int = 5
) -> Diagnosis:
    """Return the diagnosis of a system, with the ``top`` worst chains of each side.

    ``lemmas`` maps mention id → lemma. Raises UsageError if the mentions have no topics.
    """
    mentions = Mentions.from_run(run, setting, lemmas)
    return Diagnosis(
        system=run.system,
        setting=setting,
        links=link_table(mentions),
        edits=edit_table(mentions),
        mentions=mention_table(mentions),
        sizes=size_table(mentions),
        singletons=singleton_table(mentions),
        topics=topic_table(mentions, run.mentions["topic"]),
        lemmas=lemma_table(mentions, lemmas),
        worst=(
            *worst_chains(mentions, run, corpus, "response", top),
            *worst_chains(mentions, run, corpus, "key", top),
        ),
    )


def side_by_side(
    runs: tuple[SystemRun, SystemRun],
    setting: Setting,
    corpus: Corpus,
    lemmas: pd.Series[str],
    top: int = 2,
) -> SideBySide:
    """Return the links that two systems share or do not share, with ``top`` examples of each kind.

    Raises UsageError as ``diagnose`` does.
    """
    joint = JointMentions.from_runs(runs, setting, lemmas)
    return SideBySide(
        a=runs[0].system,
        b=runs[1].system,
        setting=setting,
        links=agreement(joint),
        examples=examples(joint, runs, corpus, top),
    )
