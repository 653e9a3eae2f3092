"""What a board declares of its runs: columns, a filter and a chart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec.evaluation.declared import as_one
from cdec.leaderboards import (
    Addition,
    Leaderboard,
    add_system,
    save_result,
    score_board,
    table_page,
)
from cdec.leaderboards.board_page import board_page
from cdec.leaderboards.by_name import described
from cdec.leaderboards.entries import SYSTEM_FILE
from cdec.leaderboards.folder import board_of_cdec
from cdec.leaderboards.site import site_files
from cdec.render.page import Grid
from tests.leaderboard.conftest import BOARD
from tests.refusals import refused

HEAD = 'format = "cdec-leaderboard-system/1"\nname = "x"\ntitle = "x"\nfamily = "x"\n'


def declaring(path: Path, source: Path, **declared: object) -> Path:
    path.write_text(f"# cdec: {json.dumps(declared)}\n{source.read_text('utf-8')}", "utf-8")
    return path


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, files: dict[str, Path]) -> Leaderboard:
    """A model of one run, one of two runs, and a system that declares nothing."""
    folder = tmp_path_factory.mktemp("declared")
    (folder / "leaderboard.toml").write_text(BOARD, "utf-8")
    new = Leaderboard.at(folder)
    cost = {"currency": "USD", "saw_test": "no"}
    gpt = declaring(folder / "gpt.conll", files["lemma"], model="gpt", cost=30, calls=12, **cost)
    runs = [
        declaring(folder / f"{n}.conll", files["lemma-wd"], model="llama", cost=n, seed=n, **cost)
        for n in (1, 2)
    ]
    for name, paths in {"gpt": [gpt], "llama": runs, "plain": [files["lemma"]]}.items():
        add_system(new, Addition(name, paths, "sample"))
    meta = folder / "meta.toml"
    meta.write_text('saw_test = "unknown"\ndate = 2024-05-31\n', "utf-8")
    add_system(new, Addition("meta", [files["lemma-2"]], "sample", meta))
    new = Leaderboard.at(folder)
    for scored in score_board(new, jobs=1):
        save_result(new, scored)
    return new


def test_each_response_keeps_what_its_file_declares(board: Leaderboard) -> None:
    first, second = board.systems["llama"].responses
    assert (first.cost, second.cost, first.seed, first.saw_test) == (1, 2, 1, "no")
    assert board.systems["meta"].date == "2024-05-31"
    assert board.systems["plain"].model is None


def test_a_response_goes_before_its_system() -> None:
    answer = f'[[responses]]\ntask = "t"\npath = "p"\ndigest = "{"a" * 64}"\ncalls = 3\n'
    entry = SYSTEM_FILE.parse_toml(f'{HEAD}model = "m"\ncalls = 5\n{answer}', "x.toml")
    (run,) = entry.runs("t")
    assert (run.model, run.calls) == ("m", 3)


def test_columns_are_those_that_are_asked_for(board: Leaderboard) -> None:
    asked = ["saw-test", "cost", "model", "model"]
    page = table_page(board, "sample", [], "conll", columns=asked)
    assert page.table is not None
    assert [name for _, name in page.table.columns][-3:] == ["Saw test", "Cost", "Model"]
    rows = {cells[0]: cells[-3:] for cells in page.table.texts}
    assert rows["llama"] == ["no", "1.50 USD", "llama"]
    assert rows["plain"] == ["–"] * 3
    assert any("shows it): date, calls." in note for note in page.table.below)
    assert {"model", "date", "calls", "cost", "currency", "saw_test"} <= {*page.data.columns}
    plain = table_page(board, "sample", ["plain"], "conll").table
    assert plain is not None
    assert "Model" not in [name for _, name in plain.columns] and not plain.below
    with refused("name-unknown", "declared field"):
        table_page(board, "sample", [], "conll", columns=["words"])


def test_the_page_of_a_task_has_table_and_chart(board: Leaderboard) -> None:
    html = site_files(board)["task/sample/index.html"].decode()
    assert "What the runs took" in html and "cost of a run (USD)" in html
    assert "cost of a run" not in site_files(board)["index.html"].decode()
    data = board_page(board).data
    assert set(data.loc[data["system"] == "llama", "cost"]) == {1.5}


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (["saw-test=no"], {"gpt", "llama"}), (["saw_test=unknown"], {"meta"}),
        (["model="], {"plain", "meta"}), (["saw-test=no", "calls=12"], {"gpt"}),
        (["cost=1.50"], {"llama"}), (["cost=30.0"], {"gpt"}), (["calls=12.0"], {"gpt"}),
    ],
)  # fmt: skip
def test_filters(board: Leaderboard, filters: list[str], left: set[str]) -> None:
    assert set(table_page(board, "sample", [], "conll", filters).data["system"]) == left
    page = board_page(board, filters)
    assert set(page.data["system"].dropna()) == left
    assert ", ".join(filters) in page.intro[0]
    tasks, systems = page.sections[0].blocks
    assert isinstance(tasks, Grid) and tasks.texts[0][0] == str(len(left))
    assert isinstance(systems, Grid) and {row.heads[0] for row in systems.rows} == left


def test_a_filter_finds_a_text_with_a_plus(board: Leaderboard) -> None:
    gpt = board.systems["gpt"]
    board.systems["gpt"] = gpt.model_copy(update={"trained_on": "A + B"})
    try:
        for text in ("A + B", "A"):
            data = table_page(board, "sample", [], "conll", [f"trained-on={text}"]).data
            assert set(data["system"]) == {"gpt"}
    finally:
        board.systems["gpt"] = gpt


@pytest.mark.parametrize("text", ["saw-test", "saw-test=maybe", "calls=3", "trained-on=x"])
def test_filters_that_are_refused(board: Leaderboard, text: str) -> None:
    with refused("option-invalid"):
        board_page(board, [text])
    with refused("name-unknown", "declared field"):
        board_page(board, ["words=gold"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cost = 1", "only one of"), ('cost = 1\ncurrency = "usd"', "three letters"),
        ("calls = -1", "at least 0"), ("saw_test = true", "'yes', 'no' or 'unknown'"),
        ("date = 2999-01-01", "in the future"), ("date = 2024-01-01T10:00:00", "not a string"),
        ('prompt_digest = "abc"', "SHA-256"), ("tokens = 1\ntokens_in = 1", "beside"),
        ('modle = "x"', "did you mean 'model'"), ("temperature = nan", "finite"),
    ],
)  # fmt: skip
def test_the_file_of_a_system_is_as_strict_as_a_declaration(line: str, said: str) -> None:
    with refused("config-invalid", said, place="x.toml"):
        SYSTEM_FILE.parse_toml(HEAD + line, "x.toml")


def test_a_response_may_not_contradict_its_system() -> None:
    answer = f'[[responses]]\ntask = "sample"\npath = "x"\ndigest = "{"0" * 64}"\n'
    for line in ("tokens_in = 1", "tokens_out = 1"):
        with refused("config-invalid", "beside", place="x.toml"):
            SYSTEM_FILE.parse_toml(f"{HEAD}tokens = 1\n{answer}{line}", "x.toml")
    entry = SYSTEM_FILE.parse_toml(f"{HEAD}tokens = 1\n{answer}tokens = 2", "x.toml")
    assert [run.tokens for run in entry.runs("sample")] == [2]


def test_a_number_that_a_run_does_not_declare_is_not_of_all(board: Leaderboard) -> None:
    first, second = board.systems["llama"].responses
    undeclared = second.model_copy(update={"cost": None, "currency": None})
    entry = board.systems["llama"].model_copy(update={"responses": (first, undeclared)})
    assert as_one(entry.runs("sample"), "llama") == {"model": "llama", "saw_test": "no"}


def test_costs_of_runs_in_two_currencies(board: Leaderboard) -> None:
    llama = board.systems["llama"]
    first = llama.responses[0].model_copy(update={"currency": "EUR"})
    board.systems["llama"] = llama.model_copy(update={"responses": (first, llama.responses[1])})
    try:
        with refused("declaration-invalid", "EUR and USD", place="llama"):
            board_page(board)
    finally:
        board.systems["llama"] = llama


def test_published_responses_are_known_by_their_digest() -> None:
    entry = board_of_cdec().systems["barhom-2019-kmeans"]
    found = described(entry.responses[0].digest)
    assert found is not None and found.licence == "Apache-2.0"
    assert described("0" * 64) is None
