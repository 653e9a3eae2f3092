"""The response of one system, matched with the key, and the metrics that it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from cdec.arrays import found
from cdec.clustering import Clustering
from cdec.metadocument import TALLIES, UNKNOWN_WORDS, MetaDocuments, WordCounts
from cdec.metrics import ALL
from cdec.notices import Notice
from cdec.plugins import Origin
from cdec.settings import Setting, build


@dataclass(frozen=True, eq=False)
class SystemRun:
    """The response of a system and its key, with one table of mentions.

    ``mentions`` has a row for each mention of both sides, in text order, with ``doc`` and, if
    there is a corpus, ``topic`` and ``subtopic``. ``about`` are the fields of the signature on the
    system, ``notices`` the irregularities of the response, ``origins`` the packages other than
    cdec whose code made it. ``group`` is the name of the system if this is one of its several runs.
    ``words`` has the counts on the words of the mentions, made when a metric asks for them.
    """

    system: str
    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    origins: tuple[Origin, ...] = ()
    group: str = ""
    words: WordCounts = UNKNOWN_WORDS

    def meta_documents(self, setting: Setting) -> MetaDocuments:
        """Return key and response as meta-documents under ``setting``."""
        return build(setting, self.mentions, self.key, self.response, self.words)

    @property
    def signed(self) -> dict[str, Any]:
        """The fields of the signature: ``about``, and whether the mentions are those of the key.

        A response has gold mentions if the key has all of its mentions.
        """
        gold = found(self.response.labels.index, self.key.labels.index).all()
        return {"mentions": "gold" if gold else "predicted", **self.about}


def default_metrics(runs: Sequence[SystemRun]) -> tuple[str, ...] | None:
    """Return the metrics on chains and on mentions; None, all on chains, if mentions are the same.

    Those on mentions are shown if key and response of a run have different mentions, ``mor`` if the
    tokens of all mentions are known, ``zeros`` if there are any.
    """
    if not any(map(_differs, runs)):
        return None
    tables = [run.words.columns for run in runs]
    tallied = (
        name
        for name in TALLIES
        if all(f"{name}.p_num" in table for table in tables)
        and any(table[[f"{name}.r_den", f"{name}.p_den"]].any(axis=None) for table in tables)
    )
    return (*ALL, "mentions", *tallied)


def _differs(run: SystemRun) -> bool:
    """Return whether key and response have different mentions."""
    key, response = run.key.labels.index, run.response.labels.index
    return len(key) != len(response) or not found(key, response).all()
