"""Our leaderboard: its files are valid, its results are those of the published responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.leaderboards import (
    Leaderboard,
    Published,
    Study,
    TaskView,
    differences,
    saved_results,
    score_board,
    table_page,
)

FOLDER = Path(__file__).parents[2] / "configs" / "leaderboard"
OURS = "cdec-"  # written by `cdec predict`, in none of the archives
SAMPLE = "barhom-2019-"
LATER = "cdec-sac-plus"  # not in the study


def test_every_system_has_results() -> None:
    board = Leaderboard.at(FOLDER)
    saved = saved_results(board)
    tasks = Counter(task for _, task in saved)
    assert len(saved) == len(board.jobs())
    of_the_study = ("ecb+", "gvc", "gvc-1008", "fcc-t", "fcc-t-1046")
    assert sum(tasks[task] for task in of_the_study) == 179
    # The systems of ecb+ and two people; people and baselines; also GPT-4.
    again = (tasks["ecb+847"], tasks["ecb+dev"], tasks["ecb+dev-120"])
    assert again == (tasks["ecb+"] + 2, 2 + 4, 2 + 4 + 2)
    for (system, task), results in saved.items():
        answers = board.systems[system].answers(task)
        for result in results:
            if answers[0].pairs:  # the digest is that of their chains
                fields = result.signature.fields
                how = f"{fields['threshold']}/{fields['clustering']}"
                assert fields["pairs"] and how == answers[0].pairs
                continue
            digests = result.signature.fields["response_digest"]
            named = [*digests] if isinstance(digests, tuple) else [digests]
            assert named == [answer.digest for answer in answers]


def test_the_study_is_about_these_results() -> None:
    board, study = Leaderboard.at(FOLDER), Study.read(FOLDER / "study")
    f1 = TaskView.of(study, "ecb+").f1
    for (system, task), results in saved_results(board).items():
        known = task == "ecb+" and system != LATER
        for result in results if known else ():
            conll = result["conll"].f1
            assert f1.loc[system, (result.setting, "conll")] == pytest.approx(conll, abs=1e-6)


def test_the_published_values_are_ours() -> None:
    """The authors' CoNLL, as exact as they print it; every response of theirs has one."""
    board, values = Leaderboard.at(FOLDER), 0
    for (system, task), results in saved_results(board).items():
        entry = board.systems[system]
        published = [value for value in entry.published if value.task == task]
        own = system.startswith((OURS, "xamr-")) or board.tasks[task].responses_of
        assert len(published) == (not own) or entry.made_from
        for value in published:
            assert results[value.setting][value.metric].f1 == pytest.approx(
                value.f1, abs=_digits(value)
            )
            values += 1
    assert values == 157


def test_people_are_beside_the_systems_and_the_study_has_neither() -> None:
    board, study = Leaderboard.at(FOLDER), Study.read(FOLDER / "study")
    page = table_page(board, "ecb+847", [], "conll")
    assert page.table is not None
    unranked = {name for name, entry in board.systems.items() if not entry.ranked}
    assert {*[row[0] for row in page.table.texts][:5]} == unranked
    assert unranked >= {"xamr-annotator-1", "xamr-annotator-2", "ahmed-2023-xamr-people"}
    assert page.table.best
    assert page.table.unranked == [0, 1, 2, 3, 4]
    assert {*board.systems} - {*study.systems["name"]} == {
        *(name for name in board.systems if name.startswith("xamr")),
        LATER,
    }
    simple = {
        (system, task): results["simple"]["conll"].f1
        for (system, task), results in saved_results(board, "ecb+847").items()
    }
    values = [simple[f"xamr-annotator-{number}", "ecb+847"] for number in (1, 2)]
    assert values == pytest.approx([0.727, 0.618], abs=5e-4)


def _digits(value: Published) -> float:
    """Return the precision of a published value: that of its file."""
    known = {"one digit": 0.5001e-3, "two digits": 0.5001e-4, "six digits": 0.5001e-6}
    return next((d for name, d in known.items() if value.source.endswith(name)), 1e-9)


def changes(root: Path, ecbplus: Path, corpora: Path, prefix: str) -> tuple[int, list[str]]:
    board = Leaderboard.at(FOLDER, root)
    archived = (name for name, entry in board.systems.items() if board.is_in_archive(entry))
    only = [name for name in archived if name.startswith(prefix)]
    named = {"ecb+": ecbplus, "gvc": corpora / "GVC", "fcc-t": corpora / "FCC-T"}
    scoring = score_board(board, {n: str(p) for n, p in named.items()}, jobs=1, only=only)
    scored = list(scoring)
    wrong = (str(one) for one in differences(board, scored))
    return len(scored), list(wrong)


def test_a_sample_of_the_results(
    unpacked: Callable[..., Path], ecbplus: Path, corpora: Path
) -> None:
    root = unpacked("ba2019") / "ba2019"
    assert changes(root, ecbplus, corpora, SAMPLE) == (8, [])


@pytest.mark.slow
def test_all_results(
    unpacked: Callable[..., Path], ecbplus: Path, corpora: Path, tmp_path: Path
) -> None:
    for archive in ("ba2019", "feature-based", "hypercoref_conll"):
        for path in (unpacked(archive) / archive).iterdir():
            (tmp_path / path.name).symlink_to(path)
    assert changes(tmp_path, ecbplus, corpora, "") == (145 + 54 + 8, [])
