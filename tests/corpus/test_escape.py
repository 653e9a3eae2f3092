from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.columns import escape_label, escape_name, unescape
from cdec.columns.escape import escape
from tests.formats.made import TEXT

SIGNS = st.text(st.sampled_from("&#;0123456789 +()|x"), max_size=12)


@pytest.mark.parametrize("way", [escape, escape_label, escape_name])
@given(text=TEXT | SIGNS)
def test_reversible_and_without_white_space(way: Callable[[str], str], text: str) -> None:
    field = way(text)
    assert unescape(field) == text
    assert field.split() == [field]
    assert field.isprintable() or not text.isprintable()


@given(text=TEXT | SIGNS)
def test_labels_have_no_sign_of_brackets(text: str) -> None:
    assert not set("()|") & set(escape_label(text))


@given(text=TEXT | SIGNS)
def test_names_never_look_like_directives(text: str) -> None:
    assert not escape_name(text).startswith("#")


@pytest.mark.parametrize(
    ("token", "field"),
    [
        ("Awards\t", "Awards&#9;"),
        ("7\u2009½", "7&#8201;½"),
        ("", "&#;"),
        ("&#9;", "&#38;#9;"),
        ("AT&T", "AT&T"),
        ("#begin", "#begin"),
        ("-", "-"),
    ],
)
def test_examples(token: str, field: str) -> None:
    assert escape(token) == field


@pytest.mark.parametrize("foreign", ["&#39;", "&amp;", "&#x9;", "&#", "&#99999999;", "&#1114112;"])
def test_other_references_stay(foreign: str) -> None:
    assert unescape(foreign) == foreign
