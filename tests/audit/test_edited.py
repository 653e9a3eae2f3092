"""A corrected ECB+ differs from the release in what the patch changes only, and is read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec import load_corpus
from cdec.auditing import Patch, patched_corpus, read_patch
from cdec.corpus import Corpus, open_source, read_corpus
from cdec.corpus.ecbplus.assemble import build
from cdec.corpus.ecbplus.edited import edited_files
from cdec.corpus.source import Source
from cdec.corpus.store.locate import locate
from cdec.formats.corpora import convert
from tests.audit.patches import applied, partition, patch_of, place_of, random_patches, wider
from tests.cli.conftest import Run
from tests.refusals import refused

SAMPLE = load_corpus("sample")
SOURCE = open_source(locate("sample").path)


def again(source: Source, corrected: Corpus) -> tuple[Corpus, set[str]]:
    """Return the corpus of the edited files, and the files that differ."""
    files = dict(edited_files(source, corrected))
    assert list(files) == list(source.files)
    changed = {name for name, data in files.items() if data != source.files[name]}
    return build(replace(source, files=files)), changed


@given(st.data())
def test_any_patch_is_read_again(data: st.DataObject) -> None:
    corrected = applied(SAMPLE, data.draw(random_patches(SAMPLE)))
    read, changed = again(SOURCE, corrected)
    assert partition(read) == partition(corrected)
    arguments = [c.mentions[c.mentions["kind"] == "entity"] for c in (read, SAMPLE)]
    assert arguments[0].equals(arguments[1])
    same = read.selected.index.intersection(SAMPLE.selected.index)
    assert len(SAMPLE.selected.index.difference(same)) == len(
        SAMPLE.selected.index.difference(corrected.selected.index)
    )
    untouched = {name.rpartition("/")[2][:-4] for name in {*SOURCE.files} - changed}
    for corpus in (read, corrected):
        rows = corpus.selected[corpus.selected["doc"].isin(untouched)]
        own = SAMPLE.selected[SAMPLE.selected["doc"].isin(untouched)]
        assert rows[["tokens", "tag"]].equals(own[["tokens", "tag"]])


def test_a_folder_without_a_change_is_a_copy(tmp_path: Path, cdec: Run) -> None:
    folder = tmp_path / "copy"
    ran = cdec("corpus", "convert", "sample", "--to", "ecbplus", "-o", folder)
    assert ran.code == 0, ran.err
    copy = open_source(folder)
    assert (copy.files, copy.reviewed) == (SOURCE.files, SOURCE.reviewed)
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]
    before = {path: path.read_bytes() for path in folder.rglob("*.xml")}
    with refused("file-unwritable", place=folder):  # also the folder of the corpus itself
        convert(SAMPLE, folder, "ecbplus", locate("sample").path)
    assert before == {path: path.read_bytes() for path in folder.rglob("*.xml")}


def test_only_the_lines_of_the_change_differ() -> None:
    """One of two mentions gets another span and tag; line ends and quotes are kept."""
    id_ = str(SAMPLE.selected.index[0])
    doc = str(SAMPLE.mentions["doc"][id_])
    name = next(name for name in SOURCE.files if name.endswith(f"/{doc}.xml"))
    odd = SOURCE.files[name].replace(b"\n", b"\r\n").replace(b'm_id="', b"m_id = '", 1)
    odd = odd.replace(b'"', b"'", odd[: odd.index(b"m_id = '")].count(b'"') + 1)
    files = {**SOURCE.files, name: odd}
    source = replace(SOURCE, files=files)
    corpus = read_corpus(source, "sample")
    about = {"corpus": corpus.name, "digest": corpus.digest}
    edits: dict[str, Any] = {"span": {id_: wider(corpus, id_)}, "tag": {id_: "ACTION_CAUSATIVE"}}
    corrected = patched_corpus(corpus, patch_of(about=about, **edits))
    edited = dict(edited_files(source, corrected))
    lines = edited.pop(name).split(b"\r\n")
    assert all(data == source.files[other] for other, data in edited.items())
    differing = {*lines} ^ {*odd.split(b"\r\n")}
    assert 1 <= len(differing) <= 6
    assert not any(b"\n" in line for line in lines)


def test_relations_are_written_where_there_were_none() -> None:
    """A document whose relations are ``<Relations/>``, or missing, gets one."""
    text = (
        '<Document doc_id="D"><token t_id="1" sentence="0">a</token>'
        '<token t_id="2" sentence="0">b</token><Markables>'
        '<ACTION_STATE m_id="1"><token_anchor t_id="1"/></ACTION_STATE>'
        '<ACTION_STATE m_id="2"><token_anchor t_id="2"/></ACTION_STATE></Markables>{}</Document>'
    )
    for relations in ("", "<Relations/>", "<Relations></Relations>"):
        files = {f"1/1_{n}ecb.xml": text.format(relations).encode() for n in (1, 2)}
        source = replace(SOURCE, files=files, reviewed=None)
        corpus = read_corpus(source, "x")
        about = {"corpus": "x", "digest": corpus.digest}
        merges = [("1_1ecb/1", "1_1ecb/2"), ("1_2ecb/1", "1_1ecb/1"), ("1_2ecb/2", "1_2ecb/1")]
        for size, changed in ((1, 1), (2, 2), (3, 2)):
            corrected = patched_corpus(corpus, patch_of(merges[:size], about=about))
            read, files_changed = again(source, corrected)
            assert (partition(read), len(files_changed)) == (partition(corrected), changed)


def test_other_corpora_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    SAMPLE.save(path)
    with refused("format-unsuitable", "ECB+"):
        convert(load_corpus(str(path)), tmp_path / "new", "ecbplus", path)
    with refused("format-unsuitable", "ECB+"):
        convert(replace(SAMPLE, digest="0"), tmp_path / "new", "ecbplus", SOURCE.path)
    name = next(iter(SOURCE.files))
    wide = replace(
        SOURCE, files={**SOURCE.files, name: SOURCE.files[name].decode().encode("utf-16")}
    )
    corpus = read_corpus(wide, "x")
    doc = name.rpartition("/")[2][:-4]
    mention = next(str(id_) for id_ in corpus.selected.index if str(id_).startswith(f"{doc}/"))
    about = {"corpus": "x", "digest": corpus.digest}
    with refused("format-unsuitable", place=name):
        dict(edited_files(wide, patched_corpus(corpus, patch_of(about=about, remove=[mention]))))


@pytest.mark.slow
def test_the_whole_of_ecbplus(ecbplus: Path, whole_ecbplus: Corpus) -> None:
    source = open_source(ecbplus)
    assert again(source, whole_ecbplus)[1] == set()
    for patch in (read_patch("ecbplus-duplicates"), every_kind(whole_ecbplus)):
        corrected = patched_corpus(whole_ecbplus, patch)
        read, changed = again(source, corrected)
        assert partition(read) == partition(corrected)
        assert 50 < len(changed) < 700


def every_kind(corpus: Corpus) -> Patch:
    """Return a patch with operations of every kind all over the corpus."""
    ids = [*map(str, corpus.selected.index)]
    about = {"corpus": corpus.name, "digest": corpus.digest}
    add = {place_of(corpus, id_): id_ for id_ in ids[4::400]}
    return patch_of(
        [(one, two) for one, two in zip(ids[::100], ids[7000::100], strict=False)],
        [(id_,) for id_ in ids[1::100]],
        about,
        remove=ids[2::100],
        span={id_: wider(corpus, id_) for id_ in ids[3::100]},
        tag=dict.fromkeys(ids[3::50], "NEG_ACTION_STATE"),
        add=add,
    )
