"""What every encoder promises: the bundled ones and the fake of the other tests."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from core.embedding import load_encoder
from core.errors import Cancelled, InvalidInput
from core.settings import DEFAULT_ENCODER, MULTILINGUAL
from core.watcher import Watcher
from tests.support.hashing_encoder import HashingEncoder

TEXTS = [
    "What happens if you swallow chewing gum?",
    "Is it dangerous to swallow gum?",
    "Who was the first person on the Moon?",
    "¿Quién fue la primera persona en la Luna?",
    "月",
    "word " * 400,
    "emoji 🌕 and\na new line",
]
MANY = [f"{text[:60]} {number}" for number in range(12) for text in TEXTS]


@pytest.fixture(scope="module", params=[DEFAULT_ENCODER, MULTILINGUAL, "hashing"])
def encoder(request):
    if request.param == "hashing":
        return HashingEncoder()
    return load_encoder(request.param, device="cpu")


OF_TOKENS = pytest.mark.parametrize("encoder", [DEFAULT_ENCODER, "hashing"], indirect=True)
OF_WHOLE_TEXTS = pytest.mark.parametrize("encoder", [MULTILINGUAL], indirect=True)


def test_rows_are_unit_float32_of_the_stated_length(encoder):
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1.0, atol=1e-6)


def test_results_stand_in_the_order_of_the_texts(encoder):
    together = encoder.encode(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(encoder.encode([text])[0], row, atol=1e-5)
    order = np.random.default_rng(0).permutation(len(MANY))
    shuffled = encoder.encode([MANY[i] for i in order])
    np.testing.assert_allclose(shuffled, encoder.encode(MANY)[order], atol=1e-5)


def test_the_same_call_gives_the_same_bits(encoder):
    assert np.array_equal(encoder.encode(MANY), encoder.encode(MANY))


def test_equal_texts_have_equal_rows_bit_for_bit(encoder):
    rows = encoder.encode([TEXTS[0], *MANY, TEXTS[0], MANY[3]])
    assert np.array_equal(rows[0], rows[-2])
    assert np.array_equal(rows[4], rows[-1])


def test_alike_texts_are_nearer_than_others(encoder):
    rows = encoder.encode(TEXTS)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


def test_no_texts_give_no_rows(encoder):
    rows = encoder.encode([])
    assert rows.shape == (0, encoder.dimensions)
    assert rows.dtype == np.float32


def test_a_tuple_of_texts_is_as_good_as_a_list_and_one_text_is_a_mistake(encoder):
    assert np.array_equal(encoder.encode(tuple(TEXTS)), encoder.encode(TEXTS))
    with pytest.raises(ValueError, match="list of texts"):
        encoder.encode("one text")


def test_progress_grows_to_the_number_of_distinct_texts(encoder):
    seen = []
    encoder.encode(
        [*MANY, *MANY], watcher=Watcher(on_progress=lambda done, total: seen.append((done, total)))
    )
    assert [total for _, total in seen] == [len(MANY)] * len(seen)
    done = [done for done, _ in seen]
    assert done == sorted(set(done))
    assert len(done) > 1
    assert done[-1] == len(MANY)


def test_cancelled_between_batches(encoder):
    seen = []
    with pytest.raises(Cancelled):
        encoder.encode(
            MANY,
            watcher=Watcher(
                on_progress=lambda done, _: seen.append(done), cancelled=lambda: len(seen) == 2
            ),
        )
    assert len(seen) == 2


def test_many_threads_may_encode_at_once(encoder):
    parts = [MANY[start::6] for start in range(6)]
    expected = [encoder.encode(part) for part in parts]
    with ThreadPoolExecutor(6) as threads:
        for row, right in zip(threads.map(encoder.encode, parts), expected, strict=True):
            np.testing.assert_allclose(row, right, atol=1e-5)


def test_name_and_fingerprint(encoder):
    assert encoder.name
    assert len(encoder.fingerprint) == 32
    int(encoder.fingerprint, 16)


def test_what_is_cut_or_has_no_letters_is_known_text_by_text(encoder):
    cut, unknown = encoder.cut(TEXTS), encoder.unknown(TEXTS)
    assert (cut.shape, cut.dtype) == ((len(TEXTS),), bool)
    assert unknown.shape == (len(TEXTS),)
    assert ((unknown >= 0) & (unknown <= 1)).all()
    assert [encoder.cut([text])[0] for text in TEXTS] == cut.tolist()
    assert [encoder.unknown([text])[0] for text in TEXTS] == unknown.tolist()
    assert not cut[:5].any()
    assert encoder.cut([]).tolist() == encoder.unknown([]).tolist() == []


def test_what_is_not_cut_is_in_the_row_to_its_end(encoder):
    """The longest text that is read whole differs by its last word; one word more is cut.

    An encoder that cuts none of these texts reads each of them to its end.
    """
    long = next((n for n in range(2, 400) if encoder.cut(["cat " * n])[0]), None)
    if long is None:
        ends = encoder.encode([f"{'cat ' * 399}{end}" for end in ("dog", "piano")])
        assert not np.allclose(ends[0], ends[1], atol=1e-4)
        return
    whole, cut = ("cat " * (long - 2), "cat " * (long - 1))
    ends = encoder.encode([f"{text}{end}" for text in (whole, cut) for end in ("dog", "piano")])
    assert encoder.cut([f"{whole}dog", f"{cut}dog"]).tolist() == [False, True]
    assert not np.allclose(ends[0], ends[1], atol=1e-4)
    np.testing.assert_allclose(ends[2], ends[3], atol=1e-6)


@OF_TOKENS
def test_tokens_are_unit_float32_rows_in_the_order_of_the_texts(encoder):
    lists = encoder.encode_tokens(TEXTS)
    for text, rows in zip(TEXTS, lists, strict=True):
        assert rows.dtype == np.float32
        assert rows.shape[1] == encoder.dimensions
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-6)
        (alone,) = encoder.encode_tokens([text])
        np.testing.assert_allclose(alone, rows, atol=1e-4)
    assert len(lists[0]) > len(lists[4]) >= 1


def test_no_texts_have_no_tokens_and_one_text_is_a_mistake_there_too(encoder):
    assert encoder.encode_tokens([]) == []
    with pytest.raises(ValueError, match="list of texts"):
        encoder.encode_tokens("one text")


@OF_WHOLE_TEXTS
def test_without_vectors_of_tokens_there_is_one_sentence(encoder):
    with pytest.raises(InvalidInput, match="^The encoder .* has no vectors of tokens, only of who"):
        encoder.encode_tokens(TEXTS)


@OF_TOKENS
def test_a_longer_text_has_more_tokens_up_to_the_window(encoder):
    counts = [len(rows) for rows in encoder.encode_tokens(["cat", "cat dog", "cat dog bird"])]
    assert counts == [1, 2, 3]
    lengths = (100, 200, 400, 800)
    long = ["cat " * n for n in lengths]
    counts = [len(rows) for rows in encoder.encode_tokens(long)]
    window = max(counts)
    assert counts == [min(n, window) for n in lengths]
    assert encoder.cut(long).tolist() == [n > window for n in lengths]


@OF_TOKENS
def test_equal_texts_have_equal_tokens_bit_for_bit(encoder):
    lists = encoder.encode_tokens([TEXTS[0], *MANY, TEXTS[0]])
    assert np.array_equal(lists[0], lists[-1])
    again = encoder.encode_tokens([TEXTS[0], *MANY, TEXTS[0]])
    assert all(np.array_equal(*pair) for pair in zip(lists, again, strict=True))


@OF_TOKENS
def test_a_token_is_nearest_to_itself_in_another_text(encoder):
    (gum, other) = encoder.encode_tokens(["chewing gum", "gum is sticky"])
    assert (gum @ other.T)[-1].argmax() == 0


@OF_TOKENS
def test_tokens_are_cancelled_between_batches(encoder):
    asked = []
    with pytest.raises(Cancelled):
        encoder.encode_tokens(
            MANY, watcher=Watcher(cancelled=lambda: asked.append(1) or len(asked) == 3)
        )
    assert len(asked) == 3
