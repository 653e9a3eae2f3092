"""The range of PWN that is consistent with a published PW.

With the same n mentions on both sides there are T pairs, K of them links of the key; both are known
from the corpus. Let the response have R links, C of them right. Then::

    PW  = 2C / (K + R)                     so R = 2C/PW − K
    PWN = 1 − (K + R − 2C) / (2T − K − R)  which decreases with C if PW is fixed

C is smallest if R = C (no wrong link): K PW / (2 − PW). It is at most K (all key links found), and
at most T PW / (2 − PW), where all other pairs are wrong links and PWN is 0. These values give the
ends of the range.
"""

from __future__ import annotations

from cdec.evaluation import SystemRun
from cdec.metrics.scores import score
from cdec.settings import Setting


def possible_pwn(answer: SystemRun, setting: Setting, pw: float) -> tuple[float, float]:
    """Return the smallest and largest F of non-coreference links for ``pw`` (0 < pw ≤ 1).

    The result depends only on the key of ``answer`` and its mentions. It is valid for settings that
    keep the same mentions on both sides (not PURE-CDEC), and for keys with more than one chain.
    """
    counts = score(answer.meta_documents(setting), ["blanc_coref", "blanc_noncoref"]).counts
    links = counts["blanc_coref"].r_den
    pairs = links + counts["blanc_noncoref"].r_den
    fewest, most = links * pw / (2 - pw), min(links, pairs * pw / (2 - pw))
    return _pwn(pairs, most, pw), _pwn(pairs, fewest, pw)


def _pwn(pairs: float, right: float, pw: float) -> float:
    both = 2 * right / pw
    return 1 - (both - 2 * right) / (2 * pairs - both)
