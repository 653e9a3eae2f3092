"""A board of one's own: nothing on its page, in its study or its tables is about other systems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdec import load_corpus, predict
from cdec.errors import ScoringError
from cdec.formats import from_corpus, write
from cdec.leaderboards import (
    BOARD,
    BOARD_FILE,
    Addition,
    Leaderboard,
    Study,
    add_system,
    save_result,
    score_board,
    strata_of,
    study_page,
)
from cdec.leaderboards.board_page import board_page
from cdec.leaderboards.site import site_files
from cdec.leaderboards.study.tables import study
from cdec.render import Page, render
from cdec.settings import SETTINGS
from cdec.statistics import Plan
from tests.refusals import refused

SHIPPED = Path(__file__).parents[2] / "configs" / "leaderboard" / BOARD
# A word with a capital letter inside a sentence.
_NAME = re.compile(r"(?<![.:] )(?<!^)(?<![\w+-])[\w+-]*[A-Z][\w+-]*")
_LABELS = re.compile("|".join(re.escape(setting.label) for setting in SETTINGS.values()))


def texts(value: Any) -> Iterator[str]:
    """All texts of a file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def proper_names() -> set[str]:
    """The proper names of the shipped board: of corpora, systems, authors and training data."""
    file = BOARD_FILE.read_toml(SHIPPED)
    assert file.study.without and file.study.transfer
    words = (_LABELS.sub("", text) for text in texts(file.model_dump()))
    found = {name for text in words for name in _NAME.findall(text)}
    tasks = {text for task in file.tasks for text in (task.name, task.corpus, task.split)}
    of_systems = {name.strip("-") for name in texts(file.study.transfer.same)}
    given = {file.study.transfer.here, file.study.transfer.elsewhere}
    return (found | tasks | of_systems | given) - {"test"}


@pytest.fixture
def own(tmp_path: Path) -> Leaderboard:
    """Two systems, one topic, no dev part, names in Russian; names of systems as ours begin."""
    records: list[dict[str, Any]] = [
        {"record": "corpus", "format": "cdec-corpus/1", "name": "пожары", "version": "1"}
    ]
    for number in range(4):
        doc, chains = f"текст-{number}", ("пожар" if number < 3 else "искра", f"дым-{number // 2}")
        words = [["огонь", "горит", "и", "пожар", "тушат", "."]]
        about = {"topic": "пожары", "subtopic": "мельница", "language": "ru"}
        records.append({"record": "document", "id": doc, **about, "sentences": words})
        records += [
            {"record": "mention", "id": str(at), "doc": doc, "tokens": [at], "chain": chain}
            for at, chain in zip((1, 4), chains, strict=True)
        ]
    corpus_path = tmp_path / "пожары.jsonl"
    corpus_path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / BOARD).write_text(
        f'format = "cdec-leaderboard/1"\ntitle = "Наши системы"\n[[tasks]]\nname = "ogon"\n'
        f'title = "Пожары"\ncorpus = "{corpus_path}"\nsplit = "all"\n',
        "utf-8",
    )
    corpus, board = load_corpus(str(corpus_path), "all"), Leaderboard.at(folder)
    for name in ("lemma", "lemma-wd"):
        path = tmp_path / f"{name}.conll"
        write(from_corpus(corpus, predict(corpus, name)).numbered(), path, "conll")
        add_system(board, Addition(f"cdec-{name}", [path], "ogon"))
    return Leaderboard.at(folder)


def studied(board: Leaderboard) -> Study:
    """The study of the board, saved in its folder."""
    scored = list(score_board(board, jobs=1))
    for one in scored:
        save_result(board, one)
    made = study(board, scored, Plan(unit="topic", resamples=10), jobs=1)
    made.save(board.folder / "study")
    return made


def shown(board: Leaderboard) -> str:
    """Pages, site and tables of the board."""
    pages = (board_page(board), of_study(board))
    kinds = ("html", "markdown", "latex", "csv", "json")
    files = (data.decode() for data in site_files(board).values())
    return "\n".join([*(render(page, kind) for page in pages for kind in kinds), *files])


def of_study(board: Leaderboard) -> Page:
    """The page of the study in the folder of the board."""
    return study_page(Study.read(board.folder / "study"), board.file.study)


def test_no_name_of_the_shipped_board(own: Leaderboard) -> None:
    studied(own)
    text = shown(own).replace("cdec-lemma", "")
    names = proper_names()
    assert {"ECB+", "GVC", "Cattan", "HyperCoref-BBC", "cattan-bbc-gold"} <= names
    for name in names:
        assert not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), name
    assert "Without" not in text


def test_the_facts_of_a_board_are_on_its_page(own: Leaderboard) -> None:
    """The shipped facts are there if the board has them; an empty list has no section."""
    studied(own)
    path = own.folder / BOARD
    plain = path.read_text("utf-8")
    path.write_text(plain + '[study]\nlimits = ["Только один город."]\n', "utf-8")
    assert "Только один город." in render(of_study(Leaderboard.at(own.folder)), "markdown")
    path.write_text(plain + "[study]\nlimits = []\n", "utf-8")
    sections = of_study(Leaderboard.at(own.folder)).sections
    assert "limits" not in {section.id for section in sections}
    path.write_text(plain + '[study]\nlimit = ["x"]\n', "utf-8")
    with refused("config-invalid"):
        Leaderboard.at(own.folder)


@pytest.mark.filterwarnings("error")
def test_one_system_has_no_order(own: Leaderboard) -> None:
    (own.folder / "systems" / "cdec-lemma-wd.toml").unlink()
    own = Leaderboard.at(own.folder)
    studied(own)
    ids = {section.id for section in of_study(own).sections}
    assert "scores-ogon" in ids and "findings" not in ids


def test_strata_of_a_board(board: Leaderboard) -> None:
    page = strata_of(board, "sample", [], setting="simple", by="seen-lemma")
    table = page.data[page.data["metric"] == "blanc_coref"]
    sums = table[table["level"] != "all"].groupby("system")[["r_den", "p_den"]].sum()
    whole = table[table["level"] == "all"].set_index("system")[["r_den", "p_den"]]
    assert sums.sort_index().equals(whole.sort_index())
    assert sorted(whole.index) == ["runs", "single", "wd"]
    (board.root / board.systems["wd"].responses[0].path).unlink()
    fewer = strata_of(board, "sample", [], setting="simple", by="size")
    assert set(fewer.data["system"].dropna()) == {"runs", "single"}
    assert "left out: 1 system" in str(fewer.sections[-1].blocks)
    with pytest.raises(ScoringError):
        strata_of(board, "sample", ["wd"], setting="simple", by="size")
