"""What every language model must hold, over every architecture and engine there is."""

from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import Cancelled, InvalidInput
from core.language_model import TEMPLATES, AnswerRequest, LanguageModel, load
from core.watcher import Watcher
from tests.support.reference_log_probs import (
    reference_log_prob,
    reference_model,
    reference_pair,
)
from tests.support.reference_states import reference_state, reference_states_padded
from tests.support.served import GGUF, SERVED, served_or_loaded
from tests.support.tiny_language_model import ARCHITECTURES, build_tiny_language_model

QA = TEMPLATES["qa"]
PAIRS = [("Where is the moon?", "In the sky."), ("Who wrote it?", "Nobody knows.")]
ANSWERS = (" Paris", " The capital of France is Paris, never é 漢.", " No", " No, never")
REQUESTS = [
    AnswerRequest(QA.prompt([], "What is the capital?"), ANSWERS),
    AnswerRequest(QA.prompt(PAIRS, "What is the capital?"), ANSWERS),
    AnswerRequest(QA.prompt(PAIRS * 3, "What is the capital?"), ANSWERS[::-1]),
    AnswerRequest(QA.prompt(PAIRS[:1], "When?"), (" Yes",)),
    AnswerRequest("", ("What is", "x")),
    AnswerRequest("a trailing space ", ("- is read", "10")),
    AnswerRequest(
        QA.prompt([("def double(x):\n", "    return x + x\n")], "def triple(x):\n"),
        tuple(map(QA.answer, ("    return 3 * x\n", "return 3 * x", "\treturn 3 * x\n\n", "\n"))),
    ),
]
WITHOUT_A_TOKEN_ACROSS = [each for each in REQUESTS if not each.prompt.endswith(" ")]
"""A server reads its own token where one lies across prompt and answer."""
EXEMPLAR = "Is it true?\nWater is wet.\nThe answer is yes.\n\n"
PREFIXES = {"none": "", "one exemplar": EXEMPLAR, "beyond a sliding window": EXEMPLAR * 4}
TEXTS = (
    "Is it true?\nNobody knows who wrote the story of the red house.\nThe answer is",
    "x",
    "Is it true? é 漢\nThe answer is",
    "!",
    "x",
    "Is it true?\nThe moon is in the sky.\nThe answer is",
)
REAL_MODELS = ("stories260k", "tinystories-656k", "practice-prototype")


@pytest.fixture(scope="module", params=[*ARCHITECTURES, f"{GGUF}llama"])
def folder(request, tmp_path_factory):
    name = request.param.removeprefix(SERVED).removeprefix(GGUF)
    return build_tiny_language_model(tmp_path_factory.mktemp(request.param) / name, name)


@pytest.fixture(scope="module")
def model(folder) -> Iterator[LanguageModel]:
    with served_or_loaded(folder) as found:
        yield found


served_too = pytest.mark.parametrize(
    "folder", [*ARCHITECTURES, f"{GGUF}llama", f"{SERVED}llama"], indirect=True
)
"""For what a server can do, too: its tokens begin with one that opens every text."""


@served_too
def test_totals_equal_the_loss_and_stand_in_order(model, folder):
    requests = REQUESTS if model.abilities.counts else WITHOUT_A_TOKEN_ACROSS
    for request, found in zip(requests, model.log_probs(requests), strict=True):
        for answer, log_prob in zip(request.answers, found, strict=True):
            expected = reference_log_prob(folder, request.prompt, answer)
            assert log_prob.total == pytest.approx(expected, abs=1e-4)
            assert log_prob.n_tokens == len(reference_pair(folder, request.prompt, answer)[1])


@served_too
def test_many_equal_one_by_one_and_reversed(model):
    together = model.log_probs(REQUESTS)
    backwards = model.log_probs(REQUESTS[::-1])[::-1]
    for request, first, second in zip(REQUESTS, together, backwards, strict=True):
        for answer, a, b in zip(request.answers, first, second, strict=True):
            (alone,) = model.log_probs([AnswerRequest(request.prompt, (answer,))])[0]
            assert a.tokens == pytest.approx(alone.tokens, abs=5e-5)
            assert b.tokens == pytest.approx(alone.tokens, abs=5e-5)


@served_too
def test_context_and_answer_both_matter(model):
    without, with_context = (model.log_probs([REQUESTS[i]])[0] for i in (0, 1))
    assert len({round(x.total, 3) for x in without}) == len(ANSWERS)
    assert all(abs(a.total - b.total) > 1e-3 for a, b in zip(without, with_context, strict=True))


@served_too
def test_counts_and_window(model):
    for request in REQUESTS[:4]:
        counts = [model.count_tokens(request.prompt, answer) for answer in request.answers]
        assert model.fits(request.prompt, request.answers) is (max(counts) <= model.window)
    long = AnswerRequest(QA.prompt(PAIRS * 60, "When?"), (" Yes",))
    assert not model.fits(long.prompt, long.answers)
    with pytest.raises(InvalidInput, match=f"at most {model.window}"):
        model.log_probs([long])


@served_too
def test_answer_without_tokens_is_refused(model):
    with pytest.raises(InvalidInput, match="'' has no tokens"):
        model.log_probs([AnswerRequest("Q:", ("",))])


@served_too
def test_answers_without_tokens_are_told_beforehand(model):
    prompt, answers = REQUESTS[0].prompt, REQUESTS[0].answers
    assert model.without_tokens(prompt, ("", *answers, "")) == ("", "")
    assert model.without_tokens(prompt, answers) == ()


@served_too
def test_progress_and_cancel(model):
    seen = []
    model.log_probs(REQUESTS, watcher=Watcher(on_progress=lambda *told: seen.append(told)))
    distinct = {(r.prompt, a) for r in REQUESTS for a in r.answers}
    assert seen[-1] == (len(distinct), len(distinct))
    assert seen == sorted(set(seen))
    with pytest.raises(Cancelled):
        model.log_probs(REQUESTS, watcher=Watcher(cancelled=lambda: True))


def test_says_what_it_is(model, folder):
    assert model.name.removesuffix(".F32") == folder.name
    assert len(model.fingerprint) == 32
    assert (model.device, model.dtype) == ("cpu", "float32")
    assert model.window == 256
    assert model.parameters > 10_000


def assert_states(found, expected):
    assert found.dtype == np.float32
    assert found == pytest.approx(np.stack(expected), abs=1e-4)


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_states_equal_a_pass_of_automodel_for_each_text(model, folder, prefix):
    counts = [model.count_tokens(prefix, text) - model.count_tokens(prefix) for text in TEXTS]
    assert counts[1] == counts[3] == 1
    assert max(counts) > 20
    found = model.states(prefix, TEXTS)
    assert_states(found, [reference_state(folder, prefix, text) for text in TEXTS])
    assert (found[1] == found[4]).all()
    apart = np.abs(found[:, None] - found[None]).max(axis=2)
    assert (apart > 1e-2).sum() == len(TEXTS) * (len(TEXTS) - 1) - 2


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_states_equal_a_padded_batch_at_its_last_attended_place(model, folder, prefix, side):
    expected = reference_states_padded(folder, prefix, TEXTS, side)
    assert_states(model.states(prefix, TEXTS), expected)


def test_the_head_makes_the_next_tokens_log_probability_of_a_state(model, folder):
    import torch

    network, tokenizer = reference_model(folder)
    states = torch.from_numpy(model.states(EXEMPLAR, TEXTS))
    with torch.no_grad():
        predicted = network.get_output_embeddings()(states).log_softmax(-1)
    (token,) = tokenizer("x", add_special_tokens=False)["input_ids"]
    found = model.log_probs([AnswerRequest(EXEMPLAR + text, ("x",)) for text in TEXTS])
    for row, (log_prob,) in zip(predicted, found, strict=True):
        assert log_prob.tokens == pytest.approx([row[token].item()], abs=1e-4)


def test_states_stand_in_order_whatever_stands_beside_them(model):
    together = model.states(EXEMPLAR, TEXTS)
    assert model.states(EXEMPLAR, TEXTS[::-1])[::-1] == pytest.approx(together, abs=5e-5)
    for text, state in zip(TEXTS, together, strict=True):
        assert model.states(EXEMPLAR, [text])[0] == pytest.approx(state, abs=5e-5)


def test_the_prefix_matters_to_states_and_another_one_may_follow(model):
    first, other = model.states(EXEMPLAR, TEXTS), model.states("No. ", TEXTS)
    assert (np.abs(first - other).max(axis=1) > 1e-2).all()
    assert (model.states(EXEMPLAR, TEXTS) == first).all()


def test_no_texts_have_no_states(model):
    width = model.states("", ["x"]).shape[1]
    for prefix in PREFIXES.values():
        none = model.states(prefix, [])
        assert (none.shape, none.dtype) == ((0, width), np.float32)


def test_text_without_room_is_refused_before_anything_is_read(model):
    seen = []
    long = EXEMPLAR * 60
    assert not model.fits(EXEMPLAR, [long])
    for prefix, texts in ((EXEMPLAR, ["x", long]), (long, ["x"])):
        with pytest.raises(InvalidInput, match=rf"at most {model.window}: use fewer exemplars"):
            model.states(
                prefix, texts, watcher=Watcher(on_progress=lambda *done: seen.append(done))
            )
    assert seen == []


def test_text_without_tokens_has_no_state(model):
    with pytest.raises(InvalidInput, match="The text '' has no tokens after the prefix"):
        model.states(EXEMPLAR, ["x", ""])


def test_states_show_progress_and_can_be_cancelled(model):
    seen = []
    model.states(EXEMPLAR, TEXTS, watcher=Watcher(on_progress=lambda *done: seen.append(done)))
    assert seen[-1] == (5, 5)
    assert seen == sorted(set(seen))
    with pytest.raises(Cancelled):
        model.states(EXEMPLAR, TEXTS, watcher=Watcher(cancelled=lambda: True))


@pytest.mark.parametrize("name", REAL_MODELS)
def test_states_of_trained_models_equal_automodel(shared, name):
    folder = shared / "models" / name
    model = load(folder, device="cpu")
    story = "Once upon a time there was a little girl. She was happy.\n"
    texts = ["She", " went to the park and saw a big dog. The answer is", "s", "She"]
    for prefix in ("", story * 4):
        found = model.states(prefix, texts)
        assert_states(found, [reference_state(folder, prefix, text) for text in texts])
        for side in ("left", "right"):
            assert_states(found, reference_states_padded(folder, prefix, texts, side))
