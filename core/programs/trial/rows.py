"""The rows of a trial: programs with their knobs, and what they are without one of their parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InvalidInput
from ...text import listed
from ..paper import CATALOGUE, Offered, offered


@dataclass(frozen=True, slots=True)
class Row:
    """A program with its knobs, under a name that no other row of a trial has.

    Attributes:
        name: Such as `multi-hop`, or `multi-hop without fusion`.
        program: What is run.
        knobs: The value of every knob of the program.
        without: The part that is left out; "" where none is.
    """

    name: str
    program: Offered
    knobs: Mapping[str, int]
    without: str = ""

    @property
    def demonstrating(self) -> Mapping[str, int]:
        """The knobs that its demonstrations depend on."""
        return {name: self.knobs[name] for name in self.program.demonstrating}


def row_of(name: str, given: Mapping[str, int] | None = None) -> Row:
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
        least = 1 if knob in ("samples", "queries") else 0
        if value < least:
            raise InvalidInput(f"{knob} is {value}; it must be {least} or more.")
    return Row(name, program, own)


def rows_of(
    names: Sequence[str], given: Mapping[str, int] | None = None, *, ablate: bool = False
) -> tuple[Row, ...]:
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


def ablated(row: Row) -> tuple[Row, ...]:
    """The row without each part that its program can do without, in the catalogue's order.

    A part that the row does without already, such as a vote of one sample, is left out.
    """
    variants = (
        Row(f"{row.name} without {part}", row.program, {**row.knobs, **changed}, part)
        for part, changed in row.program.without.items()
    )
    return tuple(each for each in variants if each.knobs != row.knobs)
