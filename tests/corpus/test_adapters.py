"""Corpus formats of other packages: found by entry point, read, and isolated if they fail."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus import (
    CORPORA,
    LAYOUT,
    Document,
    Layout,
    Row,
    Source,
    assemble,
    install,
    open_source,
    sample_path,
    survey,
)
from cdec.io import cache
from tests.refusals import refused

Install = Callable[..., Path]

# One sentence a line; a word with a chain is word/CHAIN. The folder is the topic.
READER = """
from pathlib import PurePosixPath
from cdec.corpus.adapter import Adapter, Document, Layout, Row, assemble
from cdec.errors import CorpusError

calls = []

def sniff(source):
    return all(b"/" in data for data in source.files.values())

def build(source, name, tick):
    calls.append(name)
    parsed = []
    for file, data in source.files.items():
        parsed.append(read(file, data.decode()))
        tick()
    return assemble(source, name, parsed)

def read(file, text):
    words = [[word.partition("/") for word in line.split()] for line in text.splitlines()]
    path = PurePosixPath(file)
    sentences = tuple(tuple(word for word, _, _ in line) for line in words)
    document = Document(path.stem, path.parent.name, path.parent.name, sentences)
    chains = [chain for line in words for _, _, chain in line]
    if not any(chains):
        raise CorpusError("corpus-empty", "no mention", place=file, hint="use word/CHAIN")
    rows = [Row.from_tokens(document, f"m{n}", [n], c) for n, c in enumerate(chains) if c]
    return document, rows

LAYOUT = Layout("slashes", "slash", ("*/*.txt",), "<topic>/<document>.txt")
ADAPTER = Adapter(LAYOUT, sniff, build, argument_kinds={"P_": "participant"})
"""
TEXTS = {"1/a.txt": "A fire/F1 began/B .\nIt spread/F1 .", "1/b.txt": "The fire/F1 ended/E ."}


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    yield
    _forget()


def _forget() -> None:
    vars(CORPORA).pop("_points", None)
    CORPORA._loaded.clear()


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a package with an adapter."""

    def put(code: str, module: str = "slashes", version: str = "1.2") -> Path:
        folder = tmp_path / "site"
        described = folder / f"{module}_corpora-{version}.dist-info"
        described.mkdir(parents=True)
        (folder / f"{module}.py").write_text(code)
        named = f"Metadata-Version: 2.1\nName: {module}-corpora\nVersion: {version}\n"
        (described / "METADATA").write_text(named)
        (described / "entry_points.txt").write_text(
            f"[cdec.corpora]\n{module} = {module}:ADAPTER\n"
        )
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, module, raising=False)
        _forget()
        return folder

    return put


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_text(text)
    return tmp_path / "texts"


def test_a_corpus_in_the_format_of_a_package_is_read(plug_in: Install, texts: Path) -> None:
    plug_in(READER)
    corpus = load_corpus(str(texts))
    assert list(corpus.documents) == ["a", "b"]
    assert corpus.documents["a"].topic == "1"
    assert corpus.mentions["text"].to_dict() == {
        "a/m1": "fire", "a/m2": "began", "a/m5": "spread", "b/m1": "fire", "b/m2": "ended",
    }  # fmt: skip
    assert list(corpus.mentions["sentence"]) == [0, 0, 1, 0, 0]
    assert corpus.gold.labels.to_dict() == corpus.mentions["chain"].to_dict()
    assert list(corpus.gold.labels) == ["F1", "B", "F1", "F1", "E"]
    assert corpus.about["reader"] == "slashes-corpora-1.2"
    assert list(corpus.about) == ["corpus", "digest", "reader", "split"]


def test_it_is_kept_in_the_cache_for_this_version_of_the_package(
    plug_in: Install, texts: Path, tmp_path: Path
) -> None:
    folder = plug_in(READER)
    fresh, again = load_corpus(str(texts)), load_corpus(str(texts))
    assert sys.modules["slashes"].calls == ["texts"]
    assert again.mentions.equals(fresh.mentions)
    assert again.about == fresh.about
    assert again.argument_kinds == fresh.argument_kinds == {"P_": "participant"}
    (folder / "slashes_corpora-1.2.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: slashes-corpora\nVersion: 1.3\n"
    )
    _forget()
    assert load_corpus(str(texts)).about["reader"] == "slashes-corpora-1.3"
    assert len(list((tmp_path / "cache" / "corpus").iterdir())) == 2


def test_the_commands_read_it_and_name_its_reader(plug_in: Install, texts: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(plug_in(READER))}
    call = "eval --split all --system lemma --setting simple --metric muc --quiet --corpus"
    ran = subprocess.run(
        [sys.executable, "-m", "cdec", *call.split(), str(texts)],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "SIMPLE-CDEC  lemma" in ran.stdout
    assert "|reader:slashes-corpora-1.2|split:all|" in ran.stdout
    assert ran.stderr == ""


def test_installed_and_verified_as_any_corpus(plug_in: Install, texts: Path) -> None:
    plug_in(READER)
    zipped = install(texts, "mine")
    assert open_source(zipped).files == open_source(texts).files
    assert load_corpus("mine").mentions.equals(load_corpus(str(texts)).mentions)
    result = survey(open_source(zipped))
    assert result.ok
    assert result.known is None
    assert dict(zip(result.facts["fact"], result.facts["found"], strict=True)) == {
        "documents": 2, "topics": 1, "subtopics": 1, "tokens": 11, "mentions": 5,
        "event-mentions": 5, "entity-mentions": 0, "chains": 3, "key-mentions": 5, "key-chains": 3,
    }  # fmt: skip
    (texts / "1" / "b.txt").write_text("a/ b")
    assert survey(open_source(texts)).problems == ["1/b.txt: no mention (use word/CHAIN)"]


def test_a_corpus_of_cdecs_own_formats_imports_no_plug_in(plug_in: Install) -> None:
    plug_in("raise SystemError('imported')")
    assert load_corpus("sample").about.keys() == {"corpus", "digest", "split"}
    assert "slashes" not in sys.modules


BROKEN = {
    "import": ("import nowhere_at_all", "ModuleNotFoundError"),
    "no adapter": ("ADAPTER = 3", "TypeError: expected an Adapter, got int"),
    "name": (READER.replace('"slashes"', '"other"'), "'other'"),
    "sniff": (READER.replace("return all", "return 1 / 0, all"), "ZeroDivisionError"),
}


@pytest.mark.parametrize(("code", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plug_in_is_logged_in_one_line_and_isolated(
    code: str, reason: str, plug_in: Install, texts: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plug_in(code)
    with caplog.at_level(logging.WARNING), refused("corpus-empty", place=texts):
        open_source(texts)
    (record,) = caplog.records
    message = record.getMessage()
    assert "'slashes' of slashes-corpora-1.2" in message
    assert reason in message
    assert "\n" not in message
    plug_in(READER.replace("slashes", "sound"), "sound")
    assert load_corpus(str(texts)).about["reader"] == "sound-corpora-1.2"
    assert len(open_source(sample_path()).files) == 36


def test_two_packages_that_claim_a_corpus_are_refused(plug_in: Install, texts: Path) -> None:
    plug_in(READER)
    plug_in(READER.replace("slashes", "strokes"), "strokes")
    packages = "slashes (slashes-corpora-1.2), strokes (strokes-corpora-1.2)"
    with refused("plugin-duplicate", packages, place=texts) as caught:
        open_source(texts)
    assert caught.value.exit_code == 2


def test_a_bug_in_a_plug_in_is_distinguished_from_one_of_cdec(
    plug_in: Install, texts: Path
) -> None:
    inspect = "inspect=lambda source, tick: {}[3])\n"
    code = READER.replace("parsed = []", "parsed = {}[3]")
    plug_in(code.replace('argument_kinds={"P_": "participant"})\n', inspect))
    for call in (load_corpus, lambda path: survey(open_source(path))):
        with refused("plugin-failed", "'slashes' of slashes-corpora-1.2", "KeyError", place=texts):
            call(str(texts))


def test_files_that_no_format_recognises_go_to_the_reader_of_their_extension(
    plug_in: Install, texts: Path
) -> None:
    plug_in(READER)
    for name in TEXTS:
        (texts / name).unlink()
    with refused("corpus-empty", "ECB+", place=texts):
        open_source(texts)
    (texts / "1" / "notes.xml").write_text("<notes/>")
    assert open_source(texts).layout == LAYOUT
    with refused("corpus-file-invalid", "<notes>", place="1/notes.xml:1"):
        load_corpus(str(texts))


DOCUMENT = Document("a", "1", "1", (("Fire", "spread"), ("It", "rained")))
SOURCE = Source(
    Path("here"), {"1/a.txt": b"", "2/a.txt": b""}, None, Layout("x", "X", ("*/*.txt",), "")
)


@pytest.mark.parametrize("tokens", [[], [-1], [1, 4]])
def test_a_mention_outside_its_document_is_refused(tokens: list[int]) -> None:
    with refused("corpus-record-invalid", tokens, place="a/m"):
        Row.from_tokens(DOCUMENT, "m", tokens, "X")


def test_duplicates_are_refused() -> None:
    row = Row.from_tokens(DOCUMENT, "m", [3, 0, 3], "X")
    assert (row.tokens, row.sentence, row.text) == ((0, 3), 0, "Fire rained")
    with refused("corpus-record-invalid", "'a/m'", place="here"):
        assemble(SOURCE, "x", [(DOCUMENT, [row, row])])
    with refused("corpus-file-invalid", "'a': 1/a.txt, 2/a.txt", place="here"):
        assemble(SOURCE, "x", [(DOCUMENT, []), (DOCUMENT, [])])
