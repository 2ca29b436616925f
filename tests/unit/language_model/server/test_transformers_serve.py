"""The server that comes with `transformers`, as a process around the bundled practice model."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.generation import EndedBy, GenerationRequest
from core.language_model import AnswerRequest
from core.settings import practice_model_folder
from tests.support.tiny_language_model import CHATML, build_tiny_language_model

pytestmark = pytest.mark.thorough
PROMPTS = ("Q: Where?\nA:", "Q: How are you?\nA: fine\n\nQ: Where?\nA:", "Q: 漢字?\nA:")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def serve(tmp_path):
    """Starts the server around a folder; waits until it says that it is there."""
    started = []

    def start(folder):
        port = free_port()
        program = str(Path(sys.executable).with_name("transformers"))
        started.append(
            subprocess.Popen(
                [program, "serve", str(folder), "--host", "127.0.0.1", "--port", str(port),
                 "--device", "cpu", "--dtype", "float32"],
                env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "none")},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )  # fmt: skip
        assert any("Uvicorn running" in line for line in started[-1].stderr), "it ended"
        return f"http://127.0.0.1:{port}/v1"

    yield start
    for process in started:
        process.terminate()
        process.communicate()


def test_it_writes_what_the_local_model_writes_and_does_not_score(serve, reach, load_once):
    folder, local = practice_model_folder(), load_once("practice")
    model = reach(serve(folder), name=str(folder))
    assert not model.abilities.scores
    for stop in ((), ("\nQ:",)):
        requests = [GenerationRequest(each, stop=stop, max_new_tokens=14) for each in PROMPTS]
        expected = [(row[0].text, row[0].ended_by) for row in local.generate(requests)]
        for on_text in (None, lambda *shown: None):
            found = [row[0] for row in model.generate(requests, on_text=on_text)]
            assert [(each.text, each.ended_by) for each in found] == expected
            assert {each.log_prob for each in found} == {None}
    assert EndedBy.LENGTH in [ended for _, ended in expected]
    with pytest.raises(InvalidInput, match="cannot score answers"):
        model.log_probs([AnswerRequest("a", (" b",))])
    with pytest.raises(InvalidInput, match=f"has no model 'other'; it has {folder}"):
        reach(serve(folder), name="other")


def test_its_chat_answers_a_message_in_the_models_own_format(serve, reach, tmp_path):
    from core.language_model import find_template, load

    folder = build_tiny_language_model(tmp_path / "chat", "qwen2", chat_template=CHATML)
    local, model = load(folder, device="cpu"), reach(serve(folder), name=str(folder))
    here, there = (
        each.generate(
            [
                GenerationRequest(
                    find_template("chat", each.name, each.chat_format).prompt([], "When?"),
                    max_new_tokens=8,
                )
            ]
        )[0][0].text
        for each in (local, model)
    )
    assert here.strip() == there.strip() != ""
