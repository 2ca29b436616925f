"""Prompts that begin alike: what one was read for is not read again, and changes no figure."""

import pytest
from transformers import AutoModelForCausalLM

from core.language_model import AnswerRequest, load
from core.language_model.local.forward import LEAST, PastPrompts
from core.language_model.local.probing import goes_on
from core.language_model.local.rows import TokenReading
from tests.support.reference_log_probs import reference_log_prob, reference_pair
from tests.support.tiny_language_model import ARCHITECTURES, FAMILIES

SHARED = "Q: Where is the red house?\nA: It is in the story.\n\nQ: When did it end?\nA: Never.\n\n"
LATER = "Q: Who wrote it?\nA: Nobody.\n\n"
PROMPTS = (
    f"{SHARED}Q: Where is the moon?\nA:",
    f"{SHARED}{LATER}Q: Where is the moon?\nA:",
    f"{LATER}Q: Where is the moon?\nA:",
    f"{SHARED}{LATER}Q: What is the answer?\nA:",
    f"{SHARED}{LATER}",
)
ANSWERS = (" In the sky", " In the story, never", " No", " In")


class Counting:
    """A network that notes how many tokens each pass is given."""

    def __init__(self, inner):
        self.inner, self.sizes = inner, []

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def forward(self, input_ids, logits_to_keep=0, **given):
        self.sizes.append(input_ids.shape[1])
        return self.inner(input_ids=input_ids, logits_to_keep=logits_to_keep, **given)

    __call__ = forward


def common(first, second):
    """With how many tokens both begin, at most all but the last of the second."""
    pairs = zip(first, second[:-1], strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second) - 1))


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("answers", [ANSWERS, ANSWERS[:1]])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_log_probs_are_those_of_transformers(architecture_folders, name, answers, order):
    folder = architecture_folders[name]
    model = load(folder, device="cpu")
    for _ in range(2):
        for prompt in PROMPTS[::order]:
            (found,) = model.log_probs([AnswerRequest(prompt, answers)])
            for answer, log_prob in zip(answers, found, strict=True):
                expected = reference_log_prob(folder, prompt, answer)
                assert log_prob.total == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"mistral"}))  # a window of 64 tokens
def test_only_what_was_not_read_before_is_read(architecture_folders, family):
    folder = architecture_folders[family]
    model = load(folder, device="cpu")
    model._network = counting = Counting(model._network)
    read = []
    for prompt in PROMPTS:
        tokens = tuple(reference_pair(folder, prompt, " x")[0])
        shared = max((common(other, tokens) for other in read), default=0)
        expected = len(tokens) - (shared if shared >= LEAST else 0)
        model.log_probs([AnswerRequest(prompt, (" x",))])
        beyond = len(reference_pair(folder, prompt, " x")[1]) - 1  # the last is only predicted
        assert counting.sizes[-1] == expected + beyond
        read.append(tokens)
    assert counting.sizes[1] < counting.sizes[0]


def test_what_cannot_be_packed_or_cut_is_read_whole(architecture_folders):
    assert load(architecture_folders["bloom"], device="cpu")._prompts is None
    network = AutoModelForCausalLM.from_pretrained(architecture_folders["llama"]).eval()
    assert goes_on(network)

    def without_past(**given):
        return network(**(given | {"use_cache": False}))

    without_past.config, without_past.dtype = network.config, network.dtype
    without_past.device, without_past.forward = network.device, network.forward
    assert not goes_on(without_past)


def test_prompts_of_one_call_that_begin_alike_are_neighbours(architecture_folders):
    model = load(architecture_folders["llama"], device="cpu")
    assert model.reading is TokenReading.PACKED
    model._budget = model._budget._replace(tokens=1)
    model._network = counting = Counting(model._network)
    prompts = [f"{start}Q: {end}?\nA:" for end in ("Who", "When") for start in (SHARED, LATER * 5)]
    model.log_probs([AnswerRequest(prompt, (" x",)) for prompt in prompts])
    first, second, third, fourth = counting.sizes
    assert second < first / 3
    assert fourth < third / 3


class Layer:
    """A layer's keys and values of so many tokens, a byte each."""

    def __init__(self, tokens):
        self.keys = self.values = self
        self.tokens = tokens

    @property
    def nbytes(self):
        return self.tokens


class Past:
    """A past of one layer."""

    def __init__(self, tokens):
        self.layers = [Layer(tokens)]

    def crop(self, tokens):
        assert tokens < 0
        self.layers[0].tokens += tokens


def test_the_longest_common_beginning_is_taken_and_the_past_itself_stays():
    prompts = PastPrompts(least=2)
    assert prompts.beginning_of((1, 2, 3)) == (0, None)
    prompts.keep((1, 2, 3, 4), Past(6), beyond=2)
    prompts.keep((1, 2, 9), Past(3), beyond=0)
    read, past = prompts.beginning_of((1, 2, 3, 7, 8))
    assert (read, past.layers[0].tokens) == (3, 3)
    read, past = prompts.beginning_of((1, 2, 3, 4))  # all but the last, which is to be read
    assert (read, past.layers[0].tokens) == (3, 3)
    assert prompts.beginning_of((1, 5, 6)) == (0, None)  # fewer than two
    read, past = prompts.beginning_of((1, 2, 3, 4, 5))
    assert (read, past.layers[0].tokens) == (4, 4)
    prompts.clear()
    assert prompts.beginning_of((1, 2, 3, 4, 5)) == (0, None)


def test_those_used_least_lately_go_where_there_is_no_room():
    prompts = PastPrompts(size=2 * 8, least=2)
    prompts.keep((1, 1, 1, 1), Past(4), beyond=0)
    prompts.keep((2, 2, 2, 2), Past(4), beyond=0)
    assert prompts.beginning_of((1, 1, 1, 5))[0] == 3
    prompts.keep((3, 3, 3, 3), Past(4), beyond=0)
    assert prompts.beginning_of((2, 2, 2, 5)) == (0, None)
    assert prompts.beginning_of((1, 1, 1, 5))[0] == 3
    prompts.keep((4,) * 99, Past(99), beyond=0)
    assert prompts.beginning_of((3, 3, 3, 5)) == (0, None)
    assert prompts.beginning_of((4,) * 9)[0] == 8
