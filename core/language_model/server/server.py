"""A language model behind a server that speaks the OpenAI protocol, and reaching it."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ...errors import InvalidInput
from ...generation import Generation, GenerationRequest, thoughts_in
from ...types import AnswerRequest, FloatArray, LogProb
from ...watcher import NOBODY, Watcher
from ..base import Abilities, OnText, check_scores
from .address import PREFIX, Address, find_address
from .asking import CHAT, Endpoint, WritingRequest, check_whole, is_message
from .connection import TIMEOUT, Connection, PartialText, PlacedResult, Show, Work
from .failures import Patience, failures, refusal
from .probing import (
    WINDOW,
    Capabilities,
    Catalogue,
    fingerprint_of,
    listed,
    probe,
    write_in_its_dialect,
)
from .results import (
    TokenLogProbs,
    answer_of,
    cut,
    first_of_answer,
    generation_of,
    is_same_model,
    read_echo,
)
from .written import WrittenText

if TYPE_CHECKING:
    from openai import AsyncOpenAI


T = TypeVar("T")
REMEMBERED = 4096
"""Pairs of prompt and answer whose tokens' texts are kept in memory."""


class ServerLanguageModel:
    """A `LanguageModel` behind a server, as far as the server can be one.

    It scores where the server gives log-probabilities of a prompt (see `echo`), and never gives
    hidden states. It is an `AnswersOneByOne`: what was answered before a failure or a stop is not
    lost. A tokenizer is not here, so `fits` goes by an estimate that is rather too high, and what
    the server refuses for its length is an `InvalidInput`.

    Args:
        name: The model's name on the server.
        connection: To the server.
        found: What the server can do.
    """

    dtype = "unknown type"
    chat_format = CHAT

    def __init__(self, name: str, connection: Connection, found: Capabilities) -> None:
        about = found.catalogue.of(name)
        self.name = f"{PREFIX}{name}"
        self.device = connection.address.host
        self.at_once = connection.address.at_once
        self.window = about.window or WINDOW
        self._window = about.window
        self.parameters = about.parameters
        self.fingerprint = fingerprint_of(
            connection.address.shown, name, found.endpoint.value, about, found.other_model
        )
        self.abilities = Abilities(
            scores=found.why_not is None,
            states=False,
            counts=False,
            why_not=found.why_not or "",
            answered_by=found.other_model,
        )
        self._model = name
        self._connection = connection
        self._found = found
        self._pieces: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._dialect = found.dialect

    def scored(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> Iterator[tuple[int, int, LogProb]]:
        """(request, answer, log-probability) as they arrive; see `AnswersOneByOne`."""
        check_scores(self.name, self.abilities)
        pairs: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for place, request in enumerate(requests):
            if is_message(request.prompt):
                raise InvalidInput(
                    f"The model {self.name!r} scores no answers in its chat format, which only the "
                    "server knows; choose another template than chat."
                )
            for number, answer in enumerate(request.answers):
                if not answer:
                    raise InvalidInput("The answer '' has no tokens, so it has no probability.")
                check_whole(request.prompt + answer)
                pairs.setdefault((request.prompt, answer), []).append((place, number))
        lengths: dict[str, int] = {}
        works: list[Work[LogProb]] = [
            partial(self._score, prompt, answer, lengths) for prompt, answer in pairs
        ]
        places = list(pairs.values())
        for event in self._events(works, watcher):
            if isinstance(event, PlacedResult):
                for place, number in places[event.place]:
                    yield place, number, event.result

    def log_probs(
        self, requests: Sequence[AnswerRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[LogProb]]:
        """See `LanguageModel.log_probs`; progress counts pairs as they arrive."""
        total = len({(each.prompt, answer) for each in requests for answer in each.answers})
        found: dict[tuple[int, int], LogProb] = {}
        seen: set[tuple[str, str]] = set()
        for place, number, log_prob in self.scored(requests, watcher=watcher):
            found[place, number] = log_prob
            pair = (requests[place].prompt, requests[place].answers[number])
            if pair not in seen:
                seen.add(pair)
                watcher.on_progress(len(seen), total)
        return [
            [found[place, number] for number in range(len(request.answers))]
            for place, request in enumerate(requests)
        ]

    def written(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> Iterator[tuple[int, int, Generation]]:
        """(request, number, text) as they arrive; see `AnswersOneByOne`."""
        tasks: dict[tuple[GenerationRequest, int], list[tuple[int, int]]] = {}
        for place, request in enumerate(requests):
            check_whole(request.prompt)
            one = replace(request, n=1)
            for number in range(request.n):
                key = (one, 0 if request.greedy else number)
                tasks.setdefault(key, []).append((place, number))
        asked, places = list(tasks), list(tasks.values())
        works: list[Work[WrittenText]] = [
            partial(self._write, request, number, on_text is not None) for request, number in asked
        ]
        done, total = 0, sum(request.max_new_tokens for request, _ in asked)
        for event in self._events(works, watcher):
            request, number = asked[event.place]
            if isinstance(event, PartialText):
                if on_text is not None:
                    on_text(request.prompt, number, _answer_so_far(event.text, request.stop))
                continue
            text = generation_of(request, event.result, self._model)
            if on_text is not None:
                on_text(request.prompt, number, text.text)
            done += request.max_new_tokens
            watcher.on_progress(done, total)
            for place, of_request in places[event.place]:
                yield place, of_request, text

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_text: OnText | None = None,
        watcher: Watcher = NOBODY,
    ) -> list[list[Generation]]:
        """See `LanguageModel.generate`; progress counts whole texts by the most tokens of each.

        A server counts no tokens while it writes. `END` stands for a stop text as well where the
        server does not name it.
        """
        found = {
            (place, number): text
            for place, number, text in self.written(requests, on_text=on_text, watcher=watcher)
        }
        return [
            [found[place, number] for number in range(request.n)]
            for place, request in enumerate(requests)
        ]

    def states(self, prefix: str, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> FloatArray:
        """Always raises `InvalidInput`: the protocol has no hidden states."""
        raise InvalidInput(
            f"The model {self.name!r} is behind a server, which gives no hidden states; name a "
            "local model."
        )

    def count_tokens(self, prompt: str, answer: str = "") -> int:
        """About how many tokens they have, rather too many: one for every two bytes of UTF-8.

        English text has four letters a token and Chinese a token a letter, which has three bytes;
        digits can be a token each.
        """
        return -(-_bytes(prompt + answer) // 2)

    def fits(self, prompt: str, answers: Sequence[str]) -> bool:
        """Whether they fit by `count_tokens`; asks nothing of the server."""
        return self.count_tokens(prompt, max(answers, key=_bytes, default="")) <= self.window

    def without_tokens(self, prompt: str, answers: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers that are empty; every other text is taken to have tokens."""
        return tuple(answer for answer in answers if not answer)

    def pieces(self, prompt: str, answer: str) -> tuple[str, ...]:
        """The texts of the answer's tokens, where it was scored lately; else none."""
        return self._pieces.get((prompt, answer), ())

    async def _score(
        self, prompt: str, answer: str, lengths: dict[str, int], show: Show
    ) -> LogProb:
        echoed = await self._echo(prompt + answer)
        first = first_of_answer(echoed, prompt, answer)
        if first is None:
            if prompt not in lengths:
                lengths[prompt] = len((await self._echo(prompt)).pieces) if prompt else 0
            first = lengths[prompt]
        found = answer_of(echoed, first, answer, self.name)
        self._pieces[prompt, answer] = echoed.pieces[first:]
        if len(self._pieces) > REMEMBERED:
            self._pieces.popitem(last=False)
        return found

    async def _echo(self, text: str) -> TokenLogProbs:
        from openai.types import Completion

        way = self._found.way
        assert way is not None
        body = way.to_json(self._model, text)

        async def ask(client: "AsyncOpenAI") -> tuple[TokenLogProbs, str]:
            answer: Completion = await client.post("/completions", cast_to=Completion, body=body)
            return read_echo(way, answer), str(answer.model or "")

        found, by = await self._connection.ask(ask)
        before = self._found.other_model or self._model
        if not is_same_model(before, by):
            raise InvalidInput(
                f"The server at {self._connection.address.shown} answers as {by!r} now, and "
                f"answered as {before!r} before: the log-probabilities of two models say nothing "
                "together; have the server run one model, and start again."
            )
        return found

    async def _write(
        self, request: GenerationRequest, number: int, stream: bool, show: Show
    ) -> WrittenText:
        endpoint = Endpoint.CHAT if is_message(request.prompt) else self._found.endpoint
        asked = WritingRequest(
            model=self._model,
            request=request,
            number=number,
            endpoint=endpoint,
            dialect=self._dialect,
            stream=stream,
        )
        written, dialect = await write_in_its_dialect(self._connection, asked, show)
        if dialect != asked.dialect:
            self._dialect = dialect
        return written

    def _events(
        self, works: Sequence[Work[T]], watcher: Watcher
    ) -> Iterator[PlacedResult[T] | PartialText]:
        """What the connection gives; what a request ends with becomes a sentence for people.

        The library's error is neither its cause nor its context: it knows the request's headers,
        and so the key.
        """
        try:
            yield from self._connection.each(works, watcher=watcher)
            return
        except failures() as error:
            known = self._found.catalogue.names
            where, window = self._connection.address, self._window
            refused = refusal(error, where, self._model, known=known, window=window)
        raise refused


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _answer_so_far(text: str, stop: Sequence[str]) -> str:
    """What is written of the answer, after the thoughts and before a stop text."""
    return cut(text[thoughts_in(text).answer_at :], stop)[0]


def load_server(
    name: str,
    *,
    address: Address | None = None,
    patience: Patience | None = None,
    timeout: float = TIMEOUT,
) -> ServerLanguageModel:
    """The model with this name on a server, ready to be asked.

    Args:
        name: As the server calls it, without `openai:`.
        address: The server's; None is what the environment names.
        patience: When a request is sent again; None is the usual.
        timeout: Seconds without a byte after which a request is given up.

    Raises:
        InvalidInput: No name, no base URL, no server there, a wrong key, no such model, or the
            package to ask with is missing.
    """
    if not name.strip():
        raise InvalidInput(
            f"After {PREFIX} comes the model's name on the server, such as {PREFIX}llama3."
        )
    where = address or find_address()
    try:
        connection = Connection(where, patience=patience, timeout=timeout)
    except ImportError as error:
        raise InvalidInput(
            "A model behind a server needs the package openai, which is not here or too old "
            f"({error}); run pip install -r requirements.txt and start again."
        ) from error
    catalogue = Catalogue()
    try:
        catalogue = connection.one(listed(connection))
        found = connection.one(probe(connection, name, catalogue))
    except failures() as error:
        # Not raised here: the library's error knows the request, and so the key.
        refused = refusal(error, where, name, known=catalogue.names)
    else:
        return ServerLanguageModel(name, connection, found)
    raise refused
