"""The chart: the same bytes on every run, lines that differ without colour."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import matplotlib as mpl
import pandas as pd
import pytest
from lxml import etree

from cdec.reproduction.page import chart
from cdec.settings.catalog import STRICT_TO_LENIENT

NAMES = [setting.name for setting in STRICT_TO_LENIENT]
TABLE = pd.DataFrame(
    {name: [0.1 * k, 0.5, 0.6] for k, name in enumerate(NAMES)},
    index=pd.Index(["lemma", "sac", "<mine> & 'yours'"], name="system"),
)


@pytest.mark.parametrize("format", chart.FORMATS)
def test_bytes_do_not_change_with_the_run_or_the_user_s_style(format: str) -> None:
    first = chart.draw(TABLE, format)
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": None, "axes.grid": True}):
        assert chart.draw(TABLE, format) == first
        assert mpl.rcParams["font.size"] == 30


def test_bytes_are_the_same_in_another_process() -> None:
    code = (
        "import sys, hashlib, pandas as pd; from cdec.reproduction.page import chart; "
        "t = pd.DataFrame(eval(sys.argv[1]), index=pd.Index(['a', 'b', 'c'], name='system')); "
        "print(hashlib.sha256(chart.draw(t)).hexdigest())"
    )
    values = TABLE.to_dict("list")
    there = subprocess.run(
        [sys.executable, "-P", "-c", code, repr(values)], capture_output=True, check=True
    ).stdout
    here = chart.draw(pd.DataFrame(values, index=pd.Index(list("abc"), name="system")))
    assert there.decode().strip() == sha256(here).hexdigest()


def test_svg_is_xml_with_names_numbers_and_no_date() -> None:
    tree = etree.fromstring(chart.draw(TABLE))
    text = " ".join(map(str, tree.itertext()))
    assert "<mine> & 'yours'" in text
    assert "PURE-CDEC" in text
    assert tree.findall(".//{http://purl.org/dc/elements/1.1/}date") == []
    description = tree.findtext(".//{http://purl.org/dc/elements/1.1/}description")
    assert description == TABLE.to_csv(lineterminator="\n")


def test_png_signature() -> None:
    assert chart.draw(TABLE, "png").startswith(b"\x89PNG")


def test_lines_differ_in_marker_and_colour_as_well_as_dashes() -> None:
    """Seven systems differ in marker and colour, four of them also in dashes."""
    figure = chart._figure(pd.concat([TABLE, TABLE + 0.01, TABLE + 0.02]).iloc[:7])
    lines = figure.axes[0].lines
    assert len({line.get_marker() for line in lines}) == len(lines) == 7
    assert len({line.get_color() for line in lines}) == 7
    assert len({str(dashes) for dashes in chart._DASHES}) == 4


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in mpl.colors.to_rgb(colour)
    ]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def test_the_four_baselines_can_be_seen_on_white() -> None:
    assert all(1.05 / (luminance(colour) + 0.05) >= 2.9 for colour in chart._COLOURS[:4])
