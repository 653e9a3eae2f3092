"""The response of one system, matched with the key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from cdec.clustering import Clustering
from cdec.metadocument import TALLIES, MetaDocuments
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
    """

    system: str
    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    origins: tuple[Origin, ...] = ()
    group: str = ""

    def meta_documents(self, setting: Setting) -> MetaDocuments:
        """Return key and response as meta-documents under ``setting``."""
        return build(setting, self.mentions, self.key, self.response)

    @property
    def signed(self) -> dict[str, Any]:
        """The fields of the signature: ``about``, and whether the mentions are those of the key.

        A response has gold mentions if the key has all of its mentions.
        """
        gold = self.response.labels.index.isin(self.key.labels.index).all()
        return {"mentions": "gold" if gold else "predicted", **self.about}


def with_mention_metrics(runs: Iterable[SystemRun]) -> tuple[str, ...] | None:
    """Return all metrics and those on mentions; None, the usual metrics, if these say nothing.

    They do if key and response of a run have different mentions. MOR and the score of zeros need
    the tokens of all mentions.
    """
    if not any(map(_differs, runs := list(runs))):
        return None
    tables = [run.mentions for run in runs]
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
    return len(key) != len(response) or not key.isin(response).all()
