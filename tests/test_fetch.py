"""Downloads from a server on this machine: whole, cut, of another content, and refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cdec import load_corpus
from tests.program import Ran, Run
from tests.tiny_files import GVC, wec

PARTS = ("train", "val", "test")
CUT = 500


@dataclass
class Server:
    """The files of a server and what it was asked; the first answer with ``cut`` ends early."""

    files: dict[str, bytes]
    url: str = ""
    cut: str = ""
    asked: list[str] = field(default_factory=list)

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        name = to.path.lstrip("/")
        self.asked.append(name)
        data = self.files.get(name, b"")
        to.send_response(200 if name in self.files else 404)
        to.send_header("Content-Length", str(len(data)))
        to.end_headers()
        if cut := name == self.cut:
            self.cut = ""
        to.wfile.write(data[:CUT] if cut else data)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server({})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.answer(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_port}"
    yield state
    http.shutdown()
    thread.join()
    http.server_close()


def add(cdec: Run, name: str, server: Server) -> Ran:
    return cdec("corpus", "add", name, "--url", server.url, "-v")


def unified(chain: str) -> dict[str, bytes]:
    """The mentions of a corpus of uCDCR, of one event in each part."""
    files = {}
    for part in PARTS:
        mention = {
            "mention_id": "m", "coref_chain": chain, "mention_full_type": "", "topic_id": "1",
            "subtopic_id": part, "doc": part, "conll_doc_key": f"1/{part}/{part}", "sent_id": 0,
            "tokens_number": [1], "tokens_number_context": [1], "split": part,
            "mention_context": ["A", "fire"],
        }  # fmt: skip
        files[f"{part}/event_mentions.json"] = json.dumps([mention]).encode()
        files[f"{part}/entity_mentions.json"] = b"[]"
    return files


def test_a_corpus_of_ucdcr_is_added_by_its_name(cdec: Run, server: Server) -> None:
    server.files = unified("c")
    ran = add(cdec, "ucdcr:hypercoref", server)
    assert ran.exit == 0, ran.err
    assert sorted(server.asked) == sorted(server.files)
    for name in ("ucdcr:hypercoref", "ucdcr-hypercoref"):
        assert list(load_corpus(name, "test").documents) == ["test"]
    corpus = load_corpus("ucdcr:hypercoref", "all")
    assert (len(corpus.documents), corpus.kind, corpus.name) == (3, "event", "ucdcr-hypercoref")
    # No checksum of these files is published: the first download is the one to equal.
    assert "checksum-mismatch" in ran.out + ran.err
    assert corpus.digest in ran.out + ran.err
    assert add(cdec, "ucdcr:hypercoref", server).exit == 0
    server.files = unified("another")
    ran = add(cdec, "ucdcr:hypercoref", server)
    assert (ran.exit, ran.error) == (1, "checksum-mismatch")
    assert load_corpus("ucdcr:hypercoref", "all").digest == corpus.digest


def test_a_file_that_is_not_the_published_one_is_refused(cdec: Run, server: Server) -> None:
    server.files = {"all_documents.parquet": b"another", "all_mentions.parquet": b"another"}
    ran = add(cdec, "ucdcr:np4e", server)
    assert (ran.exit, ran.error) == (1, "checksum-mismatch")
    assert "all_documents.parquet" in ran.said


def test_after_a_download_that_is_cut_the_other_files_are_kept(
    cdec: Run, server: Server, corpora: Path
) -> None:
    folder = corpora / "uCDCR-format"
    server.files = {
        f"all_{name}.parquet": (folder / f"NP4E.all_{name}.parquet").read_bytes()
        for name in ("documents", "mentions")
    }
    server.cut = "all_mentions.parquet"
    ran = add(cdec, "ucdcr:np4e", server)
    assert (ran.exit, ran.error) == (1, "corpus-not-found")
    assert f"stopped after {CUT} bytes" in ran.err
    assert add(cdec, "np4e", server).exit == 0
    assert server.asked == ["all_documents.parquet", *["all_mentions.parquet"] * 2]
    assert len(load_corpus("ucdcr:np4e", "all").documents) == 94


def test_a_published_checksum_is_compared_in_silence(
    cdec: Run, server: Server, corpora: Path
) -> None:
    names = ["all_documents.parquet", "all_mentions.parquet"]
    names += ["test.event_mentions.json", "val.event_mentions.json"]
    server.files = {name: (corpora / "ECB+METAm" / name).read_bytes() for name in names}
    ran = add(cdec, "ucdcr:ecb+metam", server)
    assert ran.exit == 0
    assert "checksum-mismatch" not in ran.out + ran.err
    found = {
        key: load_corpus(key, "test") for key in ("ecb+metam", "ucdcr:ecb+metam:with-unlinked")
    }
    assert [len(corpus.selected) for corpus in found.values()] == [1200, 1777]


def test_wec_eng_has_its_three_parts(cdec: Run, server: Server) -> None:
    names = [f"{part}_Event_gold_mentions" for part in ("Train", "Dev", "Test")]
    ends = ("", "_validated", "_validated")
    server.files = {
        f"{name}{end}.json": wec({}, {"doc_id": name}).encode()
        for name, end in zip(names, ends, strict=True)
    }
    assert add(cdec, "wec-eng", server).exit == 0
    documents = load_corpus("wec", "all").documents
    assert {name: document.attributes["part"] for name, document in documents.items()} == {
        **dict(zip(names, ("train", "dev", "test"), strict=True)),
        **{"A": "dev", "test-A": "test", "train-A": "train"},  # the article is in all three
    }


def test_without_server_file_or_address_the_call_is_refused(cdec: Run, server: Server) -> None:
    server.files = {"gold.conll": GVC.encode()}
    ran = add(cdec, "gvc", server)
    assert (ran.exit, ran.error) == (1, "corpus-not-found")
    assert "404" in ran.said
    for name, url, exit_, code in (
        ("ucdcr:gvc", "http://127.0.0.1:9", 1, "corpus-not-found"),
        ("ucdcr:gvc", "127.0.0.1", 2, "argument-invalid"),
        ("fcc-t", server.url, 2, "corpus-not-found"),
        ("ucdcr:ontonotes", server.url, 2, "name-unknown"),
    ):
        ran = cdec("corpus", "add", name, "--url", url)
        assert (ran.exit, ran.error) == (exit_, code), ran.err
