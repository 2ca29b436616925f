"""Explore's context: what is chosen, from which parts, under which terms."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.scoring.quality_bias import score_quality
from core.language_model.loading import find_device
from core.reporting.results.query import step_at
from core.retrieval.context import Certainty
from core.retrieval.knobs import BiasScale, Knobs, PromptOrder
from core.studio import Setup
from core.studio.explore.exploration import (
    ExploreRequest,
    example_of,
    explore,
    matching_queries,
    resolve,
)
from core.studio.explore.path import path_of, steps_of
from core.studio.explore.provenance import certainty_in_words, provenance
from core.text import normalised
from tests.unit.studio.exploring import QUERY, ROWS, drafts


@pytest.fixture
def request_without_model():
    return ExploreRequest(Setup("small"), QUERY, Knobs(method="rel+div", k=3), leave_out=True)


@pytest.fixture
def scored(studio, tiny_lm_folder):
    """A setup whose model is loaded and has scored the pool's quality."""
    setup = Setup("small", None, str(tiny_lm_folder))
    score_quality(studio.store, studio.store.pools.get("small").id, studio.engine(setup))
    return setup


def brute_force(encoder, request, lambda_d, *, bias=None, lambda_b=1.0):
    """RAGSys, Algorithm 1, on the tests' own pool: (query, answer, value, redundancy) a pick."""
    pairs = [(d.query, d.answer) for d in drafts()]
    rows = encoder.encode([query for query, _ in pairs]).astype(np.float64)
    relevance = rows @ encoder.encode([request.query])[0].astype(np.float64)
    values = relevance if bias is None else lambda_b * relevance + (1 - lambda_b) * bias
    chosen, found = [], []
    for _ in range(request.knobs.k):
        best = None
        for index, (query, _) in enumerate(pairs):
            if index in chosen or (request.leave_out and query == request.query):
                continue
            redundancy = max((rows[index] @ rows[j] for j in chosen), default=None)
            value = values[index]
            if redundancy is not None:
                value = lambda_d * value - (1 - lambda_d) * redundancy
            if best is None or value > best[0] + 1e-6:
                best = (value, redundancy, index)
        value, redundancy, index = best
        chosen.append(index)
        found.append((*pairs[index], value, redundancy))
    return found


@pytest.mark.parametrize("lambda_d", [0.0, 0.3, 0.75, 1.0])
def test_picks_and_their_parts_equal_a_brute_force(
    studio, hashing_encoder, request_without_model, lambda_d
):
    request = request_without_model.with_knobs(k=4, lambda_d=lambda_d)
    found = explore(resolve(studio, request))
    expected = brute_force(hashing_encoder, request, lambda_d)
    assert [(p.query, p.answer) for p in found.picks] == [row[:2] for row in expected]
    assert [p.rank for p in found.picks] == [1, 2, 3, 4]
    for pick, (_, _, value, redundancy) in zip(found.picks, expected, strict=True):
        assert pick.value == pytest.approx(value, abs=1e-5)
        assert pick.redundancy == (
            None if redundancy is None else pytest.approx(redundancy, abs=1e-5)
        )
        assert pick.quality_bias is None
    rows = hashing_encoder.encode([p.query for p in found.picks]).astype(np.float64)
    cosines = (rows @ rows.T)[np.triu_indices(4, 1)]
    assert found.diversity == pytest.approx(cosines.mean(), abs=1e-5)


def test_leave_out_keeps_the_querys_own_demonstrations_away(studio, request_without_model):
    found = explore(resolve(studio, request_without_model))
    assert found.own == 2
    assert QUERY not in [pick.query for pick in found.picks]
    typed = explore(resolve(studio, replace(request_without_model, leave_out=False)))
    assert typed.own == 0
    assert [p.query for p in typed.picks[:1]] == [QUERY]
    assert typed.picks[0].relevance == pytest.approx(1.0, abs=1e-6)


def test_lambda_b_stands_at_1_and_says_why(studio, request_without_model, tiny_lm_folder):
    request = request_without_model.with_knobs(method="rel+div+bias", lambda_b=0.5)
    found = explore(resolve(studio, request))
    assert found.lambda_b == 1.0
    assert found.note.startswith("lambda_b is set to 1: 10 of 10 demonstrations have no quality")
    plain = explore(resolve(studio, request_without_model))
    assert [p.id for p in found.picks] == [p.id for p in plain.picks]
    setup = Setup("small", None, str(tiny_lm_folder))
    studio.language_model(setup.model)
    note = explore(resolve(studio, replace(request, setup=setup))).note
    assert note.startswith("lambda_b is set to 1: 10 of 10 demonstrations have no quality bias")
    assert explore(resolve(studio, request.with_knobs(lambda_b=1.0))).note == ""


def test_a_method_of_bias_alone_is_refused_with_the_reason(studio, request_without_model):
    with pytest.raises(InvalidInput, match="'bias' cannot choose yet: 10 of 10 demonst"):
        explore(resolve(studio, request_without_model.with_knobs(method="bias")))


def test_quality_bias_enters_the_values(studio, hashing_encoder, scored):
    request = ExploreRequest(scored, QUERY, Knobs(k=4, lambda_d=0.6, lambda_b=0.9), leave_out=True)
    found = explore(resolve(studio, request))
    assert (found.note, found.lambda_b) == ("", 0.9)
    bias = studio.view(scored).quality_bias
    expected = brute_force(hashing_encoder, request, 0.6, bias=bias, lambda_b=0.9)
    assert [(p.query, p.answer) for p in found.picks] == [row[:2] for row in expected]
    assert [p.value for p in found.picks] == pytest.approx([row[2] for row in expected], abs=1e-5)
    only_bias = explore(resolve(studio, request.with_knobs(method="bias")))
    least = np.argsort(-bias, kind="stable")
    others = [int(i) for i in least if drafts()[i].query != QUERY][:4]
    assert [p.answer for p in only_bias.picks] == [drafts()[i].answer for i in others]
    ranked = explore(
        resolve(studio, request.with_knobs(bias_scale=BiasScale.SURPRISE, lambda_b=0.0))
    )
    assert ranked.picks[0].quality_bias == pytest.approx(
        min(bias[i] for i in range(10) if drafts()[i].query != QUERY)
    )


def test_the_prompt_holds_the_most_relevant_last_or_the_order_chosen(studio, request_without_model):
    request = request_without_model.with_knobs(lambda_d=0.0, k=4)
    found = explore(resolve(studio, request))
    by_relevance = sorted(found.picks, key=lambda p: (p.relevance, p.id))
    assert found.in_prompt == tuple(p.rank for p in by_relevance)
    blocks = found.prompt.split("\n\n")
    assert blocks == [
        *(f"Q: {p.query}\nA: {p.answer}" for p in by_relevance),
        f"Q: {QUERY}\nA:",
    ]
    chosen = explore(resolve(studio, request.with_knobs(order=PromptOrder.AS_CHOSEN)))
    assert chosen.in_prompt == (1, 2, 3, 4)
    assert chosen.prompt.split("\n\n")[:4] == [f"Q: {p.query}\nA: {p.answer}" for p in found.picks]


def test_a_context_that_the_window_cannot_hold_is_shortened(studio, tiny_lm_folder):
    setup = Setup("small", None, str(tiny_lm_folder))
    model = studio.language_model(setup.model)
    answers = ("It is rock, and nothing but rock",)
    request = ExploreRequest(
        setup,
        QUERY,
        Knobs(method="rel", k=8),
        leave_out=True,
        answers=answers,
        incorrect=incorrect_answers(("No",)),
    )
    before = explore(resolve(studio, replace(request, setup=Setup("small"))))
    found = explore(resolve(studio, request))
    assert (before.tokens, before.window, before.left_out) == (None, None, 0)
    assert found.window == model.window == 256
    assert found.left_out == len(before.picks) - len(found.picks) > 0
    assert found.tokens == model.count_tokens(found.prompt)
    assert model.count_tokens(found.prompt, " " + answers[0]) <= 256
    # The least relevant went, and the others keep the numbers under which they were chosen.
    assert [p.rank for p in found.picks] == [1, 2, 3, 4, 5, 6, 7, 8][: len(found.picks)]
    longer = request.with_knobs(k=len(found.picks) + 1)
    assert explore(resolve(studio, longer)).left_out == 1
    with pytest.raises(InvalidInput, match="longer than the model's window of 256"):
        explore(resolve(studio, replace(request, answers=("very long " * 200,))))


def test_candidates_of_an_index(studio, request_without_model):
    whole = explore(resolve(studio, request_without_model))
    assert whole.certainty == Certainty("exact")
    assert certainty_in_words(whole) == "Exact: chosen from all 10 demonstrations."

    def among(kind, c, **changes):
        request = request_without_model.with_knobs(index=kind, candidates=c, **changes)
        return explore(resolve(studio, request))

    found = among("flat", 10)
    assert found.certainty == Certainty("exact", "flat", 10)
    assert found.picks == whole.picks
    certified = among("flat", 5, k=2, lambda_d=1.0)
    assert certified.certainty == Certainty("certified", "flat", 5)
    assert certainty_in_words(certified) == (
        "Certified: chosen among 5 candidates of the flat index, and proven equal to the whole "
        "pool's choice."
    )
    few = among("hnsw", 5)
    assert few.certainty.kind == "approximate"
    assert "finds 100.0% of the best candidates (mean over 7 of the pool's queries)" in (
        certainty_in_words(few)
    )
    assert among("flat", 5, method="fix").certainty == Certainty("exact")


def test_methods_without_values(studio, request_without_model):
    none = explore(resolve(studio, request_without_model.with_knobs(method="none")))
    assert (none.picks, none.diversity, none.in_prompt) == ((), None, ())
    assert none.prompt == f"Q: {QUERY}\nA:"
    drawn = explore(resolve(studio, request_without_model.with_knobs(method="random", seed=1)))
    again = explore(
        resolve(studio, request_without_model.with_knobs(method="random", seed=1, lambda_d=0.1))
    )
    assert [p.id for p in drawn.picks] == [p.id for p in again.picks]
    assert [p.value for p in drawn.picks] == [None] * 3
    one = explore(resolve(studio, request_without_model.with_knobs(k=1)))
    assert one.diversity is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query": "  "}, "query is empty"),
        ({"method": "best"}, "no method 'best'"),
        ({"k": -1}, "k is -1"),
        ({"lambda_d": 1.5}, "lambda_d is 1.5"),
        ({"lambda_b": float("nan")}, "lambda_b is nan"),
        ({"setup": Setup("nowhere")}, "nowhere"),
    ],
)
def test_mistakes_are_told_in_one_sentence(studio, request_without_model, change, words):
    turn = replace if change.keys() <= {"query", "setup"} else ExploreRequest.with_knobs
    with pytest.raises(InvalidInput, match=words):
        explore(resolve(studio, turn(request_without_model, **change)))


def test_every_number_can_be_traced(studio, request_without_model, scored, tiny_lm_folder):
    line = provenance(explore(resolve(studio, request_without_model)))
    assert line == (
        "rel+div, k 3, lambda_d 0.75, lambda_b 1.00; pool small version "
        f"{studio.store.pools.get('small').version}, 10 demonstrations; encoder hashing; "
        "language model not loaded yet; template qa, most relevant last"
    )
    request = ExploreRequest(
        scored, QUERY, Knobs(lambda_d=0.3, bias_scale=BiasScale.RANK, index="flat", candidates=5)
    )
    line = provenance(explore(resolve(studio, request)))
    assert "lambda_b 0.95, bias rank, 10 candidates (flat);" in line
    assert f"model {tiny_lm_folder.name}, float32 on {find_device('auto')};" in line
    line = provenance(explore(resolve(studio, request_without_model.with_knobs(method="random"))))
    assert line.startswith("random, k 3, seed 0;")


def test_evaluation_examples_are_the_pools_queries(studio, request_without_model):
    view = studio.view(request_without_model.setup)
    examples = [example_of(studio, view, query) for query in view.distinct_queries]
    assert [
        (e.query, e.answers, tuple(wrong.text for wrong in e.incorrect)) for e in examples
    ] == list(ROWS)
    assert view.find_query("  DO bats see  well?") == ROWS[2][0]
    assert example_of(studio, view, "  DO bats see  well?") == examples[2]
    assert view.find_query("Do bats hear well?") is None
    with pytest.raises(InvalidInput, match="no query 'Do bats hear well"):
        example_of(studio, view, "Do bats hear well?")


def test_queries_in_other_letters_are_examples_of_their_own(studio, request_without_model):
    pool = studio.store.pools.get("small")
    studio.store.demonstrations.add(
        pool.id, [Draft("DO bats see well?", "In capitals", incorrect_answers(("Nobody",)))]
    )
    view = studio.view(request_without_model.setup)
    shouted = example_of(studio, view, "DO bats see well? ")
    assert (shouted.query, shouted.answers) == ("DO bats see well?", ("In capitals",))
    assert example_of(studio, view, ROWS[2][0]).answers == ROWS[2][1]
    assert view.distinct_queries == (*(query for query, _, _ in ROWS), "DO bats see well?")
    request = replace(request_without_model, query="DO bats see well?", leave_out=True)
    found = explore(resolve(studio, request.with_knobs(k=20)))
    assert {normalised(pick.query) for pick in found.picks} == {
        normalised(query) for query, _, _ in ROWS if query != ROWS[2][0]
    }


def test_queries_are_found_by_their_letters(studio, request_without_model):
    view = studio.view(request_without_model.setup)
    queries = [row[0] for row in ROWS]
    assert matching_queries(view, "", 100) == queries
    assert matching_queries(view, "", 2) == queries[:2]
    assert matching_queries(view, " BATS ", 100) == [q for q in queries if "bats" in q.lower()]
    assert matching_queries(view, "zebra", 100) == []


def test_the_path_says_what_holds_where(studio, request_without_model):
    request = request_without_model.with_knobs(k=4)
    rows = path_of(resolve(studio, request))
    assert rows[0].low == 0.0
    assert rows[-1].high == 1.0
    assert all(a.high == b.low for a, b in zip(rows, rows[1:], strict=False))
    steps = steps_of(studio.view(request.setup), rows)
    texts = {d.id: (d.query, d.answer) for d in studio.store.demonstrations.all(1)}
    chosen = {texts[id] for id in rows[0].value}
    for row, step in zip(rows, steps, strict=True):
        chosen = (chosen - set(step.leaves)) | set(step.enters)
        assert chosen == {texts[id] for id in row.value}
        middle = row.middle
        assert step_at(steps, middle) is step
        picks = explore(resolve(studio, request.with_knobs(lambda_d=middle))).picks
        assert tuple(p.id for p in picks) == row.value
    assert step_at(steps, 0.0) is steps[0]
    assert step_at(steps, 1.0) is steps[-1]
    assert step_at((), 0.5) is None


def test_the_path_over_lambda_b_says_what_holds_where(studio, tiny_lm_folder):
    setup = Setup("small", model=str(tiny_lm_folder))
    score_quality(studio.store, 1, studio.engine(setup))
    request = ExploreRequest(setup, QUERY, Knobs(k=3, lambda_d=0.6))
    rows = path_of(resolve(studio, request), "lambda_b")
    assert (rows[0].low, rows[-1].high) == (0.0, 1.0)
    assert len(rows) > 1
    for row in rows:
        middle = row.middle
        picks = explore(resolve(studio, request.with_knobs(lambda_b=middle))).picks
        assert tuple(p.id for p in picks) == row.value


def test_what_another_visitor_adds_is_chosen_at_once(studio, request_without_model):
    pool = studio.store.pools.get("small")
    studio.store.demonstrations.add(pool.id, [Draft("Is the moon made of cheese, really?", "No")])
    found = explore(resolve(studio, request_without_model))
    assert found.picks[0].query == "Is the moon made of cheese, really?"
    assert found.demonstrations == 11


def test_a_querys_vector_is_made_once_and_is_the_encoders(studio, encoder):
    query, other = "Is the moon hollow?", "Do bats sleep?"
    want = encoder.encode([query, other])
    encoder.encoded.clear()
    for text, row in ((query, want[0]), (other, want[1]), (query, want[0])):
        np.testing.assert_array_equal(studio.query_vector(None, text), row)
    assert encoder.encoded == [query, other]
