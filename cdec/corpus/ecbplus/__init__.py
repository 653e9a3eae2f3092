"""Reader for ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from __future__ import annotations

import re
from typing import Any

from cdec.corpus.adapter import Adapter
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ENTITY, EVENT
from cdec.corpus.source import Source
from cdec.rooms import imported

LAYOUT = LAYOUTS["ecbplus"]
ARCHIVE, REVIEWED = LAYOUT.archive, LAYOUT.reviewed
FILE_NAME = re.compile(r"(?P<topic>[^_/]+)_(?P<number>\d+)(?P<suffix>\D\w*)\.xml")
# The added half of the documents; their sentence 0 is the page's URL.
ADDED_HALF = "ecbplus"

CROSS_DOC, INTRA_DOC = "CROSS_DOC_COREF", "INTRA_DOC_COREF"
RELATIONS = {CROSS_DOC: "cross_doc", INTRA_DOC: "intra_doc"}
UNKNOWN_INSTANCE = "UNKNOWN_INSTANCE_TAG"

_EVENT_TAGS = ("ACTION_", "NEG_ACTION_")
_ACTIONS = ("OCCURRENCE", "STATE", "REPORTING", "PERCEPTION", "ASPECTUAL", "CAUSATIVE", "GENERIC")
# README of the release: 30 tags. A markable with another tag is kept and counted.
TAGS = {
    *(f"{sign}ACTION_{name}" for sign in ("", "NEG_") for name in _ACTIONS),
    *(f"HUMAN_PART_{name}" for name in ("PER", "ORG", "GPE", "FAC", "VEH", "MET", "GENERIC")),
    *("NON_HUMAN_PART", "NON_HUMAN_PART_GENERIC", "LOC_GEO", "LOC_FAC", "LOC_OTHER"),
    *("TIME_DATE", "TIME_OF_THE_DAY", "TIME_DURATION", "TIME_REPETITION"),
}
# Kinds of argument by the prefix of their tags (annotation guidelines).
ARGUMENT_KINDS = {
    "HUMAN_": "participant",
    "NON_HUMAN_": "participant",
    "TIME_": "time",
    "LOC_": "location",
}


def kind_of(tag: str) -> str:
    """Return the kind of a markable with this tag: an event (an action) or an entity."""
    return EVENT if tag.startswith(_EVENT_TAGS) else ENTITY


def is_ecbplus(source: Source) -> bool:
    """Return whether any file has a name in the pattern of ECB+."""
    return any(FILE_NAME.fullmatch(name.rpartition("/")[2]) for name in source.files)


# A cached corpus is loaded without the reader of the files.
def _build(*given: Any) -> Any:
    return imported("cdec.corpus.ecbplus.assemble:build")(*given)


def _inspect(*given: Any) -> Any:
    return imported("cdec.corpus.ecbplus.assemble:inspect")(*given)


ADAPTER = Adapter(
    LAYOUT,
    sniff=is_ecbplus,
    build=_build,
    schema="2",
    splits=("ycf", "cybulska"),
    argument_kinds=ARGUMENT_KINDS,
    inspect=_inspect,
)
