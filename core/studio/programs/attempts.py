"""What a bootstrap asked for, what became of each query, and keeping what came out right."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...demonstration.demonstration import Demonstration, Draft, EvaluationExample
from ...errors import InvalidInput
from ...metrics.overlap import exact_match
from ...programs.primitives.demonstrate import Attempt
from ...recorded import Recorded
from ...store import Change, Store
from ...text import same_text
from ..session.studio import Studio


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapSettings(Recorded):
    """What a bootstrap was asked for, as its run is recorded with.

    Attributes:
        pool: The pool whose demonstrations the program has.
        program: Its name.
        model: The language model's name.
        template: The name of the pool's prompt.
        shots: How many demonstrations the program has; None where that cannot be chosen.
        passages: The collection that is searched, if any.
        examples: The pool whose queries are tried; None for the pool's own, or those of a file.
        file: The file whose queries are tried, if any.
        annotate: How many demonstrations were wanted; None for as many as come out right.
        limit: How many queries are tried at most; None for all.
        seed: Of their order and of what the program draws.
        queries: How many queries there are to be tried.
        encoder: The encoder that was chosen; None for the bundled one.
    """

    pool: str
    program: str
    model: str
    template: str
    shots: int | None
    passages: str | None
    examples: str | None
    file: str | None
    annotate: int | None
    limit: int | None
    seed: int
    queries: int
    encoder: str | None = None

    @property
    def size(self) -> int:
        """How many queries it goes through."""
        return self.queries


@dataclass(frozen=True, slots=True)
class Tried(Recorded):
    """One query that was tried.

    Attributes:
        number: Its place among the queries of its run, from 0.
        example: The query with its correct and incorrect answers.
        attempt: What the program did with it, and why it was rejected if it was.
    """

    number: int
    example: EvaluationExample
    attempt: Attempt

    @property
    def query(self) -> str:
        """The query."""
        return self.example.query

    @property
    def kept(self) -> bool:
        """Whether it came out right, so that it can be kept as a demonstration."""
        return self.attempt.kept

    @property
    def reason(self) -> str:
        """Why it was rejected, in words; "kept" where it was not."""
        return "kept" if self.attempt.reason is None else self.attempt.reason.value

    @property
    def predicted(self) -> str:
        """What the program answered; "" where it came to no answer."""
        return "" if self.attempt.result is None else self.attempt.result.pred

    @property
    def rationale(self) -> str:
        """The steps that led to the answer, as the program wrote them; "" without any."""
        return "" if self.attempt.result is None else self.attempt.result.get("rationale")

    @property
    def passages(self) -> tuple[str, ...]:
        """The evidence that its last prompt showed, each as "title | text", equal ones once."""
        result = self.attempt.result
        if result is None:
            return ()
        return tuple(dict.fromkeys(each.shown.strip() for each in result.passages))

    @property
    def prompt(self) -> str:
        """The last prompt that the model was given; "" where it was not asked."""
        prompts = [step.prompt for step in self.attempt.step.walk() if step.prompt]
        return prompts[-1] if prompts else ""

    def demonstration(self, written_by: str) -> Draft:
        """The demonstration that it makes.

        Its answer is the accepted one that the prediction agrees with, as a person wrote it, and
        nothing else: rationale and passages are kept beside it. So it is retrieved, scored and
        compared as any other.

        Args:
            written_by: The program, model and run.

        Raises:
            InvalidInput: It did not come out right.
        """
        if not self.kept:
            raise InvalidInput(
                f"Attempt {self.number} was rejected ({self.reason}): only what came out right can "
                "be kept as a demonstration."
            )
        answers = self.example.answers
        answer = next(each for each in answers if exact_match(self.predicted, [each]))
        return Draft(
            self.example.query,
            answer,
            self.example.incorrect,
            rationale=self.rationale,
            passages_shown=self.passages,
            written_by=written_by,
        )


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A run of a bootstrap as far as it has come.

    Attributes:
        run: Its number.
        settings: What was asked for.
        tried: The queries tried so far, in their order.
        finished: Whether all were tried, or as many came out right as were wanted.
    """

    run: int
    settings: BootstrapSettings
    tried: tuple[Tried, ...]
    finished: bool

    @property
    def right(self) -> tuple[Tried, ...]:
        """Those that came out right."""
        return tuple(each for each in self.tried if each.kept)

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many there are of each outcome: "kept" and the reasons, the most frequent first."""
        return dict(Counter(each.reason for each in self.tried).most_common())

    @property
    def written_by(self) -> str:
        """The program, the model and the run, as a demonstration that is kept names them."""
        passages = f", passages {self.settings.passages}" if self.settings.passages else ""
        return f"{self.settings.program} with {self.settings.model}{passages}, run {self.run}"


@dataclass(frozen=True, slots=True)
class KeptAttempts:
    """What keeping did.

    Attributes:
        pool: The pool's name.
        added: The ids of the demonstrations that are new in it.
        completed: The ids of those that were there without rationale and passages, and got them.
        there: How many were there and stay as they are.
    """

    pool: str
    added: tuple[int, ...]
    completed: tuple[int, ...]
    there: int


def keep(
    studio: Studio,
    found: Bootstrap,
    numbers: Collection[int] | None = None,
    to: str | None = None,
    *,
    who: str = "you",
) -> KeptAttempts:
    """Put attempts that came out right into a pool, which the pool's history can undo.

    What the pool has already, query and answer, is not added again: where that demonstration has
    neither rationale nor passages and names no program, it gets those of the attempt, if there are
    any.

    Args:
        studio: The open workspace.
        found: The run.
        numbers: Those of the attempts; None keeps all that came out right.
        to: The pool's name, made where there is none; None for the pool of the run.
        who: The name in the history.

    Raises:
        InvalidInput: A number is that of no attempt or of a rejected one, or there is none to keep.
    """
    by_number = {each.number: each for each in found.tried}
    chosen = sorted({each.number for each in found.right} if numbers is None else set(numbers))
    unknown = [number for number in chosen if number not in by_number]
    if unknown or not chosen:
        what = f"has no attempt {unknown[0]}" if unknown else "has nothing that came out right"
        raise InvalidInput(f"Run {found.run} {what}: choose among the attempts that are listed.")
    drafts = [by_number[number].demonstration(found.written_by) for number in chosen]
    what = f"bootstrap: run {found.run}"
    pool, added = studio.store.demonstrations.add_to_named(
        to or found.settings.pool, drafts, who=who, what=what
    )
    changes = list(_completing(studio.store, pool.id, drafts, set(added.ids)))
    if changes:
        studio.store.demonstrations.change(changes, who=who, what=what)
    completed = tuple(change.id for change in changes)
    there = len(drafts) - len(added.ids) - len(completed)
    return KeptAttempts(pool.name, tuple(added.ids), completed, there)


def _completing(
    store: Store, pool_id: int, drafts: Sequence[Draft], added: Collection[int]
) -> list[Change]:
    """What the pool's own demonstrations, of the same query and answer, get from the drafts."""
    there = {
        _pair(row): row
        for row in store.demonstrations.all(pool_id)
        if row.id not in added and not (row.rationale or row.passages_shown or row.written_by)
    }
    changes = {}
    for draft in drafts:
        row = there.get(_pair(draft))
        if row is not None and (draft.rationale or draft.passages_shown):
            changes[row.id] = Change(
                row.id,
                row.revision,
                rationale=draft.rationale,
                passages_shown=draft.passages_shown,
                written_by=draft.written_by,
            )
    return list(changes.values())


def _pair(one: Draft | Demonstration) -> tuple[str, str]:
    return same_text(one.query), same_text(one.answer)
