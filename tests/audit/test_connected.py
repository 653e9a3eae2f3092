"""Missing links of one connected error, as one case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from cdec.auditing import Findings, Key, ShortList, default_calibration, match, ranking, to_jsonl
from cdec.auditing.case import MISSING
from cdec.auditing.connected import LEAST, Groups
from cdec.auditing.detector import MERGE, Detector
from cdec.auditing.findings import Cases
from cdec.corpus import Corpus

Link = tuple[str, str, float]


@pytest.fixture(scope="module")
def chosen(sample_key: Key) -> dict[str, str]:
    """Return mentions by name.

    ``a``, ``b``, ``c`` are reviewed singletons of three sentences, ``d`` is in the sentence of
    ``a``, ``o`` not reviewed; ``X`` and ``Y`` are of two chains in other sentences.
    """
    events = sample_key.corpus.selected.assign(id=sample_key.ids)
    events["single"] = events["chain"].map(events["chain"].value_counts()) == 1
    events["place"] = events["doc"] + "#" + events["sentence"].astype(str)
    single, reviewed = events[events["single"]], events["reviewed"].astype(bool)
    inside = single[reviewed[single.index]]
    place = next(name for name, part in inside.groupby("place", sort=False) if len(part) > 1)
    a, d = inside.loc[inside["place"] == place, "id"].iloc[:2]
    b, c = inside[inside["place"] != place].drop_duplicates("place")["id"].iloc[:2]
    o = single[~reviewed[single.index] & (single["place"] != place)]["id"].iloc[0]
    taken = set(events.loc[[a, b, c], "place"])
    held = events.groupby("chain")["place"].agg(set)
    free = events[~events["single"] & events["chain"].map(held).map(taken.isdisjoint)]
    first = free[reviewed[free.index]].drop_duplicates("chain")["id"]
    x = first.iloc[0]
    apart = held[events.loc[x, "chain"]].isdisjoint
    y = next(id_ for id_ in first.iloc[1:] if apart(held[events.loc[id_, "chain"]]))
    return dict(zip("abcdoXY", (a, b, c, d, o, x, y), strict=True))


def found(key: Key, chosen: dict[str, str], links: Sequence[Link]) -> tuple[Findings, pd.DataFrame]:
    """Return findings with these missing links, and the table of their order."""
    mentions = [(chosen[one], chosen[two]) for one, two, _ in links]

    def find(key: Key) -> pd.DataFrame:
        fixes = [key.fixes.link([key.rows[id_] for id_ in pair]) for pair in mentions]
        said = [f"link {number}" for number in range(len(mentions))]
        return pd.DataFrame({"mentions": mentions, "score": 1.0, "reason": said, "fix": fixes})

    own = Cases.of(Detector("mine", "links", MISSING, find, proposes=MERGE), key)
    rows = range(len(links))
    scores = [score for *_, score in links]
    return Findings(key, (), (own,)), pd.DataFrame({"score": scores, "table": "mine", "row": rows})


def pairs(names: str, score: float = 0.9) -> list[Link]:
    """Return the links of all pairs."""
    return [(one, two, score) for one, two in combinations(names, 2)]


@pytest.mark.parametrize(
    ("links", "ranks"),
    [
        (pairs("abc"), [1, 1, 1]),
        (pairs("abX"), [1, 1, 1]),
        ([("a", "b", 0.9), ("b", "c", 0.9)], [1, 2]),
        ([*pairs("ab"), ("c", "a", 0.9), ("b", "c", LEAST - 0.01)], [1, 2, 3]),
        ([*pairs("abc"), ("a", "X", 0.8)], [1, 1, 1, 2]),
        (pairs("aXY"), [1, 2, 3]),
        (pairs("abd"), [1, 2, 3]),
        (pairs("abo"), [1, 2, 3]),
        ([("a", "c", 0.9), ("X", "Y", 0.8), ("a", "b", 0.8), ("b", "c", 0.8)], [1, 2, 1, 1]),
    ],
    ids=[
        "singletons",
        "with a chain",
        "no clique",
        "one below the least score",
        "a chain linked with one of them",
        "two chains",
        "a sentence twice",
        "two products",
        "the rank of the strongest",
    ],
)
def test_links_are_one_case_if_each_pair_is_probable(
    sample_key: Key, chosen: dict[str, str], links: list[Link], ranks: list[int]
) -> None:
    assert Groups(*found(sample_key, chosen, links)).ranks == ranks


def test_a_connected_case_is_one_question(sample_key: Key, chosen: dict[str, str]) -> None:
    findings, _ = found(sample_key, chosen, [*pairs("bcaX"), ("a", "Y", 0.1)])
    ranked = ranking(findings, default_calibration())
    scored = ranked.table.assign(score=[0.9, 0.95, *[0.8] * 4, 0.1])
    ordered = scored.sort_values("score", ascending=False)
    ranked = replace(ranked, table=ordered.assign(rank=Groups(findings, ordered).ranks))
    assert ranked.rows[0][0] == ("mine", 1)
    case, other = ranked.cases()
    assert (case.rank, case.score, case.kind) == (1, 0.95, "missing-singleton-cluster")
    assert case.asked[:4] == [chosen[name] for name in "bacX"]
    assert case.reasons[0] == "link 1"
    assert {chosen[name] for name in "abc"} <= set(case.fixes[0].operation.merge)
    assert case.id not in {one.id for one in findings.own[0].cases}
    assert (other.rank, other.id) == (2, findings.own[0].case(6).id)
    assert ranked.expected(np.array([True, True]))[0] == pytest.approx(0.95 + 0.1)  # one error each


def test_a_judged_case_is_that_of_its_first_pair(sample_key: Key, chosen: dict[str, str]) -> None:
    """A judged case has the mentions of the strongest link first."""
    findings, _ = found(sample_key, chosen, pairs("abc"))
    for names, row in (("ca", 1), ("cba", 2), ("abc", 0)):
        mentions = [chosen[name] for name in names]
        judged = pd.DataFrame({"ranking": "links", "error": 1.0, "mentions": [mentions]})
        assert match(judged, findings)["row"].tolist() == [row]


def test_sides_that_are_only_evidence_are_shown_but_not_asked(
    sample: Corpus, sample_cases: ShortList
) -> None:
    case = next(one for one in sample_cases.cases if any(side.evidence for side in one.sides))
    further = [id_ for side in case.sides if side.evidence for id_ in side.mentions]
    assert further and case.asked
    assert case.mentions == [*case.asked, *further]
    _, line = to_jsonl(ShortList((case,), sample_cases.about), sample)
    assert [*json.loads(line)["sentences"]] == case.mentions
