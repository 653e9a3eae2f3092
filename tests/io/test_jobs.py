"""Divisible work on this machine: order, memory, errors, and who does it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from joblib import parallel_config

from cdec.errors import CdecError
from cdec.io import AHEAD, chosen_jobs, jobs, mapped, workers
from tests.refusals import refused


def made(number: int, taken: list[int]) -> Iterator[int]:
    for item in range(number):
        taken.append(item)
        yield item


def test_without_workers_this_process_works_item_by_item() -> None:
    taken: list[int] = []
    answers = mapped(divmod, made(5, taken), (2,))
    assert next(answers) == (0, 0)
    assert taken == [0]
    assert [*answers] == [(0, 1), (1, 0), (1, 1), (2, 0)]
    assert chosen_jobs() == 1


def test_threads_keep_the_order_and_take_no_more_than_they_need() -> None:
    taken: list[int] = []
    with workers(2):
        assert chosen_jobs() == 2
        answers = mapped(divmod, made(50, taken), (7,), threads=True)
        first = [next(answers) for _ in range(3)]
        assert len(taken) == 2 * AHEAD
        assert [*first, *answers] == [divmod(item, 7) for item in range(50)]
    assert chosen_jobs() == 1


def test_processes_give_the_same_answers_and_errors() -> None:
    rows = [np.arange(10) + number for number in range(9)]
    with workers(2):
        assert [*mapped(np.dot, rows, (np.ones(10),))] == [row.sum() for row in rows]
        with pytest.raises(ZeroDivisionError):
            list(mapped(divmod, [1, 2], (0,)))
        with pytest.raises(CdecError) as error:
            list(mapped(os._exit, [0, 0]))
    assert error.value.code == "scheduler-lost"


def test_work_that_is_not_worth_it_stays_here() -> None:
    with workers(2):
        assert {*mapped(_process, range(4), worth=False)} == {os.getpid()}


def test_the_configuration_of_joblib_counts() -> None:
    with parallel_config("threading", n_jobs=2):
        assert [*mapped(divmod, range(4), (3,))] == [divmod(item, 3) for item in range(4)]


@pytest.mark.parametrize("number", [0, -1, 1025])
def test_a_number_of_jobs_out_of_range(number: int) -> None:
    with refused("parameter-invalid", "1,024"), workers(number):
        pass


def test_workers_import_nothing_from_the_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with workers(1):
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert "PYTHONSAFEPATH" not in os.environ


def test_an_error_of_the_work_is_raised_as_it_is() -> None:
    with workers(2), pytest.raises(ZeroDivisionError):
        list(jobs.mapped(divmod, [1], (0,), threads=True))


def _process(_: int) -> int:
    return os.getpid()
