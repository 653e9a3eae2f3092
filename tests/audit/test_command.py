"""``cdec audit`` checks its arguments before it runs a detector."""

from tests.cli.conftest import Run


def test_an_unknown_topic_is_a_usage_error(cdec: Run) -> None:
    ran = cdec("audit", "run", "--corpus", "sample", "--topic", "nope")
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "'nope'" in ran.err
