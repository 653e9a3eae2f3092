"""The errors of a response: links, splits and joins by hand, side by side, within candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as library
from tests.program import Run

pytestmark = pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
Place = tuple[str, int, int]
SIDES = ("right", "missed", "wrong")
# Document → topic, sub-topic; place → chain of the key, and of the response.
DOCUMENTS = {"d": ("1", "a"), "e": ("1", "a"), "f": ("1", "b"), "g": ("2", "c")}
CHAINS = {
    ("d", 0, 0): "ax", ("d", 1, 1): "ay", ("e", 0, 0): "ay", ("e", 1, 1): "by", ("f", 0, 0): "bz",
    ("g", 0, 0): "bz", ("g", 1, 1): "cz",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def corpus() -> library.Corpus:
    documents = [
        {"id": doc, "sentences": [["w"] * 9], "topic": topic, "subtopic": subtopic}
        for doc, (topic, subtopic) in DOCUMENTS.items()
    ]
    records = [{"doc": d, "start": s, "end": e, "chain": c[0]} for (d, s, e), c in CHAINS.items()]
    return library.build_corpus(records, documents)


def found(response: dict[Place, str], table: str, **more: Any) -> pd.DataFrame:
    """Return one table of the diagnosis of a response to the small corpus."""
    rows = library.diagnose(corpus(), response, **{"setting": "simple", **more}).to_frame()
    return rows[rows["table"] == table]


def links(response: dict[Place, str], **more: Any) -> dict[str, tuple[int, ...]]:
    """Return kind → links that are right, missed and wrong, of any lemma."""
    rows = found(response, "links", **more)
    rows = rows[rows["lemma"] == "all"].set_index("kind")
    return {str(kind): tuple(row) for kind, row in rows[list(SIDES)].iterrows()}


def edits(response: dict[Place, str]) -> dict[str, int]:
    rows = found(response, "edits")
    counts = rows[rows["kind"] == "all"].set_index("edit")["edits"]
    return {**counts, **found(response, "mentions").set_index("edit")["edits"]}


RESPONSE = {place: chains[1] for place, chains in CHAINS.items()}
# Without the first mention, and with a mention of the response only in the chain of the next two.
TWINLESS = {**dict(list(RESPONSE.items())[1:]), ("d", 5, 5): "y"}


def test_links_by_the_distance_of_their_mentions() -> None:
    assert links(RESPONSE) == {
        "document": (0, 1, 2), "subtopic": (1, 1, 1), "topic": (0, 1, 0), "corpus": (1, 1, 1),
        "all": (2, 4, 4),
    }  # fmt: skip
    # By sub-topic no link crosses one.
    by_subtopic = links(RESPONSE, setting="st")
    assert (by_subtopic["all"], by_subtopic.get("corpus", (0, 0, 0))) == ((1, 2, 3), (0, 0, 0))


def test_splits_and_joins_turn_the_response_into_the_key() -> None:
    # y into a and b, z into b and c; x joins a, and the two parts of b join.
    assert edits(RESPONSE) == {"split": 2, "join": 2, "add mention": 0, "remove mention": 0}
    of_twinless = edits(TWINLESS)
    assert (of_twinless["add mention"], of_twinless["remove mention"]) == (1, 1)
    key = {place: chains[0] for place, chains in CHAINS.items()}
    assert set(edits(key).values()) == {0}


def test_the_worst_chains_have_the_most_wrong_and_missed_links() -> None:
    rows = found(RESPONSE, "worst")
    worst = {
        (row["side"], row["name"][0]): (row["errors"], row["in_parts"])
        for row in rows.to_dict("records")
    }
    assert worst == {
        ("response", "y"): (2, 2), ("response", "z"): (2, 2), ("key", "a"): (2, 2),
        ("key", "b"): (2, 2),
    }  # fmt: skip
    assert len(found(RESPONSE, "worst", top=1)) == 2
    assert found(RESPONSE, "worst", top=0).empty


# ---- the sample ----


def rows_of(cdec: Run, *call: object) -> pd.DataFrame:
    return pd.DataFrame(cdec("diagnose", *call, "-f", "json").json["rows"])


@pytest.mark.parametrize("setting", ["simple", "pure", "bh"])
@pytest.mark.parametrize("name", ["lemma", "lemma-wd"])
def test_links_are_those_of_the_score_and_every_division_adds_up(
    cdec: Run, name: str, setting: str
) -> None:
    rows = rows_of(cdec, name, "-s", setting)
    table = rows[rows["table"] == "links"].set_index(["kind", "lemma"])[list(SIDES)]
    right, missed, wrong = (int(table[side].to_dict()["all", "all"]) for side in SIDES)
    call = ("eval", name, "-s", setting, "--metric", "blanc_coref", "-f", "json")
    (score,) = cdec(*call).json["rows"]
    assert (right, right + missed) == (score["r_num"], score["r_den"])
    assert right + wrong == score["p_den"]
    parts = table.drop(index="all", level="kind").drop(index="all", level="lemma")
    assert parts.sum().tolist() == [right, missed, wrong]


@pytest.mark.parametrize("setting", ["pure", "ycf"])
def test_chains_account_for_every_error_of_b3_and_of_links(cdec: Run, setting: str) -> None:
    rows = rows_of(cdec, "lemma", "-s", setting, "--top", 1000)
    chains = rows[rows["table"] == "worst"].groupby("side")
    score = cdec("eval", "lemma", "-s", setting, "--metric", "b3", "-f", "json").json["rows"][0]
    cost = chains["cost"].sum()
    assert cost["key"] == pytest.approx(1 - score["recall"])
    assert cost["response"] == pytest.approx(1 - score["precision"])
    links_of = rows[(rows["table"] == "links") & (rows["lemma"] == "all")].set_index("kind")
    for side, error in (("key", "missed"), ("response", "wrong")):
        for kind, number in links_of[error].items():
            column = "errors" if kind == "all" else f"errors_{kind}"
            assert chains[column].sum()[side] == number


def test_distances_have_the_names_of_the_corpus(cdec: Run, tmp_path: Path) -> None:
    corpus().save(tmp_path / "made.jsonl")
    text = (tmp_path / "made.jsonl").read_text("utf-8")
    (tmp_path / "made.jsonl").write_text(text.replace("sub-topic", "incident"), "utf-8")
    shown = cdec("diagnose", "lemma", "--corpus", tmp_path / "made.jsonl", "-q").out
    assert "incidents" in shown
    assert "sub-topic" not in shown


def test_splits_and_joins_account_for_the_number_of_chains(cdec: Run) -> None:
    test = library.load_corpus("sample", "test")
    labels, key = library.predict(test, "lemma").labels, test.selected["chain"]
    parts = len(pd.DataFrame({"key": key, "response": labels}).drop_duplicates())
    rows = rows_of(cdec, "lemma", "-s", "simple")
    counts = rows[(rows["table"] == "edits") & (rows["kind"] == "all")].set_index("edit")["edits"]
    assert dict(counts) == {"split": parts - labels.nunique(), "join": parts - key.nunique()}


def test_a_document_is_shown_with_the_chains_of_both_sides() -> None:
    part = library.load_corpus("sample", "test")
    shown = part.show("4_1ecb", "lemma")
    rows = shown.to_frame().set_index("mention")
    inside = part.selected[part.selected["doc"] == "4_1ecb"]
    labels = library.predict(part, "lemma").labels
    assert rows["key"].to_dict() == inside["chain"].to_dict()
    assert rows["response"].to_dict() == labels[inside.index].to_dict()
    marks = shown.to_html().count("<mark")
    assert marks == 2 * part.show("4_1ecb").to_html().count("<mark")
    with pytest.raises(library.CdecError) as caught:
        part.show("4_1ecc")
    assert caught.value.code == "name-unknown"
    assert {f"{len(part.selected):,}", f"{len(part.documents)}"} <= {*str(part).split()}


def test_two_systems_divide_the_links_of_each(cdec: Run) -> None:
    rows = rows_of(cdec, "lemma", "lemma-wd")
    keys = ["kind", "lemma"]
    side = rows[rows["section"].str.startswith("side-")].set_index(keys)
    for letter, name in (("a", "lemma"), ("b", "lemma-wd")):
        own = rows[(rows["table"] == "links") & (rows["system"] == name)].set_index(keys)
        for column in SIDES:
            counted = side[f"both_{column}"].add(side.get(f"{letter}_{column}", 0))
            if column == "missed":  # what only the other has right is missed
                counted = side["both_missed"] + side[f"{'ba'[letter == 'b']}_right"]
            assert counted.to_dict() == own[column].to_dict(), (name, column)
