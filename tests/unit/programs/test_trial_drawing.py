"""Which questions and training examples each seed has, and the rows that a trial is of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.programs import Example, Turn
from core.programs.primitives import sample
from core.programs.trial import ablated, draw, row_of
from core.programs.trial.running import rows_of


def questions(*names):
    return tuple(Example(f"Who made {name}?", (f"{name}smith",)) for name in names)


def names_of(examples):
    return [each.question for each in examples]


TEN = questions(*"abcdefghij")


def test_the_seeds_take_the_questions_in_turn():
    shares = draw(TEN, TEN, shots=3, seeds=4)
    assert [each.seed for each in shares] == [0, 1, 2, 3]
    assert [each.questions for each in shares] == [TEN[0::4], TEN[1::4], TEN[2::4], TEN[3::4]]
    for share in shares:
        others = [each for each in TEN if each not in share.questions]
        assert share.train == sample(others, 3, share.seed)
    assert len({tuple(names_of(share.train)) for share in shares}) == 4


@given(st.integers(0, 30), st.integers(1, 12), st.integers(0, 20))
def test_shares_are_disjoint_and_complete(n, seeds, shots):
    asked = questions(*map(str, range(n)))
    shares = draw(asked, asked, shots=shots, seeds=seeds)
    given_out = [each for share in shares for each in share.questions]
    assert sorted(each.question for each in given_out) == sorted(each.question for each in asked)
    assert len(shares) == min(seeds, n)
    sizes = [len(share.questions) for share in shares]
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    for share in shares:
        assert len(set(names_of(share.train))) == len(share.train) == min(shots, n)
        strange = n - len(share.questions)
        own = [each for each in share.train if each in share.questions]
        assert len(own) == max(0, min(shots, n) - strange), "own questions come last, for want"
        assert share.train[len(share.train) - len(own) :] == tuple(own)


def test_one_seed_answers_everything_and_fewer_questions_than_seeds_leave_some_out():
    (share,) = draw(TEN, TEN, shots=16, seeds=1)
    assert share.questions == TEN
    assert sorted(names_of(share.train)) == names_of(TEN)
    shares = draw(TEN[:2], TEN, shots=0, seeds=5)
    assert [(each.seed, each.questions, each.train) for each in shares] == [
        (0, TEN[:1], ()),
        (1, TEN[1:2], ()),
    ]
    assert draw((), TEN, shots=1) == ()
    for seeds in (0, -1):
        with pytest.raises(InvalidInput, match=f"The number of seeds is {seeds}; give 1 or more"):
            draw(TEN, TEN, shots=1, seeds=seeds)
    with pytest.raises(InvalidInput, match="k is -1"):
        draw(TEN, TEN, shots=-1)


def test_a_training_example_with_a_question_of_the_share_comes_last():
    train = (Example("WHO made  a?", ("x",)), *TEN[1:3])
    (share,) = draw(TEN[:1], train, shots=3, seeds=1)
    assert share.train[-1].answers == ("x",)
    assert sorted(names_of(share.train[:2])) == names_of(TEN[1:3])


def test_the_turns_of_a_conversation_are_in_one_share_in_their_order():
    first = [Turn("What is a?", "A tower."), Turn("How tall?", "9 m.")]
    talk = [
        Example("Who built it?", ("b",), tuple(first)),
        Example("How tall?", ("9",), (first[0],)),
    ]
    asked = (talk[0], TEN[0], talk[1], Example("What is a?", ("tower",)))
    one, other = draw(asked, (), shots=4, seeds=2)
    assert [each.question for each in one.questions] == ["What is a?", "How tall?", "Who built it?"]
    assert other.questions == (TEN[0],)


def test_a_row_has_the_papers_numbers_or_those_given():
    assert row_of("multi-hop").knobs == {
        "shots": 16, "augmented": 3, "k": 5, "samples": 20, "max_hops": 2, "queries": 10,
    }  # fmt: skip
    changed = row_of("open-domain", {"k": 0, "samples": 1, "queries": 4})
    assert changed.knobs == {"shots": 16, "augmented": 3, "k": 0, "samples": 1}
    assert row_of("conversational").demonstrating == {"shots": 4, "augmented": 4, "k": 5}
    for knob, value, least in (("samples", 0, 1), ("queries", 0, 1), ("k", -1, 0)):
        with pytest.raises(InvalidInput, match=f"{knob} is {value}; it must be {least} or more"):
            row_of("multi-hop", {knob: value})
    with pytest.raises(InvalidInput, match="There is no program 'two-hop': choose vanilla, retr"):
        row_of("two-hop")


def test_an_ablation_leaves_out_one_part_at_a_time():
    assert [(each.name, each.without) for each in ablated(row_of("multi-hop"))] == [
        ("multi-hop without annotate", "annotate"),
        ("multi-hop without fusion", "fusion"),
        ("multi-hop without self-consistency", "self-consistency"),
        ("multi-hop without passages", "passages"),
    ]
    whole = row_of("multi-hop").knobs
    changed = [dict(each.knobs.items() - whole.items()) for each in ablated(row_of("multi-hop"))]
    assert changed == [{"augmented": 0}, {"queries": 1}, {"samples": 1}, {"max_hops": 0}]
    assert [each.without for each in ablated(row_of("open-domain", {"samples": 1}))] == [
        "annotate", "passages",
    ]  # fmt: skip
    assert ablated(row_of("vanilla")) == ablated(row_of("self-ask")) == ()


def test_the_rows_of_several_programs():
    names = [
        each.name for each in rows_of(["retrieve-then-read", "vanilla"], {"k": 2}, ablate=True)
    ]
    assert names == ["retrieve-then-read", "retrieve-then-read without passages", "vanilla"]
    with pytest.raises(InvalidInput, match="k was given, which vanilla does not have; leave it"):
        rows_of(["vanilla"], {"k": 2})
    for wrong in ([], ["vanilla", "vanilla"]):
        with pytest.raises(InvalidInput, match="give one or more of vanilla, .* each once"):
            rows_of(wrong)
