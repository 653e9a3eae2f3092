"""A board in a folder: what is added, refused, and shown, with scores checked by hand."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import cdec as package
from tests.cases import cases
from tests.program import Ran, Run

CASES = cases("board_cases")
DATA = Path(__file__).with_name("data") / "board"
BOARD = (DATA / "two-tasks.toml").read_text("utf-8")
SETTINGS = ("simple", "pure", "bh", "st", "is", "ycf")
Board = Callable[..., Ran]


MADE: dict[str, bytes] = {}  # file → what a command wrote, once for all tests


@pytest.fixture
def board(cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    """Return a function that runs a command of a new board; beside it are responses."""
    monkeypatch.chdir(tmp_path)
    Path("board").mkdir()
    Path("board/leaderboard.toml").write_text(BOARD, "utf-8")
    for name in ("lemma", "lemma-wd"):
        for part, file in (("test", f"{name}.conll"), ("dev", f"{name}-dev.conll")):
            if file not in MADE:
                call = ("predict", "--system", name, "--split", part, "-o", file)
                assert cdec(*call).exit == 0
                MADE[file] = Path(file).read_bytes()
            Path(file).write_bytes(MADE[file])

    def run(command: str, *more: object) -> Ran:
        return cdec("leaderboard", *command.split(), *more, "--folder", "board")

    return run


def saved(task: str, name: str) -> dict[tuple[str, str], float]:
    """Return setting, metric → F1 in the saved results, of several runs the mean."""
    with Path("board/results.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["task"], row["system"]) == (task, name)]
    return {(row["setting"], row["metric"]): float(row["f1"]) for row in rows}


def test_the_saved_scores_are_those_of_eval(board: Board, cdec: Run) -> None:
    for task, end in (("sample", ""), ("dev", "-dev")):
        assert board(f"add lemma{end}.conll --name one --task {task}").exit == 0
    assert board("score -j 1").exit == 0
    for task, end in (("sample", ""), ("dev", "-dev")):
        call = f"eval lemma{end}.conll -s all --metric conll --metric lea -f json"
        rows = cdec(call).json["rows"]
        expected = {(row["setting"], row["metric"]): row["f1"] for row in rows}
        assert {key: saved(task, "one")[key] for key in expected} == expected
    shown = board("show --task sample -f json").json["rows"]
    values = {row["setting"]: row["f1"] for row in shown}
    assert values == {name: saved("sample", "one")[name, "conll"] for name in SETTINGS}


def test_runs_are_shown_as_mean_and_standard_deviation(board: Board, cdec: Run) -> None:
    assert board("add lemma.conll lemma-wd.conll --name two --task sample").exit == 0
    assert board("score -j 1").exit == 0
    f1 = [
        cdec(f"eval {name}.conll -s pure --metric conll -f json").json["rows"][0]["f1"]
        for name in ("lemma", "lemma-wd")
    ]
    mean, deviation = sum(f1) / 2, abs(f1[0] - f1[1]) / math.sqrt(2)
    assert saved("sample", "two")["pure", "conll"] == pytest.approx(mean)
    text = f"{100 * mean:.1f} ± {100 * deviation:.1f}"
    assert text in board("show --task sample -f markdown").out
    assert max(map(len, board("show --task sample").out.splitlines())) <= 80


def test_responses_to_a_task_are_replaced_by_new_ones(board: Board) -> None:
    board("add lemma.conll lemma-wd.conll --name one --task sample")
    board("add lemma-dev.conll --name one --task dev")
    system = Path("board/systems/one.toml")
    assert system.read_text("utf-8").count("[[responses]]") == 3
    assert board("add lemma-wd.conll --name one --task sample").exit == 0
    assert system.read_text("utf-8").count("[[responses]]") == 2


def test_runs_in_folders_of_their_own_may_have_one_name(board: Board) -> None:
    for number, run in enumerate(("lemma", "lemma-wd")):
        Path(f"seed{number}").mkdir()
        Path(f"{run}.conll").rename(f"seed{number}/out.conll")
    assert board("add seed0/out.conll seed1/out.conll --name two --task sample").exit == 0
    assert len({*Path("board/responses/two/sample").iterdir()}) == 2
    assert board("score -j 1").exit == 0


@pytest.mark.parametrize(("call", "code"), CASES["calls"].items())
def test_a_wrong_call_is_refused(board: Board, call: str, code: str) -> None:
    assert board("add lemma.conll --name mine --task sample").exit == 0
    assert board("score -j 1").exit == 0
    before = sorted(Path("board").rglob("*"))
    ran = board(call)
    assert (ran.exit != 0, ran.error) == (True, code), ran.err
    assert sorted(Path("board").rglob("*")) == before


def test_a_response_to_another_part_or_corpus_is_refused_when_it_is_added(board: Board) -> None:
    Path("other.jsonl").write_text('{"doc": "x", "start": 0, "end": 0, "chain": "1"}\n', "utf-8")
    Path("pairs.csv").write_text("a,b,score\nx/0-0,x/1-1,0.9\n", "utf-8")
    before = sorted(Path("board").rglob("*"))
    for file in ("lemma-dev.conll", "other.jsonl", "pairs:pairs.csv@0.5"):
        ran = board(f"add {file} --name one --task sample")
        assert ran.exit == 1, ran.out
        assert ran.error in ("mentions-disjoint", "mention-unknown"), ran.err
    assert sorted(Path("board").rglob("*")) == before
    assert board("add lemma.conll --name one --task sample").exit == 0


def test_a_site_is_a_folder(board: Board, cdec: Run) -> None:
    ran = cdec("leaderboard", "site", "--folder", "board", "-o", "/dev/full")
    assert (ran.exit, ran.error) == (1, "file-unwritable")
    assert "space" not in ran.err
    assert "folder" in ran.err


@pytest.mark.parametrize("case", CASES["descriptions"])
def test_a_wrong_description_is_refused(board: Board, case: str) -> None:
    Path("meta.toml").write_text(CASES["descriptions"][case], "utf-8")
    ran = board("add lemma.conll --name one --task sample --meta meta.toml")
    assert (ran.exit, ran.error) == (1, "file-invalid"), ran.err
    assert "meta.toml" in ran.said
    assert not Path("board/systems/one.toml").exists()


def test_an_unknown_field_of_the_board_or_a_system_is_refused(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    for path in (Path("board/leaderboard.toml"), Path("board/systems/one.toml")):
        text = path.read_text("utf-8")
        path.write_text(f"bogus = 1\n{text}", "utf-8")
        for command in ("score", "show"):
            ran = board(command)
            assert (ran.exit, ran.error) == (1, "file-invalid"), ran.err
            assert path.name in ran.said
        path.write_text(text, "utf-8")
    assert board("score -j 1").exit == 0


def test_a_changed_or_missing_response_is_refused(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    copy = Path("board/responses/one/sample/lemma.conll")
    assert copy.read_bytes() == Path("lemma.conll").read_bytes()
    shutil.copy("lemma-wd.conll", copy)
    assert board("score").error == "input-mismatch"
    copy.unlink()
    assert board("score").error == "argument-missing"


def test_a_response_that_is_not_copied_is_scored_from_its_folder(board: Board) -> None:
    board("add lemma.conll --name one --task sample --no-copy")
    assert not list(Path("board").rglob("*.conll"))
    assert board("score").error == "argument-missing"
    assert board("score --responses . -j 1").exit == 0
    shutil.copy("lemma-wd.conll", "lemma.conll")
    assert board("score --responses .").error == "input-mismatch"


def test_check_needs_every_result_and_no_other(board: Board) -> None:
    board("add lemma.conll --name one --task sample")
    assert board("score --check -j 1").exit == 1
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").exit == 0
    table = Path("board/results.csv")
    text = table.read_text("utf-8")
    head, *rows = text.splitlines(keepends=True)
    table.write_text("".join([head, *rows, *(r.replace(",one,", ",two,") for r in rows)]), "utf-8")
    assert board("score --check -j 1").exit == 1
    assert board("score -j 1").exit == 0
    assert table.read_text("utf-8") == text


def test_the_site_asks_nothing_of_others(board: Board, cdec: Run) -> None:
    board("add lemma.conll --name one --task sample")
    board("score -j 1")
    assert cdec("leaderboard", "site", "--folder", "board", "-o", "site").exit == 0
    pages = list(Path("site").rglob("*.html"))
    assert len(pages) > 2
    for page in pages:
        text = page.read_text("utf-8")
        assert "Content-Security-Policy" in text
        assert 'src="http' not in text and "<script>" not in text and "@import" not in text
    first = {path: path.read_bytes() for path in Path("site").rglob("*") if path.is_file()}
    assert cdec("leaderboard", "site", "--folder", "board", "-o", "again").exit == 0
    assert {path: Path("again", path.relative_to("site")).read_bytes() for path in first} == first
    Path("other").mkdir()
    Path("other/mine.txt").write_text("x")
    assert cdec("leaderboard", "site", "--folder", "board", "-o", "other").exit != 0
    assert [path.name for path in Path("other").iterdir()] == ["mine.txt"]


def test_every_change_of_a_result_is_found_or_has_no_effect(board: Board, cdec: Run) -> None:
    board("add lemma-wd-dev.conll --name two --task dev")
    board("add lemma.conll lemma-wd.conll --name one --task sample")
    assert board("score -j 1").exit == 0
    assert cdec("leaderboard", "site", "--folder", "board", "-o", "site").exit == 0
    table = Path("board/results.csv")
    text = table.read_text("utf-8")
    lines = list(csv.reader(text.splitlines()))
    head = lines[0]
    signature = head.index("signature")

    def found(rows: list[list[str]]) -> bool:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        table.write_text(written.getvalue(), "utf-8")
        return board("score two --check -j 1").exit == 1

    def with_one(row: int, column: int, value: str) -> list[list[str]]:
        return [
            [*each[:column], value, *each[column + 1 :]] if n == row else each
            for n, each in enumerate(lines)
        ]

    # The rows of two come last.
    of_two = [n for n, row in enumerate(lines) if row[:2] == ["dev", "two"]]
    for column, name in enumerate(head):
        full = [n for n in of_two if lines[n][column]]
        for number in full[:1] or of_two[:1]:
            for new in ("0.123", "") if full else ("0.123",):
                assert found(with_one(number, column, new)), (name, new)
        assert found([[*row[:column], *row[column + 1 :]] for row in lines]), name
    assert found([[*row, "0.9" if n else "f1_low"] for n, row in enumerate(lines)])
    assert found([*lines, lines[-1]])
    assert found(lines[:-1])
    assert found([*lines[: of_two[0]], *lines[: of_two[0] - 1 : -1]])
    fields = json.loads(lines[of_two[0]][signature])
    for field in fields:
        changed = json.dumps({**fields, field: "x y"})
        assert found(with_one(of_two[0], signature, changed)), field
    changed = json.dumps({**fields, "bogus": 1})
    assert found(with_one(of_two[0], signature, changed))
    assert board("score -j 1").exit == 0
    assert table.read_text("utf-8") == text


# What the head of a response declares.
DECLARED = json.loads((DATA / "declared.json").read_text("utf-8"))


def test_every_change_of_what_a_response_declares_is_found(board: Board) -> None:
    text = Path("lemma.conll").read_text("utf-8")
    Path("lemma.conll").write_text(f"# cdec: {json.dumps(DECLARED)}\n{text}", "utf-8")
    assert board("add lemma.conll --name one --task sample").exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").exit == 0
    system = Path("board/systems/one.toml")
    lines = system.read_text("utf-8").splitlines()
    assert "copied = true" in lines
    free = ("format", "title", "family", "copied", "people")  # only the declaration has these
    seen = set()
    for number, line in enumerate(lines):
        name, _, value = line.partition(" = ")
        if not value or name in free:
            continue
        seen.add(name)
        others = {"date": "'2024-01-01'", "currency": "'EUR'", "saw_test": "'no'"}
        other = others.get(name, "7" if value[0].isdigit() else "'gold'")
        for new in (f"{name} = {other}", ""):
            changed = [*lines[:number], new, *lines[number + 1 :]]
            system.write_text("\n".join(changed), "utf-8")
            assert board("score --check -j 1").exit != 0, (line, new)
    assert seen >= {*DECLARED} - {"uses"} | {"topics", "pairs", "digest", "path", "task", "name"}


@pytest.mark.parametrize("other", ["file", "chains"])
def test_a_response_that_another_system_has_is_found(board: Board, other: str) -> None:
    assert board("add lemma.conll --name one --task sample").exit == 0
    lines = Path("lemma.conll").read_text("utf-8").splitlines(keepends=True)
    if other == "chains":  # with other labels
        label = re.compile(r"(?<=[(|\t ])(\d+)(?=[)|\n(])")
        lines = [line if line.startswith("#") else label.sub(r"9\1", line) for line in lines]
    Path("copy.conll").write_text("".join(lines), "utf-8")
    assert board("add copy.conll --name mine --task sample").exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").error == "check-failed"


# ---- what a stranger hands in ----

DECLARATION = (DATA / "system.toml").read_text("utf-8")
FIELD = re.compile(r"^(\w+) = (.*)$", re.MULTILINE)
# A declaration is not valid without these: the last are those of the table published, responses.
NEEDED = ["format", "name", "title", "family", "cost", "currency"]
NEEDED += ["task", "f1", "source", "task", "path", "digest"]
# Any text will do; nothing is opened because it is named there.
FREE = ["title", "family", "paper", "url", "licence", "note", "recipe", "trained_on", "tuned_on"]
FREE += ["model", "infrastructure", "source"]


def digest(path: str) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()


@pytest.fixture
def declared(board: Board) -> Path:
    """Return the declaration of a system, whose scores are saved, with all of its fields."""
    path = Path("board/systems/one.toml")
    path.parent.mkdir()
    Path("board/responses/one/sample").mkdir(parents=True)
    shutil.copy("lemma.conll", "board/responses/one/sample/lemma.conll")
    path.write_text(DECLARATION.format(digest=digest("lemma.conll")), "utf-8")
    with Path("board/leaderboard.toml").open("a", encoding="utf-8") as file:
        file.write('[families]\nfamous = ["another"]\n')
    results = Path("board/results.csv")
    if "results" not in MADE:
        assert board("score -j 1").exit == 0
        assert board("score --check -j 1").exit == 0
        MADE["results"] = results.read_bytes()
    results.write_bytes(MADE["results"])
    return path


def lines_of(text: str) -> list[re.Match[str]]:
    """Return the lines of a declaration that give a field a value."""
    return [*FIELD.finditer(text)]


def test_a_field_that_is_absent_is_refused_or_has_no_effect(board: Board, declared: Path) -> None:
    text = declared.read_text("utf-8")
    refused = []
    harmless = text
    for line in lines_of(text):
        declared.write_text(text[: line.start()] + text[line.end() :], "utf-8")
        ran = board("show --task sample")
        if ran.exit:
            assert ran.error == "file-invalid", (line[0], ran.err)
            refused.append(line[1])
        else:
            harmless = harmless.replace(line[0], "", 1)
    assert refused == NEEDED
    declared.write_text(harmless, "utf-8")
    assert board("score --check -j 1").exit == 0


def test_a_field_or_a_table_that_is_doubled_is_refused(board: Board, declared: Path) -> None:
    text = declared.read_text("utf-8")
    for line in lines_of(text):
        declared.write_text(text.replace(line[0], f"{line[0]}\n{line[0]}", 1), "utf-8")
        assert board("show --task sample").error == "file-invalid", line[0]
    tables = text.split("\n\n")[1:]
    codes = ["file-invalid", "file-invalid", "name-duplicate"]  # uses, published, responses
    for table, code in zip(tables, codes, strict=True):
        declared.write_text(f"{text}\n{table}\n", "utf-8")
        for command in ("show --task sample", "score -j 1", "score --check -j 1"):
            assert board(command).error == code, (table, command)


@pytest.mark.parametrize("value", ["a" * 300, "a/" * 2000 + "a"])
def test_a_path_that_no_file_system_has_is_refused(
    board: Board, declared: Path, value: str
) -> None:
    text = declared.read_text("utf-8")
    declared.write_text(text.replace("one/sample/lemma.conll", value), "utf-8")
    for command in ("show --task sample", "score -j 1"):
        assert board(command).error == "file-invalid"


@pytest.mark.parametrize("field", ["year", "seed"])
def test_a_number_beyond_the_integers_of_a_table_is_refused(
    board: Board, declared: Path, field: str
) -> None:
    text = declared.read_text("utf-8")
    changed = re.sub(f"^{field} = .*$", f"{field} = {10**30}", text, flags=re.MULTILINE)
    declared.write_text(changed, "utf-8")
    assert board("show --task sample").error == "file-invalid"


@pytest.mark.parametrize("value", ["/etc/passwd", "../../secret", "one/../../../secret", "a//b"])
def test_a_path_in_a_field_opens_nothing(board: Board, declared: Path, value: str) -> None:
    Path("secret").write_text("a line that is nobody's business\n", "utf-8")
    text = declared.read_text("utf-8")
    text += 'key = "x"\n'
    harmless = text
    for line in lines_of(text):
        new = f'{line[1]} = "{value}"'
        if line[1] in FREE:
            harmless = harmless.replace(line[0], new, 1)
            continue
        declared.write_text(text[: line.start()] + new + text[line.end() :], "utf-8")
        for command in ("show --task sample", "score --check -j 1"):
            ran = board(command)
            assert (ran.exit, ran.error) == (1, "file-invalid"), (new, ran.err)
            assert "root:" not in ran.out + ran.err
            assert "business" not in ran.out + ran.err
    declared.write_text(harmless.replace('key = "x"\n', ""), "utf-8")
    ran = board("score --check -j 1")
    assert ran.exit == 0
    assert "root:" not in ran.out + ran.err


@pytest.mark.parametrize("link", CASES["links"]["places"])
def test_a_link_in_the_folder_is_refused(board: Board, declared: Path, link: str) -> None:
    path = Path("board", link)
    path.rename("moved")
    path.symlink_to(Path("moved").resolve())
    assert declared.is_file()
    commands = ["score -j 1", "score --check -j 1"]
    if not link.startswith("responses"):
        commands += ["show --task sample"]
    before = Path("moved").read_bytes() if Path("moved").is_file() else b""
    for command in commands:
        ran = board(command)
        assert (ran.exit, ran.error) == (1, "file-invalid"), (command, ran.err)
        assert "moved" not in ran.said
    assert not before or Path("moved").read_bytes() == before


def test_add_writes_through_no_link(board: Board) -> None:
    Path("elsewhere").mkdir()
    Path("board/responses").symlink_to(Path("elsewhere").resolve())
    ran = board("add lemma.conll --name one --task sample")
    assert (ran.exit, ran.error) == (1, "file-invalid")
    assert not [*Path("elsewhere").iterdir()]


def test_a_response_that_is_not_copied_needs_a_path_inside(board: Board) -> None:
    call = ["--name=one", "--task=sample", "--no-copy"]
    ran = board("add", Path("lemma.conll").resolve(), *call)
    assert ran.error == "argument-invalid"
    assert not Path("board/systems").exists()


def test_another_digest_or_family_is_reported(board: Board, declared: Path) -> None:
    text = declared.read_text("utf-8")
    response = text[text.index("[[responses]]") :]
    other = response.replace(digest("lemma.conll"), digest("lemma-wd.conll"))
    declared.write_text(text.replace(response, other), "utf-8")
    for command in ("score -j 1", "score --check -j 1"):
        assert board(command).error == "input-mismatch"
    declared.write_text(text.replace('family = "one"', 'family = "famous"'), "utf-8")
    assert board("score --check -j 1").error == "check-failed"
    declared.write_text(text.replace('family = "one"', 'family = "nobody"'), "utf-8")
    assert board("score --check -j 1").exit == 0


def test_a_key_needs_a_digest_of_the_maintainer(board: Board, declared: Path) -> None:
    tokens = ("a\t(1)", "b\t(1)", "c\t(2)", "d\t(2)")
    rows = "".join(f"d\t0\t{number}\t{token}\n" for number, token in enumerate(tokens))
    text = f"#begin document (d); part 000\n{rows}\n#end document\n"
    for name in ("key", "response"):
        Path(f"board/responses/one/{name}.conll").write_text(text, "utf-8")
    declaration = declared.read_text("utf-8")
    declaration = declaration.replace("one/sample/lemma.conll", "one/response.conll")
    head, _, response = declaration.partition("[[responses]]")
    response = re.sub("[0-9a-f]{64}", digest("board/responses/one/key.conll"), response)
    declared.write_text(f'{head}[[responses]]{response}key = "one/key.conll"\n', "utf-8")
    for command in ("score -j 1", "score --check -j 1", "show --task sample"):
        assert board(command).error == "file-invalid"
    rules = Path("board/leaderboard.toml")
    allowed = f'keys = {{ "one/key.conll" = "{digest("board/responses/one/key.conll")}" }}\n'
    rules.write_text(BOARD.replace('split = "dev"\n', f'split = "dev"\n{allowed}'), "utf-8")
    assert board("score -j 1").error == "file-invalid"  # a key of another task
    rules.write_text(BOARD.replace('split = "test"\n', f'split = "test"\n{allowed}'), "utf-8")
    assert board("score -j 1").exit == 0
    Path("board/responses/one/key.conll").write_text(text.replace("(2)", "(1)"), "utf-8")
    assert board("score -j 1").error == "input-mismatch"


@pytest.mark.parametrize("field", ["title", "note", "source", "path"])
@pytest.mark.parametrize("sign", ["\\u202E", "\\u001B[31m", "\\n", "\\u2066"])
def test_a_text_that_cannot_be_printed_is_refused(
    board: Board, declared: Path, field: str, sign: str
) -> None:
    text = declared.read_text("utf-8")
    changed = re.sub(f'^{field} = "', lambda start: start[0] + sign, text, flags=re.MULTILINE)
    declared.write_text(changed, "utf-8")
    ran = board("show --task sample")
    assert (ran.exit, ran.error) == (1, "file-invalid")
    assert ran.said.isprintable()


@pytest.mark.parametrize("change", ["setting = 'nope'", "metric = 'nope'", "f1 = 2", "task = 'x'"])
def test_a_published_score_of_no_cell_is_refused(board: Board, declared: Path, change: str) -> None:
    text = declared.read_text("utf-8")
    field = change.partition(" ")[0]
    head, _, published = text.partition("[[published]]")
    published = re.sub(f"^{field} = .*$", change, published, count=1, flags=re.MULTILINE)
    declared.write_text(f"{head}[[published]]{published}", "utf-8")
    assert board("show --task sample").error == "file-invalid"


def gold(part: str = "test") -> list[dict[str, str]]:
    """Return the mentions of the key of the sample with their chains, as records."""
    chains = package.load_corpus("sample", part).selected["chain"]
    return [{"mention": str(mention), "chain": chain} for mention, chain in chains.items()]


def write(rows: list[dict[str, str]], name: str) -> str:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return name


def without_singletons(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    chains = [row["chain"] for row in rows]
    return [row for row in rows if chains.count(row["chain"]) > 1]


def test_the_key_is_refused_as_a_response(board: Board) -> None:
    key = gold()
    renamed = [row | {"chain": f"x{row['chain']}"} for row in key]
    for rows in (key, renamed[::-1], without_singletons(key)):
        file = write(rows, "copy.jsonl")
        ran = board(f"add {file} --name cheat --task sample")
        assert (ran.exit, ran.error) == (1, "name-duplicate")
        assert not Path("board/systems/cheat.toml").exists()
    assert board("add copy.jsonl --name cheat --task sample --allow-key").exit == 0
    assert board("score -j 1").exit == 0
    ran = board("score --check -j 1")
    assert (ran.exit, ran.error) == (1, "check-failed")
    with Path("board/leaderboard.toml").open("a", encoding="utf-8") as rules:
        rules.write("\n")
    text = Path("board/leaderboard.toml").read_text("utf-8")
    rules_text = text.replace("[[tasks]]", 'upper_bounds = ["cheat"]\n[[tasks]]', 1)
    Path("board/leaderboard.toml").write_text(rules_text, "utf-8")
    ran = board("score --check -j 1")
    assert ran.exit == 0
    assert "cheat" in ran.out


def test_nearly_the_key_and_half_of_it_are_listed(board: Board) -> None:
    key = gold()
    chains = [row["chain"] for row in key]
    pair = next(chain for chain in chains if chains.count(chain) == 2)
    first = chains.index(pair)
    nearly = [*key[:first], key[first] | {"chain": "alone"}, *key[first + 1 :]]
    assert board("add", write(nearly, "nearly.jsonl"), "--name=nearly", "--task=sample").exit == 0
    half = key[: len(key) // 2]
    assert board("add", write(half, "half.jsonl"), "--name=half", "--task=sample").exit == 0
    assert board("score -j 1").exit == 0
    ran = board("score --check -j 1")
    assert ran.error == "check-failed"
    assert [line.partition(",")[0] for line in ran.out.splitlines()][:2] == ["half", "nearly"]


def test_coverage_is_a_column_a_mark_and_a_line(board: Board, cdec: Run) -> None:
    wrong = [row | {"chain": str(number // 3)} for number, row in enumerate(gold())]
    covered = len(wrong) // 2
    half = write(wrong[:covered], "half.jsonl")
    assert board("add", half, "--name=half", "--task=sample").exit == 0
    assert board("add lemma.conll --name whole --task sample").exit == 0
    assert board("score -j 1").exit == 0
    ran = board("score --check -j 1")
    assert ran.exit == 0
    lines = [line for line in ran.out.splitlines() if "half" in line]
    percent = f"{math.floor(1000 * covered / len(wrong)) / 10:.1f} %"
    assert len(lines) == 1
    assert percent in lines[0]
    rows = board("show --task sample -f json").json["rows"]
    shares = {row["system"]: row["coverage"] for row in rows}
    assert shares == {"half": covered / len(wrong), "whole": 1}
    assert percent in board("show --task sample").out
    assert cdec("leaderboard", "site", "--folder", "board", "-o", "site").exit == 0
    for page in ("index.html", "task/sample/index.html", "task/sample/lea.html"):
        assert Path("site", page).read_text("utf-8").count(percent) == 1
    table = Path("board/results.csv")
    table.write_text(table.read_text("utf-8").replace(str(covered / len(wrong)), "1.0"), "utf-8")
    assert board("score --check -j 1").error == "check-failed"


@pytest.mark.parametrize("share", [1.0, 0.995, 0.9])
def test_equal_and_nearly_equal_chains_of_two_systems_are_reported(
    board: Board, share: float
) -> None:
    rows = [row | {"chain": str(number // 3)} for number, row in enumerate(gold())]
    changed = len(rows) - math.ceil(share * len(rows))
    other = [row | {"chain": f"x{row['chain']}"} for row in rows]
    for number in range(changed):  # of one chain after the other, so that others stay equal
        other[number]["chain"] = f"y{number}"
    Path("meta.toml").write_text('family = "one"\n', "utf-8")
    assert board("add", write(rows, "a.jsonl"), "--name=one", "--task=sample").exit == 0
    call = ["--name=two", "--task=sample", "--meta=meta.toml"]
    assert board("add", write(other, "b.jsonl"), *call).exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").error == ("check-failed" if share > 0.99 else "")
    with Path("board/leaderboard.toml").open("a", encoding="utf-8") as rules:
        rules.write('[families]\none = ["one", "two"]\n')
    ran = board("score --check -j 1")
    assert ran.exit == 0
    assert ("one and two" in ran.out) == (share > 0.99)


def test_runs_with_equal_chains_are_found(board: Board) -> None:
    text = Path("lemma.conll").read_text("utf-8")
    Path("again.conll").write_text(f"# another comment\n{text}", "utf-8")
    assert board("add lemma.conll again.conll --name one --task sample").exit == 0
    assert board("score -j 1").exit == 0
    assert board("score --check -j 1").error == "check-failed"
    ran = board("add lemma.conll lemma.conll --name one --task sample")
    assert (ran.exit, ran.error) == (1, "name-duplicate")


def test_two_calls_at_once_keep_the_rows_of_both(board: Board) -> None:
    names = {"s0": "lemma", "s1": "lemma-wd"}
    for name, file in names.items():
        assert board(f"add {file}.conll --name {name} --task sample").exit == 0
    calls = []
    for name in names:
        call = [sys.executable, "-m", "cdec", "leaderboard", "score", name, "-j", "1"]
        calls.append(subprocess.Popen([*call, "--folder", "board"]))
    assert [call.wait() for call in calls] == [0, 0]
    for name in names:
        assert len(saved("sample", name)) == 60
    assert board("score --check -j 1").exit == 0
    assert {path.name for path in Path("board").iterdir()} == {
        *("leaderboard.toml", "systems", "responses", "results.csv")
    }


@pytest.mark.parametrize("row", [1, 2, -1])
@pytest.mark.parametrize("change", ["further", "fewer", "setting", "metric"])
def test_a_row_that_is_no_row_of_the_table_is_refused(
    board: Board, declared: Path, row: int, change: str
) -> None:
    table = Path("board/results.csv")
    lines = [*csv.reader(table.read_text("utf-8").splitlines())]
    cells = lines[row]
    changed = {
        "further": [*cells, "junk"],
        "fewer": cells[:-1],
        "setting": [*cells[:2], "nope", *cells[3:]],
        "metric": [*cells[:3], "nope", *cells[4:]],
    }
    lines[row] = changed[change]
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
    assert declared.is_file()
    for command in ("show --task sample", "score one -j 1"):
        ran = board(command)
        assert (ran.exit, ran.error) == (1, "file-invalid")
        assert f"results.csv:{row % len(lines) + 1}" in ran.said
    invalid = table.read_bytes()
    assert board("score -j 1").exit == 0
    assert Path("board/results.csv.old").read_bytes() == invalid
    assert board("score --check -j 1").exit == 0
