"""Settings and language pipelines of other packages, and the list of plug-ins."""

from __future__ import annotations

import re

from tests.cli.conftest import Run
from tests.plugins.conftest import SYSTEM, Site, rows_of

SETTING = "from cdec.settings import Setting\nMINE = Setting({name!r}, 'Mine', 'document')\n"


def test_a_setting_of_another_package(site: Site, run: Run) -> None:
    mine, misnamed = SETTING.format(name="mine"), SETTING.format(name="other")
    site.install("my-settings", "1.0", {"mine": mine}, {"settings mine": "mine:MINE"})
    site.install("odd-settings", "1.0", {"odd": misnamed}, {"settings odd": "odd:MINE"})
    site.install("no-settings", "1.0", {"no": "MINE = 'pure'"}, {"settings no": "no:MINE"})
    call = ("eval", "--system", "lemma", "--metric", "muc", "--corpus", "sample", "-q", "-f")
    rows = rows_of(run(*call, "csv", "-s", "mine", "-s", "all"))
    settings = ["mine", "bh", "st", "is", "ycf", "simple", "pure"]
    assert [row["setting"] for row in rows] == settings
    assert "|setting:scope=document|" in run(*call, "table", "-s", "mine").out
    for name, reason in (("odd", "'other'"), ("no", "expected a Setting, got 'pure'")):
        ran = run(*call, "csv", "-s", name)
        assert (ran.code, ran.error) == (1, "plugin-invalid")
        assert reason in ran.err
        assert ran.err.count("\n") == 1


PIPELINE = """
from cdec.language import Pipeline, pipeline


def make(name, argument):
    if argument == "bad":
        raise ValueError("no such model")
    return None if argument == "none" else Pipeline(name, "mine-7", pipeline("hanta").load)
"""


def test_a_language_pipeline_of_another_package(site: Site, run: Run) -> None:
    site.install("my-nlp", "1.0", {"mynlp": PIPELINE}, {"pipelines mine": "mynlp:make"})
    call = ("eval", "--system", "lemma", "-s", "pure", "--corpus", "sample", "-q")
    ran = run(*call, "--nlp", "mine:x")
    assert (ran.code, ran.err) == (0, "")
    assert "|nlp:mine-7+my-nlp-1.0|" in ran.out
    for name, error, value in (
        ("mine:bad", "plugin-failed", "'mine:bad' of my-nlp-1.0"),
        ("mine:none", "plugin-failed", "expected a Pipeline, got None"),
        ("hanta:x", "name-unknown", "hanta, spacy:MODEL, mine"),
    ):
        ran = run(*call, "--nlp", name)
        assert ran.code
        assert ran.error == error
        assert value in ran.err
        assert ran.err.count("\n") == 1


def test_the_list_of_plug_ins(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    site.install("thief", "1", {"thief": SYSTEM}, {"systems lemma": "thief:OneChain"})
    listed = rows_of(run("plugins", "--format", "csv"))
    rows = {(row["kind"], row["name"], row["distribution"]): row for row in listed}
    assert rows["system", "lemma", "cdec"]["problem"] == ""
    assert rows["system", "lemma", "thief"]["problem"] == "not used: cdec has a system 'lemma'"
    assert rows["system", "one-chain", "my-system"]["version"] == "3.1"
    assert "ZeroDivisionError" in rows["system", "bad", "broken"]["problem"]
    assert {kind for kind, *_ in rows} >= {"system", "setting", "pipeline"}
    ran = run("plugins")
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"one-chain +my-system 3\.1", ran.out)
