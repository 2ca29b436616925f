"""A run's engine for the methods that compare task states, which memory keeps."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from ...errors import InvalidInput, QueryTooLong
from ...retrieval.choosing import find_method
from ...retrieval.knobs import SettledKnobs
from ...retrieval.pool_view import LivePool, PoolView
from ...retrieval.task_prompt import PoolStates, TaskPrompt
from ...types import FloatArray, IntArray
from ...watcher import NOBODY, READING, Watcher
from ..plan.engine import Engine, StatesEngine

POOLS = 4
"""Pools whose states stay in memory beside the pages."""
BYTES = 1 << 30
"""Their size at most, unless one alone is larger: 65,000 texts of a model 4,096 wide."""


def kept_under(model: str, prompt: TaskPrompt, texts: Sequence[str]) -> Hashable:
    """The key of a pool's states in memory: the model's fingerprint, the prompt and the texts."""
    return model, prompt.fingerprint, tuple(texts)


class KeptStates:
    """The states of a few pools, for many threads; the least recently used one is dropped.

    Args:
        pools: How many at most; None is any number.
        size: Bytes that their states take together; None is any number. The last one stays
            whatever its size.
    """

    def __init__(self, pools: int | None = POOLS, size: int | None = BYTES) -> None:
        self._pools = pools
        self._size = size
        self._kept: OrderedDict[Hashable, PoolStates] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> PoolStates | None:
        """The states under the key; None where they are not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, states: PoolStates) -> None:
        """Keep the states under the key, and drop those that no longer fit beside them."""
        with self._lock:
            self._kept[key] = states
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self._too_many():
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._kept.clear()

    def _too_many(self) -> bool:
        taken = sum(each.states.nbytes for each in self._kept.values())
        return (self._pools is not None and len(self._kept) > self._pools) or (
            self._size is not None and taken > self._size
        )


FEW_LEFT_OUT = 0.05
"""Exemplars are dropped until at most this share of the texts does not fit after the others.

States are compared best after one and the same prefix, so a few long texts must not shorten it for
all; these have fewer exemplars before them.
"""
COUNTED = 64
"""Texts whose tokens are counted between two checks for cancellation."""


class StateReader:
    """Reads task states through an engine; it is a `retrieval.tasks.states.ReadStates`.

    Nothing is ever cut off: where a text does not fit, exemplars are dropped from the front, and
    where it does not even fit alone, it is passed over.

    Args:
        engine: The engine that reads.
        kept: Where the pools that were read are kept; None keeps all that this reader reads.
    """

    def __init__(self, engine: StatesEngine, kept: KeptStates | None = None) -> None:
        self._engine = engine
        self._kept = KeptStates(None, None) if kept is None else kept

    def of_pool(
        self, prompt: TaskPrompt, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> PoolStates:
        """See `ReadStates.of_pool`; progress counts distinct texts that are read."""
        key = kept_under(self._engine.fingerprint, prompt, texts)
        found = self._kept.get(key)
        if found is None:
            found = self._read_pool(prompt, texts, watcher)
            self._kept.put(key, found)
        return found

    def before_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> int:
        """How many exemplars precede the query; see `ReadStates.before_query`."""
        m = len(prompt.pairs)
        dropped = int(self._dropped(prompt, [query])[0])
        if dropped > m:
            raise QueryTooLong(
                f"The query {query[:60]!r} does not fit into the {self._engine.window:,} tokens "
                f"that {self._engine.name} reads, even without exemplars; shorten it, or choose a "
                "model with a larger window."
            )
        return min(pool.exemplars, m - dropped)

    def of_query(self, prompt: TaskPrompt, pool: PoolStates, query: str) -> FloatArray:
        """The query's state, shape (width,); see `ReadStates.of_query`."""
        prefix = prompt.prefix(len(prompt.pairs) - self.before_query(prompt, pool, query))
        state: FloatArray = self._engine.states(prefix, [prompt.task.text(query)])[0]
        return state

    def of_queries(
        self,
        prompt: TaskPrompt,
        pool: PoolStates,
        queries: Sequence[str],
        *,
        watcher: Watcher = NOBODY,
    ) -> dict[str, FloatArray]:
        """The state (width,) of each query, as `of_query` gives it; none for one that never fits.

        Those with equally many exemplars before them are read together. Progress counts the
        distinct queries that are read.

        Raises:
            InvalidInput: The model gives no states.
            Cancelled: The watcher asked to stop; what was read is kept.
        """
        distinct = list(dict.fromkeys(queries))
        least = len(prompt.pairs) - pool.exemplars
        dropped = np.maximum(self._dropped(prompt, distinct, watcher), least)
        rows = self._read(prompt, distinct, dropped, watcher)
        return {distinct[place]: row for place, row in rows.items()}

    def _read_pool(self, prompt: TaskPrompt, texts: Sequence[str], watcher: Watcher) -> PoolStates:
        distinct = list(dict.fromkeys(texts))
        row_of = {text: row for row, text in enumerate(distinct)}
        m = len(prompt.pairs)
        needed = self._dropped(prompt, distinct, watcher)
        least = _dropped_for_nearly_all(needed, m)
        dropped = np.maximum(needed, least)
        rows = self._read(prompt, distinct, dropped, watcher)
        width = next((len(row) for row in rows.values()), 0)
        of_text = np.array([row_of[text] for text in texts], dtype=np.int64)
        states = np.full((len(texts), width), np.nan, dtype=np.float32)
        for at, place in enumerate(of_text.tolist()):
            if place in rows:
                states[at] = rows[place]
        return PoolStates(
            states=states,
            exemplars=m - least,
            shortened=int(((dropped > least) & (dropped <= m))[of_text].sum()),
            skipped=tuple(np.flatnonzero((dropped > m)[of_text]).tolist()),
        )

    def _read(
        self, prompt: TaskPrompt, texts: Sequence[str], dropped: IntArray, watcher: Watcher
    ) -> dict[int, FloatArray]:
        """The state of each text after all but the first `dropped` exemplars, by its place.

        Where `dropped` is more than there are, the text is passed over.
        """
        m = len(prompt.pairs)
        rows: dict[int, FloatArray] = {}
        done, total = 0, int((dropped <= m).sum())
        for number in sorted({each for each in dropped.tolist() if each <= m}):
            places = np.flatnonzero(dropped == number).tolist()
            read = self._engine.states(
                prompt.prefix(number),
                [prompt.task.text(texts[place]) for place in places],
                watcher=_after(done, total, len(places), watcher),
            )
            rows |= dict(zip(places, read, strict=True))
            done += len(places)
        return rows

    def _dropped(
        self, prompt: TaskPrompt, texts: Sequence[str], watcher: Watcher = NOBODY
    ) -> IntArray:
        """For each text the fewest exemplars to drop until it fits, shape (n,).

        It is one more than all of them where the text never fits. All prefixes but the empty one
        end as the last exemplar does, so a text has as many tokens after it alone as after all.
        """
        count, m = self._engine.count_tokens, len(prompt.pairs)
        prefixes = [prompt.prefix(number) for number in range(m + 1)]
        sizes = [count(prefix) for prefix in prefixes]
        last = max(0, m - 1)
        dropped = np.empty(len(texts), dtype=np.int64)
        for place, x in enumerate(texts):
            if place % COUNTED == 0:
                watcher.checkpoint("The counting of tokens was stopped.")
            text = prompt.task.text(x)
            own = count(prefixes[last], text) - sizes[last]
            fitting = (n for n in range(m) if sizes[n] + own <= self._engine.window)
            found = next(fitting, m)
            # After no exemplar a text opens the prompt, and may have other tokens.
            never_fits = found == m and count(prefixes[m], text) > self._engine.window
            dropped[place] = m + 1 if never_fits else found
        return dropped


def prompts_to_read(view: PoolView, requests: Iterable[SettledKnobs]) -> set[str]:
    """The fingerprints of the prompts after which a pool is read; none where none is read.

    Raises:
        InvalidInput: A request compares task states, and the pool has no task.
    """
    return {
        reads(view, request).fingerprint
        for request in requests
        if (reads := find_method(request.method).reads) is not None
    }


def check_states(engine: Engine, requests: Iterable[SettledKnobs]) -> None:
    """Refuse requests that compare task states where the engine gives none.

    Raises:
        InvalidInput: There is such a request.
    """
    for request in requests:
        if find_method(request.method).reads is not None and not isinstance(engine, StatesEngine):
            raise InvalidInput(
                f"The method {request.method!r} compares a model's hidden states, which the engine "
                f"{engine.name!r} does not give; use a local model, or leave the method out."
            )


def read_pool(view: LivePool, requests: Iterable[SettledKnobs], watcher: Watcher) -> IntArray:
    """Read the pool for the requests that compare task states, before the first query.

    Args:
        view: The pool as arrays, with a model to ask.
        requests: All requests of a run.
        watcher: Gets the progress of the reading.

    Returns:
        The positions of the requests' exemplars, which are not evaluated on, ascending.
    """
    exemplars = set[int]()
    for request in requests:
        of_request, states = view.embedded_by(request.embed), view.services.states
        reads = find_method(request.method).reads
        if reads is None or states is None:
            continue
        watcher.on_phase(READING)
        prompt = reads(of_request, request)
        exemplars.update(prompt.indices)
        states.of_pool(prompt, of_request.queries, watcher=watcher.breathing())
    return np.array(sorted(exemplars), dtype=np.int64)


def _dropped_for_nearly_all(needed: IntArray, m: int) -> int:
    """How many exemplars must go until nearly all of the texts that can be read at all fit."""
    readable = np.sort(needed[needed <= m])
    if not len(readable):
        return m
    return int(readable[len(readable) - 1 - int(FEW_LEFT_OUT * len(readable))])


def _after(done: int, total: int, here: int, watcher: Watcher) -> Watcher:
    """Progress over all prefixes from that over one; what was known before counts as done."""

    def progressed(read: int, missing: int) -> None:
        watcher.on_progress(done + here - missing + read, total)

    return replace(watcher, on_progress=progressed)
