"""What a program did, as a tree of steps: recorded while it runs, kept as JSON, shown as text."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import perf_counter

from ..generation import Generation, GenerationRequest
from ..recorded import Recorded
from ..text import short
from .example import Found
from .prompting import Completion, LeftOut, Part


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
    found: tuple[Found, ...]
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
    parts: tuple[Part, ...] = ()
    calls: tuple[Call, ...] = ()
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
class Opened:
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
    def step(self, stage: str) -> Iterator[Opened]:
        """Everything recorded inside is below this step, which is kept also where that fails.

        Where an exception passes, the note is its name and sentence.
        """
        begun, opened = self._clock(), Opened()
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


def without_times(step: Step) -> Step:
    """The same tree with every time at 0, so that the JSON of equal runs is equal too."""
    return replace(step, seconds=0.0, children=tuple(map(without_times, step.children)))
