"""The two-hop set: generated again it is what the files have, and it takes two hops."""

import json
import re

import pytest

from core.language_model import load
from core.language_model.scripted.facts import CHAINS, understood
from core.passages.search import PassageArrays, PassageSearch, SearchBy
from core.programs import Example, Passage, Run
from core.programs.trial import draw, row_of, run_trial, summarised
from core.programs.trial.running import rows_of
from core.settings import data_folder
from practice.programs.two_hop import build_two_hop, write_two_hop
from tests.support.trials import answers_of


@pytest.fixture(scope="module")
def two_hop():
    return build_two_hop()


@pytest.fixture(scope="module")
def passages(two_hop):
    return tuple(
        Passage(number, each.text, each.title) for number, each in enumerate(two_hop.passages, 1)
    )


@pytest.fixture(scope="module")
def search(passages):
    return PassageSearch(PassageArrays("two-hop", 1, passages), SearchBy.BM25)


@pytest.fixture(scope="module")
def questions(two_hop):
    return [Example(each.query, (each.answer,)) for each in two_hop.questions]


def test_the_files_are_what_is_generated(two_hop, tmp_path):
    for path in write_two_hop(tmp_path, two_hop):
        assert path.read_bytes() == (data_folder() / path.name).read_bytes()
    other = build_two_hop(seed=12)
    assert other.passages != two_hop.passages
    assert len(other.questions) == 48


def test_every_question_has_one_answer_that_takes_two_passages(two_hop, passages):
    assert len({each.query for each in two_hop.questions}) == 48
    assert len({each.title for each in passages}) == len(passages) == 60
    texts = [each.shown for each in passages]
    for question in two_hop.questions:
        asked = understood(question.query)
        between = asked.chain.first.of(asked.subject, texts)
        assert asked.chain.second.of(between, texts) == question.answer
        has_first = [text for text in texts if asked.chain.first.of(asked.subject, [text])]
        has_second = [text for text in texts if asked.chain.second.of(between, [text])]
        assert len(has_first) == len(has_second) == 1
        assert has_first != has_second
        assert question.answer not in (*question.incorrect, question.query)
        assert len(set(question.incorrect)) == 3
    kinds = [understood(each.query).chain for each in two_hop.questions]
    assert [kinds.count(chain) for chain in CHAINS] == [24, 24]


def test_the_question_finds_the_first_passage_and_not_the_second(two_hop, search):
    both = 0
    for question in two_hop.questions:
        asked = understood(question.query)
        found = [each.passage.shown for each in search.search(question.query, 2)]
        between = asked.chain.first.of(asked.subject, found)
        assert between is not None, "the first passage is among the first two"
        both += asked.chain.second.of(between, found) is not None
    assert both <= 1


@pytest.fixture(scope="module")
def trial(questions, search):
    rows = (
        *rows_of(["multi-hop"], ablate=True),
        row_of("retrieve-then-read", {"k": 2}),
        *rows_of(["vanilla", "open-domain", "self-ask", "self-ask-refined"]),
    )
    run = Run(load("scripted"), search)
    return summarised(rows, run_trial(rows, draw(questions, questions, shots=16), run))


def test_multi_hop_is_better_than_the_baselines_and_each_part_matters(trial):
    right = {row.name: round(48 * row.em.mean) for row in trial.rows}
    assert right == {
        "multi-hop": 41, "multi-hop without annotate": 23, "multi-hop without fusion": 21,
        "multi-hop without self-consistency": 25, "multi-hop without passages": 1,
        "retrieve-then-read": 1, "vanilla": 1, "open-domain": 8,
        "self-ask": 31, "self-ask-refined": 31,
    }  # fmt: skip
    assert all(row.errors == 0 for row in trial.rows)
    clear = {each.row for each in trial.differences if each.em.high < 0}
    assert clear == set(right) - {"multi-hop", "self-ask", "self-ask-refined"}


def test_it_is_right_because_its_passages_are(trial):
    """Answers that are right rest on the second passage, those of the baseline lack it."""

    def has_it(answer):
        prompt = answer.steps[-1].prompt.rsplit("\n\n---\n\n", 1)[-1]
        asked = understood(answer.question)
        context = re.findall("«(.*?)»", prompt)
        between = asked.chain.first.of(asked.subject, context)
        return between is not None and asked.chain.second.of(between, context) is not None

    multi = answers_of(trial, "multi-hop")
    assert [each.question for each in multi if each.correct and not has_it(each)] == []
    read = answers_of(trial, "retrieve-then-read")
    assert sum(map(has_it, read)) <= 1
    greedy = answers_of(trial, "multi-hop without fusion")
    assert sum(map(has_it, greedy)) < sum(map(has_it, multi)) - 10


def test_self_ask_is_wrong_where_it_asks_a_neighbouring_question(trial):
    for name in ("self-ask", "self-ask-refined"):
        answers = answers_of(trial, name)
        distracted = [
            any("What are " in step.prompt.rsplit("\n\nQuestion:", 1)[-1] for step in each.steps)
            for each in answers
        ]
        assert 10 < sum(distracted) < 24
        wrong = [not each.correct for each in answers]
        assert sum(a and not b for a, b in zip(wrong, distracted, strict=True)) <= 2


def test_the_bundled_file_imports_as_a_pool(two_hop):
    lines = (data_folder() / "two-hop.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["query"] for line in lines] == [e.query for e in two_hop.questions]
