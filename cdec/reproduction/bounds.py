"""Which PWN a printed PW leaves possible.

With the same n mentions on both sides there are T pairs in all, K of them links of the key; both
follow from the corpus. Let the response make R links, C of them right. Then::

    PW  = 2C / (K + R)                     so R = 2C/PW − K
    PWN = 1 − (K + R − 2C) / (2T − K − R)  which falls as C grows, PW being fixed

C is at least what makes R = C (no wrong link), K PW / (2 − PW). It is at most K (all key links
found), and at most T PW / (2 − PW), where all other pairs are linked wrongly and PWN is 0. These
give the ends of the range.
"""

from __future__ import annotations

from cdec.evaluation.response import SystemRun
from cdec.metrics.scores import score
from cdec.settings import Setting


def possible_pwn(answer: SystemRun, setting: Setting, pw: float) -> tuple[float, float]:
    """Return the least and largest F of non-coreference links that go with ``pw`` (0 < pw ≤ 1).

    Only the key of ``answer`` and the number of its mentions matter. Holds for settings that leave
    the same mentions on both sides, which PURE-CDEC does not, and for keys of more than one chain.
    """
    counts = score(answer.meta_documents(setting), ["blanc_coref", "blanc_noncoref"]).counts
    links = counts["blanc_coref"].r_den
    pairs = links + counts["blanc_noncoref"].r_den
    fewest, most = links * pw / (2 - pw), min(links, pairs * pw / (2 - pw))
    return _pwn(pairs, most, pw), _pwn(pairs, fewest, pw)


def _pwn(pairs: float, right: float, pw: float) -> float:
    both = 2 * right / pw
    return 1 - (both - 2 * right) / (2 * pairs - both)
