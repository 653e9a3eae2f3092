"""What a response invents: ids, documents and tokens that the whole corpus does not have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import answer, corpus, given, records, spans

# Gold mentions of the small corpus: two of the three are in the key of the test part, one is not.
RIGHT = [("1_1ecb", 7, 8, "x"), ("1_2ecb", 1, 1, "x"), ("2_1ecb", 8, 8, "y")]
INVENTED = cases("reading_cases")["invented"]
CODES = {"tokens": "tokens-invalid", "sentence": "tokens-invalid"}
Call = Callable[..., tuple[Any, ...]]


def gold() -> list[dict[str, Any]]:
    return [{"doc": d, "start": a, "end": b, "chain": chain} for d, a, b, chain in RIGHT]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """The call of a command on the small corpus with a response of these records."""
    made = given(tmp_path, "made.jsonl", corpus())

    def arguments(command: str, rows: list[dict[str, Any]], *options: object) -> tuple[Any, ...]:
        path = given(tmp_path, "mine.jsonl", records(*rows))
        return command, path, "--corpus", made, *options

    return arguments


SIMPLE = ("--split", "all", "--setting", "simple")


@pytest.mark.parametrize("kind", INVENTED)
def test_an_invention_is_refused_left_out_or_counted(cdec: Run, call: Call, kind: str) -> None:
    rows = [*gold(), INVENTED[kind]]
    code = CODES.get(kind, "mention-unknown")
    for stated in ((), ("--unknown", "error")):
        ran = cdec(*call("eval", rows, *SIMPLE, *stated))
        assert (ran.exit, ran.error) == (1, code)
        assert "mine.jsonl:4:" in ran.said
    whole = answer(cdec, *call("eval", gold(), *SIMPLE))
    dropped = answer(cdec, *call("eval", rows, *SIMPLE, "--unknown", "drop"))
    assert dropped.counts == whole.counts
    assert (dropped.said["mention-unknown"], dropped.signature["unknown"]) == (1, "drop")
    counted = answer(cdec, *call("eval", rows, *SIMPLE, "--unknown", "twinless"))
    assert (counted.response, counted.common) == (4, 3)
    assert counted.counts["muc"] == (0, 2, 0, 2)  # one more link of the response, none is right
    assert (counted.said["mention-unknown"], counted.signature["unknown"]) == (1, "twinless")
    assert {"mention-unknown"} <= dropped.warnings & counted.warnings


def test_the_default_is_not_signed(cdec: Run, call: Call) -> None:
    for stated in ((), ("--unknown", "error")):
        assert "unknown" not in answer(cdec, *call("eval", gold(), *SIMPLE, *stated)).signature


def test_the_error_has_the_number_and_the_first_five(cdec: Run, call: Call) -> None:
    rows = [{"mention": f"1_1ecb/{number}", "chain": "x"} for number in range(90, 97)]
    ran = cdec(*call("eval", [*gold(), *rows], *SIMPLE))
    assert "mine.jsonl:4:" in ran.said
    assert " 7 " in ran.said
    assert [f"1_1ecb/{number}'" in ran.said for number in range(90, 97)] == [True] * 5 + [False] * 2


def test_documents_of_another_part_are_no_invention(cdec: Run, call: Call) -> None:
    found = answer(cdec, *call("eval", gold(), "--split", "test", "--setting", "simple"))
    assert (found.response, found.said["outside-split"]) == (2, 1)


def test_another_span_of_a_known_document_is_twinless(cdec: Run, call: Call) -> None:
    rows = [*gold(), {"doc": "1_1ecb", "start": 2, "end": 2, "chain": "x"}]
    found = answer(cdec, *call("eval", rows, *SIMPLE))
    assert (found.response, found.common, found.said["twinless"]) == (4, 3, 1)


@pytest.mark.parametrize("setting", ["st", "ycf", "pure"])
@pytest.mark.parametrize("kind", INVENTED)
def test_every_setting_takes_an_invention(cdec: Run, call: Call, kind: str, setting: str) -> None:
    rows = [*gold(), INVENTED[kind]]
    how = ("--split", "all", "--setting", setting, "--unknown", "twinless", "--match", "overlap:1")
    assert answer(cdec, *call("eval", rows, *how)).key > 0


def test_other_commands_have_the_same_choice(cdec: Run, call: Call) -> None:
    rows = [*gold(), *INVENTED.values()]
    for command in ("diagnose", "compare"):
        more = ("lemma", "--resamples", 20) if command == "compare" else ()
        whole = call(command, rows, *more, "--split", "all")
        assert cdec(*whole).error == "mention-unknown"
        for how in ("drop", "twinless"):
            ran = cdec(*whole, "--unknown", how)
            assert (ran.exit, f"unknown:{how}" in ran.out or f"unknown={how}" in ran.out) == (
                0, True,
            ), ran.err  # fmt: skip


def test_the_part_is_that_of_the_known_documents(cdec: Run, call: Call) -> None:
    rows = [row for row in gold() if row["doc"] != "2_1ecb"]
    found = cdec(*call("eval", [*rows, *INVENTED.values()], "--unknown", "drop", "-f", "json"))
    assert {row["split"] for row in found.json["rows"]} == {"official-test"}


def test_python_has_the_same_choice(tmp_path: Path) -> None:
    whole = package.load_corpus(str(given(tmp_path, "made.jsonl", corpus())), "all")
    chains = {"1_1ecb/13": "x", "1_2ecb/11": "x", "1_1ecb/99": "x"}
    frame = pd.DataFrame([INVENTED["document"], *gold()])
    for response in (chains, frame):
        with refused("mention-unknown"):
            package.evaluate(whole, response)
        for how, number in (("drop", 0), ("twinless", 1)):
            policy = package.FilePolicy(unknown=how)
            with pytest.warns(package.CdecWarning, match="mention-unknown"):
                found = package.evaluate(
                    whole, response, setting="simple", metrics="mentions", policy=policy
                )
            (row,) = found.to_frame().to_dict("records")
            assert row["p_den"] - row["p_num"] == number


# ---- pairs ----


@pytest.fixture
def pairs(tmp_path: Path) -> Callable[..., tuple[Any, ...]]:
    made = given(tmp_path, "made.jsonl", corpus())
    rows = ["a,b,score", "1_1ecb/11,1_2ecb/11,.9", "1_1ecb/13,1_1ecb/99,.8", "1_1ecb/13,9_9/1,.7"]
    path = given(tmp_path, "pairs.csv", "\n".join([*rows, ""]))
    return lambda command, *more: (
        *(command, f"pairs:{path}" if command == "eval" else path, "--corpus", made),
        *("--split", "all", "--setting", "simple", *more),
    )


@pytest.mark.parametrize("command", ["pairs", "eval"])
def test_pairs_of_inventions_are_refused_or_left_out(
    cdec: Run, pairs: Callable[..., Any], command: str
) -> None:
    ran = cdec(*pairs(command))
    assert (ran.exit, ran.error) == (1, "mention-unknown")
    assert "pairs.csv:3:" in ran.said
    assert " 2 " in ran.said
    ran = cdec(*pairs(command, "--unknown", "drop", "--verbose"))
    assert ran.exit == 0
    assert "unknown:drop" in ran.out
    assert "warning[pairs-left-out]" in ran.err
    assert cdec(*pairs(command, "--unknown", "twinless")).error == "option-conflict"


# ---- two files ----

KEY = "#begin document (d);\nd 0 0 a (1)\nd 0 1 b (1)\nd 0 2 c -\n#end document\n"
FOUND = [("d", 0, 0, 1), ("d", 1, 1, 1)]


@pytest.mark.parametrize("row", [("e", 0, 0, 1), ("d", 3, 3, 1)])
def test_of_two_files_the_default_is_twinless(cdec: Run, tmp_path: Path, row: Any) -> None:
    key = given(tmp_path, "key.conll", KEY)
    response = given(tmp_path, "mine.csv", spans([*FOUND, row]))
    call = ("score", key, response, "--scope", "corpus")
    for stated in ((), ("--unknown", "twinless")):
        found = answer(cdec, *call, *stated)
        assert (found.response, found.common, found.counts["muc"]) == (3, 2, (1, 2, 1, 1))
        assert "unknown" not in found.signature
    assert cdec(*call, "--unknown", "error").error in ("mention-unknown", "tokens-invalid")
    found = answer(cdec, *call, "--unknown", "drop")
    assert (found.response, found.counts["muc"]) == (2, (1, 1, 1, 1))
    assert (found.said["mention-unknown"], found.signature["unknown"]) == (1, "drop")


def test_an_id_that_a_key_file_lacks(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.csv", "mention,chain\nd/1,1\nd/2,1\n")
    response = given(tmp_path, "mine.csv", "mention,chain\nd/1,1\nd/2,1\nd/9,1\n")
    call = ("score", key, response, "--scope", "corpus")
    assert answer(cdec, *call).response == 3
    assert answer(cdec, *call, "--unknown", "drop").response == 2
    assert cdec(*call, "--unknown", "error").error == "mention-unknown"


def test_the_other_name_of_a_document_of_another_part_is_no_invention(
    cdec: Run, tmp_path: Path
) -> None:
    record = '"id": "2_1ecb", "topic"'
    named = corpus().replace(record, record.replace(",", ', "attributes": {"alias": "D7"},'))
    made = given(tmp_path, "made.jsonl", named)
    response = given(tmp_path, "mine.csv", spans([("1_1ecb", 7, 8, 1), ("D7", 8, 8, 1)]))
    call = ("eval", response, "--corpus", made, "--split", "test", "--setting", "simple")
    found = answer(cdec, *call)
    assert (found.response, found.said["outside-split"]) == (1, 1)
