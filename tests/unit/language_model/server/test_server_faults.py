"""A server that fails: tried again where that helps, else one sentence; nothing is lost."""

import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from core.engines import LocalEngine, StoredEngine
from core.errors import Cancelled, InvalidInput
from core.generation import GenerationRequest
from core.language_model import TEMPLATES, AnswerRequest
from core.language_model.server.failures import Patience, asked_pause
from core.store import Store
from core.watcher import Watcher
from tests.support.openai_server import (
    KEY,
    Hang,
    bad_json,
    half_a_stream,
    half_an_answer,
    no_json,
    reset,
    serving,
    status,
)

ROOT = Path(__file__).resolve().parents[4]
QA = TEMPLATES["qa"]
REQUESTS = [AnswerRequest(f"Q: {n}?\nA:", (" yes", " no")) for n in range(10)]
PASSING = {
    "500": status(500),
    "503": status(503, Retry_After="0"),
    "429": status(429, Retry_After="0.001"),
    "429 until a date": status(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    "408": status(408),
    "half an answer": half_an_answer,
    "no JSON": no_json,
    "bad JSON": bad_json,
    "reset": reset,
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_tried_again(server, reach, fault):
    url, offer = server
    model = reach(url)
    expected = model.log_probs(REQUESTS[:1])
    written = model.generate([GenerationRequest("a")])
    offer.asked.clear()
    offer.faults.extend([fault, fault])
    assert model.log_probs(REQUESTS[:1]) == expected
    assert len(offer.asked) == 4
    offer.faults.extend([fault, fault])
    assert model.generate([GenerationRequest("a")]) == written
    assert len(offer.asked) == 7


def test_half_a_stream_is_written_again_from_its_beginning(server, reach):
    url, offer = server
    model = reach(url)
    offer.faults.append(half_a_stream)
    shown = []
    (found,) = model.generate([GenerationRequest("a")], on_text=lambda *text: shown.append(text))[0]
    assert found.text == " nothing"
    assert shown[0] == ("a", 0, "hal")
    assert shown[-1] == ("a", 0, " nothing")


FINAL = {
    "401": (status(401), r"refused the key \(status 401\); set OPENAI_API_KEY", 1),
    "403": (status(403), r"refused the key \(status 403\); set OPENAI_API_KEY", 1),
    "404": (status(404), "has no model 'tiny'; it has tiny", 1),
    "400": (status(400, "no such thing"), r"refused a request .*400: no such thing", 1),
    "429": (status(429), "takes no more requests for now.*is kept: start again later", 3),
    "429 for a day": (status(429, Retry_After="86400"), "takes no more requests for now", 1),
    "500": (status(500, "out of memory"), "failed again and again .*500: out of memory", 3),
    "half an answer": (half_an_answer, "cut off or no JSON", 3),
    "no JSON": (no_json, "cut off or no JSON of the OpenAI protocol; what was answered", 3),
    "bad JSON": (bad_json, "cut off or no JSON", 3),
}


@pytest.mark.parametrize(("fault", "sentence", "tries"), FINAL.values(), ids=FINAL)
def test_what_does_not_pass_is_one_sentence(server, reach, fault, sentence, tries):
    url, offer = server
    model = reach(url)
    for ask in (
        lambda: model.log_probs([AnswerRequest("a", (" b",))]),
        lambda: model.generate([GenerationRequest("a")]),
        lambda: model.generate([GenerationRequest("a")], on_text=lambda *text: None),
    ):
        offer.asked.clear()
        offer.faults.extend([fault] * tries)
        with pytest.raises(InvalidInput, match=sentence) as refused:
            ask()
        assert url in str(refused.value)
        assert len(offer.asked) == tries


def test_a_server_that_is_silent_is_not_waited_for_without_end(server, reach):
    url, offer = server
    model = reach(url, timeout=0.1, tries=1)
    hang = Hang()
    offer.faults.append(hang)
    with pytest.raises(InvalidInput, match="did not answer in time"):
        model.log_probs(REQUESTS[:1])
    hang.end.set()


def test_what_cannot_be_reached_or_is_not_there_is_said_at_loading(server, reach, words):
    url, offer = server
    with pytest.raises(InvalidInput, match="has no model 'other'; it has tiny"):
        reach(url, name="other")
    offer.faults.append(status(401))
    with pytest.raises(InvalidInput, match="set OPENAI_API_KEY to one that may use 'tiny'"):
        reach(url)
    with serving(words) as (gone, _):
        pass
    with pytest.raises(InvalidInput, match="Nothing answers at .* set SHOTLIST_OPENAI_BASE_URL"):
        reach(gone)
    offer.completions = offer.chat = offer.models = False
    with pytest.raises(InvalidInput, match="does not speak the OpenAI protocol there"):
        reach(url)


def test_loading_outlasts_a_busy_moment(server, reach):
    url, offer = server
    offer.faults.extend([status(503), status(429), half_an_answer])
    assert reach(url, tries=4).abilities.scores


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "workspace") as opened:
        yield opened


def questions(offer):
    """What was asked, each once: a request that was given up may reach the server late."""
    return {(body["prompt"], body.get("seed")) for body in offer.asked}


def test_what_was_answered_before_a_failure_is_kept(server, reach, store):
    url, offer = server
    model = reach(url, at_once=1)
    engine = LocalEngine(store, model, QA)
    offer.asked.clear()
    offer.after[14] = status(401)
    with pytest.raises(InvalidInput, match="refused the key"):
        engine.log_probs(REQUESTS)
    assert (engine.calls, store.log_probs.count(model.fingerprint)) == (13, 13)
    offer.asked.clear()
    engine.log_probs(REQUESTS)
    assert (len(questions(offer)), engine.calls) == (7, 20)
    assert StoredEngine(store, model.fingerprint, QA).log_probs(REQUESTS)

    texts = [GenerationRequest(each.prompt, 2, temperature=1.0) for each in REQUESTS]
    offer.asked.clear()
    offer.after[6] = status(401)
    with pytest.raises(InvalidInput, match="refused the key"):
        engine.generate(texts)
    assert store.generations.count(model.fingerprint) == 5
    offer.asked.clear()
    found = engine.generate(texts)
    assert found == StoredEngine(store, model.fingerprint, QA).generate(texts)
    assert len(questions(offer)) == 16  # a request of which one text is missing is asked again


def test_a_request_that_hangs_is_left_at_once_and_what_was_answered_is_kept(server, reach, store):
    url, offer = server
    model = reach(url, at_once=1)
    engine = LocalEngine(store, model, QA)
    offer.asked.clear()
    hang = offer.after[4] = Hang()
    with pytest.raises(Cancelled):
        engine.log_probs(REQUESTS, watcher=Watcher(cancelled=hang.began.is_set))
    assert not hang.end.is_set()
    hang.end.set()
    assert store.log_probs.count(model.fingerprint) == 3


def start(port):
    """A server of words as a process of its own, which says its port once it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.openai_server", str(port)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, int(process.stdout.readline())


def end(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_server_that_is_killed_and_comes_back_goes_on_where_it_was(reach, store):
    process, port = start(0)
    url = f"http://127.0.0.1:{port}/v1"
    model = reach(url, at_once=2)
    engine = LocalEngine(store, model, QA)
    try:
        arriving = model.scored(REQUESTS)
        kept = [next(arriving) for _ in range(3)]
        end(process)
        with pytest.raises(InvalidInput, match=f"at {url}"):
            kept.extend(arriving)
        assert len(kept) < 20
        with pytest.raises(InvalidInput, match=f"Nothing answers at {url}: start the server"):
            engine.log_probs(REQUESTS)
        process, _ = start(port)
        assert len(engine.log_probs(REQUESTS)) == 10
        assert engine.calls == 20
    finally:
        end(process)


def test_the_key_is_sent_and_appears_nowhere(server, reach, store, tmp_path):
    url, offer = server
    secret = url.replace("http://", "http://anna:hidden-password@")
    for where, header, told in ((url, f"Bearer {KEY}", ""), (secret, None, "hidden-password")):
        model = reach(where)
        if header is not None:
            assert set(offer.keys) == {header}
        engine = LocalEngine(store, model, QA)
        engine.log_probs(REQUESTS)
        offer.faults.append(status(400, f"the key {KEY} of anna {told} is odd"))
        shown = [repr(model), repr(vars(model)), model.device, model.name, repr(engine)]
        with pytest.raises(InvalidInput, match=r"the key \*\*\* of") as refused:
            model.generate([GenerationRequest("a")])
        error = refused.value
        assert (error.__cause__, error.__context__) == (None, None)
        shown.append("".join(traceback.format_exception(error)))
        for text in shown:
            assert KEY not in text
            assert "hidden-password" not in text
    store.close()
    for file in (tmp_path / "workspace").rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert KEY.encode() not in content
            assert b"hidden-password" not in content


def test_a_pause_is_read_as_seconds_or_as_a_date():
    import httpx2
    from openai import APIStatusError

    def asked(**headers):
        request = httpx2.Request("POST", "http://h/v1")
        response = httpx2.Response(429, headers=headers, request=request)
        return asked_pause(APIStatusError("slow", response=response, body=None))

    assert asked(**{"Retry-After": "2.5"}) == 2.5
    assert asked(**{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) < 0
    assert (asked(), asked(**{"Retry-After": "soon"}), asked_pause(ValueError())) == (None,) * 3
    assert Patience().pause(1, asked(**{"Retry-After": "2.5"})) == 2.5
