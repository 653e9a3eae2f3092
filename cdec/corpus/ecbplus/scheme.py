"""Names in ECB+: files, tags of markables, kinds of relation."""

from __future__ import annotations

from cdec.corpus.model import ENTITY, EVENT
from cdec.corpus.source import Layout

ARCHIVE = "ECB+.zip"
REVIEWED = "ECBplus_coreference_sentences.csv"
LAYOUT = Layout(
    name="ecbplus",
    title="ECB+",
    patterns=("*/*.xml",),
    expected="<topic>/<topic>_<number>ecb.xml, as in the release",
    release="ECB+ 1.0",
    folder="ECB+",
    archive=ARCHIVE,
    reviewed=REVIEWED,
)
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
