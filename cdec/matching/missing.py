"""Key mentions that are missing from the response: count, make singletons, or remove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec.arrays import ALONE, Bools
from cdec.errors import counted
from cdec.errors.notices import Notice, notice
from cdec.metrics import links
from cdec.settings.setting import key_singletons

MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""
WORTH_A_WARNING = 0.01
"""The share of key mentions or key links that are not counted as not found in silence."""


def treated(mentions: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return the aligned mentions after the policy, a key of ``cdec.matching.policy.MISSING``.

    If mentions leave the key, ``alone`` says which were its singletons.

    >>> chains = {"key": ["x", "x", "y"], "response": ["1", "1", None]}
    >>> table = pd.DataFrame(chains, index=["a", "b", "c"], dtype=object)
    >>> treated(table, "singletons")["response"].tolist()
    ['1', '1', 'missing:c']
    >>> int(treated(table, "drop")["key"].count())
    2
    """
    absent = mentions["key"].notna() & mentions["response"].isna()
    if policy == "count" or not absent.any():
        return mentions
    if policy == "drop":
        alone = key_singletons(mentions)
        return mentions.assign(**{ALONE: alone, "key": mentions["key"].mask(absent)})
    taken, response = set(mentions["response"].dropna()), mentions["response"].copy()
    response[absent] = [_unused(f"missing:{id_}", taken) for id_ in mentions.index[absent]]
    return mentions.assign(response=response)


def _unused(label: str, taken: set[object]) -> str:
    return _unused(f"{label}'", taken) if label in taken else label


def shares(chains: pd.Series[Any], absent: Bools) -> dict[str, float]:
    """Return the shares of the mentions of a key that are ``absent``, and of their links.

    ``chains`` has the chain of each mention; a link is concerned if one of its mentions is absent.

    >>> shares(pd.Series(["x", "x", "x", "y"]), np.array([True, False, False, False]))
    {'mentions': 0.25, 'links': 0.6667}
    """
    total, kept = (int(links(part.value_counts()).sum()) for part in (chains, chains[~absent]))
    lost = 1 - kept / total if total else 0.0
    return {"mentions": round(float(absent.mean()), 4), "links": round(lost, 4)}


def excused(missing: Sequence[str], policy: str, share: Mapping[str, float]) -> Notice:
    """Return the notice on mentions that ``policy`` does not count as not found.

    It is a warning from WORTH_A_WARNING on, because such a policy raises the scores of a response
    that leaves out what is difficult.
    """
    effect = {"singletons": "made singletons of the response", "drop": "removed from the key"}
    parts = " and ".join(f"{100 * value:.1f} % of the key {name}" for name, value in share.items())
    what = counted(len(missing), "missing key mention is", "missing key mentions are")
    message = (
        f"{what} {effect[policy]}, which concerns {parts}: the scores cannot be compared with "
        "those of missing=count"
    )
    most = max(share.values())
    return notice("missing-excused", message, missing, warning=most >= WORTH_A_WARNING)


def missing_notices(mentions: pd.DataFrame, missing: Sequence[str]) -> Iterator[Notice]:
    """Yield notices on the key mentions ``missing`` from the response, and on left-out singletons.

    A response without any singleton, whose missing mentions are mostly singletons of the key, was
    probably written without its singletons.
    """
    what = counted(len(missing), "key mention is", "key mentions are")
    message = f"{what} missing from the response"
    yield notice("missing-mention", message, missing, warning=False)
    absent = mentions["key"].notna() & mentions["response"].isna()
    share = float(key_singletons(mentions)[absent].mean())
    sizes = mentions["response"].value_counts()
    if len(sizes) and sizes.min() > 1 and share >= MOST:
        message = (
            f"the response has no singletons, and {100 * share:.0f} % of the missing mentions are "
            "singletons of the key: if it leaves its singletons out, use missing=singletons"
        )
        yield Notice("singletons-left-out", len(missing), message)
