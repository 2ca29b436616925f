"""Every reading over every family, against the loss that transformers computes itself."""

import random
from dataclasses import replace

import pytest
import torch
from transformers import AutoModelForCausalLM

from core.language_model.local.forward import can_leave_out, leave_out, score_rows
from core.language_model.local.rows import TokenReading, TokenRow
from tests.support.tiny_language_model import FAMILIES


@pytest.fixture(scope="module")
def networks(architecture_folders):
    return {
        name: AutoModelForCausalLM.from_pretrained(folder).eval()
        for name, folder in architecture_folders.items()
    }


@pytest.fixture(scope="module")
def quicker(architecture_folders):
    """The same networks, their prompts left out of the mask."""
    made = {}
    for name in FAMILIES:
        made[name] = AutoModelForCausalLM.from_pretrained(architecture_folders[name]).eval()
        assert leave_out(made[name]) == "sdpa"
        assert can_leave_out(made[name])
    return made


def own_loss(network, prompt, answer):
    """Minus the network's own loss over the answer's tokens, times their number, in nats."""
    ids = torch.tensor([[*prompt, *answer]])
    labels = torch.tensor([[-100] * len(prompt) + list(answer)])
    with torch.no_grad():
        return -network(input_ids=ids, labels=labels).loss.item() * len(answer)


def assert_as_alone(network, rows, scored):
    for row, found in zip(rows, scored, strict=True):
        for answer, tokens in zip(row.answers, found, strict=True):
            assert len(tokens) == len(answer)
            assert sum(tokens) == pytest.approx(own_loss(network, row.prompt, answer), abs=1e-4)


def row_of(prompt, answers):
    return TokenRow(tuple(prompt), tuple(map(tuple, answers)), tuple(range(len(answers))))


DRAW = random.Random(0)
ROWS = {
    "doubles and a single token": row_of((0, 40, 41), [(50, 51, 52), (60,), (50, 51, 52), (60,)]),
    "one answer": row_of((0, 40), [(44, 45)]),
    "only single tokens": row_of(range(30, 42), [(1,), (2,), (3,)]),
    "prompt of one token": row_of((9,), [(1, 2), (3, 4, 5), (3, 4, 6, 7)]),
    "one begins as the other": row_of((7, 8), [(3, 4), (3, 4, 5), (3,), (3, 4, 5, 6)]),
}
HUNDREDS = row_of(
    (DRAW.randrange(400) for _ in range(20)),
    [tuple(DRAW.randrange(6) for _ in range(DRAW.randrange(1, 6))) for _ in range(200)],
)
LONG = row_of((DRAW.randrange(400) for _ in range(150)), [(5, 6, 7), (5, 6, 8, 9), (1,), (2, 3)])


@pytest.mark.parametrize("family", FAMILIES)
def test_packed_rows_of_several_prompts(networks, quicker, family):
    rows = list(ROWS.values())
    for network in (networks[family], quicker[family]):
        assert_as_alone(networks[family], rows, score_rows(network, rows))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ROWS)
def test_each_row_alone_packed_and_cached(networks, quicker, family, name):
    for network in (networks[family], quicker[family]):
        for reading in (TokenReading.PACKED, TokenReading.CACHED):
            row = replace(ROWS[name], reading=reading)
            assert_as_alone(networks[family], [row], score_rows(network, [row]))


@pytest.mark.parametrize("family", FAMILIES)
def test_hundreds_of_answers(networks, quicker, family):
    # The reference takes a pass an answer: a few of them stand for all.
    some = [0, 1, 77, 198, 199]
    expected = [own_loss(networks[family], HUNDREDS.prompt, HUNDREDS.answers[i]) for i in some]
    for reading in (TokenReading.PACKED, TokenReading.CACHED):
        (found,) = score_rows(quicker[family], [replace(HUNDREDS, reading=reading)])
        assert [sum(found[i]) for i in some] == pytest.approx(expected, abs=1e-4)
        assert len(found) == 200


def test_padded_rows_without_a_mask(networks):
    rows = [piece for row in ROWS.values() for piece in row.pieces(1)]
    for network in networks.values():
        assert_as_alone(network, rows, score_rows(network, rows))


@pytest.mark.parametrize("architecture", [*FAMILIES, "bloom"])
def test_cache_of_a_prompt_far_beyond_a_sliding_window(networks, architecture):
    row = replace(LONG, reading=TokenReading.CACHED)
    assert_as_alone(networks[architecture], [row], score_rows(networks[architecture], [row]))


@pytest.mark.parametrize("family", [f for f in FAMILIES if f != "mistral"])
def test_packed_long_prompt(networks, quicker, family):
    assert_as_alone(networks[family], [LONG], score_rows(quicker[family], [LONG]))


def test_order_of_a_batch_changes_nothing(quicker):
    rows = list(ROWS.values())
    forwards = score_rows(quicker["llama"], rows)
    backwards = score_rows(quicker["llama"], rows[::-1])[::-1]
    for first, second in zip(forwards, backwards, strict=True):
        for a, b in zip(first, second, strict=True):
            assert a == pytest.approx(b, abs=1e-5)


def test_attention_of_its_own_is_left_alone(networks):
    assert leave_out(networks["bloom"]) is None
    assert not can_leave_out(networks["bloom"])
