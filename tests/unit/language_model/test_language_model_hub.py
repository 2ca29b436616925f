"""The hub is a small server on the loopback address, or nobody."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.language_model import load
from core.language_model.offers import HUB_NAMES

FIND = """
import sys
from core.errors import InvalidInput
from core.language_model.hub import find_folder
try:
    print(*find_folder(sys.argv[1]), sep="|")
except InvalidInput as error:
    print("refused:", error)
"""


FETCH = """
import sys
from core.errors import InvalidInput
from core.language_model.fetching import fetch, find_offer
from core.language_model.fetching import hub_offers
from core.language_model.hub import cached_folder
from core.watcher import Watcher
seen = []
try:
    offer = find_offer(sys.argv[1])
    print(offer.parameters, offer.size, offer.licence, offer.memory, sep="|")
    fetch(
        offer,
        watcher=Watcher(on_progress=lambda *counts: seen.append(counts)),
        on_arrival=lambda: None,
    )
except InvalidInput as error:
    print("refused:", error)
print({total for _, total in seen} == {offer.size}, cached_folder(sys.argv[1]) is not None)
print([each.name for each in hub_offers()])
"""


def find_elsewhere(name, tmp_path, **environment):
    """Find in a fresh process: the hub's client reads its settings once."""
    return run_elsewhere(FIND, name, tmp_path, **environment)


def run_elsewhere(program, name, tmp_path, **environment):
    surroundings = os.environ | {"HF_HOME": str(tmp_path / "hub")} | environment
    done = subprocess.run(
        [sys.executable, "-c", program, name],
        capture_output=True, text=True, check=True, env=surroundings, timeout=120,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def hub():
    """A server that answers with what `replies` says for a path; asked paths are kept."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            server.asked.append(path)
            code, body, headers = server.replies.get(path, (404, {}, {}))
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(code)
            for key, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.replies = [], {}
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


NEVER = ("pytorch_model.bin", "modeling.py")
"""Files that could run code."""


def offer(hub, name, folder):
    """Let the hub have the model of a folder, and files that could run code; all of them."""
    commit = "1" * 40
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files |= {name: b"raise SystemExit" for name in NEVER}
    siblings = [{"rfilename": file, "size": len(data)} for file, data in files.items()]
    info = {
        "id": name,
        "sha": commit,
        "siblings": siblings,
        "tags": ["text-generation", "license:apache-2.0"],
        "safetensors": {"parameters": {"BF16": 494032768}, "total": 494032768},
    }
    for path in (f"/api/models/{name}", f"/api/models/{name}/revision/main"):
        hub.replies[path] = (200, info, {})
    hub.replies[f"/api/models/{name}/tree/{commit}"] = (
        200,
        [
            {"type": "file", "path": file, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
            for file, data in files.items()
        ],
        {},
    )
    for file, data in files.items():
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": commit}
        hub.replies[f"/{name}/resolve/{commit}/{file}"] = (200, data, headers)
    return files


def test_no_hub_in_reach(tmp_path):
    printed = find_elsewhere("nobody/nothing", tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert printed.startswith("refused: There is no folder 'nobody/nothing'")
    assert "the hub cannot be reached" in printed


def test_told_to_stay_offline(tmp_path):
    printed = find_elsewhere("nobody/nothing", tmp_path, HF_HUB_OFFLINE="1")
    assert "the hub cannot be reached" in printed


def test_hub_does_not_know_it(hub, tmp_path):
    hub.replies["/api/models/nobody/nothing"] = (
        404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"},
    )  # fmt: skip
    printed = find_elsewhere("nobody/nothing", tmp_path, HF_ENDPOINT=hub.address)
    assert "no public model on the hub named 'nobody/nothing'" in printed
    assert not [path for path in hub.asked if "resolve" in path]


def test_gated(hub, tmp_path):
    hub.replies["/api/models/some/gated"] = (403, {}, {"X-Error-Code": "GatedRepo"})
    printed = find_elsewhere("some/gated", tmp_path, HF_ENDPOINT=hub.address)
    assert "'some/gated' is gated" in printed


def test_only_pickled_weights_on_the_hub(hub, tmp_path):
    siblings = [{"rfilename": name} for name in ("config.json", "pytorch_model.bin")]
    hub.replies["/api/models/some/old"] = (200, {"id": "some/old", "siblings": siblings}, {})
    printed = find_elsewhere("some/old", tmp_path, HF_ENDPOINT=hub.address)
    assert "has no model.safetensors" in printed
    assert not [path for path in hub.asked if "resolve" in path]


def test_cached_model_needs_no_hub(tiny_lm_folder, tmp_path):
    commit = "0" * 40
    cached = tmp_path / "hub" / "hub" / "models--some--tiny"
    snapshot = cached / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    for file in tiny_lm_folder.iterdir():
        (snapshot / file.name).symlink_to(file)
    found = find_elsewhere("some/tiny", tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert found == f"some/tiny|{snapshot}"


def test_model_is_fetched_without_what_could_run_code_and_then_cached(
    hub, tiny_lm_folder, tmp_path
):
    name = "some/tiny"
    files = offer(hub, name, tiny_lm_folder)
    printed = find_elsewhere(name, tmp_path, HF_ENDPOINT=hub.address)
    assert printed.startswith(f"{name}|")
    fetched = {path.rpartition("/")[2] for path in hub.asked if "resolve" in path}
    assert fetched == set(files) - {"pytorch_model.bin", "modeling.py"}
    assert find_elsewhere(name, tmp_path, HF_ENDPOINT="http://127.0.0.1:9") == printed
    assert load(printed.removeprefix(f"{name}|")).parameters > 0


@pytest.fixture
def fetched_files(hub, tiny_lm_folder):
    for name in HUB_NAMES:  # the others were taken away
        gone = {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"}
        hub.replies[f"/api/models/{name}"] = (404, *gone)
    files = offer(hub, "Qwen/Qwen2.5-0.5B-Instruct", tiny_lm_folder)
    return {name: data for name, data in files.items() if name not in NEVER}


def test_an_offered_model_is_fetched_with_what_the_hub_says_of_it(hub, tmp_path, fetched_files):
    name = "Qwen/Qwen2.5-0.5B-Instruct"
    printed = run_elsewhere(FETCH, name, tmp_path, HF_ENDPOINT=hub.address).splitlines()
    size = sum(map(len, fetched_files.values()))
    assert printed == [f"494032768|{size}|apache-2.0|{4 * 494032768}", "True True", f"['{name}']"]


@pytest.mark.thorough
def test_what_did_not_arrive_whole_is_refused_and_fetched_the_next_time(
    hub, tmp_path, fetched_files
):
    name = "Qwen/Qwen2.5-0.5B-Instruct"
    (weights,) = (path for path in hub.replies if path.endswith("model.safetensors"))
    code, data, headers = hub.replies[weights]
    hub.replies[weights] = (500, {}, {})
    printed = run_elsewhere(FETCH, name, tmp_path, HF_ENDPOINT=hub.address).splitlines()
    assert printed[1].startswith(f"refused: The model '{name}' could not be fetched whole from")
    assert printed[2] == "True False"
    hub.replies[weights] = (code, data, headers)
    printed = run_elsewhere(FETCH, name, tmp_path, HF_ENDPOINT=hub.address).splitlines()
    assert printed[1] == "True True"
