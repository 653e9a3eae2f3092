"""Missing and twinless mentions: what the policy does with them, and what looks like a mistake.

Missing key mentions count, become singletons of the response, or leave the key, as the policy says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from cdec.arrays import ALONE, NAME, Bools, StrIndex
from cdec.clustering import SIDES
from cdec.errors import Log, Notice, ScoringError, counted, notice, spelled
from cdec.matching.alignment import Alignment, again_in_key
from cdec.matching.home import MENTION
from cdec.matching.policy import DEFAULT_POLICY, SIGNED, FilePolicy
from cdec.metrics import links
from cdec.settings.setting import key_singletons

MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""
WORTH_A_WARNING = 0.01
"""The share of key mentions or key links that are not counted as not found in silence."""
_PLACE = ["doc", "start", "end"]
_KEY_MENTION = "key mention"
_SEVERAL = 2
"""In one document, so many mentions must match when they are moved."""
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every start and end raised by 1 (tokens count from 0)": (-1, -1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_LOST = (
    "unknown-document",
    "outside-split",
    "outside-region",
    "other-split",
    "mention-unknown",
)
_TREATED = {
    "singletons": "made singletons of the response",
    "drop": "dropped from the key",
}


def with_coverage(
    alignment: Alignment, key_name: str, log: Log, *, policy: FilePolicy, across: bool
) -> Alignment:
    """Return the alignment with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says; the choices that matter, and the shares of key
    mentions and key links that do not count as not found, are in the signature. ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    table = alignment.mentions
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    if NAME in table:  # a key mention in several chains counts once here
        in_key = in_key & ~again_in_key(table).to_numpy()
    absent = table.index[in_key & ~in_response]
    twinless = table.index[in_response & ~in_key]
    about = {"mentions": "predicted" if len(twinless) else "gold", **alignment.about}
    if any(notice.code == "mention-duplicate" for notice in log):
        about["repeated"] = "first"
        if again_in_key(table).any():
            about["repeated"] = policy.repeats
    for name, field in SIGNED.items():
        value = getattr(policy, name)
        if value not in (getattr(DEFAULT_POLICY, name), "count"):
            about[field] = value

    shared = int((in_key & in_response).sum())
    size = int(in_key.sum())
    if not shared and not policy.allow_empty:
        raise _disjoint(alignment, key_name, size, log)
    if (
        0 < 4 * shared < min(size, int(in_response.sum()))
    ):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {size:,} key mentions are in the response{why}"
        log.append(Notice("little-in-common", shared, message))
    elif len(absent) and len(twinless):
        _report_moved_documents(table, in_key, in_response, log)
    if len(absent):
        treatment = policy.missing or "count"
        _report_missing(table, absent, treatment, log, across=across)
        if treatment != "count":
            about["missing_share"] = _shares(table, across)
            table = treated(table, treatment)
    if len(twinless):
        rest = "not in the key (twinless)"
        log.report("twinless", twinless, MENTION, rest, warning=False)
    return replace(alignment, mentions=table, about=about, notices=tuple(log))


def _disjoint(alignment: Alignment, key_name: str, size: int, log: Log) -> ScoringError:
    """Return the error for a response without any of the ``size`` mentions of the key."""
    if not size:
        return ScoringError(
            "mentions-disjoint",
            "the key has no mentions",
            place=key_name,
            hint="check the file",
        )
    why = _reasons(alignment.mentions, log)
    message = (
        f"none of the {counted(size, 'mention')} of the key is in the response{why}"
    )
    return ScoringError(
        "mentions-disjoint",
        message,
        place=alignment.system,
        hint=f"check documents and token numbers, or say {spelled('allow_empty')}",
    )


def _report_missing(
    table: pd.DataFrame, absent: StrIndex, treatment: str, log: Log, *, across: bool
) -> None:
    """Report the key mentions that a response lacks, and what happens to them."""
    if treatment != "count":
        shares = _shares(table, across)
        parts = [
            f"{100 * share:.1f} % of the key {name}" for name, share in shares.items()
        ]
        effect = (
            f"missing from the response, {_TREATED[treatment]}: {' and '.join(parts)}; scores "
            f"cannot be compared with those of {spelled('missing', 'count')}"
        )
        # Such a policy raises the scores of a response that leaves out what is difficult.
        is_warning = max(shares.values()) >= WORTH_A_WARNING
        log.report("missing-mention", absent, _KEY_MENTION, effect, warning=is_warning)
        return
    effect = "missing from the response"
    log.report("missing-mention", absent, _KEY_MENTION, effect, warning=False)
    sizes = table["response"].value_counts()
    share_alone = key_singletons(table)[absent].mean()
    if len(sizes) and sizes.min() > 1 and share_alone >= MOST:
        log.append(
            Notice(
                "singletons-left-out",
                len(absent),
                f"the response has no singletons, and {100 * share_alone:.0f} % of the missing "
                "mentions are singletons of the key: if it leaves its singletons out, use "
                f"{spelled('missing', 'singletons')}",
            )
        )


def treated(mentions: pd.DataFrame, treatment: str) -> pd.DataFrame:
    """Return the aligned mentions after the treatment: count, singletons or drop.

    If mentions leave the key, ``alone`` says which were its singletons.

    >>> chains = {"key": ["x", "x", "y"], "response": ["1", "1", None]}
    >>> table = pd.DataFrame(chains, index=["a", "b", "c"], dtype=object)
    >>> treated(table, "singletons")["response"].tolist()
    ['1', '1', 'missing:c']
    >>> int(treated(table, "drop")["key"].count())
    2
    """
    again = again_in_key(mentions)
    absent = mentions["key"].notna() & mentions["response"].isna() & ~again
    if treatment == "count" or not absent.any():
        return mentions
    if treatment == "drop":
        alone = key_singletons(mentions)
        if again.any():  # they leave with the mention that they are occurrences of
            absent |= again & mentions[NAME].isin(mentions.index[absent])
        return mentions.assign(**{ALONE: alone, "key": mentions["key"].mask(absent)})
    taken = {*mentions["response"].dropna()}
    response = mentions["response"].copy()
    labels = [f"missing:{id_}" for id_ in mentions.index[absent]]
    while not taken.isdisjoint(labels):
        labels = [f"{label}'" if label in taken else label for label in labels]
    response[absent] = labels
    return mentions.assign(response=response)


def _shares(table: pd.DataFrame, across: bool) -> dict[str, float]:
    """Return the shares of key mentions and key links that are missing from the response.

    A link is concerned if one of its mentions is missing.
    """
    key = table[table["key"].notna()]
    chain = ["key"] if across else ["doc", "key"]
    is_present = key["response"].notna()
    total = int(links(key[chain].value_counts()).sum())
    present = int(links(key.loc[is_present, chain].value_counts()).sum())
    share_of_links = 1 - present / total if total else 0.0
    share_of_mentions = 1 - float(is_present.mean())
    return {"mentions": round(share_of_mentions, 4), "links": round(share_of_links, 4)}


def _report_moved_documents(
    table: pd.DataFrame, in_key: Bools, in_response: Bools, log: Log
) -> None:
    """Warn of documents of which few mentions are in the key, and most are if moved."""
    sides = {"key": in_key, "response": in_response, "both": in_key & in_response}
    counts = pd.DataFrame(
        {name: table["doc"][on].value_counts() for name, on in sides.items()}
    )
    counts = counts.fillna(0)
    is_few = 4 * counts["both"] < counts[list(SIDES)].min(axis=1)
    in_few = table["doc"].isin(counts.index[is_few]).to_numpy()
    places = table.loc[in_few & in_response, _PLACE]
    places_of_key = pd.MultiIndex.from_frame(table.loc[in_few & in_key, _PLACE])
    sizes = places["doc"].value_counts()
    named: set[str] = set()
    for name, shift in _SHIFTS.items():
        matches = places["doc"][_matching(places, places_of_key, shift)].value_counts()
        is_most = (matches >= _SEVERAL) & (2 * matches > sizes[matches.index])
        moved = sorted({*matches.index[is_most]} - named)
        named.update(moved)
        if moved:
            documents = counted(len(moved), "document has", "documents have")
            mentions = counted(int(matches[moved].sum()), "mention")
            log.append(
                notice(
                    "little-in-common",
                    f"{documents} few mentions in common with the key: with {name} {mentions} "
                    "would match",
                    moved,
                )
            )


def _matching(
    places: pd.DataFrame, places_of_key: pd.MultiIndex, shift: tuple[int, int]
) -> Bools:
    """Return which places are in the key if a shift is subtracted from start and end."""
    start, end = shift
    moved = places.assign(start=places["start"] - start, end=places["end"] - end)
    is_in_key: Bools = pd.MultiIndex.from_frame(moved).isin(places_of_key)
    return is_in_key


def _reasons(table: pd.DataFrame, notices: Iterable[Notice] = ()) -> str:
    """Return possible reasons why few mentions of the response are in the key, or ''.

    ``notices`` include those on documents left out. Token numbers may be moved.
    """
    reasons = [str(item) for item in notices if item.code in _LOST]
    if not reasons and table["response"].isna().all():
        reasons = ["the response has no mentions"]
    places_of_key = pd.MultiIndex.from_frame(table.loc[table["key"].notna(), _PLACE])
    places = table.loc[table["response"].notna(), _PLACE]
    for name, shift in _SHIFTS.items():
        matches = int(_matching(places, places_of_key, shift).sum())
        if 2 * matches > len(places):
            reasons.append(f"with {name} {matches} would match")
    return "".join(f"; {reason}" for reason in reasons)
