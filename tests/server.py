"""A local server that simulates failures of servers and networks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

CUT = 30_000


@dataclass
class Server:
    """The files and the behaviour of the server; ``asked`` logs (name, Range) of each request."""

    files: dict[str, bytes]
    url: str = ""
    knows_ranges: bool = True
    cuts: int = 0  # the number of next replies that are cut after CUT bytes
    status: int | None = None
    length: str | None = None  # instead of the true one
    tells_length: bool = True
    trickles: threading.Event | None = None  # sends byte by byte until it is set
    redirects: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        name, asked = unquote(handler.path.rpartition("/")[2]), handler.headers["Range"]
        if self.redirects and not handler.path.startswith("/moved"):
            _head(handler, 302, {"Location": f"/moved/{handler.path.rpartition('/')[2]}"})
            return
        self.asked.append((name, asked))
        assert handler.headers["Accept-Encoding"] == "identity"
        status = self.status or (200 if name in self.files else 404)
        if status != 200:
            _head(handler, status)
            return
        self._send(handler, self.files[name], asked)

    def _send(self, handler: BaseHTTPRequestHandler, data: bytes, asked: str | None) -> None:
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.knows_ranges else 0
        if start >= len(data):
            _head(handler, 416, {"Content-Range": f"bytes */{len(data)}"})
            return
        headers = {"Content-Length": self.length or str(len(data) - start)}
        if not self.tells_length:
            headers = {"Server": "of few words"}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        _head(handler, 206 if start else 200, headers)
        cut, self.cuts = self.cuts > 0, self.cuts - 1
        self._write(handler, data[start : start + CUT] if cut else data[start:])

    def _write(self, handler: BaseHTTPRequestHandler, data: bytes) -> None:
        if self.trickles is not None:
            for byte in data:
                handler.wfile.write(bytes([byte]))
                if self.trickles.wait(0.05):
                    return
        with suppress(OSError):  # who asked has gone
            handler.wfile.write(data)


def _head(
    handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str] | None = None
) -> None:
    handler.send_response(status)
    for name, value in (headers or {"Content-Length": "0"}).items():
        handler.send_header(name, value)
    handler.end_headers()


@contextmanager
def serving(files: dict[str, bytes], folder: str = "/") -> Iterator[Server]:
    """A server on this machine that has the files in a folder."""
    state = Server(files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.reply(self)

        def log_message(self, *_: object) -> None:
            """Keep the terminal clean."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{http.server_port}{folder}"
    try:
        yield state
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
