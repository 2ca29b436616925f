"""The bundled weights: what they can do, by behaviour, and what the card says of them."""

import hashlib
import re
from pathlib import Path
from random import Random

import pytest

from core.language_model import TEMPLATES, AnswerRequest, load
from practice.calls import call_of
from practice.checks import check_copying
from practice.dialects import NameStyle, draw_dialect
from practice.episodes import EpisodeStyle, draw_episode
from practice.mistakes import Mistake, draw_mistakes
from practice.training.tokenizer import build_tokenizer

FOLDER = Path(__file__).resolve().parents[2] / "data" / "practice-model"
TEMPLATE = TEMPLATES["qa"]


@pytest.fixture(scope="module")
def model():
    return load(FOLDER, device="cpu")


def totals(model, pairs, query, answers):
    request = AnswerRequest(
        TEMPLATE.prompt(pairs, query), tuple(TEMPLATE.answer(answer) for answer in answers)
    )
    (scored,) = model.log_probs([request])
    return [each.total for each in scored]


def test_it_is_small_and_standard(model):
    files = {path.name for path in FOLDER.iterdir()}
    expected = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert expected <= files
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 12 << 20
    assert model.window == 1024


def test_the_card_names_the_weights():
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    (stated,) = re.findall(r"\b[0-9a-f]{64}\b", card)
    assert hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest() == stated


def test_its_tokenizer_is_the_one_that_training_builds():
    from transformers import AutoTokenizer

    bundled, built = AutoTokenizer.from_pretrained(FOLDER), build_tokenizer()
    for text in ("Q: Book a table.\nA: book_table { Thai as x_y }\n\n", "déjà vu — 日本語\t'm"):
        assert bundled(text)["input_ids"] == built(text)["input_ids"]


@pytest.mark.parametrize(
    "episodes", [pytest.param(6, id="few"), pytest.param(24, id="many", marks=pytest.mark.thorough)]
)
def test_names_in_context_are_copied_and_absent_ones_are_not_known(episodes):
    found = check_copying(FOLDER, episodes=episodes, seed=1)
    for dialect in ("bundled", "held_out"):
        accuracy = found.groups[dialect].accuracy
        assert accuracy["function_shown"] >= 0.9, dialect
        assert accuracy["field_shown"] >= 0.9, dialect
        assert accuracy["function_new"] <= 0.05, dialect
        assert accuracy["field_new"] <= 0.05, dialect
    for typed in ("invented", "spelled"):
        assert found.groups[typed].accuracy["function_shown"] >= 0.85, typed
        assert found.groups[typed].accuracy["field_shown"] >= 0.85, typed


def test_the_context_decides_in_dialects_drawn_for_this_test(model):
    """With demonstrations the right call beats most of its mistakes, without them it does not."""
    rng = Random("dialects of the test")
    wins = {"shown": 0, "alone": 0}
    asked = 0
    for _ in range(12):
        dialect = draw_dialect(rng, NameStyle())
        blocks = draw_episode(rng, EpisodeStyle((9,), (1, 2), least=3), blocks=9, dialect=dialect)
        *shown, last = blocks
        right = str(call_of(dialect, last.request))
        mistakes = [
            text
            for text, kind in draw_mistakes(rng, dialect, last.request)
            if kind is Mistake.INVENTED_FIELD
        ]
        pairs = [(block.worded.query, str(block.call)) for block in shown]
        for where, context in (("shown", pairs), ("alone", [])):
            first, *others = totals(model, context, last.worded.query, [right, *mistakes])
            wins[where] += sum(first > other for other in others)
        asked += len(mistakes)
    assert wins["shown"] >= 0.85 * asked
    assert wins["alone"] <= 0.75 * asked


@pytest.mark.parametrize(
    ("function", "food", "place"),
    [
        ("grab_seat", "food_kind", "where"),
        ("bookTable", "cuisineType", "cityName"),
        ("request_meal", "cooking_style", "municipality"),
        ("xqzw", "pfft", "hmm"),
    ],
)
def test_a_function_and_fields_typed_by_hand_are_followed(model, function, food, place):
    """Names of no list, in two demonstrations as somebody would write them in the app."""

    def written(cuisine, city):
        return f"{function} {{ {cuisine} as {food}, {city} as {place} }}"

    pairs = [
        ("book a table at a Thai restaurant in Oslo", written("Thai", "Oslo")),
        ("find a Greek restaurant near Lima", written("Greek", "Lima")),
    ]
    query = "reserve a Korean restaurant in Prague"
    right = written("Korean", "Prague")
    wrong = [
        right.replace(function, "book_table", 1),
        right.replace(food, "town_name"),
        right.replace(place, "landing_place"),
        f"{function} {{ Korean as {food} }}",
    ]
    first, *others = totals(model, pairs, query, [right, *wrong])
    assert first > max(others)
    (alone,) = totals(model, [], query, [right])
    assert first > alone + 30.0
