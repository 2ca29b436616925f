"""The path of a lambda as steps: what enters and leaves at each, and which one applies."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ...stretches import TIE, Stretch


@dataclass(frozen=True)
class Step(Stretch):
    """One piece of a path: these demonstrations are chosen on it, in this order.

    `enters` and `leaves` are the demonstrations, (query, answer) each, by which its set differs
    from that of the piece below; both are empty where only the order of the choice changes.
    """

    enters: tuple[tuple[str, str], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    ids: tuple[int, ...] = ()


def sets_of(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with neighbours joined that choose the same set in another order."""
    joined: list[Step] = []
    for step in steps:
        if joined and not step.enters and not step.leaves:
            joined[-1] = replace(joined[-1], high=step.high)
        else:
            joined.append(step)
    return tuple(joined)


def step_at(steps: Sequence[Step], at: float) -> Step | None:
    """The step at a lambda; None without steps."""
    return next((step for step in reversed(steps) if step.low <= at), None)


@dataclass(frozen=True)
class StepsAround:
    """The step that applies at a lambda, and the different ones below and above it.

    `here` is None where several contexts tie and the one chosen applies at this value alone.
    """

    here: Step | None
    below: Step | None
    above: Step | None


def steps_around(steps: Sequence[Step], at: float, chosen: Collection[int]) -> StepsAround:
    """The steps at and around a lambda; at a breakpoint, `chosen` decides which side applies.

    Args:
        steps: All steps of a path; those of `sets_of` where the order of choice does not count.
        at: The lambda.
        chosen: Ids of the demonstrations chosen there, fewer where the window had no room.
    """
    near = [step for step in steps if step.may_contain(at)]
    here = next((step for step in near if set(chosen) <= set(step.ids)), None)
    low, high = (at, at) if here is None else (here.low, here.high)
    below = [step for step in steps if step is not here and step.high <= low + TIE]
    above = [step for step in steps if step is not here and step.low >= high - TIE]
    return StepsAround(here, below[-1] if below else None, above[0] if above else None)


def inside(step: Step) -> float:
    """A lambda in the middle of a step, with two decimals where the step is wide enough."""
    for decimals in range(2, 15):
        rounded = round(step.middle, decimals)
        if step.low + step.width / 8 < rounded < step.high - step.width / 8:
            return rounded
    return step.middle
