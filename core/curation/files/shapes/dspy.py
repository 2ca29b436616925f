"""Programs that DSPy saved: the demonstrations of their predictors."""

from collections.abc import Iterator, Mapping

from ..grid import Cells, Fits
from .base import Reshaped, keys_beside

_DEMOS = "demos"
_PREDICTOR = "predictor"
_CONTEXT = "context"


def saved_program(document: Mapping[str, object], name: str, fits: Fits) -> Reshaped | None:
    """A row a demonstration of `{"answer.predict": {"demos": [...], "signature": ...}, ...}`.

    With several predictors, a column names each row's.
    """
    predictors = dict(_predictors(document))
    if not any("signature" in key for each in predictors.values() for key in each):
        return None
    several = len(predictors) > 1
    rows: list[Cells] = [
        {**_plain(demo), **({_PREDICTOR: predictor} if several else {})}
        for predictor, state in predictors.items()
        for demo in _demos(state)
    ]
    if not rows:
        return None
    others = () if "" in predictors else keys_beside([document], *predictors)
    unread = dict.fromkeys(
        key
        for predictor, state in predictors.items()
        for key in keys_beside([state], _DEMOS, under=predictor)
    )
    return Reshaped(rows, unread=(*others, *unread))


def _predictors(document: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The states with demonstrations, by the names of their predictors; one alone has no name."""
    if isinstance(document.get(_DEMOS), list):
        yield "", document
        return
    for predictor, state in document.items():
        if isinstance(state, dict) and isinstance(state.get(_DEMOS), list):
            yield predictor, state


def _demos(state: Mapping[str, object]) -> list[Mapping[str, object]]:
    demos = state[_DEMOS]
    return [each for each in demos if isinstance(each, dict)] if isinstance(demos, list) else []


def _plain(demo: Mapping[str, object]) -> Cells:
    """The demonstration with the passages of its context as one text, and its reasoning renamed."""
    rename = "rationale" not in demo
    return {
        "rationale" if rename and key == "reasoning" else key: _one_text(value)
        if key == _CONTEXT
        else value
        for key, value in demo.items()
    }


def _one_text(value: object) -> object:
    texts = value if isinstance(value, list) else []
    return "\n".join(texts) if all(isinstance(each, str) for each in texts) and texts else value
