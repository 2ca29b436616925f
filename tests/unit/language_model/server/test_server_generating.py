"""Texts through a server: those of the local model, shown as they grow, why they end."""

from dataclasses import replace

import pytest

from core.errors import InvalidInput
from core.generation import EndedBy, GenerationRequest
from core.language_model import find_template
from core.language_model.server.asking import WrittenText, seed_of
from core.settings import practice_model_folder
from core.watcher import Watcher
from tests.support.openai_server import Network, Offer, serving

PROMPTS = ("Q: Where?\nA:", "Q: How are you?\nA: fine\n\nQ: Where?\nA:", "Q: 漢字?\nA:")


@pytest.fixture(scope="module")
def local(load_once):
    return load_once("practice")


@pytest.fixture(scope="module")
def network(local):
    return Network(practice_model_folder(), local)


@pytest.mark.parametrize("stop", [(), ("\nQ:",)])
def test_greedy_texts_are_those_of_the_local_model(network, local, reach, stop):
    requests = [GenerationRequest(each, 2, stop=stop, max_new_tokens=14) for each in PROMPTS]
    with serving(network) as (url, offer):
        model = reach(url)
        expected = local.generate(requests)
        offer.asked.clear()
        found = model.generate(requests)
        assert len(offer.asked) == len(PROMPTS)
        for row, rows in zip(found, expected, strict=True):
            assert row[0] == row[1]
            assert (row[0].text, row[0].tokens) == (rows[0].text, ())
            assert row[0].log_probs == pytest.approx(rows[0].log_probs, abs=1e-3)


@pytest.mark.parametrize("offer", [Offer(), Offer(completions=False)], ids=["completions", "chat"])
def test_a_text_is_shown_as_it_grows(network, local, reach, offer):
    requests = [GenerationRequest(each, stop=("\nQ:",), max_new_tokens=14) for each in PROMPTS]
    with serving(network, offer) as (url, _):
        shown, seen = [], []
        found = reach(url).generate(
            requests,
            watcher=Watcher(on_progress=lambda *done: seen.append(done)),
            on_text=lambda *text: shown.append(text),
        )
        expected = [row[0].text for row in local.generate(requests)]
        assert [row[0].text for row in found] == expected
        assert seen == [(14, 42), (28, 42), (42, 42)]
        for prompt, text in zip(PROMPTS, expected, strict=True):
            texts = [part for of, number, part in shown if (of, number) == (prompt, 0)]
            assert texts[-1] == text
            assert len(texts) > 2
            assert all(text.startswith(part) for part in texts)


def test_samples_have_a_seed_each_and_are_the_first_of_more(server, reach):
    url, offer = server
    model = reach(url)

    def seeds(n, seed=3):
        offer.asked.clear()
        model.generate([GenerationRequest("a", n, temperature=0.8, top_p=0.9, seed=seed)])
        assert {(body["temperature"], body["top_p"]) for body in offer.asked} == {(0.8, 0.9)}
        return sorted(body["seed"] for body in offer.asked)

    five = [seed_of(3, number) for number in range(5)]
    assert len(set(five)) == 5
    assert all(0 <= each < 2**31 for each in five)
    assert seeds(5) == sorted(five)
    assert seeds(2) == sorted(five[:2])
    assert not set(seeds(5, seed=4)) & set(five)


def test_a_greedy_request_asks_for_nothing_random(server, reach):
    url, offer = server
    reach(url).generate([GenerationRequest("a", 3, max_new_tokens=5, seed=9)])
    body = offer.asked[-1]
    assert body == {
        "model": "tiny", "max_tokens": 5, "temperature": 0.0, "prompt": "a", "logprobs": 1,
    }  # fmt: skip


def test_a_message_goes_to_the_chat_of_a_server_and_its_marks_do_not(server, reach):
    url, offer = server
    model = reach(url)
    template = find_template("chat", model.name, model.chat_format)
    prompt = template.prompt([("When?", "Now.")], "And then?")
    (text,) = model.generate([GenerationRequest(prompt)])[0]
    (message,) = offer.asked[-1]["messages"]
    assert message == {
        "role": "user", "content": prompt[len(template.before) : -len(template.after)],
    }  # fmt: skip
    assert text.text == " Now."
    plain = replace(template, before="", after="")
    assert plain.fingerprint != template.fingerprint


def test_a_server_that_refuses_log_probabilities_is_asked_without_them(words, reach):
    with serving(words, Offer(log_probs=False, prompt_logprobs=False)) as (url, offer):
        model = reach(url)
        requests = [GenerationRequest("a", 2, temperature=1.0), GenerationRequest("b")]
        (first, second), (third,) = model.generate(requests)
        assert (first.log_prob, first.log_prob_per_token, first.n_tokens) == (None, None, None)
        assert (second.text, third.text) == (" nothing", " nothing")
        offer.asked.clear()
        model.generate([GenerationRequest("c")])
        assert ["logprobs" in body for body in offer.asked] == [False]


def choice(text, finish, **more):
    """A fault: this text instead of the server's own."""
    usage = {"prompt_tokens": 2, "completion_tokens": 2}
    row = {"index": 0, "text": text, "finish_reason": finish, **more}
    return lambda handler: handler.send(200, {"choices": [row], "usage": usage})


@pytest.mark.parametrize(
    ("text", "finish", "more", "most", "ended"),
    [
        (" one", "stop", {}, 9, EndedBy.END),
        (" one", "stop", {"stop_reason": "END"}, 9, EndedBy.STOP),
        (" one", "stop", {"stop_reason": 128009}, 9, EndedBy.END),
        (" one", "length", {}, 2, EndedBy.LENGTH),
        (" one", "length", {}, 9, EndedBy.WINDOW),
        (" one STOP two", "length", {}, 9, EndedBy.STOP),
    ],
)
def test_why_a_text_ends(server, reach, text, finish, more, most, ended):
    url, offer = server
    model = reach(url)
    logged = {"tokens": [" one", " STOP", " two"], "token_logprobs": [-1.0, -2.0, -3.0]}
    offer.faults.append(choice(text, finish, logprobs=logged, **more))
    (found,) = model.generate([GenerationRequest("a", stop=("STOP",), max_new_tokens=most)])[0]
    assert found.ended_by is ended
    if "STOP" in text:
        assert (found.text, found.log_probs) == (" one ", (-1.0, -2.0))


def test_a_prompt_that_the_window_has_no_room_for_is_refused(server, reach):
    with pytest.raises(InvalidInput, match="at most 512 tokens: use fewer demonstrations"):
        reach(server[0]).generate([GenerationRequest("a " * 600)])


def test_nothing_asked_for_gives_nothing(server, reach):
    assert reach(server[0]).generate([]) == []
    assert WrittenText(text="x", ended_by="stop").log_probs == ()
