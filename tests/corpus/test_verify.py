"""Known corpora, and verification of a copy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from cdec.configs import read_text, read_toml
from cdec.corpus import (
    CORPORA,
    OFFICIAL,
    REVIEWED,
    Source,
    blob_id,
    by_digest,
    difference,
    known_corpora,
    meant_by,
    open_source,
    release,
    sample_path,
    split_names,
    survey,
)

WriteCorpus = Callable[..., Path]


def test_the_checksum_list_has_the_published_digest() -> None:
    known = release()
    listed = read_text("corpora/ecbplus.sha256")
    assert sha256(listed.encode()).hexdigest() == known.digest
    assert listed == "".join(f"{sum_}  {name}\n" for name, sum_ in known.checksums.items())
    assert len(known.checksums) == 982
    assert by_digest(known.digest or "") == known
    assert by_digest("0" * 64) is None


def test_known_corpora_are_described_in_full() -> None:
    for known in known_corpora():
        assert known.split in (*split_names(), OFFICIAL, "")
        assert known.format in CORPORA
        assert known.licence
    kinds = read_toml("corpora/kinds.toml")
    assert release().defects.keys() < kinds["defects"].keys()
    assert release().facts.keys() < kinds["facts"].keys()
    for kind, expected in release().defects.items():
        assert len(expected.items) == (expected.count if expected.count <= 12 else 0), kind
        assert kinds["defects"][kind].keys() == {"meaning", "handling"}


def test_a_blob_id_is_gits(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes("Aña\r\n".encode())
    git = subprocess.run(
        ["git", "hash-object", "--no-filters", str(file)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert blob_id(file.read_bytes()) == git.stdout.strip()


def test_another_corpus_is_read_and_described(small: Source) -> None:
    found = survey(small)
    assert found.ok
    assert found.known is None
    assert found.problems == []
    gap = found.defects.set_index("kind").loc["gap-in-event"]
    assert (gap["found"], gap["status"]) == (2, "noted")
    assert gap["examples"] == "1_1ecb/11, 1_2ecbplus/11"
    facts = found.facts.set_index("fact")["found"]
    assert facts["documents"] == facts["non-ascii-files"] == 2
    assert facts["event-mentions"] == 6
    assert facts["one-event-instances"] == 0
    assert facts["clusters-across-subtopics"] == facts["reviewed-sentences"] == 1


def test_the_sample_is_valid_and_not_recognised_as_ecbplus() -> None:
    found = survey(open_source(sample_path()))
    assert found.ok
    assert found.known is None
    assert found.problems == []


def test_the_survey_does_not_stop_at_the_first_bad_file(
    write_corpus: WriteCorpus, document: str
) -> None:
    files = {
        "1/1_1ecb.xml": document.replace("</Relations>", ""),
        "1/1_2ecb.xml": document,
        "1/1_3ecb.xml": document.replace('anchor t_id="6"', 'anchor t_id="9"'),
    }
    ticks: list[None] = []
    found = survey(
        open_source(write_corpus(files, "Topic,File,Sentence Number\n1,1ecb,x\n")),
        tick=lambda: ticks.append(None),
    )
    assert not found.ok
    assert len(ticks) == 3
    assert [str(error.place) for error in found.errors] == [
        "1/1_1ecb.xml:29",
        "1/1_3ecb.xml:12",
        f"{REVIEWED}:2",
    ]
    assert found.problems == [str(error) for error in found.errors]
    assert found.facts.empty
    assert list(found.defects["kind"]) == ["gap-in-event"]


def test_entries_of_the_list_without_a_sentence_are_reported(write_corpus: WriteCorpus) -> None:
    text = "Topic,File,Sentence Number\n1,1ecb,1\n1,1ecb,2\n9,1ecb,0\n"
    found = survey(open_source(write_corpus(reviewed=text)))
    assert found.problems == [
        f"{REVIEWED}: document 1_1ecb has no sentence 2",
        f"{REVIEWED}: document 9_1ecb is not in the corpus",
    ]
    assert found.ok


def test_the_release_is_as_known(release_source: Source) -> None:
    found = survey(release_source)
    assert found.ok
    assert found.known == release()
    assert found.problems == []
    assert set(found.defects["status"]) == set(found.facts["status"]) == {"known"}
    assert found.defects["found"].sum() == 272


def damaged(release_source: Source) -> Source:
    files = dict(release_source.files)
    del files["45/45_9ecbplus.xml"]
    files["1/1_1ecb.xml"] = files["1/1_1ecb.xml"][:-40]
    files["1/1_2ecb.xml"] = files["1/1_2ecb.xml"].replace(b">accident<", b">incident<", 1)
    files["99/99_1ecb.xml"] = files["1/1_3ecb.xml"]
    return replace(release_source, files=files, reviewed=None)


def test_a_damaged_release_differs_file_by_file(release_source: Source) -> None:
    copy = damaged(release_source)
    known = meant_by(copy)
    assert known == release()
    found = difference(copy, known)
    assert found.damaged == tuple(
        name
        for name in ("1/1_1ecb.xml", "1/1_2ecb.xml")
        if copy.files[name] != release_source.files[name]
    )
    assert "1/1_1ecb.xml" in found.damaged
    assert found.missing == ("45/45_9ecbplus.xml",)
    assert found.extra == ("99/99_1ecb.xml",)
    assert found.reviewed == f"{REVIEWED} is missing"


@pytest.mark.slow
def test_the_survey_of_a_damaged_release_has_all_errors(release_source: Source) -> None:
    copy = damaged(release_source)
    found = survey(copy)
    assert not found.ok
    assert found.difference == difference(copy, release())
    assert [error.place for error in found.errors] != []
    assert "45/45_9ecbplus.xml: missing file" in found.problems
    assert f"{REVIEWED} is missing" in found.problems


def one_more_line_end(release_source: Source) -> Source:
    assert release_source.reviewed is not None
    return replace(release_source, reviewed=release_source.reviewed + b"\n")


def test_one_more_line_end_in_the_list_is_a_difference(release_source: Source) -> None:
    copy = one_more_line_end(release_source)
    known = meant_by(copy)
    assert known == release()
    assert difference(copy, known).reviewed.startswith(REVIEWED)
    assert difference(copy, known)


@pytest.mark.slow
def test_one_more_line_end_in_the_list_is_a_damage(release_source: Source) -> None:
    found = survey(one_more_line_end(release_source))
    assert not found.ok
    assert found.difference.reviewed.startswith(REVIEWED)


def test_a_copy_with_converted_line_ends_is_recognised(release_source: Source) -> None:
    files = {name: data.replace(b"\n", b"\r\n") for name, data in release_source.files.items()}
    copy = replace(release_source, files=files)
    assert meant_by(copy) == release()
    assert len(difference(copy, release()).damaged) == 982


@pytest.mark.parametrize(
    ("counts", "items", "status"),
    [(2, ["1_1ecb/11", "1_2ecbplus/11"], "known"), (1, [], "unknown"), (3, [], "missing")],
)
def test_a_defect_is_known_only_if_its_number_is_the_published_one(
    small: Source, monkeypatch: pytest.MonkeyPatch, counts: int, items: list[str], status: str
) -> None:
    from cdec.corpus import Expected
    from cdec.corpus.store import verify

    expected = {"gap-in-event": Expected(counts, frozenset(items))}
    known = replace(
        release(),
        digest=small.digest,
        checksums=small.checksums,
        blobs={},
        defects=expected,
        facts={},
    )
    monkeypatch.setattr(verify, "meant_by", lambda _: known)
    found = survey(small)
    assert list(found.defects["status"]) == [status]
    assert not found.difference


@pytest.mark.parametrize(
    ("folder", "name", "defects"),
    [
        ("GVC", "gvc", 0),
        ("FCC-T", "fcc-t", 0),
        ("CD2CR", "cd2cr", 51),
        ("WEC-Eng-dev", "wec-eng", 0),
        ("MEANTIME", "meantime", 184),
        ("ECB+METAm", "ecb+metam", 139),
        ("uCDCR-format", "np4e", 151),
    ],
)
def test_the_known_corpora_are_as_described(
    corpora: Path, folder: str, name: str, defects: int
) -> None:
    result = survey(open_source(corpora / folder))
    assert result.known is not None
    assert result.known.name == name
    assert result.ok, result.verdict
    assert int(result.defects["found"].sum()) == defects


def test_a_changed_count_of_a_corpus_without_checksums_is_noticed(
    corpora: Path, tmp_path: Path
) -> None:
    text = (corpora / "GVC" / "gold.dev+test.conll").read_text("utf-8")
    table = (corpora / "GVC" / "bugert.gvc_doc_to_event.csv").read_bytes()
    first = text.index("\t(0)")
    (tmp_path / "gold.conll").write_text(f"{text[:first]}\t-{text[first + 4 :]}", "utf-8")
    (tmp_path / "gvc_doc_to_event.csv").write_bytes(table)
    result = survey(open_source(tmp_path))
    assert not result.ok
    changed = result.facts[result.facts["status"] == "missing"]
    assert changed["fact"].str.contains("mentions").any()
