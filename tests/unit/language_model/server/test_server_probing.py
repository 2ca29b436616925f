"""What a server claims of log-probabilities is tried before it is believed."""

import pytest

from core.errors import InvalidInput
from core.generation import GenerationRequest
from core.language_model.server.probing import OTHER_TEXT, TEXT
from core.types import AnswerRequest
from tests.support.openai_server import Offer, Words, answering, serving

NOT_GIVEN = "the server gives no log-probabilities of the prompt"
UNSTEADY = "the server gives other log-probabilities when it is asked for the same again"
ABOVE_ZERO = "the server gives log-probabilities above 0, which no probability has"


class Drifting(Words):
    """A server of words whose log-probabilities are another's from a certain question on.

    Args:
        moves: How far the nth answer's value is away, by its place from 0.
        where: The place of the token that moves.
    """

    def __init__(self, moves, where=-1):
        super().__init__()
        self.moves, self.where, self.texts = moves, where, []

    def read(self, text):
        pieces, starts, values = super().read(text)
        number = len(self.texts)
        self.texts.append(text)
        move = self.moves[number] if number < len(self.moves) else self.moves[-1]
        values = list(values)
        if self.where < len(values):
            values[self.where] += move
        return pieces, starts, values


def reached(reach, backend, **offered):
    with serving(backend, Offer(**offered)) as (url, _):
        return reach(url).abilities


def test_the_text_is_asked_for_thrice_and_once_another_with_the_same_beginning(reach):
    backend = Drifting([0.0])
    assert reached(reach, backend).scores
    assert backend.texts == [TEXT, TEXT, OTHER_TEXT, TEXT]
    assert len(TEXT.split()) >= 40
    same = next(at for at, (a, b) in enumerate(zip(TEXT, OTHER_TEXT, strict=False)) if a != b)
    assert len(TEXT[:same].split()) >= 30


@pytest.mark.parametrize("asked", [1, 3])
@pytest.mark.parametrize("where", [1, 20, -1])
@pytest.mark.parametrize(("move", "scores"), [(-0.9e-3, True), (-1.1e-3, False), (-2.0, False)])
def test_unequal_log_probabilities_are_not_taken(reach, asked, where, move, scores):
    moves = [0.0, 0.0, 0.0, 0.0]
    moves[asked] = move
    found = reached(reach, Drifting(moves, where), prompt_logprobs=False)
    assert found.scores == scores
    assert found.why_not == ("" if scores else UNSTEADY)
    assert found.generates


def test_the_other_way_is_tried_where_one_does_not_give_the_same_twice(reach):
    assert reached(reach, Drifting([0.0, -1.0, 0.0])).scores
    always = [0.0, -1.0] * 20
    assert reached(reach, Drifting(always)).why_not == UNSTEADY


@pytest.mark.parametrize(("above", "why"), [(0.9e-3, ""), (1.1e-3, ABOVE_ZERO), (5.0, ABOVE_ZERO)])
def test_what_is_more_than_rounding_above_0_is_no_log_probability(reach, above, why):
    class Above(Words):
        def read(self, text):
            pieces, starts, values = super().read(text)
            return pieces, starts, [*values[:-1], above]

    assert reached(reach, Above()).why_not == why


def test_why_not_names_the_first_reason(reach):
    assert reached(reach, Words(), echo=False, prompt_logprobs=False).why_not == NOT_GIVEN


def test_a_log_probability_above_0_in_the_middle_of_work_is_refused_and_not_tried_again(
    server, reach, words
):
    url, offer = server
    model = reach(url)
    request = AnswerRequest("Q: 1?\nA:", (" yes",))
    expected = model.log_probs([request])
    offer.asked.clear()
    pieces, _, values = words.read("Q: 1?\nA: yes")

    def above(handler):
        logged = {"tokens": pieces, "token_logprobs": [None, *values[1:-1], 0.37]}
        choice = {"index": 0, "text": "", "finish_reason": "length", "logprobs": logged}
        handler.send(200, {"choices": [choice], "usage": {"prompt_tokens": len(pieces)}})

    offer.faults.append(above)
    with pytest.raises(InvalidInput, match=r"a log-probability is 0.37, and none is above 0"):
        model.log_probs([request])
    assert len(offer.asked) == 1
    assert model.log_probs([request]) == expected


def test_log_probabilities_of_a_text_that_are_none_are_left_out(server, reach):
    url, offer = server
    model = reach(url)
    offer.faults.append(answering(" a b", pieces=[" a", " b"]))
    (sound,) = model.generate([GenerationRequest("x")])[0]
    assert sound.log_probs == (-1.0, -2.0)

    def above(handler):
        logged = {"tokens": [" a"], "token_logprobs": [2.0]}
        choice = {"index": 0, "text": " a", "finish_reason": "stop", "logprobs": logged}
        handler.send(200, {"choices": [choice]})

    offer.faults.append(above)
    (found,) = model.generate([GenerationRequest("x")])[0]
    assert (found.text, found.log_probs, found.log_prob) == (" a", (), None)
