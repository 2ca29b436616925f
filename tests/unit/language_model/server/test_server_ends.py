"""What a server's text is: an answer, thoughts, or something else; who wrote it, after what."""

import pytest

from core.errors import InvalidInput
from core.generation import Disagreement, EndedBy, Generation, GenerationRequest, ServerDoubt
from core.language_model.server.asking import CHAT
from core.language_model.server.results import is_same_model, least_tokens
from tests.support.openai_server import Offer, answering, error_in_place, serving, status

PROMPT = f"{CHAT.before}Q: Where?\nA:{CHAT.after}"
REQUEST = GenerationRequest(PROMPT, stop=("\nQ:",), max_new_tokens=8)
CALL = {"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.fixture(params=["whole", "stream"])
def ask(request, server, reach):
    """What a model makes of the answer that a server gives to a message."""
    url, offer = server

    def asked(*faults, prompt=PROMPT, tries=3, request_made=REQUEST):
        model = reach(url, tries=tries)
        offer.asked.clear()
        offer.faults.extend(faults)
        shown = None if request.param == "whole" else lambda *text: None
        ((found,),) = model.generate([request_made], on_text=shown)
        return found

    return asked


@pytest.mark.parametrize(
    ("fault", "ended_by", "instead"),
    [
        (answering(None, "content_filter"), EndedBy.FILTERED, ""),
        (answering(" Li", "content_filter"), EndedBy.FILTERED, "Li"),
        (answering("", "SAFETY"), EndedBy.FILTERED, ""),
        (answering(None, refusal="I cannot help."), EndedBy.REFUSED, "I cannot help."),
        (answering("", "refusal"), EndedBy.REFUSED, ""),
        (answering(None, "tool_calls", tool_calls=[CALL]), EndedBy.TOOL_CALL, "f {}"),
        (answering("", "stop", tool_calls=[CALL]), EndedBy.TOOL_CALL, "f {}"),
        (answering(None, "function_call"), EndedBy.TOOL_CALL, ""),
    ],
)
def test_what_is_no_answer_has_an_end_of_its_own(ask, fault, ended_by, instead):
    found = ask(fault)
    assert found == Generation("", (), (), ended_by=ended_by, instead=instead)
    assert not found.ended_by.is_answer
    assert (found.log_prob, found.log_prob_per_token) == (None, None)


@pytest.mark.parametrize(
    ("fault", "text", "ended_by"),
    [
        (answering(" Lima"), " Lima", EndedBy.END),
        (answering(" Lima", "eos"), " Lima", EndedBy.END),
        (answering(" Lima\nQ: Who?"), " Lima", EndedBy.STOP),
        (answering(" Lima", "length", usage={"completion_tokens": 8}), " Lima", EndedBy.LENGTH),
        (answering(" Lima", "max_tokens"), " Lima", EndedBy.LENGTH),
        (answering(" Lima", "length", usage={"completion_tokens": 5}), " Lima", EndedBy.WINDOW),
        (answering(" Lima", "model_length"), " Lima", EndedBy.WINDOW),
        (answering("", "stop"), "", EndedBy.END),
        (answering(" Lima", "tool_calls"), "", EndedBy.TOOL_CALL),
    ],
)
def test_answers_and_their_ends(ask, fault, text, ended_by):
    found = ask(fault)
    assert (found.text, found.ended_by) == (text, ended_by)
    assert (found.thoughts, found.doubts) == ("", ())


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_thoughts_beside_the_answer_are_no_part_of_it(ask, name):
    assert ask(answering(" Lima", **{name: "It is Lima."})) == Generation(
        " Lima", (), (), ended_by=EndedBy.END, thoughts="It is Lima."
    )
    used_up = ask(answering("", "length", **{name: "Let me think"}))
    assert used_up == Generation("", (), (), ended_by=EndedBy.THOUGHTS, thoughts="Let me think")


def test_thoughts_within_the_text_are_taken_off(ask):
    text = "<think>\nQ: the capital\nQ: of Peru?\n</think>\n\nLima\nQ: Who?"
    assert ask(answering(text)) == Generation(
        "Lima", (), (), ended_by=EndedBy.STOP, thoughts="Q: the capital\nQ: of Peru?"
    )
    open_ended = ask(answering("<think>\nThe user asks", "length"))
    assert open_ended == Generation("", (), (), ended_by=EndedBy.THOUGHTS, thoughts="The user asks")


def test_only_the_tokens_of_the_answer_have_log_probabilities(ask):
    pieces = ["<think>", "so", "</think>", "\n\n", "Li", "ma", "\nQ", ":"]
    found = ask(answering("".join(pieces), pieces=pieces))
    assert (found.text, found.log_probs) == ("Lima", (-5.0, -6.0))
    apart = ask(answering(" Lima", pieces=["so", " Li", "ma"], reasoning_content="so"))
    assert (apart.text, apart.log_probs) == (" Lima", (-2.0, -3.0))
    lost = ask(answering(" Lima", pieces=["so", " Li"], reasoning_content="so"))
    assert (lost.text, lost.log_probs) == (" Lima", ())


def test_parts_of_a_message_are_texts_and_thoughts(server, reach):
    url, offer = server
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "It is "}]},
        {"type": "thinking", "thinking": "Lima."},
        {"type": "text", "text": " Li"},
        {"type": "text", "text": "ma"},
        "no part",
    ]
    model = reach(url)
    offer.faults.append(answering(content))
    ((found,),) = model.generate([REQUEST])
    assert found == Generation(" Lima", (), (), ended_by=EndedBy.END, thoughts="It is Lima.")


@pytest.mark.parametrize("finish", ["error", "abort", "insufficient_system_resource"])
def test_half_an_answer_is_asked_for_again_and_never_returned(ask, finish):
    half = answering(" Li", finish)
    assert ask(half, half, answering(" Lima")).text == " Lima"
    with pytest.raises(InvalidInput) as caught:
        ask(half, half, half)
    assert f"sent an error in place of an answer: its answer ended with {finish!r};" in str(
        caught.value
    )


def test_an_error_in_place_of_an_answer_is_said_in_the_servers_words(ask):
    busy = error_in_place("the model is overloaded", 502)
    assert ask(busy, busy, answering(" Lima")).text == " Lima"
    with pytest.raises(InvalidInput, match=r"\(status 502: the model is overloaded\)"):
        ask(busy, busy, busy)
    wordy = error_in_place("something broke")
    with pytest.raises(InvalidInput, match="in place of an answer: something broke; what was"):
        ask(wordy, wordy, wordy)
    with pytest.raises(InvalidInput, match=r"refused a request .*\(status 400: no such thing\)"):
        ask(error_in_place("no such thing", 400))


def test_an_error_in_place_of_log_probabilities(server, reach):
    url, offer = server
    busy = error_in_place("the model is overloaded", 503)
    offer.faults.extend([busy] * 3)
    with pytest.raises(InvalidInput, match="the model is overloaded"):
        reach(url)
    offer.faults.append(busy)
    assert reach(url).abilities.scores
    offer.faults.extend([error_in_place("echo is not supported")] * 2)
    assert not reach(url).abilities.scores


def test_another_model_that_answers_is_named(ask, server, reach):
    found = ask(answering(" Lima", model="other-7b"))
    assert found.doubts == (ServerDoubt(Disagreement.MODEL, "tiny", "other-7b"),)
    url, offer = server
    offer.faults.append(lambda handler: handler.refuse(404, "no such place"))
    offer.faults.append(answering("a", model="other-7b"))
    other = reach(url)
    offer.faults.append(lambda handler: handler.refuse(404, "no such place"))
    plain = reach(url)
    assert other.abilities.answered_by == "other-7b"
    assert other.abilities.words.endswith("; the server says that other-7b answers")
    assert plain.abilities.answered_by == ""
    assert other.fingerprint != plain.fingerprint


def test_log_probabilities_of_another_model_are_refused(server, reach):
    from core.types import AnswerRequest

    url, offer = server
    model = reach(url)
    echo = offer.asked[-1]
    assert echo["echo"]

    def renamed(handler):
        send = handler.send
        handler.send = lambda code, row, **headers: send(code, row | {"model": "other"}, **headers)
        handler.answer(handler.offer.asked[-1], chat=False)
        handler.send = send

    offer.faults.append(renamed)
    with pytest.raises(InvalidInput, match="answers as 'other' now, and answered as 'tiny' before"):
        model.log_probs([AnswerRequest("Q: Where?\nA:", (" here",))])


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("tiny", "tiny", True),
        ("tiny", "", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("gpt-4", "gpt-4o", False),
        ("gpt-4o-mini", "gpt-4o", False),
        ("llama3", "llama3:latest", True),
        ("llama3", "llama3:8b", True),
        ("llama3", "LLAMA3", True),
        ("org/Model-1B", "model-1b", True),
        ("models/model-q4.gguf", "model-q4", True),
        ("data/practice-model", "data/practice-model@main", True),
        ("some-model", "loaded-1b", False),
    ],
)
def test_names_of_one_model(asked, answered, same):
    assert is_same_model(asked, answered) is same
    assert is_same_model(answered, asked) is same


def test_a_prompt_of_which_little_was_read_is_named(ask):
    text = "Q: Where does the river rise?\nA: in the hills\n\n" * 12
    request = GenerationRequest(f"{CHAT.before}{text}{CHAT.after}", max_new_tokens=8)
    least = least_tokens(text)
    assert least == 12 * 10 * 3 // 4

    def doubts(read):
        usage = {"prompt_tokens": read, "completion_tokens": 2}
        return ask(answering(" Lima", usage=usage), request_made=request).doubts

    assert doubts(least) == doubts(500) == doubts(0) == ()
    assert doubts(40) == (ServerDoubt(Disagreement.PROMPT, str(least), "40"),)


@pytest.mark.parametrize("text", ["", "a", "Where is it?", "x = y + 1", "漢字は何ですか"])
def test_a_short_text_is_never_said_to_have_more_tokens_than_words(text):
    assert least_tokens(text) <= max(len(text.split()), 0)


@pytest.mark.parametrize("stream", [False, True])
def test_the_other_parameter_is_tried_once_and_remembered(words, reach, stream):
    offer = Offer(completions=False, refused={
        "max_tokens": "'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "stream_options": "Unknown field: stream_options",
        "logprobs": "logprobs is not supported",
    })  # fmt: skip
    with serving(words, offer) as (url, _):
        model = reach(url)
        offer.asked.clear()
        show = (lambda *text: None) if stream else None
        requests = [GenerationRequest(f"Q: {n}?\nA:", max_new_tokens=3) for n in range(3)]
        for request in requests:
            model.generate([request], on_text=show)
    assert all(body["max_completion_tokens"] == 3 for body in offer.asked)
    assert not any("max_tokens" in body for body in offer.asked)
    refused = sum(bool({"stream_options", "logprobs"} & set(body)) for body in offer.asked)
    assert refused == (2 if stream else 1)
    assert len(offer.asked) == 3 + refused


def test_a_prompt_that_is_too_long_is_no_refused_field(server, reach):
    url, offer = server
    model = reach(url)
    said = "max_tokens or max_completion_tokens is too large: maximum context length is 512 tokens"
    offer.asked.clear()
    offer.faults.append(status(400, said))
    with pytest.raises(InvalidInput, match="longer than 'tiny'"):
        model.generate([REQUEST])
    assert len(offer.asked) == 1
