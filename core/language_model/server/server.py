"""A language model behind a server that speaks the OpenAI protocol."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ...errors import InvalidInput
from ...generation import EndedBy, Generation, GenerationRequest
from ...types import AnswerRequest, FloatArray, IsCancelled, LogProb, OnProgress
from ..abilities import Abilities, check_scores
from ..base import OnText
from .about import WINDOW, fingerprint_of
from .address import PREFIX
from .asking import CHAT, Answered, Asked, Endpoint, check_whole, is_message, write
from .connection import Arrived, Connection, Growing, Show, Work
from .echo import Echoed, answer_of, first_of_answer, read_echo
from .failures import failures, refusal, status_of, words_of
from .probing import Found

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

    def __init__(self, name: str, connection: Connection, found: Found) -> None:
        about = found.catalogue.of(name)
        self.name = f"{PREFIX}{name}"
        self.device = connection.address.host
        self.at_once = connection.address.at_once
        self.window = about.window or WINDOW
        self._window = about.window
        self.parameters = about.parameters
        self.fingerprint = fingerprint_of(
            connection.address.shown, name, found.endpoint.value, about
        )
        scores = found.way is not None
        self.abilities = Abilities(
            scores=scores,
            states=False,
            counts=False,
            why_not="" if scores else "the server gives no log-probabilities of the prompt",
        )
        self._model = name
        self._connection = connection
        self._found = found
        self._pieces: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._gives_log_probs = True

    def scored(
        self, requests: Sequence[AnswerRequest], *, cancelled: IsCancelled | None = None
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
        for event in self._events(works, cancelled):
            if isinstance(event, Arrived):
                for place, number in places[event.place]:
                    yield place, number, event.result

    def log_probs(
        self,
        requests: Sequence[AnswerRequest],
        *,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> list[list[LogProb]]:
        """Log-probabilities of every answer, in the order of the requests and of their answers.

        See `LanguageModel.log_probs`; `on_progress` counts pairs as they arrive.
        """
        total = len({(each.prompt, answer) for each in requests for answer in each.answers})
        found: dict[tuple[int, int], LogProb] = {}
        seen: set[tuple[str, str]] = set()
        for place, number, log_prob in self.scored(requests, cancelled=cancelled):
            found[place, number] = log_prob
            pair = (requests[place].prompt, requests[place].answers[number])
            if pair not in seen:
                seen.add(pair)
                if on_progress is not None:
                    on_progress(len(seen), total)
        return [
            [found[place, number] for number in range(len(request.answers))]
            for place, request in enumerate(requests)
        ]

    def written(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_progress: OnProgress | None = None,
        on_text: OnText | None = None,
        cancelled: IsCancelled | None = None,
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
        works: list[Work[Answered]] = [
            partial(self._write, request, number, on_text is not None) for request, number in asked
        ]
        done, total = 0, sum(request.max_new_tokens for request, _ in asked)
        for event in self._events(works, cancelled):
            request, number = asked[event.place]
            if isinstance(event, Growing):
                if on_text is not None:
                    on_text(request.prompt, number, _cut(event.text, request.stop)[0])
                continue
            text = self._generation(request, event.result)
            if on_text is not None:
                on_text(request.prompt, number, text.text)
            done += request.max_new_tokens
            if on_progress is not None:
                on_progress(done, total)
            for place, of_request in places[event.place]:
                yield place, of_request, text

    def generate(
        self,
        requests: Sequence[GenerationRequest],
        *,
        on_progress: OnProgress | None = None,
        on_text: OnText | None = None,
        cancelled: IsCancelled | None = None,
    ) -> list[list[Generation]]:
        """The n texts of every request, in the order of the requests.

        See `LanguageModel.generate`. A server counts no tokens while it writes, so `on_progress`
        counts whole texts by the most tokens that they can have. `END` stands for a stop text as
        well where the server does not name it.
        """
        found = {
            (place, number): text
            for place, number, text in self.written(
                requests, on_progress=on_progress, on_text=on_text, cancelled=cancelled
            )
        }
        return [
            [found[place, number] for number in range(request.n)]
            for place, request in enumerate(requests)
        ]

    def states(
        self,
        prefix: str,
        texts: Sequence[str],
        *,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> FloatArray:
        """Nothing: the protocol has no hidden states.

        Raises:
            InvalidInput: Always.
        """
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

    async def _echo(self, text: str) -> Echoed:
        from openai.types import Completion

        way = self._found.way
        assert way is not None
        body = way.to_json(self._model, text)

        async def ask(client: "AsyncOpenAI") -> Echoed:
            answer: Completion = await client.post("/completions", cast_to=Completion, body=body)
            return read_echo(way, answer)

        return await self._connection.ask(ask)

    async def _write(
        self, request: GenerationRequest, number: int, stream: bool, show: Show
    ) -> Answered:
        endpoint = Endpoint.CHAT if is_message(request.prompt) else self._found.endpoint
        asked = Asked(self._model, request, number, endpoint, self._gives_log_probs, stream)
        try:
            return await self._connection.ask(lambda client: write(client, asked, show))
        except failures() as error:
            refused = status_of(error) in (400, 422) and "logprobs" in words_of(error)
            if not (asked.log_probs and refused):
                raise
        self._gives_log_probs = False
        return await self._write(request, number, stream, show)

    def _generation(self, request: GenerationRequest, answered: Answered) -> Generation:
        text, stopped = _cut(answered.text, request.stop)
        log_probs = answered.log_probs
        if stopped:
            ended = EndedBy.STOP
            log_probs = log_probs[: _tokens_up_to(len(text), answered.pieces)]
        elif answered.finish == "length":
            short = (answered.tokens or request.max_new_tokens) < request.max_new_tokens
            ended = EndedBy.WINDOW if short else EndedBy.LENGTH
        else:
            ended = EndedBy.STOP if answered.stopped_at is not None else EndedBy.END
        return Generation(text, (), log_probs, ended)

    def _events(
        self, works: Sequence[Work[T]], cancelled: IsCancelled | None
    ) -> Iterator[Arrived[T] | Growing]:
        """What the connection gives; what a request ends with becomes a sentence for people.

        The library's error is neither its cause nor its context: it knows the request's headers,
        and so the key.
        """
        try:
            yield from self._connection.each(works, cancelled=cancelled)
            return
        except failures() as error:
            known = self._found.catalogue.names
            where, window = self._connection.address, self._window
            refused = refusal(error, where, self._model, known=known, window=window)
        raise refused


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _cut(text: str, stop: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop text, and whether there is one.

    A character whose last tokens are not written is left out, as the local model leaves it out.
    """
    text = text.rstrip("\ufffd")
    places = [place for place in map(text.find, stop) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)


def _tokens_up_to(length: int, pieces: Sequence[str]) -> int:
    """How many tokens begin before so many letters."""
    begun, at = 0, 0
    for piece in pieces:
        if at >= length:
            break
        begun, at = begun + 1, at + len(piece)
    return begun
