"""What a program did, as a tree of steps: recorded, kept as JSON, shown, and run again from it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from time import perf_counter

from ..errors import NotComputed
from ..generation import Generation, GenerationRequest
from ..recorded import Recorded
from ..text import short
from ..watcher import NOBODY, Watcher
from .example import Passage, ScoredPassage
from .prompting import Completion, LeftOut, TemplatePart


@dataclass(frozen=True, slots=True)
class Call:
    """What the model was asked and what it wrote; `tokens` is how many the prompt has."""

    request: GenerationRequest
    tokens: int
    generations: tuple[Generation, ...]


class SearchKind(StrEnum):
    """How passages got their scores."""

    RETRIEVE = "retrieve"
    """The retriever found them for a query."""
    FUSE = "fuse"
    """They come from the lists of several queries, which are the steps below."""
    RANK = "rank"
    """They were given, and the retriever scored them."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a retriever was asked and what it found.

    Attributes:
        kind: How.
        queries: One, or those that were fused.
        found: The passages with their scores: the best first, of `rank` in the order given.
        k: How many passages were asked for, of `rank` how many were given.
    """

    kind: SearchKind
    queries: tuple[str, ...]
    found: tuple[ScoredPassage, ...]
    k: int


@dataclass(frozen=True, slots=True)
class Step(Recorded):
    """One step of a run, with the steps that it was made of.

    Attributes:
        stage: What it is called.
        parts: What the parts of its prompt are.
        calls: What the model was asked: the prompt, then continuations of a text that ended early.
        completions: Those that count, as fields.
        dropped: Those that lack a field or a proper end which another has.
        search: What was searched for.
        left_out: What the prompt had no room for.
        note: Why it ended as it did, where that is worth a word.
        seconds: How long it took, with the steps below; two runs that did the same are equal
            whatever it says.
        children: The steps below it, in their order.
    """

    stage: str
    parts: tuple[TemplatePart, ...] = ()
    calls: tuple[Call, ...] = ()
    _: KW_ONLY
    completions: tuple[Completion, ...] = ()
    dropped: tuple[Completion, ...] = ()
    search: Search | None = None
    left_out: LeftOut = LeftOut()
    note: str = ""
    seconds: float = field(default=0.0, compare=False)
    children: "tuple[Step, ...]" = ()

    @property
    def prompt(self) -> str:
        """The prompt that the model was given; "" where it was not asked."""
        return self.calls[0].request.prompt if self.calls else ""

    def walk(self) -> Iterator["Step"]:
        """The step and all below it, each before those below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def tokens_read(self) -> int:
        """The tokens of all prompts, this step's and those below; each prompt counts once."""
        return sum(call.tokens for step in self.walk() for call in step.calls)

    @property
    def tokens_written(self) -> int:
        """The tokens of all texts written, likewise; equal greedy texts count once."""
        return sum(
            len(text.tokens)
            for step in self.walk()
            for call in step.calls
            for text in call.generations[: 1 if call.request.greedy else None]
        )

    def outline(self, indent: str = "") -> str:
        """The tree as lines of text, prompts and completions cut short; equal ones are counted."""
        lines = [f"{indent}{self.stage}{f': {self.note}' if self.note else ''}"]
        within = indent + "  "
        if self.calls:
            lines.append(
                f"{within}prompt, {self.calls[0].tokens:,} tokens: ...{self.prompt[-40:]!r}"
            )
        if self.left_out:
            lines.append(f"{within}left out: {self.left_out}")
        written = (tuple(completion.fields.items()) for completion in self.completions)
        lines += [
            f"{within}{_times(count)}{name}: {short(text)}"
            for fields, count in Counter(written).items()
            for name, text in fields
        ]
        if self.search is not None:
            lines += [
                f"{within}{_times(count)}query: {short(query)}"
                for query, count in Counter(self.search.queries).items()
            ]
            lines += [
                f"{within}{each.score:.3f} {short(each.passage.shown)}"
                for each in self.search.found
            ]
        return "\n".join([*lines, *(child.outline(within) for child in self.children)])


def _times(count: int) -> str:
    return f"{count:,} x " if count > 1 else ""


@dataclass(slots=True)
class OpenStep:
    """What is known of a step only while it is made."""

    note: str = ""
    search: Search | None = None


class Trace:
    """Records steps as a tree, in the order in which they happen; for one thread.

    Args:
        clock: Gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._open: list[list[Step]] = [[]]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps at the top that are closed."""
        return tuple(self._open[0])

    @property
    def last(self) -> Step:
        """The last step that is closed, below the one that is open.

        Raises:
            IndexError: There is none.
        """
        return self._open[-1][-1]

    def add(self, step: Step) -> None:
        """Add a whole step below the one that is open."""
        self._open[-1].append(step)

    def now(self) -> float:
        """The seconds of its clock."""
        return self._clock()

    @contextmanager
    def step(self, stage: str) -> Iterator[OpenStep]:
        """Everything recorded inside is below this step, which is kept also where that fails.

        Where an exception passes, the note is its name and sentence.
        """
        begun, opened = self._clock(), OpenStep()
        self._open.append([])
        try:
            yield opened
        except BaseException as error:
            opened.note = f"{type(error).__name__}: {error}"
            raise
        finally:
            children = tuple(self._open.pop())
            self.add(
                Step(
                    stage,
                    search=opened.search,
                    note=opened.note,
                    seconds=self._clock() - begun,
                    children=children,
                )
            )


class Replay:
    """Answers from steps that were recorded; it is both `Generates` and `Retrieves`.

    A prompt's tokens are those recorded. Where something was left out, longer prompts were tried
    that no step has: a prompt that is not recorded counts as one that does not fit.

    Args:
        steps: Trees of steps.

    Raises from its methods:
        NotComputed: What is asked is in no step.
    """

    window = 2**31
    """More than any prompt has, so that recorded prompts fit."""

    def __init__(self, steps: Sequence[Step]) -> None:
        every = [step for tree in steps for step in tree.walk()]
        calls = [call for step in every for call in step.calls]
        self._texts = {call.request: call.generations for call in calls}
        self._tokens = {call.request.prompt: call.tokens for call in calls}
        self._shortened = any(step.left_out for step in every)
        searches = [step.search for step in every if step.search is not None]
        self._found = {
            (each.queries[0], each.k): each.found
            for each in searches
            if each.kind is SearchKind.RETRIEVE
        }
        self._scores = {
            (each.queries[0], found.passage): found.score
            for each in searches
            if each.kind is SearchKind.RANK
            for found in each.found
        }

    def count_tokens(self, prompt: str) -> int:
        """The prompt's tokens as recorded."""
        if prompt not in self._tokens and not self._shortened:
            raise NotComputed(f"No recorded step has the prompt that ends in {prompt[-40:]!r}.")
        return self._tokens.get(prompt, self.window + 1)

    def generate(
        self, requests: Sequence[GenerationRequest], *, watcher: Watcher = NOBODY
    ) -> list[list[Generation]]:
        """The recorded texts of each request."""
        for request in requests:
            if request not in self._texts:
                raise NotComputed(
                    f"No recorded step was asked to continue {request.prompt[-40:]!r} like this."
                )
        return [list(self._texts[request]) for request in requests]

    def search(self, query: str, k: int) -> Sequence[ScoredPassage]:
        """The recorded passages for the query."""
        if (query, k) not in self._found:
            raise NotComputed(f"No recorded step searched for {k} passages for {query!r}.")
        return self._found[query, k]

    def scores(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """The recorded scores of the passages."""
        missing = [each.id for each in passages if (query, each) not in self._scores]
        if missing:
            raise NotComputed(f"No recorded step scored passage {missing[0]} for {query!r}.")
        return [self._scores[query, each] for each in passages]
