import csv
import fcntl
import io
import os
import select
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run


def test_a_configuration_goes_from_tune_to_eval_and_predict(done: Done, tmp_path: Path) -> None:
    config, plot = tmp_path / "delta.toml", tmp_path / "curve.svg"
    table = done("tune", "lemma-delta", "--split", "dev", "-o", config, "--plot", plot)
    assert table.count(" *") == 1
    assert plot.read_text("utf-8").startswith("<?xml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.svg", "delta.toml"]
    delta = tomllib.loads(config.read_text("utf-8"))["delta"]
    call = ("eval", "-s", "simple", "--metric", "conll", "--config", config)
    text = done(*call, "--format", "json")
    assert f'"delta": {delta}' in text
    assert '"tuned_on": "sample-dev"' in text
    assert "tuned-on-test" not in text
    assert text == done(*call, "--system", "lemma-delta", "--format", "json")
    assert "#begin document" in done("predict", "--config", config)


def test_lemma_delta_is_listed_after_lemma_wd(done: Done) -> None:
    text = done("eval", "-s", "pure", "--metric", "conll", "--format", "csv")
    systems = [row["system"] for row in csv.DictReader(io.StringIO(text))]
    assert systems == ["lemma", "lemma-wd", "lemma-delta"]


def test_tables_in_every_format(done: Done) -> None:
    rows = list(csv.DictReader(io.StringIO(done("tune", "--format", "csv"))))
    assert len(rows) == 21 * 4
    assert '"signature"' in done("tune", "lemma-docs", "--format", "json")


def test_test_is_rejected_before_anything_is_written(cdec: Run, tmp_path: Path) -> None:
    for split in ("test", "all", "sample/test"):
        ran = cdec("tune", "-q", "--split", split, "-o", tmp_path / "x.toml")
        assert (ran.code, ran.out, ran.error) == (2, "", "tuning-on-test")
        assert "i_know" in ran.err
        assert ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_tuning_on_test_is_marked(done: Done, tmp_path: Path) -> None:
    config = tmp_path / "x.toml"
    assert "tuned-on-test:true" in done("tune", "--split", "test", "--i-know", "-o", config)
    written = tomllib.loads(config.read_text("utf-8"))["tuning"]
    assert written["tuned_on"] == "sample-test"
    assert written["on_test"] is True
    assert "tuned-on-test:true" in done("eval", "-s", "pure", "--config", config)


def test_a_score_on_more_than_the_tuning_data_is_marked(done: Done, tmp_path: Path) -> None:
    config = tmp_path / "x.toml"
    done("tune", "--split", "dev", "-o", config)
    call = ("eval", "-s", "simple", "--config", config, "--split")
    assert "tuned-on-test" in done(*call, "all")
    assert "tuned-on-test" not in done(*call, "dev")
    assert "tuned-on-test" not in done(*call, "test")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("lemma",), "name-unknown"),
        (("--metric", "f1"), "name-unknown"),
        (("--setting", "purr"), "name-unknown"),
        (("--grid", "fine"), "name-unknown"),
        (("--plot", "curve.pdf"), "name-unknown"),
        (("--plot", "curve"), "name-unknown"),
        (("--split", "deve"), "name-unknown"),
    ],
)
def test_a_wrong_call(cdec: Run, arguments: tuple[str, ...], error: str) -> None:
    ran = cdec("tune", "-q", *arguments)
    assert (ran.code, ran.out, ran.error) == (2, "", error)
    assert ran.err.count("\n") == 1


def test_a_wrong_configuration(cdec: Run, tmp_path: Path) -> None:
    config = tmp_path / "x.toml"
    config.write_text('system = "lemma-delta"\ndelta = 2\n', "utf-8")
    for command in (("eval", "-s", "pure"), ("predict",)):
        ran = cdec(*command, "-q", "--config", config)
        assert (ran.code, ran.out, ran.error) == (2, "", "parameter-invalid")
        assert ran.err.startswith(f"cdec: error: {config}: ")
    config.write_text('system = "lemma-delta"\n', "utf-8")
    ran = cdec("predict", "-q", "--system", "lemma", "--config", config)
    assert (ran.code, ran.error) == (2, "config-invalid")
    assert "lemma-delta" in ran.err


def test_a_split_without_documents(cdec: Run, tmp_path: Path) -> None:
    split = tmp_path / "my.toml"
    split.write_text('[topics]\nnone = []\nrest = ["1-6"]\n', "utf-8")
    for call in (
        ("tune",),
        ("eval", "--system", "lemma-delta"),
        ("predict", "--system", "lemma-docs"),
    ):
        ran = cdec(*call, "-q", "--split", f"{split}/none")
        assert (ran.code, ran.out, ran.error) == (1, "", "part-too-small")


def test_a_path_that_cannot_be_written_is_rejected_first(cdec: Run, tmp_path: Path) -> None:
    for option, name in (("-o", "x.toml"), ("--plot", "x.png")):
        ran = cdec("tune", "-q", option, tmp_path / "none" / name)
        assert (ran.code, ran.out, ran.error) == (1, "", "file-unwritable")
        assert f"{tmp_path / 'none'}: " in ran.err


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="needs a pipe of a known size")
def test_interrupted_nothing_is_written(tmp_path: Path) -> None:
    """The chart goes into a pipe that is too small for it, before the configuration is written.

    When its first bytes arrive, the search is over, and the run waits.
    """
    config, chart = tmp_path / "x.toml", tmp_path / "chart.svg"
    os.mkfifo(chart)
    pipe = os.open(chart, os.O_RDWR)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    call = ["tune", "-o", str(config), "--plot", str(chart)]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "cdec", *call],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not select.select([pipe], [], [], 0.05)[0]:
        pass
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    os.close(pipe)
    assert process.returncode == 130, messages
    assert "configuration" not in messages
    assert list(tmp_path.iterdir()) == [chart]
