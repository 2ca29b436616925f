"""Which metric a run leads with, at the edges, and what each figure rests on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import EvaluationExample, incorrect_answers
from core.evaluation.results.verdict import CORRECT_ONLY, ENOUGH, PER_TRIPLE, Basis, HaveIncorrect
from core.metrics import METRICS


@pytest.mark.parametrize(
    ("having", "lacking", "have", "leads"),
    [
        (40, 0, HaveIncorrect.ALL, PER_TRIPLE),
        (1, 0, HaveIncorrect.ALL, PER_TRIPLE),
        (0, 40, HaveIncorrect.NONE, CORRECT_ONLY),
        (0, 1, HaveIncorrect.NONE, CORRECT_ONLY),
        (1, 1, HaveIncorrect.SOME, PER_TRIPLE),
        (1, 19, HaveIncorrect.SOME, PER_TRIPLE),
        (1, 20, HaveIncorrect.TOO_FEW, CORRECT_ONLY),
        (19, 20, HaveIncorrect.TOO_FEW, CORRECT_ONLY),
        (20, 20, HaveIncorrect.SOME, PER_TRIPLE),
        (20, 2000, HaveIncorrect.SOME, PER_TRIPLE),
        (0, 0, HaveIncorrect.ALL, PER_TRIPLE),
    ],
)
def test_the_metric_that_leads_follows_the_examples(having, lacking, have, leads):
    basis = Basis(having, lacking)
    assert (basis.have_incorrect, basis.headline) == (have, leads)
    assert ENOUGH == 20


@given(st.integers(0, 100), st.integers(0, 100))
def test_what_leads_counts_an_example_and_enough_of_them_if_anything_does(having, lacking):
    basis = Basis(having, lacking)
    leading = basis.counted(basis.headline)
    assert leading > 0 or not basis.examples
    most = max(basis.counted(PER_TRIPLE), basis.counted(CORRECT_ONLY))
    assert leading >= ENOUGH or most < ENOUGH


def test_the_examples_are_counted_by_what_they_have():
    wrong = incorrect_answers(["No"])
    examples = [EvaluationExample("a", ("Yes",), wrong), EvaluationExample("b", ("Yes",), ())]
    basis = Basis.of([*examples, examples[1]])
    assert basis == Basis(1, 2)
    counted = {name: basis.counted(name) for name in METRICS}
    preferred = ("dpo_per_triple", "dpo", "delta", "triple_accuracy")
    answers = (*preferred, "mc1", "mc2", "mc3", "mc3_normalised")
    everywhere = ("gain_per_token", "gain_per_answer", "diversity", "cos_sum")
    wanted = dict.fromkeys(answers, 1) | {"dpo_correct_only": 2} | dict.fromkeys(everywhere, 3)
    generated = ("exact_match", "f1", "precision", "rouge_l", "nf1")
    assert counted == wanted | {"label_consistency": 0} | dict.fromkeys(generated, 0)
    labelled = replace(basis, labelled=2)
    assert labelled.counted("label_consistency") == 2
    assert labelled.examples == 3
    assert replace(basis, generated=3).counted("f1") == 3
