"""Scores through a server equal the local model's, whatever the text; which servers can score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Cancelled, InvalidInput
from core.language_model import TEMPLATES, AnswerRequest, find_template
from core.language_model.server.asking import CHAT
from core.language_model.server.results import TokenLogProbs, first_of_answer
from core.settings import practice_model_folder
from core.watcher import Watcher
from tests.support.openai_server import Network, Offer, serving

QA = TEMPLATES["qa"]
PAIRS = [("Where is the moon?", "In the sky."), ("When?", "At é 10:30, 漢字.")]
ANSWERS = (" Paris", " é", " 漢字 and more", "  two spaces", "\nNext line", " 1,234.5", " Paris")
REQUESTS = [
    AnswerRequest(QA.prompt(PAIRS, "Who is it?"), ANSWERS),
    AnswerRequest(QA.prompt([], "What does 漢字 mean?"), ANSWERS[::-1]),
    AnswerRequest("ends in é", (" ok", "é 漢", " 🦊!")),
    AnswerRequest("", ("What is", "x", " x")),
    AnswerRequest("a trailing space ", ("- is read",)),
]


@pytest.fixture(scope="module")
def local(load_once):
    return load_once("practice")


@pytest.fixture(scope="module")
def network(local):
    return Network(practice_model_folder(), local)


def assert_equal(found, expected):
    for row, rows in zip(found, expected, strict=True):
        for a, b in zip(row, rows, strict=True):
            assert a.tokens == pytest.approx(b.tokens, abs=1e-3)
            assert (a.n_tokens, a.total) == (b.n_tokens, pytest.approx(b.total, abs=1e-3))


@pytest.mark.parametrize("echo", [True, False], ids=["echo", "prompt_logprobs"])
def test_scores_equal_the_local_models(network, local, reach, echo):
    with serving(network, Offer(echo=echo)) as (url, offer):
        model = reach(url)
        assert len(offer.asked) == (4 if echo else 5)
        seen = []
        requests = REQUESTS if echo else [each for each in REQUESTS if each.prompt]
        found = model.log_probs(
            requests, watcher=Watcher(on_progress=lambda *done: seen.append(done))
        )
        assert_equal(found, local.log_probs(requests))
        distinct = {(each.prompt, answer) for each in requests for answer in each.answers}
        assert seen == [(done, len(distinct)) for done in range(1, len(distinct) + 1)]
        assert model.pieces(REQUESTS[0].prompt, " Paris") == local.pieces("A:", " Paris")
        assert model.pieces("never", " scored") == ()


def test_one_request_a_distinct_pair(server, reach):
    url, offer = server
    model = reach(url)
    offer.asked.clear()
    model.log_probs([AnswerRequest("a b", (" c", " d", " c")), AnswerRequest("a b", (" d",))])
    assert sorted(body["prompt"] for body in offer.asked) == ["a b c", "a b d"]


@given(
    st.lists(st.text(alphabet="ab é漢 ", max_size=4), max_size=5),
    st.lists(st.text(alphabet="ab é漢 ", min_size=1, max_size=4), min_size=1, max_size=5),
    st.sampled_from(["", "<s>"]),
)
def test_the_answer_begins_with_the_first_token_of_its_text(before, after, opening):
    before = [piece for piece in before if piece]
    pieces = ([opening] if opening else []) + before + after
    echoed = TokenLogProbs(tuple(pieces), (0.0,) * len(pieces))
    found = first_of_answer(echoed, "".join(before), "".join(after))
    assert found == len(pieces) - len(after)


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(("<s>", "ab", "cd"), id="a token across the boundary"),
        pytest.param(("<s>", "ab", "\ufffd", "\ufffd"), id="parts of a character"),
        pytest.param(("<s>", "ab", "", "c"), id="a token without text"),
        pytest.param(("Ġab", "c"), id="the tokenizer's own letters"),
        pytest.param(("c",), id="too short"),
    ],
)
def test_tokens_that_do_not_tell_the_boundary_are_not_guessed_at(pieces):
    assert first_of_answer(TokenLogProbs(pieces, (0.0,) * len(pieces)), "abc", "é") is None


def test_an_opening_token_without_text_is_not_the_answers():
    assert first_of_answer(TokenLogProbs(("", "x"), (None, -1.0)), "", "x") == 1


def test_without_an_opening_token_an_answer_needs_a_prompt(server, reach):
    model = reach(server[0])
    with pytest.raises(InvalidInput, match="no log-probability of the first token of a text"):
        model.log_probs([AnswerRequest("", ("one two",))])


@pytest.mark.parametrize(
    "offer",
    [
        pytest.param(Offer(echo=False, prompt_logprobs=False), id="both refused"),
        pytest.param(Offer(log_probs=False, prompt_logprobs=False), id="no log-probabilities"),
        pytest.param(Offer(completions=False), id="chat only"),
        pytest.param(Offer(models=False, echo=False, prompt_logprobs=False), id="no list"),
    ],
)
def test_a_server_that_cannot_score_says_so_in_one_sentence(words, reach, offer):
    with serving(words, offer) as (url, _):
        model = reach(url)
        assert (model.abilities.scores, model.abilities.generates) == (False, True)
        assert model.abilities.words == (
            "generates only: the server gives no log-probabilities of the prompt"
        )
        with pytest.raises(InvalidInput, match="'openai:tiny' cannot score answers: the server"):
            model.log_probs([AnswerRequest("a", (" b",))])


def test_log_probabilities_of_what_was_written_are_not_taken_for_the_prompts(words, reach):
    def of_the_answer_alone(handler):
        logged = {"tokens": [" x"], "token_logprobs": [-0.5], "text_offset": [0]}
        choice = {"index": 0, "text": " x", "finish_reason": "length", "logprobs": logged}
        handler.send(200, {"choices": [choice], "usage": {"prompt_tokens": 9}})

    offer = Offer(prompt_logprobs=False)
    offer.faults.append(of_the_answer_alone)
    with serving(words, offer) as (url, _):
        assert not reach(url).abilities.scores


def test_what_a_server_never_gives_is_refused_by_name(server, reach):
    model = reach(server[0])
    with pytest.raises(InvalidInput, match="'openai:tiny' is behind a server"):
        model.states("", ["a"])
    message = find_template("chat", model.name, model.chat_format).prompt([], "When?")
    assert message.startswith(CHAT.before)
    with pytest.raises(InvalidInput, match="another template than chat"):
        model.log_probs([AnswerRequest(message, ("b",))])
    for prompt, answer in (("a", ""), ("a", "\ud800")):
        with pytest.raises(InvalidInput, match="has no tokens|half of a surrogate pair"):
            model.log_probs([AnswerRequest(prompt, (answer,))])


def test_what_fits_is_estimated_without_a_request(server, reach):
    url, offer = server
    model = reach(url)
    asked = len(offer.asked)
    assert (model.window, model.count_tokens("ab c", "d"), model.count_tokens("漢")) == (512, 3, 2)
    assert model.fits("x" * 1000, ["y" * 24, "z"])
    assert not model.fits("x" * 1000, ["z", "y" * 25])
    assert model.fits("x" * 1024, [])
    assert len(offer.asked) == asked
    with pytest.raises(InvalidInput, match="at most 512 tokens: use fewer demonstrations"):
        model.log_probs([AnswerRequest("x " * 600, (" y",))])


def test_scoring_can_be_cancelled(server, reach):
    with pytest.raises(Cancelled):
        reach(server[0]).log_probs(
            [AnswerRequest("a", (" b",))], watcher=Watcher(cancelled=lambda: True)
        )
    assert reach(server[0]).log_probs([]) == []
