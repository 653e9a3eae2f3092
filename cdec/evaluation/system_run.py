"""The response of one system, matched with the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from cdec.arrays import found
from cdec.clustering import Clustering
from cdec.metadocument import UNKNOWN_WORDS, MetaDocuments, WordCounts
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
