"""Requests to a server: many at once, sent again where that helps, and given up at any moment."""

import asyncio
import os
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ...errors import Cancelled, InvalidInput
from ...watcher import NOBODY, Watcher
from .address import NO_KEY, Address
from .failures import Patience, asked_pause, failures, is_passing

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")
Show: TypeAlias = Callable[[str], None]
"""Called with a text that is being written, as far as it is."""
Work: TypeAlias = Callable[[Show], Coroutine[Any, Any, T]]

TIMEOUT = 120.0
"""Seconds without a byte of an answer after which a request is given up and sent again."""
CONNECT = 5.0
LOOK = 0.05
"""Seconds between two looks at whether somebody cancelled."""


@dataclass(frozen=True, slots=True)
class PlacedResult(Generic[T]):
    """The result of the work at this place."""

    place: int
    result: T


@dataclass(frozen=True, slots=True)
class PartialText:
    """The text of the work at this place, as far as it is written."""

    place: int
    text: str


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


class Connection:
    """Asks one server.

    The requests run on a thread of their own, the same for all servers; whoever waits for them
    looks meanwhile whether to stop, so that a request that hangs keeps nobody.

    Args:
        address: The server's.
        patience: When a request is sent again; None is the usual. The library's own rules for it
            know neither a stream that is cut off nor an answer that is no JSON.
        timeout: Seconds without a byte after which a request is given up.
    """

    def __init__(
        self, address: Address, *, patience: Patience | None = None, timeout: float = TIMEOUT
    ) -> None:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        # By itself the library takes a proxy even to this machine, and reads all that are named.
        http = DefaultAsyncHttpxClient(
            proxy=address.proxy.url if address.proxy else None,
            trust_env=False,
            verify=_trusted(address.url),
        )
        self.address = address
        self._patience = patience or Patience()
        self._room = asyncio.Semaphore(address.at_once)
        self._client = AsyncOpenAI(
            base_url=address.url,
            api_key=address.key or NO_KEY,
            max_retries=0,
            timeout=httpx2.Timeout(timeout, connect=min(CONNECT, timeout)),
            http_client=http,
        )

    async def ask(
        self,
        request: "Callable[[AsyncOpenAI], Awaitable[T]]",
        *,
        may_pass: Callable[[Exception], bool] = is_passing,
    ) -> T:
        """The answer to a request, which is sent again after failures that may pass.

        Raises:
            Exception: One of `failures`, that of the last try.
        """
        tried = 0
        while True:
            tried += 1
            try:
                async with self._room:
                    return await request(self._client)
            except failures() as error:
                pause = self._patience.pause(tried, asked_pause(error))
                if pause is None or not may_pass(error):
                    raise
            await asyncio.sleep(pause)

    def each(
        self, works: Sequence[Work[T]], *, watcher: Watcher = NOBODY
    ) -> Iterator[PlacedResult[T] | PartialText]:
        """The results as they arrive, in any order, and the texts that are being written.

        When one fails or somebody cancels, those that have arrived still come first; the others
        are given up at once, as they are when the iterator is closed.

        Raises:
            Exception: One of `failures`, from the first work that failed.
            Cancelled: The watcher asked to stop.
        """
        events: SimpleQueue[PlacedResult[T] | PartialText | _Failure] = SimpleQueue()
        running = asyncio.run_coroutine_threadsafe(_all(works, events), _loop())
        try:
            left = len(works)
            while left:
                if watcher.cancelled():
                    yield from _arrived(events)
                    raise Cancelled("The server was not waited for; what it answered is kept.")
                try:
                    event = events.get(timeout=LOOK)
                except Empty:
                    continue
                if isinstance(event, _Failure):
                    yield from _arrived(events)
                    raise event.error
                left -= isinstance(event, PlacedResult)
                yield event
        finally:
            running.cancel()

    def one(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of one work, waited for.

        Raises:
            Exception: One of `failures`.
        """
        return asyncio.run_coroutine_threadsafe(work, _loop()).result()


async def _all(
    works: Sequence[Work[T]], events: "SimpleQueue[PlacedResult[T] | PartialText | _Failure]"
) -> None:
    async def run(place: int, work: Work[T]) -> None:
        try:
            result = await work(lambda text: events.put(PartialText(place, text)))
        except Exception as error:  # whatever it was, who waits for the results must learn of it
            events.put(_Failure(error))
            raise
        events.put(PlacedResult(place, result))

    tasks = [asyncio.create_task(run(place, work)) for place, work in enumerate(works)]
    try:
        if tasks:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        # What failed is among the events, and whoever waits for them raises it.
        await asyncio.gather(*tasks, return_exceptions=True)


def _arrived(
    events: "SimpleQueue[PlacedResult[T] | PartialText | _Failure]",
) -> Iterator[PlacedResult[T]]:
    """The results that are there already."""
    while True:
        try:
            event = events.get_nowait()
        except Empty:
            return
        if isinstance(event, PlacedResult):
            yield event


def _trusted(url: str) -> ssl.SSLContext:
    """Whose certificates are trusted.

    Raises:
        InvalidInput: What the environment names for it cannot be read, and it is needed.
    """
    names = ("SSL_CERT_FILE", "SSL_CERT_DIR") if url.startswith("https:") else ()
    return _read_certificates(tuple(os.environ.get(name, "") for name in names))


@cache
def _read_certificates(named: tuple[str, ...]) -> ssl.SSLContext:
    """Those of files and folders that the environment names, else the system's; takes 0.1 s."""
    import httpx2

    try:
        return httpx2.create_ssl_context(trust_env=bool(named))
    except OSError as error:
        where = " and ".join(filter(None, named))
        raise InvalidInput(
            f"The certificates that SSL_CERT_FILE or SSL_CERT_DIR name ({where}) cannot be read: "
            f"{error.strerror or error}; name a file of certificates that is there, or none."
        ) from error


_starting = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    """The loop on which all requests run, on a thread that ends with the process."""
    with _starting:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(
                target=_loops[0].run_forever, name="shotlist-servers", daemon=True
            ).start()
        return _loops[0]
