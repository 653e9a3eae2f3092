"""Pairs of mentions from outside: what a list covers, and the chains that scored pairs make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec import Corpus, evaluate, load_corpus
from tests.program import Ran, Run


@pytest.fixture(scope="module")
def sample() -> Corpus:
    """The corpus in the package, its test part."""
    return load_corpus("sample", "test")


def table(path: Path, *rows: str) -> Path:
    """Write rows as a file."""
    path.write_text("\n".join(rows) + "\n")
    return path


def chain_over(sample: Corpus, documents: int, mentions: int) -> list[str]:
    """Return a key chain with mentions in so many documents, several in its first."""
    each = sample.selected.assign(chain=sample.gold.labels).groupby("chain", sort=False)
    for _, rows in each:
        docs = rows["doc"].tolist()
        if len(set(docs)) == documents and len(docs) == mentions and docs[0] == docs[1]:
            return [str(mention) for mention in rows.index]
    pytest.fail("the sample has no such chain")


def covered(ran: Ran) -> dict[str, tuple[float, float]]:
    """Return setting → links that the list has, and chains that they join."""
    rows = [row for row in ran.json["rows"] if row["section"] == "list" and "setting" in row]
    return {row["setting"]: (row["listed"], row["whole"]) for row in rows}


def test_both_decisions_on_a_list_score_as_their_links(
    sample: Corpus, cdec: Run, tmp_path: Path
) -> None:
    ids, chain = sample.selected.index[:40], sample.selected["chain"]
    pairs = [(a, b) for a in ids for b in ids if a < b]
    file = table(tmp_path / "list.csv", "a,b", *(f"{a},{b}" for a, b in pairs))
    call = ("--corpus", "sample", "-s", "simple", "-f", "json")
    rows = [row for row in cdec("pairs", file, *call).json["rows"] if row.get("conll")]
    gold = [int(chain[a] == chain[b]) for a, b in pairs]
    for row, scores in zip(rows, ([1] * len(gold), gold), strict=True):
        lines = (f"{a},{b},{score}" for (a, b), score in zip(pairs, scores, strict=True))
        scored = table(tmp_path / "scored.csv", "a,b,score", *lines)
        results = evaluate(sample, f"pairs:{scored}", setting="simple", metrics=["b3", "conll"])
        assert row["conll"] == pytest.approx(results["conll"].f1)
        assert row["b3"] == pytest.approx(results["b3"].f1)


@pytest.mark.parametrize(
    "way",
    [("closure", True), ("average", True), ("complete", False)],
)
@pytest.mark.parametrize("third_mention", ["in the document", "elsewhere", "alone"])
def test_pairs_are_closed_on_the_whole_list_then_restricted(
    way: tuple[str, bool], third_mention: str, sample: Corpus, cdec: Run, tmp_path: Path
) -> None:
    """Two mentions are joined by a third that the part does not list, perhaps by no other pair."""
    docs, events = sample.selected["doc"], sample.selected.index
    (how, linked), home = way, docs.iloc[0]
    inside = [str(mention) for mention in events[docs == home]][:8]
    others = events[docs != home]
    if third_mention == "in the document":
        others = events[docs == home][8:]
    assert len(others)
    a, b, third = inside[0], inside[1], str(others[0])
    listed = table(
        tmp_path / "mine.toml", 'title = "some"', "[mentions]", f"some = {json.dumps(inside)}"
    )
    rows = [f"{a},{third},.9", f"{third},{b},.9"]
    chains = {mention: mention for mention in (*inside, third)}
    if third_mention != "alone":
        rows.append(f"{inside[2]},{inside[3]},.9")
        chains[inside[3]] = inside[2]
    pairs = table(tmp_path / "p.csv", "a,b,score", *rows)
    chains |= dict.fromkeys((b, third) if linked else (), a)
    lines = [json.dumps({"mention": m, "chain": c}) for m, c in chains.items()]
    response = table(tmp_path / "r.jsonl", *lines)
    call = ("--corpus", "sample", "--split", f"{listed}/some", "-s", "all", "--metric", "all")
    expected, found = (
        {
            (row["setting"], row["metric"]): row["f1"]
            for row in cdec("eval", one, *call, "-f", "json").json["rows"]
        }
        for one in (response, f"pairs:{pairs}@.4/{how}")
    )
    assert expected
    assert found == expected
    # The page of the pairs has the chains of the response.
    page = cdec("pairs", pairs, "--threshold", ".4", "--cluster", how, *call[:4], "-s", "simple")
    assert page.exit == 0
    shown = cdec("pairs", pairs, "--threshold", ".4", "--cluster", how, *call[:4], "-f", "json")
    own = [row for row in shown.json["rows"] if str(row.get("response")).endswith("at 0.4")]
    if third_mention != "alone":  # else no pair of the part has a score to show
        assert own[0]["conll"] == pytest.approx(expected["pure", "conll"], abs=1e-12)


@pytest.mark.parametrize(
    ("system", "simple", "pure"),
    [("nath-2024-roec-ckd", 86.98, 85.00), ("nath-2024-roec", 84.78, 82.96)],
)
def test_pairs_on_a_listed_part_are_chains_of_the_whole_list(
    system: str, simple: float, pure: float, cdec: Run
) -> None:
    ran = cdec("leaderboard", "show", system, "--task", "ecb+847", "--format", "json")
    f1 = {row["setting"]: row["f1"] for row in ran.json["rows"] if row["metric"] == "conll"}
    assert 100 * f1["simple"] == pytest.approx(simple, abs=0.005)
    assert 100 * f1["pure"] == pytest.approx(pure, abs=0.005)


@pytest.mark.parametrize("form", ['{{"pairs": {}}}', "Sure:\n```json\n{}\n```"])
def test_pairs_in_an_object_or_in_a_fence(
    form: str, sample: Corpus, cdec: Run, tmp_path: Path
) -> None:
    first, second, _ = chain_over(sample, 2, 3)
    listed = table(tmp_path / "p.json", form.format(json.dumps([{"a": first, "b": second}])))
    ran = cdec("pairs", listed, "--corpus", "sample", "-s", "simple", "-f", "json")
    assert covered(ran) == {"SIMPLE-CDEC": (1, 0)}
