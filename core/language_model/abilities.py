"""What a language model can do: not everything behind a server can score."""

from dataclasses import dataclass

from ..errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a language model can do.

    Attributes:
        scores: It gives log-probabilities of answers: everything that judges a context needs them.
        generates: It writes texts.
        states: It gives hidden states, which methods that compare tasks need.
        counts: `count_tokens` counts; where not, it is an estimate that nobody is shown.
        why_not: Why it does not score, as the end of a sentence; empty where it does.
        answered_by: The model that answers in place of this one, as its server says; empty where
            this one does.
    """

    scores: bool = True
    generates: bool = True
    states: bool = True
    counts: bool = True
    why_not: str = ""
    answered_by: str = ""

    @property
    def words(self) -> str:
        """The abilities as the end of a sentence."""
        other = f"; the server says that {self.answered_by} answers" if self.answered_by else ""
        if self.scores:
            return f"scores and generates{' and has states' if self.states else ''}{other}"
        return f"generates only: {self.why_not}{other}"


def cannot_score(name: str, abilities: Abilities) -> str:
    """Why answers are not scored with the model, as a sentence; empty where they are."""
    if abilities.scores:
        return ""
    return (
        f"The model {name!r} cannot score answers: {abilities.why_not}. It can be asked what it "
        "answers itself; DPO, quality bias, Calibrate and Compare need a local model, or a server "
        "that gives them, such as vLLM."
    )


def check_scores(name: str, abilities: Abilities) -> None:
    """Refuse a model that cannot score where answers are to be scored.

    Raises:
        InvalidInput: It cannot.
    """
    if not abilities.scores:
        raise InvalidInput(cannot_score(name, abilities))
