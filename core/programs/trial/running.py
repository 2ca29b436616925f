"""The rows of a trial, and running their programs: each record is handed out at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...errors import Cancelled, InvalidInput, NotComputed
from ...settings import PROGRAM_KNOBS
from ...text import listed
from ...watcher import NOBODY, Watcher
from ..example import Example, Turn
from ..paper import CATALOGUE, CatalogueEntry, offered
from ..primitives import Annotations, all_but
from ..run import Run
from ..steps import Trace
from .drawing import Share
from .records import UNSCORED, Answer, Demonstrated, cost_of, scored


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A program with its knobs, under a name that no other row of a trial has.

    Attributes:
        name: Such as `multi-hop`, or `multi-hop without fusion`.
        program: What is run.
        knobs: The value of every knob of the program.
        without: The part that is left out; "" where none is.
    """

    name: str
    program: CatalogueEntry
    knobs: Mapping[str, int]
    without: str = ""

    @property
    def demonstrating(self) -> Mapping[str, int]:
        """The knobs that its demonstrations depend on."""
        return {name: self.knobs[name] for name in self.program.demonstrating}


def row_of(name: str, given: Mapping[str, int] | None = None) -> TrialRow:
    """The program of that name with the paper's numbers, or those given in their place.

    Args:
        name: Of `CATALOGUE`.
        given: Knobs; those that the program does not have are left out (see `rows_of`).

    Raises:
        InvalidInput: There is no such program, or a value is negative, or 0 for `samples` or
            `queries`.
    """
    program = offered(name)
    own = {knob: (given or {}).get(knob, usual) for knob, usual in program.knobs.items()}
    for knob, value in own.items():
        least = PROGRAM_KNOBS[knob].least
        if value < least:
            raise InvalidInput(f"{knob} is {value}; it must be {least} or more.")
    return TrialRow(name, program, own)


def rows_of(
    names: Sequence[str], given: Mapping[str, int] | None = None, *, ablate: bool = False
) -> tuple[TrialRow, ...]:
    """A row for each program, in their order, each followed by its ablation where that is asked.

    Args:
        names: Of `CATALOGUE`, each once.
        given: Knobs; each program takes those that it has.
        ablate: Whether each program is also run without each of its parts.

    Raises:
        InvalidInput: No name or one twice, a knob that no program has, or what `row_of` refuses.
    """
    if not names or len(set(names)) < len(names):
        raise InvalidInput(
            f"The programs {listed(list(names)) or 'none'} were asked for; give one or more of "
            f"{listed(list(CATALOGUE))}, each once."
        )
    rows = [row_of(name, given) for name in names]
    known = {knob for row in rows for knob in row.knobs}
    for knob in given or {}:
        if knob not in known:
            have = [each.name for each in CATALOGUE.values() if knob in each.knobs]
            raise InvalidInput(
                f"{knob} was given, which {listed(list(names))} does not have; leave it out, or "
                f"choose {listed(have, 'or')}."
            )
    return tuple(each for row in rows for each in (row, *(ablated(row) if ablate else ())))


def ablated(row: TrialRow) -> tuple[TrialRow, ...]:
    """The row without each part that its program can do without, in the catalogue's order.

    A part that the row does without already, such as a vote of one sample, is left out.
    """
    variants = (
        TrialRow(f"{row.name} without {part}", row.program, {**row.knobs, **changed}, part)
        for part, changed in row.program.without.items()
    )
    return tuple(each for each in variants if each.knobs != row.knobs)


Record: TypeAlias = Demonstrated | Answer
OnRecord: TypeAlias = Callable[[int, Record], None]
"""Called with a record and its number in the trial."""

Key: TypeAlias = tuple[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True, slots=True)
class TrialPiece:
    """One piece of a trial's work: the demonstrations of a seed, or the answer to a question.

    Attributes:
        number: Its number in the trial, from 0.
        share: The seed's.
        row: Whose program runs; of demonstrations the first row that needs them.
        question: What is answered; None where demonstrations are made.
    """

    number: int
    share: Share
    row: TrialRow
    question: Example | None = None


def pieces_of(rows: Sequence[TrialRow], shares: Sequence[Share]) -> tuple[TrialPiece, ...]:
    """All pieces in their order: seed by seed, first the demonstrations, then row by row.

    Rows whose demonstrations are the same share them.
    """

    def each() -> Iterator[tuple[Share, TrialRow, Example | None]]:
        for share in shares:
            first = {_key(row): row for row in reversed(rows) if row.program.demonstrate}
            for row in rows:
                if first.get(_key(row)) is row:
                    yield share, row, None
            for row in rows:
                for question in share.questions:
                    yield share, row, question

    return tuple(TrialPiece(number, *what) for number, what in enumerate(each()))


def run_trial(
    rows: Sequence[TrialRow],
    shares: Sequence[Share],
    run: Run,
    *,
    known: Mapping[int, Record] | None = None,
    on_record: OnRecord | None = None,
    watcher: Watcher = NOBODY,
) -> tuple[Record, ...]:
    """The records of all pieces, in their order.

    What one question raises is recorded with it and counts as a wrong answer; the others go on.

    Args:
        rows: Programs with their knobs; their names differ.
        shares: As `draw` gives them.
        run: With model and retriever; each piece has the seed of its share and a trace of its own.
        known: Records by number that need not be made again.
        on_record: Called with each record that is made.
        watcher: Gets the pieces done and their number, after each piece.

    Raises:
        InvalidInput: A program searches for passages and the run has none to search, or a program
            of conversations gets questions without earlier turns.
        Cancelled: The run was stopped.
        NotComputed: The run's model computes nothing and does not know what is asked.
    """
    _check(rows, shares, run)
    pieces = pieces_of(rows, shares)
    made: dict[int, Record] = {}
    demos: dict[tuple[int, Key], Annotations] = {}
    own: dict[tuple[str, int, tuple[str, ...]], str] = {}
    for piece in pieces:
        run.go_on()
        record = (known or {}).get(piece.number)
        if record is None:
            started = replace(run, seed=piece.share.seed, trace=Trace())
            record = (
                _demonstrated(started, piece)
                if piece.question is None
                else _answer(started, piece, demos, own)
            )
            if on_record is not None:
                on_record(piece.number, record)
        made[piece.number] = record
        if isinstance(record, Demonstrated):
            demos[piece.share.seed, _key(piece.row)] = record.annotated
        elif piece.question is not None:
            own[piece.row.name, piece.share.seed, _path(piece.question)] = record.pred
        watcher.on_progress(piece.number + 1, len(pieces))
    return tuple(made[piece.number] for piece in pieces)


def _check(rows: Sequence[TrialRow], shares: Sequence[Share], run: Run) -> None:
    if any(row.program.searches for row in rows):
        run.retrieving()
    talking = [row.name for row in rows if row.program.converses]
    if talking and not any(each.history for share in shares for each in share.questions):
        raise InvalidInput(
            f"The program {talking[0]} answers questions of conversations, and none of these "
            "questions has an earlier turn; choose open-domain or multi-hop for single questions."
        )


def _demonstrated(run: Run, piece: TrialPiece) -> Demonstrated:
    program, knobs = piece.row.program, piece.row.demonstrating
    assert program.demonstrate is not None
    annotated = program.demonstrate(run, Example(train=piece.share.train), **knobs)
    return Demonstrated(program.name, knobs, piece.share.seed, annotated, cost_of(run.trace.steps))


def _answer(
    run: Run,
    piece: TrialPiece,
    demos: Mapping[tuple[int, Key], Annotations],
    own: Mapping[tuple[str, int, tuple[str, ...]], str],
) -> Answer:
    question, row, share = piece.question, piece.row, piece.share
    assert question is not None
    history = _own_history(question, row.name, share.seed, own)
    asked = _input(question.copy(history=history), row, share, demos)
    pred = error = ""
    try:
        outcome = row.program.run(run, asked, **row.knobs)
        if isinstance(outcome, Example):
            pred = outcome.pred
        else:
            error = "The program gave no answer."
    except (Cancelled, NotComputed):
        raise
    except Exception as failed:  # noqa: BLE001  one question may fail in any way; the others go on
        error = f"{type(failed).__name__}: {failed}"
    return Answer(
        row=row.name,
        seed=share.seed,
        question=question.question,
        answers=question.answers,
        history=history,
        id=question.get("id"),
        pred=pred,
        scores=scored(pred, question) if question.answers and not error else UNSCORED,
        error=error,
        steps=run.trace.steps,
        cost=cost_of(run.trace.steps),
    )


def _input(
    question: Example, row: TrialRow, share: Share, demos: Mapping[tuple[int, Key], Annotations]
) -> Example:
    """What the program gets: the question without its answers, and what it may show."""
    asked = question.without("answers", "train", "demos", "pred")
    made = demos.get((share.seed, _key(row))) if row.program.demonstrate else None
    if made is None:
        return asked.copy(train=share.train)
    return asked.copy(demos=all_but(made.demos, asked))


def _own_history(
    question: Example, row: str, seed: int, own: Mapping[tuple[str, int, tuple[str, ...]], str]
) -> tuple[Turn, ...]:
    """The earlier turns with the program's own answers where it was asked them."""
    path = _path(question)
    return tuple(
        Turn(turn.question, own.get((row, seed, path[: place + 1]), turn.answer))
        for place, turn in enumerate(question.history)
    )


def _path(question: Example) -> tuple[str, ...]:
    return (*(turn.question for turn in question.history), question.question)


def _key(row: TrialRow) -> Key:
    return row.program.name, tuple(row.demonstrating.items())
