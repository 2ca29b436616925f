"""A process that evaluates the small pool until it hangs in its n-th call of the model."""

import sys
import threading
from pathlib import Path

from core.engines import LocalEngine
from core.evaluation.plan.examples import examples_of
from core.evaluation.runs.evaluate import evaluate
from core.language_model import TEMPLATES
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.store import Store
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

REQUESTS = {name: Knobs(name, 3) for name in ("none", "random", "rel", "rel+div")}
CHUNK_PAIRS = 6


def evaluate_small(store: Store, model: FakeLanguageModel):
    encoder = HashingEncoder()
    pool_id = store.pools.get("small").id
    return evaluate(
        store,
        load_pool_view(store, "small", encoder),
        LocalEngine(store, model, TEMPLATES["qa"], chunk_pairs=CHUNK_PAIRS),
        examples_of(store.demonstrations.all(pool_id)),
        encoder,
        REQUESTS,
    )


def main(workspace: str, log: str, hang_at: int) -> None:
    calls = []

    def before_call(requests):
        pairs = sum(len(request.answers) for request in requests)
        calls.append(pairs)
        with Path(log).open("a") as file:
            file.write(f"{pairs}\n")
        if len(calls) == hang_at:
            sys.stdout.write("hanging\n")  # the parent waits for this line
            sys.stdout.flush()
            threading.Event().wait()

    with Store.open(workspace) as store:
        evaluate_small(store, FakeLanguageModel(before_call=before_call))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
