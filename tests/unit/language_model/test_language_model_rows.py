from hypothesis import given
from hypothesis import strategies as st

from core.language_model.local.rows import Budget, TokenReading, TokenRow, batches, scored_width

LENGTHS = st.lists(
    st.tuples(st.integers(1, 30), st.lists(st.integers(1, 9), min_size=1, max_size=4)), max_size=12
)


def rows_of(lengths, reading=TokenReading.PACKED):
    """Rows whose answers have nothing in common."""
    rows, slot = [], 0
    for prompt, answers in lengths:
        slots = tuple(range(slot, slot + len(answers)))
        tokens = tuple((i,) * n for i, n in zip(slots, answers, strict=True))
        rows.append(TokenRow((1,) * prompt, tokens, slots, reading))
        slot += len(answers)
    return rows


def test_row_reads_all_but_the_last_token_of_each_answer():
    row = TokenRow((5, 6, 7), ((1, 2, 3), (4,), (8, 9)), (0, 1, 2))
    assert row.length == 3 + 2 + 0 + 1
    assert row.packed
    assert not TokenRow((5,), ((1,),), (0,)).packed


def test_what_answers_begin_with_in_common_is_read_once():
    assert TokenRow((5, 6), ((1, 2, 3), (1, 2, 4), (1, 2, 3, 9)), (0, 1, 2)).length == 2 + 3


def test_one_answer_is_neither_packed_nor_cached():
    for reading in TokenReading:
        row = TokenRow((5,), ((1,), (2,)), (0, 1), reading)
        assert (row.packed, row.cached) == (
            reading is TokenReading.PACKED,
            reading is TokenReading.CACHED,
        )
        for piece in row.pieces(1):
            assert (piece.packed, piece.cached, piece.reading) == (False, False, reading)


def test_cached_rows_are_batches_of_their_own():
    cached = rows_of([(3, [2, 2]), (9, [2, 3]), (5, [1])], TokenReading.CACHED)
    made = batches(cached, Budget(10**9, 10**12), 50, padded_up_to=99)
    assert made == [[cached[1]], [cached[0]], [cached[2]]]


def test_pieces_keep_answers_with_their_slots():
    row = TokenRow((5,), ((1,), (2,), (3,)), (7, 8, 9))
    assert row.pieces(2) == [TokenRow((5,), ((1,), (2,)), (7, 8)), TokenRow((5,), ((3,),), (9,))]
    assert row.pieces(3) == [row]


def test_scored_width_reaches_back_to_the_shortest_prompt():
    rows = rows_of([(10, [3]), (4, [2])])
    assert scored_width(rows) == 12 - 4 + 1


@given(LENGTHS, st.integers(1, 80), st.integers(1, 3000), st.integers(1, 30))
def test_batches_hold_every_row_once_within_the_budget(lengths, tokens, logits, padded_up_to):
    rows = rows_of(lengths)
    made = batches(rows, Budget(tokens, logits), 50, padded_up_to=padded_up_to)
    assert sorted((row for batch in made for row in batch), key=lambda r: r.slots) == rows
    for batch in made:
        assert len({row.packed for row in batch}) == 1
        if len(batch) > 1:
            longest = max(row.length for row in batch)
            assert len(batch) * longest <= tokens
            assert len(batch) * scored_width(batch) * 50 <= logits
            assert batch[0].packed or longest <= padded_up_to


def test_smallest_budget_reads_one_row_at_a_time():
    rows = rows_of([(3, [2]), (3, [2]), (5, [1, 1])])
    made = batches(rows, Budget(1, 1), 50, padded_up_to=99)
    assert [len(batch) for batch in made] == [1, 1, 1]


def test_largest_budget_reads_alike_rows_at_once_longest_first():
    rows = rows_of([(3, [2]), (9, [2]), (5, [1])])
    (batch,) = batches(rows, Budget(10**9, 10**12), 50, padded_up_to=99)
    assert [row.length for row in batch] == [10, 5, 4]


def test_budget_halves_to_no_less_than_one():
    assert Budget(9, 1, 3).halved() == Budget(4, 1, 1)
