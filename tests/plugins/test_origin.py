"""The origin of code."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from cdec.baselines import system_class
from cdec.baselines.lemma import Lemma
from cdec.plugins import Origin, origin_of
from tests.plugins.conftest import SYSTEM, Site


def test_the_origin_of_code(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.module("loose", SYSTEM)
    site.install("other", "9", {"twin": "X = 1"}, {})
    here = tmp_path / "here"
    here.mkdir()
    (here / "twin.py").write_text(SYSTEM, "utf-8")
    monkeypatch.chdir(here)
    installed, loose = system_class("mine:OneChain"), system_class("loose:OneChain")
    digest = sha256(SYSTEM.encode()).hexdigest()[:12]
    assert origin_of(installed) == origin_of(installed()) == Origin("my-system", "3.1")
    assert origin_of(loose()) == Origin("loose", digest)
    # It has the name of an installed module, but is not one of its files.
    assert origin_of(system_class("twin:OneChain")) == Origin("twin", digest)
    assert origin_of(Lemma()) is None
    assert origin_of(dict) == Origin("builtins", "unknown")


def test_the_origin_where_two_distributions_share_a_package(site: Site) -> None:
    site.install("left", "1", {"shared/one": "class A: ..."}, {})
    site.install("right", "2", {"shared/two": "class B: ..."}, {})
    from importlib import import_module

    assert origin_of(import_module("shared.one").A) == Origin("left", "1")
    assert origin_of(import_module("shared.two").B) == Origin("right", "2")


def test_the_origin_of_an_editable_installation(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Site(tmp_path / "source")
    source.module("edited", SYSTEM)
    site.install("edited-dist", "0.5", {}, {})
    info = site.folder / "edited_dist-0.5.dist-info"
    (info / "top_level.txt").write_text("edited\n", "utf-8")
    where = {"url": source.folder.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(where), "utf-8")
    monkeypatch.syspath_prepend(str(source.folder))
    assert origin_of(system_class("edited:OneChain")) == Origin("edited-dist", "0.5")
