"""The download, from a local server that simulates failures of servers and networks."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cdec.corpus import (
    ARCHIVE,
    REVIEWED,
    KnownCorpus,
    Source,
    blob_id,
    by_name,
    data_folder,
    fetch,
    installed,
    locate,
    open_source,
    pack,
    release,
    sample_path,
)
from tests.corpus.samples import GVC, INCIDENTS
from tests.refusals import refused
from tests.server import CUT, Server, serving

FOLDER = "/ECB%2B_LREC2014/"
ARCHIVE_URL = f"{FOLDER}ECB%2B.zip"


def _serve(source: Source) -> Iterator[Server]:
    assert source.reviewed is not None
    files = {ARCHIVE: pack(replace(source, reviewed=None)), REVIEWED: source.reviewed}
    with serving(files, FOLDER) as state:
        yield state


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with the sample corpus, in the layout of the release."""
    yield from _serve(open_source(sample_path()))


@pytest.fixture
def published(server: Server) -> KnownCorpus:
    """The release, with the checksums of the server's files."""
    return _published(server, open_source(sample_path()))


def _published(server: Server, source: Source) -> KnownCorpus:
    return replace(
        release(),
        base_url=server.url,
        digest=source.digest,
        checksums=source.checksums,
        blobs={name: blob_id(data) for name, data in server.files.items()},
    )


def _left() -> dict[str, int]:
    folder = data_folder() / "download"
    return {path.name: path.stat().st_size for path in folder.iterdir()} if folder.exists() else {}


def test_fetch_installs_the_published_corpus(server: Server, published: KnownCorpus) -> None:
    target = fetch(known=published)
    assert installed() == {"ecb+": target}
    source, sample = open_source(target), open_source(sample_path())
    assert (source.files, source.reviewed) == (sample.files, sample.reviewed)
    assert server.asked == [(ARCHIVE, None), (REVIEWED, None)]
    assert not (data_folder() / "download").exists()


def test_the_real_corpus_arrives_whole(release_source: Source) -> None:
    for server in _serve(release_source):
        server.cuts = 1
        known = replace(release(), blobs=_published(server, release_source).blobs)
        with refused("download-failed"):
            fetch(server.url, known=known)
        source = open_source(fetch(server.url, known=known))
        assert source.digest == release().digest
        assert source.reviewed == release_source.reviewed


def test_a_cut_download_is_resumed(server: Server, published: KnownCorpus) -> None:
    server.cuts = 1
    with refused("download-failed", place=f"{server.url}ECB%2B.zip") as caught:
        fetch(known=published)
    kept = _left()[f"{ARCHIVE}.part"]
    assert 0 < kept <= CUT
    assert f"{kept:,} bytes" in str(caught.value)
    assert installed() == {}
    assert open_source(fetch(known=published)).digest == published.digest
    assert server.asked[1] == (ARCHIVE, f"bytes={kept}-")


def test_a_download_that_is_cut_twice_is_completed(server: Server, published: KnownCorpus) -> None:
    server.cuts = 2
    sizes = []
    for _ in range(2):
        with refused("download-failed"):
            fetch(known=published)
        sizes.append(_left()[f"{ARCHIVE}.part"])
    assert sizes[0] < sizes[1]
    fetch(known=published)
    assert [asked for _, asked in server.asked] == [
        None,
        f"bytes={sizes[0]}-",
        f"bytes={sizes[1]}-",
        None,
    ]


def test_a_complete_file_is_not_requested_again(server: Server, published: KnownCorpus) -> None:
    reviewed = server.files.pop(REVIEWED)
    with refused("download-failed", "404 Not Found"):
        fetch(known=published)
    assert set(_left()) == {ARCHIVE, f"{REVIEWED}.part"}
    server.files[REVIEWED] = reviewed
    fetch(known=published)
    assert [name for name, _ in server.asked] == [ARCHIVE, REVIEWED, REVIEWED]


def test_a_server_without_ranges_sends_the_whole_file(
    server: Server, published: KnownCorpus
) -> None:
    server.cuts = 1
    with refused("download-failed"):
        fetch(known=published)
    server.knows_ranges = False
    fetch(known=published)
    assert [name for name, _ in server.asked] == [ARCHIVE, ARCHIVE, REVIEWED]


def _leave(name: str, data: bytes) -> None:
    folder = data_folder() / "download"
    folder.mkdir(parents=True)
    (folder / f"{name}.part").write_bytes(data)


def test_a_complete_part_is_used(server: Server, published: KnownCorpus) -> None:
    data = server.files[ARCHIVE]
    _leave(ARCHIVE, data)
    fetch(known=published)
    assert server.asked == [(ARCHIVE, f"bytes={len(data)}-"), (REVIEWED, None)]


@pytest.mark.parametrize("extra", [-5000, 0, 5000])
def test_a_part_of_another_file_is_replaced(
    server: Server, published: KnownCorpus, extra: int
) -> None:
    size = len(server.files[ARCHIVE]) + extra
    _leave(ARCHIVE, b"x" * size)
    fetch(known=published)
    assert server.asked == [(ARCHIVE, f"bytes={size}-"), (ARCHIVE, None), (REVIEWED, None)]


def test_an_empty_part_is_ignored(server: Server, published: KnownCorpus) -> None:
    _leave(ARCHIVE, b"")
    fetch(known=published)
    assert server.asked == [(ARCHIVE, None), (REVIEWED, None)]


@pytest.mark.parametrize("name", [ARCHIVE, REVIEWED])
def test_a_wrong_file_is_refused_and_not_kept(
    server: Server, published: KnownCorpus, name: str
) -> None:
    server.files[name] = b"<html>please log in</html>"
    with refused("checksum-mismatch", published.blobs[name]):
        fetch(known=published)
    assert installed() == {}
    assert set(_left()) == (set() if name == ARCHIVE else {ARCHIVE})


def test_a_wrong_file_inside_is_refused_by_its_digest(
    server: Server, published: KnownCorpus
) -> None:
    first = next(iter(published.checksums))
    other = replace(published, checksums={**published.checksums, first: "0" * 64})
    with refused("checksum-mismatch", "ECB+ 1.0", "1 damaged file (1/1_1ecb.xml)"):
        fetch(known=other)
    assert installed() == {}
    assert server.asked


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "404 Not Found"), (403, "403 Forbidden"), (503, "503 Service")]
)
def test_a_server_that_refuses(
    server: Server, published: KnownCorpus, status: int, reason: str
) -> None:
    server.status = status
    with refused("download-failed", reason, place=f"{server.url}ECB%2B.zip") as caught:
        fetch(known=published)
    assert "\n" not in str(caught.value)


def test_an_error_page_does_not_change_a_part(server: Server, published: KnownCorpus) -> None:
    server.cuts = 1
    with refused("download-failed"):
        fetch(known=published)
    kept = _left()
    server.status = 503
    with refused("download-failed", "503"):
        fetch(known=published)
    assert _left() == kept


def test_redirects_are_followed_and_keep_the_range(server: Server, published: KnownCorpus) -> None:
    server.redirects, server.cuts = True, 1
    with refused("download-failed"):
        fetch(known=published)
    kept = _left()[f"{ARCHIVE}.part"]
    fetch(known=published)
    assert server.asked == [(ARCHIVE, None), (ARCHIVE, f"bytes={kept}-"), (REVIEWED, None)]


def test_no_server_at_all(published: KnownCorpus) -> None:
    # No server listens on port 9 ("discard").
    with refused("download-failed"):
        fetch("http://127.0.0.1:9/", known=published)


@pytest.mark.parametrize("url", ["no url", "ftp://example.org/", "http://"])
def test_an_invalid_url(published: KnownCorpus, url: str) -> None:
    with refused("option-invalid"):
        fetch(url, known=published)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(server: Server, published: KnownCorpus) -> None:
    folder = data_folder() / "download"
    folder.mkdir(parents=True)
    (folder / f"{ARCHIVE}.part").symlink_to("/dev/full")
    with refused("file-unwritable", "No space left on device", place=folder):
        fetch(known=published)
    assert installed() == {}
    assert server.asked == [(ARCHIVE, None)]


def test_no_part_is_left_on_a_full_disk(server: Server, published: KnownCorpus) -> None:
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (CUT, old[1]))
    try:
        with refused("file-unwritable", "File too large"):
            fetch(known=published)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert _left() == {}
    fetch(known=published)
    assert server.asked == [(ARCHIVE, None), (ARCHIVE, None), (REVIEWED, None)]


LIMITS = "cdec.corpus.store.fetch"


@pytest.mark.parametrize("says_so", [True, False])
def test_a_file_that_is_too_large(
    says_so: bool, server: Server, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.LARGEST", CUT)
    server.tells_length = says_so
    with refused("file-too-large", "more than 30,000 bytes", place=ARCHIVE_URL):
        fetch(known=published)
    assert _left() == {}


def test_a_part_that_is_too_large_is_removed_and_not_read(
    server: Server, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LIMITS}.LARGEST", len(server.files[ARCHIVE]))
    _leave(ARCHIVE, b"x" * (len(server.files[ARCHIVE]) + 1))
    fetch(known=published)
    assert server.asked == [(ARCHIVE, None), (REVIEWED, None)]


@pytest.mark.parametrize("extra", [0, 5000])
def test_a_large_part_of_something_else_is_no_hindrance(
    extra: int, server: Server, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(server.files[ARCHIVE])
    monkeypatch.setattr(f"{LIMITS}.LARGEST", size + extra)
    server.knows_ranges = False
    _leave(ARCHIVE, b"x" * (size - 1))
    fetch(known=published)


def test_a_trickle_has_an_end_and_its_part_is_kept(
    server: Server, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.trickles = threading.Event()
    monkeypatch.setattr(f"{LIMITS}.TRANSFER_SECONDS", 1.0)
    try:
        with refused("download-failed", "resumed", place=ARCHIVE_URL):
            fetch(known=published)
    finally:
        server.trickles.set()
    assert set(_left()) == {f"{ARCHIVE}.part"}


def test_a_length_that_is_no_number(server: Server, published: KnownCorpus) -> None:
    server.length = "much"
    assert fetch(known=published).is_file()


def test_a_mirror_without_a_slash_and_another_folder(
    server: Server, published: KnownCorpus, tmp_path: Path
) -> None:
    elsewhere = replace(published, base_url="http://127.0.0.1:9/")
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    fetch(server.url.rstrip("/"), folder=folder, known=elsewhere)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_progress_counts_to_the_end(server: Server, published: KnownCorpus) -> None:
    bar = _Bar()
    fetch(known=published, progress=bar)
    assert bar.finished == [len(server.files[ARCHIVE]), len(server.files[REVIEWED])]


def test_a_bar_on_stderr(
    server: Server, published: KnownCorpus, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(known=published, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err
    assert server.asked


@dataclass
class _Bar:
    """A minimal progress bar for pooch."""

    total: int = 0
    done: int = 0
    finished: list[int] = field(default_factory=list)

    def update(self, count: int) -> None:
        self.done += count

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        assert self.done == self.total
        self.finished.append(self.done)


@pytest.fixture
def gvc(server: Server) -> KnownCorpus:
    """GVC, of which one file has no published id and the other is elsewhere."""
    server.files = {"gold.conll": GVC.encode(), "doc_to_event.csv": INCIDENTS.encode()}
    known = by_name("gvc")
    assert known is not None
    blobs = {"gold.conll": "", "doc_to_event.csv": blob_id(INCIDENTS.encode())}
    urls = {"doc_to_event.csv": f"{server.url}elsewhere/doc_to_event.csv"}
    return replace(known, base_url=server.url, blobs=blobs, urls=urls)


def test_another_corpus_from_two_addresses(server: Server, gvc: KnownCorpus) -> None:
    target = fetch(known=gvc)
    assert installed() == {"gvc": target}
    assert sorted(open_source(target).files) == ["doc_to_event.csv", "gold.conll"]
    assert not (data_folder() / "download").exists()
    assert locate("GVC").path == target


def test_a_download_without_an_id_must_be_a_corpus(server: Server, gvc: KnownCorpus) -> None:
    server.files["gold.conll"] = GVC.replace("(c2)", "(c2").encode()
    with refused("brackets-invalid", place="gold.conll:9"):
        fetch(known=gvc)
    assert installed() == {}
    server.files["gold.conll"] = GVC.encode()
    assert fetch(known=gvc).is_file()


def test_a_mirror_has_every_file(server: Server, gvc: KnownCorpus) -> None:
    elsewhere = replace(gvc, base_url="http://127.0.0.1:9/", urls={"x": "http://127.0.0.1:9/"})
    assert fetch(server.url, known=elsewhere).is_file()


def test_a_corpus_without_an_address() -> None:
    with refused("corpus-not-found", "FCC-T"):
        fetch(known=by_name("fcc-t"))


def test_a_known_corpus_that_is_not_installed() -> None:
    with refused("corpus-not-found", "cdec corpus fetch gvc"):
        locate("gvc")


def test_the_address_is_that_of_the_authors() -> None:
    known = release()
    assert known.base_url == (
        "https://raw.githubusercontent.com/cltl/ecbPlus/master/ECB%2B_LREC2014/"
    )
    assert known.blobs == {
        "ECB+.zip": "ae1578e6feb9ab465f74905794666c3368f3e813",
        "ECBplus_coreference_sentences.csv": "527886b5fe84f709da048935fec0a1ce4c827299",
    }
    assert list(known.blobs) == [ARCHIVE, REVIEWED]


def test_a_proxy_of_the_environment_is_used_but_not_for_loopback(
    server: Server, published: KnownCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    fetch(known=published)
    assert len(server.asked) == 2
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name)
    with refused("download-failed"):
        fetch(known=published)
    assert len(server.asked) == 2
