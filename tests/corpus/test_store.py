"""Locating and installing corpora."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest

from cdec.corpus import (
    REVIEWED,
    SAMPLE_NOTICE,
    KnownCorpus,
    Source,
    data_folder,
    facts_of,
    install,
    installed,
    locate,
    open_source,
    pack,
    release,
    sample_path,
)
from tests.refusals import refused

WriteCorpus = Callable[..., Path]


@pytest.fixture
def published(small: Source) -> KnownCorpus:
    """The release, with the checksums of the small corpus."""
    return replace(release(), digest=small.digest, checksums=small.checksums, blobs={})


def test_the_data_folder_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder() == Path(os.environ["CDEC_DATA"])
    monkeypatch.delenv("CDEC_DATA")
    assert data_folder() == platformdirs.user_data_path("cdec", appauthor=False)


def test_without_a_corpus_the_sample_is_used_with_a_notice() -> None:
    located = locate()
    assert (located.path, located.name, located.origin) == (sample_path(), "sample", "sample")
    assert located.notice == SAMPLE_NOTICE
    assert SAMPLE_NOTICE.code == "sample-corpus"
    assert len(open_source(located.path).files) >= 24


def test_the_order_is_argument_variable_installed_sample(
    small: Source, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = install(small.path, known=published)
    assert locate().path == target
    assert (locate().name, locate().origin, locate().notice) == ("ecb+", "installed", None)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("CDEC_ECBPLUS", str(elsewhere))
    assert (locate().path, locate().name) == (elsewhere, "elsewhere")
    assert locate().origin == "environment"
    assert locate(str(small.path)).path == small.path
    assert (locate(str(small.path)).name, locate(str(small.path)).origin) == ("corpus", "argument")
    assert locate("sample").path == sample_path()


@pytest.mark.parametrize("name", ["ecb+", "ECB+", "ecbplus", "ECBplus"])
def test_ecbplus_by_name(
    small: Source, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with refused("corpus-not-found", "ECB+"):
        locate(name)
    target = install(small.path, known=published)
    assert locate(name).path == target
    monkeypatch.setenv("CDEC_ECBPLUS", str(small.path))
    assert locate(name).path == small.path


def test_the_sample_by_name_needs_no_notice() -> None:
    assert locate("Sample").path == sample_path()
    assert locate("Sample").notice is None


def test_info_on_a_folder_without_a_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with refused("corpus-empty", place=tmp_path):
        facts_of(locate(str(tmp_path)))
    monkeypatch.setenv("CDEC_ECBPLUS", str(tmp_path))
    assert list(facts_of(locate())) == ["unreadable"]


def test_a_missing_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with refused("corpus-not-found", place=tmp_path / "absent"):
        locate(str(tmp_path / "absent"))
    with refused("corpus-not-found", place="absent.zip"):
        locate("absent.zip")
    monkeypatch.setenv("CDEC_ECBPLUS", "/nowhere/at all")
    with refused("corpus-not-found", place="CDEC_ECBPLUS=/nowhere/at all"):
        locate()


def test_an_unknown_name_gets_the_nearest(small: Source) -> None:
    install(small.path, "mine")
    with refused("name-unknown", "unknown corpus", "'mines'", "'mine'"):
        locate("mines")
    with refused("name-unknown", "unknown corpus", "'simple'", "'sample'", "ecb+", "mine"):
        locate("simple")


def test_a_relative_folder_of_that_name(small: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small.path.parent)
    assert locate("corpus").path == Path("corpus")
    assert locate("corpus").name == "corpus"
    (small.path.parent / "sample").mkdir()
    assert locate("sample").path == sample_path()
    assert locate("./sample").path == Path("sample")


def test_folder_and_zip_install_the_same_bytes(
    small: Source, published: KnownCorpus, tmp_path: Path
) -> None:
    target = install(small.path, known=published)
    first = target.read_bytes()
    assert install(target, known=published).read_bytes() == first
    packed = tmp_path / "other order.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in reversed(small.files):
            archive.writestr(f"deep/down/ECB+/{name}", small.files[name])
        archive.writestr(f"deep/{REVIEWED}", small.reviewed or b"")
    assert install(packed, known=published).read_bytes() == first
    assert open_source(target).files == small.files
    assert open_source(target).reviewed == small.reviewed
    assert [path.name for path in target.parent.iterdir()] == ["ecb+.zip"]


def test_another_corpus_is_refused_with_the_differences(
    small: Source, published: KnownCorpus
) -> None:
    differences = ("2 damaged files (1/1_1ecb.xml, 1/1_2ecbplus.xml), 980 missing files", REVIEWED)
    with refused("checksum-mismatch", "ECB+ 1.0", *differences, place=small.path):
        install(small.path)
    assert installed() == {}
    file = small.path / "ECB+" / "1" / "1_1ecb.xml"
    file.write_bytes(file.read_bytes() + b"\n")
    with refused("checksum-mismatch", "1 damaged file (1/1_1ecb.xml)"):
        install(small.path, known=published)


def test_another_corpus_under_another_name(small: Source) -> None:
    target = install(small.path, "My-Corpus")
    assert installed() == {"my-corpus": target}
    assert (locate("my-corpus").path, locate("my-corpus").name) == (target, "my-corpus")
    assert locate().origin == "sample"


def test_another_corpus_must_be_valid(write_corpus: WriteCorpus, document: str) -> None:
    folder = write_corpus({"1/1_1ecb.xml": document[:-20]})
    with refused("corpus-file-invalid", place="1/1_1ecb.xml:28"):
        install(folder, "mine")
    assert installed() == {}


@pytest.mark.parametrize("name", ["sample", "../up", "a/b", ".hidden", "a.b", "-x", "two words"])
def test_invalid_names(small: Source, name: str) -> None:
    with refused("option-invalid", f"'{name}'"):
        install(small.path, name)


def test_the_name_ecbplus_is_reserved_for_the_release(small: Source) -> None:
    with refused("checksum-mismatch", "ECB+ 1.0"):
        install(small.path, "ecbplus")


def test_a_full_disk_leaves_the_old_copy(write_corpus: WriteCorpus, small: Source) -> None:
    target = install(small.path, "mine")
    before = target.read_bytes()
    other = open_source(sample_path())
    with _disk_of(20_000), refused("file-unwritable", "CDEC_DATA", place=target):
        install(other.path, "mine")
    assert target.read_bytes() == before
    assert list(target.parent.iterdir()) == [target]


def test_a_data_folder_that_cannot_be_created(
    small: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_DATA", str(small.path / REVIEWED))
    with refused("file-unwritable"):
        install(small.path, "mine")


def test_partial_files_of_a_killed_process_are_removed_later(small: Source) -> None:
    folder = install(small.path, "mine").parent
    old, fresh, foreign = (folder / f".{n}.part" for n in ("mine.zip.1", "mine.zip.2", "x.zip.1"))
    for path in (old, fresh, foreign):
        path.write_bytes(b"half")
    hours_ago = time.time() - 7200
    os.utime(old, (hours_ago, hours_ago))
    os.utime(foreign, (hours_ago, hours_ago))
    install(small.path, "mine")
    assert not old.exists()
    assert fresh.exists()
    assert foreign.exists()
    assert list(installed()) == ["mine"]


def test_killed_in_the_middle_the_old_copy_is_whole(small: Source) -> None:
    target = install(small.path, "mine")
    before = target.read_bytes()
    script = (
        "import os, signal; from cdec.corpus.store import install, locate\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "install.install(locate.sample_path(), 'mine')\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert target.read_bytes() == before
    assert len(list(target.parent.iterdir())) == 2
    assert list(installed()) == ["mine"]


def test_packing_knows_no_clock(small: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pack(small)
    monkeypatch.setattr(time, "time", lambda: 4e9)
    assert pack(small) == first


def test_the_release_is_installed_and_found(release_source: Source) -> None:
    target = install(release_source.path)
    assert locate().path == locate("ecb+").path == target
    kept = open_source(target)
    assert kept.digest == release().digest
    assert kept.reviewed == release_source.reviewed


def test_the_release_without_its_list_is_refused(release_source: Source, tmp_path: Path) -> None:
    packed = tmp_path / "ECB+.zip"
    packed.write_bytes(pack(replace(release_source, reviewed=None)))
    with refused("checksum-mismatch", REVIEWED):
        install(packed)


@contextmanager
def _disk_of(size: int) -> Iterator[None]:
    """Limit every file to ``size`` bytes: a longer write raises OSError, as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
