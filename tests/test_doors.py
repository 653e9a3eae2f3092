"""The same data through every door is the same number."""

from tests.program import Run


def test_an_empty_response_is_refused_at_its_place(cdec: Run) -> None:
    ran = cdec("score", "/dev/null", "/dev/null", "--scope", "corpus")
    assert (ran.exit, ran.error) == (1, "file-empty")
    assert ran.said.startswith("/dev/null")
