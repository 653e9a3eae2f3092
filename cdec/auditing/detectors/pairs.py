"""Mention pairs whose label the key has against the evidence: four detectors.

``systems``: a pair of chains without a common word is compared by no other detector. If at least
half of the systems link it, it is a row like the others, whose other columns are missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from scipy.special import expit

from cdec.auditing.evidence import COMPANIONS, HELD_OUT, LINKS, MEMBERS, SVM, Evidence
from cdec.auditing.readers import MAJORITY
from cdec.auditing.suspects import Flag, detector
from cdec.errors import counted

SYSTEMS = "systems"
_HELD_OUT = {
    LINKS: 0.3,
    MEMBERS: 0.5,
}  # smallest probabilities of a missing link, a wrong member
_SIGN = {LINKS: 2, MEMBERS: -2}  # a margin times this: the log-odds of an error
_LEAST = 2  # smallest number of companions
_OF_SVM = {
    LINKS: "their features suggest a link (SVM anchor {:.2f})",
    MEMBERS: "its features suggest no link to any member of its chain "
    "(SVM anchor of the most similar one {:.2f})",
}
_OF_HELD_OUT = {
    LINKS: "a classifier trained on other topics gives a link a probability of {:.0%}",
    MEMBERS: "a classifier trained on other topics links it to no member of its chain "
    "(probability of a link {:.0%})",
}
_OF_SYSTEMS = {
    LINKS: "{} of {} linked at least half of the mention pairs of these chains",
    MEMBERS: "{} of {} linked it to no member of its chain",
}


@detector(SVM)
def svm(evidence: Evidence) -> Iterator[Flag]:
    """Flag a row if the anchor of its strongest pair exceeds δ (Goldberg & Elhadad 2007)."""
    for table, rows in evidence.tables.items():
        flagged = rows.loc[rows["anchor"] > evidence.delta, ["anchor", SVM]]
        for row, anchor, margin in flagged.itertuples():
            p = expit(_SIGN[table] * margin)
            yield Flag(table, row, p, _OF_SVM[table].format(anchor))


@detector(HELD_OUT)
def held_out(evidence: Evidence) -> Iterator[Flag]:
    """Flag a row if a classifier that was trained on the other topics contradicts the key."""
    if HELD_OUT not in evidence.margins:
        raise evidence.unfit(
            "there are too few topics or links to train the classifier"
        )
    for table, rows in evidence.tables.items():
        for row, margin in rows[[HELD_OUT]].itertuples():
            p = expit(_SIGN[table] * margin)
            if p > _HELD_OUT[table]:
                reason = _OF_HELD_OUT[table].format(expit(2 * margin))
                yield Flag(table, row, p, reason)


@detector(COMPANIONS)
def companions(evidence: Evidence) -> Iterator[Flag]:
    """Flag a link between two sentences with two other linked or almost linked pairs."""
    counts = evidence.tables[LINKS][[COMPANIONS]].dropna().astype(int)
    for row, count in counts[counts[COMPANIONS] >= _LEAST].itertuples():
        pairs = f"{count} other mention pairs of these two sentences"
        reason = f"{pairs} are linked or almost linked"
        yield Flag(LINKS, row, count / (count + 1), reason)


@detector(SYSTEMS)
def systems(evidence: Evidence) -> Iterator[Flag]:
    """Flag chains that half of the systems link, and members that most take out."""
    for table, rows in evidence.tables.items() if evidence.readers else ():
        votes = rows[["share", "agree", "of"]]
        for row, share, agree, of in votes.itertuples():
            if share > MAJORITY or (share == MAJORITY and table == LINKS):
                reason = _OF_SYSTEMS[table].format(agree, counted(of, "response"))
                yield Flag(table, row, share, reason)
