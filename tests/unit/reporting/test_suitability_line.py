"""The line on whether diversity can pay in a pool, for every verdict."""

from dataclasses import replace

from core.evaluation.results.suitability import Suitability
from core.reporting.words.start_page import suitability_line

CLEAR = Suitability(
    demonstrations=1_723,
    queries=480,
    with_incorrect=480,
    sameness=0.8217,
    random_sameness=0.1841,
    sampled=100,
)
CAN_PAY = (
    "Diversity can pay here: 3.6 demonstrations per query, sameness 0.82 at lambda_d 1 (0.18 at "
    "random), so relevance alone repeats itself."
)


def test_all_that_suits_is_one_sentence_and_the_incorrect_answers():
    assert suitability_line(CLEAR) == f"{CAN_PAY} Every query has incorrect answers."
    assert suitability_line(CLEAR, with_incorrect=False) == CAN_PAY


def test_a_pool_can_be_named():
    line = suitability_line(CLEAR, where="in pool mine")
    assert line.startswith("Diversity can pay in pool mine: 3.6 demonstrations per query")


def test_without_redundancy_it_has_little_to_do_and_the_size_does_not_matter():
    clean = replace(CLEAR, demonstrations=100, queries=100, with_incorrect=100, sameness=0.30)
    assert suitability_line(clean, with_incorrect=False) == (
        "Diversity can hardly pay here: 1.0 demonstrations per query, sameness 0.30 at lambda_d "
        "1 (0.18 at random), so relevance alone hardly repeats itself."
    )


def test_few_queries_measure_little():
    few = replace(CLEAR, queries=199, with_incorrect=199)
    assert suitability_line(few, with_incorrect=False).endswith(
        "repeats itself. To measure it, 199 queries are few; 200 or more are better."
    )


def test_incorrect_answers_that_are_missing_say_what_they_would_show():
    def tail(having):
        return suitability_line(replace(CLEAR, with_incorrect=having)).removeprefix(CAN_PAY)

    use = "which show whether a context raises right answers above wrong ones"
    assert tail(0) == f" No query has incorrect answers, {use}."
    assert tail(1) == f" Only 1 of 480 queries (under 1 %) has incorrect answers, {use}."
    assert tail(240) == f" Only 240 of 480 queries (50 %) have incorrect answers, {use}."
    assert tail(241) == " 241 of 480 queries (50 %) have incorrect answers."
    assert tail(479) == " 479 of 480 queries (over 99 %) have incorrect answers."


def test_without_two_demonstrations_of_others_there_is_nothing_to_choose():
    alone = Suitability(
        demonstrations=9,
        queries=1,
        with_incorrect=0,
        sameness=None,
        random_sameness=None,
        sampled=0,
    )
    assert suitability_line(alone, with_incorrect=False) == (
        "Diversity cannot pay here: no query has two demonstrations of other queries to choose "
        "from."
    )


def test_an_empty_pool_says_nothing():
    assert (
        suitability_line(
            Suitability(
                demonstrations=0,
                queries=0,
                with_incorrect=0,
                sameness=None,
                random_sameness=None,
                sampled=0,
            )
        )
        == ""
    )


def test_what_rounds_to_zero_has_no_sign():
    line = suitability_line(replace(CLEAR, random_sameness=-0.001))
    assert "(0.00 at random)" in line
