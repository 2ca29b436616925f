"""The local engine: nothing is scored twice, nothing that was scored is lost."""

import pytest

from core.engines import StoredEngine
from core.errors import Cancelled, NotComputed
from core.language_model import AnswerRequest
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

ONE = AnswerRequest("Q: one\nA:", (" yes indeed", " no"))
TWO = AnswerRequest("Q: two\nA:", (" no", " yes indeed", " no"))


def test_values_come_in_the_order_asked_and_equal_the_models(bench):
    engine = bench.engine()
    found = engine.log_probs([ONE, TWO, ONE])
    model = FakeLanguageModel()
    assert found == [
        [model.log_prob(request.prompt, answer) for answer in request.answers]
        for request in (ONE, TWO, ONE)
    ]
    assert found[0][0].tokens == model.log_prob(ONE.prompt, " yes indeed").tokens
    assert found[0][0].n_tokens == 2


def test_each_pair_is_scored_once_within_a_call_and_never_again(bench):
    first = bench.engine()
    answered = first.log_probs([ONE, TWO, ONE, AnswerRequest(ONE.prompt, (" no", " maybe"))])
    assert bench.model.asked == [
        ("Q: one\nA:", " yes indeed"),
        ("Q: one\nA:", " no"),
        ("Q: one\nA:", " maybe"),
        ("Q: two\nA:", " no"),
        ("Q: two\nA:", " yes indeed"),
    ]
    assert first.calls == 5
    second = bench.engine()
    assert second.log_probs([ONE, TWO]) == answered[:2]
    assert second.calls == 0
    assert len(bench.model.asked) == 5


def test_what_is_known_is_told_without_the_model(bench):
    stored = StoredEngine(bench.store, bench.model.fingerprint, bench.engine().template)
    with pytest.raises(NotComputed):
        stored.log_probs([ONE])
    answered = bench.engine().log_probs([ONE])
    asked = list(bench.model.asked)
    assert stored.log_probs([ONE]) == answered
    with pytest.raises(NotComputed):
        stored.log_probs([ONE, TWO])
    assert stored.log_probs([]) == []
    assert stored.fits(ONE.prompt, ONE.answers)
    assert stored.without_tokens(ONE.prompt, ("",)) == ()
    with pytest.raises(NotComputed):
        stored.count_tokens(ONE.prompt)
    assert bench.model.asked == asked


def test_another_model_shares_nothing(bench):
    bench.engine().log_probs([ONE])
    bench.model = FakeLanguageModel(fingerprint="another")
    engine = bench.engine()
    engine.log_probs([ONE])
    assert engine.calls == 2


def test_nothing_asked_asks_nothing(bench):
    engine = bench.engine()
    assert engine.log_probs([]) == []
    assert engine.log_probs([AnswerRequest("Q:", ())]) == [[]]
    assert bench.model.asked == []


def requests(n):
    return [AnswerRequest(f"Q: {i}\nA:", (" yes", " no", " perhaps")) for i in range(n)]


def test_chunks_hold_whole_requests_and_are_committed_one_by_one(bench):
    sizes, committed = [], []

    def before_call(asked):
        sizes.append([len(request.answers) for request in asked])
        committed.append(bench.store.log_probs.count("fake model"))

    bench.model.before_call = before_call
    progress = []
    bench.engine(chunk_pairs=7).log_probs(
        [*requests(5), AnswerRequest("Q:", tuple(f" {i}" for i in range(9)))],
        watcher=Watcher(on_progress=lambda done, total: progress.append((done, total))),
    )
    assert sizes == [[3, 3], [3, 3], [3], [9]]
    assert committed == [0, 6, 12, 15]
    assert progress == [(6, 24), (12, 24), (15, 24), (24, 24)]


def test_cancelling_keeps_the_chunks_before(bench):
    engine = bench.engine(chunk_pairs=3)
    with pytest.raises(Cancelled):
        engine.log_probs(
            requests(4), watcher=Watcher(cancelled=lambda: len(bench.model.asked) >= 6)
        )
    kept = bench.store.log_probs.count("fake model")
    assert kept in (3, 6)
    again = bench.engine()
    again.log_probs(requests(4))
    assert again.calls == 12 - kept


def test_what_other_work_scores_between_two_chunks_is_not_scored_again(bench):
    other = bench.engine()
    engine = bench.engine(chunk_pairs=3)
    engine.log_probs(
        requests(4),
        watcher=Watcher(on_progress=lambda done, total: other.log_probs(requests(4)[2:])),
    )
    assert (engine.calls, other.calls) == (6, 6)
    assert len(bench.model.asked) == len(set(bench.model.asked)) == 12
