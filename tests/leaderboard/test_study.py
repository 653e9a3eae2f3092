"""The study: its test is that of `cdec compare`, and nothing but input and seed changes it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cdec import compare, load_corpus
from cdec.evaluation import SystemRun
from cdec.leaderboards import (
    MAIN,
    Leaderboard,
    Scored,
    Study,
    leaks_section,
    resampled,
    score_board,
    study_page,
)
from cdec.leaderboards.study.tables import study
from cdec.render.page import Chart, Text
from cdec.settings import SETTINGS
from cdec.statistics import Plan

ROOT = Path(__file__).parents[2]
SHIPPED, DOCS = ROOT / "configs" / "leaderboard", ROOT / "docs"
PLAN = Plan(unit="topic", resamples=40)
PURE = SETTINGS["pure"]


@pytest.fixture
def scored(board: Leaderboard) -> list[Scored]:
    return list(score_board(board, jobs=1))


def runs(scored: list[Scored]) -> dict[str, list[SystemRun]]:
    return {one.entry.name: [run.system for run in one.runs] for one in scored}


def test_the_paired_test_is_that_of_compare(scored: list[Scored], files: dict[str, Path]) -> None:
    """One run against two, and the interval of the difference excludes 0 where p < 0.05."""
    corpus = load_corpus("sample", "test")
    both = f"runs={files['lemma']},{files['lemma-2']}"
    wanted = compare(corpus, [both, f"wd={files['lemma-wd']}"], metrics="conll", plan=PLAN)
    row = wanted.to_frame().iloc[0]
    names = [one.entry.name for one in scored]
    part = resampled(runs(scored), [PURE], PLAN, 1)["pure"]
    p, half = part.differences()
    at = names.index("runs"), names.index("wd")
    assert p[at] == pytest.approx(row["p"], abs=1e-9)
    gap = np.abs(part.estimate[:, None, MAIN] - part.estimate[None, :, MAIN])
    decided = gap > 1e-9
    assert ((gap > half) == (p < 0.05))[decided].all()


def test_other_systems_change_nothing(scored: list[Scored]) -> None:
    whole = resampled(runs(scored), [PURE], PLAN, 1)["pure"]
    part = resampled(runs(scored[::-1][:2]), [PURE], PLAN, 1)["pure"]
    assert (whole.low[::-1][:2] == part.low).all()
    assert whole.differences()[0][-1, -2] == part.differences()[0][0, 1]


@pytest.mark.slow
def test_hash_seed_and_jobs_change_no_byte(board: Leaderboard, tmp_path: Path) -> None:
    made = []
    for seed, cores in (("1", "1"), ("2", "2")):
        more = {"PYTHONHASHSEED": seed, "LOKY_MAX_CPU_COUNT": cores, "CDEC_CACHE": tmp_path / seed}
        call = ["leaderboard", "study", "--folder", board.folder, "--resamples", "20", "-q"]
        line = [sys.executable, "-m", "cdec", *map(str, call)]
        subprocess.run(line, env={**os.environ, **{n: str(v) for n, v in more.items()}}, check=True)
        files = sorted((board.folder / "study").glob("*.csv"))
        made.append([path.read_bytes() for path in files])
    assert made[0] == made[1]
    assert len(made[0]) == 7


def test_leaks_say_what_the_file_shows(scored: list[Scored], board: Leaderboard) -> None:
    table = study(board, scored, PLAN, jobs=1)
    cases = {("gold", 0): "agrees", ("gold", 1): "contradicted"}
    cases |= {("none", 0): "possible", ("none", 1): "excluded"}
    for (use, crossing), expected in cases.items():
        systems = table.systems.assign(topics=use)
        leaks = table.leaks.assign(topic=1, subtopic=1, closure=crossing, singletons=crossing)
        shown = leaks_section(replace(table, systems=systems, leaks=leaks), "sample").data
        assert set(shown["Gold topics, by the file"]) == {expected}
        single = "excluded" if crossing else "possible"
        assert set(shown["Gold singletons, by the file"]) == {single}


def test_the_sentence_on_transfer_has_its_interval() -> None:
    """HyperCoref-BBC against ECB+: the page of the published systems says it with its test."""
    page = study_page(Study.read(SHIPPED / "study"), Leaderboard.at(SHIPPED).file.study, False)
    texts = [block.text for block in page.sections[0].blocks if isinstance(block, Text)]
    pairs = [text for text in texts if "cattan-bbc-gold against cattan-ecbp-gold" in text]
    assert len(pairs) == 1
    assert pairs[0].count("95 % interval") == 2
    assert pairs[0].count("p = ") == 2


def test_settings_decide_has_a_picture_and_sentences_of_the_study() -> None:
    """The page is written by hand; what it quotes and draws is of the shipped tables."""
    page = study_page(Study.read(SHIPPED / "study"), Leaderboard.at(SHIPPED).file.study)
    sections = page.sections
    (pictures,) = [section for section in sections if section.id == "pictures-ecb+"]
    ranks = pictures.blocks[0]
    assert isinstance(ranks, Chart)
    assert isinstance(ranks.svg, str)
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        (DOCS / "settings-decide.svg").write_text(ranks.svg, "utf-8")
    assert (DOCS / "settings-decide.svg").read_text("utf-8") == ranks.svg
    texts = {block.text for block in sections[0].blocks if isinstance(block, Text)}
    written = (DOCS / "settings-decide.md").read_text("utf-8")
    quoted = {
        line[2:].replace("\\<", "<") for line in written.splitlines() if line.startswith("> ")
    }
    assert quoted - texts == set()
    assert len(quoted) == 5
    tables = (DOCS / "settings-decide-orders.md").read_text("utf-8").splitlines()
    pairs = {line for line in written.splitlines() if " | +" in line}
    assert len(pairs) == 1
    assert pairs <= {*tables}


def test_every_published_system_declares_its_gold() -> None:
    systems = Study.read(SHIPPED / "study").systems
    assert systems[["mentions", "sentences", "topics"]].notna().all().all()
