"""What every language model must hold, over every architecture and engine there is."""

import pytest

from core.errors import Cancelled, InvalidInput
from core.language_model import TEMPLATES, AnswerRequest, LanguageModel, load
from tests.support.reference_log_probs import reference_log_prob, reference_pair
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


@pytest.fixture(scope="module", params=ARCHITECTURES)
def folder(request, tmp_path_factory):
    return build_tiny_language_model(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def model(folder) -> LanguageModel:
    return load(folder, device="cpu")


def test_totals_equal_the_loss_and_stand_in_order(model, folder):
    for request, found in zip(REQUESTS, model.log_probs(REQUESTS), strict=True):
        for answer, log_prob in zip(request.answers, found, strict=True):
            expected = reference_log_prob(folder, request.prompt, answer)
            assert log_prob.total == pytest.approx(expected, abs=1e-4)
            assert log_prob.n_tokens == len(reference_pair(folder, request.prompt, answer)[1])


def test_many_equal_one_by_one_and_reversed(model):
    together = model.log_probs(REQUESTS)
    backwards = model.log_probs(REQUESTS[::-1])[::-1]
    for request, first, second in zip(REQUESTS, together, backwards, strict=True):
        for answer, a, b in zip(request.answers, first, second, strict=True):
            (alone,) = model.log_probs([AnswerRequest(request.prompt, (answer,))])[0]
            assert a.tokens == pytest.approx(alone.tokens, abs=5e-5)
            assert b.tokens == pytest.approx(alone.tokens, abs=5e-5)


def test_context_and_answer_both_matter(model):
    without, with_context = (model.log_probs([REQUESTS[i]])[0] for i in (0, 1))
    assert len({round(x.total, 3) for x in without}) == len(ANSWERS)
    assert all(abs(a.total - b.total) > 1e-3 for a, b in zip(without, with_context, strict=True))


def test_counts_and_window(model):
    for request in REQUESTS[:4]:
        counts = [model.count_tokens(request.prompt, answer) for answer in request.answers]
        assert model.fits(request.prompt, request.answers) is (max(counts) <= model.window)
    long = AnswerRequest(QA.prompt(PAIRS * 60, "When?"), (" Yes",))
    assert not model.fits(long.prompt, long.answers)
    with pytest.raises(InvalidInput, match=f"at most {model.window}"):
        model.log_probs([long])


def test_answer_without_tokens_is_refused(model):
    with pytest.raises(InvalidInput, match="'' has no tokens"):
        model.log_probs([AnswerRequest("Q:", ("",))])


def test_answers_without_tokens_are_told_beforehand(model):
    prompt, answers = REQUESTS[0].prompt, REQUESTS[0].answers
    assert model.without_tokens(prompt, ("", *answers, "")) == ("", "")
    assert model.without_tokens(prompt, answers) == ()


def test_progress_and_cancel(model):
    seen = []
    model.log_probs(REQUESTS, on_progress=lambda *told: seen.append(told))
    distinct = {(r.prompt, a) for r in REQUESTS for a in r.answers}
    assert seen[-1] == (len(distinct), len(distinct))
    assert seen == sorted(set(seen))
    with pytest.raises(Cancelled):
        model.log_probs(REQUESTS, cancelled=lambda: True)


def test_says_what_it_is(model, folder):
    assert model.name == folder.name
    assert len(model.fingerprint) == 32
    assert (model.device, model.dtype) == ("cpu", "float32")
    assert model.window == 256
    assert model.parameters > 10_000
